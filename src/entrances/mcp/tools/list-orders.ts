import { z } from 'zod';
import { listFreshness } from '../../../features/connections/index.ts';
import {
  continuesSearch,
  detailed,
  type EmptyCause,
  emptyPage,
  isSearch,
  listOrders,
  ORDER_FILTERS,
  type OrderFilters,
  type OrderPage,
  searchOrders,
  whyEmpty,
} from '../../../features/orders/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/failure.ts';
import { type GivenBy, inputOf, publicName, wording } from '../../../platform/input-fields.ts';
import { CompactOrder, viewOf } from '../../order-schemas.ts';
import { defineTool, LIST_INPUT, LIST_OUTPUT, paginationOf, type ToolCall } from '../tool.ts';

const INPUT = {
  ...ORDER_FILTERS,
  search: wording(
    'Comprador, SKU o guía desde su inicio, parte del título, o el total exacto.',
    'taza azul',
  ),
  ...LIST_INPUT,
};
type Query = Omit<GivenBy<typeof INPUT>, 'fields'>;

export const listOrdersTool = defineTool({
  name: 'list_orders',
  title: 'Listar órdenes',
  description:
    'Lista de órdenes, pedidos o compras recientes: últimas órdenes, nuevas, de hoy, ayer o ' +
    'semana, entraron, llegaron, cayeron; pedidos pendientes de envío, sin pagar, pagados o ' +
    'pagadas, listas, por surtir, preparar, empacar, despachar, enviar o mandar; enviados, ' +
    'entregados o entregadas, cancelados o canceladas, cancelaron, devueltas, devolución, ' +
    'devoluciones, devolvió, devolvieron, reembolsados; cambiaron desde instante; por marketplace ' +
    'o cuenta; search: cliente, comprador, hizo, compró, compraron, vendí, producto, SKU. ' +
    'Totales: get_sales_summary. Devuelve data, por ejemplo {"id":"2000","status":"paid"}; fields ' +
    'full: detalle.',
  scope: 'orders:read',
  stream: 'orders',
  input: inputOf(INPUT),
  output: z.object({
    data: z.array(CompactOrder).describe('Las órdenes de la página.'),
    ...LIST_OUTPUT,
    search_note: z.string().optional().describe('Solo con search: por qué puede faltar una orden.'),
    as_of: z
      .string()
      .describe('Pásalo en updated_since la próxima vez: con él no se pierde ningún cambio.'),
  }),
  mayLag: true,
  counted: ['orden', 'órdenes'],
  rowsOf: ({ data }) => data.length,
  async run(call, { fields, ...query }) {
    const page = await pageOf(call, query);
    const shown =
      fields === 'compact' ? page : await detailed(call.scope, page, viewOf(call.access));
    return { written: await written(call, query, shown), rows: shown.count };
  },
});

/** What a search may not have found. */
interface Page extends OrderPage {
  readonly isCut?: boolean;
  readonly isComplete?: boolean;
}

function pageOf(call: ToolCall, { search, ...query }: Query): Promise<Page> {
  const { scope, cursors } = call;
  const clock = query.cursor === null ? call.clock : null;
  const { updatedSince, ...sought } = { ...query, search, ...NO_WORDS };
  if (isSearch(sought) || continuesSearch(cursors, query.cursor)) {
    if (updatedSince) throw invalid('updated_since', NOT_BOTH);
    return searchOrders(scope, cursors, sought, clock);
  }
  const empty = emptyPage(clock, updatedSince);
  return empty
    ? Promise.resolve(empty)
    : listOrders(scope, cursors, { ...query, list: 'agents' }, clock);
}

const NO_WORDS = { paymentStatus: [], fulfillmentStatus: [], tag: [] };
const NOT_BOTH =
  'El argumento search no se combina con updated_since. Vuelve a llamar sin el argumento updated_since.';
const CUT =
  'Muchos productos llevan esas palabras: puede faltar alguna orden. Agrega otra palabra.';
const INCOMPLETE =
  'Las órdenes antiguas todavía se están preparando para la búsqueda. Intenta de nuevo en unos minutos.';

async function written(
  { scope }: ToolCall,
  { limit: _, cursor, search, ...filters }: Query,
  page: Page,
): Promise<string> {
  const isEmpty = page.count === 0 && cursor === null;
  const note = page.isCut ? CUT : page.isComplete === false ? INCOMPLETE : undefined;
  const beside = JSON.stringify({
    pagination: paginationOf(page.nextCursor),
    ...(isEmpty && { empty_because: await emptySentence(scope, filters, search) }),
    ...(note && { search_note: note }),
    as_of: page.asOf.text,
  });
  return `{"data":${page.json},${beside.slice(1)}`;
}

async function emptySentence(
  scope: ReadScope,
  filters: OrderFilters,
  search: string | null,
): Promise<string> {
  const causes = await whyEmpty(scope, filters);
  if (search !== null && !causes.includes('nothing'))
    return 'Hay órdenes, pero ninguna con ese search y los demás filtros. Quita un filtro o busca con menos letras.';
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
