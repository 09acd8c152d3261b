import type { Call, Page, Read, SourceStock, Stream } from '../contract.ts';
import { parseOrNull, readOne } from '../kit.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { FulfillmentStock, Item, ItemSearch, inventoryIdsOf, Multiget, toStock } from './wire.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

const PAGE_SIZE = 100;
const MULTIGET = 20;

/** The scroll lives five minutes and may keep its id, so the page's number goes with it. */
interface Position {
  readonly scroll: string;
  readonly page: number;
}

export const inventory: Stream<SourceStock, MercadoLibreCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const at: Position | null = position === null ? null : JSON.parse(position);
    const query = { search_type: 'scan', limit: PAGE_SIZE, scroll_id: at?.scroll || undefined };
    const path = `/users/${encodeURIComponent(call.credentials.user_id)}/items/search`;
    const answer = await call.request({ method: 'GET', path, query, expect: at ? [400, 404] : [] });
    const page = (at?.page ?? 0) + 1;
    // An expired scroll: begin again; what was stored stays.
    if (answer.status >= 400)
      return { items: [], next: page > 10_000 ? null : JSON.stringify({ scroll: '', page }) };
    const { results, scroll_id } = ItemSearch.parse(parseOrNull(answer.body));
    const items = await readItems(call, results);
    const next =
      results.length > 0 && scroll_id ? JSON.stringify({ scroll: scroll_id, page } satisfies Position) : null;
    return { items, next } satisfies Page<SourceStock>;
  },

  one: (call, id) => readItems(call, [id]),
};

async function readItems(call: MercadoLibreCall, ids: readonly string[]): Promise<Read<SourceStock>[]> {
  const chunks = Array.from({ length: Math.ceil(ids.length / MULTIGET) }, (_, index) =>
    ids.slice(index * MULTIGET, (index + 1) * MULTIGET),
  );
  const found = await Promise.all(
    chunks.map((chunk) => call.get('/items', Multiget, { query: { ids: chunk.join(',') } })),
  );
  const bodies = found
    .flat()
    .filter(({ code }) => code === 200)
    .map(({ body }) => body);
  return (await Promise.all(bodies.map((body) => readItem(call, body)))).flat();
}

async function readItem(call: MercadoLibreCall, body: unknown): Promise<Read<SourceStock>[]> {
  const read = readOne(body, (row) => Item.parse(row));
  if (!read.ok) return [read];
  const kept = new Map<string, FulfillmentStock>();
  for (const id of inventoryIdsOf(read.item)) {
    const answer = await call.request({
      method: 'GET',
      path: `/inventories/${encodeURIComponent(id)}/stock/fulfillment`,
      expect: [403, 404],
    });
    const stock = answer.status === 200 ? FulfillmentStock.safeParse(parseOrNull(answer.body)) : null;
    if (stock?.success) kept.set(id, stock.data);
  }
  return toStock(read.item, kept).map((item) => ({ ok: true, item }));
}
