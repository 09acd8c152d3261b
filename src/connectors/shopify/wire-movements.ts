import { z } from 'zod';
import { multiply } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { MovementKind, Read, SourceMoney, SourceMovement } from '../contract.ts';
import { type AmountPart, wholeOf } from '../movements.ts';
import { nameIn, readEach } from '../read-rows.ts';
import { amount, instant, optional } from '../wire-fields.ts';
import { PagedRows, tailOf } from './graphql.ts';
import { MoneyV2 } from './wire-money.ts';

// Transactions of the balance of Shopify Payments: the amount, its fee, and what is left of it.

const REPORT = 'balance_transactions';

const Amount = z.object({ amount });
const Owned = optional(z.object({ id: optional(z.string()) }));

const Transaction = z.object({
  id: z.string().min(1),
  type: z.string().min(1),
  test: optional(z.boolean()),
  transactionDate: instant,
  amount: MoneyV2.extend({ currencyCode: z.string('expected a currency') }),
  fee: Amount,
  net: Amount,
  associatedOrder: Owned,
  associatedPayout: Owned,
});
type Transaction = z.infer<typeof Transaction>;

export const BalanceTransactionsPage = z.object({
  shopifyPaymentsAccount: optional(z.object({ balanceTransactions: optional(PagedRows) })),
});

/**
 * The kinds of amounts; of the more than a hundred types the others are credits, debits, loans and
 * held money, which are neither sales nor fees.
 */
const KINDS: Readonly<Record<string, MovementKind>> = {
  CHARGE: 'sale',
  CHARGE_ADJUSTMENT: 'sale',
  REFUND: 'refund',
  REFUND_ADJUSTMENT: 'refund',
  REFUND_FAILURE: 'refund',
  DISPUTE_WITHDRAWAL: 'refund',
  DISPUTE_REVERSAL: 'refund',
  CHARGEBACK_HOLD: 'refund',
  CHARGEBACK_HOLD_RELEASE: 'refund',
  CHARGEBACK_FEE: 'other_fee',
  CHARGEBACK_FEE_REFUND: 'other_fee',
  APPLICATION_FEE_REFUND: 'other_fee',
  MARKETPLACE_FEE_CREDIT: 'other_fee',
  MARKETPLACE_FEE_CREDIT_REVERSAL: 'other_fee',
  REFERRAL_FEE: 'other_fee',
  REFERRAL_FEE_TAX: 'other_fee',
  STRIPE_FEE: 'other_fee',
  SHIPPING_LABEL: 'shipping_fee',
  SHIPPING_LABEL_ADJUSTMENT: 'shipping_fee',
  SHIPPING_LABEL_ADJUSTMENT_BASE: 'shipping_fee',
  SHIPPING_LABEL_ADJUSTMENT_SURCHARGE: 'shipping_fee',
  SHIPPING_OTHER_CARRIER_CHARGE_ADJUSTMENT: 'shipping_fee',
  SHIPPING_RETURN_TO_ORIGIN_ADJUSTMENT: 'shipping_fee',
  TRANSFER: 'payout',
  TRANSFER_CANCEL: 'payout',
  TRANSFER_FAILURE: 'payout',
  TRANSFER_REFUND: 'payout',
};

export function transactionTimeOf(row: unknown): Instant | null {
  return z.object({ transactionDate: instant }).safeParse(row).data?.transactionDate ?? null;
}

/** A page of the list without test transactions; rows that cannot be read are set aside. */
export function readTransactionRows(rows: readonly unknown[]): Read<SourceMoney>[] {
  const reads = readEach(
    rows,
    (row) => Transaction.parse(row),
    (row) => nameIn(row, 'id'),
  );
  const readable = reads.filter((read) => read.ok).map(({ item }) => item);
  const ledger = {
    id: `${REPORT} ${readable[0]?.id ?? ''}`,
    report: REPORT,
    movements: readable.filter(({ test }) => test !== true).flatMap(toMovements),
    covers: null,
    changedAt: latest(...readable.map(({ transactionDate }) => transactionDate)),
    opening: null,
  };
  return [...reads.filter((read) => !read.ok), { ok: true, item: ledger }];
}

function toMovements(row: Transaction): SourceMovement[] {
  const id = tailOf(row.id);
  const kind = inTable(KINDS, row.type) ?? 'other';
  const parts: AmountPart[] = [
    { name: 'amount', kind, amount: row.amount.amount },
    // The fee of a payment is its commission.
    {
      name: 'fee',
      kind: kind === 'sale' || kind === 'refund' ? 'commission' : 'other_fee',
      amount: multiply(row.fee.amount, -1),
    },
  ];
  return wholeOf(row.net.amount, parts, 'net').map(({ name, ...part }) => ({
    ...part,
    key: `${id} ${name}`,
    currency: row.amount.currencyCode,
    at: row.transactionDate,
    nativeType: name === 'amount' ? row.type : `${row.type}/${name}`,
    orderId: idOf(row.associatedOrder),
    payoutId: idOf(row.associatedPayout),
    isOpen: false,
  }));
}

function idOf(owned: Transaction['associatedOrder']): string | null {
  return owned?.id ? tailOf(owned.id) : null;
}
