import { formatMillis, type Instant } from '../../platform/time.ts';
import { documentOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Page, SourceOrder, Stream, StreamRequest } from '../contract.ts';
import {
  behind,
  halfOf,
  type Span as PlainSpan,
  spanInPagesOf,
  type TokenPosition,
} from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import type { WalmartCredentials } from './credentials.ts';
import {
  DEEPEST_OFFSET,
  daysBefore,
  HISTORY_DAYS,
  type Listed,
  PAGE_SIZE,
  type Scan,
  type Shape,
  scansOf,
} from './order-lists.ts';
import { type Query, readOrder, type WalmartCall } from './read-order.ts';
import { OrderPage } from './wire.ts';

type Part = PlainSpan & TokenPosition;

const OPEN_AT_ONCE = 20;
const PROBE = 1;
/** Milliseconds; dates are whole seconds, so that shorter spans are empty. */
const SHORTEST = 2_000;

/**
 * The position of a sync run. `begun` is false for an empty page that keeps two lists with equal rows
 * apart.
 */
interface Position {
  readonly shape: Shape;
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

  async page(call, request) {
    if (request.position === null) {
      const shape = await shapeOf(call, request);
      return { items: [], next: shape && pack(startOf(shape, 0, false)) };
    }
    const position: Position = JSON.parse(request.position);
    const scan = scansOf(position.shape, request)[position.scan];
    if (!scan) return readOpen(call, request, position);
    if (!position.begun) return { items: [], next: pack({ ...position, begun: true }) };
    return readScan(call, request, position, scan);
  },

  async tooLarge(call, request) {
    // The order that was read to find the generation; the lists set it aside.
    if (request.position === null)
      return {
        items: [],
        next: pack(startOf(call.credentials.global_version ? 'global' : 'legacy', 0, false)),
      };
    const position: Position = JSON.parse(request.position);
    const scan = scansOf(position.shape, request)[position.scan];
    return scan ? behindLarge(request, position, scan) : null;
  },

  /** Its lists hold whole orders; without stored ids its pages request nothing else. */
  async ids(call, request) {
    const { items, next } = await orders.page(call, request);
    return { ids: items.map((read) => (read.ok ? read.item.id : read.externalId)), next };
  },

  one: readOrder,
};

/**
 * Which generation answers, by its content; null = there is no order anywhere. The old one lists
 * 180 days where no dates are given, the new one seven and by kind of fulfilment, and says 404
 * where there are none.
 */
async function shapeOf(call: WalmartCall, request: StreamRequest): Promise<Shape | null> {
  const createdStartDate = formatMillis(daysBefore(request, HISTORY_DAYS));
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

async function readScan(
  call: WalmartCall,
  request: StreamRequest,
  position: Position,
  scan: Scan,
): Promise<Page<SourceOrder>> {
  const part = partOf(request, position, scan);
  const listed = await ask(call, request, scan, queryOf(scan, part));
  if (part.token === null && (listed.total ?? 0) > scan.most) {
    const narrower = halfOf(part, SHORTEST);
    if (narrower) return { items: [], next: pack(at(position, narrower)) };
  }
  // The page of another query: the position does not move, and the engine reports it.
  if (part.token === null && isOther(scan, part, listed))
    return { items: listed.items, next: pack(position) };
  const token = nextOf(scan, part.token, listed);
  const next = token === null ? following(position, scan, part) : at(position, { ...part, token });
  return { items: listed.items, next: pack(next) };
}

/**
 * By offset one row is left out; a mark and a cursor come with the page that cannot be read, so
 * that a span is.
 */
function behindLarge(request: StreamRequest, position: Position, scan: Scan): Page<SourceOrder> {
  const part = partOf(request, position, scan);
  const narrower = scan.by === 'offset' ? null : halfOf(part, SHORTEST);
  if (narrower) return { items: [], next: pack(at(position, narrower)) };
  const token = scan.by === 'offset' ? nextOffset(part.token, 1) : null;
  const next = token === null ? following(position, scan, part) : at(position, { ...part, token });
  return { items: [tooLargeIn(scan.path)], next: pack(next) };
}

/** An offset leads on in pages of any size. */
function partOf({ limit: most }: StreamRequest, position: Position, scan: Scan): Part {
  const [from, to] = position.span ?? [
    scan.span.from.epochMilliseconds,
    scan.span.to.epochMilliseconds,
  ];
  const part = { from, to, token: position.at, size: position.size ?? scan.limit };
  const limit = Math.min(most, scan.limit);
  return scan.by === 'offset' ? { ...part, size: limit } : spanInPagesOf(limit, part, SHORTEST);
}

function at(position: Position, { from, to, token, size }: Part): Position {
  return { ...position, span: [from, to], at: token, size };
}

/**
 * The single order that showed the generation, repeated; or a page that says there is more, but not
 * where.
 */
function isOther({ by }: Scan, { size }: Part, { rows, total, limit, cursor }: Listed): boolean {
  return (limit === PROBE && size !== PROBE) || (by === 'cursor' && !cursor && (total ?? 0) > rows);
}

async function ask(
  call: WalmartCall,
  request: StreamRequest,
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
  return answer.status === 404 ? NOTHING : read(call, request, answer);
}

function queryOf(scan: Scan, { from, to, token, size }: Part): Query {
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

/** The next part of the span may be twice as long: the shop had fewer orders than expected. */
function following(position: Position, { span }: Scan, part: Part): Position {
  const next = behind(part, span.to.epochMilliseconds);
  return next ? at(position, next) : startOf(position.shape, position.scan + 1, false);
}

/** A list by status leaves out what ended long after it was placed. */
async function readOpen(
  call: WalmartCall,
  request: StreamRequest,
  position: Position,
): Promise<Page<SourceOrder>> {
  const ids = await request.nonFinalIds(position.after, OPEN_AT_ONCE);
  const items = (await Promise.all(ids.map((id) => apart(id, () => readOrder(call, id))))).flat();
  const isEnd = ids.length < OPEN_AT_ONCE;
  return { items, next: isEnd ? null : pack({ ...position, after: ids.at(-1) ?? null }) };
}

function instantOf(millis: number): Instant {
  return Temporal.Instant.fromEpochMilliseconds(millis);
}

function startOf(shape: Shape, scan: number, begun: boolean): Position {
  return { shape, scan, begun, span: null, at: null, after: null };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
