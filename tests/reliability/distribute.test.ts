import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TENANT } from '../../src/platform/db/table-homes.ts';
import { runHere } from '../support/command.ts';
import { type Ending, lastFirst, MASTER_KEY } from './support/processes.ts';
import { ask, openServer } from './support/streaming.ts';

// Tables on a Citus coordinator and two workers.

/** The programs of a PostgreSQL that has Citus; `.ci/run` prepares them where CITUS_DIR is. */
const BIN = process.env.CITUS_BIN;
const noCitus: string | false = BIN
  ? false
  : 'needs CITUS_BIN, the programs of a PostgreSQL with Citus';
const CITUS = {
  shared_preload_libraries: 'citus',
  max_prepared_transactions: 200,
  wal_level: 'logical',
  'citus.node_connection_timeout': 2_000,
};

test('distribute refuses what is no coordinator with workers, or has rows, and may be repeated', {
  skip: noCitus,
  timeout: 300_000,
}, async (t) => {
  const end = lastFirst(t);
  const { env, coordinator, workers } = await openServers(end);
  const run = (...args: string[]) => runHere(['distribute', ...args, '--json'], env);
  const refused = async (says: RegExp, ...args: string[]) => {
    const { code, stdout } = await run(...args);
    assert.equal(code, 1, stdout);
    assert.match(stdout, says);
  };
  await refused(/no tiene la extensión citus/);
  for (const url of [coordinator, ...workers]) await ask(url, 'create extension citus');
  await refused(/no tiene trabajadores/);
  await refused(/--shards debe ser/, '--shards', '0');
  await addWorkers(coordinator, workers);

  await ask(coordinator, `insert into delta_clocks select gen_random_uuid(), now()`);
  await refused(/La tabla delta_clocks ya tiene datos/);
  const made = await run('--shards', '4', '--with-rows');

  assert.deepEqual(made.json.distributed.toSorted(), [...TENANT].toSorted(), made.stdout);
  assert.deepEqual((await run()).json, { distributed: [] });
  const [row] = await ask(coordinator, 'select count(*)::int as count from delta_clocks');
  assert.equal(row?.count, 1);
});

/** Three servers with an empty schema at the coordinator. */
async function openServers(end: Ending) {
  const [first, second, third] = [
    await openServer(end, CITUS, BIN),
    await openServer(end, CITUS, BIN),
    await openServer(end, CITUS, BIN),
  ];
  const env = {
    DATABASE_URL: first.url,
    DATABASE_PLANS: 'auto',
    MASTER_KEY,
    ...(process.env.REDIS_URL && { REDIS_URL: process.env.REDIS_URL }),
  };
  const migrated = await runHere(['migrate', '--json'], env);
  assert.equal(migrated.code, 0, migrated.stdout);
  return { env, coordinator: first.url, workers: [second.url, third.url] };
}

async function addWorkers(coordinator: string, workers: readonly string[]): Promise<void> {
  const { port } = new URL(coordinator);
  await ask(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${port})`);
  for (const url of workers)
    await ask(coordinator, `select citus_add_node('127.0.0.1', ${new URL(url).port})`);
}
