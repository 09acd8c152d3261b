import { parseLossless } from '../../platform/json.ts';
import type { Instant } from '../../platform/time.ts';
import { documentOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Page, Read, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import { recheckedCreations } from '../delivered-recheck.ts';
import { readOne } from '../read-rows.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { behindLarge, PAGE_SIZE, type SearchPosition, searchOrders } from './order-search.ts';
import {
  isCancelled,
  orderIdOf,
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

const OPEN_AT_ONCE = 20;
/** Statuses of an order's shipment when there is none, or none that we may read. */
const NO_SHIPMENT = [204, 400, 403, 404];
/** Only goods that arrived, or failed to, can be returned. */
const MAY_COME_BACK: readonly unknown[] = ['delivered', 'not_delivered', 'closed'];

/**
 * The position of a sync run: the search, window by window of whole hours; then the open orders, and
 * the delivered ones that are checked again.
 */
type Position = SearchPosition | Stored;
interface Stored {
  readonly phase: 'open' | 'delivered';
  readonly after: string | null;
}

export const orders: Stream<SourceOrder, MercadoLibreCredentials> = {
  every: { minutes: 5 },
  // Date filters are cut to the hour.
  overlap: { minutes: 120 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position: Position | null =
      request.position === null ? null : JSON.parse(request.position);
    if (isStored(position)) return readStoredIds(call, request, position);
    const { rows, fetchedAt, next, ...counted } = await searchOrders(call, request, position);
    const page = { ...counted, items: await complete(call, rows, fetchedAt) };
    // At a first import no open orders are stored.
    if (next === null)
      return { ...page, next: request.window.from && pack({ phase: 'open', after: null }) };
    return { ...page, next: pack(next) };
  },

  async tooLarge(_, request) {
    const position: Position | null =
      request.position === null ? null : JSON.parse(request.position);
    return isStored(position) ? null : behindLarge(request, position);
  },

  async ids(call, request) {
    const position: SearchPosition | null =
      request.position === null ? null : JSON.parse(request.position);
    const { rows, next } = await searchOrders(call, request, position);
    return { ids: rows.map(orderIdOf), next: next && pack(next) };
  },

  async one(call, id) {
    const shipment = /^shipment:(.+)$/.exec(id)?.[1];
    const ids = shipment ? await ordersOfShipment(call, shipment) : [id];
    return readEachOrder(call, ids);
  },
};

function isStored(position: Position | null): position is Stored {
  return position?.phase === 'open' || position?.phase === 'delivered';
}

/**
 * A search as seller hides cancelled orders, so those that may still change are fetched one by one.
 * Of delivered orders it shows every change but their cancellation.
 */
async function readStoredIds(
  call: MercadoLibreCall,
  request: StreamRequest,
  { phase, after }: Stored,
): Promise<Page<SourceOrder>> {
  const isOpen = phase === 'open';
  const ids = isOpen
    ? await request.nonFinalIds(after, OPEN_AT_ONCE)
    : await request.deliveredIds(recheckedCreations(request.window.to), after, OPEN_AT_ONCE);
  const items = await readEachOrder(call, ids, isOpen ? readOrder : readIfCancelled);
  if (ids.length === OPEN_AT_ONCE)
    return { items, next: pack({ phase, after: ids.at(-1) ?? null }) };
  return { items, next: isOpen ? pack({ phase: 'delivered', after: null }) : null };
}

/** Orders of a pack travel together: their shipment is fetched once. */
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
  read = readOrder,
): Promise<Read<SourceOrder>[]> {
  return (await Promise.all(ids.map((id) => apart(id, () => read(call, id))))).flat();
}

/** @returns null when there is no such order, or it is another seller's. */
async function readOrder(call: MercadoLibreCall, id: string): Promise<Read<SourceOrder> | null> {
  const asked = await askOrder(call, id);
  return asked && withShipments(call, asked.order, asked.missing, asked.fetchedAt);
}

/** One call for an order that is not cancelled, of which nothing is stored. */
async function readIfCancelled(
  call: MercadoLibreCall,
  id: string,
): Promise<Read<SourceOrder> | null> {
  const asked = await askOrder(call, id);
  if (!asked || !isCancelled(statusOf(asked.order) ?? '')) return null;
  return withShipments(call, asked.order, asked.missing, asked.fetchedAt);
}

async function askOrder(call: MercadoLibreCall, id: string) {
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
  return { order: documentOrNull(answer), missing, fetchedAt: answer.fetchedAt };
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
 * The parcels after the one to the buyer. Without `list_all` the list omits them; its order means
 * nothing.
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

/** In the current format, which a header selects; null where there is no shipment. */
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

function pack(position: Position): string {
  return JSON.stringify(position);
}
