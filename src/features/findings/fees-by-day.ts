import type { Marketplace } from '../../connectors/contract.ts';
import { add, compare, type Decimal, ZERO } from '../../platform/money.ts';
import type { DayOfFees } from './store-organization.ts';

export type FeesByDay = ReadonlyMap<Marketplace, ReadonlyMap<string, Decimal>>;

/** By marketplace and day. */
export function feesOf(days: readonly DayOfFees[]): FeesByDay {
  const byMarketplace = Map.groupBy(days, ({ marketplace }) => marketplace);
  return new Map(
    [...byMarketplace].map(([marketplace, its]) => [
      marketplace,
      new Map(its.map(({ day, fees }) => [day, fees])),
    ]),
  );
}

/** The marketplaces with fees of a month that were not all given back. */
export function chargingIn(fees: FeesByDay, month: string): Marketplace[] {
  const first = Temporal.PlainDate.from(`${month}-01`);
  return [...fees.keys()].filter((one) => compare(feesFrom(fees, one, first), ZERO) !== 0);
}

/** The fees of a month that begins on any day. */
export function feesFrom(
  fees: FeesByDay,
  marketplace: Marketplace,
  first: Temporal.PlainDate,
): Decimal {
  const [from, to] = [first.toString(), first.add({ months: 1 }).toString()];
  const within = [...(fees.get(marketplace) ?? [])].filter(([day]) => day >= from && day < to);
  return add(ZERO, ...within.map(([, amount]) => amount));
}
