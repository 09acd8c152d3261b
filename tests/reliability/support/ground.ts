/** A PostgreSQL of the test's own, which it may kill. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { configOf } from '../../../src/environment.ts';
import { JOBS } from '../../../src/exchange/jobs/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../../src/platform/db/database.ts';
import { type EmbeddedServer, openEmbedded } from '../../../src/platform/db/embedded.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { installQueue } from '../../../src/platform/queue.ts';
import { type Ending, eventually, MASTER_KEY } from './processes.ts';

export interface Ground {
  /** The variable that points an instance at a database of its own here, with the schema ready. */
  place(): Promise<Env>;
  /**
   * Immediate shutdown, as a crash: connections are cut, and only what was committed is there
   * afterwards.
   */
  crash(): Promise<void>;
  /** After a crash. */
  start(): Promise<void>;
}

export type Env = Readonly<Record<string, string>>;

const TEMPLATE = 'template_of_places';

export async function openGround(t: Ending): Promise<Ground> {
  const dataDir = makeFolder(t);
  const servers: EmbeddedServer[] = [await openEmbedded({ dataDir })];
  const [{ host, port, user, database, home }] = servers as [EmbeddedServer];
  t.after(async () => {
    for (const server of servers) await server.close();
  });
  const envOf = (name: string) => ({ DATABASE_URL: urlOf({ host, port, user, database: name }) });
  const create = async (name: string) => {
    const client = new pg.Client({ host, port, user, database });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
  };
  await create(TEMPLATE);
  await prepare(envOf(TEMPLATE).DATABASE_URL);

  let places = 0;
  return {
    async place() {
      const name = `place_${++places}`;
      await create(`${name} template ${TEMPLATE}`);
      return envOf(name);
    },
    crash: () => quit(join(home, 'cluster/postmaster.pid')),
    async start() {
      servers.push(await openEmbedded({ dataDir }));
    },
  };
}

async function prepare(databaseUrl: string): Promise<void> {
  const database = openAt(databaseUrl);
  await migrate(database);
  await installQueue(database, JOBS);
  await database.close();
}

/** A folder that the database user may pass through; removed after the test. */
export function makeFolder(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'tianguis-test-'));
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function urlOf(address: {
  host: string;
  port: number;
  user: string;
  database: string;
}): string {
  const url = new URL(`postgres://${address.user}@localhost:${address.port}/${address.database}`);
  url.searchParams.set('host', address.host);
  return url.href;
}

/** The product's own handle on a database, for tests that do what another process would. */
export function openHandle(t: Ending, databaseUrl: string): Database {
  const database = openAt(databaseUrl);
  t.after(() => database.close());
  return database;
}

function openAt(databaseUrl: string): Database {
  return openDatabase({
    address: { url: databaseUrl },
    clock: systemClock,
    keyring: configOf({ MASTER_KEY }).secrets.keyring,
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
}

/** A plain client that outlives the crash of its server. */
export async function openClient(t: Ending, databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end().catch(() => {}));
  return client;
}

/** Kills the postmaster's whole family at once. */
export async function quit(pidFile: string): Promise<void> {
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  process.kill(pid, 'SIGQUIT');
  if (!(await eventually(() => !isAlive(pid), 60_000))) throw new Error('PostgreSQL did not quit');
}

export function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync('/proc/self/stat')) return canSignal(pid);
  try {
    const text = readFileSync(stat, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
