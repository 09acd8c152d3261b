import type { ZodType } from 'zod';
import { parseOrNull } from '../answer-document.ts';
import { apart, apartAmong } from '../apart.ts';
import type { Call, Page, Read, SourceStock, Stream } from '../contract.ts';
import { readEach, readOne } from '../read-rows.ts';
import { id as anId } from '../wire-fields.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import {
  FulfillmentStock,
  Item,
  ItemSearch,
  inventoryIdsOf,
  isInSeveralPlaces,
  Multiget,
  ownUserProductIdsOf,
  PlacedStock,
  toStock,
  userProductIdsOf,
} from './wire-stock.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

const PAGE_SIZE = 100;
const MULTIGET = 20;

/** A list that was incomplete is read so many times more in one sync run. */
const MOST_AGAIN = 2;

const CUT_SHORT: Read<SourceStock> = {
  ok: false,
  externalId: null,
  reason: 'the list of items was begun again and is not complete',
  raw: '"items"',
};

/**
 * The scroll lives five minutes and may keep its id, so the position also has the page's number.
 */
interface Position {
  readonly scroll: string;
  readonly page: number;
  /** Items that this scroll listed so far. */
  readonly seen: number;
  /** The counts of earlier scrolls that listed fewer items than there are. */
  readonly short: readonly number[];
}

const START: Position = { scroll: '', page: 0, seen: 0, short: [] };

export const inventory: Stream<SourceStock, MercadoLibreCredentials> = {
  every: { minutes: 30 },
  overlap: { minutes: 0 },

  async page(call, { position }) {
    const at: Position = position === null ? START : { ...START, ...JSON.parse(position) };
    const query = { search_type: 'scan', limit: PAGE_SIZE, scroll_id: at.scroll || undefined };
    const path = `/users/${encodeURIComponent(call.credentials.user_id)}/items/search`;
    const answer = await call.request({
      method: 'GET',
      path,
      query,
      expect: position ? [400, 404] : [],
    });
    const page = at.page + 1;
    // An expired scroll: restart; stored rows stay.
    if (answer.status >= 400)
      return page > 10_000
        ? { items: [CUT_SHORT], next: null }
        : { items: [], next: pack({ ...at, scroll: '', page, seen: 0 }) };
    const { results, scroll_id, paging } = ItemSearch.parse(parseOrNull(answer.body));
    if (results.length === 0) return endOf({ ...at, page }, paging?.total ?? null);
    const next: Position | null = scroll_id
      ? { ...at, scroll: scroll_id, page, seen: at.seen + results.length }
      : null;
    return { items: await readRows(call, results), next: next && pack(next) };
  },

  async one(call, id) {
    const userProduct = /^user-product:(.+)$/.exec(id)?.[1];
    return readItems(call, userProduct ? await itemsOf(call, userProduct) : [id]);
  },
};

/**
 * A page is lost where a run fails after it was listed and the scroll keeps its id: the next
 * request returns the page after it. So an incomplete list is restarted, unless the scroll before
 * it listed as many.
 */
function endOf({ page, seen, short }: Position, total: number | null): Page<SourceStock> {
  if (total === null || seen >= total) return { items: [], next: null };
  if (short.at(-1) === seen || short.length >= MOST_AGAIN)
    return { items: [CUT_SHORT], next: null };
  return { items: [], next: pack({ ...START, page, short: [...short, seen] }) };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}

/** The items that sell a user product and share its stock. */
async function itemsOf(call: MercadoLibreCall, user_product_id: string): Promise<string[]> {
  const path = `/users/${encodeURIComponent(call.credentials.user_id)}/items/search`;
  const { results } = await call.get(path, ItemSearch, { query: { user_product_id } });
  return results.flatMap((row) => anId.safeParse(row).data ?? []);
}

async function readRows(
  call: MercadoLibreCall,
  results: readonly unknown[],
): Promise<Read<SourceStock>[]> {
  const named = readEach(results, (row) => anId.parse(row));
  const ids = named.flatMap((read) => (read.ok ? [read.item] : []));
  return [...(await readItems(call, ids)), ...named.filter((read) => !read.ok)];
}

async function readItems(
  call: MercadoLibreCall,
  ids: readonly string[],
): Promise<Read<SourceStock>[]> {
  const chunks = Array.from({ length: Math.ceil(ids.length / MULTIGET) }, (_, index) =>
    ids.slice(index * MULTIGET, (index + 1) * MULTIGET),
  );
  const found = await Promise.all(
    chunks.map((chunk) => apartAmong(chunk, (some) => askItems(call, some))),
  );
  const reads = found.flat();
  const isPlaced = await keepsSeveralPlaces(
    call,
    reads.filter((read) => read.ok).map((read) => read.item),
  );
  return (
    await Promise.all(
      reads.map((read) =>
        read.ok ? apart(read.item.id, () => stockOf(call, read.item, isPlaced)) : [read],
      ),
    )
  ).flat();
}

/** 404: listed, and gone. Any other code gives no information about the item. */
async function askItems(call: MercadoLibreCall, ids: readonly string[]): Promise<Read<Item>[]> {
  const found = await call.get('/items', Multiget, { query: { ids: ids.join(',') } });
  return found
    .filter(({ code }) => code !== 404)
    .map(({ code, body }) =>
      readOne(code === 200 ? body : { code, body }, (row) => Item.parse(row)),
    );
}

/**
 * A seller keeps either all of the own stock by place or none of it, so one item shows which. Where
 * all are in the marketplace's warehouses none does, and each is asked for.
 */
async function keepsSeveralPlaces(
  call: MercadoLibreCall,
  items: readonly Item[],
): Promise<boolean> {
  const [first] = items.flatMap(ownUserProductIdsOf);
  if (first === undefined) return true;
  const stock = await readPlaced(call, first);
  return stock !== null && isInSeveralPlaces(stock);
}

async function stockOf(
  call: MercadoLibreCall,
  item: Item,
  isPlaced: boolean,
): Promise<Read<SourceStock>[]> {
  const kept = await askEach(inventoryIdsOf(item), (id) => readKept(call, id));
  const placed = await askEach(isPlaced ? userProductIdsOf(item) : [], (id) =>
    readPlaced(call, id),
  );
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

/** @returns null where it does not exist, is not ours, or has another shape */
async function read<T>(
  call: MercadoLibreCall,
  path: string,
  schema: ZodType<T>,
): Promise<T | null> {
  const answer = await call.request({ method: 'GET', path, expect: [403, 404] });
  return answer.status === 200 ? (schema.safeParse(parseOrNull(answer.body)).data ?? null) : null;
}
