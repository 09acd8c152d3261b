import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TENANT } from '../../src/platform/db/table-homes.ts';
import { runHere } from '../support/command.ts';
import { addWorkers, noCitus, openServers } from './support/citus.ts';
import { lastFirst } from './support/processes.ts';
import { ask } from './support/streaming.ts';

// Tables on a Citus coordinator and two workers.

test('distribute refuses what is no coordinator with workers, or has rows, and may be repeated', {
  skip: noCitus,
  timeout: 300_000,
}, async (t) => {
  const { env, coordinator, workers } = await openServers(lastFirst(t));
  const urls = workers.map(({ url }) => url);
  const run = (...args: string[]) => runHere(['distribute', ...args, '--json'], env);
  const refused = async (says: RegExp, ...args: string[]) => {
    const { code, stdout } = await run(...args);
    assert.equal(code, 1, stdout);
    assert.match(stdout, says);
  };
  await refused(/no tiene la extensión citus/);
  for (const url of [coordinator, ...urls]) await ask(url, 'create extension citus');
  await refused(/no tiene trabajadores/);
  await refused(/--shards debe ser/, '--shards', '0');
  await addWorkers(
    coordinator,
    urls.map((url) => new URL(url).port),
  );

  await ask(coordinator, `insert into delta_clocks select gen_random_uuid(), now()`);
  await refused(/La tabla delta_clocks ya tiene datos/);
  const made = await run('--shards', '4', '--with-rows');

  assert.deepEqual(made.json.distributed.toSorted(), [...TENANT].toSorted(), made.stdout);
  assert.deepEqual((await run()).json, { distributed: [] });
  const [row] = await ask(coordinator, 'select count(*)::int as count from delta_clocks');
  assert.equal(row?.count, 1);
});
