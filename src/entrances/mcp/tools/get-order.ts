import { z } from 'zod';
import { getOrder, NAMESAKE_FILTERS } from '../../../features/orders/index.ts';
import { Failure, fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { FullOrder, viewOf } from '../../order-schemas.ts';
import { accountInSentence, defineTool, PART_INPUT } from '../tool.ts';

export const getOrderTool = defineTool({
  name: 'get_order',
  title: 'Consultar una orden',
  description:
    'Una orden o pedido por número: detalle completo e historial de pedido en curso: artículos, ' +
    'productos y piezas, trae, lleva, incluye, compró; persona, nombre, comprador o cliente; ' +
    'pagada, pagó, método de pago; importe, total, subtotal, descuento, impuestos, comisión, ' +
    'neto, ganancia; estado de orden, cancelada, motivo. Devuelve data, por ejemplo ' +
    '{"id":"2000","items":[…]}.',
  scope: 'orders:read',
  stream: 'orders',
  input: inputOf({
    id: z
      .string()
      .min(1)
      .max(500)
      .meta({
        description:
          'Identificador de la orden, tal como lo entrega el marketplace; list_orders los da en id.',
        examples: ['2000009876543210'],
      }),
    ...NAMESAKE_FILTERS,
    ...PART_INPUT,
  }),
  output: z.object({ data: FullOrder.describe('La orden.') }),
  counted: ['orden, la pedida', 'órdenes'],
  rowsOf: () => 1,
  async run({ scope, access }, { cursor: _, ...which }) {
    // PostgreSQL's text has no NUL, so no order has one.
    if (which.id.includes('\0')) throw repairable(fail('order_not_found'));
    const json = await getOrder(scope, which, viewOf(access)).catch((error) => {
      throw repairable(error);
    });
    return { written: `{"data":${json}}`, rows: 1 };
  },
});

interface Namesakes {
  readonly accounts: readonly { readonly marketplace: string; readonly account_id: string }[];
  readonly accounts_total: number;
}

const MOST_NAMED = 5;

/** The same refusal, with the arguments of the next call. */
function repairable(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, details } = error;
  if (code === 'order_not_found')
    return fail(code, { message: `${error.message} list_orders da en id los que hay.` });
  if (code !== 'ambiguous_order_id' || !details) return error;
  const { accounts, accounts_total: total } = details as unknown as Namesakes;
  const ways = accounts
    .slice(0, MOST_NAMED)
    .map(
      (one) => `marketplace ${one.marketplace} y account_id ${accountInSentence(one.account_id)}`,
    );
  const more = total - ways.length;
  if (more > 0) ways.push(more === 1 ? 'una cuenta más' : `una de las otras ${more} cuentas`);
  const message = `Hay más de una orden con ese identificador. Indica ${ways.join(', o ')}.`;
  return fail(code, { message, details });
}
