import { apartAmong } from '../apart.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { readEach } from '../read-rows.ts';
import { tokenInPagesOf, tokenPositionOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import { askList } from './ask.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { trimmed } from './wire.ts';
import { Product, toStock } from './wire-stock.ts';

const PAGE_SIZE = 50;
const PRODUCTS = '/product/202309/products/search';

/** The list of products has the titles, and their stock is asked for page by page. */
export const inventory: Stream<SourceStock, TiktokShopCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, { position, limit }) {
    const { token, size } = tokenInPagesOf(limit, tokenPositionOf(position, PAGE_SIZE));
    const query = { page_size: size, page_token: token ?? undefined };
    const listed = await askList(
      call,
      { method: 'POST', reads: true, path: PRODUCTS, query, body: { json: {} } },
      'products',
    );
    const products = readEach(listed.rows, (row) => Product.parse(trimmed(row)));
    const sold = products
      .flatMap((read) => (read.ok ? [read.item] : []))
      .filter(({ status }) => status !== 'DELETED');
    const stock = await readStock(call, sold);
    const next = listed.next && JSON.stringify({ token: listed.next, size });
    return { items: [...stock, ...products.filter((read) => !read.ok)], next };
  },

  /**
   * The token to what lies behind a product comes with it: the rest of the list is left out of this
   * sync run.
   */
  async tooLarge() {
    return { items: [tooLargeIn(PRODUCTS)], next: null };
  },
};

async function readStock(
  call: Call<TiktokShopCredentials>,
  products: readonly Product[],
): Promise<readonly Read<SourceStock>[]> {
  const titles = new Map(products.map((product) => [product.id, product.title ?? '']));
  return apartAmong([...titles.keys()], (some) => readStockOf(call, some, titles));
}

async function readStockOf(
  call: Call<TiktokShopCredentials>,
  product_ids: readonly string[],
  titles: ReadonlyMap<string, string>,
): Promise<Read<SourceStock>[]> {
  const path = '/product/202309/inventory/search';
  const request = { method: 'POST', reads: true, path, body: { json: { product_ids } } } as const;
  const { rows } = await askList(call, request, 'inventory');
  return readEach(rows, (row) => toStock(row, titles)).flatMap((read): Read<SourceStock>[] =>
    read.ok ? read.item.map((item) => ({ ok: true, item })) : [read],
  );
}
