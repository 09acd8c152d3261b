import { z } from 'zod';
import { LONGEST_ACCOUNT, MARKETPLACES, ORDER_STATUSES } from '../../../connectors/contract.ts';
import { listFreshness } from '../../../features/connections/index.ts';
import {
  type EmptyCause,
  emptyPage,
  listOrderDetails,
  listOrders,
  type OrderPage,
  type OrderQuery,
  whyEmpty,
} from '../../../features/orders/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { isStorable } from '../../../platform/json.ts';
import { CompactOrder, FullOrder, viewOf } from '../order-schemas.ts';
import { refuseBackwards } from '../texts.ts';
import {
  defineTool,
  instant,
  LIST_INPUT,
  LIST_OUTPUT,
  listOf,
  paginationOf,
  type ToolCall,
} from '../tools.ts';

const input = z.strictObject({
  marketplace: listOf(MARKETPLACES, 'Solo de estos marketplaces.'),
  status: listOf(
    ORDER_STATUSES,
    'Solo en estos estados; los explica el recurso tianguis://glosario. Con updated_since no aparecen las que dejaron ese estado.',
  ),
  account_id: z
    .array(z.string().min(1).max(LONGEST_ACCOUNT).refine(isStorable, 'tiene caracteres que no son texto.'))
    .max(50)
    .transform((given) => [...new Set(given)].sort())
    .optional()
    .describe('Solo de estas cuentas.'),
  from: instant('Creadas en este instante o después.').optional(),
  to: instant('Creadas en este instante o antes.').optional(),
  updated_since: instant(
    'Solo las que cambiaron en este instante o después, también las antiguas, de la que cambió primero a la última. ' +
      'Para saber qué cambió desde una consulta usa su as_of.',
  ).optional(),
  ...LIST_INPUT,
});

export const listOrdersTool = defineTool({
  name: 'list_orders',
  title: 'Listar órdenes',
  description:
    'Las órdenes de todos los marketplaces, de la más reciente a la más antigua. Todos los filtros se combinan (Y). ' +
    'Para totales usa get_sales_summary en vez de sumar páginas.',
  scope: 'orders:read',
  stream: 'orders',
  input,
  output: z.object({
    data: z.array(z.union([CompactOrder, FullOrder])).describe('Las órdenes de la página.'),
    ...LIST_OUTPUT,
    as_of: z.string().describe('Pásalo en updated_since la próxima vez: con él no se pierde ningún cambio.'),
  }),
  rowsOf: ({ data }) => data.length,
  async run(call, given) {
    refuseBackwards(given.from, given.to);
    const { from = null, to = null, updated_since: updatedSince = null } = given;
    const { marketplace = [], status = [], account_id: accountId = [] } = given;
    const query: OrderQuery = {
      list: 'agents',
      limit: given.limit,
      cursor: given.cursor ?? null,
      filters: { from, to, updatedSince, marketplace, status, accountId },
    };
    const page = await pageOf(call, query, given.fields);
    return { written: await written(call, query, page), rows: page.count };
  },
});

async function pageOf(call: ToolCall, query: OrderQuery, fields: 'compact' | 'full'): Promise<OrderPage> {
  const { scope, cursors, access } = call;
  const clock = query.cursor === null ? call.clock : null;
  const empty = emptyPage(clock, query.filters.updatedSince);
  if (empty) return empty;
  if (fields === 'compact') return listOrders(scope, cursors, query, clock);
  return listOrderDetails(scope, cursors, query, clock, viewOf(access));
}

async function written({ scope }: ToolCall, query: OrderQuery, page: OrderPage): Promise<string> {
  const pagination = JSON.stringify(paginationOf(page.nextCursor));
  const isEmpty = page.count === 0 && query.cursor === null;
  const why = isEmpty ? await emptySentence(scope, query.filters) : null;
  const emptyBecause = why === null ? '' : `,"empty_because":${JSON.stringify(why)}`;
  return `{"data":${page.json},"pagination":${pagination}${emptyBecause},"as_of":"${page.asOf.text}"}`;
}

async function emptySentence(scope: ReadScope, filters: OrderQuery['filters']): Promise<string> {
  const causes = await whyEmpty(scope, filters);
  if (!causes.includes('nothing'))
    return `Hay órdenes, pero ninguna con ${causes.map(nameOf).join(' ni con ')}.`;
  const accounts = await listFreshness(scope, 'orders');
  if (accounts.length === 0) return 'No hay ningún marketplace conectado.';
  const isWaiting = accounts.every(({ lastSyncAt }) => lastSyncAt === null);
  return isWaiting
    ? 'Los marketplaces conectados todavía no se han sincronizado por primera vez.'
    : 'Los marketplaces conectados no han entregado ninguna orden.';
}

const NAMES: Readonly<Partial<Record<EmptyCause, string>>> = {
  from: 'ese from',
  to: 'ese to',
  updatedSince: 'ese updated_since',
  status: 'esos status',
  marketplace: 'esos marketplace',
  accountId: 'esos account_id',
};

function nameOf(cause: EmptyCause): string {
  return NAMES[cause] ?? 'todos esos filtros a la vez';
}
