import { z } from 'zod';
import { add, type Decimal, decimal, multiply } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Call, SourceBalance, SourceSettlement, Stream } from '../contract.ts';
import {
  amount,
  currency,
  id,
  inTable,
  optional,
  readEach,
  looseText as text,
  tooLargeIn,
} from '../kit.ts';
import { walk } from '../lists.ts';
import { placeOfPages, type TokenPlace, tokenPlaceOf } from '../paging.ts';
import { askList } from './ask.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { time, trimmed } from './wire.ts';

const PAGE_SIZE = 100;
const STATEMENTS = '/finance/202309/statements';
/** A statement is paid within weeks; older unpaid ones are not waited for. */
const UNPAID_DAYS = 90;
/** So many are looked through for those that the statements of one page name. */
const MOST_PAYMENTS = 1_000;

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
  pageSize: PAGE_SIZE,

  async page(call, { window, position, limit }) {
    const place = placeOfPages(limit, tokenPlaceOf(position, PAGE_SIZE));
    const { rows, next } = await listStatements(call, place, {
      sort_order: 'ASC',
      since: window.from,
    });
    const payments = await findPayments(call, rows, limit);
    const items = readEach(rows, (row) => toSettlement(row, payments));
    return { items, next: next && JSON.stringify({ token: next, size: place.size }) };
  },

  /**
   * The token to what lies behind a statement comes with it: the rest of the list is left out of
   * this pass.
   */
  async tooLarge() {
    return { items: [tooLargeIn(STATEMENTS)], next: null };
  },
};

/**
 * There is no call for a balance: unpaid statements are pending. A statement that cannot be read
 * would make the sum wrong, so here it stops the sync run.
 */
export const balances: Stream<SourceBalance, TiktokShopCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  addsUp: true,
  pageSize: PAGE_SIZE,

  async page(call, { window, position, limit }) {
    const at: TokenPlace & { sums: Record<string, string> } = {
      ...{ token: null, size: PAGE_SIZE, sums: {} },
      ...(position && JSON.parse(position)),
    };
    const place = placeOfPages(limit, at);
    const since = window.to.subtract({ hours: 24 * UNPAID_DAYS });
    const { rows, next } = await listStatements(call, place, { sort_order: 'DESC', since });
    const statements = rows.map((row) => Statement.parse(trimmed(row)));
    const recent = statements.filter(({ statement_time }) => isAfter(statement_time, since));
    // A list that begins anew is summed up anew.
    const sums = sumUnpaid(place.token === null ? {} : at.sums, recent);
    // Newest first: the first one that is too old ends it, whether or not the bound was heeded.
    if (next && recent.length === statements.length)
      return { items: [], next: JSON.stringify({ token: next, size: place.size, sums }) };
    const items = Object.entries(sums).map(([currency, sum]) => ({
      ok: true as const,
      item: {
        purse: '',
        currency,
        available: null,
        pending: decimal(sum),
        asOf: window.to,
        isDerived: true,
      },
    }));
    return { items, next: null };
  },
};

function listStatements(
  call: Call<unknown>,
  { token, size }: TokenPlace,
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

/**
 * Payments are listed by their own time only, newest first, until all that are named were found.
 */
async function findPayments(
  call: Call<unknown>,
  rows: readonly unknown[],
  page_size: number,
): Promise<Map<string, Payment>> {
  const statements = rows.flatMap((row) => Statement.safeParse(trimmed(row)).data ?? []);
  const named = new Set(statements.flatMap(({ payment_id }) => payment_id ?? []));
  const found = new Map<string, Payment>();
  if (named.size === 0) return found;
  let seen = 0;
  const list = walk(call, undefined, (page_token: string | undefined) => {
    const query = { sort_field: 'create_time', page_size, page_token };
    return askList(call, { method: 'GET', path: '/finance/202309/payments', query }, 'payments');
  });
  for await (const payments of list) {
    for (const row of payments) {
      const payment = Payment.safeParse(trimmed(row)).data;
      if (payment && named.has(payment.id)) found.set(payment.id, payment);
    }
    seen += payments.length;
    if (found.size === named.size || seen >= MOST_PAYMENTS) break;
  }
  return found;
}

/** @throws ZodError with the path of the first wrong field */
export function toSettlement(
  row: unknown,
  payments: ReadonlyMap<string, Payment>,
): SourceSettlement {
  const statement = Statement.parse(trimmed(row));
  const payment = payments.get(statement.payment_id ?? '');
  const native = statement.payment_status ?? payment?.status ?? '';
  return {
    id: statement.id,
    status: inTable(STATUSES, native) ?? 'pending',
    marketplaceStatus: native,
    currency: statement.currency,
    gross: statement.revenue_amount,
    // Given as its effect on the money, so it is negative.
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
