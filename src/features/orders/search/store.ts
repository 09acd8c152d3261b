import { bulk, type GivenBy } from '../../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { search as searchOf, statement } from '../../../platform/db/query.ts';
import type { OrderFilters } from '../filters.ts';
import type { KeyRow } from '../store-keys.ts';

const TERMS = bulk('search_terms', ['term', 'newest_first'], {
  marketplace: 'text',
  account_id: 'text',
  id: 'text',
});
export type TermRow = GivenBy<typeof TERMS>;

/**
 * As many hexadecimal digits of a digest; Node's and PostgreSQL's own hashes may change. The cast
 * is immutable where `convert_to` is stable, which Citus refuses in a deletion.
 */
const digest = (text: string, digits: number) =>
  `left(encode(sha256(replace(${text}, '\\', '\\\\')::bytea), 'hex'), ${digits})`;

/**
 * Eight bytes in place of an order's identity: one of its marketplace, one of its account, six of
 * them all. Two orders share it once in 10¹⁴ pairs of one millisecond; then a search may show both.
 */
const keyOf = (row: string) =>
  `('x' || ${digest(`${row}.marketplace`, 2)} || ${digest(`${row}.account_id`, 2)}
    || ${digest(`${row}.marketplace || '/' || ${row}.account_id || '/' || ${row}.id`, 12)})::bit(64)::bigint`;

/** Whether a byte of the key can be that of one of the texts; none given = any. */
const mayBeOf = (shift: number, texts: string) =>
  `(cardinality(${texts}::text[]) = 0 or ((order_key >> ${shift}) & 255) = any (
     select ('x' || ${digest('text', 2)})::bit(8)::int from unnest(${texts}) as text))`;

const ADD = TERMS.statement(
  'orders.add-terms',
  (given) => `insert into search_terms (organization_id, term, newest_first, order_key)
   select $1, term, newest_first, ${keyOf('given')} from ${given} on conflict do nothing`,
);

export async function addTerms(scope: WriteScope, rows: readonly TermRow[]): Promise<void> {
  if (rows.length > 0) await scope.prepared(ADD, ADD.values([], rows));
}

const REMOVE = TERMS.statement(
  'orders.remove-terms',
  (given) => `delete from search_terms t using ${given}
    where t.organization_id = $1 and t.term = given.term and t.newest_first = given.newest_first
      and t.order_key = ${keyOf('given')}`,
);

export async function removeTerms(scope: WriteScope, rows: readonly TermRow[]): Promise<void> {
  if (rows.length > 0) await scope.prepared(REMOVE, REMOVE.values([], rows));
}

const TITLES = bulk('order_titles', ['title']);
const ADD_TITLES = TITLES.statement(
  'orders.add-titles',
  (given) => `insert into order_titles (organization_id, title)
   select $1, title from ${given} on conflict do nothing`,
);

export async function addTitles(scope: WriteScope, titles: readonly string[]): Promise<void> {
  if (titles.length === 0) return;
  const rows = titles.map((title) => ({ title }));
  await scope.prepared(ADD_TITLES, ADD_TITLES.values([], rows));
}

const TITLES_WITH = statement<{ title: string }>(
  'orders.titles-with',
  `select title from order_titles where organization_id = $1 and title like all($2::text[])
    limit $3`,
);

/** Titles with all of these words. */
export async function titlesWith(
  scope: ReadScope,
  words: readonly string[],
  limit: number,
): Promise<string[]> {
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return (await scope.prepared(TITLES_WITH, [patterns, limit])).map(({ title }) => title);
}

/** Jumps from term to term, so that a term of many orders costs as much as one of a few. */
const BEGINNING = statement<{ term: string }>(
  'orders.terms-beginning',
  `with recursive met (term) as (
     (select term from search_terms
       where organization_id = $1 and term >= $2::text and term < $3::text order by term limit 1)
     union all
     select (select t.term from search_terms t
              where t.organization_id = $1 and t.term > met.term and t.term < $3
              order by t.term limit 1)
       from met where met.term is not null)
   select term from met where term is not null limit $4`,
);

const LAST_CHARACTER = '\u{10ffff}';

/** The different terms that begin so, in their order. */
export async function termsBeginning(
  scope: ReadScope,
  prefix: string,
  limit: number,
): Promise<string[]> {
  const values = [prefix, `${prefix}${LAST_CHARACTER}`, limit];
  return (await scope.prepared(BEGINNING, values)).map(({ term }) => term);
}

/** An order's position in a search. */
export interface Position {
  readonly newest_first: number;
  /** An integer of 64 bits. */
  readonly order_key: string;
}

interface Found extends Position {
  /** Null = it has the terms, and not what else is wanted. */
  readonly list_json: string | null;
}

/** The filters of lists that an order is looked up by, once its terms are found. */
type KeptFilters = Omit<OrderFilters, 'from' | 'to' | 'updatedSince'>;

interface Wanted extends KeptFilters {
  /** Any of these terms; each is an index walk of its own. */
  readonly terms: readonly string[];
  /** Or this id; null = none. */
  readonly id: string | null;
  /** And one of each of these, where there are any. */
  readonly payment: readonly string[];
  readonly fulfillment: readonly string[];
  readonly tag: readonly string[];
  /** Bounds of the position, both included. */
  readonly first: number;
  readonly last: number;
  readonly after: Position;
  /** Of the orders with the terms that are looked at. */
  readonly most: number;
}

const HAS = (terms: string) => `(cardinality(${terms}::text[]) = 0 or exists (
        select 1 from search_terms h
         where h.organization_id = $1 and h.term = any(${terms})
           and h.newest_first = walked.newest_first and h.order_key = walked.order_key))`;

const IS_HERE = `(newest_first, order_key) > ($4::bigint, $5::bigint)
        and newest_first between $6::bigint and $7::bigint
        and ${mayBeOf(56, '$8')} and ${mayBeOf(48, '$9')}`;

/** A millisecond with many orders is read once, and not once for each of them. */
const SEARCH = statement<Found>(
  'orders.search',
  `with walked as materialized (
     select newest_first, order_key from (
       select walk.* from unnest($2::text[]) as wanted (term) cross join lateral (
         select newest_first, order_key from search_terms t
          where t.organization_id = $1 and t.term = wanted.term and ${IS_HERE}
          order by newest_first, order_key limit $13) as walk
       union
       (select newest_first, order_key from (
         select o.newest_first, ${keyOf('o')} as order_key from orders o
          where o.organization_id = $1 and o.id = $3 offset 0) as named where ${IS_HERE} limit $13)
     ) as any_of_them order by newest_first, order_key limit $13),
   placed as materialized (
     select o.*, ${keyOf('o')} as order_key
       from (select distinct newest_first from walked) as moment cross join lateral (
         select newest_first, marketplace, account_id, id from orders
          where organization_id = $1 and newest_first = moment.newest_first offset 0) as o)
   select walked.newest_first, walked.order_key::text as order_key, found.list_json
     from walked left join placed using (newest_first, order_key) left join lateral (
       select o.list_json from orders o
        where o.organization_id = $1 and o.marketplace = placed.marketplace
          and o.account_id = placed.account_id and o.id between placed.id and placed.id
          and (cardinality($8::text[]) = 0 or o.marketplace = any($8))
          and (cardinality($9::text[]) = 0 or o.account_id = any($9))
          and (cardinality($10::text[]) = 0 or o.status = any($10))
          and ${HAS('$11')} and ${HAS('$12')} and ${HAS('$14')}
        order by o.id limit 1) as found on true
    order by walked.newest_first, walked.order_key`,
);

/** Orders with the terms, newest first. */
export function search(
  scope: ReadScope,
  { terms, id, payment, fulfillment, tag, first, last, after, most, ...kept }: Wanted,
): Promise<Found[]> {
  const { marketplace, accountId, status, ...unread } = kept;
  // A filter without a condition does not compile.
  unread satisfies Readonly<Record<string, never>>;
  return scope.prepared(SEARCH, [
    ...[terms, id, after.newest_first, after.order_key, first, last],
    ...[marketplace, accountId, status, payment, fulfillment, most, tag],
  ]);
}

const PLACED = bulk('search_terms', ['newest_first'], {
  marketplace: 'text',
  account_id: 'text',
  id: 'text',
});

const TAGGED = PLACED.statement<KeyRow & { readonly term: string }>(
  'orders.tagged',
  (given) => `select given.marketplace, given.account_id, given.id, found.term
     from ${given} cross join lateral (
       select t.term from search_terms t
        where t.organization_id = $1 and t.term = any($2::text[])
          and t.newest_first = given.newest_first and t.order_key = ${keyOf('given')}) as found
    order by found.term`,
);

/** Which of the terms these orders have. */
export function tagged(
  scope: ReadScope,
  terms: readonly string[],
  orders: readonly GivenBy<typeof PLACED>[],
): Promise<(KeyRow & { readonly term: string })[]> {
  return scope.prepared(TAGGED, TAGGED.values([terms], orders));
}

/** An order with several of the terms is one. */
const COUNT_TAGGED = statement<{ count: number }>(
  'orders.count-tagged',
  `select count(distinct (newest_first, order_key))::int4 as count
     from unnest($2::text[]) as wanted (term) cross join lateral (
       select newest_first, order_key from search_terms t
        where t.organization_id = $1 and t.term = wanted.term
        order by newest_first, order_key limit $3) as walk`,
);

/** Orders with any of the terms; of each term as many as the limit at most. */
export async function countTagged(
  scope: ReadScope,
  terms: readonly string[],
  limit: number,
): Promise<number> {
  const [row] = await scope.prepared(COUNT_TAGGED, [terms, limit]);
  return row?.count ?? 0;
}

const WAITING = searchOf<{ organization_id: string }>(
  'orders.waiting-for-terms',
  () => 'select organization_id from order_term_builds order by organization_id',
);

export async function waiting(handle: Handle): Promise<string[]> {
  return (await handle.search(WAITING, [])).map((row) => row.organization_id);
}

/** How far the older orders have got their terms. */
interface Build extends KeyRow {
  /** All have had them once. */
  readonly is_repeated: boolean;
}

/** Undefined = all have them. */
export async function buildOf(scope: ReadScope): Promise<Build | undefined> {
  return scope.first(
    scope.select('order_term_builds').select(['marketplace', 'account_id', 'id', 'is_repeated']),
  );
}

export async function moveBuild(scope: WriteScope, to: KeyRow): Promise<void> {
  await scope.rows(scope.update('order_term_builds').set(to));
}

export async function repeatBuild(scope: WriteScope): Promise<void> {
  const begin = { marketplace: '', account_id: '', id: '', is_repeated: true };
  await scope.rows(scope.update('order_term_builds').set(begin));
}

export async function endBuild(scope: WriteScope): Promise<void> {
  await scope.rows(scope.remove('order_term_builds'));
}
