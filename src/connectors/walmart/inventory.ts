import { parseOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Read, SourceStock, Stream } from '../contract.ts';
import { nameIn, readOne } from '../read-rows.ts';
import { tooLargeIn } from '../too-large.ts';
import type { WalmartCredentials } from './credentials.ts';
import { Item, readItemPage, Stock, toStock } from './wire.ts';

const PAGE_SIZE = 50;
const MOST_ITEMS = 100_000;

/** The list has no stock; stock is read by one SKU a call. */
export const inventory: Stream<SourceStock, WalmartCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  pageSize: PAGE_SIZE,

  async page(call, { position, limit }) {
    const offset = Number(position ?? 0);
    const answer = await call.request({
      method: 'GET',
      path: '/v3/items',
      query: { limit, offset: offset || undefined },
      rate: 'items',
      expect: [404],
    });
    if (answer.status === 404) return { items: [], next: null };
    const { ItemResponse: rows, totalItems } = readItemPage(answer.body);
    const items = (
      await Promise.all(rows.map((row) => apart(nameIn(row, 'sku'), () => readStock(call, row))))
    ).flat();
    const seen = offset + rows.length;
    const isEnd = rows.length === 0 || seen >= Math.min(totalItems ?? MOST_ITEMS, MOST_ITEMS);
    return { items, next: isEnd ? null : String(seen) };
  },

  async tooLarge(_, { position }) {
    return { items: [tooLargeIn('/v3/items')], next: String(Number(position ?? 0) + 1) };
  },

  async one(call, sku) {
    const answer = await call.request({
      method: 'GET',
      path: `/v3/items/${encodeURIComponent(sku)}`,
      rate: 'items',
      expect: [404],
    });
    if (answer.status === 404) return [];
    const { ItemResponse: rows } = readItemPage(answer.body);
    return (await Promise.all(rows.map((row) => readStock(call, row)))).flat();
  },
};

/** Nothing where an item has no stock of the seller's own, as those that Walmart keeps. */
async function readStock(
  call: Call<WalmartCredentials>,
  row: unknown,
): Promise<Read<SourceStock>[]> {
  const skuOf = (thing: unknown) => Item.safeParse(thing).data?.sku ?? null;
  const item = readOne(row, (thing) => Item.parse(thing), skuOf);
  if (!item.ok) return [item];
  const answer = await call.request({
    method: 'GET',
    path: '/v3/inventory',
    query: { sku: item.item.sku },
    expect: [404],
  });
  if (answer.status === 404) return [];
  return [
    readOne(
      parseOrNull(answer.body),
      (stock) => toStock(item.item, Stock.parse(stock)),
      () => item.item.sku,
    ),
  ];
}
