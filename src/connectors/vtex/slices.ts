import { formatMillis } from '../../platform/time.ts';
import type { Call, Window } from '../contract.ts';
import type { VtexCredentials } from './credentials.ts';
import { OrderList } from './wire.ts';

/** A span of time short enough for the list, epoch milliseconds, and the page of it that is next. */
export interface Slice {
  readonly from: number;
  readonly to: number;
  /** Where the last slice ends. */
  readonly end: number;
  readonly page: number;
}

const PAGE_SIZE = 100;
/** Page 31 is refused, so nothing stands behind these. */
const MOST_ROWS = 30 * PAGE_SIZE;
const SHORTEST = 1_000;
/** The list knows the last two years. */
const HISTORY = 731 * 86_400_000;

/** The first slice of a window is all of it. */
export function sliceOf({ from, to }: Window): Slice {
  const end = to.epochMilliseconds;
  return { from: from?.epochMilliseconds ?? end - HISTORY, to: end, end, page: 1 };
}

/** One page of the list, oldest creation first. @returns no rows and a shorter slice where the list would not reach all */
export async function readSlice(
  call: Call<VtexCredentials>,
  date: 'creationDate' | 'invoicedDate',
  slice: Slice,
): Promise<{ rows: readonly unknown[]; next: Slice | null }> {
  const { from, to, page } = slice;
  const { list, paging } = await call.get('/api/oms/pvt/orders', OrderList, {
    query: {
      [`f_${date}`]: `${date}:[${iso(from)} TO ${iso(to)}]`,
      orderBy: 'creationDate,asc',
      page,
      per_page: PAGE_SIZE,
    },
  });
  if (paging.total >= MOST_ROWS && to - from > SHORTEST)
    return { rows: [], next: { ...slice, to: Math.floor((from + to) / 2), page: 1 } };
  const isRead = list.length === 0 || page * PAGE_SIZE >= Math.min(paging.total, MOST_ROWS);
  return { rows: list, next: isRead ? following(slice) : { ...slice, page: page + 1 } };
}

/** A crowded hour makes slices short, and quiet ones make them longer again. */
function following({ from, to, end }: Slice): Slice | null {
  return to >= end ? null : { from: to, to: Math.min(end, to + 2 * (to - from)), end, page: 1 };
}

function iso(at: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(at));
}
