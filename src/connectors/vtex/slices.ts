import { formatMillis } from '../../platform/time.ts';
import type { Call, Window } from '../contract.ts';
import { inPagesOf, type PagePosition } from '../paging.ts';
import type { VtexCredentials } from './credentials.ts';
import { OrderList } from './wire.ts';

/**
 * A span of time short enough for the list, epoch milliseconds, and the page of it that is next.
 */
export interface Slice extends PagePosition {
  readonly from: number;
  readonly to: number;
  /** Where the last slice ends. */
  readonly end: number;
}

export const PAGE_SIZE = 100;
/** The last page that VTEX serves; later pages are refused. */
const MOST_PAGES = 30;
const SHORTEST = 1_000;
/** The list knows the last two years. */
const HISTORY = 731 * 86_400_000;

/** The first slice of a window is all of it. */
export function sliceOf({ from, to }: Window): Slice {
  const end = to.epochMilliseconds;
  return { from: from?.epochMilliseconds ?? end - HISTORY, to: end, end, page: 1, size: PAGE_SIZE };
}

/**
 * One page of the list, of so many rows at most, oldest creation first.
 * @returns no rows and a shorter slice where the list would not reach all; `total` = rows of the
 * asked slice, null = it was not asked for
 */
export async function readSlice(
  call: Call<VtexCredentials>,
  date: 'creationDate' | 'invoicedDate',
  asked: Slice,
  limit: number,
): Promise<{ rows: readonly unknown[]; total: number | null; next: Slice | null }> {
  const slice = sliceInPages(limit, asked);
  const { from, to, page, size } = slice;
  if (page > MOST_PAGES) return { rows: [], total: null, next: halfOf(slice) ?? following(slice) };
  const { list, paging } = await call.get('/api/oms/pvt/orders', OrderList, {
    query: {
      [`f_${date}`]: `${date}:[${iso(from)} TO ${iso(to)}]`,
      orderBy: 'creationDate,asc',
      page,
      per_page: size,
    },
  });
  const most = MOST_PAGES * size;
  const shorter = paging.total >= most ? halfOf(slice) : null;
  const { total } = paging;
  if (shorter) return { rows: [], total, next: shorter };
  const isRead = list.length === 0 || page * size >= Math.min(paging.total, most);
  return { rows: list, total, next: isRead ? following(slice) : { ...slice, page: page + 1 } };
}

/** The position after the first row of the slice's page. */
export function behindLarge(slice: Slice): Slice {
  const { page, ...rest } = sliceInPages(1, slice);
  return { ...rest, page: page + 1 };
}

/** Positions of an older release do not say their size. */
function sliceInPages(limit: number, slice: Slice): Slice {
  return inPagesOf(limit, { ...slice, size: slice.size ?? PAGE_SIZE });
}

/** @returns null where there is nothing left to halve */
function halfOf(slice: Slice): Slice | null {
  const { from, to } = slice;
  return to - from > SHORTEST ? { ...slice, to: Math.floor((from + to) / 2), page: 1 } : null;
}

/** A crowded hour makes slices short, and quiet ones make them longer again. */
function following({ from, to, end, size }: Slice): Slice | null {
  return to >= end
    ? null
    : { from: to, to: Math.min(end, to + 2 * (to - from)), end, page: 1, size };
}

function iso(at: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(at));
}
