import { z } from 'zod';
import type { Instant } from '../../platform/time.ts';
import type { Call } from '../contract.ts';
import type { TokenPosition } from '../token-paging.ts';
import { amount, currency, id, optional, looseText as text } from '../wire-fields.ts';
import { askList } from './ask.ts';
import { time } from './wire.ts';

// The list of statements, from which balances and payouts are read.

export const PAGE_SIZE = 100;
export const STATEMENTS = '/finance/202309/statements';
/** A statement is paid within weeks; older unpaid ones are not waited for. */
export const UNPAID_DAYS = 90;
export const Statement = z.object({
  id,
  statement_time: time,
  currency: currency.pipe(z.string('expected a currency')),
  revenue_amount: optional(amount),
  fee_amount: optional(amount),
  settlement_amount: amount,
  payment_status: text,
  payment_id: optional(id),
});
export type Statement = z.infer<typeof Statement>;

export const PAID = 'PAID';
export function listStatements(
  call: Call<unknown>,
  { token, size }: TokenPosition,
  { sort_order, since }: { sort_order: 'ASC' | 'DESC'; since: Instant | null },
) {
  const query = {
    sort_field: 'statement_time',
    sort_order,
    page_size: size,
    page_token: token ?? undefined,
    statement_time_ge: since ? secondsOf(since) : undefined,
  };
  return askList(call, { method: 'GET', path: STATEMENTS, query }, 'statements');
}

export function isAfter(moment: Instant | null, since: Instant): boolean {
  return moment === null || Temporal.Instant.compare(moment, since) >= 0;
}

export function secondsOf(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / 1000);
}
