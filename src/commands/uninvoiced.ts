import {
  listUninvoiced,
  UNINVOICED_KINDS,
  type UninvoicedKind,
  type UninvoicedOrder,
  type UninvoicedSum,
  uninvoicedSums,
} from '../features/cfdi/index.ts';
import type { ReadScope } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import { formatMillis } from '../platform/time.ts';
import { type Command, inContext, organizationOf } from './command.ts';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const PAGE = 200;
/** Cursors of this walk never leave the process. */
const CURSORS = { make: JSON.stringify, open: (text: string): unknown => JSON.parse(text) };

export const uninvoicedCommand: Command = {
  usage: `uninvoiced --organization ID [--kind ${UNINVOICED_KINDS.join('|')}] [--month AAAA-MM]`,
  about:
    'Muestra las órdenes vendidas sin CFDI: sus sumas por mes y marketplace o, con --month, cada orden de ese mes; con --kind public, las de la factura global.',
  options: ['organization', 'kind', 'month'],
  required: ['organization'],
  async run({ organization: id, kind: given = 'pending', month }) {
    const kind = UNINVOICED_KINDS.find((one) => one === given);
    if (!kind) throw invalid('kind', `--kind debe ser uno de: ${UNINVOICED_KINDS.join(', ')}.`);
    if (month !== undefined && !MONTH.test(month))
      throw invalid('month', '--month debe ser un mes, AAAA-MM.');
    return inContext(async ({ database }) => {
      const { id: organizationId, timezone } = await organizationOf(database, id);
      return database.within(organizationId).read(async (scope) => {
        if (month === undefined) return sumsResult(await sumsOf(scope, kind, timezone));
        return ordersResult(await ordersOf(scope, kind, month, timezone));
      });
    });
  },
};

function sumsOf(scope: ReadScope, kind: UninvoicedKind, timezone: string) {
  return uninvoicedSums(scope, { kind, from: null, to: null, marketplace: null }, timezone);
}

async function ordersOf(scope: ReadScope, kind: UninvoicedKind, month: string, timezone: string) {
  const first = Temporal.PlainDate.from(`${month}-01`);
  const from = first.toZonedDateTime(timezone).toInstant();
  const end = first.add({ months: 1 }).toZonedDateTime(timezone).toInstant();
  const to = end.subtract({ milliseconds: 1 });
  const found: UninvoicedOrder[] = [];
  for (let cursor: string | null = null, isMore = true; isMore; isMore = cursor !== null) {
    const query = { kind, from, to, marketplace: null, limit: PAGE, cursor };
    const page: Awaited<ReturnType<typeof listUninvoiced>> = await listUninvoiced(
      scope,
      CURSORS,
      query,
    );
    found.push(...page.orders);
    cursor = page.nextCursor;
  }
  return found;
}

function sumsResult(sums: readonly UninvoicedSum[]) {
  const lines = sums.map(
    ({ month, marketplace, orders, total, currency }) =>
      `${month}  ${marketplace}  ${orders} órdenes  ${total} ${currency}`,
  );
  return { json: { months: sums }, text: lines.join('\n') || 'No hay órdenes sin CFDI.' };
}

function ordersResult(found: readonly UninvoicedOrder[]) {
  const orders = found.map(({ newest_first: _, date_created, ...order }) => ({
    ...order,
    date_created: formatMillis(date_created),
  }));
  const lines = orders.map(
    ({ date_created, marketplace, order_id, total, currency }) =>
      `${date_created}  ${marketplace}  ${order_id}  ${total} ${currency}`,
  );
  return { json: { orders }, text: lines.join('\n') || 'No hay órdenes sin CFDI en ese mes.' };
}
