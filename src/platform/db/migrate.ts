import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/index.ts';

const LOCK = 7_406_001;

/**
 * Brings the schema up to date, one transaction a migration, one process at a time.
 * @returns the names of those applied now.
 */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect();
  const applied: string[] = [];
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const done = new Set(rows.map((row) => row.name));
    for (const { name, sql } of MIGRATIONS) {
      if (done.has(name)) continue;
      await client.query(`begin; ${sql}; insert into migrations (name) values ('${name}'); commit`);
      applied.push(name);
    }
    return applied;
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
