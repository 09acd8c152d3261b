/** What Shopify Payments pays out, and the transactions of its balance. */
import { dice } from '../dice.ts';
import { decimal, type Order, reachedAt } from '../order.ts';
import { editsOf } from './edits.ts';
import { moneyOf, refundsOf, removedBy } from './facts.ts';
import { type ListArgs, pageOf } from './graphql.ts';
import { iso } from './shown.ts';
import type { BalanceTransaction, Store } from './store.ts';

const WEEK = 7 * 86_400_000;
const FEE_SHARE = 0.04;

/** The fee of a refunded charge stays with Shopify. */
interface Transaction extends BalanceTransaction {
  readonly order: Order | null;
  /** The week that its payout covers. */
  readonly week: number;
}

/**
 * One payout a week for what came and went in it; what came since the last one is the balance.
 */
export function paymentsDocument(store: Store) {
  const now = store.now();
  const moved = store.world
    .orders()
    .flatMap((order) => transactionsOf(order, store))
    .concat(store.switches.balanceTransactions.map(ownTransaction))
    .filter(({ at }) => at <= now);
  const thisWeek = weekOf(now);
  const weeks = Map.groupBy(moved, ({ week }) => week);
  const paid = [...weeks].filter(([week]) => week < thisWeek).sort(([a], [b]) => b - a);
  const transfers = paid
    .filter(([week]) => (week + 2) * WEEK <= now)
    .map(([week, rows]) => transferOf(week, rows));
  const newest = [...moved, ...transfers].sort((a, b) => b.at - a.at || b.id - a.id);
  return {
    id: 'gid://shopify/ShopifyPaymentsAccount/1',
    activated: true,
    defaultCurrency: 'MXN',
    balance: [money(netOf(weeks.get(thisWeek) ?? []))],
    payouts: (args: ListArgs) =>
      pageOf(
        paid.map(([week, rows]) => payoutDocument(week, rows, now)),
        ({ legacyResourceId }) => String(1e12 - Number(legacyResourceId)),
        args,
      ),
    balanceTransactions: (args: ListArgs) =>
      pageOf(
        newest.map((row) => transactionDocument(row, thisWeek)),
        (_, index) => String(index).padStart(9, '0'),
        args,
      ),
  };
}

function transactionsOf(order: Order, store: Store): Transaction[] {
  const { taxesIncluded } = store;
  const now = store.now();
  const at = reachedAt(order, 'paid', now);
  if (at === null) return [];
  const id = dice('shopify charge', order.id).whole(1e9, 9e9);
  const total = moneyOf(order, taxesIncluded).total;
  const charge = { id, type: 'CHARGE', at, amount: total, order, week: weekOf(at) };
  const removed = editsOf(order, store)
    .map((edit) => ({ at: edit.at, amount: removedBy(edit, order, taxesIncluded) }))
    .filter(({ amount }) => amount > 0);
  const left = total - removed.reduce((sum, { amount }) => sum + amount, 0);
  const back = [...removed, ...refundsOf(order, left, now)];
  return [
    { ...charge, fee: Math.round(total * FEE_SHARE) },
    ...back.map((refund, index) => ({
      id: id + index + 1,
      type: 'REFUND',
      at: refund.at,
      amount: -refund.amount,
      fee: 0,
      order,
      week: weekOf(refund.at),
    })),
  ];
}

function ownTransaction(row: BalanceTransaction): Transaction {
  return { ...row, order: null, week: weekOf(row.at) };
}

/** A payout takes its amount from the balance. */
function transferOf(week: number, rows: readonly Transaction[]): Transaction {
  const at = (week + 1) * WEEK;
  return { id: 10 + week, type: 'TRANSFER', at, amount: -netOf(rows), fee: 0, order: null, week };
}

function payoutDocument(week: number, rows: readonly Transaction[], now: number) {
  const sum = (type: string, part: 'amount' | 'fee') =>
    rows.reduce((total, row) => total + (row.type === type ? row[part] : 0), 0);
  const others = rows.filter(({ type }) => type !== 'CHARGE' && type !== 'REFUND');
  const named = {
    chargesGross: sum('CHARGE', 'amount'),
    chargesFee: sum('CHARGE', 'fee'),
    refundsFeeGross: sum('REFUND', 'amount'),
    adjustmentsGross: others.reduce((total, { amount }) => total + amount, 0),
    adjustmentsFee: others.reduce((total, { fee }) => total + fee, 0),
  };
  return {
    id: payoutId(week),
    legacyResourceId: String(NUMBER + week),
    issuedAt: iso((week + 1) * WEEK),
    status: (week + 2) * WEEK > now ? 'SCHEDULED' : 'PAID',
    transactionType: 'DEPOSIT',
    externalTraceId: `MXSPEI${week}`,
    net: money(netOf(rows)),
    summary: Object.fromEntries(
      Object.entries({ ...NOTHING, ...named }).map(([name, amount]) => [name, money(amount)]),
    ),
  };
}

function transactionDocument(row: Transaction, thisWeek: number) {
  const { id, type, at, amount, fee, order, week } = row;
  return {
    id: `gid://shopify/ShopifyPaymentsBalanceTransaction/${id}`,
    type,
    sourceType: type,
    test: false,
    transactionDate: iso(at),
    amount: money(amount),
    fee: money(fee),
    net: money(amount - fee),
    associatedOrder: order && { id: `gid://shopify/Order/${order.id}` },
    associatedPayout: week < thisWeek ? { id: payoutId(week) } : { id: null },
  };
}

const NUMBER = 600_000_000;

function payoutId(week: number): string {
  return `gid://shopify/ShopifyPaymentsPayout/${NUMBER + week}`;
}

function weekOf(at: number): number {
  return Math.floor(at / WEEK);
}

function netOf(rows: readonly Transaction[]): number {
  return rows.reduce((sum, { amount, fee }) => sum + amount - fee, 0);
}

function money(sum: number) {
  return { amount: decimal(sum), currencyCode: 'MXN' };
}

const NOTHING = {
  adjustmentsFee: 0,
  adjustmentsGross: 0,
  advanceFees: 0,
  advanceGross: 0,
  refundsFee: 0,
  refundsFeeGross: 0,
  reservedFundsFee: 0,
  reservedFundsGross: 0,
  retriedPayoutsFee: 0,
  retriedPayoutsGross: 0,
};
