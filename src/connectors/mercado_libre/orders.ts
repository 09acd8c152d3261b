import { formatMillis, type Instant } from '../../platform/time.ts';
import type { Call, Page, Pass, Read, SourceOrder, Stream } from '../contract.ts';
import { parseOrNull, readOne } from '../kit.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { OrderShipments, orderIdOf, SearchPage, ShipmentItems, shippingIdOf, toSourceOrder } from './wire.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

const PAGE_SIZE = 50;
/** Deep offsets fail at about 10,000; a window with more orders than this is halved long before. */
const MOST_IN_WINDOW = 1_000;
const DEEPEST_OFFSET = 9_950;
/** A window whose size changed while it was read is read again, so often. */
const REREADS = 3;
const OPEN_AT_ONCE = 20;
const HISTORY_DAYS = 365;
const HOUR = 3_600_000;
// What an order's shipment answers when there is none, or none for us.
const NO_SHIPMENT = [204, 400, 403, 404];

/** Where a pass stands. The search goes window by window, each of whole hours; then the open orders. */
type Position =
  | { readonly phase: 'all'; readonly offset: number }
  | {
      readonly phase: 'window';
      readonly at: number;
      readonly hours: number;
      readonly offset: number;
      readonly total: number;
      readonly reread: number;
    }
  | { readonly phase: 'open'; readonly after: string | null };

export const orders: Stream<SourceOrder, MercadoLibreCredentials> = {
  every: { minutes: 5 },
  // Date filters are cut to the hour.
  overlap: { minutes: 120 },

  async page(call, pass) {
    const position: Position = pass.position === null ? start(pass) : JSON.parse(pass.position);
    if (position.phase === 'open') return readOpen(call, pass, position);
    return position.phase === 'all' ? readAll(call, pass, position) : readWindow(call, pass, position);
  },

  async one(call, id) {
    const shipment = /^shipment:(.+)$/.exec(id)?.[1];
    const ids = shipment ? await ordersOfShipment(call, shipment) : [id];
    return (await Promise.all(ids.map((order) => readOrder(call, order)))).filter((read) => read !== null);
  },
};

function start({ window }: Pass): Position {
  if (!window.from) return { phase: 'all', offset: 0 };
  return windowFrom(hourOf(window.from), hoursUntil(hourOf(window.from), window.to));
}

/** A first import asks for everything without dates; a shop with too much for that goes by windows. */
async function readAll(
  call: MercadoLibreCall,
  pass: Pass,
  { offset }: Position & { phase: 'all' },
): Promise<Page<SourceOrder>> {
  const { rows, total, fetchedAt } = await search(call, offset, {});
  if (total > MOST_IN_WINDOW) {
    const from = hourOf(pass.window.to) - HISTORY_DAYS * 24 * HOUR;
    return { items: [], next: pack(windowFrom(from, hoursUntil(from, pass.window.to))) };
  }
  const seen = offset + rows.length;
  const isEnd = rows.length === 0 || seen >= total;
  return {
    items: await complete(call, rows, fetchedAt),
    next: isEnd ? null : pack({ phase: 'all', offset: seen }),
  };
}

async function readWindow(
  call: MercadoLibreCall,
  pass: Pass,
  position: Position & { phase: 'window' },
): Promise<Page<SourceOrder>> {
  const { at, hours, offset, reread } = position;
  const { rows, total, fetchedAt } = await search(call, offset, {
    'order.date_last_updated.from': isoHour(at),
    'order.date_last_updated.to': isoHour(at + hours * HOUR),
  });
  if (total > MOST_IN_WINDOW && hours > 1)
    return { items: [], next: pack(windowFrom(at, Math.floor(hours / 2))) };

  const items = await complete(call, rows, fetchedAt);
  const seen = offset + rows.length;
  const firstTotal = offset === 0 ? total : position.total;
  if (rows.length > 0 && seen < Math.min(total, DEEPEST_OFFSET))
    return { items, next: pack({ ...position, offset: seen, total: firstTotal }) };
  // Rows shifted while paging: some may have slipped through.
  if (total !== firstTotal && reread < REREADS)
    return { items, next: pack({ ...position, offset: 0, reread: reread + 1 }) };
  return { items, next: windowAfter(position, pass) };
}

/** A search as seller hides cancelled orders, so those that may still change are asked for one by one. */
async function readOpen(
  call: MercadoLibreCall,
  pass: Pass,
  { after }: Position & { phase: 'open' },
): Promise<Page<SourceOrder>> {
  const ids = await pass.open(after, OPEN_AT_ONCE);
  const items = (await Promise.all(ids.map((id) => readOrder(call, id)))).filter((read) => read !== null);
  return {
    items,
    next: ids.length < OPEN_AT_ONCE ? null : pack({ phase: 'open', after: ids.at(-1) ?? null }),
  };
}

async function search(call: MercadoLibreCall, offset: number, dates: Record<string, string>) {
  const query = { seller: call.credentials.user_id, sort: 'date_asc', limit: PAGE_SIZE, offset, ...dates };
  const fetchedAt = call.now();
  const { results, paging } = await call.get('/orders/search', SearchPage, { query });
  return { rows: results, total: paging.total, fetchedAt };
}

function complete(
  call: MercadoLibreCall,
  rows: readonly unknown[],
  fetchedAt: Instant,
): Promise<Read<SourceOrder>[]> {
  return Promise.all(rows.map((row) => withShipments(call, row, [], fetchedAt)));
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
  return withShipments(call, parseOrNull(answer.body), missing, answer.fetchedAt);
}

async function withShipments(
  call: MercadoLibreCall,
  order: unknown,
  missing: readonly string[],
  fetchedAt: Instant,
): Promise<Read<SourceOrder>> {
  const id = orderIdOf(order);
  const shipping = shippingIdOf(order);
  const { forward, back } =
    id !== null && shipping !== null ? await shipmentsOf(call, id, shipping) : { forward: null, back: null };
  return readOne(order, () => toSourceOrder({ order, forward, back, missing, fetchedAt }));
}

async function shipmentsOf(call: MercadoLibreCall, orderId: string, shippingId: string) {
  const path = `/orders/${encodeURIComponent(orderId)}/shipments`;
  const answer = await call.request({
    method: 'GET',
    path,
    headers: { 'x-new-domain': 'true' },
    expect: NO_SHIPMENT,
  });
  const listed = answer.status === 200 ? OrderShipments.safeParse(parseOrNull(answer.body)) : null;
  const known = listed?.success ? listed.data : [];
  const forwardId = known.find(({ type }) => type === 'forward')?.id ?? shippingId;
  const backId = known.find(({ type }) => type === 'return')?.id;
  const [forward, back] = await Promise.all([
    readShipment(call, forwardId),
    backId ? readShipment(call, backId) : null,
  ]);
  return { forward, back };
}

async function readShipment(call: MercadoLibreCall, id: string): Promise<unknown> {
  const path = `/shipments/${encodeURIComponent(id)}`;
  const answer = await call.request({
    method: 'GET',
    path,
    headers: { 'x-format-new': 'true' },
    expect: NO_SHIPMENT,
  });
  return answer.status === 200 ? parseOrNull(answer.body) : null;
}

async function ordersOfShipment(call: MercadoLibreCall, id: string): Promise<string[]> {
  const path = `/shipments/${encodeURIComponent(id)}/items`;
  const answer = await call.request({
    method: 'GET',
    path,
    headers: { 'x-format-new': 'true' },
    expect: NO_SHIPMENT,
  });
  const items = answer.status === 200 ? ShipmentItems.safeParse(parseOrNull(answer.body)) : null;
  const ids = items?.success ? items.data.map((item) => item.order_id).filter((order) => order !== null) : [];
  return [...new Set(ids)];
}

function windowFrom(at: number, hours: number): Position {
  return { phase: 'window', at, hours, offset: 0, total: 0, reread: 0 };
}

/** The next window may be twice as long: the shop was quieter than feared. A first import knows no open orders. */
function windowAfter({ at, hours }: Position & { phase: 'window' }, { window }: Pass): string | null {
  const next = at + hours * HOUR;
  const left = hoursUntil(next, window.to);
  if (left > 0) return pack(windowFrom(next, Math.min(left, hours * 2)));
  return window.from ? pack({ phase: 'open', after: null }) : null;
}

/** Hours up to and with the one after `to`, since the upper bound is cut to the hour too. */
function hoursUntil(from: number, to: Instant): number {
  return Math.max(0, (hourOf(to) - from) / HOUR + 1);
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
