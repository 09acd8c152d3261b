/**
 * A folder of JSON documents, served as WooCommerce would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { readFolder } from '../replay.ts';
import { paged, type Room, refuse } from './shop.ts';

type Document = Record<string, unknown>;

/** What the folder holds, each thing once: of several documents with one id the last counts. */
export interface Replayed {
  readonly orders: readonly Document[];
  readonly refunds: readonly Document[];
  readonly products: readonly Document[];
  readonly variations: readonly Document[];
  /** Files with nothing in them that is served. */
  readonly ignored: readonly string[];
}

type Kind = Exclude<keyof Replayed, 'ignored'>;

export const NOTHING_REPLAYED: Replayed = {
  orders: [],
  refunds: [],
  products: [],
  variations: [],
  ignored: [],
};

/** First match wins. */
const SHAPES: readonly { kind: Kind; fits: (row: Document) => boolean }[] = [
  { kind: 'orders', fits: (row) => 'line_items' in row && 'currency' in row },
  {
    kind: 'refunds',
    fits: (row) => 'refunded_by' in row || ('amount' in row && 'line_items' in row),
  },
  { kind: 'variations', fits: (row) => 'manage_stock' in row && !('type' in row) },
  { kind: 'products', fits: (row) => 'manage_stock' in row },
];

export async function readReplay(folder: string): Promise<Replayed> {
  const found: Record<Kind, Map<string, Document>> = {
    orders: new Map(),
    refunds: new Map(),
    products: new Map(),
    variations: new Map(),
  };
  const ignored = await readFolder(folder, (document) => {
    const known = rowsOf(document);
    for (const { kind, row } of known) found[kind].set(textOf(row.id) ?? '', row);
    return known.length > 0;
  });
  const rows = (kind: Kind) => [...found[kind].values()];
  return {
    orders: rows('orders'),
    refunds: rows('refunds'),
    products: rows('products'),
    variations: rows('variations'),
    ignored,
  };
}

/**
 * Kinds that the folder has are served in place of the world's. Dates and statuses are not looked
 * at.
 */
export function replayRoutes(replayed: Replayed, room: Room): Routes {
  const listed = (rows: readonly Document[]) => (call: Call) => {
    room.caller(call);
    const wanted = call.query.get('include')?.split(',');
    return paged(
      call,
      room,
      rows.filter((row) => wanted?.includes(textOf(row.id) ?? '') ?? true),
      (row) => row,
    );
  };
  const one = (rows: readonly Document[], name: string) => (call: Call) => {
    room.caller(call);
    const body = rows.find((row) => textOf(row.id) === call.params.id);
    if (!body) throw refuse(404, `woocommerce_rest_${name}_invalid_id`, 'Invalid ID.');
    return { body };
  };
  const below = (rows: readonly Document[], place: string) => (call: Call) => {
    const path = `/${place}/${call.params.id}/`;
    return listed(rows.filter((row) => JSON.stringify(row._links ?? {}).includes(path)))(call);
  };
  const { orders, products } = replayed;
  const routes: Record<string, (call: Call) => Reply> = {
    ...(orders.length > 0 && {
      'GET /orders': listed(orders),
      'GET /orders/:id': one(orders, 'shop_order'),
      'GET /orders/:id/refunds': below(replayed.refunds, 'orders'),
    }),
    ...(products.length > 0 && {
      'GET /products': listed(products),
      'GET /products/:id': one(products, 'product'),
      'GET /products/:id/variations': below(replayed.variations, 'products'),
    }),
  };
  return routes;
}

/**
 * A document is a row, or holds rows somewhere: in a list, a batch, an answer with its status
 * around it.
 */
function rowsOf(document: unknown): { kind: Kind; row: Document }[] {
  if (Array.isArray(document)) return document.flatMap(rowsOf);
  if (!isRecord(document)) return [];
  const shape = SHAPES.find(({ fits }) => fits(document));
  return shape ? [{ kind: shape.kind, row: document }] : Object.values(document).flatMap(rowsOf);
}
