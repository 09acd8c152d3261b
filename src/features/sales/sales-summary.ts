import { z } from 'zod';
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { choices, day, type GivenBy, wording } from '../../platform/input-fields.ts';
import { listConnections } from '../connections/index.ts';
import { readClock } from '../orders/index.ts';
import {
  allProductsOf,
  type Figures,
  groupsOf,
  othersOf,
  productGroupOf,
  type SalesGroup,
  type SumOfGroups,
  sumsOf,
} from './figures.ts';
import { type MovedDays, movedDays } from './move-days.ts';
import { waitsForRecount } from './store.ts';
import * as store from './store-summary.ts';
import { BOOKS_TIMEZONE, MIRRORED_MARKETPLACES } from './sums.ts';

export const GROUP_BY = ['day', 'week', 'month', 'marketplace', 'status', 'product'] as const;
export type GroupBy = (typeof GROUP_BY)[number];

const LONGEST_TIMEZONE = 60;
/** Of one answer, where orders change meanwhile. */
const MOST_READINGS = 4;

export const SALES_FILTERS = {
  from: day('Primer día que se cuenta.', '2026-11-01'),
  to: day('Último día que se cuenta; el mismo que from para uno solo.', '2026-11-30'),
  group_by: z
    .enum(GROUP_BY)
    .meta({ description: 'Cómo agrupar.', examples: ['week'] })
    .default('day'),
  marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', [MARKETPLACES[0]]),
  timezone: wording(
    `Zona horaria de los días; ${BOOKS_TIMEZONE} si se omite. La del panel está en get_account.`,
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
  /** The groups beyond the limit: one a currency that has some. */
  readonly others: readonly SumOfGroups[];
  /** One a currency. */
  readonly totals: readonly Figures[];
  /** Mirrored orders of these marketplaces were left out, because their own orders are counted. */
  readonly mirroredLeftOut: readonly Marketplace[];
  /** False while older orders are still being counted for the first time. */
  readonly isComplete: boolean;
}

interface Counted {
  readonly groups: readonly SalesGroup[];
  /** What all groups add up to; null = `groups` are all. */
  readonly all: readonly SumOfGroups[] | null;
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
  // Asked first: a recount may end while the sums are read.
  const isComplete = !(await waitsForRecount(scope));
  const connected = new Set((await listConnections(scope)).map(({ service }) => service));
  const mirrored = MIRRORED_MARKETPLACES.filter((slug) => connected.has(slug));
  const period: store.Period = { from, to, marketplace: query.marketplace, mirrored };
  const { groups, all, totals } = await countedAtOnce(scope, query, period, timezone);
  const shown = groups.slice(0, query.limit);
  return {
    timezone,
    from,
    to,
    groupBy: query.groupBy,
    groups: shown,
    hasMore: groups.length > query.limit,
    others: othersOf(all ?? sumsOf(groups), shown),
    totals: totals.map(({ key: _key, title: _title, ...figures }) => figures),
    mirroredLeftOut: mirrored,
    isComplete,
  };
}

/** An order that changes between the reading of orders and of sums is in one of them as it was. */
async function countedAtOnce(
  scope: ReadScope,
  query: SalesQuery,
  period: store.Period,
  timezone: string,
): Promise<Counted> {
  const days = isOfDays(query.groupBy) ? query.groupBy : 'none';
  let stamp = await readClock(scope);
  for (let left = MOST_READINGS; ; left--) {
    const moved = await movedDays(scope, period, days, timezone);
    const counted = await countedIn(scope, query, period, moved);
    const now = moved.isNone ? stamp : await readClock(scope);
    if (left === 1 || now?.toString() === stamp?.toString()) return counted;
    stamp = now;
  }
}

/**
 * A refund made between two midnights may be of any earlier sale, so in another time zone the refunds
 * made in a group are unknown.
 */
async function countedIn(
  scope: ReadScope,
  { groupBy, limit }: SalesQuery,
  period: store.Period,
  { sums, isNone }: MovedDays,
): Promise<Counted> {
  // The totals are of the same rows: an order that is stored meanwhile is in both, or in neither.
  const grouping = groupBy === 'product' ? 'total' : groupBy;
  const rows = await store.sales(scope, grouping, period, sums);
  const made = isNone ? await store.refunds(scope, grouping, period) : null;
  const totals = groupsOf(rows.map(inTotal), made?.map(inTotal) ?? null, 'sales');
  if (groupBy === 'product') {
    const products = await store.products(scope, period, sums, limit + 1);
    return { groups: products.map(productGroupOf), all: allProductsOf(products), totals };
  }
  const groups =
    groupBy === 'status' ? groupsOf(rows, null, 'every status') : groupsOf(rows, made, 'sales');
  return { groups, all: null, totals };
}

function inTotal<Row extends { readonly key: string }>(row: Row): Row {
  return { ...row, key: '' };
}

function isOfDays(groupBy: GroupBy): groupBy is 'day' | 'week' | 'month' {
  return groupBy === 'day' || groupBy === 'week' || groupBy === 'month';
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
