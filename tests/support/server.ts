import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Address, Database } from '../../src/platform/db/database.ts';

/** The database server that `tests/run.ts` prepared, and its migrated template. */
const SERVER = JSON.parse(process.env.TEST_SERVER ?? 'null') as
  | { url: string }
  | { host: string; port: number; user: string }
  | null;
const TEMPLATE = 'tianguis_test_template';
/** Copies of files are cheap where none of them is flushed to a disk. */
const COPYING = SERVER && 'host' in SERVER ? 'strategy file_copy' : '';

export function addressOf(database: string): Address {
  if (!SERVER) throw new Error('run the tests with npm test');
  if (!('url' in SERVER)) return { ...SERVER, database };
  const url = new URL(SERVER.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

export function atServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return atDatabase('postgres', work);
}

export async function atDatabase<T>(
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const address = addressOf(database);
  const client = new pg.Client(
    'url' in address ? { connectionString: address.url } : { ...address },
  );
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Until statements of so many sessions wait for what another one has locked. */
export async function someoneWaits(database: Database, count = 1): Promise<void> {
  const waiting =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const look = () => database.write((handle) => handle.sql(waiting, []));
  for (let looks = 0; (await look()).length < count; looks++) {
    if (looks === 2_000) throw new Error('no session waits');
    await sleep(10);
  }
}

let cloned: Promise<string> | null = null;
let made: string[] = [];
let count = 0;

/** A migrated database of this test file's own. */
export function ownDatabase(): Promise<string> {
  cloned ??= freshDatabase();
  return cloned;
}

export function freshDatabase(): Promise<string> {
  return databaseFrom(TEMPLATE);
}

/** Without a table, as an operator makes one. */
export function emptyDatabase(): Promise<string> {
  return databaseFrom('template0');
}

async function databaseFrom(template: string): Promise<string> {
  const name = `tianguis_test_${process.pid}_${++count}`;
  made.push(name);
  await atServer((client) =>
    client.query(`create database ${name} template ${template} ${COPYING}`),
  );
  return name;
}

/** After a test file: those of a whole run would fill the memory. The next file has others. */
export async function dropOwnDatabases(): Promise<void> {
  const names = made;
  made = [];
  cloned = null;
  if (names.length === 0) return;
  await atServer(async (client) => {
    for (const name of names) await client.query(`drop database if exists ${name} with (force)`);
  });
}
