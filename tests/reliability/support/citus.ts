/** A Citus coordinator and two workers of a test's own. */
import { globSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { knownStatements, type Statement } from '../../../src/platform/db/query.ts';
import { runHere } from '../../support/command.ts';
import { type Ending, MASTER_KEY } from './processes.ts';
import { ask, openServer } from './streaming.ts';

/** The programs of a PostgreSQL that has Citus; `.ci/run` prepares them where CITUS_DIR is. */
const BIN = process.env.CITUS_BIN;
/** Why a test of Citus cannot run here; false when it can. */
export const noCitus: string | false = BIN
  ? false
  : 'needs CITUS_BIN, the programs of a PostgreSQL with Citus';
const SETTINGS = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: 200,
  wal_level: 'logical',
  'citus.node_connection_timeout': 2_000,
  // What the proxies read.
  'citus.node_conninfo': 'sslmode=disable',
};

/** Three servers, with a schema at the coordinator; none of them has the extension yet. */
export async function openServers(end: Ending) {
  const coordinator = await openServer(end, SETTINGS, BIN);
  const workers = [await openServer(end, SETTINGS, BIN), await openServer(end, SETTINGS, BIN)];
  const env = {
    DATABASE_URL: coordinator.url,
    DATABASE_KIND: 'citus',
    MASTER_KEY,
    ...(process.env.REDIS_URL && { REDIS_URL: process.env.REDIS_URL }),
  };
  const migrated = await runHere(['migrate', '--json'], env);
  if (migrated.code !== 0) throw new Error(migrated.stdout);
  return { env, coordinator: coordinator.url, workers };
}

/** @param ports where the coordinator reaches the workers, which have the extension */
export async function addWorkers(coordinator: string, ports: readonly string[]): Promise<void> {
  const { port } = new URL(coordinator);
  await ask(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${port})`);
  for (const at of ports) await ask(coordinator, `select citus_add_node('127.0.0.1', ${at})`);
}

/** The tables of organisations are on both workers, and each second phase of a commit is late. */
export async function openDistributed(end: Ending, lateMs: number) {
  const { env, coordinator, workers } = await openServers(end);
  const proxies: Awaited<ReturnType<typeof delayCommits>>[] = [];
  for (const { url } of workers) proxies.push(await delayCommits(end, new URL(url).port, lateMs));
  for (const url of [coordinator, ...workers.map((worker) => worker.url)])
    await ask(url, 'create extension citus');
  await addWorkers(
    coordinator,
    proxies.map(({ port }) => String(port)),
  );
  const made = await runHere(['distribute', '--shards', '4', '--json'], env);
  if (made.code !== 0) throw new Error(made.stdout);
  return {
    env,
    coordinator,
    /** Second phases that were late. */
    late: () => proxies.reduce((sum, { count }) => sum + count(), 0),
    worker: workers[1] as (typeof workers)[number],
    /** Whether the rows of an organisation are on `worker`. */
    async isOnWorker(organizationId: string): Promise<boolean> {
      const [found] = await ask(
        coordinator,
        `select nodeport from pg_dist_placement p join pg_dist_node n using (groupid)
          where p.shardid = get_shard_id_for_distribution_column('orders', '${organizationId}')`,
      );
      return found?.nodeport === proxies[1]?.port;
    },
  };
}

/** Between the coordinator and a worker. */
async function delayCommits(end: Ending, to: string, lateMs: number) {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(to), '127.0.0.1');
    const close = () => [near, far].map((socket) => socket.destroy());
    let before = Promise.resolve();
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', close).on('close', () => {
        sockets.delete(socket);
        close();
      });
    }
    near.on('data', (data) => {
      const isLate = data.includes('COMMIT PREPARED');
      if (isLate) count++;
      before = before.then(async () => {
        if (isLate) await sleep(lateMs);
        far.write(data);
      });
    });
    far.on('data', (data) => near.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  end.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, count: () => count };
}

/** SQLSTATE «feature not supported», and what a session that was lost has instead. */
const REFUSALS = new Set(['0A000', undefined]);

/**
 * Runs every statement of the stores, with values of the right types, in a transaction that is
 * rolled back.
 * @returns those that Citus refuses, or at which the coordinator loses the session
 */
export async function refusedStatements(coordinator: string): Promise<string[]> {
  for (const file of globSync('src/{features/**/store*,platform/db/*}.ts'))
    if (!file.endsWith('.test.ts')) await import(`../../../${file}`);
  const known = knownStatements();
  const names = new Set(known.map(({ name }) => name));
  // Those of all organisations that have a form for one are not run there.
  const statements = known.filter(
    ({ name, text }) =>
      !(name.startsWith('test.') || names.has(`${name}-of-one`)) &&
      !/^(begin|commit|lock table|set) /.test(text),
  );
  const refused: string[] = [];
  let client = await connectTo(coordinator);
  for (const statement of statements) {
    await client.query('begin');
    try {
      await runOnce(client, statement);
    } catch (error) {
      const { code, message } = error as pg.DatabaseError;
      if (REFUSALS.has(code)) refused.push(`${statement.name}: ${message}`);
    }
    try {
      await client.query('rollback');
    } catch {
      client = await connectTo(coordinator);
    }
  }
  await client.end();
  return refused;
}

async function runOnce(client: pg.Client, { name, text }: Statement<unknown>): Promise<void> {
  await client.query(`prepare "types of ${name}" as ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [`types of ${name}`],
  );
  const values = (rows[0]?.types ?? []).map((type, at) => {
    const inner = new RegExp(`\\$${at + 1}::text(?:\\[\\])?::(\\w+)`).exec(text)?.[1];
    const value = sampleOf(inner ?? type.replace('[]', ''));
    return type.endsWith('[]') ? [value] : value;
  });
  await client.query({ name, text, values });
}

function sampleOf(type: string): string {
  if (type === 'uuid') return '019aa000-0000-7000-8000-000000000001';
  if (type.startsWith('timestamp')) return '2026-01-01T00:00:00Z';
  if (type === 'date') return '2026-01-01';
  if (/^(big|small)?int|^int\d|^numeric/.test(type)) return '5';
  if (type.startsWith('bool')) return 'true';
  return type.startsWith('json') ? '{}' : 'a';
}

/** The server recovers after a session of it crashed. */
async function connectTo(url: string): Promise<pg.Client> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(100);
    }
  }
}
