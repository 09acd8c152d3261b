import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Caller, openCaller } from './support/api.ts';
import { connectShop } from './support/commands.ts';
import { checkOutFormer, FORMER, giveSchema, noFormer } from './support/former.ts';
import { openClient, openGround } from './support/ground.ts';
import { notice, openPlace, openShop } from './support/place.ts';
import { eventually, follow, lastFirst, NO_REDIS, startInstance } from './support/processes.ts';
import { reportFigure, within } from './support/profile.ts';

// A former release on the schema of this one, as during an update and on the way back. The fast test
// of this promise is in tests/migrations.test.ts.

const ITS_TESTS = [
  'tests/spec/delta.test.ts',
  'tests/spec/orders.test.ts',
  'tests/recording.test.ts',
];
const ORDERS = 40;

test('a former release passes its own tests of reading and recording on the schema of this one', {
  skip: noFormer,
  timeout: 600_000,
}, async (t) => {
  const own = lastFirst(t);
  const folder = checkOutFormer(own);
  giveSchema(folder);
  const { PATH, HOME } = process.env;
  const run = follow(
    own,
    spawn(process.execPath, ['tests/run.ts', ...ITS_TESTS], {
      cwd: folder,
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );

  assert.equal(await run.ended, 0, run.lines.slice(-60).join('\n'));
  const passed = run.lines.find((line) => line.startsWith('ℹ pass '))?.slice('ℹ pass '.length);
  assert.ok(Number(passed) > 100, `only ${passed} of its tests ran`);
  reportFigure(
    t,
    `R18 former release: ${passed} of its tests hold on a schema ${FORMER?.migrationsSince} migrations newer`,
  );
});

test('two releases side by side record, list and work off the same orders', {
  skip: noFormer,
  timeout: 400_000,
}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, await openGround(own));
  const env = { ...place.env, REDIS_URL: NO_REDIS };
  const client = await openClient(own, place.databaseUrl);
  const shop = await openShop(own, ORDERS);
  const program = join(checkOutFormer(own), 'src/main.ts');
  const former = await startInstance(own, { ...env, NEWER_SCHEMA: 'allow' }, { program });
  const present = await startInstance(own, env);
  const [first, second] = [former, present].map(({ url }) => {
    const caller = openCaller(url, place.key);
    own.after(caller.close);
    return caller;
  }) as [Caller, Caller];
  await connectShop(own, env, place.id, shop);
  const count = async (status: string) =>
    (await client.query('select from orders where status = $1', [status])).rowCount;
  assert.ok(
    await eventually(async () => (await count('paid')) === ORDERS, within(60_000), 50),
    'the first import did not end',
  );

  const orders = shop.world.orders();
  const report = async (caller: Caller, id: string) => {
    const answer = await caller.post('/api/webhooks/mercado_libre', notice(shop, Number(id)));
    assert.equal(answer.status, 200, answer.text);
  };
  for (const [at, { id }] of orders.slice(0, 20).entries()) {
    shop.world.cancel(id);
    await report(at % 2 === 0 ? first : second, id);
  }
  assert.ok(
    await eventually(async () => (await count('cancelled')) === 20, within(60_000), 50),
    'changes were not recorded',
  );
  const lists = await Promise.all([first, second].map(listOf));
  assert.equal(lists[0]?.length, ORDERS);
  assert.deepEqual(lists[0], lists[1]);

  // The way back: the former release goes on alone.
  assert.equal(await present.end('SIGTERM'), 0);
  const last = orders.at(-1)?.id ?? '';
  shop.world.cancel(last);
  await report(first, last);
  assert.ok(await eventually(async () => (await count('cancelled')) === 21, within(60_000), 50));
});

async function listOf(caller: Caller): Promise<unknown[]> {
  const { status, text } = await caller.get('/v1/orders?limit=100');
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { data: unknown[] }).data;
}
