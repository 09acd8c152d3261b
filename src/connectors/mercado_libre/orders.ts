import { parseLossless } from '../../platform/json.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';
import type { Call, Page, Pass, Read, SourceOrder, Stream, Window } from '../contract.ts';
import { apart, documentOrNull, readOne, tooLargeIn } from '../kit.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import {
  orderIdOf,
  rowKeyOf,
  SearchPage,
  shippingIdOf,
  statusOf,
  storedIdOf,
  storedParts,
  toSourceOrder,
} from './wire.ts';
import {
  isAfterwards,
  type LaterDocument,
  OrderShipments,
  ShipmentItems,
} from './wire-shipments.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

export const PAGE_SIZE = 50;
/** Deep offsets fail at about 10,000; a window with more orders than this is halved long before. */
const MOST_IN_WINDOW = 1_000;
const DEEPEST_OFFSET = 9_950;
/**
 * Rows shift while paging, so each page of more rows begins with the last ones of the one before.
 */
const ANCHORS = 3;
/** Where none of them is there any more, the window is gone back in until one is; so often. */
const MOST_LOST = 3;
/** A page that was not the one asked for is asked for again, so often. */
const SEARCHES = 3;
const OPEN_AT_ONCE = 20;
/** Orders are kept for twelve months. */
const HISTORY_DAYS = 367;
const HOUR = 3_600_000;
// What an order's shipment answers when there is none, or none for us.
const NO_SHIPMENT = [204, 400, 403, 404];
/** Only goods that arrived, or could not, come back. */
const MAY_COME_BACK: readonly unknown[] = ['delivered', 'not_delivered', 'closed'];

/**
 * Where a pass stands: the search goes window by window, each of whole hours; then the open orders.
 */
type Position = SearchPosition | { readonly phase: 'open'; readonly after: string | null };

export interface SearchPosition {
  readonly phase: 'search';
  /** By the time of the index; null = everything, as a first import asks. */
  readonly updated: Hours | null;
  /** By the time of creation, inside an hour of the index that has too many. */
  readonly created: Hours | null;
  readonly offset: number;
  /** The last rows that were read, by `rowKeyOf`. */
  readonly last: readonly string[];
  readonly lost: number;
  readonly isGoingBack: boolean;
}

/** A span of whole hours; date filters keep nothing smaller. */
interface Hours {
  readonly at: number;
  readonly hours: number;
}

export const orders: Stream<SourceOrder, MercadoLibreCredentials> = {
  every: { minutes: 5 },
  // Date filters are cut to the hour.
  overlap: { minutes: 120 },
  pageSize: PAGE_SIZE,

  async page(call, pass) {
    const position: Position | null = pass.position === null ? null : JSON.parse(pass.position);
    if (position?.phase === 'open') return readOpen(call, pass, position);
    const { rows, fetchedAt, next } = await searchOrders(call, pass, position);
    const items = await complete(call, rows, fetchedAt);
    // A first import knows no open orders.
    if (next === null)
      return { items, next: pass.window.from && pack({ phase: 'open', after: null }) };
    return { items, next: pack(next) };
  },

  async tooLarge(_, pass) {
    const position: Position | null = pass.position === null ? null : JSON.parse(pass.position);
    return position?.phase === 'open' ? null : behindLarge(pass, position);
  },

  async one(call, id) {
    const shipment = /^shipment:(.+)$/.exec(id)?.[1];
    const ids = shipment ? await ordersOfShipment(call, shipment) : [id];
    return readEachOrder(call, ids);
  },
};

/** A first import asks for everything without dates. */
function start({ window }: Pass): SearchPosition {
  return searchOf(window.from ? hoursBetween(hourOf(window.from), window) : null, null);
}

/** What one search found; `next` null = that was all. */
interface Found {
  readonly rows: readonly unknown[];
  readonly fetchedAt: Instant;
  readonly next: SearchPosition | null;
}

/** One page of the orders that changed in the window, as rows. */
export async function searchOrders(
  call: MercadoLibreCall,
  pass: Pass,
  from: SearchPosition | null,
): Promise<Found> {
  const position = from ?? start(pass);
  const found = await search(call, pass, position);
  // Somebody else's page, again and again: the position stands still, and the engine says so.
  if (!found) return nothing(call, position);
  const { rows, total, fetchedAt } = found;
  if (total > MOST_IN_WINDOW) {
    const narrower = halve(position, pass);
    if (narrower) return nothing(call, narrower);
  }
  const keys = rows.map(rowKeyOf);
  const anchors = Math.min(ANCHORS, pass.limit - 1);
  const isLost = position.last.length > 0 && !position.last.some((key) => keys.includes(key));
  if (isLost && position.offset > 0 && (position.isGoingBack || position.lost < MOST_LOST))
    return nothing(call, stepBack(position, pass.limit - anchors));

  const fresh = rows.filter((_, index) => !position.last.includes(keys[index] ?? ''));
  const seen = position.offset + rows.length;
  const last = anchors > 0 && rows.length > anchors ? keys.slice(-anchors) : [];
  const offset = seen - last.length;
  const isEnd = rows.length === 0 || seen >= Math.min(total, DEEPEST_OFFSET);
  const forward = { ...position, offset, last, isGoingBack: false };
  return { rows: fresh, fetchedAt, next: isEnd ? nextWindow(position, pass) : forward };
}

/** The one row at the offset, of which nothing but its whole tells the id. */
export function behindLarge(pass: Pass, from: SearchPosition | null): Page<never> {
  const { offset, ...position } = from ?? start(pass);
  return {
    items: [tooLargeIn('/orders/search')],
    next: pack({ ...position, offset: offset + 1, last: [], isGoingBack: false }),
  };
}

function nothing(call: MercadoLibreCall, next: SearchPosition): Found {
  return { rows: [], fetchedAt: call.now(), next };
}

/**
 * A search as seller hides cancelled orders, so those that may still change are asked for one by
 * one.
 */
async function readOpen(
  call: MercadoLibreCall,
  pass: Pass,
  { after }: { readonly after: string | null },
): Promise<Page<SourceOrder>> {
  const ids = await pass.nonFinalIds(after, OPEN_AT_ONCE);
  return {
    items: await readEachOrder(call, ids),
    next: ids.length < OPEN_AT_ONCE ? null : pack({ phase: 'open', after: ids.at(-1) ?? null }),
  };
}

interface Searched {
  readonly rows: readonly unknown[];
  readonly total: number;
  readonly fetchedAt: Instant;
}

/** @returns null when the answers were pages of other offsets than the one asked for */
async function search(
  call: MercadoLibreCall,
  pass: Pass,
  position: SearchPosition,
  attempts = SEARCHES,
): Promise<Searched | null> {
  const { offset } = position;
  const query = {
    seller: call.credentials.user_id,
    sort: 'date_asc',
    limit: pass.limit,
    offset,
    ...filterOf('order.date_last_updated', position.updated, pass),
    ...filterOf('order.date_created', position.created, pass),
  };
  const fetchedAt = call.now();
  const { results, paging } = await call.get('/orders/search', SearchPage, { query });
  if (paging.offset === null || paging.offset === offset)
    return { rows: results, total: paging.total, fetchedAt };
  return attempts > 1 ? search(call, pass, position, attempts - 1) : null;
}

/** The last window has no end, so that a clock ahead of ours hides nothing. */
function filterOf(name: string, span: Hours | null, { window }: Pass): Record<string, string> {
  if (!span) return {};
  const end = span.at + span.hours * HOUR;
  const isLast = end > hourOf(window.to);
  return { [`${name}.from`]: isoHour(span.at), ...(!isLast && { [`${name}.to`]: isoHour(end) }) };
}

/** Orders of a pack travel together: their shipment is asked for once. */
async function complete(
  call: MercadoLibreCall,
  rows: readonly unknown[],
  fetchedAt: Instant,
): Promise<Read<SourceOrder>[]> {
  const asked = new Map<string, Promise<unknown>>();
  const ask = (id: string) => {
    const asking = asked.get(id) ?? readShipment(call, id);
    asked.set(id, asking);
    return asking;
  };
  const reads = rows.map((row) =>
    apart(orderIdOf(row), () => withShipments(call, row, [], fetchedAt, ask)),
  );
  return (await Promise.all(reads)).flat();
}

async function readEachOrder(
  call: MercadoLibreCall,
  ids: readonly string[],
): Promise<Read<SourceOrder>[]> {
  return (await Promise.all(ids.map((id) => apart(id, () => readOrder(call, id))))).flat();
}

/** @returns null when there is no such order, or it is another seller's. */
async function readOrder(call: MercadoLibreCall, id: string): Promise<Read<SourceOrder> | null> {
  const answer = await call.request({
    method: 'GET',
    path: `/orders/${encodeURIComponent(id)}`,
    expect: [200, 206, 403, 404],
  });
  if (answer.status === 403 || answer.status === 404) return null;
  const missing =
    answer.status === 206
      ? (answer.headers['x-content-missing'] ?? '').split(',').map((part) => part.trim())
      : [];
  return withShipments(call, documentOrNull(answer), missing, answer.fetchedAt);
}

async function withShipments(
  call: MercadoLibreCall,
  order: unknown,
  missing: readonly string[],
  fetchedAt: Instant,
  ask = (id: string) => readShipment(call, id),
): Promise<Read<SourceOrder>> {
  const id = orderIdOf(order);
  const shipping = shippingIdOf(order);
  const forward = shipping === null ? null : await ask(shipping);
  const later =
    id !== null && MAY_COME_BACK.includes(statusOf(forward)) ? await readLater(call, id) : [];
  return readOne(order, () => toSourceOrder({ order, forward, later, missing, fetchedAt }));
}

/**
 * The parcels after the one to the buyer. Without `list_all` the list has none of them; its order
 * means nothing.
 */
async function readLater(call: MercadoLibreCall, orderId: string): Promise<LaterDocument[]> {
  const path = `/orders/${encodeURIComponent(orderId)}/shipments`;
  const answer = await askOfShipments(call, path, 'x-new-domain', { list_all: 'true' });
  const listed = OrderShipments.safeParse(answer).data ?? [];
  const found = await Promise.all(
    listed.map(async ({ id, type }) =>
      isAfterwards(type) ? [{ type, shipment: await readShipment(call, id) }] : [],
    ),
  );
  return found.flat().filter(({ shipment }) => shipment !== null);
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const document = parseLossless(raw);
  return readOne(document, () => toSourceOrder(storedParts(document, fetchedAt)), storedIdOf);
}

function readShipment(call: MercadoLibreCall, id: string): Promise<unknown> {
  return askOfShipments(call, `/shipments/${encodeURIComponent(id)}`, 'x-format-new');
}

async function ordersOfShipment(call: MercadoLibreCall, id: string): Promise<string[]> {
  const path = `/shipments/${encodeURIComponent(id)}/items`;
  const items =
    ShipmentItems.safeParse(await askOfShipments(call, path, 'x-format-new')).data ?? [];
  return [...new Set(items.map((item) => item.order_id).filter((order) => order !== null))];
}

/** In the format of today, which a header asks for; null where there is no shipment. */
async function askOfShipments(
  call: MercadoLibreCall,
  path: string,
  header: string,
  query: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const headers = { [header]: 'true' };
  const answer = await call.request({ method: 'GET', path, headers, query, expect: NO_SHIPMENT });
  return answer.status === 200 ? documentOrNull(answer) : null;
}

function searchOf(updated: Hours | null, created: Hours | null): SearchPosition {
  return { phase: 'search', updated, created, offset: 0, last: [], lost: 0, isGoingBack: false };
}

/** Half as many hours; @returns null where there is nothing left to halve. */
function halve({ updated, created }: SearchPosition, { window }: Pass): SearchPosition | null {
  const history = hoursBetween(hourOf(window.to) - HISTORY_DAYS * 24 * HOUR, window);
  if (!updated) return searchOf(history, null);
  if (updated.hours > 1) return searchOf(half(updated), null);
  const narrower = created ?? history;
  return narrower.hours > 1 ? searchOf(updated, half(narrower)) : null;
}

function half({ at, hours }: Hours): Hours {
  return { at, hours: Math.floor(hours / 2) };
}

/** The rows shifted towards the beginning, or those that were looked for moved away. */
function stepBack(position: SearchPosition, rows: number): SearchPosition {
  const offset = Math.max(0, position.offset - Math.max(1, rows));
  const lost = position.isGoingBack ? position.lost : position.lost + 1;
  return { ...position, offset, lost, isGoingBack: true };
}

/** The next window may be twice as long: the shop was quieter than feared. */
function nextWindow({ updated, created }: SearchPosition, { window }: Pass): SearchPosition | null {
  const moreCreated = created && following(created, window);
  if (moreCreated) return searchOf(updated, moreCreated);
  const moreUpdated = updated && following(updated, window);
  return moreUpdated && searchOf(moreUpdated, null);
}

function following({ at, hours }: Hours, window: Window): Hours | null {
  const left = hoursBetween(at + hours * HOUR, window);
  return left.hours > 0 ? { at: left.at, hours: Math.min(left.hours, hours * 2) } : null;
}

/** Up to and with the hour after the window's end, since an upper bound is cut to the hour too. */
function hoursBetween(at: number, { to }: Window): Hours {
  return { at, hours: Math.max(0, (hourOf(to) - at) / HOUR + 1) };
}

function hourOf(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / HOUR) * HOUR;
}

function isoHour(epochMilliseconds: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
