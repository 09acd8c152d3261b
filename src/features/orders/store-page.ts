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

/** A column that a walk keeps at a value, in SQL. */
interface Pin {
  readonly column: string;
  readonly value: string;
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
  const lists: string[] = [];
  const pins: Pin[] = [];

  const pin = (column: string, wanted: readonly string[]) => {
    if (wanted.length === 1) pins.push({ column, value: bind(wanted[0], 'text') });
    if (wanted.length < 2) return;
    lists.push(`unnest(${bind(wanted, 'text[]')}) as wanted_${column} (${column})`);
    pins.push({ column, value: `wanted_${column}.${column}` });
  };
  // The end of a walk is compared together with its last pin: an index without that column does not
  // end there, so the planner takes the one that has it, also before there are statistics.
  const end = (column: string, comparison: '<' | '<=', value: string) => {
    const key = [...pins.slice(-1), { column, value }];
    const [columns, values] = [key.map((part) => part.column), key.map((part) => part.value)];
    conditions.push(`(${columns}) ${comparison} (${values})`);
  };
  const { from, to, updatedSince, status, marketplace, accountId, ...unread } = filters;
  // A filter without a condition does not compile.
  unread satisfies Readonly<Record<string, never>>;
  pin('marketplace', marketplace);
  pin('status', status);
  // No index has an account beside another filter.
  if (pins.length === 0) pin('account_id', accountId);
  else if (accountId.length > 0) conditions.push(`account_id = any(${bind(accountId, 'text[]')})`);
  conditions.push(...pins.map(({ column, value }) => `${column} = ${value}`));
  // −creation is the sort key, so the bounds change sides; parts of a millisecond are cut as in
  // date_created. A position by creation is beyond `to`.
  if (from) end('newest_first', '<=', bind(-ceilMillis(from), 'bigint'));
  if (to && position?.order !== 'created')
    conditions.push(`newest_first >= ${bind(-to.epochMilliseconds, 'bigint')}`);
  if (updatedSince) {
    const since =
      position?.order === 'updated'
        ? `> ${bind(position.after.toString(), 'timestamptz')}`
        : `>= ${bind(updatedSince.toString(), 'timestamptz')}`;
    conditions.push(`last_updated ${since}`);
    end('last_updated', '<', bind(asOf, 'timestamptz'));
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
  const walk = `from orders where ${conditions.join(' and ')} order by ${order} limit ${most}`;
  const rows = lists.length === 0 ? `select list_json ${walk}` : merged(lists, walk, order, most);
  return { text: joined(rows), values };
}

function merged(lists: readonly string[], walk: string, order: string, most: string): string {
  return `select list_json from (
    select walk.* from ${lists.join(' cross join ')} cross join lateral (
      select list_json, ${order} ${walk}
    ) as walk
  ) as walks order by ${order} limit ${most}`;
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
