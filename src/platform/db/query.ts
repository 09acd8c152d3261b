import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
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

/**
 * A hot query, prepared once per connection under its name. In one organisation's scope `$1` is the
 * organisation. Arrays travel as texts, and each is cast where it stands: `$2::uuid[]`.
 */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string): Statement<Row> {
  return { name, text: text.replace(ARRAY_OF_OTHERS, '$1::text[]::$2') };
}

const ARRAY_OF_OTHERS = /(\$\d+)::((?!text\b)\w+\[\])/g;
