import { z } from 'zod';
import { getOrder, NAMESAKE_FILTERS } from '../../../features/orders/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { FullOrder, viewOf } from '../../order-schemas.ts';
import { defineTool, PART_INPUT } from '../tools.ts';

export const getOrderTool = defineTool({
  name: 'get_order',
  title: 'Consultar una orden',
  description:
    'El detalle de una orden por su identificador: qué productos trae, comprador, importe, estado, envío, factura e ' +
    'historial. Devuelve data con la orden, por ejemplo {"id":"2000","status":"shipped","items":[…]}. Una muy larga llega en partes.',
  scope: 'orders:read',
  stream: 'orders',
  input: inputOf({
    id: z
      .string()
      .min(1)
      .max(500)
      .meta({
        description: 'Identificador de la orden, tal como lo entrega el marketplace.',
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
    if (which.id.includes('\0')) throw fail('order_not_found');
    const json = await getOrder(scope, which, viewOf(access));
    return { written: `{"data":${json}}`, rows: 1 };
  },
});
