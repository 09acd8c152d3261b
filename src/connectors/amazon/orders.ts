import { formatMillis, type Instant } from '../../platform/time.ts';
import type { Call, CallOptions, Page, Pass, Read, SourceOrder, Stream } from '../contract.ts';
import { apart, documentOrNull, nameIn, parseOrNull, readOne, tooLargeIn } from '../kit.ts';
import { walkAll } from '../lists.ts';
import { behind, halfOf, type Span, spanOfPages, type TokenPlace } from '../paging.ts';
import type { AmazonCredentials } from './credentials.ts';
import { isAboutToken, MEXICO, OneOrder, SearchPage, storedParts, toSourceOrder } from './wire.ts';
import { refundedOrders, refundRows, TransactionPage } from './wire-finances.ts';

type AmazonCall = Call<AmazonCredentials>;

const ORDERS = '/orders/2026-01-01/orders';
const TRANSACTIONS = '/finances/2024-06-19/transactions';
/** Data sets that need no role beyond that of the order itself and of the buyer's name. */
const DATA = 'BUYER,RECIPIENT,PROCEEDS,FULFILLMENT,PACKAGES';
const PAGE_SIZE = 100;
const ORDERS_AT_ONCE = 20;
const OVERLAP_MINUTES = 10;
const HISTORY_DAYS = 730;
/** Upper bounds must be at least two minutes before now. */
const SETTLING_MS = 120_000;
const HOUR = 3_600_000;
/** Tokens live a day. */
const TOKEN_MS = 23 * HOUR;
/** Transactions appear in Finances with this delay. */
const LATE_MS = 48 * HOUR;
/** A longer window gets an empty answer without an error: the limit is 180 days. */
const LONGEST_WINDOW_MS = 179 * 24 * HOUR;
/** The shortest window. */
const SHORTEST_MS = 1_000;

/**
 * The position of a sync run: the search by last update, then refunds, which orders do not hold.
 */
type Position = Search | Transactions | Refunded;

interface Search extends Span, TokenPlace {
  readonly phase: 'search';
  /** When the token was issued, epoch milliseconds. */
  readonly at: number;
}

interface Transactions extends Span {
  readonly phase: 'transactions';
  readonly at: number;
  /** Orders found so far, until there are enough to be read together. */
  readonly ids?: readonly string[];
}

/** Orders to be read again, each with all of its refunds; then the transactions continue. */
interface Refunded {
  readonly phase: 'refunded';
  readonly ids: readonly string[];
  readonly then: Transactions | null;
}

export const orders: Stream<SourceOrder, AmazonCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: OVERLAP_MINUTES },
  history: { days: HISTORY_DAYS },
  pageSize: PAGE_SIZE,

  page(call, pass) {
    const position = positionOf(pass);
    if (position.phase === 'search') return search(call, pass, position);
    if (position.phase === 'transactions') return findRefunds(call, pass, position);
    return readRefunded(call, position);
  },

  /**
   * Transactions have no page size: their window is shortened. Searches have too few rows to need
   * it.
   */
  async tooLarge(_, pass) {
    const position = positionOf(pass);
    if (position.phase !== 'transactions') return null;
    const narrower = halfOf(position, SHORTEST_MS);
    if (narrower) return { items: [], next: pack(narrower) };
    return {
      items: [tooLargeIn(TRANSACTIONS)],
      next: behindTransactions(pass, position, position.ids ?? []),
    };
  },

  async one(call, id) {
    return apart(id, () => readWhole(call, id));
  },
};

/** Positions of an older release lack some of these fields. */
function positionOf(pass: Pass): Position {
  const whole = { from: startOf(pass), to: endOf(pass) };
  const search: Search = { phase: 'search', ...whole, token: null, size: PAGE_SIZE, at: 0 };
  if (pass.position === null) return search;
  const position: Position = JSON.parse(pass.position);
  if (position.phase === 'search') return { ...search, ...position };
  return position.phase === 'transactions'
    ? { ...transactionsFrom(position.from, pass), ...position }
    : position;
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const { order, refunds } = storedParts(parseOrNull(raw));
  return read(order, refunds, fetchedAt);
}

async function search(call: AmazonCall, pass: Pass, position: Search): Promise<Page<SourceOrder>> {
  const fetchedAt = call.now();
  const place = spanOfPages(
    pass.limit,
    { ...position, token: living(call, position) },
    SHORTEST_MS,
  );
  const page = await call.get(ORDERS, SearchPage, {
    query: {
      lastUpdatedAfter: iso(place.from),
      lastUpdatedBefore: iso(place.to),
      marketplaceIds: MEXICO,
      includedData: DATA,
      maxResultsPerPage: place.size,
      paginationToken: place.token ?? undefined,
    },
    rate: 'orderSearch',
  });
  const items = page.orders.map((order) => read(order, null, fetchedAt));
  const token = page.pagination?.nextToken ?? null;
  if (token === null) return { items, next: behindSearch(pass, place) };
  // A repeated token must not look like progress.
  if (token === position.token) return { items, next: pass.position };
  return { items, next: pack({ ...place, token, at: fetchedAt.epochMilliseconds }) };
}

/** After the last window, the refunds. */
function behindSearch(pass: Pass, place: Search): string | null {
  const next = behind(place, endOf(pass));
  if (next) return pack(next);
  return areRefundsDue(pass) ? pack(transactionsFrom(startOf(pass) - LATE_MS, pass)) : null;
}

/** Finds the orders with a refund in the window; an empty page with a token is not the end. */
async function findRefunds(
  call: AmazonCall,
  pass: Pass,
  position: Transactions,
): Promise<Page<SourceOrder>> {
  const { from, to } = position;
  const at = call.now().epochMilliseconds;
  const { payload } = await askTransactions(call, {
    postedAfter: iso(from),
    postedBefore: iso(to),
    marketplaceId: MEXICO,
    nextToken: living(call, position) ?? undefined,
  });
  const token = payload?.nextToken ?? null;
  if (token !== null && token === position.token) return { items: [], next: pass.position };
  const ids = [
    ...new Set([...(position.ids ?? []), ...refundedOrders(payload?.transactions ?? [])]),
  ];
  if (token === null) return { items: [], next: behindTransactions(pass, position, ids) };
  return { items: [], next: readOrGoOn(ids, { phase: 'transactions', from, to, token, at }) };
}

/** The next window, up to twice as long. */
function behindTransactions(
  pass: Pass,
  place: Transactions,
  ids: readonly string[],
): string | null {
  const next = behind(place, endOf(pass));
  if (!next) return readOrGoOn(ids, null);
  const { from, to } = next;
  return readOrGoOn(ids, {
    ...transactionsFrom(from, pass),
    to: Math.min(to, from + LONGEST_WINDOW_MS),
  });
}

/** Orders are read together, once there are enough of them. */
function readOrGoOn(ids: readonly string[], then: Transactions | null): string | null {
  if (then && ids.length < ORDERS_AT_ONCE) return pack({ ...then, ids });
  return packNext(ids.length > 0 ? { phase: 'refunded', ids, then } : then);
}

async function readRefunded(call: AmazonCall, { ids, then }: Refunded): Promise<Page<SourceOrder>> {
  const reads = await Promise.all(
    ids.slice(0, ORDERS_AT_ONCE).map((id) => apart(id, () => readWhole(call, id))),
  );
  const left = ids.slice(ORDERS_AT_ONCE);
  return {
    items: reads.flat(),
    next: packNext(left.length > 0 ? { phase: 'refunded', ids: left, then } : then),
  };
}

/** An order with its refunds. @returns null when there is no such order, or it is not accessible */
async function readWhole(call: AmazonCall, id: string): Promise<Read<SourceOrder> | null> {
  const path = `${ORDERS}/${encodeURIComponent(id)}`;
  const asked = { query: { includedData: DATA }, rate: 'order' };
  const answer = await call.request({ ...asked, method: 'GET', path, expect: [400, 404] });
  if (answer.status !== 200) return null;
  // The engine handles a broken body: it retries.
  const body = documentOrNull(answer) ?? (await call.get(path, OneOrder, asked));
  const order = OneOrder.safeParse(body).data?.order ?? null;
  return read(order, await refundsOf(call, id), answer.fetchedAt);
}

async function refundsOf(call: AmazonCall, id: string): Promise<unknown[]> {
  const found = await walkAll(call, undefined, async (nextToken: string | undefined) => {
    const query = { relatedIdentifierName: 'ORDER_ID', relatedIdentifierValue: id, nextToken };
    const { payload } = await askTransactions(call, query);
    const next = payload?.nextToken ?? null;
    return { rows: payload?.transactions ?? [], next: next === nextToken ? null : next };
  });
  return refundRows(found);
}

/** Without the role for finances refunds are not available, and orders are read all the same. */
async function askTransactions(call: AmazonCall, query: CallOptions['query'] = {}) {
  const asked = { query, rate: 'transactions' };
  const answer = await call.request({ ...asked, method: 'GET', path: TRANSACTIONS, expect: [403] });
  if (answer.status === 403 && !isAboutToken(answer.body)) return { payload: null };
  const page = answer.status === 200 ? TransactionPage.safeParse(documentOrNull(answer)) : null;
  // The engine handles a dead token or a broken body.
  return page?.success ? page.data : call.get(TRANSACTIONS, TransactionPage, asked);
}

function read(
  order: unknown,
  refunds: readonly unknown[] | null,
  fetchedAt: Instant,
): Read<SourceOrder> {
  return readOne(
    order,
    () => toSourceOrder({ order, refunds, fetchedAt }),
    (row) => nameIn(row, 'orderId'),
  );
}

/** In each sync run of a quiet shop; where orders change all the time, only once an hour. */
function areRefundsDue({ window }: Pass): boolean {
  if (!window.from) return true;
  const watermark = window.from.epochMilliseconds + OVERLAP_MINUTES * 60_000;
  return Math.floor(watermark / HOUR) < Math.floor(window.to.epochMilliseconds / HOUR);
}

/** A dead token is left out: the search restarts, and loses nothing. */
function living(call: AmazonCall, { token, at }: Search | Transactions): string | null {
  return call.now().epochMilliseconds - at > TOKEN_MS ? null : token;
}

function transactionsFrom(from: number, pass: Pass): Transactions {
  const to = Math.min(from + LONGEST_WINDOW_MS, endOf(pass));
  return { phase: 'transactions', from, to, token: null, at: 0 };
}

function startOf({ window }: Pass): number {
  return window.from?.epochMilliseconds ?? window.to.epochMilliseconds - HISTORY_DAYS * 24 * HOUR;
}

function endOf({ window }: Pass): number {
  return window.to.epochMilliseconds - SETTLING_MS;
}

function iso(epochMilliseconds: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}

function packNext(position: Position | null): string | null {
  return position && pack(position);
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
