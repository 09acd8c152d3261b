import { formatMillis, type Instant } from '../../platform/time.ts';
import { documentOrNull } from '../answer-document.ts';
import { apart } from '../apart.ts';
import type { Read, SourceOrder, StreamRequest, WireAnswer } from '../contract.ts';
import { readOne } from '../read-rows.ts';
import { type Query, readOrder, type WalmartCall } from './read-order.ts';
import { OrderPage, orderIdOf, ordersOfReturn, ReturnPage, toSourceOrder } from './wire.ts';

/** The generation of the API that answers. */
export type Shape = 'legacy' | 'global';

/** How long Walmart keeps orders. */
export const HISTORY_DAYS = 180;
/** Orders that ended are listed again for so long; older open ones are requested by id. */
const RECENT_DAYS = 30;
/** The most rows that any of the lists gives. */
export const PAGE_SIZE = 200;
export const DEEPEST_OFFSET = 1_000;
const MOST_GLOBAL = 10_000;

/** One list to be walked. */
export interface Scan {
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
  read(call: WalmartCall, request: StreamRequest, answer: WireAnswer): Promise<Listed>;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export interface Listed {
  readonly items: readonly Read<SourceOrder>[];
  readonly rows: number;
  readonly total: number | null;
  readonly limit: number | null;
  readonly mark: string | null;
  readonly cursor: string | null;
}

export function scansOf(shape: Shape, request: StreamRequest): readonly Scan[] {
  if (shape === 'global')
    return [globalScan(request, 'SellerFulfilled'), globalScan(request, 'WFSFulfilled')];
  const isWhole = isWholeHistory(request);
  const own = offsetScan('/v3/orders', 100, sinceOf(request));
  const wfs = offsetScan(
    '/v3/orders/wfsorders',
    200,
    isWhole ? sinceOf(request) : sinceRecently(request),
  );
  const changed = isWhole ? [] : STATUSES.map(({ word, days }) => statusScan(request, word, days));
  return [
    own,
    ...changed,
    wfs,
    returnScan(request, {}),
    returnScan(request, { isWFSEnabled: 'Y' }),
  ];
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
function statusScan(request: StreamRequest, statusCodeFilter: string, days: number): Scan {
  return {
    path: '/v3/orders/cursor',
    by: 'mark',
    query: { statusCodeFilter },
    limit: 100,
    span: { from: daysBefore(request, days), to: request.window.to },
    dates: ({ from, to }) => ({
      createdStartDate: formatMillis(from),
      createdEndDate: formatMillis(to),
    }),
    most: Number.POSITIVE_INFINITY,
    read: readOrders,
  };
}

function returnScan(request: StreamRequest, query: Query): Scan {
  const span = isWholeHistory(request) ? sinceOf(request) : sinceRecently(request);
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
function globalScan(request: StreamRequest, shipNodeType: string): Scan {
  return {
    path: '/v3/orders',
    by: 'cursor',
    query: { shipNodeType, createdStartDate: formatMillis(daysBefore(request, HISTORY_DAYS)) },
    limit: PAGE_SIZE,
    span: sinceOf(request),
    dates: ({ from, to }) => ({
      lastModifiedStartDate: formatMillis(from),
      lastModifiedEndDate: formatMillis(to),
    }),
    most: MOST_GLOBAL,
    read: readOrders,
  };
}

async function readOrders(
  _call: WalmartCall,
  _pass: StreamRequest,
  answer: WireAnswer,
): Promise<Listed> {
  const { fetchedAt } = answer;
  const { rows, meta } = OrderPage.parse(documentOrNull(answer));
  return {
    items: rows.map((row) => readOne(row, () => toSourceOrder(row, null, fetchedAt), orderIdOf)),
    ...listedOf(rows, meta),
  };
}

/**
 * Of returns that are under way or ended since the last sync run, the orders, with all that came back
 * of them.
 */
async function readReturned(
  call: WalmartCall,
  { window }: StreamRequest,
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

function isWholeHistory(request: StreamRequest): boolean {
  const { from } = request.window;
  return (
    from === null || Temporal.Instant.compare(from, daysBefore(request, HISTORY_DAYS - 1)) <= 0
  );
}

function sinceOf(request: StreamRequest): Span {
  return { from: request.window.from ?? daysBefore(request, HISTORY_DAYS), to: request.window.to };
}

function sinceRecently(request: StreamRequest): Span {
  const [recently, { from, to }] = [daysBefore(request, RECENT_DAYS), sinceOf(request)];
  return { from: Temporal.Instant.compare(from, recently) < 0 ? from : recently, to };
}

export function daysBefore({ window }: StreamRequest, days: number): Instant {
  return window.to.subtract({ hours: 24 * days });
}

function seconds(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / 1_000);
}
