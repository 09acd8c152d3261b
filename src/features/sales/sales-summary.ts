import { z } from 'zod';
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { choices, day, type GivenBy, wording } from '../../platform/input-fields.ts';
import { add, compare } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import { listConnections } from '../connections/index.ts';
import { ordersOfPeriod } from '../orders/index.ts';
import { type Figures, groupsOf, productGroupOf, type SalesGroup } from './figures.ts';
import { waitsForRecount } from './store.ts';
import * as store from './store-summary.ts';
import { addOrder, BOOKS_TIMEZONE, type DaySum, emptySums, MIRRORED_MARKETPLACES } from './sums.ts';

export const GROUP_BY = ['day', 'week', 'month', 'marketplace', 'status', 'product'] as const;
export type GroupBy = (typeof GROUP_BY)[number];

/** The days of another time zone are counted from the orders themselves; at most this many. */
const MOST_ORDERS = 20_000;
const LONGEST_TIMEZONE = 60;

export const SALES_FILTERS = {
  from: day('Primer día que se cuenta.', '2026-11-01'),
  to: day('Último día que se cuenta; el mismo que from para uno solo.', '2026-11-30'),
  group_by: z
    .enum(GROUP_BY)
    .meta({ description: 'Cómo agrupar.', examples: ['week'] })
    .default('day'),
  marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', [MARKETPLACES[0]]),
  timezone: wording(
    `Zona horaria de los días; ${BOOKS_TIMEZONE} si se omite. Otra admite hasta ` +
      `${MOST_ORDERS} órdenes: pide meses por separado.`,
    'America/Tijuana',
    LONGEST_TIMEZONE,
  ),
};

/** The days are of `timezone`, both inclusive. */
export type SalesQuery = GivenBy<typeof SALES_FILTERS> & {
  /** The most groups returned; the totals are of all of them. */
  readonly limit: number;
};

interface SalesSummary {
  readonly timezone: string;
  /** The days that were counted, both inclusive. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: GroupBy;
  /** In the order of time; marketplaces and statuses by name; products by gross. */
  readonly groups: readonly SalesGroup[];
  readonly hasMore: boolean;
  /** One a currency. */
  readonly totals: readonly Figures[];
  /** Mirrored orders of these marketplaces were left out, because their own orders are counted. */
  readonly mirroredLeftOut: readonly Marketplace[];
  /** False while older orders are still being counted for the first time. */
  readonly isComplete: boolean;
}

const MOST_DAYS_COMPARED = 1_000;

interface Counted {
  readonly groups: readonly SalesGroup[];
  readonly totals: readonly SalesGroup[];
}

/**
 * The sales of a period. A sale belongs to the day of its creation; docs/sales.md defines which
 * orders count.
 * @throws Failure invalid_request
 */
export async function salesSummary(scope: ReadScope, query: SalesQuery): Promise<SalesSummary> {
  const timezone = timezoneOf(query.timezone);
  const { from, to } = query;
  const connected = new Set((await listConnections(scope)).map(({ service }) => service));
  const mirrored = MIRRORED_MARKETPLACES.filter((slug) => connected.has(slug));
  const period: store.Period = { from, to, marketplace: query.marketplace, mirrored };
  const isInBooks = hasDaysOfBooks(timezone, from, to);
  const { groups, totals } = isInBooks
    ? await fromBooks(scope, query, period)
    : await fromOrders(scope, query, period, timezone);
  return {
    timezone,
    from,
    to,
    groupBy: query.groupBy,
    groups: groups.slice(0, query.limit),
    hasMore: groups.length > query.limit,
    totals: totals.map(({ key: _key, title: _title, ...figures }) => figures),
    mirroredLeftOut: mirrored,
    isComplete: !isInBooks || !(await waitsForRecount(scope)),
  };
}

async function fromBooks(
  scope: ReadScope,
  { groupBy, limit }: SalesQuery,
  period: store.Period,
): Promise<Counted> {
  const made = await store.refunds(scope, 'total', period);
  const totals = groupsOf(await store.sales(scope, 'total', period), made, 'sales');
  if (groupBy === 'product') {
    const products = await store.products(scope, period, limit + 1);
    return { groups: products.map(productGroupOf), totals };
  }
  const rows = await store.sales(scope, groupBy, period);
  if (groupBy === 'status') return { groups: groupsOf(rows, null, 'every status'), totals };
  return { groups: groupsOf(rows, await store.refunds(scope, groupBy, period), 'sales'), totals };
}

/** Refunds of sales before the period are not read here, so the refunds made in it are unknown. */
async function fromOrders(
  scope: ReadScope,
  { groupBy }: SalesQuery,
  { from, to, marketplace, mirrored }: store.Period,
  timezone: string,
): Promise<Counted> {
  const [start, end] = [
    Temporal.PlainDate.from(from),
    Temporal.PlainDate.from(to).add({ days: 1 }),
  ];
  const { count, orders } = await ordersOfPeriod(
    scope,
    midnightOf(start, timezone),
    midnightOf(end, timezone),
    MOST_ORDERS + 1,
  );
  if (count > MOST_ORDERS)
    throw invalid(
      'timezone',
      `En ese periodo hay demasiadas órdenes para otra zona horaria. Acórtalo o usa ${BOOKS_TIMEZONE}.`,
    );
  const sums = emptySums(timezone);
  for await (const order of orders) addOrder(sums, order, 1);
  const isWanted = (sum: { marketplace: string; storefront: string }) =>
    (marketplace.length === 0 || marketplace.includes(sum.marketplace)) &&
    !mirrored.includes(sum.storefront);
  const days = [...sums.days.values()].filter(isWanted);
  const totals = groupsOf(rowsBy(days, 'total'), null, 'sales');
  if (groupBy === 'product') {
    const products = [...sums.products.values()].filter(isWanted);
    return { groups: bestOf(products).map(productGroupOf), totals };
  }
  const counted = groupBy === 'status' ? 'every status' : 'sales';
  return { groups: groupsOf(rowsBy(days, groupBy), null, counted), totals };
}

/** Whether a time zone has the days of the books: Monterrey, for one, does. */
function hasDaysOfBooks(timezone: string, from: string, to: string): boolean {
  if (timezone === BOOKS_TIMEZONE) return true;
  const end = Temporal.PlainDate.from(to).add({ days: 1 });
  let day = Temporal.PlainDate.from(from);
  if (day.until(end).days > MOST_DAYS_COMPARED) return false;
  for (; Temporal.PlainDate.compare(day, end) <= 0; day = day.add({ days: 1 }))
    if (!midnightOf(day, timezone).equals(midnightOf(day, BOOKS_TIMEZONE))) return false;
  return true;
}

function midnightOf(day: Temporal.PlainDate, timezone: string): Instant {
  return day.toZonedDateTime(timezone).toInstant();
}

const KEY_OF: Readonly<Record<store.Grouping, (sum: DaySum) => string>> = {
  total: () => '',
  day: ({ day }) => day,
  week: ({ day }) => {
    const date = Temporal.PlainDate.from(day);
    return date.subtract({ days: date.dayOfWeek - 1 }).toString();
  },
  month: ({ day }) => day.slice(0, 7),
  marketplace: ({ marketplace }) => marketplace,
  status: ({ status }) => status,
};

function rowsBy(days: readonly DaySum[], grouping: store.Grouping): store.SalesRow[] {
  return days.map((sum) => ({ ...sum, key: KEY_OF[grouping](sum) }));
}

/** In the database's order: the best of each currency before the second of any. */
function bestOf(sums: readonly store.ProductRow[]): store.ProductRow[] {
  const groups = Map.groupBy(sums, ({ product, currency }) => `${product}\n${currency}`);
  const rows = [...groups.values()].map((parts) => ({
    ...(parts[0] as store.ProductRow),
    orders: parts.reduce((sum, { orders }) => sum + orders, 0),
    units: parts.reduce((sum, { units }) => sum + units, 0),
    gross: add(...parts.map(({ gross }) => gross)),
  }));
  const byCurrency = Map.groupBy(rows, ({ currency }) => currency);
  return [...byCurrency.values()]
    .flatMap((own) =>
      own
        .sort((a, b) => compare(b.gross, a.gross) || (a.product < b.product ? -1 : 1))
        .map((row, place) => ({ row, place })),
    )
    .sort((a, b) => a.place - b.place || (a.row.currency < b.row.currency ? -1 : 1))
    .map(({ row }) => row);
}

function timezoneOf(given: string | null): string {
  if (given === null) return BOOKS_TIMEZONE;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    throw invalid(
      'timezone',
      `La zona horaria «${given}» no existe. Un ejemplo: ${BOOKS_TIMEZONE}.`,
    );
  }
}
