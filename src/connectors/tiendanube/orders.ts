import type { Instant } from '../../platform/time.ts';
import type { Page, Read, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import { inPagesOf, type PagePosition } from '../paging.ts';
import { nameIn, readOne } from '../read-rows.ts';
import { tooLarge } from '../too-large.ts';
import { askId, askOne, askPage, type Listed, PAGE_SIZE, type TiendanubeCall } from './pages.ts';
import { hasCurrency, Store, storedParts, toSourceOrder } from './wire.ts';

/**
 * Without a payment filter, the list returns pending, authorized and paid orders: each of the
 * others must be requested.
 */
const PAYMENTS = [
  undefined,
  'refunded',
  'voided',
  'abandoned',
  'partially_paid',
  'partially_refunded',
];
/** Statuses that are no documented filters: if refused, they have no orders. */
const PERHAPS_REFUSED = ['partially_paid', 'partially_refunded'];
/** Pages reach only so many rows. */
const MOST_IN_WINDOW = 10_000;
const SECOND = 1_000;
/** No store is older: a first import that is too long is halved from here on. */
const OLDEST = Temporal.Instant.from('2008-01-01T00:00:00Z').epochMilliseconds;

interface Position extends PagePosition {
  /** Which of the payments. */
  readonly payment: number;
  /** Of the time of change, epoch milliseconds; null = since ever. */
  readonly from: number | null;
  readonly to: number;
  /** 0 = no request: the next page may rightly repeat the page before. */
  readonly page: number;
  /** Rows of the window when the page before was read. */
  readonly total: number | null;
  /** The page that proved to be after the last one. */
  readonly end: number | null;
}

export const orders: Stream<SourceOrder, TiendanubeCall['credentials']> = {
  every: { minutes: 5 },
  overlap: { minutes: 10 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const at = positionOf(request);
    if (at.page === 0) return { items: [], next: JSON.stringify({ ...at, page: 1 }) };
    const listed = await askAt(call, at, extrasFor(call));
    const narrower = halve(at, listed.total);
    // Its first page may be this one again.
    if (narrower) return { items: [], next: JSON.stringify(narrower) };
    const next = nextOf(at, listed, request);
    const items = await readOrders(call, listed.rows, listed.fetchedAt);
    return { items, next: next && JSON.stringify(next) } satisfies Page<SourceOrder>;
  },

  async tooLarge(call, request) {
    const at = positionOf(request);
    const { id, listed } = await askId(call, '/orders', at, filtersOf(at));
    const next = nextOf(at, listed, request);
    return { items: id === null ? [] : [tooLarge(id)], next: next && JSON.stringify(next) };
  },

  async ids(call, request) {
    const at = positionOf(request);
    if (at.page === 0) return { ids: [], next: JSON.stringify({ ...at, page: 1 }) };
    const listed = await askAt(call, at, { fields: 'id' });
    const next = halve(at, listed.total) ?? nextOf(at, listed, request);
    return {
      ids: listed.rows.map((row) => nameIn(row, 'id')),
      next: next && JSON.stringify(next),
    };
  },

  async one(call, id) {
    const found = await askOne(call, `/orders/${encodeURIComponent(id)}`, extrasFor(call));
    return found ? readOrders(call, [found.row], found.fetchedAt) : [];
  },
};

function askAt(
  call: TiendanubeCall,
  at: Position,
  extras: Readonly<Record<string, string | undefined>>,
): Promise<Listed> {
  const payment = PAYMENTS[at.payment];
  const nothing = payment && PERHAPS_REFUSED.includes(payment) ? [400, 404, 422] : [];
  return askPage(call, '/orders', at, { ...extras, ...filtersOf(at) }, nothing);
}

/** The store is fetched only where an order has no currency of its own. */
async function readOrders(
  call: TiendanubeCall,
  rows: readonly unknown[],
  fetchedAt: Instant,
): Promise<Read<SourceOrder>[]> {
  const isAsked = !rows.every(hasCurrency);
  const storeCurrency = isAsked ? (await call.get('/store', Store)).main_currency : null;
  return rows.map((order) => {
    const parts = { order, storeCurrency: hasCurrency(order) ? null : storeCurrency };
    return readOne(order, () => toSourceOrder(parts, fetchedAt));
  });
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const parts = storedParts(raw);
  return readOne(parts.order, () => toSourceOrder(parts, fetchedAt));
}

/** Dated versions have data of each parcel. */
function extrasFor({ credentials }: TiendanubeCall) {
  return { aggregates: credentials.version === 'v1' ? undefined : 'fulfillment_orders' };
}

function filtersOf({ from, to, payment }: Position) {
  return {
    updated_at_min: from === null ? undefined : secondOf(from),
    updated_at_max: secondOf(to),
    payment_status: PAYMENTS[payment],
  };
}

/** In pages of the requested size. Positions of an older release lack theirs. */
function positionOf(request: StreamRequest): Position {
  const at: Position =
    request.position === null
      ? windowAt(request, 0)
      : { size: PAGE_SIZE, ...JSON.parse(request.position) };
  if (at.page === 0) return { ...at, size: request.limit };
  const fitting = inPagesOf(request.limit, at);
  return fitting.size === at.size ? at : { ...fitting, end: null };
}

function windowAt({ window, limit }: StreamRequest, payment: number): Position {
  return {
    payment,
    from: window.from?.epochMilliseconds ?? null,
    to: window.to.epochMilliseconds,
    page: 1,
    size: limit,
    total: null,
    end: null,
  };
}

/**
 * An order that changes meanwhile leaves the window, and pulls unread ones forward onto pages that
 * were read: as many rows as the total shrank by are gone back for. The order itself comes with the
 * next sync run.
 */
function nextOf(
  at: Position,
  { rows, total, hasNext }: Listed,
  request: StreamRequest,
): Position | null {
  const isCutShort = rows.length === 0 && at.total !== null && at.page > 1 && at.end === null;
  if (isCutShort) return { ...at, page: at.page - 1, end: at.page };
  const left = at.total !== null && total !== null ? at.total - total : 0;
  if (left > 0 && at.page > 1) {
    const page = Math.max(1, at.page - Math.ceil(left / rows.length));
    return { ...at, page, total, end: null };
  }
  if (hasNext && at.page + 1 !== at.end) return { ...at, page: at.page + 1, total };
  return nextWindow(at, request, rows.length > 0 ? 0 : 1);
}

/** @returns null where the pages reach all there is, or there is nothing left to halve */
function halve(at: Position, total: number | null): Position | null {
  const from = at.from ?? OLDEST;
  if (at.page > 1 || total === null || total <= MOST_IN_WINDOW || at.to - from < 4 * SECOND)
    return null;
  return { ...at, to: Math.floor((from + at.to) / 2), page: 1, total: null, end: null };
}

/**
 * The rest of the window, else the next kind of payment. Whether its bounds are inside is not
 * documented.
 */
function nextWindow(at: Position, request: StreamRequest, page: 0 | 1): Position | null {
  const rest = windowAt(request, at.payment);
  if (at.to < rest.to) return { ...rest, from: at.to - SECOND, page };
  return at.payment + 1 < PAYMENTS.length ? { ...windowAt(request, at.payment + 1), page } : null;
}

/** Its times have whole seconds. */
function secondOf(at: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toString({
    smallestUnit: 'second',
    roundingMode: 'floor',
  });
}
