import { formatMillis } from '../../platform/time.ts';
import { apartAmong } from '../apart.ts';
import type { Call, Page, Read, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import { nameIn } from '../read-rows.ts';
import { tooLargeIn } from '../too-large.ts';
import type { MiraklCredentials } from './credentials.ts';
import { OrderPage, readOrder } from './wire.ts';

type MiraklCall = Call<MiraklCredentials>;

/** The maximum of one answer; the default is ten. */
export const PAGE_SIZE = 100;
/** Prefix of a position after the list: the stored order to continue after. */
const OPEN = 'open:';

export const orders: Stream<SourceOrder, MiraklCredentials> = {
  // As Mirakl recommends.
  every: { minutes: 5 },
  overlap: { minutes: 10 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const { position } = request;
    if (position?.startsWith(OPEN))
      return readOpen(call, request, position.slice(OPEN.length) || null);
    const context = contextOf(call);
    const { rows, total, next } = await askOrders(call, request);
    return {
      items: rows.map((row) => readOrder(row, context)),
      ...(total !== null && { total }),
      next: next ?? OPEN,
    };
  },

  async tooLarge(_, request) {
    return request.position?.startsWith(OPEN) ? null : behindLarge('orders', request);
  },

  async ids(call, request) {
    const { rows, next } = await askOrders(call, request);
    return { ids: rows.map((row) => nameIn(row, 'order_id')), next };
  },

  one: (call, id) => readNamed(call, [id]),
};

/**
 * In reconciliations, all orders that may still change, a page at a time: orders that a list
 * omitted are read again.
 */
async function readOpen(
  call: MiraklCall,
  request: StreamRequest,
  after: string | null,
): Promise<Page<SourceOrder>> {
  const ids = await request.nonFinalIds(after, request.limit);
  if (ids.length === 0) return { items: [], next: null };
  const items = await apartAmong(ids, (some) => readNamed(call, some));
  return { items, next: ids.length < request.limit ? null : `${OPEN}${ids.at(-1)}` };
}

/** The list by id: the call for a single order is to be removed. */
async function readNamed(call: MiraklCall, ids: readonly string[]): Promise<Read<SourceOrder>[]> {
  const context = contextOf(call);
  const query = { order_ids: ids.join(','), max: PAGE_SIZE };
  const { orders: rows } = await call.get('/orders', OrderPage, { query });
  return rows.map((row) => readOrder(row, context));
}

function contextOf(call: MiraklCall) {
  return { currency: call.credentials.currency ?? null, fetchedAt: call.now() };
}

/**
 * Orders changed since the window began, oldest creation first. The list has no upper bound on
 * purpose: an order that changes meanwhile would leave a bounded one and pull unread rows forward.
 * In this one rows only move back, and the engine keeps the watermark inside of the window.
 */
export async function askOrders(call: MiraklCall, { window, position, limit }: StreamRequest) {
  const offset = Number(position ?? 0);
  const start_update_date = window.from ? formatMillis(window.from) : undefined;
  const { orders: rows, total_count } = await call.get('/orders', OrderPage, {
    query: { start_update_date, max: limit, offset },
  });
  return { rows, total: total_count, next: nextOffset(offset, rows.length, total_count) };
}

/** The position after the one row at the offset, whose id only its oversized answer contains. */
export function behindLarge(list: string, { position }: StreamRequest): Page<never> {
  return { items: [tooLargeIn(list)], next: String(Number(position ?? 0) + 1) };
}

/** The offset of the next page; null = that was the last one. */
export function nextOffset(offset: number, rows: number, total: number | null): string | null {
  const seen = offset + rows;
  return rows > 0 && (total === null || seen < total) ? String(seen) : null;
}
