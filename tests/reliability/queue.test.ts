import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { housekeepingJob } from '../../src/exchange/jobs/housekeeping.ts';
import { JOBS } from '../../src/exchange/jobs/index.ts';
import { syncJob } from '../../src/exchange/jobs/sync.ts';
import { notificationJob } from '../../src/exchange/webhooks/notification-job.ts';
import type { Database } from '../../src/platform/db/database.ts';
import type { JobKind, QueueRule } from '../../src/platform/job.ts';
import { type NewJob, openQueue, type Queue } from '../../src/platform/queue.ts';
import { environmentOf } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { openClient, openHandle } from './support/ground.ts';
import { eventually, lastFirst } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';

// The queue by itself: one process adds jobs, another works on them, without a
// notice.

const PUSHES = sized({ small: 15, quick: 50, long: 300 });
/** What is promised is half a second; a busy machine gets more. */
const BEGINS_WITHIN_MS = within(2_000);
const IDLE_SECONDS = 4;
/** Statements of an idle process: polls, and what the queue's own supervision asks. */
const MOST_IDLE_STATEMENTS = 8;

test('a job that another process added begins within half a second, without a notice', async (t) => {
  const { adding, working, client } = await openPair(t);
  const begun = new Map<number, number>();
  working.queue.work(notificationJob, async (payload) => {
    const { number } = payload as { number: number };
    begun.set(number, performance.now());
    return null;
  });
  const waits: number[] = [];

  for (let number = 0; number < PUSHES; number++) {
    const addedAt = performance.now();
    await adding.add(notificationJob, { data: { number } });
    assert.ok(
      await eventually(() => begun.has(number), BEGINS_WITHIN_MS),
      `push ${number} did not begin`,
    );
    waits.push((begun.get(number) as number) - addedAt);
    await sleep(37);
  }

  const { rows } = await client.query(
    "select from pg_stat_activity where application_name = 'tianguis-queue' and query ilike 'listen%'",
  );
  assert.equal(rows.length, 0, 'the queue listens for notices');
  const reported = await client.query('select name from queue.queue where notify');
  assert.deepEqual(reported.rows, [], 'a queue sends notices');
  reportFigure(
    t,
    `queue: ${PUSHES} webhooks of another process began after ${median(waits)} ms (median), ${Math.round(Math.max(...waits))} ms (worst)`,
  );
});

test('an idle process asks the database a few times a second, however many queues it works on', {}, async (t) => {
  const { working, client } = await openPair(t);
  for (const job of JOBS) working.queue.work(job, async () => null);
  await sleep(1_000);
  const before = await committed();

  await sleep(IDLE_SECONDS * 1_000);

  const statements = ((await committed()) - before) / IDLE_SECONDS;
  assert.ok(statements <= MOST_IDLE_STATEMENTS, `${statements} statements a second`);
  reportFigure(
    t,
    `queue: an idle process asks ${statements.toFixed(1)} statements a second for ${JOBS.length} queues`,
  );

  async function committed(): Promise<number> {
    await sleep(1_100);
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query(
      'select xact_commit::int as count from pg_stat_database where datname = current_database()',
    );
    return rows[0].count;
  }
});

test('webhooks of one connection run two at once, and those of another go past them', async (t) => {
  const { adding, working } = await openPair(t);
  const stage = hold(working.queue, notificationJob);
  t.after(() => stage.release());

  await adding.addAll(
    notificationJob,
    jobs(40, (number) => ({ group: 'flooded', data: { name: `flood ${number}` } })),
  );
  assert.ok(await eventually(() => stage.running.length > 0, within(5_000)));
  await adding.add(notificationJob, { group: 'quiet', data: { name: 'quiet' } });

  assert.ok(
    await eventually(() => stage.running.includes('quiet'), BEGINS_WITHIN_MS),
    'it waits for the flood',
  );
  assert.equal(stage.running.filter((name) => name !== 'quiet').length, 2);
});

test('sync runs of one marketplace leave places for another, and one organisation gets its share', {}, async (t) => {
  const { adding, working } = await openPair(t);
  const stage = hold(working.queue, syncJob);
  t.after(() => stage.release());
  const { concurrency, groupConcurrency = 0 } = syncJob;

  await adding.addAll(
    syncJob,
    jobs(100, (number) => ({ group: 'large', lane: 'vtex', data: { name: `large ${number}` } })),
  );
  assert.ok(
    await eventually(() => stage.running.length === groupConcurrency, within(5_000)),
    `${stage.running.length} run`,
  );
  await adding.addAll(
    syncJob,
    jobs(200, (number) => ({
      group: `${number}`,
      lane: 'amazon',
      data: { name: `slow ${number}` },
    })),
  );
  await sleep(1_500);
  const busy = stage.running.length;
  await adding.add(syncJob, { group: 'small', lane: 'walmart', data: { name: 'small' } });

  assert.ok(
    await eventually(() => stage.running.includes('small'), BEGINS_WITHIN_MS),
    'no place was left',
  );
  assert.equal(stage.running.filter((name) => name.startsWith('large')).length, groupConcurrency);
  assert.ok(busy >= concurrency * 0.75 && busy < concurrency, `${busy} of ${concurrency} run`);
});

test('a job of lower priority goes behind newer ones', async (t) => {
  const { adding, working } = await openPair(t);
  const begun: string[] = [];
  await adding.add(housekeepingJob, { data: { name: 'tried before' }, priority: -1 });
  await adding.add(housekeepingJob, { data: { name: 'new' } });
  await adding.add(housekeepingJob, { data: { name: 'first of all' }, priority: 10 });

  working.queue.work(housekeepingJob, async (payload) => {
    const { name } = payload as { name: string };
    begun.push(name);
    return null;
  });

  assert.ok(await eventually(() => begun.length === 3, within(5_000)));
  assert.deepEqual(begun, ['first of all', 'new', 'tried before']);
});

interface Side {
  readonly queue: Queue;
  add(kind: JobKind<object>, job: NewJob): Promise<void>;
  addAll(kind: JobKind<object>, jobs: readonly NewJob[]): Promise<void>;
}

/** Two processes on one database: one that receives, one that works. */
async function openPair(t: TestContext) {
  const end = lastFirst(t);
  const { DATABASE_URL = '' } = environmentOf(await freshDatabase());
  const open = async (worker: boolean): Promise<Side> => {
    const database: Database = openHandle(end, DATABASE_URL);
    const queue = await openQueue({
      database,
      rules: JOBS,
      migrate: true,
      worker,
      onError: (error) => t.diagnostic(String(error)),
    });
    end.after(() => queue.close(1_000));
    const addAll = (kind: JobKind<object>, given: readonly NewJob[]) =>
      database.write((handle) =>
        queue.enqueueAll(
          handle,
          kind,
          given.map((job) => ({ key: JSON.stringify(job.data), ...job })),
        ),
      );
    return { queue, addAll, add: (kind, job) => addAll(kind, [job]) };
  };
  return {
    adding: await open(false),
    working: await open(true),
    client: await openClient(end, DATABASE_URL),
  };
}

/** Jobs begin and do not end until they are released. */
function hold(queue: Queue, rule: QueueRule) {
  const running: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  queue.work(rule, async (payload) => {
    running.push((payload as { name: string }).name);
    await released;
    return null;
  });
  return { running, release };
}

function jobs(count: number, make: (number: number) => NewJob): NewJob[] {
  return Array.from({ length: count }, (_, number) => make(number));
}

function median(numbers: readonly number[]): number {
  return Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0);
}
