import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Address, Database } from '../../src/platform/db/database.ts';

/** Where a run's databases are. */
export type ServerAddress =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string };

/** Each test file clones it. */
export const TEMPLATE = 'tianguis_test_template';
/** The server that `test-server.ts` prepared. */
const SERVER = JSON.parse(process.env.TEST_SERVER ?? 'null') as ServerAddress | null;
/** Copies of files are cheap where none of them is flushed to a disk. */
const COPYING = SERVER && 'host' in SERVER ? 'strategy file_copy' : '';

export function addressOf(database: string): Address {
  if (!SERVER) throw new Error('run the tests with npm test');
  return addressAt(SERVER, database);
}

export function addressAt(server: ServerAddress, database: string): Address {
  if (!('url' in server)) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

export function atServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return atDatabase('postgres', work);
}

export function atDatabase<T>(
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return connectedTo(addressOf(database), work);
}

export async function connectedTo<T>(
  address: Address,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
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
