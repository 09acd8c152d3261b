import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Instant } from '../time.ts';
import type { Schema } from './schema.ts';

/** Builds queries; it has no connection of its own, a handle runs what it builds. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** An instant as a value to compare a column with. */
export function timestamp(instant: Instant): RawBuilder<Instant> {
  return sql<Instant>`${instant.toString()}::timestamptz`;
}

/**
 * A hot query, prepared once per connection under its name. In one organisation's scope `$1` is the
 * organisation. Arrays travel as texts, and each is cast where it stands: `$2::uuid[]`;
 * those of bytes travel as they are (`bulk.ts`).
 */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly row?: Row;
}

/** By name, since each connection prepares them under it. */
const known = new Map<string, Statement<unknown>>();

/** @throws Error where another statement has this name */
export function statement<Row>(name: string, text: string): Statement<Row> {
  const made = { name, text: text.replace(ARRAY_OF_OTHERS, '$1::text[]::$2') };
  if ((known.get(name)?.text ?? made.text) !== made.text)
    throw new Error(`two statements have the name ${name}`);
  known.set(name, made);
  return made;
}

/** Finds rows of all organisations, each with its `organization_id`. */
export interface Search<Row> extends Statement<Row> {
  /** The same among organisations that are the last parameter. */
  readonly among: Statement<Row>;
}

/**
 * @param rows their statement, without its order. Where it has two tables of organisations, it
 * narrows the second one itself by what it gets: each server is asked for its own rows alone only
 * if every table is narrowed.
 * @param order with its limit, by columns of the result; absent = all, in any order
 */
export function search<Row extends { organization_id: string }>(
  name: string,
  rows: (isAmong: (column: string) => string) => string,
  order = '',
): Search<Row> {
  const all = `${rows(() => 'true')} ${order}`;
  const last = Math.max(0, ...[...all.matchAll(/\$(\d+)/g)].map(([, at]) => Number(at)));
  const isAmong = (column: string) => `${column} = any($${last + 1}::uuid[])`;
  const among = `select * from (${rows(isAmong)}) as found
    where ${isAmong('organization_id')} ${order}`;
  return { ...statement<Row>(name, all), among: statement(`${name}-among`, among) };
}

/**
 * Statements whose text depends on which conditions there are, never on their values: one for each
 * text, numbered in the order of their first use.
 */
export function statementsOf<Row>(name: string): (text: string) => Statement<Row> {
  const byText = new Map<string, Statement<Row>>();
  return (text) => {
    const made = byText.get(text) ?? statement<Row>(`${name}-${byText.size}`, text);
    byText.set(text, made);
    return made;
  };
}

/** All statements of the modules that were loaded so far. */
export function knownStatements(): readonly Statement<unknown>[] {
  return [...known.values()];
}

const ARRAY_OF_OTHERS = /(\$\d+)::((?!text\b|bytea\b)\w+\[\])/g;
