import { z } from 'zod';
import { add, compare, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { type Instant, latest, parseInstant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { SourceBalance, SourceSettlement } from '../contract.ts';
import { Rows } from '../lists.ts';
import { amount, id, instant, optional } from '../wire-fields.ts';

// Amounts are JSON numbers here, unlike those of orders.

/** A refund to the buyer. */
interface Refund {
  readonly amount: Decimal;
  readonly currency: string;
  readonly at: Instant | null;
}

const text = optional(z.string());
export const Currency = z.object({ currencyAmount: amount, currencyCode: z.string() });
export const Related = optional(
  z.array(z.object({ relatedIdentifierName: text, relatedIdentifierValue: optional(id) })),
);

/** The level of a charge that is read; its parts add up to it, so they are never added to it. */
const Breakdown = z.object({ breakdownType: text, breakdownAmount: optional(Currency) });
const Breakdowns = z
  // Documented as a list, and as an object around one.
  .preprocess(
    (value) => (isWrapped(value) ? value.breakdowns : value),
    optional(z.array(Breakdown)),
  );

const Transaction = z.object({
  transactionType: text,
  transactionId: text,
  relatedIdentifiers: Related,
  postedDate: optional(instant),
  totalAmount: Currency,
  breakdowns: Breakdowns,
  items: optional(z.array(z.object({ breakdowns: Breakdowns }))),
});
type Transaction = z.infer<typeof Transaction>;

/** An empty page with a token is not the end. */
export const TransactionPage = z.object({
  payload: optional(z.object({ transactions: optional(Rows), nextToken: text })),
});

/** The orders with a refund, each once. */
export function refundedOrders(rows: readonly unknown[]): string[] {
  const ids = refundsAmong(rows).map((transaction) => related(transaction, 'ORDER_ID'));
  return [...new Set(ids.filter((found) => found !== null))];
}

/** The transactions of one order that its refunds are read from. */
export function refundRows(rows: readonly unknown[]): unknown[] {
  return rows.filter((row) => refundsAmong([row]).length > 0);
}

/** The refunds of one order, from its transactions. */
export function toRefunds(rows: readonly unknown[]): Refund[] {
  const found = refundsAmong(rows);
  const ids = new Set(found.map(({ transactionId }) => transactionId));
  return found
    .filter((transaction) => {
      // Held-back money appears again when it is released.
      const deferred = related(transaction, 'DEFERRED_TRANSACTION_ID');
      return deferred === null || !ids.has(deferred);
    })
    .map((transaction) => ({
      amount: subtract(ZERO, givenBack(transaction)),
      currency: transaction.totalAmount.currencyCode,
      at: transaction.postedDate,
    }))
    .filter((refund) => compare(refund.amount, ZERO) > 0);
}

function refundsAmong(rows: readonly unknown[]): Transaction[] {
  return rows
    .map((row) => Transaction.safeParse(row).data)
    .filter((transaction) => transaction?.transactionType === 'Refund') as Transaction[];
}

/**
 * The buyer's refund, as a negative amount: a refund's total also includes the fees that Amazon
 * returns and charges. Some transactions give their parts as a whole, others by item.
 */
function givenBack({ breakdowns, items, totalAmount }: Transaction): Decimal {
  const whole = buyersPart(breakdowns ?? []);
  return (
    whole ??
    buyersPart((items ?? []).flatMap((item) => item.breakdowns ?? [])) ??
    totalAmount.currencyAmount
  );
}

const NOT_THE_BUYERS = /fee|expense|withh|facilitator|LowValueGoodsTax/i;

function buyersPart(breakdowns: readonly z.infer<typeof Breakdown>[]): Decimal | null {
  const amounts = breakdowns
    .filter(({ breakdownType }) => !NOT_THE_BUYERS.test(breakdownType ?? ''))
    .map(({ breakdownAmount }) => breakdownAmount?.currencyAmount ?? null)
    .filter((sum) => sum !== null);
  return amounts.length > 0 ? add(...amounts) : null;
}

export function related(
  { relatedIdentifiers }: { relatedIdentifiers: z.infer<typeof Related> },
  name: string,
): string | null {
  const found = relatedIdentifiers?.find(
    ({ relatedIdentifierName }) => relatedIdentifierName === name,
  );
  return found?.relatedIdentifierValue ?? null;
}

export function isWrapped(value: unknown): value is { breakdowns: unknown } {
  return typeof value === 'object' && value !== null && 'breakdowns' in value;
}

interface Balance {
  readonly balanceType: string;
  readonly amount: z.infer<typeof Currency> | null;
  readonly balances: readonly Balance[] | null;
}
const Balance: z.ZodType<Balance> = z.object({
  balanceType: z.string(),
  amount: optional(Currency),
  get balances() {
    return optional(z.array(Balance));
  },
});
const Root = z.object({
  partnerMetadata: optional(z.object({ accountType: text })),
  lastUpdatedTime: optional(instant),
  /** The requested day; there is no other time. */
  asOfDate: text,
});

export const BalancePage = z.object({ balances: Rows, nextToken: text });

/** A tree: TOTAL is AVAILABLE and RESERVED, and RESERVED is DEFERRED and ACCOUNT_LEVEL_RESERVE. */
export function toBalance(row: unknown, askedAt: Instant): SourceBalance {
  const tree = Balance.parse(row);
  const { partnerMetadata, lastUpdatedTime, asOfDate } = Root.parse(row);
  const available = find(tree, 'AVAILABLE');
  const reserved = find(tree, 'RESERVED');
  const { currencyCode } = Currency.parse((available ?? reserved ?? tree).amount);
  return {
    purse: partnerMetadata?.accountType ?? '',
    currency: currencyCode,
    available: available?.amount?.currencyAmount ?? null,
    pending: reserved?.amount?.currencyAmount ?? null,
    asOf: lastUpdatedTime ?? parseInstant(`${asOfDate}T00:00:00Z`) ?? askedAt,
    isDerived: false,
  };
}

function find(node: Balance, type: string): Balance | null {
  if (node.balanceType === type) return node;
  for (const child of node.balances ?? []) {
    const found = find(child, type);
    if (found) return found;
  }
  return null;
}

const Period = optional(z.object({ startDate: optional(instant), endDate: optional(instant) }));
const Payout = z.object({
  id,
  currentStatus: z.string(),
  statusHistory: optional(z.array(z.object({ status: text, lastUpdatedDate: optional(instant) }))),
  amount: Currency,
  traceId: text,
  creationDate: optional(instant),
  period: Period,
  relatedIdentifiers: Related,
});
const ExpectedPayout = z.object({
  status: z.string(),
  amount: Currency,
  scheduledDate: optional(instant),
  period: Period,
  relatedIdentifiers: Related,
});

export const PayoutPage = z.object({ payouts: Rows, nextToken: text });
export const ExpectedPayoutPage = z.object({ expectedPayouts: Rows, nextToken: text });

const BY_PAYOUT: Readonly<Record<string, SourceSettlement['status']>> = {
  STARTED: 'pending',
  IN_TRANSIT: 'pending',
  PAID: 'paid',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

/** A period without earnings has an entry without an amount. */
export function isPaidOut(row: unknown): boolean {
  const said = z.object({ currentStatus: text, status: text }).safeParse(row).data;
  return !/^NO_PAYOUT/.test(said?.currentStatus ?? said?.status ?? '');
}

/** An expected and a paid settlement are one: both have the same id. */
export function toSettlement(row: unknown): SourceSettlement {
  const payout = Payout.parse(row);
  const history = payout.statusHistory ?? [];
  return {
    ...common(payout),
    id: related(payout, 'SETTLEMENT_ID') ?? payout.id,
    status: inTable(BY_PAYOUT, payout.currentStatus) ?? 'pending',
    marketplaceStatus: payout.currentStatus,
    paidAt: history.find(({ status }) => status === 'PAID')?.lastUpdatedDate ?? null,
    reference: payout.traceId,
    changedAt: latest(
      payout.creationDate,
      ...history.map(({ lastUpdatedDate }) => lastUpdatedDate),
    ),
    raw: JSON.stringify(row),
  };
}

export function toExpected(row: unknown): SourceSettlement {
  const payout = ExpectedPayout.parse(row);
  return {
    ...common(payout),
    id: id.parse(related(payout, 'SETTLEMENT_ID')),
    status: 'expected',
    marketplaceStatus: payout.status,
    paidAt: null,
    reference: null,
    changedAt: null,
    raw: JSON.stringify(row),
  };
}

function common({
  amount: { currencyAmount, currencyCode },
  period,
}: z.infer<typeof ExpectedPayout | typeof Payout>) {
  return {
    currency: currencyCode,
    gross: null,
    fees: null,
    net: currencyAmount,
    from: period?.startDate ?? null,
    to: period?.endDate ?? null,
  };
}
