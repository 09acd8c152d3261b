import { add, type Decimal, decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Read, SourceBalance, Stream } from '../contract.ts';
import { type TokenPosition, tokenInPagesOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import {
  isAfter,
  listStatements,
  PAGE_SIZE,
  PAID,
  STATEMENTS,
  Statement,
  UNPAID_DAYS,
} from './statements.ts';
import { trimmed } from './wire.ts';

interface Position extends TokenPosition {
  /** By currency. */
  readonly sums: Readonly<Record<string, string>>;
}

/** Of the shops in Mexico. */
const CURRENCY = 'MXN';

/**
 * There is no call for a balance: unpaid statements are pending. A statement that cannot be read
 * would make the sum wrong, so here it stops the sync run; with one that is too large the sum is
 * unknown.
 */
export const balances: Stream<SourceBalance, TiktokShopCredentials> = {
  every: { minutes: 60 },
  overlap: { minutes: 0 },
  addsUp: true,
  pageSize: PAGE_SIZE,

  async page(call, { window, position, limit }) {
    const at = positionOf(position);
    const fitting = tokenInPagesOf(limit, at);
    const since = window.to.subtract({ hours: 24 * UNPAID_DAYS });
    const { rows, next } = await listStatements(call, fitting, { sort_order: 'DESC', since });
    const statements = rows.map((row) => Statement.parse(trimmed(row)));
    const recent = statements.filter(({ statement_time }) => isAfter(statement_time, since));
    // A list that begins anew is summed up anew.
    const sums = sumUnpaid(fitting.token === null ? {} : at.sums, recent);
    // Newest first: the first one that is too old ends it, whether or not the bound was heeded.
    if (next && recent.length === statements.length)
      return { items: [], next: JSON.stringify({ token: next, size: fitting.size, sums }) };
    const items = Object.entries(sums).map(([currency, sum]) =>
      balanceOf(currency, decimal(sum), window.to),
    );
    return { items, next: null };
  },

  /** The token to what lies behind a row comes with it. */
  async tooLarge(_, { window, position }) {
    const known = Object.keys(positionOf(position).sums);
    const currencies = known.length > 0 ? known : [CURRENCY];
    const items = currencies.map((currency) => balanceOf(currency, null, window.to));
    return { items: [tooLargeIn(STATEMENTS), ...items], next: null };
  },
};

function positionOf(position: string | null): Position {
  return { token: null, size: PAGE_SIZE, sums: {}, ...(position && JSON.parse(position)) };
}

function balanceOf(currency: string, pending: Decimal | null, asOf: Instant): Read<SourceBalance> {
  return {
    ok: true,
    item: { purse: '', currency, available: null, pending, asOf, isDerived: true },
  };
}

function sumUnpaid(
  sums: Readonly<Record<string, string>>,
  statements: readonly Statement[],
): Record<string, string> {
  const found: Record<string, string> = { ...sums };
  for (const { currency, payment_status, settlement_amount } of statements) {
    const sum = (found[currency] ?? '0') as Decimal;
    const isDue = payment_status !== PAID;
    found[currency] = isDue ? add(sum, settlement_amount) : sum;
  }
  return found;
}
