import { z } from 'zod';
import { add, type Decimal, decimal, multiply } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Call, SourceBalance, SourceSettlement, Stream } from '../contract.ts';
import { amount, currency, id, inTable, optional, readEach, looseText as text } from '../kit.ts';
import { walk } from '../lists.ts';
import { askList } from './ask.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { time, trimmed } from './wire.ts';

const PAGE_SIZE = 100;
/** A statement is paid within weeks; what is older and unpaid is not waited for. */
const UNPAID_DAYS = 90;
/** Of the payments that the statements of one page name. */
const MOST_PAYMENT_PAGES = 10;

const Statement = z.object({
  id,
  statement_time: time,
  currency: currency.pipe(z.string('expected a currency')),
  revenue_amount: optional(amount),
  fee_amount: optional(amount),
  settlement_amount: amount,
  payment_status: text,
  payment_id: optional(id),
});
type Statement = z.infer<typeof Statement>;

const Payment = z.object({ id, status: text, paid_time: time });
type Payment = z.infer<typeof Payment>;

const STATUSES: Readonly<Record<string, SourceSettlement['status']>> = {
  PAID: 'paid',
  FAILED: 'failed',
  PROCESSING: 'pending',
  SETTLED: 'pending',
  UNPAID: 'pending',
};

export const settlements: Stream<SourceSettlement, TiktokShopCredentials> = {
  every: { minutes: 360 },
  // What a statement says changes only until it is paid.
  overlap: { minutes: UNPAID_DAYS * 24 * 60 },

  async page(call, { window, position }) {
    const { rows, next } = await listStatements(call, position, { sort_order: 'ASC', since: window.from });
    const payments = await findPayments(call, rows);
    return { items: readEach(rows, (row) => toSettlement(row, payments)), next };
  },
};

/** There is no call for it: statements that are not paid yet are on their way. */
export const balances: Stream<SourceBalance, TiktokShopCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },

  async page(call, { window, position }) {
    const at: { token: string | null; sums: Record<string, string> } =
      position === null ? { token: null, sums: {} } : JSON.parse(position);
    const since = window.to.subtract({ hours: 24 * UNPAID_DAYS });
    const { rows, next } = await listStatements(call, at.token, { sort_order: 'DESC', since });
    const statements = rows.map((row) => Statement.parse(trimmed(row)));
    const recent = statements.filter(({ statement_time }) => isAfter(statement_time, since));
    const sums = sumUnpaid(at.sums, recent);
    // Newest first: the first one that is too old ends it, whether or not the bound was heeded.
    if (next && recent.length === statements.length)
      return { items: [], next: JSON.stringify({ token: next, sums }) };
    const items = Object.entries(sums).map(([currency, sum]) => ({
      ok: true as const,
      item: {
        purse: '',
        currency,
        available: null,
        pending: decimal(sum),
        asOf: call.now(),
        isDerived: true,
      },
    }));
    return { items, next: null };
  },
};

function listStatements(
  call: Call<unknown>,
  token: string | null,
  { sort_order, since }: { sort_order: 'ASC' | 'DESC'; since: Instant | null },
) {
  const query = {
    sort_field: 'statement_time',
    sort_order,
    page_size: PAGE_SIZE,
    page_token: token ?? undefined,
    statement_time_ge: since ? secondsOf(since) : undefined,
  };
  return askList(call, { method: 'GET', path: '/finance/202309/statements', query }, 'statements');
}

/** Payments are listed by their own time only, newest first, until all that are named were found. */
async function findPayments(call: Call<unknown>, rows: readonly unknown[]): Promise<Map<string, Payment>> {
  const statements = rows.flatMap((row) => Statement.safeParse(trimmed(row)).data ?? []);
  const named = new Set(statements.flatMap(({ payment_id }) => payment_id ?? []));
  const found = new Map<string, Payment>();
  if (named.size === 0) return found;
  let pages = 0;
  const list = walk(call, undefined, (page_token: string | undefined) => {
    const query = { sort_field: 'create_time', page_size: PAGE_SIZE, page_token };
    return askList(call, { method: 'GET', path: '/finance/202309/payments', query }, 'payments');
  });
  for await (const payments of list) {
    for (const row of payments) {
      const payment = Payment.safeParse(trimmed(row)).data;
      if (payment && named.has(payment.id)) found.set(payment.id, payment);
    }
    pages += 1;
    if (found.size === named.size || pages === MOST_PAYMENT_PAGES) break;
  }
  return found;
}

/** @throws ZodError with the path of the first wrong field */
export function toSettlement(row: unknown, payments: ReadonlyMap<string, Payment>): SourceSettlement {
  const statement = Statement.parse(trimmed(row));
  const payment = payments.get(statement.payment_id ?? '');
  const native = statement.payment_status ?? payment?.status ?? '';
  return {
    id: statement.id,
    status: inTable(STATUSES, native) ?? 'pending',
    marketplaceStatus: native,
    currency: statement.currency,
    gross: statement.revenue_amount,
    // Told as what it does to the money, so it is below zero.
    fees: statement.fee_amount && multiply(statement.fee_amount, -1),
    net: statement.settlement_amount,
    from: null,
    to: statement.statement_time,
    paidAt: payment?.paid_time ?? null,
    reference: statement.payment_id,
    changedAt: null,
    raw: JSON.stringify(row),
  };
}

function sumUnpaid(
  sums: Readonly<Record<string, string>>,
  statements: readonly Statement[],
): Record<string, string> {
  const found: Record<string, string> = { ...sums };
  for (const { currency, payment_status, settlement_amount } of statements) {
    const sum = (found[currency] ?? '0') as Decimal;
    const isDue = payment_status !== 'PAID';
    found[currency] = isDue ? add(sum, settlement_amount) : sum;
  }
  return found;
}

function isAfter(moment: Instant | null, since: Instant): boolean {
  return moment === null || Temporal.Instant.compare(moment, since) >= 0;
}

function secondsOf(instant: Instant): number {
  return Math.floor(instant.epochMilliseconds / 1000);
}
