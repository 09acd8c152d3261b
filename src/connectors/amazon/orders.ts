import type { Instant } from '../../platform/time.ts';
import { documentOrNull, parseOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Call, Page, Read, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import { walkAll } from '../lists.ts';
import { nameIn, readOne } from '../read-rows.ts';
import { behind, halfOf, type Span, spanInPagesOf, type TokenPosition } from '../token-paging.ts';
import { tooLarge, tooLargeIn } from '../too-large.ts';
import { UpstreamError } from '../upstream-error.ts';
import type { AmazonCredentials } from './credentials.ts';
import { askPage, listIds, ORDERS } from './order-search.ts';
import {
  askTransactions,
  endOf,
  HISTORY,
  iso,
  LATE_MS,
  listTransactions,
  living,
  SHORTEST_MS,
  startOf,
  TRANSACTIONS,
  type TransactionSpan,
  transactionsBehind,
  transactionsFrom,
} from './transactions.ts';
import { OneOrder, storedParts, toSourceOrder } from './wire.ts';
import { refundedOrders, refundRows } from './wire-finances.ts';

type AmazonCall = Call<AmazonCredentials>;

/** Data sets that need no role beyond that of the order itself and of the buyer's name. */
const DATA = 'BUYER,RECIPIENT,PROCEEDS,FULFILLMENT,PACKAGES';
const PAGE_SIZE = 100;
const ORDERS_AT_ONCE = 20;
const OVERLAP_MINUTES = 10;
const HOUR = 3_600_000;
/** There is one search in three minutes: no narrower window is looked for around a large order. */
const LEFT_OUT_MS = 300_000;
/**
 * The position of a sync run: the search by last update, then refunds, which orders do not hold.
 */
type Position = Search | Transactions | Refunded;

interface Search extends Span, TokenPosition {
  readonly phase: 'search';
  /** When the token was issued, epoch milliseconds. */
  readonly at: number;
  /** Finds ids alone up to here, since an order before it is too large; epoch milliseconds. */
  readonly leanUntil?: number;
  /** In whole pages again, however small they were around a large order. */
  readonly isWhole?: true;
}

interface Transactions extends TransactionSpan {
  readonly phase: 'transactions';
  /** Orders found so far, until there are enough to be read together. */
  readonly ids?: readonly string[];
}

/** Orders to be read one by one, each with all of its refunds; then the sync run continues. */
interface Refunded {
  readonly phase: 'refunded';
  readonly ids: readonly string[];
  readonly then: Transactions | Search | null;
}

export const orders: Stream<SourceOrder, AmazonCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: OVERLAP_MINUTES },
  history: HISTORY,
  pageSize: PAGE_SIZE,

  page(call, request) {
    const position = positionOf(request);
    if (position.phase === 'search')
      return position.leanUntil
        ? findIds(call, request, position)
        : search(call, request, position);
    if (position.phase === 'transactions') return findRefunds(call, request, position);
    return readRefunded(call, position);
  },

  /**
   * A search goes on with ids alone, whose orders are read one by one. Transactions, and ids that are
   * too large themselves, have a window that is shortened.
   */
  async tooLarge(_, request) {
    const position = positionOf(request);
    if (position.phase === 'refunded') return null;
    if (position.phase === 'search' && !position.leanUntil)
      return { items: [], next: pack({ ...position, token: null, leanUntil: position.to }) };
    const shortest = position.phase === 'search' ? LEFT_OUT_MS : SHORTEST_MS;
    const narrower = halfOf(position, shortest);
    if (narrower) return { items: [], next: pack(narrower) };
    if (position.phase === 'search')
      return {
        items: [tooLarge(`${iso(position.from)}/${iso(position.to)}`)],
        next: packNext(thenOf(request, { ...position, leanUntil: position.to })),
      };
    return {
      items: [tooLargeIn(TRANSACTIONS)],
      next: behindRefunds(request, position, position.ids ?? []),
    };
  },

  async ids(call, request) {
    const position = positionOf(request);
    return position.phase === 'search'
      ? listIds(call, request, { ...position, token: living(call, position) })
      : { ids: [], next: null };
  },

  /** @param id of an order, or the span of time that was left out around one */
  async one(call, id) {
    return apart(id, () => (id.includes('/') ? readSpanIfFree(call, id) : readWhole(call, id)));
  },
};

/** Positions of an older release lack some of these fields. */
function positionOf(request: StreamRequest): Position {
  const whole = { from: startOf(request), to: endOf(request) };
  const search: Search = { phase: 'search', ...whole, token: null, size: PAGE_SIZE, at: 0 };
  if (request.position === null) return search;
  const position: Position = JSON.parse(request.position);
  if (position.phase === 'search') return { ...search, ...position };
  return position.phase === 'transactions'
    ? { ...transactionsFrom(position.from, request), ...position }
    : position;
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const { order, refunds } = storedParts(parseOrNull(raw));
  return read(order, refunds, fetchedAt);
}

async function search(
  call: AmazonCall,
  request: StreamRequest,
  position: Search,
): Promise<Page<SourceOrder>> {
  const fetchedAt = call.now();
  const part = spanInPagesOf(
    position.isWhole ? PAGE_SIZE : request.limit,
    { ...position, token: living(call, position) },
    SHORTEST_MS,
  );
  const page = await askPage(call, part, DATA);
  const items = page.orders.map((order) => read(order, null, fetchedAt));
  const token = page.pagination?.nextToken ?? null;
  if (token === null) return { items, next: packNext(thenOf(request, part)) };
  // A repeated token must not look like progress.
  if (token === position.token) return { items, next: request.position };
  return { items, next: pack({ ...part, token, at: fetchedAt.epochMilliseconds }) };
}

/** The ids of a part with an order that is too large; whole pages follow. */
async function findIds(
  call: AmazonCall,
  request: StreamRequest,
  position: Search,
): Promise<Page<SourceOrder>> {
  const part = { ...position, token: living(call, position), size: PAGE_SIZE };
  const { orders: rows, pagination } = await askPage(call, part, undefined);
  const ids = rows.flatMap((row) => nameIn(row, 'orderId') ?? []);
  const token = pagination?.nextToken ?? null;
  const at = call.now().epochMilliseconds;
  const isOver = token === null || token === position.token;
  const then = isOver ? thenOf(request, position) : { ...part, token, at };
  return { items: [], next: packNext(ids.length > 0 ? { phase: 'refunded', ids, then } : then) };
}

/** After the last window, the refunds. */
function thenOf(
  request: StreamRequest,
  { leanUntil = 0, isWhole: _, ...part }: Search,
): Search | Transactions | null {
  const next = behind(part, endOf(request));
  if (next && next.from < leanUntil) return { ...next, leanUntil };
  if (next) return leanUntil > 0 ? { ...next, isWhole: true } : next;
  return areRefundsDue(request)
    ? { phase: 'transactions', ...transactionsFrom(startOf(request) - LATE_MS, request) }
    : null;
}

/** Finds the orders with a refund in the window. */
async function findRefunds(
  call: AmazonCall,
  request: StreamRequest,
  { ids: found = [], ...part }: Transactions,
): Promise<Page<SourceOrder>> {
  const { rows, next } = await listTransactions(call, part);
  const ids = [...new Set([...found, ...refundedOrders(rows)])];
  return { items: [], next: next ? readOrGoOn(ids, next) : behindRefunds(request, part, ids) };
}

function behindRefunds(request: StreamRequest, part: Transactions, ids: readonly string[]) {
  const next = transactionsBehind(part, request);
  return readOrGoOn(ids, next && { phase: 'transactions', ...next });
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

/** Searches for what is new come first: beyond the limit, the span waits. */
async function readSpanIfFree(call: AmazonCall, span: string): Promise<Read<SourceOrder>[]> {
  try {
    return await readSpan(call, span);
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'paced') return [];
    throw error;
  }
}

/** The orders that were changed from one time to another, as ISO 8601 gives a span. */
async function readSpan(call: AmazonCall, span: string): Promise<Read<SourceOrder>[]> {
  const [from = 0, to = 0] = span
    .split('/')
    .map((time) => Temporal.Instant.from(time).epochMilliseconds);
  const ids = await walkAll(call, null, async (token: string | null) => {
    const part = { from, to, token, size: PAGE_SIZE };
    const { orders: rows, pagination } = await askPage(call, part, undefined);
    const next = pagination?.nextToken ?? null;
    return { rows: rows.flatMap((row) => nameIn(row, 'orderId') ?? []), next };
  });
  const reads: Read<SourceOrder>[] = [];
  for (const id of ids) reads.push(...(await apart(id, () => readWhole(call, id))));
  return reads;
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
function areRefundsDue({ window }: StreamRequest): boolean {
  if (!window.from) return true;
  const watermark = window.from.epochMilliseconds + OVERLAP_MINUTES * 60_000;
  return Math.floor(watermark / HOUR) < Math.floor(window.to.epochMilliseconds / HOUR);
}

function packNext(position: Position | null): string | null {
  return position && pack(position);
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
