import type { OrderStatus } from '../../connectors/contract.ts';
import type { BulkStatement } from '../../platform/db/bulk.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import { DAYS, PRODUCTS, type Row } from './store.ts';
import type { Sums } from './sums.ts';

/** The keys that sums are grouped by; `total` is one group of all. */
export const GROUPINGS = ['total', 'day', 'week', 'month', 'marketplace', 'status'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Period {
  /** Days, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** Empty = all. */
  readonly marketplace: readonly string[];
  /** Mirrored orders of these are left out, because their own orders are there. */
  readonly mirrored: readonly string[];
}

/** Orders of one group in one status. */
export interface SalesRow {
  readonly key: string;
  readonly status: OrderStatus;
  readonly currency: string;
  readonly orders: number;
  readonly ordersWithoutTotal: number;
  readonly units: number;
  readonly gross: Decimal;
  readonly refunds: Decimal;
  readonly undatedRefunds: Decimal;
}

export interface RefundsRow {
  readonly key: string;
  readonly currency: string;
  readonly refunds: number;
  readonly amount: Decimal;
}

export interface ProductRow {
  readonly product: string;
  readonly title: string;
  readonly currency: string;
  readonly orders: number;
  readonly units: number;
  readonly gross: Decimal;
  /** Of all products of its currency. */
  readonly allProducts: number;
  readonly allUnits: number;
  readonly allGross: Decimal;
}

/** Weeks begin on Monday and are named by it. */
const KEYS: Readonly<Record<Grouping, string>> = {
  total: `''::text`,
  day: 'day::text',
  week: `to_char(date_trunc('week', day::timestamp), 'YYYY-MM-DD')`,
  month: `to_char(day, 'YYYY-MM')`,
  marketplace: 'marketplace',
  status: 'status',
};

const PERIOD = `day between $2::date and $3::date
  and (cardinality($4::text[]) = 0 or marketplace = any($4)) and storefront <> all($5::text[])`;

/** The stored sums, and beside them what is moved between their days for another time zone. */
const withMoved = (table: 'sales_days' | 'sales_products', names: string, given: string) =>
  `(select ${names} from ${table} where organization_id = $1 and ${PERIOD}
    union all select ${names} from ${given} where ${PERIOD}) as sums`;

const SALES: Readonly<Record<Grouping, BulkStatement<Row, SalesRow>>> = byGrouping(
  (key, grouping) =>
    DAYS.rows.statement<SalesRow>(
      `sales.by-${grouping}`,
      (given) => `select ${key} as key, status, currency, sum(orders)::bigint as orders,
            sum(orders_without_total)::bigint as "ordersWithoutTotal", sum(units)::bigint as units,
            sum(gross) as gross, sum(refunds) as refunds, sum(undated_refunds) as "undatedRefunds"
       from ${withMoved('sales_days', DAYS.rows.names, given)}
      group by 1, 2, 3 having sum(orders) <> 0 or sum(orders_without_total) <> 0`,
    ),
);

const REFUNDS = byGrouping((key, grouping) =>
  statement<RefundsRow>(
    `sales.refunds-by-${grouping}`,
    `select ${grouping === 'status' ? KEYS.total : key} as key, currency, sum(refunds)::bigint as refunds,
            sum(amount) as amount
       from sales_refunds where organization_id = $1 and ${PERIOD} group by 1, 2 having sum(refunds) <> 0`,
  ),
);

/**
 * So many of each currency; the best of each before the second of any: amounts of two currencies are
 * not compared.
 */
const BEST: BulkStatement<Row, ProductRow> = PRODUCTS.rows.statement<ProductRow>(
  'sales.by-product',
  (given) => `select product, title, currency, orders, units, gross,
            "allProducts", "allUnits", "allGross" from (
     select product, max(title) as title, currency, sum(orders)::bigint as orders, sum(units)::bigint as units,
            sum(gross) as gross,
            row_number() over (partition by currency order by sum(gross) desc, product) as place,
            count(*) over (partition by currency) as "allProducts",
            (sum(sum(units)) over (partition by currency))::bigint as "allUnits",
            sum(sum(gross)) over (partition by currency) as "allGross"
       from ${withMoved('sales_products', PRODUCTS.rows.names, given)}
      group by product, currency having sum(orders) <> 0) as best
    where place <= $6 order by place, currency`,
);

export function sales(
  scope: ReadScope,
  grouping: Grouping,
  period: Period,
  moved: Sums,
): Promise<SalesRow[]> {
  const statement = SALES[grouping];
  return scope.prepared(statement, statement.values(valuesOf(period), DAYS.rowsOf(moved)));
}

/**
 * By the day on which they were made. Refunds have no status of their own: by status they are one
 * group.
 */
export function refunds(
  scope: ReadScope,
  grouping: Grouping,
  period: Period,
): Promise<RefundsRow[]> {
  return scope.prepared(REFUNDS[grouping], valuesOf(period));
}

/** @param most of each currency */
export function products(
  scope: ReadScope,
  period: Period,
  moved: Sums,
  most: number,
): Promise<ProductRow[]> {
  const values = BEST.values([...valuesOf(period), most], PRODUCTS.rowsOf(moved));
  return scope.prepared(BEST, values);
}

function valuesOf({ from, to, marketplace, mirrored }: Period): unknown[] {
  return [from, to, marketplace, mirrored];
}

function byGrouping<Made>(
  make: (key: string, grouping: Grouping) => Made,
): Readonly<Record<Grouping, Made>> {
  return Object.fromEntries(
    GROUPINGS.map((grouping) => [grouping, make(KEYS[grouping], grouping)]),
  ) as Record<Grouping, Made>;
}
