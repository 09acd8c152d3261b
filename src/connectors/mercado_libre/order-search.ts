import { formatMillis, type Instant } from '../../platform/time.ts';
import type { Call, Page, StreamRequest, Window } from '../contract.ts';
import { tooLargeIn } from '../too-large.ts';
import type { MercadoLibreCredentials } from './credentials.ts';
import { rowKeyOf, SearchPage } from './wire.ts';

type MercadoLibreCall = Call<MercadoLibreCredentials>;

export const PAGE_SIZE = 50;
/** Deep offsets fail at about 10,000; a window with more orders than this is halved long before. */
const MOST_IN_WINDOW = 1_000;
const DEEPEST_OFFSET = 9_950;
/** Rows shift while paging, so each page of more rows overlaps the page before by so many. */
const ANCHORS = 3;
/** How often the search steps back in the window where no anchor is found. */
const MOST_LOST = 3;
/** How often a page is requested whose answer has another offset. */
const SEARCHES = 3;
/** Orders are kept for twelve months. */
const HISTORY_DAYS = 367;
const HOUR = 3_600_000;

export interface SearchPosition {
  readonly phase: 'search';
  /** By the time of the index; null = everything, as in a first import. */
  readonly updated: Hours | null;
  /** By the time of creation, within an hour of the index with too many orders. */
  readonly created: Hours | null;
  readonly offset: number;
  /** The last rows that were read, by `rowKeyOf`. */
  readonly last: readonly string[];
  readonly lost: number;
  readonly isGoingBack: boolean;
}

/** A span of whole hours; date filters ignore anything smaller. */
interface Hours {
  readonly at: number;
  readonly hours: number;
}

/** The result of one search; `next` null = that was all. */
interface Found {
  readonly rows: readonly unknown[];
  readonly fetchedAt: Instant;
  /** Of everything; absent = the search is of a part. */
  readonly total?: number;
  readonly next: SearchPosition | null;
}

/** One page of the orders that changed in the window, as rows. */
export async function searchOrders(
  call: MercadoLibreCall,
  request: StreamRequest,
  from: SearchPosition | null,
): Promise<Found> {
  const position = from ?? start(request);
  const found = await search(call, request, position);
  // Each answer had another offset: the position does not move, and the engine reports it.
  if (!found) return nothing(call, position);
  const { rows, total, fetchedAt } = found;
  const ofAll = position.updated === null ? { total } : {};
  if (total > MOST_IN_WINDOW) {
    const narrower = halve(position, request);
    if (narrower) return { ...nothing(call, narrower), ...ofAll };
  }
  const keys = rows.map(rowKeyOf);
  const anchors = Math.min(ANCHORS, request.limit - 1);
  const isLost = position.last.length > 0 && !position.last.some((key) => keys.includes(key));
  if (isLost && position.offset > 0 && (position.isGoingBack || position.lost < MOST_LOST))
    return nothing(call, stepBack(position, request.limit - anchors));

  const fresh = rows.filter((_, index) => !position.last.includes(keys[index] ?? ''));
  const seen = position.offset + rows.length;
  const last = anchors > 0 && rows.length > anchors ? keys.slice(-anchors) : [];
  const offset = seen - last.length;
  const isEnd = rows.length === 0 || seen >= Math.min(total, DEEPEST_OFFSET);
  const forward = { ...position, offset, last, isGoingBack: false };
  return {
    rows: fresh,
    fetchedAt,
    ...ofAll,
    next: isEnd ? nextWindow(position, request) : forward,
  };
}

/** The position after the one row at the offset, whose id only its oversized answer contains. */
export function behindLarge(request: StreamRequest, from: SearchPosition | null): Page<never> {
  const { offset, ...position } = from ?? start(request);
  return {
    items: [tooLargeIn('/orders/search')],
    next: JSON.stringify({ ...position, offset: offset + 1, last: [], isGoingBack: false }),
  };
}

/** A first import searches without dates. */
function start({ window }: StreamRequest): SearchPosition {
  return searchOf(window.from ? hoursBetween(hourOf(window.from), window) : null, null);
}

function nothing(call: MercadoLibreCall, next: SearchPosition): Found {
  return { rows: [], fetchedAt: call.now(), next };
}

interface Searched {
  readonly rows: readonly unknown[];
  readonly total: number;
  readonly fetchedAt: Instant;
}

/** @returns null when the answers were pages of other offsets than the requested one */
async function search(
  call: MercadoLibreCall,
  request: StreamRequest,
  position: SearchPosition,
  attempts = SEARCHES,
): Promise<Searched | null> {
  const { offset } = position;
  const query = {
    seller: call.credentials.user_id,
    sort: 'date_asc',
    limit: request.limit,
    offset,
    ...filterOf('order.date_last_updated', position.updated, request),
    ...filterOf('order.date_created', position.created, request),
  };
  const fetchedAt = call.now();
  const { results, paging } = await call.get('/orders/search', SearchPage, { query });
  if (paging.offset === null || paging.offset === offset)
    return { rows: results, total: paging.total, fetchedAt };
  return attempts > 1 ? search(call, request, position, attempts - 1) : null;
}

/** The last window has no end, so that a clock ahead of ours hides nothing. */
function filterOf(
  name: string,
  span: Hours | null,
  { window }: StreamRequest,
): Record<string, string> {
  if (!span) return {};
  const end = span.at + span.hours * HOUR;
  const isLast = end > hourOf(window.to);
  return { [`${name}.from`]: isoHour(span.at), ...(!isLast && { [`${name}.to`]: isoHour(end) }) };
}

function searchOf(updated: Hours | null, created: Hours | null): SearchPosition {
  return { phase: 'search', updated, created, offset: 0, last: [], lost: 0, isGoingBack: false };
}

/** Half as many hours; @returns null where there is nothing left to halve. */
function halve(
  { updated, created }: SearchPosition,
  { window }: StreamRequest,
): SearchPosition | null {
  const history = hoursBetween(hourOf(window.to) - HISTORY_DAYS * 24 * HOUR, window);
  if (!updated) return searchOf(history, null);
  if (updated.hours > 1) return searchOf(half(updated), null);
  const narrower = created ?? history;
  return narrower.hours > 1 ? searchOf(updated, half(narrower)) : null;
}

function half({ at, hours }: Hours): Hours {
  return { at, hours: Math.floor(hours / 2) };
}

/** For rows that shifted towards the beginning, or anchors that moved away. */
function stepBack(position: SearchPosition, rows: number): SearchPosition {
  const offset = Math.max(0, position.offset - Math.max(1, rows));
  const lost = position.isGoingBack ? position.lost : position.lost + 1;
  return { ...position, offset, lost, isGoingBack: true };
}

/** The next window may be twice as long: the shop had fewer orders than expected. */
function nextWindow(
  { updated, created }: SearchPosition,
  { window }: StreamRequest,
): SearchPosition | null {
  const moreCreated = created && following(created, window);
  if (moreCreated) return searchOf(updated, moreCreated);
  const moreUpdated = updated && following(updated, window);
  return moreUpdated && searchOf(moreUpdated, null);
}

function following({ at, hours }: Hours, window: Window): Hours | null {
  const left = hoursBetween(at + hours * HOUR, window);
  return left.hours > 0 ? { at: left.at, hours: Math.min(left.hours, hours * 2) } : null;
}

/**
 * Up to and including the hour after the window's end, since an upper bound is cut to the hour too.
 */
function hoursBetween(at: number, { to }: Window): Hours {
  return { at, hours: Math.max(0, (hourOf(to) - at) / HOUR + 1) };
}

function hourOf(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / HOUR) * HOUR;
}

function isoHour(epochMilliseconds: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}
