import type { ReadScope } from '../../platform/db/database.ts';
import { statementsOf } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderFilters } from './filters.ts';

/** The position of a walk: the sort key of the last order that was returned. */
export type Position =
  | {
      readonly order: 'created';
      readonly newestFirst: number;
      readonly marketplace: string;
      readonly accountId: string;
      readonly id: string;
    }
  | { readonly order: 'updated'; readonly after: Instant };

/** The orders of a page, joined by the database: JSON texts with `SEPARATOR` between them. */
interface PageText {
  readonly text: string | null;
  readonly count: number;
}

/** JSON text has no line break of its own, so this occurs only between orders. */
export const SEPARATOR = ',\n';

interface PageRequest {
  readonly filters: OrderFilters;
  /** ISO 8601; only a walk by change is bounded by it. */
  readonly asOf: string;
  readonly position: Position | null;
  readonly limit: number;
}

const NEWEST_FIRST = 'newest_first, marketplace, account_id, id';
const OLDEST_CHANGE_FIRST = 'last_updated';
const statementFor = statementsOf<PageText>('orders.page');

/**
 * Reads one page by keyset. Each combination of filters is a statement of its own whose sort order
 * is an index, so a page costs the same at any depth. A list of values becomes one index walk per
 * value, merged.
 */
export async function pageOfOrders(scope: ReadScope, request: PageRequest): Promise<PageText> {
  const { text, values } = compose(request);
  const [[orders = null, count = null] = []] = await scope.texts(statementFor(text), values);
  return { text: orders, count: Number(count) };
}

/** The query's text depends on which conditions there are, never on their values. */
export function compose({ filters, asOf, position, limit }: PageRequest): {
  text: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  // $1 is the organisation.
  const bind = (value: unknown, type: string) => `$${values.push(value) + 1}::${type}`;
  const conditions = ['organization_id = $1'];
  const lists: { column: string; parameter: string }[] = [];

  const pin = (column: string, wanted: readonly string[]) => {
    if (wanted.length === 1) conditions.push(`${column} = ${bind(wanted[0], 'text')}`);
    if (wanted.length > 1) lists.push({ column, parameter: bind(wanted, 'text[]') });
  };
  const { from, to, updatedSince, status, marketplace, accountId, ...unread } = filters;
  // A filter without a condition does not compile.
  unread satisfies Readonly<Record<string, never>>;
  pin('status', status);
  pin('marketplace', marketplace);
  pin('account_id', accountId);
  // −creation is the sort key, so the bounds change sides; parts of a millisecond are cut as in
  // date_created.
  if (from) conditions.push(`newest_first <= ${bind(-ceilMillis(from), 'bigint')}`);
  if (to) conditions.push(`newest_first >= ${bind(-to.epochMilliseconds, 'bigint')}`);
  if (updatedSince) {
    const since =
      position?.order === 'updated'
        ? `> ${bind(position.after.toString(), 'timestamptz')}`
        : `>= ${bind(updatedSince.toString(), 'timestamptz')}`;
    conditions.push(`last_updated ${since}`, `last_updated < ${bind(asOf, 'timestamptz')}`);
  }
  if (position?.order === 'created') {
    const key = [
      bind(position.newestFirst, 'bigint'),
      bind(position.marketplace, 'text'),
      bind(position.accountId, 'text'),
      bind(position.id, 'text'),
    ];
    conditions.push(`(${NEWEST_FIRST}) > (${key.join(', ')})`);
  }

  const order = updatedSince ? OLDEST_CHANGE_FIRST : NEWEST_FIRST;
  const most = bind(limit, 'int');
  return {
    text:
      lists.length === 0 ? plain(conditions, order, most) : merged(lists, conditions, order, most),
    values,
  };
}

function plain(conditions: string[], order: string, most: string): string {
  return joined(
    `select list_json from orders where ${conditions.join(' and ')} order by ${order} limit ${most}`,
  );
}

function merged(
  lists: { column: string; parameter: string }[],
  conditions: string[],
  order: string,
  most: string,
): string {
  const wanted = lists
    .map(({ column, parameter }) => `unnest(${parameter}) as wanted_${column} (${column})`)
    .join(' cross join ');
  const pins = lists.map(({ column }) => `${column} = wanted_${column}.${column}`);
  return joined(`select list_json from (
    select walk.* from ${wanted} cross join lateral (
      select list_json, last_updated, newest_first, marketplace, account_id, id from orders
       where ${[...conditions, ...pins].join(' and ')} order by ${order} limit ${most}
    ) as walk
  ) as walks order by ${order} limit ${most}`);
}

/** One text instead of many rows: the driver's work on rows would be most of a request. */
function joined(rows: string): string {
  return `select string_agg(list_json, e',\\n') as text, count(*)::text as count from (${rows}) as page`;
}

/** The first whole millisecond that is not before it. */
export function ceilMillis(instant: Instant): number {
  const exact = instant.epochNanoseconds % 1_000_000n === 0n;
  return exact ? instant.epochMilliseconds : instant.epochMilliseconds + 1;
}
