import { z } from 'zod';
import { latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { MovementKind, Read, SourceMoney, SourceMovement } from '../contract.ts';
import { Rows } from '../lists.ts';
import { readEach } from '../read-rows.ts';
import { amount, id, instant, optional, looseText as text } from '../wire-fields.ts';

// Rows of the transaction log of a shop's account.

const REPORT = 'transaction_log';

export const LogPage = z.object({ data: Rows, next_page_token: text });

const Row = z.object({
  id,
  type: z.string().min(1),
  amount,
  currency_iso_code: z.string().min(1),
  date_created: instant,
  last_updated: optional(instant),
  payment_state: text,
  seller_billing_cycle_id: optional(id),
  entities: optional(z.object({ order: optional(z.object({ id: optional(id) })) })),
});

/** By the type without `_TAX` and `_VAT`, whose rows are of the same kind. */
const KINDS: Readonly<Record<string, MovementKind>> = {
  ORDER_AMOUNT: 'sale',
  ORDER_SHIPPING_AMOUNT: 'shipping',
  REFUND_ORDER_AMOUNT: 'refund',
  REFUND_ORDER_SHIPPING_AMOUNT: 'refund',
  COMMISSION: 'commission',
  COMMISSION_FEE: 'commission',
  REFUND_COMMISSION: 'commission',
  REFUND_COMMISSION_FEE: 'commission',
  SUBSCRIPTION: 'other_fee',
  SUBSCRIPTION_FEE: 'other_fee',
  SELLER_FEE_ON_ORDER: 'other_fee',
  SELLER_PENALTY_FEE: 'other_fee',
  PAYMENT: 'payout',
};
/** The row may still change, or its money is not due yet. */
const OPEN: readonly string[] = ['PENDING', 'RESERVE'];

/** A page of the log, as it is found by change; rows that cannot be read are set aside. */
export function readLog(rows: readonly unknown[]): Read<SourceMoney>[] {
  const reads = readEach(rows, (row) => Row.parse(row));
  const readable = reads.filter((read) => read.ok).map(({ item }) => item);
  const ledger = {
    id: `${REPORT} ${readable[0]?.id ?? ''}`,
    report: REPORT,
    movements: readable.map(toMovement),
    covers: null,
    changedAt: latest(...readable.map(({ last_updated }) => last_updated)),
    opening: null,
  };
  return [...reads.filter((read) => !read.ok), { ok: true, item: ledger }];
}

function toMovement(row: z.infer<typeof Row>): SourceMovement {
  return {
    key: row.id,
    kind: inTable(KINDS, row.type.replace(/_(?:TAX|VAT)$/, '')) ?? 'other',
    amount: row.amount,
    currency: row.currency_iso_code,
    at: row.date_created,
    nativeType: row.type,
    orderId: row.entities?.order?.id ?? null,
    payoutId: row.seller_billing_cycle_id,
    isOpen: OPEN.includes(row.payment_state ?? ''),
  };
}
