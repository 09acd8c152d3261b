import { z } from 'zod';
import {
  type Figures,
  SALES_FILTERS,
  type SalesGroup,
  salesSummary,
} from '../../../features/sales/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { compare, type Decimal, perCentOf, subtract, ZERO } from '../../../platform/money.ts';
import { defineRead, toAmount } from '../operation.ts';

const DAYS_OF_A_WEEK = 7;
/** The totals are of all groups, whatever their number. */
const TOTALS_ALONE = 1;

const Day = z.object({
  day: z.string(),
  /** One a currency. */
  totals: z.array(
    z.object({ currency: z.string(), orders: z.int(), units: z.int(), gross: z.number() }),
  ),
});

/** The sales of today and of the same weekday a week before, both whole days of the organisation's time zone. */
export const todaySalesOperation = defineRead({
  action: 'read_sales',
  capability: null,
  input: inputOf({}),
  output: z.object({ today: Day, week_before: Day, is_complete: z.boolean() }),
  async run({ scope, clock, organization: { timezone } }) {
    const today = clock.now().toZonedDateTimeISO(timezone).toPlainDate();
    const now = await salesOf(scope, today, timezone);
    const before = await salesOf(scope, today.subtract({ days: DAYS_OF_A_WEEK }), timezone);
    return {
      today: { day: now.from, totals: now.totals.map(totalsOf) },
      week_before: { day: before.from, totals: before.totals.map(totalsOf) },
      is_complete: now.isComplete,
    };
  },
});

function salesOf(scope: ReadScope, date: Temporal.PlainDate, timezone: string) {
  const day = date.toString();
  const period = { from: day, to: day, marketplace: [], timezone };
  return salesSummary(scope, { ...period, groupBy: 'day', limit: TOTALS_ALONE });
}

function totalsOf({ currency, orders, units, gross }: Figures) {
  return { currency, orders, units, gross: toAmount(gross) };
}

/** Of a period: what bounds its days, weeks and months, each once a currency. */
const MOST_DAYS = 400;
const MOST_PRODUCTS = 100;
/** So many are looked through for those of the period before. */
const MOST_FORMER_PRODUCTS = 2_000;

const Sums = z.object({
  orders: z.int(),
  units: z.int(),
  gross: z.number(),
  refunds: z.number(),
  net: z.number(),
  /** Null without orders. */
  average_ticket: z.number().nullable(),
});
const Group = Sums.extend({
  /** A day, the Monday of a week, a month, a marketplace or a product. */
  key: z.string(),
  title: z.string().nullable(),
  currency: z.string(),
  /** Of marketplaces and products: in the period before; null = not compared, or not known. */
  before: z.object({ gross: z.number(), change: z.number().nullable() }).nullable(),
});
const Total = Sums.extend({
  currency: z.string(),
  orders_without_total: z.int(),
  cancelled: z.int(),
  /** Of the period before, by `spanBefore`. */
  before: Sums,
  /** The change of `gross` since then, in per cent; null where there was nothing. */
  change: z.number().nullable(),
});
const Span = z.object({ from: z.string(), to: z.string() });

/** Days are those of the organisation. */
const { timezone: _, ...FILTERS } = SALES_FILTERS;

/** The sales of a period beside those of the period before, grouped. */
export const salesSummaryOperation = defineRead({
  action: 'read_sales',
  capability: null,
  input: inputOf(FILTERS),
  output: z.object({
    timezone: z.string(),
    period: Span,
    before: Span,
    /** One a currency; amounts of two currencies are never added. */
    totals: z.array(Total),
    groups: z.array(Group),
    has_more: z.boolean(),
    is_complete: z.boolean(),
  }),
  async run({ scope, organization: { timezone } }, given) {
    const query = { ...given, timezone };
    const before = spanBefore(query);
    const [limit, formerLimit] = limitsOf(query.groupBy);
    const now = await salesSummary(scope, { ...query, limit });
    const then = await salesSummary(scope, { ...query, ...before, limit: formerLimit });
    return {
      timezone: now.timezone,
      period: { from: now.from, to: now.to },
      before,
      totals: comparedTotals(now.totals, then.totals),
      groups: comparedGroups(now, then),
      has_more: now.hasMore,
      is_complete: now.isComplete && then.isComplete,
    };
  },
});

interface Days {
  readonly from: string;
  readonly to: string;
}

/**
 * Of one day the same weekday of the week before. The same days of the month before, or of the week
 * before, where the period begins with one and stays in it; else as many days as it has.
 * @throws Failure invalid_request
 */
function spanBefore({ from, to }: Days): Days {
  const [first, last] = [from, to].map((day) => Temporal.PlainDate.from(day)) as [
    Temporal.PlainDate,
    Temporal.PlainDate,
  ];
  const days = first.until(last).days + 1;
  if (days < 1) throw invalid('to', 'El último día no puede ser anterior al primero.');
  if (days > MOST_DAYS) throw invalid('to', `El periodo puede tener hasta ${MOST_DAYS} días.`);
  const shift = shiftOf(first, last, days);
  const isWholeMonth = 'months' in shift && last.day === last.daysInMonth;
  const end = last.subtract(shift);
  return {
    from: first.subtract(shift).toString(),
    to: (isWholeMonth ? end.with({ day: end.daysInMonth }) : end).toString(),
  };
}

function shiftOf(first: Temporal.PlainDate, last: Temporal.PlainDate, days: number) {
  if (days === 1) return { days: DAYS_OF_A_WEEK };
  if (first.day === 1 && last.toPlainYearMonth().equals(first.toPlainYearMonth()))
    return { months: 1 };
  return { days: first.dayOfWeek === 1 && days < DAYS_OF_A_WEEK ? DAYS_OF_A_WEEK : days };
}

function comparedTotals(now: readonly Figures[], then: readonly Figures[]) {
  const currencies = [...new Set([...now, ...then].map(({ currency }) => currency))].sort();
  const of = (figures: readonly Figures[], currency: string) =>
    figures.find((one) => one.currency === currency);
  return currencies.map((currency) => {
    const [current, former] = [of(now, currency), of(then, currency)];
    return {
      currency,
      ...sumsOf(current),
      orders_without_total: current?.ordersWithoutTotal ?? 0,
      cancelled: current?.cancelled.orders ?? 0,
      before: sumsOf(former),
      change: changeOf(current?.gross ?? ZERO, former?.gross ?? ZERO),
    };
  });
}

function changeOf(now: Decimal, then: Decimal): number | null {
  if (compare(then, ZERO) <= 0) return null;
  return toAmount(perCentOf(subtract(now, then), then));
}

function sumsOf(figures: Figures | undefined) {
  return {
    orders: figures?.orders ?? 0,
    units: figures?.units ?? 0,
    gross: toAmount(figures?.gross ?? ZERO),
    refunds: toAmount(figures?.refunds ?? ZERO),
    net: toAmount(figures?.net ?? ZERO),
    average_ticket: figures?.averageTicket ? toAmount(figures.averageTicket) : null,
  };
}

type GroupsOf = Pick<Awaited<ReturnType<typeof salesSummary>>, 'groupBy' | 'groups' | 'hasMore'>;

/** The most groups of the period, and of the one before. */
function limitsOf(groupBy: GroupsOf['groupBy']): readonly [number, number] {
  if (groupBy === 'product') return [MOST_PRODUCTS, MOST_FORMER_PRODUCTS];
  const all = Number.MAX_SAFE_INTEGER;
  return [all, groupBy === 'marketplace' ? all : TOTALS_ALONE];
}

/** A marketplace that sold before and does not now is a group too. */
function comparedGroups(now: GroupsOf, then: GroupsOf) {
  const isCompared = now.groupBy === 'marketplace' || now.groupBy === 'product';
  if (!isCompared) return now.groups.map((group) => ({ ...groupOf(group), before: null }));
  const keyOf = ({ key, currency }: SalesGroup) => `${currency} ${key}`;
  const former = new Map(then.groups.map((group) => [keyOf(group), group.gross]));
  const groups = now.groups.map((group) => {
    const gross = former.get(keyOf(group));
    const isKnown = gross !== undefined || !then.hasMore;
    return { ...groupOf(group), before: isKnown ? beforeOf(group.gross, gross ?? ZERO) : null };
  });
  if (now.groupBy === 'product') return groups;
  const known = new Set(now.groups.map(keyOf));
  const gone = then.groups.filter((group) => !known.has(keyOf(group)));
  return [
    ...groups,
    ...gone.map(({ key, title, currency, gross }) => ({
      ...{ key, title, currency, ...sumsOf(undefined) },
      before: beforeOf(ZERO, gross),
    })),
  ];
}

function beforeOf(now: Decimal, then: Decimal) {
  return { gross: toAmount(then), change: changeOf(now, then) };
}

function groupOf({ key, title, ...figures }: SalesGroup) {
  return { key, title, currency: figures.currency, ...sumsOf(figures) };
}
