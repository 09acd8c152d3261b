import { add, type Decimal, divide, subtract, ZERO } from '../../platform/money.ts';
import type { ProductRow, RefundsRow, SalesRow } from './store-summary.ts';
import { NO_SALE } from './sums.ts';

/** The sales of one group, in one currency. Amounts of two currencies are never added. */
export interface Figures {
  readonly currency: string;
  /** Sales with a total; cancelled and wholly refunded orders are not sales. */
  readonly orders: number;
  /** Sales whose total the marketplace does not report (yet): they are in no other figure. */
  readonly ordersWithoutTotal: number;
  readonly units: number;
  readonly gross: Decimal;
  /** Refunds of these sales so far, at any time. */
  readonly refunds: Decimal;
  /** `gross` less `refunds`. */
  readonly net: Decimal;
  /** `gross` per order; null without orders. */
  readonly averageTicket: Decimal | null;
  /** Left out of everything above; by the day of the sale. */
  readonly cancelled: Out;
  readonly refunded: Out;
  /** Refunds made in this group's time, of sales at any time; null where it is unknown. */
  readonly refundsMade: { readonly refunds: number; readonly amount: Decimal } | null;
  /**
   * Refunds of this group's sales, cancelled ones included, that have no date and so no time of
   * their own.
   */
  readonly undatedRefunds: Decimal;
}

interface Out {
  readonly orders: number;
  readonly gross: Decimal;
}

export interface SalesGroup extends Figures {
  readonly key: string;
  /** Only of products. */
  readonly title: string | null;
}

/** What several groups of one currency add up to. */
export interface SumOfGroups {
  readonly currency: string;
  readonly groups: number;
  readonly units: number;
  readonly gross: Decimal;
}

/** The statuses in the figures: sales, or each status by itself. */
type Counted = 'sales' | 'every status';

/**
 * One group per key and currency, in the order of keys. `made` null = the time of refunds is
 * unknown.
 */
export function groupsOf(
  rows: readonly SalesRow[],
  made: readonly RefundsRow[] | null,
  counted: Counted,
): SalesGroup[] {
  const sold = Map.groupBy(rows, nameOf);
  const refunds = Map.groupBy(made ?? [], nameOf);
  const names = [...new Set([...sold.keys(), ...refunds.keys()])].sort();
  return names.map((name) => {
    const [key = '', currency = ''] = name.split('\n');
    const own = refunds.get(name) ?? [];
    return {
      key,
      title: null,
      ...figuresOf(currency, sold.get(name) ?? [], counted),
      refundsMade: made && {
        refunds: sumOf(own.map(({ refunds }) => refunds)),
        amount: add(...own.map(({ amount }) => amount)),
      },
    };
  });
}

/** Products have no refunds: a refund does not name its goods. */
export function productGroupOf({
  product,
  title,
  currency,
  orders,
  units,
  gross,
}: ProductRow): SalesGroup {
  const averageTicket = divide(gross, orders, 2);
  const none = { ordersWithoutTotal: 0, refunds: ZERO, undatedRefunds: ZERO, refundsMade: null };
  const out = { cancelled: { orders: 0, gross: ZERO }, refunded: { orders: 0, gross: ZERO } };
  return {
    key: product,
    title,
    currency,
    orders,
    units,
    gross,
    net: gross,
    averageTicket,
    ...none,
    ...out,
  };
}

/** One a currency. Of a list that is cut, each product knows the sums of all. */
export function allProductsOf(products: readonly ProductRow[]): SumOfGroups[] {
  const first = new Map(products.map((product) => [product.currency, product]));
  return [...first.values()].map(({ currency, allProducts, allUnits, allGross }) => ({
    currency,
    groups: allProducts,
    units: allUnits,
    gross: allGross,
  }));
}

/** One a currency. */
export function sumsOf(groups: readonly SalesGroup[]): SumOfGroups[] {
  return [...Map.groupBy(groups, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    groups: own.length,
    units: sumOf(own.map(({ units }) => units)),
    gross: add(...own.map(({ gross }) => gross)),
  }));
}

/** What is left of `all` beside the groups that are shown, in the currencies that have any. */
export function othersOf(all: readonly SumOfGroups[], shown: readonly SalesGroup[]): SumOfGroups[] {
  const seen = new Map(sumsOf(shown).map((sum) => [sum.currency, sum]));
  return all
    .map(({ currency, groups, units, gross }) => ({
      currency,
      groups: groups - (seen.get(currency)?.groups ?? 0),
      units: units - (seen.get(currency)?.units ?? 0),
      gross: subtract(gross, seen.get(currency)?.gross ?? ZERO),
    }))
    .filter(({ groups }) => groups > 0)
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

function figuresOf(
  currency: string,
  rows: readonly SalesRow[],
  counted: Counted,
): Omit<Figures, 'refundsMade'> {
  const sales = counted === 'sales' ? rows.filter(({ status }) => !NO_SALE.includes(status)) : rows;
  const orders = sumOf(sales.map((row) => row.orders));
  const gross = add(...sales.map((row) => row.gross));
  const refunds = add(...sales.map((row) => row.refunds));
  return {
    currency,
    orders,
    ordersWithoutTotal: sumOf(sales.map((row) => row.ordersWithoutTotal)),
    units: sumOf(sales.map((row) => row.units)),
    gross,
    refunds,
    net: subtract(gross, refunds),
    averageTicket: orders === 0 ? null : divide(gross, orders, 2),
    cancelled: outOf(rows, 'cancelled'),
    refunded: outOf(rows, 'refunded'),
    undatedRefunds: add(...rows.map((row) => row.undatedRefunds)),
  };
}

function outOf(rows: readonly SalesRow[], status: SalesRow['status']): Out {
  const out = rows.filter((row) => row.status === status);
  return {
    orders: sumOf(out.map((row) => row.orders)),
    gross: add(...out.map((row) => row.gross)),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function nameOf({ key, currency }: { key: string; currency: string }): string {
  return `${key}\n${currency}`;
}
