import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from './database.ts';
import { grantRows } from './grants.ts';
import { LOCK_KINDS } from './lock-kinds.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';
import { codeOf } from './unavailable.ts';

const ASK_AGAIN_MS = 100;
/** While a statement waits for a table, every later one that wants the table waits behind it. */
const LOCK_TIMEOUT = '100ms';
const LOCK_NOT_AVAILABLE = '55P03';
const TRY_AGAIN_MS = 400;
/** About ten minutes, as long as a snapshot of an export may be kept. */
const MOST_TRIES = 1_200;

/**
 * Brings the schema up to date, one process at a time, while other processes read and write.
 * @returns the names of those applied now.
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  return asOwner(database, async (client) => {
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const done = await appliedOnes(client);
    const applied: string[] = [];
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      await apply(client, migration);
      applied.push(migration.name);
    }
    await grantRows(client, database, 'public');
    return applied;
  });
}

/**
 * For changes of the schema, one process at a time, on a connection of the role that may make them.
 */
export async function asOwner<T>(
  database: Database,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await database.connectAsOwner();
  try {
    await takeLock(client);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Names of migrations. */
interface SchemaState {
  /** They are not in the database yet. */
  readonly pending: readonly string[];
  /** They are in the database, and this release does not know them: a newer one made them. */
  readonly unknown: readonly string[];
}

export async function readSchemaState(database: Database): Promise<SchemaState> {
  const client = await database.connect();
  try {
    const { rows: found } = await client.query<{ found: boolean }>(
      "select to_regclass('migrations') is not null as found",
    );
    const done = found[0]?.found ? await appliedOnes(client) : new Set<string>();
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    return {
      pending: [...known.difference(done)],
      unknown: [...done.difference(known)].toSorted(),
    };
  } finally {
    await client.end();
  }
}

async function appliedOnes(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>('select name from migrations');
  return new Set(rows.map(({ name }) => name));
}

/**
 * Asked for again and again: building an index would wait for a statement that waits here, and that
 * one for the lock.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [
      LOCK_KINDS.migration,
    ]);
    if (rows[0].taken) return;
    await pause(ASK_AGAIN_MS);
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const note = `insert into migrations (name) values ('${migration.name}')`;
  if ('sql' in migration) {
    await whenUnlocked(
      client,
      `begin; set local lock_timeout = '${LOCK_TIMEOUT}'; ${migration.sql}; ${note}; commit`,
    );
    return;
  }
  for (const [name, definition] of Object.entries(migration.indexes)) {
    await removeHalfBuilt(client, name);
    await client.query(`create index concurrently if not exists ${name} on ${definition}`);
  }
  await client.query(note);
}

/**
 * Runs a transaction again and again until no other session holds its tables.
 * @throws Error of the database after about ten minutes
 */
async function whenUnlocked(client: pg.Client, transaction: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query(transaction);
      return;
    } catch (error) {
      await client.query('rollback');
      if (codeOf(error) !== LOCK_NOT_AVAILABLE || tries === MOST_TRIES) throw error;
    }
    await pause(TRY_AGAIN_MS);
  }
}

/** What is left where building it was cut short. */
async function removeHalfBuilt(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  );
  if (rowCount) await client.query(`drop index ${name}`);
}
