import type { Instant } from '../../platform/time.ts';
import { documentOf } from '../answer-document.ts';
import type { Call, CallOptions } from '../contract.ts';
import { Rows } from '../lists.ts';
import type { WooCommerceCredentials } from './credentials.ts';
import { idOf } from './wire.ts';

/**
 * Half of the most: a hundred orders with the data of their plugins are more than many a host has
 * time for.
 */
export const PAGE_SIZE = 50;

/** Where a list was left off. */
export interface OffsetPosition {
  readonly offset: number;
  /**
   * Id of the last row that was read, with which the next page begins; null = nothing to hold on
   * to.
   */
  readonly last: number | null;
}

interface RowPage {
  readonly rows: readonly unknown[];
  readonly fetchedAt: Instant;
  /** Rows of the whole list; null = the store does not say. */
  readonly total: number | null;
  /** Null = that was the last one. */
  readonly next: OffsetPosition | null;
}

export const START: OffsetPosition = { offset: 0, last: null };

/**
 * A page of a list by id, of so many rows at most. Each begins with the last row of the one before:
 * where a row left the list meanwhile, the page begins too late, and the answer is no rows and a
 * position further back.
 */
export async function askPage(
  call: Call<WooCommerceCredentials>,
  path: string,
  position: OffsetPosition,
  limit: number,
  query: CallOptions['query'] & { readonly order: 'asc' | 'desc' },
): Promise<RowPage> {
  const { offset, last } = position;
  const answer = await call.request({
    method: 'GET',
    path,
    query: { ...query, orderby: 'id', per_page: limit, offset },
  });
  const { fetchedAt } = answer;
  const total = totalOf(answer.headers['x-wp-total']);
  // Of something that was deleted meanwhile nothing is left to list.
  const rows = answer.status === 404 ? [] : Rows.parse(documentOf(answer));
  const way = query.order === 'asc' ? 1 : -1;
  const steps = rows.flatMap((row) => idOf(row) ?? []).map((id) => id * way);
  if (last !== null && !steps.some((step) => step <= last * way))
    return {
      rows: [],
      fetchedAt,
      total,
      next: { offset: Math.max(0, offset - limit), last: offset > limit ? last : null },
    };

  const seen = offset + rows.length;
  const isEnd = rows.length === 0 || (total === null ? rows.length < limit : seen >= total);
  if (isEnd) return { rows, fetchedAt, total, next: null };
  const next =
    steps.length > 1
      ? { offset: seen - 1, last: Math.max(...steps) * way }
      : { offset: seen, last: null };
  return { rows, fetchedAt, total, next };
}

/** Some caches leave it out. */
function totalOf(header: string | undefined): number | null {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : null;
}

/**
 * The id of the one row at a position, for a row that is too large to be asked for; null = there is
 * none.
 */
export async function askId(
  call: Call<WooCommerceCredentials>,
  path: string,
  position: OffsetPosition,
  query: CallOptions['query'] & { readonly order: 'asc' | 'desc' },
): Promise<{ readonly id: string | null; readonly next: OffsetPosition | null }> {
  const { rows, next } = await askPage(call, path, { ...position, last: null }, 1, {
    ...query,
    _fields: 'id',
  });
  const id = idOf(rows[0]);
  return { id: id === null ? null : String(id), next };
}
