import { z } from 'zod';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { id, optional, readEach, looseText as text, whole } from '../kit.ts';
import { askList } from './ask.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { trimmed } from './wire.ts';

const PAGE_SIZE = 50;

const Product = z.object({ id, title: optional(z.string()), status: text });
type Product = z.infer<typeof Product>;

const Stock = z.object({
  product_id: id,
  skus: optional(
    z.array(
      z.object({
        id,
        seller_sku: text,
        total_available_quantity: optional(whole),
        total_committed_quantity: optional(whole),
        warehouse_inventory: optional(
          z.array(z.object({ available_quantity: optional(whole), committed_quantity: optional(whole) })),
        ),
      }),
    ),
  ),
});

/** The list of products tells the titles, and their stock is asked for page by page. */
export const inventory: Stream<SourceStock, TiktokShopCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const query = { page_size: PAGE_SIZE, page_token: position ?? undefined };
    const path = '/product/202309/products/search';
    const listed = await askList(
      call,
      { method: 'POST', reads: true, path, query, body: { json: {} } },
      'products',
    );
    const products = readEach(listed.rows, (row) => Product.parse(trimmed(row)));
    const sold = products
      .flatMap((read) => (read.ok ? [read.item] : []))
      .filter(({ status }) => status !== 'DELETED');
    const stock = await readStock(call, sold);
    return { items: [...stock, ...products.filter((read) => !read.ok)], next: listed.next };
  },
};

async function readStock(
  call: Call<TiktokShopCredentials>,
  products: readonly Product[],
): Promise<Read<SourceStock>[]> {
  if (products.length === 0) return [];
  const json = { product_ids: products.map((product) => product.id) };
  const path = '/product/202309/inventory/search';
  const { rows } = await askList(call, { method: 'POST', reads: true, path, body: { json } }, 'inventory');
  const titles = new Map(products.map((product) => [product.id, product.title ?? '']));
  return readEach(rows, (row) => toStock(row, titles)).flatMap((read): Read<SourceStock>[] =>
    read.ok ? read.item.map((item) => ({ ok: true, item })) : [read],
  );
}

/** Whose warehouse it is is not said, so all of it is the seller's. */
export function toStock(row: unknown, titles: ReadonlyMap<string, string>): SourceStock[] {
  const { product_id, skus } = Stock.parse(trimmed(row));
  return (skus ?? []).map((sku) => {
    const places = sku.warehouse_inventory ?? [];
    return {
      itemId: product_id,
      variationId: sku.id,
      warehouse: 'seller',
      sku: sku.seller_sku,
      title: titles.get(product_id) ?? '',
      available: sku.total_available_quantity ?? sum(places.map((place) => place.available_quantity)),
      unavailable: sku.total_committed_quantity ?? sum(places.map((place) => place.committed_quantity)),
    };
  });
}

function sum(pieces: readonly (number | null)[]): number {
  return pieces.reduce<number>((total, count) => total + (count ?? 0), 0);
}
