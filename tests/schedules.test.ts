import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { planDue } from '../src/entrances/jobs/worker.ts';
import {
  claimDue,
  dueAt,
  planMissing,
  putOff,
  putRight,
  recover,
  schedule,
  setBack,
} from '../src/features/schedules/index.ts';
import { newId } from '../src/platform/ids.ts';
import { openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// When things are due, in which order it is claimed, and what failures and wrong clocks do to it.
// Also runs on served PostgreSQL and Redis.

test('a wall clock that was an hour ahead delays no run', async (t) => {
  const { own, plan, claim, due } = await openStage(t);
  const subject = await plan(300);
  await claim();

  own.clock.advance({ hours: 1 });
  assert.deepEqual(await claim(), [subject], 'the clock is ahead, and so is the run');
  await own.app.database
    .within(own.organization.id)
    .write((scope) => schedule(scope, 'renew', newId(), 3_600, scope.clock.now()));
  own.clock.advance({ hours: -1 });
  own.clock.advance({ seconds: 1 });

  assert.equal((await claim()).length, 2, 'what was planned by the wrong clock is due now');
  assert.deepEqual(await claim(), []);
  assert.equal((await due(subject)).since(own.clock.now()).total('seconds'), 300);
});

test('a run that was put off by a service for longer than its period stays put off', async (t) => {
  const { own, plan, claim, within } = await openStage(t);
  const subject = await plan(300);
  await claim();
  await within((scope) => putOff(scope, 'sync', subject, own.clock.now().add({ hours: 2 })));

  for (let minutes = 0; minutes < 115; minutes += 5) {
    own.clock.advance({ minutes: 5 });
    assert.deepEqual(await claim(), [], `after ${minutes} minutes`);
  }
  own.clock.advance({ minutes: 5 });
  assert.deepEqual(await claim(), [subject]);
});

test('a search of all organisations that fails keeps no recurring task back', async (t) => {
  const { own, plan, due } = await openStage(t);
  const subject = await plan(300);
  await query(own, 'alter table webhook_deliveries rename to of_an_absent_server');

  await assert.rejects(planDue(own.app.exchange), /does not exist/);
  assert.equal((await due(subject)).since(own.clock.now()).total('seconds'), 300);
});

for (const [what, seconds, minutes] of [
  ['five minutes', 300, [1, 2, 4, 5, 5]],
  ['a day', 86_400, [1, 2, 4, 8, 16, 32, 60, 60]],
] as const) {
  test(`after failures the next run of a period of ${what} comes in minutes that grow`, async (t) => {
    const { own, plan, claim, due, within } = await openStage(t);
    const subject = await plan(seconds);
    const waits: number[] = [];
    for (const _ of minutes) {
      await claim();
      await within((scope) => setBack(scope, 'sync', subject));
      const wait = (await due(subject)).since(own.clock.now());
      waits.push(wait.total('minutes'));
      own.clock.advance(wait);
    }
    assert.deepEqual(waits, minutes);

    await claim();
    await within((scope) => recover(scope, 'sync', subject));
    assert.equal((await due(subject)).since(own.clock.now()).total('seconds'), seconds);
    await within((scope) => setBack(scope, 'sync', subject));
    assert.equal(
      (await due(subject)).since(own.clock.now()).total('minutes'),
      1,
      'a success begins anew',
    );
  });
}

test('a failure waits as long as the service asked for, where that is longer', async (t) => {
  const { own, plan, due, within } = await openStage(t);
  const subject = await plan(300);
  await within((scope) => setBack(scope, 'sync', subject, own.clock.now().add({ minutes: 20 })));
  assert.equal((await due(subject)).since(own.clock.now()).total('minutes'), 20);
});

test('once a service answers, what else of its connection was set back is due, and nothing of others', async (t) => {
  const { own, claim, due, within } = await openStage(t);
  const [one, other] = [newId(), newId()];
  const subjects = [`${one}:orders`, `${one}:inventory`, `${other}:orders`] as const;
  const plan = async (subject: string) =>
    within((scope) => schedule(scope, 'sync', subject, 86_400, own.clock.now()));
  for (const subject of subjects) await plan(subject);
  await claim();
  for (const subject of subjects)
    for (let failure = 0; failure < 6; failure++)
      await within((scope) => setBack(scope, 'sync', subject));

  await within((scope) => recover(scope, 'sync', subjects[0]));

  const waits = subjects.map(async (subject) =>
    (await due(subject)).since(own.clock.now()).total('minutes'),
  );
  assert.deepEqual((await Promise.all(waits)).slice(1), [0, 32]);
});

test('organisations take turns: the due rows of a large one do not go before all others', async (t) => {
  const { own } = await openStage(t);
  const organization = async () => (await own.tenant()).organization.id;
  const large = await organization();
  const small = await Promise.all(Array.from({ length: 20 }, organization));
  await planAll(own, large, 3_000);
  own.clock.advance({ seconds: 10 });
  for (const organizationId of small) await planAll(own, organizationId, 2);

  own.clock.advance({ seconds: 1 });
  const first = await own.app.database.write((handle) => claimDue(handle, own.clock.now()));

  const claimed = new Set(first.map(({ organizationId }) => organizationId));
  assert.equal(first.length, 1_000);
  assert.ok(
    small.every((id) => claimed.has(id)),
    `${claimed.size} organisations are in the first thousand`,
  );
  assert.equal(new Set(first.slice(0, 21).map(({ organizationId }) => organizationId)).size, 21);
});

test('a first run goes first, and a run of a service that did not answer goes last', async (t) => {
  const { own, plan, claim, within } = await openStage(t, {
    ROLE: 'api',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  const [usual, silent] = [await plan(300), await plan(300)];
  await claim();
  await within((scope) => setBack(scope, 'sync', silent));
  own.clock.advance({ minutes: 5 });
  const first = await plan(300);

  await planDue(own.app.exchange);

  const jobs = await query(
    own,
    "select data ->> 'subject' as subject, priority, group_id, group_tier from queue.job where name = 'sync' order by priority desc",
  );
  assert.deepEqual(
    jobs.map(({ subject, priority }) => [subject, priority]),
    [
      [first, 10],
      [usual, 0],
      [silent, -10],
    ],
  );
  assert.deepEqual([...new Set(jobs.map(({ group_id }) => group_id))], [own.organization.id]);
});

async function openStage(t: TestContext, env: Record<string, string> = {}) {
  const clock = turnedClock();
  const own = await openApp(t, { clock, env, database: await freshDatabase() });
  await own.app.database.write((handle) => handle.sql('delete from schedules', []));
  const organization = own.app.database.within(own.organization.id);
  const within = organization.write.bind(organization);
  return {
    own,
    within,
    async plan(seconds: number): Promise<string> {
      const subject = `${newId()}:orders`;
      await within((scope) => schedule(scope, 'sync', subject, seconds, clock.now()));
      return subject;
    },
    async claim(): Promise<string[]> {
      return own.app.database.write(async (handle) => {
        await putRight(handle, clock.now());
        return (await claimDue(handle, clock.now())).map(({ subject }) => subject);
      });
    },
    async due(subject: string) {
      const at = await organization.read((scope) => dueAt(scope, 'sync', subject));
      assert.ok(at);
      return at;
    },
  };
}

async function planAll(own: TestApp, organizationId: string, count: number): Promise<void> {
  const planned = Array.from({ length: count }, () => ({
    organizationId,
    task: 'sync' as const,
    subject: `${newId()}:orders`,
    everySeconds: 300,
  }));
  await own.app.database.write((handle) => planMissing(handle, planned, own.clock.now()));
}
