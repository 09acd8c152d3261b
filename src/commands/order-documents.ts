import { documentsOf, type OrderIdentity, ordersNamed } from '../features/orders/index.ts';
import type { ReadScope } from '../platform/db/database.ts';
import { fail, invalid } from '../platform/failure.ts';
import { formatMicros } from '../platform/time.ts';
import { type Command, inContext, organizationOf } from './command.ts';
import { slugOf } from './connect.ts';

export const orderDocuments: Command = {
  usage: 'order-documents --organization ID --order ID [--marketplace SLUG] [--account CUENTA]',
  about: 'Muestra lo que el marketplace dijo de una orden, cada vez que cambió.',
  options: ['organization', 'order', 'marketplace', 'account'],
  required: ['organization', 'order'],
  async run({ organization: id, order = '', marketplace, account }) {
    const slug = marketplace === undefined ? undefined : slugOf(marketplace);
    const documents = await inContext(async ({ database }) => {
      const organization = await organizationOf(database, id);
      return database
        .within(organization.id)
        .read(async (scope) => documentsOf(scope, await meant(scope, order, slug, account)));
    });
    const json = documents.map(({ recordedAt, text }) => ({
      recorded_at: formatMicros(recordedAt),
      document: text,
    }));
    return {
      json: { documents: json },
      text:
        json.length === 0
          ? 'De esta orden no se guarda ningún documento.'
          : json.map(({ recorded_at, document }) => `${recorded_at}\n${document}`).join('\n\n'),
    };
  },
};

/** With several orders of one id, none is chosen. */
async function meant(
  scope: ReadScope,
  id: string,
  marketplace: string | undefined,
  account: string | undefined,
): Promise<OrderIdentity> {
  const found = (await ordersNamed(scope, [id])).filter(
    (order) =>
      (marketplace === undefined || order.marketplace === marketplace) &&
      (account === undefined || order.accountId === account),
  );
  const [order, ...others] = found;
  if (!order) throw fail('not_found', { message: `No hay ninguna orden ${id} con esos datos.` });
  if (others.length > 0) {
    const places = found.map((one) => `${one.marketplace} ${one.accountId}`).join(', ');
    throw invalid(
      'marketplace',
      `Hay varias órdenes con el identificador ${id}. Indica --marketplace y --account; están en: ${places}.`,
    );
  }
  return order;
}
