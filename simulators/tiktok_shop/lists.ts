/** Lists and their paging, over documents of the world or of a folder alike. */
import { isRecord, textOf } from '../exact-json.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { type Document, done, type Room, refuse } from './shop.ts';

/** Where the documents of each list come from. */
type Source = (name: ListName) => readonly Document[];
export type ListName =
  | 'orders'
  | 'return_orders'
  | 'cancellations'
  | 'products'
  | 'inventory'
  | 'statements'
  | 'payments'
  | 'warehouses';

const MOST_IDS = 50;

export function listRoutes(
  { caller, switches }: Room,
  source: Source,
  transactionsOf: (statement: string) => readonly Document[],
): Routes {
  function search(name: ListName, most: number, least = 1) {
    return (call: Call): Reply => {
      caller(call);
      const isClaim = name === 'return_orders' || name === 'cancellations';
      if (isClaim && switches.claimsForbidden) throw refuse(105005, 'Access denied.', 403);
      const body = call.text === '' ? {} : call.json();
      const wanted = filtersOf(isRecord(body) ? body : {});
      const found = source(name).filter((row) => wanted.every((fits) => fits(row)));
      return done(page(call, name, sorted(found, call.query), { least, most }));
    };
  }

  function byIds(call: Call): Reply {
    caller(call);
    const ids = (call.query.get('ids') ?? '').split(',');
    if (ids.length > MOST_IDS) throw refuse(36009004, 'ids: at most 50');
    return done({ orders: source('orders').filter(({ id }) => ids.includes(textOf(id) ?? '')) });
  }

  function readInventory(call: Call): Reply {
    caller(call);
    const body = call.json() as { product_ids?: string[] };
    const found = source('inventory').filter(({ product_id }) =>
      body.product_ids?.includes(textOf(product_id) ?? ''),
    );
    return done({ inventory: found });
  }

  return {
    'POST /order/202309/orders/search': search('orders', 100),
    'GET /order/202309/orders': byIds,
    'POST /return_refund/202309/returns/search': search('return_orders', 50, 10),
    'POST /return_refund/202309/cancellations/search': search('cancellations', 50, 10),
    'POST /product/202309/products/search': search('products', 100),
    'POST /product/202309/inventory/search': readInventory,
    'GET /finance/202309/statements': search('statements', 100),
    'GET /finance/202309/statements/:id/statement_transactions': (call) => {
      caller(call);
      const rows = transactionsOf(call.params.id ?? '');
      return done(page(call, 'statement_transactions', rows, { least: 1, most: 100 }));
    },
    'GET /finance/202309/payments': search('payments', 100),
    'GET /logistics/202309/warehouses': (call) => {
      caller(call);
      return done({ warehouses: source('warehouses') });
    },
  };
}

type Filter = (row: Document) => boolean;

/** What is not among them is ignored. */
function filtersOf(body: Document): Filter[] {
  return Object.entries(body).flatMap(([name, wanted]): Filter[] => {
    const [, field, bound] = /^(\w+_time)_(ge|lt)$/.exec(name) ?? [];
    if (field && bound === 'ge') return [(row) => numberOf(row[field]) >= Number(wanted)];
    if (field) return [(row) => numberOf(row[field]) < Number(wanted)];
    if (name === 'order_status') return [(row) => row.status === wanted];
    if (name === 'order_ids')
      return [(row) => (wanted as unknown[]).includes(textOf(row.order_id))];
    return [];
  });
}

function sorted(rows: readonly Document[], query: URLSearchParams): Document[] {
  const field = query.get('sort_field') ?? 'create_time';
  const ascending = rows.toSorted((a, b) => numberOf(a[field]) - numberOf(b[field]));
  return query.get('sort_order') === 'ASC' ? ascending : ascending.toReversed();
}

/** A token is no more than a place in the list: rows that leave it move the others up. */
function page(
  { query }: Call,
  name: string,
  rows: readonly Document[],
  { least, most }: { least: number; most: number },
): Document {
  const size = Number(query.get('page_size') ?? 20);
  if (!(size >= least && size <= most)) throw refuse(36009004, `page_size: ${least} to ${most}`);
  const token = query.get('page_token');
  const from = token ? Number(Buffer.from(token, 'base64').toString().split('/')[1]) : 0;
  if (!Number.isInteger(from)) throw refuse(36009004, 'page_token is invalid');
  const next = from + size < rows.length ? `${name}/${from + size}` : '';
  const shown = rows.slice(from, from + size);
  return {
    // Nothing found: the list itself is absent.
    ...(shown.length > 0 && { [name]: shown }),
    next_page_token: Buffer.from(next).toString('base64'),
    total_count: rows.length,
  };
}

function numberOf(value: unknown): number {
  return Number(textOf(value) ?? Number.NaN);
}
