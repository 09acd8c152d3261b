import { formatMillis } from '../../platform/time.ts';
import { documentOrNull } from '../answer-document.ts';
import type { Call, CallOptions, StreamRequest } from '../contract.ts';
import { behind, type Span } from '../token-paging.ts';
import type { AmazonCredentials } from './credentials.ts';
import { isAboutToken, MEXICO } from './wire.ts';
import { TransactionPage } from './wire-finances.ts';

type AmazonCall = Call<AmazonCredentials>;

export const TRANSACTIONS = '/finances/2024-06-19/transactions';
const HISTORY_DAYS = 730;
const HOUR = 3_600_000;
/** Upper bounds must be at least two minutes before now. */
const SETTLING_MS = 120_000;
/** Tokens live a day. */
const TOKEN_MS = 23 * HOUR;
/** Transactions appear in Finances with this delay. */
export const LATE_MS = 48 * HOUR;
/** A longer window gets an empty answer without an error: the limit is 180 days. */
const LONGEST_WINDOW_MS = 179 * 24 * HOUR;
/** The shortest window. */
export const SHORTEST_MS = 1_000;

export const HISTORY = { days: HISTORY_DAYS };

/** A part of the list of transactions. */
export interface TransactionSpan extends Span {
  /** When the token was issued, epoch milliseconds. */
  readonly at: number;
}

export function transactionsFrom(from: number, request: StreamRequest): TransactionSpan {
  return { from, to: Math.min(from + LONGEST_WINDOW_MS, endOf(request)), token: null, at: 0 };
}

/** The next window, up to twice as long; null = that was the last one. */
export function transactionsBehind(
  part: TransactionSpan,
  request: StreamRequest,
): TransactionSpan | null {
  const next = behind(part, endOf(request));
  if (!next) return null;
  const { from, to } = next;
  return { ...transactionsFrom(from, request), to: Math.min(to, from + LONGEST_WINDOW_MS) };
}

/**
 * One page of a window; an empty page with a token is not the end.
 * @returns the rows, and the same window with the token of its next page; null = it ends here
 */
export async function listTransactions<Part extends TransactionSpan>(
  call: AmazonCall,
  part: Part,
): Promise<{ rows: readonly unknown[]; next: Part | null }> {
  const at = call.now().epochMilliseconds;
  const { payload } = await askTransactions(call, {
    postedAfter: iso(part.from),
    postedBefore: iso(part.to),
    marketplaceId: MEXICO,
    nextToken: living(call, part) ?? undefined,
  });
  const token = payload?.nextToken ?? null;
  const rows = payload?.transactions ?? [];
  // A repeated token must not look like progress.
  if (token !== null && token === part.token) return { rows: [], next: part };
  return { rows, next: token === null ? null : { ...part, token, at } };
}

/** Without the role for finances there are no transactions, and all else is read the same. */
export async function askTransactions(call: AmazonCall, query: CallOptions['query'] = {}) {
  const asked = { query, rate: 'transactions' };
  const answer = await call.request({ ...asked, method: 'GET', path: TRANSACTIONS, expect: [403] });
  if (answer.status === 403 && !isAboutToken(answer.body)) return { payload: null };
  const page = answer.status === 200 ? TransactionPage.safeParse(documentOrNull(answer)) : null;
  // The engine handles a dead token or a broken body.
  return page?.success ? page.data : call.get(TRANSACTIONS, TransactionPage, asked);
}

/** A dead token is left out: the window restarts, and loses nothing. */
export function living(
  call: AmazonCall,
  { token, at }: { readonly token: string | null; readonly at: number },
): string | null {
  return call.now().epochMilliseconds - at > TOKEN_MS ? null : token;
}

export function startOf({ window }: StreamRequest): number {
  return window.from?.epochMilliseconds ?? window.to.epochMilliseconds - HISTORY_DAYS * 24 * HOUR;
}

export function endOf({ window }: StreamRequest): number {
  return window.to.epochMilliseconds - SETTLING_MS;
}

export function iso(epochMilliseconds: number): string {
  return formatMillis(Temporal.Instant.fromEpochMilliseconds(epochMilliseconds));
}
