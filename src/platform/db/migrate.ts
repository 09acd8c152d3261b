import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from './database.ts';
import { grantRows } from './grants.ts';
import { LOCK_KINDS } from './lock-kinds.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

const ASK_AGAIN_MS = 100;

/**
 * Brings the schema up to date, one process at a time.
 * @returns the names of those applied now.
 */
export function migrate(database: Database): Promise<string[]> {
  return asOwner(database, async (client) => {
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const done = new Set(rows.map((row) => row.name));
    const applied: string[] = [];
    for (const migration of MIGRATIONS) {
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

/** Names of migrations that are not in the database yet. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const client = await database.connect();
  try {
    const { rows: found } = await client.query<{ found: boolean }>(
      "select to_regclass('migrations') is not null as found",
    );
    if (!found[0]?.found) return MIGRATIONS.map(({ name }) => name);
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const done = new Set(rows.map((row) => row.name));
    return MIGRATIONS.map(({ name }) => name).filter((name) => !done.has(name));
  } finally {
    await client.end();
  }
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
    await client.query(`begin; ${migration.sql}; ${note}; commit`);
    return;
  }
  for (const [name, definition] of Object.entries(migration.indexes)) {
    await removeHalfBuilt(client, name);
    await client.query(`create index concurrently if not exists ${name} on ${definition}`);
  }
  await client.query(note);
}

/** What is left where building it was cut short. */
async function removeHalfBuilt(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  );
  if (rowCount) await client.query(`drop index ${name}`);
}
