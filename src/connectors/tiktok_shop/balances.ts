import { add, type Decimal, decimal } from '../../platform/money.ts';
import type { SourceBalance, Stream } from '../contract.ts';
import { placeOfPages, type TokenPlace } from '../paging.ts';
import type { TiktokShopCredentials } from './credentials.ts';
import { isAfter, listStatements, PAGE_SIZE, PAID, Statement, UNPAID_DAYS } from './statements.ts';
import { trimmed } from './wire.ts';

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
