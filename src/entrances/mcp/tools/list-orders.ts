import { z } from 'zod';
import { listFreshness } from '../../../features/connections/index.ts';
import {
  type EmptyCause,
  emptyPage,
  listOrderDetails,
  listOrders,
  ORDER_FILTERS,
  type OrderFilters,
  type OrderPage,
  type OrderQuery,
  whyEmpty,
} from '../../../features/orders/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { inputOf, publicName } from '../../../platform/input-fields.ts';
import { CompactOrder, viewOf } from '../../order-schemas.ts';
import { defineTool, LIST_INPUT, LIST_OUTPUT, paginationOf, type ToolCall } from '../tools.ts';

export const listOrdersTool = defineTool({
  name: 'list_orders',
  title: 'Listar órdenes',
  description:
    'Lista las órdenes (pedidos) de todos los marketplaces, de la más reciente a la más antigua: pendientes, pagadas, listas para ' +
    'enviar, entregadas, canceladas, devueltas; las que se devolvieron, entraron o cambiaron desde un instante. Todos los filtros se combinan (Y). ' +
    'Para totales usa get_sales_summary. Devuelve data, un renglón por orden, por ejemplo ' +
    '{"id":"2000","status":"paid","total":259.9,"currency":"MXN"}; fields full da lo mismo que get_order.',
  scope: 'orders:read',
  stream: 'orders',
  input: inputOf({ ...ORDER_FILTERS, ...LIST_INPUT }),
  output: z.object({
    data: z.array(CompactOrder).describe('Las órdenes de la página.'),
    ...LIST_OUTPUT,
    as_of: z
      .string()
      .describe('Pásalo en updated_since la próxima vez: con él no se pierde ningún cambio.'),
  }),
  counted: ['orden', 'órdenes'],
  rowsOf: ({ data }) => data.length,
  async run(call, { fields, ...given }) {
    const query: OrderQuery = { ...given, list: 'agents' };
    const page = await pageOf(call, query, fields);
    return { written: await written(call, query, page), rows: page.count };
  },
});

async function pageOf(
  call: ToolCall,
  query: OrderQuery,
  fields: 'compact' | 'full',
): Promise<OrderPage> {
  const { scope, cursors, access } = call;
  const clock = query.cursor === null ? call.clock : null;
  const empty = emptyPage(clock, query.updatedSince);
  if (empty) return empty;
  if (fields === 'compact') return listOrders(scope, cursors, query, clock);
  return listOrderDetails(scope, cursors, query, clock, viewOf(access));
}

async function written(
  { scope }: ToolCall,
  { limit: _, cursor, list: __, ...filters }: OrderQuery,
  page: OrderPage,
): Promise<string> {
  const pagination = JSON.stringify(paginationOf(page.nextCursor));
  const isEmpty = page.count === 0 && cursor === null;
  const why = isEmpty ? await emptySentence(scope, filters) : null;
  const emptyBecause = why === null ? '' : `,"empty_because":${JSON.stringify(why)}`;
  return `{"data":${page.json},"pagination":${pagination}${emptyBecause},"as_of":"${page.asOf.text}"}`;
}

async function emptySentence(scope: ReadScope, filters: OrderFilters): Promise<string> {
  const causes = await whyEmpty(scope, filters);
  if (!causes.includes('nothing'))
    return `Hay órdenes, pero ninguna con ${causes.map((cause) => nameOf(cause, filters)).join(' ni con ')}.`;
  const accounts = await listFreshness(scope, 'orders');
  if (accounts.length === 0) return 'No hay ningún marketplace conectado.';
  const isWaiting = accounts.every(({ lastSyncAt }) => lastSyncAt === null);
  return isWaiting
    ? 'Los marketplaces conectados todavía no se han sincronizado por primera vez.'
    : 'Los marketplaces conectados no han entregado ninguna orden.';
}

function nameOf(cause: EmptyCause, filters: OrderFilters): string {
  if (cause === 'together' || cause === 'nothing') return 'todos esos filtros a la vez';
  return `${Array.isArray(filters[cause]) ? 'esos' : 'ese'} ${publicName(cause)}`;
}
