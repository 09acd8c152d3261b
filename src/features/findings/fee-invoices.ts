import type { Marketplace } from '../../connectors/contract.ts';
import {
  absolute,
  add,
  compare,
  type Decimal,
  decimal,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import { type FeesByDay, feesFrom } from './fees-by-day.ts';
import type { MonthOfInvoices } from './store-organization.ts';

/** Documents may be rounded to whole pesos. */
const PESO = decimal('1');

/** What of a month's invoices is not explained by the fees of the marketplaces that did not explain theirs. */
interface Unexplained {
  readonly amount: Decimal;
  readonly expected: Decimal;
}

/**
 * Compares what was invoiced in a month, one sum an issuer, with the fees of as many marketplaces: of
 * that month or the one before, or of a month that begins on another day and ended in one of them.
 * @returns null = all of it is explained
 */
export function unexplainedOf(
  month: string,
  issued: readonly MonthOfInvoices[],
  marketplaces: readonly Marketplace[],
  fees: FeesByDay,
): Unexplained | null {
  const last = Temporal.PlainDate.from(`${month}-01`);
  const wholeMonths = (one: Marketplace) =>
    [last, last.subtract({ months: 1 })]
      .map((first) => feesFrom(fees, one, first))
      .filter((amount) => compare(amount, ZERO) !== 0);
  if (isSumOf(issued, marketplaces.map(wholeMonths))) return null;
  const left = new Set(marketplaces);
  const others = issued.filter(({ total }) => {
    const own = [...left].find((one) =>
      monthsEndingNear(last).some((first) => isNear(total, feesFrom(fees, one, first))),
    );
    return own === undefined || !left.delete(own);
  });
  if (isSumOf(others, [...left].map(wholeMonths))) return null;
  const expected = add(ZERO, ...[...left].map((one) => feesFrom(fees, one, last)));
  const total = add(ZERO, ...others.map((one) => one.total));
  return { amount: subtract(total, expected), expected };
}

export function isNear(amount: Decimal, other: Decimal): boolean {
  return compare(absolute(subtract(amount, other)), PESO) < 0;
}

/** Whether the invoices are, together, one of the sums of each marketplace. */
function isSumOf(issued: readonly MonthOfInvoices[], either: readonly Decimal[][]): boolean {
  let sums: Decimal[] = [ZERO];
  for (const ofOne of either) sums = sums.flatMap((sum) => ofOne.map((one) => add(sum, one)));
  const total = add(ZERO, ...issued.map((one) => one.total));
  return sums.some((sum) => isNear(total, sum));
}

/** The first days of months that ended in a calendar month, or in the one before. */
function monthsEndingNear(last: Temporal.PlainDate): Temporal.PlainDate[] {
  const first = last.subtract({ months: 2 }).add({ days: 1 });
  const days = last.since(first, { largestUnit: 'days' }).days;
  return Array.from({ length: days + 1 }, (_, number) => first.add({ days: number }));
}
