import type { Instant } from '../../platform/time.ts';
import type { Call, Page, Pass, Read, SourceOrder, Stream } from '../contract.ts';
import { documentOf, readOne } from '../kit.ts';
import type { WooCommerceCredentials } from './credentials.ts';
import { askPage, PAGE_SIZE, type Place, START } from './paging.ts';
import {
  idOf,
  isCreatedBefore,
  isDraft,
  RefundList,
  refundedIdOf,
  toSourceOrder,
  unchangedSince,
  vanishedOrder,
  zoneless,
} from './wire.ts';

type WooCall = Call<WooCommerceCredentials>;

/** What an old store is read again for: orders of so many days before the window, and at least so many of them. */
const RESCAN_DAYS = 30;
const RESCAN_ROWS = 1_000;

/**
 * `changes`: by date of change. `newest`: the newest orders, whether they changed or not, of a store that does not know
 * that filter. `open`: stored orders that may still change.
 */
type Position =
  | { readonly phase: 'changes' | 'newest'; readonly place: Place }
  | { readonly phase: 'open'; readonly after: string | null };
const OPEN: Position = { phase: 'open', after: null };

export const orders: Stream<SourceOrder, WooCommerceCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 10 },

  async page(call, pass) {
    const position: Position =
      pass.position === null ? { phase: 'changes', place: START } : JSON.parse(pass.position);
    if (position.phase === 'open') return readOpen(call, pass, position.after);
    return position.phase === 'changes'
      ? readChanges(call, pass, position.place)
      : readNewest(call, pass, position.place);
  },

  async one(call, id) {
    const found = await askOrder(call, id);
    return found === null ? [] : readRows(call, [found.row], found.fetchedAt);
  },
};

/**
 * Oldest id first. There is no upper bound on purpose: an order that changes meanwhile would leave a bounded list and
 * pull unread ones forward. The engine keeps the watermark inside of the window.
 */
async function readChanges(
  call: WooCall,
  { window: { from } }: Pass,
  place: Place,
): Promise<Page<SourceOrder>> {
  const since = from ? { modified_after: zoneless(from), dates_are_gmt: 'true' } : {};
  const { rows, fetchedAt, next } = await askPage(call, '/orders', place, { ...since, order: 'asc' });
  // Before version 5.8 the filter is ignored without a word.
  if (from && rows.some((row) => unchangedSince(row, from)))
    return { items: [], next: pack({ phase: 'newest', place: START }) };
  const items = await readRows(call, rows, fetchedAt);
  return { items, next: pack(next ? { phase: 'changes', place: next } : OPEN) };
}

async function readNewest(
  call: WooCall,
  { window: { from, to } }: Pass,
  place: Place,
): Promise<Page<SourceOrder>> {
  const since = from ?? to;
  const after = zoneless(since.subtract({ hours: 24 * RESCAN_DAYS }));
  const { rows, fetchedAt, next } = await askPage(call, '/orders', place, { after, order: 'desc' });
  const isEnough =
    place.offset + rows.length >= RESCAN_ROWS && rows.some((row) => isCreatedBefore(row, since));
  const items = await readRows(call, rows, fetchedAt);
  return { items, next: pack(next && !isEnough ? { phase: 'newest', place: next } : OPEN) };
}

/** No list tells of orders that were deleted, so those that may still change are asked for by name. */
async function readOpen(call: WooCall, pass: Pass, after: string | null): Promise<Page<SourceOrder>> {
  const ids = await pass.open(after, PAGE_SIZE);
  if (ids.length === 0) return { items: [], next: null };
  const { rows, fetchedAt } = await askPage(call, '/orders', START, { include: ids.join(','), order: 'asc' });
  const listed = new Set(rows.map((row) => String(idOf(row))));
  const missing = await Promise.all(ids.filter((id) => !listed.has(id)).map((id) => readMissing(call, id)));
  return {
    items: [...(await readRows(call, rows, fetchedAt)), ...missing.flat()],
    next: ids.length < PAGE_SIZE ? null : pack({ phase: 'open', after: ids.at(-1) ?? null }),
  };
}

/** In the trash it still is an order; after that it is nothing. */
async function readMissing(call: WooCall, id: string): Promise<Read<SourceOrder>[]> {
  const fetchedAt = call.now();
  const found = await askOrder(call, id);
  return found === null
    ? [{ ok: true, item: vanishedOrder(id, fetchedAt) }]
    : readRows(call, [found.row], found.fetchedAt);
}

/** @returns null when the store says that there is no such order. */
async function askOrder(call: WooCall, id: string): Promise<{ row: unknown; fetchedAt: Instant } | null> {
  const answer = await call.request({
    method: 'GET',
    path: `/orders/${encodeURIComponent(id)}`,
  });
  return answer.status === 404 ? null : { row: documentOf(answer), fetchedAt: answer.fetchedAt };
}

/** A cart at the checkout is no order yet. */
function readRows(call: WooCall, rows: readonly unknown[], fetchedAt: Instant): Promise<Read<SourceOrder>[]> {
  const { statuses } = call.credentials;
  return Promise.all(
    rows
      .filter((row) => !isDraft(row))
      .map(async (row) => {
        const refundedAt = await askRefundTimes(call, refundedIdOf(row));
        return readOne(row, () => toSourceOrder(row, { statuses, refundedAt, fetchedAt }));
      }),
  );
}

/** An order says what was given back, and not when. */
async function askRefundTimes(call: WooCall, orderId: string | null): Promise<ReadonlyMap<string, Instant>> {
  if (orderId === null) return new Map();
  const path = `/orders/${encodeURIComponent(orderId)}/refunds`;
  const answer = await call.request({
    method: 'GET',
    path,
    query: { per_page: 100 },
    expect: [404],
  });
  const refunds = answer.status === 404 ? [] : RefundList.parse(documentOf(answer));
  return new Map(refunds.flatMap(({ id, date_created_gmt: at }) => (at ? [[id, at]] : [])));
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
