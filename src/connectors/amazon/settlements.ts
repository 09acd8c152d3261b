import type { ZodType } from 'zod';
import { formatMillis } from '../../platform/time.ts';
import { parseOrNull } from '../answer-document.ts';
import type { Call, CallOptions, Page, SourceMoney, Stream, StreamRequest } from '../contract.ts';
import { readEach } from '../read-rows.ts';
import { halfOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import type { AmazonCredentials } from './credentials.ts';
import {
  LATE_MS,
  listTransactions,
  SHORTEST_MS,
  startOf,
  TRANSACTIONS,
  type TransactionSpan,
  transactionsBehind,
  transactionsFrom,
} from './transactions.ts';
import { MEXICO } from './wire.ts';
import {
  ExpectedPayoutPage,
  isPaidOut,
  PayoutPage,
  toExpected,
  toSettlement,
} from './wire-finances.ts';
import { readTransactions } from './wire-movements.ts';

type AmazonCall = Call<AmazonCredentials>;

const PATH = '/finances/transfers/2024-06-01/payouts';

const NO_PAYOUTS = 'Depósitos no disponibles: Amazon no nos deja consultar los de esta cuenta.';

/** First the payouts, then the expected ones, then the transactions; all have empty pages. */
type Position = Payouts | Transactions;

interface Payouts {
  readonly phase: 'paid' | 'expected';
  readonly token?: string;
  /** The account may not see its payouts. */
  readonly isRefused?: true;
}

interface Transactions extends TransactionSpan {
  readonly phase: 'transactions';
}

export const settlements: Stream<SourceMoney, AmazonCredentials> = {
  every: { minutes: 360 },
  // Found by the day of creation; their status changes for days.
  overlap: { minutes: 30 * 24 * 60 },

  page(call, request) {
    const position = positionOf(request);
    if (position.phase === 'transactions') return readMovements(call, request, position);
    return position.phase === 'paid'
      ? readPaid(call, request, position)
      : readExpected(call, request, position);
  },

  /**
   * The token of the next page comes with it: the rest of a list of payouts is left out of this
   * sync run. The window of transactions is shortened.
   */
  async tooLarge(_, request) {
    const position = positionOf(request);
    if (position.phase === 'paid')
      return { items: [tooLargeIn(PATH)], next: pack({ phase: 'expected' }) };
    if (position.phase === 'transactions') {
      const narrower = halfOf(position, SHORTEST_MS);
      if (narrower) return { items: [], next: pack(narrower) };
      return { items: [tooLargeIn(TRANSACTIONS)], next: behind(position, request) };
    }
    return { items: [tooLargeIn(`${PATH}/expected`)], next: pack(firstTransactions(request)) };
  },
};

async function readPaid(
  call: AmazonCall,
  request: StreamRequest,
  { phase, token }: Payouts,
): Promise<Page<SourceMoney>> {
  const query = { marketplaceIds: MEXICO, ...datesOf(request), nextToken: token };
  const page = await askPayouts(call, PATH, PayoutPage, { query, rate: 'payouts' });
  if (page === null) return { items: [], next: pack({ phase: 'expected', isRefused: true }) };
  return {
    items: readEach(page.payouts.filter(isPaidOut), toSettlement),
    next: pack(page.nextToken ? { phase, token: page.nextToken } : { phase: 'expected' }),
  };
}

async function readExpected(
  call: AmazonCall,
  request: StreamRequest,
  { phase, token, isRefused }: Payouts,
): Promise<Page<SourceMoney>> {
  const query = { marketplaceIds: MEXICO, nextToken: token };
  const page = await askPayouts(call, `${PATH}/expected`, ExpectedPayoutPage, {
    query,
    rate: 'expectedPayouts',
  });
  const items = readEach((page?.expectedPayouts ?? []).filter(isPaidOut), toExpected);
  if (page?.nextToken)
    return { items, next: pack({ phase, token: page.nextToken, ...(isRefused && { isRefused }) }) };
  const gaps = isRefused || page === null ? [NO_PAYOUTS] : [];
  return { items, gaps, next: pack(firstTransactions(request)) };
}

/**
 * Amazon's guide lists eight countries of Europe for payouts, and not Mexico. Transactions are
 * another API.
 * @returns null where the account may not see them
 */
async function askPayouts<T>(
  call: AmazonCall,
  path: string,
  schema: ZodType<T>,
  options: CallOptions,
): Promise<T | null> {
  const answer = await call.request({ ...options, method: 'GET', path, mayBeRefused: true });
  return answer.status === 200 ? schema.parse(parseOrNull(answer.body)) : null;
}

async function readMovements(
  call: AmazonCall,
  request: StreamRequest,
  position: Transactions,
): Promise<Page<SourceMoney>> {
  const { rows, next } = await listTransactions(call, position);
  return { items: readTransactions(rows), next: next ? pack(next) : behind(position, request) };
}

function firstTransactions(request: StreamRequest): Transactions {
  return { phase: 'transactions', ...transactionsFrom(startOf(request) - LATE_MS, request) };
}

function behind(position: Transactions, request: StreamRequest): string | null {
  const next = transactionsBehind(position, request);
  return next && pack({ phase: 'transactions', ...next });
}

function positionOf({ position }: StreamRequest): Position {
  return position === null ? { phase: 'paid' } : JSON.parse(position);
}

function datesOf({ window }: StreamRequest) {
  return {
    createdAfter: window.from ? formatMillis(window.from) : undefined,
    createdBefore: formatMillis(window.to),
  };
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
