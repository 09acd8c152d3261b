import type { ZodType } from 'zod';
import type { Call, Page, Read, SourceStock, Stream } from '../contract.ts';
import { parseOrNull, readOne } from '../kit.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import {
  FulfillmentStock,
  Item,
  ItemSearch,
  inventoryIdsOf,
  isInSeveralPlaces,
  Multiget,
  PlacedStock,
  toStock,
  userProductIdsOf,
} from './wire.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

const PAGE_SIZE = 100;
const MULTIGET = 20;

const CUT_SHORT: Read<SourceStock> = {
  ok: false,
  externalId: null,
  reason: 'the list of items was begun again too often',
  raw: '"items"',
};

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
      return page > 10_000
        ? { items: [CUT_SHORT], next: null }
        : { items: [], next: JSON.stringify({ scroll: '', page }) };
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
  // 404: listed, and gone. Any other code says nothing about the item.
  const reads = found
    .flat()
    .filter(({ code }) => code !== 404)
    .map(({ code, body }) => readOne(code === 200 ? body : { code, body }, (row) => Item.parse(row)));
  const isPlaced = await keepsSeveralPlaces(
    call,
    reads.filter((read) => read.ok).map((read) => read.item),
  );
  return (
    await Promise.all(reads.map((read) => (read.ok ? stockOf(call, read.item, isPlaced) : [read])))
  ).flat();
}

/** A seller either keeps all of the own stock by place or none of it, so one item tells. */
async function keepsSeveralPlaces(call: MercadoLibreCall, items: readonly Item[]): Promise<boolean> {
  const [first] = items.flatMap(userProductIdsOf);
  const stock = first === undefined ? null : await readPlaced(call, first);
  return stock !== null && isInSeveralPlaces(stock);
}

async function stockOf(call: MercadoLibreCall, item: Item, isPlaced: boolean): Promise<Read<SourceStock>[]> {
  const kept = await askEach(inventoryIdsOf(item), (id) => readKept(call, id));
  const placed = await askEach(isPlaced ? userProductIdsOf(item) : [], (id) => readPlaced(call, id));
  return toStock(item, { kept, placed }).map((level) => ({ ok: true, item: level }));
}

async function askEach<Stock>(
  ids: readonly string[],
  ask: (id: string) => Promise<Stock | null>,
): Promise<Map<string, Stock>> {
  const answers = new Map<string, Stock>();
  for (const id of ids) {
    const answer = await ask(id);
    if (answer !== null) answers.set(id, answer);
  }
  return answers;
}

function readKept(call: MercadoLibreCall, id: string): Promise<FulfillmentStock | null> {
  return read(call, `/inventories/${encodeURIComponent(id)}/stock/fulfillment`, FulfillmentStock);
}

function readPlaced(call: MercadoLibreCall, id: string): Promise<PlacedStock | null> {
  return read(call, `/user-products/${encodeURIComponent(id)}/stock`, PlacedStock);
}

/** @returns null where it is not there, not ours, or of another shape */
async function read<T>(call: MercadoLibreCall, path: string, schema: ZodType<T>): Promise<T | null> {
  const answer = await call.request({ method: 'GET', path, expect: [403, 404] });
  return answer.status === 200 ? (schema.safeParse(parseOrNull(answer.body)).data ?? null) : null;
}
