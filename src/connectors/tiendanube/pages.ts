import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import type { Instant } from '../../platform/time.ts';
import type { Call } from '../contract.ts';
import type { TiendanubeCredentials } from './credentials.ts';

export type TiendanubeCall = Call<TiendanubeCredentials>;

/** It gives 200 at most, of which each may be long. */
const PAGE_SIZE = 100;

export interface Listed {
  readonly rows: readonly unknown[];
  /** Of all pages; null = it does not say. */
  readonly total: number | null;
  readonly hasNext: boolean;
  readonly fetchedAt: Instant;
}

/** One page of a list, the first being 1. Behind the last page, and where there is nothing at all, it answers 404. */
export async function askPage(
  call: TiendanubeCall,
  path: string,
  page: number,
  filters: Readonly<Record<string, string | undefined>> = {},
  nothing: readonly number[] = [404],
): Promise<Listed> {
  const query = { ...filters, page, per_page: PAGE_SIZE };
  const { status, headers, body, fetchedAt } = await call.request({
    method: 'GET',
    path,
    query,
    expect: nothing,
  });
  if (nothing.includes(status)) return { rows: [], total: null, hasNext: false, fetchedAt };
  const rows = z.array(z.unknown()).parse(parseLossless(body));
  const total = /^\d+$/.test(headers['x-total-count'] ?? '') ? Number(headers['x-total-count']) : null;
  const isAll = rows.length === 0 || (page === 1 && rows.length === total);
  const isTold = headers.link === undefined || /\brel="?next\b/.test(headers.link);
  return { rows, total, hasNext: !isAll && isTold, fetchedAt };
}

/** @returns null where it does not exist (any more) */
export async function askOne(call: TiendanubeCall, path: string, query: Record<string, string | undefined>) {
  const { status, body, fetchedAt } = await call.request({ method: 'GET', path, query, expect: [404] });
  return status === 404 ? null : { row: parseLossless(body), fetchedAt };
}
