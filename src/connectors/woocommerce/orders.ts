import type { Instant } from '../../platform/time.ts';
import { documentOf } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Page, Read, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import { recheckedCreations } from '../delivered-recheck.ts';
import { Rows } from '../lists.ts';
import { nameIn, readOne } from '../read-rows.ts';
import { tooLarge } from '../too-large.ts';
import type { WooCommerceCredentials } from './credentials.ts';
import { askId, askPage, type OffsetPosition, PAGE_SIZE, START } from './paging.ts';
import {
  idOf,
  isCreatedBefore,
  isDraft,
  refundedIdOf,
  toSourceOrder,
  unchangedSince,
  vanishedOrder,
  zoneless,
} from './wire.ts';

type WooCall = Call<WooCommerceCredentials>;

/**
 * All that is documented of an order. What plugins add beside it may be of any size, and is not
 * asked for.
 */
const FIELDS = [
  ...['id', 'parent_id', 'number', 'order_key', 'created_via', 'version', 'status', 'currency'],
  ...[
    'date_created',
    'date_created_gmt',
    'date_modified',
    'date_modified_gmt',
    'date_paid',
    'date_paid_gmt',
  ],
  ...[
    'date_completed',
    'date_completed_gmt',
    'discount_total',
    'discount_tax',
    'shipping_total',
    'shipping_tax',
  ],
  ...['cart_tax', 'total', 'total_tax', 'prices_include_tax', 'customer_id', 'customer_note'],
  ...[
    'billing',
    'shipping',
    'payment_method',
    'payment_method_title',
    'transaction_id',
    'meta_data',
  ],
  ...[
    'line_items',
    'tax_lines',
    'shipping_lines',
    'fee_lines',
    'coupon_lines',
    'refunds',
    'currency_symbol',
  ],
].join(',');

/**
 * What an old store is read again for: orders of so many days before the window, and at least so
 * many of them.
 */
const RESCAN_DAYS = 30;
const RESCAN_ROWS = 1_000;

/**
 * `changes`: by date of change. `newest`: the newest orders, whether they changed or not, of a
 * store that does not know that filter. `open`: stored orders that may still change. `delivered`:
 * the delivered ones that are checked again.
 */
type Position = { readonly phase: 'changes' | 'newest'; readonly place: OffsetPosition } | Stored;
interface Stored {
  readonly phase: 'open' | 'delivered';
  readonly after: string | null;
}
const OPEN: Stored = { phase: 'open', after: null };
const DELIVERED: Stored = { phase: 'delivered', after: null };

export const orders: Stream<SourceOrder, WooCommerceCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 10 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = unpack(request.position);
    if ('after' in position) return readStored(call, request, position);
    return position.phase === 'changes'
      ? readChanges(call, request, position.place)
      : readNewest(call, request, position.place);
  },

  async tooLarge(call, request) {
    const position = unpack(request.position);
    if ('after' in position) {
      const [id] = await storedIds(request, position, 1);
      return id === undefined
        ? { items: [], next: behind(position) }
        : { items: [tooLarge(id)], next: pack({ ...position, after: id }) };
    }
    const query = position.phase === 'changes' ? changedSince(request) : createdAfter(request);
    const { id, next } = await askId(call, '/orders', position.place, query);
    return {
      items: id === null ? [] : [tooLarge(id)],
      next: pack(next ? { phase: position.phase, place: next } : OPEN),
    };
  },

  async ids(call, request) {
    const at: OffsetPosition = request.position === null ? START : JSON.parse(request.position);
    const query = { ...changedSince(request), _fields: 'id,status' };
    const { rows, next } = await askPage(call, '/orders', at, request.limit, query);
    const placed = rows.filter((row) => !isDraft(row));
    return { ids: placed.map((row) => nameIn(row, 'id')), next: next && JSON.stringify(next) };
  },

  one: readAlone,
};

/**
 * Oldest id first. There is no upper bound on purpose: an order that changes meanwhile would leave
 * a bounded list and pull unread ones forward. The engine keeps the watermark inside of the window.
 */
async function readChanges(
  call: WooCall,
  request: StreamRequest,
  at: OffsetPosition,
): Promise<Page<SourceOrder>> {
  const { from } = request.window;
  const query = { ...changedSince(request), _fields: FIELDS };
  const { rows, fetchedAt, total, next } = await askPage(call, '/orders', at, request.limit, query);
  // Before version 5.8 the filter is ignored without a word.
  if (from && rows.some((row) => unchangedSince(row, from)))
    return { items: [], next: pack({ phase: 'newest', place: START }) };
  const items = await readRows(call, rows, fetchedAt);
  return {
    items,
    ...(total !== null && { total }),
    next: pack(next ? { phase: 'changes', place: next } : OPEN),
  };
}

async function readNewest(
  call: WooCall,
  request: StreamRequest,
  at: OffsetPosition,
): Promise<Page<SourceOrder>> {
  const since = sinceOf(request);
  const query = { ...createdAfter(request), _fields: FIELDS };
  const { rows, fetchedAt, next } = await askPage(call, '/orders', at, request.limit, query);
  const isEnough =
    at.offset + rows.length >= RESCAN_ROWS && rows.some((row) => isCreatedBefore(row, since));
  const items = await readRows(call, rows, fetchedAt);
  return { items, next: pack(next && !isEnough ? { phase: 'newest', place: next } : OPEN) };
}

/** No list shows deleted orders, so stored ones are fetched by id. */
async function readStored(
  call: WooCall,
  request: StreamRequest,
  position: Stored,
): Promise<Page<SourceOrder>> {
  const ids = await storedIds(request, position, request.limit);
  const last = ids.at(-1);
  if (last === undefined) return { items: [], next: behind(position) };
  const query = { include: ids.join(','), order: 'asc', _fields: FIELDS } as const;
  const { rows, fetchedAt } = await askPage(call, '/orders', START, request.limit, query);
  const listed = new Set(rows.map((row) => String(idOf(row))));
  const missing = await Promise.all(
    ids.filter((id) => !listed.has(id)).map((id) => apart(id, () => readAlone(call, id))),
  );
  return {
    items: [...(await readRows(call, rows, fetchedAt)), ...missing.flat()],
    next: ids.length < request.limit ? behind(position) : pack({ ...position, after: last }),
  };
}

function storedIds(
  request: StreamRequest,
  { phase, after }: Stored,
  limit: number,
): Promise<string[]> {
  return phase === 'open'
    ? request.nonFinalIds(after, limit)
    : request.deliveredIds(recheckedCreations(request.window.to), after, limit);
}

function behind({ phase }: Stored): string | null {
  return phase === 'open' ? pack(DELIVERED) : null;
}

/** In the trash it still is an order; after that only what is stored of it is left. */
async function readAlone(call: WooCall, id: string): Promise<Read<SourceOrder>[]> {
  const fetchedAt = call.now();
  const found = await askOrder(call, id);
  return found === null
    ? [{ ok: true, item: vanishedOrder(id, fetchedAt) }]
    : readRows(call, [found.row], found.fetchedAt);
}

/** @returns null when the store says that there is no such order. */
async function askOrder(
  call: WooCall,
  id: string,
): Promise<{ row: unknown; fetchedAt: Instant } | null> {
  const answer = await call.request({
    method: 'GET',
    path: `/orders/${encodeURIComponent(id)}`,
    query: { _fields: FIELDS },
  });
  return answer.status === 404 ? null : { row: documentOf(answer), fetchedAt: answer.fetchedAt };
}

/** A cart at the checkout is no order yet. */
async function readRows(
  call: WooCall,
  rows: readonly unknown[],
  fetchedAt: Instant,
): Promise<Read<SourceOrder>[]> {
  const { statuses } = call.credentials;
  const reads = rows
    .filter((row) => !isDraft(row))
    .map((row) =>
      apart(nameIn(row, 'id'), async () => {
        const refunds = await askRefunds(call, refundedIdOf(row));
        return readOne(row, () => toSourceOrder(row, { statuses, refunds, fetchedAt }));
      }),
    );
  return (await Promise.all(reads)).flat();
}

/** An order gives the amount of a refund, but neither its time nor its line. */
async function askRefunds(call: WooCall, orderId: string | null): Promise<readonly unknown[]> {
  if (orderId === null) return [];
  const path = `/orders/${encodeURIComponent(orderId)}/refunds`;
  const answer = await call.request({
    method: 'GET',
    path,
    query: { per_page: 100 },
    expect: [404],
  });
  return answer.status === 404 ? [] : Rows.parse(documentOf(answer));
}

function changedSince({ window: { from } }: StreamRequest) {
  return {
    ...(from && { modified_after: zoneless(from), dates_are_gmt: 'true' }),
    order: 'asc',
  } as const;
}

function createdAfter(request: StreamRequest) {
  const after = zoneless(sinceOf(request).subtract({ hours: 24 * RESCAN_DAYS }));
  return { after, order: 'desc' } as const;
}

function sinceOf({ window: { from, to } }: StreamRequest): Instant {
  return from ?? to;
}

function unpack(position: string | null): Position {
  return position === null ? { phase: 'changes', place: START } : JSON.parse(position);
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
