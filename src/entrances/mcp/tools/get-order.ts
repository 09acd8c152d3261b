import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { getOrder } from '../../../features/orders/index.ts';
import { fail } from '../../../platform/failure.ts';
import { FullOrder, viewOf } from '../order-schemas.ts';
import { defineTool } from '../tools.ts';

export const getOrderTool = defineTool({
  name: 'get_order',
  title: 'Consultar una orden',
  description:
    'El detalle de una orden por su identificador en el marketplace: productos, importes, envío, factura e historial.',
  scope: 'orders:read',
  stream: 'orders',
  input: z.strictObject({
    id: z.string().min(1).max(500).describe('Identificador de la orden, tal como lo entrega el marketplace.'),
    marketplace: z
      .enum(MARKETPLACES)
      .optional()
      .describe('Hace falta cuando el mismo identificador existe en varios marketplaces.'),
    account_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Hace falta cuando el mismo identificador existe en varias cuentas de un marketplace.'),
  }),
  output: z.object({ data: FullOrder.describe('La orden.') }),
  rowsOf: () => 1,
  async run({ scope, access }, { id, marketplace, account_id: accountId }) {
    // PostgreSQL's text has no NUL, so no order has one.
    if (`${id}${accountId ?? ''}`.includes('\0')) throw fail('order_not_found');
    const json = await getOrder(scope, { id, marketplace, accountId }, viewOf(access));
    return { written: `{"data":${json}}`, rows: 1 };
  },
});
