import { z } from 'zod';
import { add, compare, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { MovementKind, SourceSettlement } from '../contract.ts';
import { Rows } from '../lists.ts';
import { amount, id, instant, optional, whole } from '../wire-fields.ts';

// Mercado Pago's words. Reports and payments of site MLM.

/** Reports name no currency. */
export const REPORT_CURRENCY = 'MXN';

const Report = z.object({
  id: optional(id),
  begin_date: optional(instant),
  end_date: optional(instant),
  file_name: optional(z.string()),
});
export const ReportList = z.array(Report);

/** The required columns of a release report's rows; a seller may have left the others out. */
const Movement = z.object({
  RECORD_TYPE: z.string().min(1),
  NET_CREDIT_AMOUNT: amount,
  NET_DEBIT_AMOUNT: amount,
});

const Payout = Movement.extend({
  DATE: instant,
  SOURCE_ID: z.string().min(1),
  DESCRIPTION: z.string().min(1),
  MP_FEE_AMOUNT: z.preprocess(zeroIfEmpty, amount).optional(),
});

/** Columns beside the gross amount whose sum is the net amount; null = of the row's own kind. */
export const REPORT_PARTS = [
  { column: 'MP_FEE_AMOUNT', kind: 'commission' },
  { column: 'FINANCING_FEE_AMOUNT', kind: 'financing' },
  { column: 'SHIPPING_FEE_AMOUNT', kind: 'shipping_fee' },
  { column: 'TAXES_AMOUNT', kind: 'withheld' },
  { column: 'COUPON_AMOUNT', kind: null },
] as const satisfies readonly { column: string; kind: MovementKind | null }[];

/** Names the configurations that are ours. */
const OUR_PREFIX = 'tianguis';

/** The report of a seller without a configuration. */
export const REPORT_CONFIG = {
  file_name_prefix: OUR_PREFIX,
  include_withdrawal_at_end: true,
  scheduled: false,
  execute_after_withdrawal: false,
  separator: ',',
  display_timezone: 'GMT-06',
  frequency: { hour: 0, type: 'monthly', value: 1 },
  columns: [
    'DATE',
    'SOURCE_ID',
    'EXTERNAL_REFERENCE',
    'RECORD_TYPE',
    'DESCRIPTION',
    'NET_CREDIT_AMOUNT',
    'NET_DEBIT_AMOUNT',
    'GROSS_AMOUNT',
    ...REPORT_PARTS.map(({ column }) => column),
    'ORDER_ID',
    'PACK_ID',
  ].map((key) => ({ key })),
};

const ReportConfig = z.object({
  file_name_prefix: optional(z.string()),
  columns: optional(z.array(z.object({ key: optional(z.string()) }))),
});

/** Whether a configuration is an older one of ours, without columns that are read now. */
export function isOutdated(config: unknown): boolean {
  const known = ReportConfig.safeParse(config).data;
  if (known?.file_name_prefix !== OUR_PREFIX) return false;
  const columns = new Set(known.columns?.map(({ key }) => key));
  return REPORT_CONFIG.columns.some(({ key }) => !columns.has(key));
}

const OPENING = 'initial_available_balance';
/** Rows that sum up others, and are no movements. */
const SUMMARIES = ['available_balance', 'subtotal', 'total'];
/** Transfers to the seller's bank. */
const CANCELLED = '_cancel';
const PAYOUTS = ['withdrawal', 'payout'].flatMap((transfer) => [transfer, transfer + CANCELLED]);

/**
 * The closing balance: the opening balance and all movements since; null = the report has no
 * opening balance.
 * @throws ZodError when a row cannot be read: a sum with gaps would be a wrong balance
 */
export function closingBalanceOf(rows: readonly unknown[]): Decimal | null {
  const movements = z.array(Movement).parse(rows);
  if (!movements.some(({ RECORD_TYPE }) => RECORD_TYPE === OPENING)) return null;
  const counted = movements.filter(({ RECORD_TYPE }) => !SUMMARIES.includes(RECORD_TYPE));
  return add(...counted.map((row) => subtract(row.NET_CREDIT_AMOUNT, row.NET_DEBIT_AMOUNT)));
}

export function isOpening({ RECORD_TYPE }: { readonly RECORD_TYPE?: string }): boolean {
  return RECORD_TYPE === OPENING;
}

/** Whether a row sums up others, and is no movement. */
export function isSummary({ RECORD_TYPE }: { readonly RECORD_TYPE?: string }): boolean {
  return SUMMARIES.includes(RECORD_TYPE ?? '');
}

/** Whether a row may be a payout; the others are ignored here. */
export function isPayout(row: {
  readonly RECORD_TYPE?: string;
  readonly DESCRIPTION?: string;
}): boolean {
  return row.RECORD_TYPE === 'release' && PAYOUTS.includes(row.DESCRIPTION ?? '');
}

/**
 * A row that gives the money back is of a transfer that the bank refused.
 * @throws ZodError with the path of the first wrong field
 */
export function toPayout(row: unknown): SourceSettlement {
  const payout = Payout.parse(row);
  const taken = subtract(payout.NET_DEBIT_AMOUNT, payout.NET_CREDIT_AMOUNT);
  const isBack = compare(taken, ZERO) < 0 || payout.DESCRIPTION.endsWith(CANCELLED);
  const gross = positive(taken);
  const fees = positive(payout.MP_FEE_AMOUNT ?? ZERO);
  return {
    id: payout.SOURCE_ID,
    status: isBack ? 'failed' : 'paid',
    marketplaceStatus: payout.DESCRIPTION,
    currency: REPORT_CURRENCY,
    gross,
    fees,
    net: subtract(gross, fees),
    from: null,
    to: null,
    paidAt: isBack ? null : payout.DATE,
    reference: payout.SOURCE_ID,
    changedAt: payout.DATE,
    raw: JSON.stringify(row),
  };
}

/**
 * One of each id, as its last rows have it: what came back failed, with the amounts of its beginning,
 * and may leave again; what left in several rows is their sum.
 */
export function oneEach(payouts: readonly SourceSettlement[]): SourceSettlement[] {
  return [...Map.groupBy(payouts, ({ id }) => id).values()].flatMap((rows) => {
    const inOrder = rows.toSorted(byTime);
    const back = inOrder.findLastIndex(({ status }) => status === 'failed');
    const away = inOrder.slice(back + 1);
    return away.length > 0 ? together(away) : failed(inOrder.slice(0, back + 1));
  });
}

/** Of one instant, what left comes before what came back. */
function byTime(one: SourceSettlement, two: SourceSettlement): number {
  const [at, other] = [one, two].map(({ changedAt }) => changedAt?.epochMilliseconds ?? 0);
  return (
    (at ?? 0) - (other ?? 0) || Number(one.status === 'failed') - Number(two.status === 'failed')
  );
}

function together(away: readonly SourceSettlement[]): SourceSettlement[] {
  const sumOf = (name: 'gross' | 'fees' | 'net') => add(...away.map((one) => one[name] ?? ZERO));
  return away
    .slice(-1)
    .map((last) => ({ ...last, gross: sumOf('gross'), fees: sumOf('fees'), net: sumOf('net') }));
}

function failed(rows: readonly SourceSettlement[]): SourceSettlement[] {
  const sent = rows.findLast(({ status }) => status === 'paid');
  return rows.slice(-1).map((back) => {
    const { status, marketplaceStatus, paidAt, changedAt, raw } = back;
    return { ...(sent ?? back), status, marketplaceStatus, paidAt, changedAt, raw };
  });
}

const Payment = z.object({
  id,
  status: z.string(),
  collector_id: optional(id),
  currency_id: z.string(),
  money_release_date: optional(instant),
  transaction_details: optional(z.object({ net_received_amount: optional(amount) })),
});

export const PaymentPage = z.object({ results: Rows, paging: z.object({ total: whole }) });

/** The money of a payment that is not available yet. */
export interface Coming {
  readonly currency: string;
  readonly amount: Decimal;
  readonly at: Instant;
}

/**
 * @returns null when none is due: the payment is not the seller's, not approved, or available
 * already
 */
export function toComing(row: unknown, sellerId: string, after: Instant): Coming | null {
  const payment = Payment.parse(row);
  const { money_release_date: at, transaction_details: details, collector_id: collector } = payment;
  if (payment.status !== 'approved' || (collector !== null && collector !== sellerId)) return null;
  if (!at || Temporal.Instant.compare(at, after) <= 0 || !details?.net_received_amount) return null;
  return { currency: payment.currency_id, amount: details.net_received_amount, at };
}

function positive(sum: Decimal): Decimal {
  return compare(sum, ZERO) < 0 ? subtract(ZERO, sum) : sum;
}

function zeroIfEmpty(value: unknown): unknown {
  return value === '' ? ZERO : value;
}
