import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { MIGRATIONS, type Migration } from '../src/platform/db/migrations/index.ts';
import { at } from './data.ts';

const DATABASE = 'bench_migrations';
/** Those up to this one were made before the first installation, and may read whole tables. */
const LAST_UNRULED = '0049-timezones';
const PROBE_EVERY_MS = 5;
/** Where a table has several rows of one. */
const ORGANIZATIONS = 1_000;

/**
 * Applies each migration to tables with so many rows, while another session asks for a writer's
 * lock of these tables again and again.
 * @param server its URL; a database of its own is made there and removed
 * @param chosen beginnings of the names of those that are measured; none = all
 * @returns a line for each migration, of a table in Markdown
 */
export async function measureMigrations(
  server: string,
  rows: number,
  chosen: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  await at(server, (client) => client.query(`drop database if exists ${DATABASE} with (force)`));
  await at(server, (client) => client.query(`create database ${DATABASE}`));
  const url = new URL(server);
  url.pathname = `/${DATABASE}`;
  const first = 1 + MIGRATIONS.findIndex(({ name }) => name === LAST_UNRULED);
  await applyAll(url.href, MIGRATIONS.slice(0, first));
  say(`\n| migration | tables with ${rows} rows | took | a writer waited at most |`);
  say('|---|---|---|---|');
  const full = new Set<string>();
  for (let last = first; last < MIGRATIONS.length; last++) {
    const migration = MIGRATIONS[last] as Migration;
    if (chosen.length > 0 && !chosen.some((beginning) => migration.name.startsWith(beginning))) {
      await applyAll(url.href, MIGRATIONS.slice(0, last + 1));
      continue;
    }
    const tables = await at(url.href, (client) => tablesOf(client, migration));
    for (const table of tables.filter((name) => !full.has(name))) {
      await at(url.href, (client) => fill(client, table, rows));
      full.add(table);
    }
    const probe = openProbe(url.href, tables);
    const began = performance.now();
    await applyAll(url.href, MIGRATIONS.slice(0, last + 1));
    const took = performance.now() - began;
    const waited = await probe.stop();
    say(
      `| \`${migration.name}\` | ${tables.join(', ') || '–'} | ${shown(took)} | ${tables.length > 0 ? shown(waited) : '–'} |`,
    );
  }
  await at(server, (client) => client.query(`drop database ${DATABASE} with (force)`));
}

async function applyAll(url: string, migrations: readonly Migration[]): Promise<void> {
  const database = openDatabase({
    ...{ address: { url }, clock: systemClock, readerTimeoutSeconds: 60 },
    onIdleError: () => {},
  });
  try {
    await migrate(database, migrations);
  } finally {
    await database.close();
  }
}

/** Those that are there before it. */
async function tablesOf(client: pg.ClientBase, migration: Migration): Promise<string[]> {
  const text = 'sql' in migration ? migration.sql : Object.values(migration.indexes).join('\n');
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const changed =
    'sql' in migration
      ? /\b(?:alter table|update|delete from|insert into| on)\s+(\w+)/g
      : /^(\w+)/gm;
  const named = new Set([...text.matchAll(changed)].map(([, name]) => name));
  return rows.map(({ name }) => name).filter((name) => named.has(name));
}

/** Rows of a thousand organisations; what a check would refuse is let in. */
async function fill(client: pg.ClientBase, table: string, count: number): Promise<void> {
  const { rows: keys } = await client.query(
    `select 1 from pg_index where indrelid = $1::regclass and indisprimary and indkey::text = (
       select attnum::text from pg_attribute
        where attrelid = $1::regclass and attname = 'organization_id')`,
    [table],
  );
  const organizations = keys.length > 0 ? count : ORGANIZATIONS;
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `select attname::text as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        and attidentity = ''`,
    [table],
  );
  const { rows: checks } = await client.query<{ name: string }>(
    `select conname::text as name from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  for (const { name } of checks) await client.query(`alter table ${table} drop constraint ${name}`);
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
     select ${columns.map(({ name, type }) => sampleOf(name, type, organizations)).join(', ')}
       from generate_series(1, ${count}) as n`,
  );
  await client.query(`vacuum analyze ${table}`);
}

function sampleOf(name: string, type: string, organizations: number): string {
  if (name === 'organization_id')
    return `('00000000-0000-7000-8000-' || lpad((n % ${organizations})::text, 12, '0'))::uuid`;
  if (type === 'uuid') return `('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid`;
  if (type.endsWith('[]')) return `'{}'`;
  if (type.startsWith('timestamp')) return `'2026-01-01'::timestamptz + n * interval '1 second'`;
  if (type === 'date') return `'2026-01-01'::date + n % 365`;
  if (/int|numeric|double|real/.test(type)) return type === 'smallint' ? 'n % 1000' : 'n';
  if (type === 'boolean') return 'n % 2 = 0';
  if (type === 'bytea') return `decode(lpad(to_hex(n), 64, '0'), 'hex')`;
  if (type.startsWith('json') || name === 'data' || name === 'envelope') return `'{"id":"a"}'`;
  return `'value ' || n`;
}

/** Takes the lock that writers take, and measures the longest wait for it in milliseconds. */
function openProbe(url: string, tables: readonly string[]) {
  let goesOn = tables.length > 0;
  let longest = 0;
  const done = at(url, async (client) => {
    while (goesOn) {
      const began = performance.now();
      await client.query(`begin; lock table ${tables.join(', ')} in row exclusive mode; commit`);
      longest = Math.max(longest, performance.now() - began);
      await pause(PROBE_EVERY_MS);
    }
  });
  return {
    async stop(): Promise<number> {
      goesOn = false;
      await done;
      return longest;
    },
  };
}

function shown(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${milliseconds.toFixed(0)} ms`
    : `${(milliseconds / 1_000).toFixed(1)} s`;
}
