import type { Instant } from '../../platform/time.ts';
import type { Call, Page, SourceBalance, SourceMoney, Stream, StreamRequest } from '../contract.ts';
import { readEach } from '../read-rows.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { ask, type Position, positionAfter, smaller } from './graphql.ts';
import { BALANCE, BALANCE_TRANSACTIONS, PAYOUTS } from './queries.ts';
import { Balance, issueTimeOf, PayoutsPage, toBalances, toSettlement } from './wire.ts';
import {
  BalanceTransactionsPage,
  readTransactionRows,
  transactionTimeOf,
} from './wire-movements.ts';

type ShopifyCall = Call<ShopifyCredentials>;

/**
 * A shop without Shopify Payments, as most in Mexico, has no account there: no balance, and not a
 * zero.
 */

export const balances: Stream<SourceBalance, ShopifyCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call) {
    const answered = await ask(call, BALANCE, {}, Balance);
    const found = answered ? toBalances(answered.data, answered.fetchedAt) : [];
    return { items: found.map((item) => ({ ok: true, item })), next: null };
  },
};

const PAGE_SIZE = 20;
const TRANSACTIONS_AT_ONCE = 50;
/** A payout is listed by its issue time, which does not change; its status changes for so long. */
const SETTLES_WITHIN_HOURS = 30 * 24;

/** First the payouts, then the transactions of the balance. */
interface MoneyPosition extends Position {
  readonly phase: 'payouts' | 'transactions';
}

export const settlements: Stream<SourceMoney, ShopifyCredentials> = {
  every: { minutes: 360 },
  overlap: { minutes: SETTLES_WITHIN_HOURS * 60 },

  page(call, request) {
    const position = positionIn(request);
    return position.phase === 'payouts'
      ? readPayouts(call, request, position)
      : readTransactions(call, request, position);
  },
};

async function readPayouts(
  call: ShopifyCall,
  { window }: StreamRequest,
  position: MoneyPosition,
): Promise<Page<SourceMoney>> {
  const { after, size } = position;
  const answered = await ask(call, PAYOUTS, { after, n: size }, PayoutsPage);
  if (!answered) return { items: [], next: smaller(position) };
  const account = answered.data.shopifyPaymentsAccount;
  if (!account) return { items: [], next: null };
  const { nodes, pageInfo } = account.payouts;
  const following = isPast(window, issueTimeOf(nodes.at(-1)))
    ? null
    : positionAfter(position, pageInfo);
  return { items: readEach(nodes, toSettlement), next: following ?? first('transactions') };
}

async function readTransactions(
  call: ShopifyCall,
  { window }: StreamRequest,
  position: MoneyPosition,
): Promise<Page<SourceMoney>> {
  const { after, size } = position;
  const answered = await ask(
    call,
    BALANCE_TRANSACTIONS,
    { after, n: size },
    BalanceTransactionsPage,
  );
  if (!answered) return { items: [], next: smaller(position) };
  const list = answered.data.shopifyPaymentsAccount?.balanceTransactions;
  if (!list) return { items: [], next: null };
  const { nodes, pageInfo } = list;
  return {
    items: readTransactionRows(nodes),
    next: isPast(window, transactionTimeOf(nodes.at(-1)))
      ? null
      : positionAfter(position, pageInfo),
  };
}

/** Both lists are newest first. */
function isPast({ from }: StreamRequest['window'], oldest: Instant | null): boolean {
  return from !== null && oldest !== null && Temporal.Instant.compare(oldest, from) < 0;
}

/** Positions of an older release have no phase. */
function positionIn({ position }: StreamRequest): MoneyPosition {
  const packed = position ?? first('payouts');
  return { phase: 'payouts', ...JSON.parse(packed) };
}

function first(phase: MoneyPosition['phase']): string {
  const size = phase === 'payouts' ? PAGE_SIZE : TRANSACTIONS_AT_ONCE;
  return JSON.stringify({ phase, after: null, size } satisfies MoneyPosition);
}
