import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openCaller } from './support/api.ts';
import { connectShop, runCommand } from './support/commands.ts';
import { type Env, type Ground, openClient, openGround } from './support/ground.ts';
import { lookAtWalk } from './support/inside.ts';
import { cutConnections, lostNotices, notice, openPlace, openShop } from './support/place.ts';
import {
  eventually,
  lastFirst,
  NO_REDIS,
  type RunningInstance,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

// A process that stops for a while, as on a machine that is suspended or swaps, and comes back. The
// fast tests of these promises are in tests/database.test.ts and tests/clock-notices.test.ts.

/** Longer than the fifteen seconds after which its jobs are given to others. */
const STALL_MS = sized({ small: 25_000, quick: 60_000, long: 60_000 });
const ORDERS = 1_000;
const TAKEN_OVER_WITHIN_MS = within(60_000);
/** In which a process that is back would do what it was about to do. */
const AFTERMATH_MS = 5_000;

const end = lastFirst({ after });
let ground: Ground;

before(async () => {
  ground = await openGround(end);
});

test('a process that stalled in a sync run and lost its locks finds another one done with it, and does nothing twice', {
  timeout: 400_000 + STALL_MS,
}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const env = { ...place.env, REDIS_URL: NO_REDIS };
  const client = await openClient(own, place.databaseUrl);
  const shop = await openShop(own, ORDERS);
  const stalled = await startInstance(own, env);
  await connectShop(own, env, place.id, shop);
  assert.ok(await eventually(async () => (await lookAtWalk(client)).items >= 100, 60_000));

  stalled.child.kill('SIGSTOP');
  const stalledAt = performance.now();
  const cut = await lookAtWalk(client);
  assert.equal(cut.isFinished, false, 'the sync run was over before the stall');
  // As a server does with a client that is silent.
  assert.ok((await cutLocks(client)) > 0);
  const other = await startInstance(own, env);
  const isTakenOver = await eventually(
    async () => (await lookAtWalk(client)).isFinished,
    TAKEN_OVER_WITHIN_MS,
    100,
  );
  const takenOver = performance.now() - stalledAt;
  assert.ok(isTakenOver, `the sync run was not taken over after ${Math.round(takenOver)} ms`);
  const done = await stateOf(client);
  await sleep(Math.max(0, STALL_MS - takenOver));

  stalled.child.kill('SIGCONT');
  await back(stalled);
  await sleep(AFTERMATH_MS);
  assert.equal((await lookAtWalk(client)).rows, ORDERS);
  assert.deepEqual(await stateOf(client), done, 'something was done again');

  // Alone, the process that was away works on.
  assert.equal(await other.end('SIGTERM'), 0);
  const id = shop.world.orders()[0]?.id ?? '';
  shop.world.cancel(id);
  const caller = openCaller(stalled.url, null);
  own.after(caller.close);
  const answer = await caller.post('/api/webhooks/mercado_libre', notice(shop, Number(id)));
  assert.equal(answer.status, 200);
  const isRead = async () =>
    (await client.query("select from orders where status = 'cancelled'")).rowCount === 1;
  assert.ok(await eventually(isRead, within(30_000), 50), stalled.lines.slice(-20).join('\n'));
  reportFigure(
    t,
    `R9 stalled process: away for ${Math.round(Math.max(STALL_MS, takenOver) / 1_000)} s after ${cut.rows} of ${ORDERS} orders, ` +
      `its sync run ended by another one after ${(takenOver / 1_000).toFixed(1)} s, 0 rows written twice`,
  );
});

test('requests that waited in a stalled process meet what changed meanwhile', {
  timeout: 200_000,
}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const env: Env = { ...place.env, REDIS_URL: NO_REDIS };
  const client = await openClient(own, place.databaseUrl);
  const shop = await openShop(own, 1);
  const stalled = await startInstance(own, env);
  await connectShop(own, env, place.id, shop);
  const spare = await makeKey(env, place.id);
  const [caller, spareCaller] = [place.key, spare.key].map((key) => {
    const opened = openCaller(stalled.url, key, 20);
    own.after(opened.close);
    return opened;
  }) as [ReturnType<typeof openCaller>, ReturnType<typeof openCaller>];
  assert.equal((await caller.get('/v1/orders')).status, 200);
  assert.equal((await spareCaller.get('/v1/orders')).status, 200);

  stalled.child.kill('SIGSTOP');
  await runCommand(env, ['revoke-key', '--key-id', spare.id]);
  // Notices of the revocation do not arrive either.
  await cutConnections(client);
  const numbers = Array.from({ length: 10 }, (_, number) => 900_000 + number);
  const refused = Array.from({ length: 5 }, () => spareCaller.get('/v1/orders'));
  const reads = Array.from({ length: 5 }, () => caller.get('/v1/orders'));
  const webhooks = numbers.map((number) =>
    caller.post('/api/webhooks/mercado_libre', notice(shop, number)),
  );
  await sleep(3_000);
  stalled.child.kill('SIGCONT');

  // Its connections were cut: what is not answered right is put off, never an error or an old answer.
  for (const { status, text } of await Promise.all(refused))
    assert.ok([401, 503].includes(status), `a revoked key: ${status} ${text}`);
  for (const { status, text } of await Promise.all(reads))
    assert.ok([200, 503].includes(status), `a valid key: ${status} ${text}`);
  const answers = await Promise.all(webhooks);
  assert.ok(answers.every(({ status }) => [200, 503].includes(status)));
  const acknowledged = numbers.filter((_, at) => answers[at]?.status === 200);
  assert.equal(await lostNotices(client, acknowledged), 0);
  await back(stalled);
  assert.equal((await caller.get('/v1/orders')).status, 200);
  assert.equal((await spareCaller.get('/v1/orders')).status, 401);
});

/** Ready, and with its locks. */
async function back(instance: RunningInstance): Promise<void> {
  const caller = openCaller(instance.url, null);
  const isBack = async () =>
    instance.lines.some((line) => line.includes('"msg":"instance lock taken again"')) &&
    (await caller.get('/readyz')).status === 200;
  const came = await eventually(isBack, within(20_000), 50);
  caller.close();
  assert.ok(came, instance.lines.slice(-20).join('\n'));
}

/** Ends the sessions that hold advisory locks. @returns how many */
async function cutLocks(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid in (select pid from pg_locks where locktype = 'advisory')`,
  );
  return rowCount ?? 0;
}

/** What would differ if anything were stored once more. */
async function stateOf(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(
    `select (select count(*) from order_history)::int as changes,
            (select json_agg(data::json) from events) as events,
            (select max(last_updated)::text from orders) as newest,
            (select sum(orders) from sales_days)::int as sales`,
  );
  return rows[0];
}

function makeKey(env: Env, organizationId: string): Promise<{ key: string; id: string }> {
  return runCommand(env, ['create-key', '--organization', organizationId, '--name', 'otra']);
}
