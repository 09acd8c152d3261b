import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCaller, statusesOf } from './support/api.ts';
import { connectShop, runCommand } from './support/commands.ts';
import { type Ground, makeFolder, openClient, openGround } from './support/ground.ts';
import { lookAtWalk } from './support/inside.ts';
import { openLoad, tally } from './support/load.ts';
import { holdTable, lostNotices, notice, openPlace, openShop } from './support/place.ts';
import { endOf, eventually, lastFirst, startInstance } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

const GONE_WITHIN_MS = within(10_000);
const HELD_UP_MS = 600;
const SENDERS = 24;
const KILLS = sized({ small: 2, quick: 40, long: 200 });
const KILLS_WITHIN_MS = sized({ small: 400_000, quick: 400_000, long: 3_600_000 });
const IMPORTED = 500;

const end = lastFirst({ after });
let ground: Ground;

before(async () => {
  ground = await openGround(end);
});

test('SIGTERM under load: connected callers are answered, and the instance is gone within 10 s', async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const instance = await startInstance(own, place.env);
  const held = await holdTable(own, place, 'orders');
  const waiting = Array.from({ length: 8 }, () =>
    openCaller(instance.url, place.key).get('/v1/orders'),
  );
  const load = openLoad(instance.url, place.key, 16, (caller) => caller.get('/v1/me'));
  await sleep(500);

  const stoppedAt = performance.now();
  instance.child.kill('SIGTERM');
  await sleep(1_000);
  await held.release();
  const answers = await Promise.all(waiting);
  const code = await endOf(instance, GONE_WITHIN_MS);
  const seconds = secondsSince(stoppedAt);
  const { 200: quick, ECONNREFUSED: _, ...others } = tally(await load.stop());

  assert.equal(code, 0, `not gone after ${seconds} s`);
  assert.deepEqual(statusesOf(answers), [200]);
  assert.deepEqual(others, {}, 'only new connections find the door closed');
  reportFigure(
    t,
    `R2 SIGTERM: ${answers.length} waiting and ${quick} quick requests answered, 0 lost, gone after ${seconds} s`,
  );
});

test('callers in the listen backlog when the instance stops are accepted and answered', {}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const instance = await startInstance(own, place.env);
  instance.child.kill('SIGSTOP');
  const waiting = Array.from({ length: 40 }, () =>
    openCaller(instance.url, place.key).get('/v1/me'),
  );
  await sleep(500);

  instance.child.kill('SIGTERM');
  instance.child.kill('SIGCONT');
  const answers = await Promise.all(waiting);
  const code = await endOf(instance, GONE_WITHIN_MS);

  assert.equal(code, 0);
  assert.deepEqual(statusesOf(answers), [200]);
});

test('callers who are held up while the instance stops are still answered', {}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const instance = await startInstance(own, place.env);
  const load = openLoad(instance.url, place.key, 16, (caller) => caller.get('/v1/me'));
  await sleep(500);

  instance.child.kill('SIGTERM');
  // All of this process's callers pause, and continue at once.
  const until = performance.now() + HELD_UP_MS;
  while (performance.now() < until);
  const code = await endOf(instance, GONE_WITHIN_MS);
  const { 200: answered, ECONNREFUSED: _, ...others } = tally(await load.stop());

  assert.equal(code, 0);
  assert.ok(answered);
  assert.deepEqual(others, {}, 'only new connections find the door closed');
});

test('a second signal, whichever, ends the instance at once', async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const instance = await startInstance(own, place.env);
  await holdTable(own, place, 'orders');
  openCaller(instance.url, place.key)
    .get('/v1/orders')
    .catch(() => {});
  await sleep(200);

  instance.child.kill('SIGTERM');
  // Within a second it would pass for an echo of the first.
  await sleep(1_200);
  assert.equal(instance.hasEnded(), false, 'the first signal waits for what runs');
  instance.child.kill('SIGINT');

  assert.equal(await endOf(instance, within(2_000)), 'SIGKILL');
});

test('an instance that stops in the middle of a sync run hands it back, and the next one ends it', {}, async (t) => {
  const own = lastFirst(t);
  const { env, databaseUrl, id } = await openPlace(own, ground);
  const client = await openClient(own, databaseUrl);
  const shop = await openShop(own, 120);
  const instance = await startInstance(own, env);
  // The second page never comes.
  shop.faults.next({ kind: 'timeout', match: /offset=[1-9]/, times: 100 });
  await connectShop(own, env, id, shop);
  await eventually(async () => (await lookAtWalk(client)).items > 0, within(20_000));

  const stoppedAt = performance.now();
  instance.child.kill('SIGTERM');
  const code = await endOf(instance, GONE_WITHIN_MS);
  const seconds = secondsSince(stoppedAt);
  const { rows: connections } = await client.query('select state from connections');
  shop.faults.stop();
  await startInstance(own, env);
  const isEnded = await eventually(
    async () => (await lookAtWalk(client)).isFinished,
    within(15_000),
    50,
  );

  assert.equal(code, 0, `not gone after ${seconds} s`);
  assert.deepEqual(connections, [{ state: 'ok' }], 'the marketplace did nothing wrong');
  assert.ok(isEnded, 'the walk was not taken up again');
  assert.deepEqual(await lookAtWalk(client), { items: 120, rows: 120, isFinished: true });
  reportFigure(
    t,
    `R2 SIGTERM in a walk: gone after ${seconds} s, the walk ended by the next instance`,
  );
});

test('kill −9 under load: no notification that was answered 200 is lost', {
  timeout: KILLS_WITHIN_MS,
}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const { env, databaseUrl, id } = place;
  const shop = await openShop(own, 1);
  let instance = await startInstance(own, env);
  await connectShop(own, env, id, shop);
  const acknowledged: number[] = [];
  const restarts: number[] = [];

  for (let kill = 1; kill <= KILLS; kill++) {
    const first = kill * 100_000;
    const load = openLoad(instance.url, null, SENDERS, async (caller, number) => {
      const answer = await caller.post('/api/webhooks/mercado_libre', notice(shop, first + number));
      if (answer.status === 200) acknowledged.push(first + number);
      return answer;
    });
    const before = acknowledged.length;
    await eventually(() => acknowledged.length >= before + SENDERS, within(5_000));
    await sleep(Math.random() * 260);
    // From here on nothing can be stored, so nothing may be answered.
    const held = await holdTable(own, place, 'receipts');
    await sleep(150);
    await instance.end('SIGKILL');
    await load.stop();
    await held.release();
    const startedAt = performance.now();
    instance = await startInstance(own, env);
    restarts.push(performance.now() - startedAt);
  }

  const lost = await lostNotices(await openClient(own, databaseUrl), acknowledged);
  assert.ok(acknowledged.length > KILLS, `only ${acknowledged.length} were answered`);
  assert.equal(lost, 0, `${lost} of ${acknowledged.length} lost`);
  const restart = Math.round(restarts.sort((a, b) => a - b)[KILLS >> 1] ?? 0);
  reportFigure(
    t,
    `R1 kill −9: ${KILLS} kills, 0 of ${acknowledged.length} acknowledged notifications lost, restart ${restart} ms (median)`,
  );
});

test('what an import acknowledged outlives the crash of the database', {}, async (t) => {
  const own = lastFirst(t);
  const { env, databaseUrl, id } = await openPlace(own, ground);
  const file = join(makeFolder(own), 'orders.ndjson');
  writeFileSync(file, Array.from({ length: IMPORTED }, (_, order) => lineOf(order)).join('\n'));

  const report = await runCommand<{ changed: number }>(env, [
    'import-orders',
    ...['--organization', id],
    file,
  ]);
  await ground.crash();
  await ground.start();
  const client = await openClient(own, databaseUrl);
  const { rows } = await client.query('select count(*)::int as count from orders');

  assert.equal(report.changed, IMPORTED);
  assert.equal(rows[0].count, IMPORTED);
  reportFigure(t, `R1 crash of the database: 0 of ${IMPORTED} imported orders lost`);
});

function lineOf(order: number): string {
  return JSON.stringify({
    id: `imported-${order}`,
    marketplace: 'amazon',
    status: 'paid',
    total: 100,
    currency: 'MXN',
    date_created: '2026-01-01T00:00:00Z',
    items: [{ title: 'Taza', quantity: 1, unit_price: 100 }],
  });
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
