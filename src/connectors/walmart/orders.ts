import { formatMillis, type Instant } from '../../platform/time.ts';
import type { Call, Page, Pass, Read, SourceOrder, Stream, WireAnswer } from '../contract.ts';
import { apart, documentOrNull, parseOrNull, readOne, tooLargeIn } from '../kit.ts';
import { behind, halfOf, type Span as PlainSpan, spanOfPages, type TokenPlace } from '../paging.ts';
import type { WalmartCredentials } from './credentials.ts';
import {
  askedReturnsOf,
  OrderPage,
  orderIdOf,
  ordersOfReturn,
  Return,
  ReturnPage,
  storedParts,
  toSourceOrder,
} from './wire.ts';

type WalmartCall = Call<WalmartCredentials>;
type Place = PlainSpan & TokenPlace;
type Query = Readonly<Record<string, string | number | undefined>>;

/** Walmart keeps so much. */
const HISTORY_DAYS = 180;
/**
 * Orders that ended are looked at again for so long; what is open and older is asked for one by
 * one.
 */
const RECENT_DAYS = 30;
const OPEN_AT_ONCE = 20;
/** The most rows that any of the lists gives. */
const PAGE_SIZE = 200;
const PROBE = 1;
/** Shorter spans are none where dates are whole seconds, in milliseconds. */
const SHORTEST = 2_000;
const DEEPEST_OFFSET = 1_000;
const MOST_GLOBAL = 10_000;

/** One list to be walked. */
interface Scan {
  readonly path: string;
  readonly rate?: string;
  /** How it is paged. */
  readonly by: 'offset' | 'mark' | 'cursor';
  readonly query: Query;
  /** Rows of a page at most. */
  readonly limit: number;
  readonly span: Span;
  /** How the list takes the span. */
  dates(span: Span): Query;
  /** With more than this the span is halved. */
  readonly most: number;
  read(call: WalmartCall, pass: Pass, answer: WireAnswer): Promise<Listed>;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

interface Listed {
  readonly items: readonly Read<SourceOrder>[];
  readonly rows: number;
  readonly total: number | null;
  readonly limit: number | null;
  readonly mark: string | null;
  readonly cursor: string | null;
}

/**
 * Where a pass stands. `begun` is false for an empty page that keeps two lists with equal rows
 * apart.
 */
interface Position {
  readonly shape: 'legacy' | 'global';
  readonly scan: number;
  readonly begun: boolean;
  /** Epoch milliseconds; null = the scan's whole span. */
  readonly span: readonly [from: number, to: number] | null;
  /** An offset, a mark or a query string. */
  readonly at: string | null;
  /** Rows of the page that it comes from. */
  readonly size?: number;
  /** Behind the last scan: the open orders. */
  readonly after: string | null;
}

const NOTHING: Listed = { items: [], rows: 0, total: 0, limit: null, mark: null, cursor: null };

export const orders: Stream<SourceOrder, WalmartCredentials> = {
  every: { minutes: 5 },
  overlap: { minutes: 60 },
  history: { days: HISTORY_DAYS },
  pageSize: PAGE_SIZE,

  async page(call, pass) {
    if (pass.position === null) {
      const shape = await shapeOf(call, pass);
      return { items: [], next: shape && pack(startOf(shape, 0, false)) };
    }
    const position: Position = JSON.parse(pass.position);
    const scan = scansOf(position.shape, pass)[position.scan];
    if (!scan) return readOpen(call, pass, position);
    if (!position.begun) return { items: [], next: pack({ ...position, begun: true }) };
    return readScan(call, pass, position, scan);
  },

  async tooLarge(call, pass) {
    // The order that was to tell the generation; the lists set it aside.
    if (pass.position === null)
      return {
        items: [],
        next: pack(startOf(call.credentials.global_version ? 'global' : 'legacy', 0, false)),
      };
    const position: Position = JSON.parse(pass.position);
    const scan = scansOf(position.shape, pass)[position.scan];
    return scan ? behindLarge(pass, position, scan) : null;
  },

  one: readOrder,
};

/**
 * Which generation answers, by its content; null = there is no order anywhere. The old one lists
 * 180 days where no dates are given, the new one seven and by kind of fulfilment, and says 404
 * where there are none.
 */
async function shapeOf(call: WalmartCall, pass: Pass): Promise<Position['shape'] | null> {
  const createdStartDate = formatMillis(daysBefore(pass, HISTORY_DAYS));
  const asked: readonly { path?: string; query?: Query; expect: number[] }[] = [
    { expect: [404] },
    // The old generation cannot read such a date.
    { query: { createdStartDate }, expect: [400, 404] },
    { query: { createdStartDate, shipNodeType: 'WFSFulfilled' }, expect: [400, 404] },
    { path: '/v3/orders/wfsorders', expect: [400, 404] },
  ];
  for (const { path = '/v3/orders', query, expect } of asked) {
    const answer = await call.request({
      method: 'GET',
      path,
      query: { ...query, limit: PROBE },
      expect,
    });
    if (answer.status < 300) return OrderPage.parse(documentOrNull(answer)).shape;
  }
  return null;
}

function scansOf(shape: Position['shape'], pass: Pass): readonly Scan[] {
  if (shape === 'global')
    return [globalScan(pass, 'SellerFulfilled'), globalScan(pass, 'WFSFulfilled')];
  const isWhole = isWholeHistory(pass);
  const own = offsetScan('/v3/orders', 100, sinceOf(pass));
  const wfs = offsetScan(
    '/v3/orders/wfsorders',
    200,
    isWhole ? sinceOf(pass) : sinceRecently(pass),
  );
  const changed = isWhole ? [] : STATUSES.map(({ word, days }) => statusScan(pass, word, days));
  return [own, ...changed, wfs, returnScan(pass, {}), returnScan(pass, { isWFSEnabled: 'Y' })];
}

/** In the order of an order's life, so that one that goes on during the walk is met again. */
const STATUSES = [
  { word: 'OnHold', days: HISTORY_DAYS },
  { word: 'Created', days: HISTORY_DAYS },
  { word: 'Acknowledged', days: HISTORY_DAYS },
  { word: 'Shipped', days: HISTORY_DAYS },
  { word: 'Delivered', days: RECENT_DAYS },
  { word: 'Cancelled', days: RECENT_DAYS },
] as const;

/** By creation, whatever the status; dates in epoch seconds. */
function offsetScan(path: string, limit: number, span: Span): Scan {
  return {
    path,
    by: 'offset',
    query: {},
    limit,
    span,
    dates: ({ from, to }) => ({ createdStartDate: seconds(from), createdEndDate: seconds(to) }),
    most: DEEPEST_OFFSET,
    read: readOrders,
  };
}

/** There is no filter for what changed, so each status is read again; dates both or none. */
function statusScan(pass: Pass, statusCodeFilter: string, days: number): Scan {
  return {
    path: '/v3/orders/cursor',
    by: 'mark',
    query: { statusCodeFilter },
    limit: 100,
    span: { from: daysBefore(pass, days), to: pass.window.to },
    dates: ({ from, to }) => ({
      createdStartDate: formatMillis(from),
      createdEndDate: formatMillis(to),
    }),
    most: Number.POSITIVE_INFINITY,
    read: readOrders,
  };
}

function returnScan(pass: Pass, query: Query): Scan {
  const span = isWholeHistory(pass) ? sinceOf(pass) : sinceRecently(pass);
  return {
    path: '/v3/returns/cursor',
    rate: 'returns',
    by: 'mark',
    query,
    limit: 50,
    // A return begins long before it ends.
    span: { ...span, from: span.from.subtract({ hours: 24 * RECENT_DAYS }) },
    dates: ({ from, to }) => ({
      returnCreationStartDate: formatMillis(from),
      returnCreationEndDate: formatMillis(to),
    }),
    most: Number.POSITIVE_INFINITY,
    read: readReturned,
  };
}

/** By last change; without a date of creation only the last seven days would be looked at. */
function globalScan(pass: Pass, shipNodeType: string): Scan {
  return {
    path: '/v3/orders',
    by: 'cursor',
    query: { shipNodeType, createdStartDate: formatMillis(daysBefore(pass, HISTORY_DAYS)) },
    limit: PAGE_SIZE,
    span: sinceOf(pass),
    dates: ({ from, to }) => ({
      lastModifiedStartDate: formatMillis(from),
      lastModifiedEndDate: formatMillis(to),
    }),
    most: MOST_GLOBAL,
    read: readOrders,
  };
}

async function readScan(
  call: WalmartCall,
  pass: Pass,
  position: Position,
  scan: Scan,
): Promise<Page<SourceOrder>> {
  const place = placeOf(pass, position, scan);
  const listed = await ask(call, pass, scan, queryOf(scan, place));
  if (place.token === null && (listed.total ?? 0) > scan.most) {
    const narrower = halfOf(place, SHORTEST);
    if (narrower) return { items: [], next: pack(at(position, narrower)) };
  }
  // Somebody else's page: the position stands still, and the engine says so.
  if (place.token === null && isOther(scan, place, listed))
    return { items: listed.items, next: pack(position) };
  const token = nextOf(scan, place.token, listed);
  const next =
    token === null ? following(position, scan, place) : at(position, { ...place, token });
  return { items: listed.items, next: pack(next) };
}

/**
 * By offset one row is left out; a mark and a cursor come with the page that cannot be read, so
 * that a span is.
 */
function behindLarge(pass: Pass, position: Position, scan: Scan): Page<SourceOrder> {
  const place = placeOf(pass, position, scan);
  const narrower = scan.by === 'offset' ? null : halfOf(place, SHORTEST);
  if (narrower) return { items: [], next: pack(at(position, narrower)) };
  const token = scan.by === 'offset' ? nextOffset(place.token, 1) : null;
  const next =
    token === null ? following(position, scan, place) : at(position, { ...place, token });
  return { items: [tooLargeIn(scan.path)], next: pack(next) };
}

/** An offset leads on in pages of any size. */
function placeOf({ limit: most }: Pass, position: Position, scan: Scan): Place {
  const [from, to] = position.span ?? [
    scan.span.from.epochMilliseconds,
    scan.span.to.epochMilliseconds,
  ];
  const place = { from, to, token: position.at, size: position.size ?? scan.limit };
  const limit = Math.min(most, scan.limit);
  return scan.by === 'offset' ? { ...place, size: limit } : spanOfPages(limit, place, SHORTEST);
}

function at(position: Position, { from, to, token, size }: Place): Position {
  return { ...position, span: [from, to], at: token, size };
}

/**
 * The single order that told the generation, come again; or a page that says there is more, but not
 * where.
 */
function isOther({ by }: Scan, { size }: Place, { rows, total, limit, cursor }: Listed): boolean {
  return (limit === PROBE && size !== PROBE) || (by === 'cursor' && !cursor && (total ?? 0) > rows);
}

async function ask(
  call: WalmartCall,
  pass: Pass,
  { path, rate, read }: Scan,
  query: Query,
): Promise<Listed> {
  const answer = await call.request({
    method: 'GET',
    path,
    query,
    ...(rate && { rate }),
    expect: [404],
  });
  return answer.status === 404 ? NOTHING : read(call, pass, answer);
}

function queryOf(scan: Scan, { from, to, token, size }: Place): Query {
  // The cursor of the new generation is a whole query string.
  if (scan.by === 'cursor' && token !== null) return Object.fromEntries(new URLSearchParams(token));
  const paging =
    scan.by === 'offset' ? { offset: token ?? undefined } : { cursorMark: token ?? '*' };
  const span = { from: instantOf(from), to: instantOf(to) };
  return {
    ...scan.query,
    limit: size,
    ...scan.dates(span),
    ...(scan.by === 'cursor' ? {} : paging),
  };
}

/** @returns null at the end */
function nextOf(
  scan: Scan,
  at: string | null,
  { rows, total, mark, cursor }: Listed,
): string | null {
  if (rows === 0) return null;
  if (scan.by === 'cursor') return cursor;
  if (scan.by === 'mark') return mark === at ? null : mark;
  const seen = nextOffset(at, rows);
  return seen === null || Number(seen) >= (total ?? Number.POSITIVE_INFINITY) ? null : seen;
}

function nextOffset(at: string | null, rows: number): string | null {
  const seen = Number(at ?? 0) + rows;
  return seen > DEEPEST_OFFSET ? null : String(seen);
}

/** The next part of the span may be twice as long: the shop was quieter than feared. */
function following(position: Position, { span }: Scan, place: Place): Position {
  const next = behind(place, span.to.epochMilliseconds);
  return next ? at(position, next) : startOf(position.shape, position.scan + 1, false);
}

async function readOrders(_call: WalmartCall, _pass: Pass, answer: WireAnswer): Promise<Listed> {
  const { fetchedAt } = answer;
  const { rows, meta } = OrderPage.parse(documentOrNull(answer));
  return {
    items: rows.map((row) => readOne(row, () => toSourceOrder(row, null, fetchedAt), orderIdOf)),
    ...listedOf(rows, meta),
  };
}

/**
 * Of returns that are under way or ended since the last pass, the orders, with all that came back
 * of them.
 */
async function readReturned(
  call: WalmartCall,
  { window }: Pass,
  answer: WireAnswer,
): Promise<Listed> {
  const { returnOrders: rows, meta } = ReturnPage.parse(documentOrNull(answer));
  const ids = [...new Set(rows.flatMap((row) => ordersOfReturn(row, window.from)))];
  const items = await Promise.all(ids.map((id) => apart(id, () => readOrder(call, id))));
  return { items: items.flat(), ...listedOf(rows, meta) };
}

function listedOf(rows: readonly unknown[], meta: OrderPage['meta']): Omit<Listed, 'items'> {
  return {
    rows: rows.length,
    total: meta?.totalCount ?? null,
    limit: meta?.limit ?? null,
    mark: meta?.nextCursorMark ?? null,
    cursor: meta?.nextCursor || null,
  };
}

/** A list by status leaves out what ended long after it was placed. */
async function readOpen(
  call: WalmartCall,
  pass: Pass,
  position: Position,
): Promise<Page<SourceOrder>> {
  const ids = await pass.nonFinalIds(position.after, OPEN_AT_ONCE);
  const items = (await Promise.all(ids.map((id) => apart(id, () => readOrder(call, id))))).flat();
  const isEnd = ids.length < OPEN_AT_ONCE;
  return { items, next: isEnd ? null : pack({ ...position, after: ids.at(-1) ?? null }) };
}

/**
 * Where a single order may be found: there is no call for one in Mexico, and each list leaves some
 * out.
 */
const PLACES: readonly { path: string; filterOf(id: string): Query }[] = [
  { path: '/v3/orders', filterOf: (purchaseOrderId) => ({ purchaseOrderId }) },
  { path: '/v3/orders/wfsorders', filterOf: (customerOrderId) => ({ customerOrderId }) },
  {
    path: '/v3/orders',
    filterOf: (purchaseOrderId) => ({ purchaseOrderId, shipNodeType: 'WFSFulfilled' }),
  },
];

async function readOrder(call: WalmartCall, id: string): Promise<Read<SourceOrder>[]> {
  for (const { path, filterOf } of PLACES) {
    const answer = await call.request({
      method: 'GET',
      path,
      query: filterOf(id),
      expect: [400, 404],
    });
    // Of the other generation's lists, or an id that cannot be one there.
    if (answer.status >= 400) continue;
    const { rows } = OrderPage.parse(documentOrNull(answer));
    // A list that does not know the filter answers with others.
    const row = rows.find((one) => orderIdOf(one) === id);
    if (row !== undefined) return [await withReturns(call, row, answer.fetchedAt)];
  }
  return [];
}

async function withReturns(
  call: WalmartCall,
  row: unknown,
  fetchedAt: Instant,
): Promise<Read<SourceOrder>> {
  const asked = askedReturnsOf(row);
  const returns = asked ? await readReturns(call, asked) : null;
  return readOne(row, () => toSourceOrder(row, returns, fetchedAt), orderIdOf);
}

/**
 * @returns null where one of them could not be understood, so that nothing is taken for less than
 * it is
 */
async function readReturns(
  call: WalmartCall,
  { customerOrderId, isWfs }: { customerOrderId: string; isWfs: boolean },
): Promise<readonly unknown[] | null> {
  const answer = await call.request({
    method: 'GET',
    path: '/v3/returns',
    query: { customerOrderId, limit: 100, ...(isWfs && { isWFSEnabled: 'Y' }) },
    rate: 'returns',
    expect: [404],
  });
  if (answer.status === 404) return [];
  const { returnOrders } = ReturnPage.parse(documentOrNull(answer));
  return returnOrders.every((row) => Return.safeParse(row).success) ? returnOrders : null;
}

export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  const { order, returns } = storedParts(parseOrNull(raw));
  return readOne(order, () => toSourceOrder(order, returns, fetchedAt), orderIdOf);
}

function isWholeHistory(pass: Pass): boolean {
  const { from } = pass.window;
  return from === null || Temporal.Instant.compare(from, daysBefore(pass, HISTORY_DAYS - 1)) <= 0;
}

function sinceOf(pass: Pass): Span {
  return { from: pass.window.from ?? daysBefore(pass, HISTORY_DAYS), to: pass.window.to };
}

function sinceRecently(pass: Pass): Span {
  const [recently, { from, to }] = [daysBefore(pass, RECENT_DAYS), sinceOf(pass)];
  return { from: Temporal.Instant.compare(from, recently) < 0 ? from : recently, to };
}

function daysBefore({ window }: Pass, days: number): Instant {
  return window.to.subtract({ hours: 24 * days });
}

function seconds(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / 1_000);
}

function instantOf(millis: number): Instant {
  return Temporal.Instant.fromEpochMilliseconds(millis);
}

function startOf(shape: Position['shape'], scan: number, begun: boolean): Position {
  return { shape, scan, begun, span: null, at: null, after: null };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
