import { z } from 'zod';
import type { Instant } from '../../platform/time.ts';
import { documentOf, documentOrNull } from '../answer-document.ts';
import type { Call, WireAnswer } from '../contract.ts';
import { Rows } from '../lists.ts';
import type { PagePosition } from '../paging.ts';
import { nameIn } from '../read-rows.ts';
import type { TiendanubeCredentials } from './credentials.ts';

export type TiendanubeCall = Call<TiendanubeCredentials>;

/** It gives 200 at most, of which each may be long. */
export const PAGE_SIZE = 100;

export interface Listed {
  readonly rows: readonly unknown[];
  /** Of all pages; null = it does not say. */
  readonly total: number | null;
  readonly hasNext: boolean;
  readonly fetchedAt: Instant;
}

/**
 * One page of a list. Behind the last page, and where there is nothing at all, it answers 404;
 * any other 404 is a refusal, as of a store that is gone.
 */
export async function askPage(
  call: TiendanubeCall,
  path: string,
  { page, size }: PagePosition,
  filters: Readonly<Record<string, string | undefined>> = {},
  nothing: readonly number[] = [],
): Promise<Listed> {
  const query = { ...filters, page, per_page: size };
  const answer = await call.request({
    method: 'GET',
    path,
    query,
    expect: nothing,
  });
  const { status, headers, fetchedAt } = answer;
  if (status === 404 || nothing.includes(status))
    return { rows: [], total: null, hasNext: false, fetchedAt };
  const rows = Rows.parse(documentOf(answer));
  const total = /^\d+$/.test(headers['x-total-count'] ?? '')
    ? Number(headers['x-total-count'])
    : null;
  const isAll = rows.length === 0 || (page === 1 && rows.length === total);
  const isReported = headers.link === undefined || /\brel="?next\b/.test(headers.link);
  return { rows, total, hasNext: !isAll && isReported, fetchedAt };
}

/** Whether an answer says that the list ends before the page that was asked for. */
export function isBehindLast(answer: WireAnswer): boolean {
  if (answer.status !== 404) return false;
  const { description = '' } = Described.safeParse(documentOrNull(answer)).data ?? {};
  return /^last page is \d+/i.test(description);
}

const Described = z.object({ description: z.string() });

/** @returns null where it does not exist (any more) */
export async function askOne(
  call: TiendanubeCall,
  path: string,
  query: Record<string, string | undefined>,
) {
  const answer = await call.request({ method: 'GET', path, query, expect: [404] });
  return answer.status === 404 ? null : { row: documentOf(answer), fetchedAt: answer.fetchedAt };
}

/**
 * The id of the one row at a position, for a row that is too large to be asked for; null = there is
 * none.
 */
export async function askId(
  call: TiendanubeCall,
  path: string,
  position: PagePosition,
  filters: Readonly<Record<string, string | undefined>> = {},
): Promise<{ readonly id: string | null; readonly listed: Listed }> {
  const listed = await askPage(call, path, position, {
    ...filters,
    aggregates: undefined,
    fields: 'id',
  });
  return { id: nameIn(listed.rows[0], 'id'), listed };
}
