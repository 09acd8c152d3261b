import { bulk, type GivenBy } from '../../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import type { KeyRow } from '../store-keys.ts';

const TERMS = bulk('order_terms', ['term', 'newest_first', 'marketplace', 'account_id', 'id']);
export type TermRow = GivenBy<typeof TERMS>;

const ADD = TERMS.statement(
  'orders.add-terms',
  (given) => `insert into order_terms (organization_id, ${TERMS.names})
   select $1, * from ${given} on conflict do nothing`,
);

export async function addTerms(scope: WriteScope, rows: readonly TermRow[]): Promise<void> {
  if (rows.length > 0) await scope.prepared(ADD, ADD.values([], rows));
}

const REMOVE = TERMS.statement(
  'orders.remove-terms',
  (given) => `delete from order_terms t using ${given}
    where t.organization_id = $1 and t.term = given.term and t.newest_first = given.newest_first
      and t.marketplace = given.marketplace and t.account_id = given.account_id
      and t.id = given.id`,
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
     (select term from order_terms
       where organization_id = $1 and term >= $2::text and term < $3::text order by term limit 1)
     union all
     select (select t.term from order_terms t
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

/** An order's place in lists. */
export interface Place extends KeyRow {
  readonly newest_first: number;
}

interface Found extends Place {
  /** Null = it has the terms, and not what else is wanted. */
  readonly list_json: string | null;
}

interface Wanted {
  /** Any of these terms; each is an index walk of its own. */
  readonly terms: readonly string[];
  /** Or this id; null = none. */
  readonly id: string | null;
  /** And one of each of these, where there are any. */
  readonly payment: readonly string[];
  readonly fulfillment: readonly string[];
  readonly status: readonly string[];
  readonly marketplace: readonly string[];
  readonly accountId: readonly string[];
  /** Bounds of the place, both included. */
  readonly first: number;
  readonly last: number;
  readonly after: Place;
  /** Of the orders with the terms that are looked at. */
  readonly most: number;
}

const HAS = (terms: string) => `(cardinality(${terms}::text[]) = 0 or exists (
        select 1 from order_terms h
         where h.organization_id = $1 and h.term = any(${terms})
           and h.newest_first = walked.newest_first and h.marketplace = walked.marketplace
           and h.account_id = walked.account_id and h.id = walked.id))`;

const IS_HERE = `(newest_first, marketplace, account_id, id) > ($4::bigint, $5::text, $6::text, $7::text)
        and newest_first between $8::bigint and $9::bigint
        and (cardinality($10::text[]) = 0 or marketplace = any($10))
        and (cardinality($11::text[]) = 0 or account_id = any($11))`;

const PLACE = 'newest_first, marketplace, account_id, id';

const SEARCH = statement<Found>(
  'orders.search',
  `with walked as materialized (
     select ${PLACE} from (
       select walk.* from unnest($2::text[]) as wanted (term) cross join lateral (
         select ${PLACE} from order_terms t
          where t.organization_id = $1 and t.term = wanted.term and ${IS_HERE}
          order by ${PLACE} limit $15) as walk
       union
       (select ${PLACE} from orders
         where organization_id = $1 and id = $3 and ${IS_HERE} order by id limit $15)
     ) as any_of_them order by ${PLACE} limit $15)
   select walked.*, found.list_json from walked left join lateral (
     select o.list_json from orders o
      where o.organization_id = $1 and o.marketplace = walked.marketplace
        and o.account_id = walked.account_id and o.id between walked.id and walked.id
        and (cardinality($12::text[]) = 0 or o.status = any($12))
        and ${HAS('$13')} and ${HAS('$14')}
      order by o.id limit 1) as found on true
    order by ${PLACE}`,
);

/** Orders with the terms, in the order of lists. */
export function search(scope: ReadScope, wanted: Wanted): Promise<Found[]> {
  const { after } = wanted;
  return scope.prepared(SEARCH, [
    wanted.terms,
    wanted.id,
    after.newest_first,
    after.marketplace,
    after.account_id,
    after.id,
    wanted.first,
    wanted.last,
    wanted.marketplace,
    wanted.accountId,
    wanted.status,
    wanted.payment,
    wanted.fulfillment,
    wanted.most,
  ]);
}

const WAITING = statement<{ organization_id: string }>(
  'orders.waiting-for-terms',
  'select organization_id from order_term_builds order by organization_id',
);

export async function waiting(handle: Handle): Promise<string[]> {
  return (await handle.raw(WAITING, [])).map((row) => row.organization_id);
}

/** The last order that got its terms; undefined = all have them. */
export async function builtUntil(scope: ReadScope): Promise<KeyRow | undefined> {
  return scope.first(scope.select('order_term_builds').select(['marketplace', 'account_id', 'id']));
}

export async function moveBuild(scope: WriteScope, to: KeyRow): Promise<void> {
  await scope.rows(scope.update('order_term_builds').set(to));
}

export async function endBuild(scope: WriteScope): Promise<void> {
  await scope.rows(scope.remove('order_term_builds'));
}
