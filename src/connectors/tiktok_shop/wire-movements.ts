import { z } from 'zod';
import { add, addKnown, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { MovementKind, Read, SourceMoney, SourceMovement } from '../contract.ts';
import { type AmountPart, wholeOf } from '../movements.ts';
import { nameIn, readEach } from '../read-rows.ts';
import { amount, currency, id, optional } from '../wire-fields.ts';
import { trimmed } from './wire.ts';

// Transactions of a statement. Amounts are signed by their effect on the seller's money:
// `settlement_amount` = `revenue_amount` + `shipping_cost_amount` + `fee_amount` + `adjustment_amount`.

const REPORT = 'statement_transactions';

const part = optional(amount);

/** The parts of `fee_amount` that have a kind of their own. */
const FEES = {
  platform_commission_amount: 'commission',
  referral_fee_amount: 'commission',
  affiliate_commission_amount: 'advertising',
  affiliate_partner_commission_amount: 'advertising',
  affiliate_ads_commission_amount: 'advertising',
} as const satisfies Record<string, MovementKind>;
const FEE_NAMES = Object.keys(FEES) as (keyof typeof FEES)[];

const Transaction = z.object({
  id,
  type: z.string().min(1),
  currency: currency.pipe(z.string('expected a currency')),
  order_id: optional(id),
  adjustment_order_id: optional(id),
  settlement_amount: amount,
  revenue_amount: part,
  gross_sales_refund_amount: part,
  seller_discount_refund_amount: part,
  shipping_cost_amount: part,
  customer_paid_shipping_fee_amount: part,
  customer_paid_shipping_fee_refund_amount: part,
  fee_amount: part,
  adjustment_amount: part,
  platform_commission_amount: part,
  referral_fee_amount: part,
  affiliate_commission_amount: part,
  affiliate_partner_commission_amount: part,
  affiliate_ads_commission_amount: part,
});
type Transaction = z.infer<typeof Transaction>;

/** The statement of a page of transactions. */
interface StatementName {
  readonly id: string;
  readonly at: Instant;
  /** What it says changes only until it is paid. */
  readonly isPaid: boolean;
  /** The page has all of its transactions. */
  readonly isWhole: boolean;
}

/**
 * Rows that cannot be read are set aside, and then the page proves nothing about movements that it
 * lacks; nor does an empty one.
 */
export function readTransactions(
  rows: readonly unknown[],
  statement: StatementName,
): Read<SourceMoney>[] {
  const reads = readEach(
    rows,
    (row) => Transaction.parse(trimmed(row)),
    (row) => nameIn(row, 'id'),
  );
  const readable = reads.filter((read) => read.ok).map(({ item }) => item);
  const isProof = statement.isWhole && rows.length > 0 && readable.length === rows.length;
  const ledger = {
    id: `${REPORT} ${statement.id} ${readable[0]?.id ?? ''}`,
    report: REPORT,
    movements: readable.flatMap((row) => toMovements(row, statement)),
    covers: isProof ? { payoutId: statement.id } : null,
    changedAt: statement.at,
    opening: null,
  };
  return [...reads.filter((read) => !read.ok), { ok: true, item: ledger }];
}

function toMovements(row: Transaction, statement: StatementName): SourceMovement[] {
  return wholeOf(row.settlement_amount, partsOf(row), 'settlement_amount').map(
    ({ name, ...one }) => ({
      ...one,
      key: `${statement.id} ${row.id} ${name}`,
      currency: row.currency,
      at: statement.at,
      nativeType: `${row.type}/${name}`,
      orderId: row.order_id ?? row.adjustment_order_id,
      payoutId: statement.id,
      isOpen: !statement.isPaid,
    }),
  );
}

/** Refunds are inside of the revenue, and the buyer's shipping inside of its costs. */
function partsOf(row: Transaction): AmountPart[] {
  const refund = sumOf(row.gross_sales_refund_amount, row.seller_discount_refund_amount);
  const shipping = row.customer_paid_shipping_fee_amount ?? ZERO;
  const shippingBack = row.customer_paid_shipping_fee_refund_amount ?? ZERO;
  const fees = FEE_NAMES.map((name) => ({ name, kind: FEES[name], amount: row[name] ?? ZERO }));
  const named = sumOf(...fees.map(({ amount }) => amount));
  const costs = subtract(row.shipping_cost_amount ?? ZERO, add(shipping, shippingBack));
  return [
    { name: 'revenue', kind: 'sale', amount: subtract(row.revenue_amount ?? ZERO, refund) },
    { name: 'refund', kind: 'refund', amount: refund },
    { name: 'customer_shipping', kind: 'shipping', amount: shipping },
    { name: 'customer_shipping_refund', kind: 'refund', amount: shippingBack },
    { name: 'shipping_cost', kind: 'shipping_fee', amount: costs },
    // Without the total of the fees nothing says whether the named ones are part of the amount.
    ...(row.fee_amount === null ? [] : fees),
    {
      name: 'other_fees',
      kind: 'other_fee',
      amount: row.fee_amount === null ? ZERO : subtract(row.fee_amount, named),
    },
    { name: 'adjustment', kind: 'other', amount: row.adjustment_amount ?? ZERO },
  ];
}

function sumOf(...amounts: readonly (Decimal | null)[]): Decimal {
  return addKnown(amounts) ?? ZERO;
}
