/**
 * A folder of JSON documents, served as Tiendanube would serve them. What a document is, its shape
 * says.
 */
import { isRecord, textOf } from '../exact-json.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { readFolder } from '../replay.ts';
import { described, pageOf, type Room } from './shop.ts';

type Document = Record<string, unknown>;

export interface Replayed {
  readonly orders: readonly Document[];
  readonly products: readonly Document[];
  /** Variants that came without their product. */
  readonly variants: readonly Document[];
  readonly stores: readonly Document[];
  /** Files with nothing in them that is served. */
  readonly ignored: readonly string[];
}

type Kind = Exclude<keyof Replayed, 'ignored'>;

/** First match wins. */
const SHAPES: readonly { kind: Kind; fits: (row: Document) => boolean }[] = [
  {
    kind: 'orders',
    fits: (row) => 'payment_status' in row || ('products' in row && 'currency' in row),
  },
  { kind: 'products', fits: (row) => Array.isArray(row.variants) },
  { kind: 'variants', fits: (row) => 'product_id' in row && 'stock' in row },
  { kind: 'stores', fits: (row) => 'main_currency' in row || 'original_domain' in row },
];

export const NOTHING_REPLAYED: Replayed = {
  orders: [],
  products: [],
  variants: [],
  stores: [],
  ignored: [],
};

export async function readReplay(folder: string): Promise<Replayed> {
  const found: Record<Kind, Document[]> = {
    orders: [],
    products: [],
    variants: [],
    stores: [],
  };
  const ignored = await readFolder(folder, (document) => {
    const known = rowsOf(document).flatMap((row) => {
      const shape = SHAPES.find(({ fits }) => fits(row));
      return shape ? [{ kind: shape.kind, row }] : [];
    });
    for (const { kind, row } of known) found[kind].push(row);
    return known.length > 0;
  });
  return { ...found, ignored };
}

/**
 * Lists with something in them are served in place of the world's. Dates and states are not looked
 * at.
 */
export function replayRoutes(
  replayed: Replayed,
  { admit }: Pick<Room, 'admit'>,
  base: string,
): Routes {
  const products = [...replayed.products, ...productsOf(replayed.variants)];
  const listed = (rows: readonly Document[]) => (call: Call) => {
    admit(call);
    // Everything is in the list without a filter for payments.
    return pageOf(call, call.query.has('payment_status') ? [] : rows);
  };
  const one =
    (rows: readonly Document[]) =>
    (call: Call): Reply => {
      admit(call);
      const row = rows.find(({ id }) => textOf(id) === call.params.id);
      return row ? { body: row } : described(404, 'Not Found', 'There is no such document');
    };
  return {
    ...(replayed.orders.length > 0 && {
      [`GET ${base}/orders`]: listed(replayed.orders),
      [`GET ${base}/orders/:id`]: one(replayed.orders),
    }),
    ...(products.length > 0 && {
      [`GET ${base}/products`]: listed(products),
      [`GET ${base}/products/:id`]: one(products),
    }),
    ...(replayed.stores.length > 0 && {
      [`GET ${base}/store`]: (call: Call) => {
        admit(call);
        return { body: replayed.stores[0] };
      },
    }),
  };
}

function productsOf(variants: readonly Document[]): Document[] {
  const byProduct = Map.groupBy(variants, ({ product_id }) => textOf(product_id));
  return [...byProduct.values()].map((some) => ({ id: some[0]?.product_id, variants: some }));
}

function rowsOf(document: unknown): Document[] {
  if (Array.isArray(document)) return document.flatMap(rowsOf);
  if (!isRecord(document)) return [];
  return 'body' in document ? rowsOf(document.body) : [document];
}
