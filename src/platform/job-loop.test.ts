import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { type JobStore, openJobLoop } from './job-loop.ts';
import type { TakenJob } from './running-jobs.ts';

const TIMINGS = { heartbeatMilliseconds: 20, longestJobMilliseconds: 10_000 };

test('one lane leaves slots for the others, and a lane alone gets three quarters', async () => {
  const store = memoryStore([...jobs(100, 'slow'), ...jobs(5, 'quick')]);
  const begun: string[] = [];
  const held = Promise.withResolvers<void>();
  const loop = openJobLoop(store, TIMINGS, fail);

  loop.work('q', { concurrency: 40, groupConcurrency: 40 }, async (payload) => {
    const { lane } = payload as { lane: string };
    begun.push(lane);
    if (lane === 'slow') await held.promise;
    return null;
  });
  await until(() => begun.filter((lane) => lane === 'quick').length === 5);

  const slow = begun.filter((lane) => lane === 'slow').length;
  assert.ok(slow >= 26 && slow <= 34, `${slow} of 40 slots are held by one lane`);
  held.resolve();
  await until(() => begun.length === 105);
  await loop.close(1_000);
});

test('jobs that wait for a service hold no slot after a second', { tags: ['slow'] }, async (t) => {
  const store = memoryStore(jobs(201, 'hanging'));
  const held = Promise.withResolvers<void>();
  const loop = openJobLoop(store, TIMINGS, fail);
  t.after(async () => {
    held.resolve();
    await loop.close(1_000);
  });
  let begun = 0;

  loop.work('q', { concurrency: 40, groupConcurrency: 40, waiting: 80 }, async () => {
    begun++;
    await held.promise;
    return null;
  });

  await until(() => begun >= 100);
  await sleep(1_500);
  assert.ok(begun <= 120, `${begun} run, of 40 slots and 80 that wait`);
  held.resolve();
  await until(() => begun === 201);
});

test('an idle loop asks one question a poll, however many queues there are', {
  tags: ['slow'],
}, async () => {
  const store = memoryStore([]);
  const loop = openJobLoop(store, TIMINGS, fail);
  for (let queue = 0; queue < 14; queue++)
    loop.work(`q${queue}`, { concurrency: 4 }, async () => null);

  await sleep(1_300);
  await loop.close(0);

  assert.ok(
    store.asked.length <= 4,
    `${store.asked.length} questions in 1.3 s: ${store.asked.join(' ')}`,
  );
});

test('each job that ends is followed by the next one, without a poll', async (t) => {
  const store = memoryStore(jobs(50, 'a'));
  const { ready } = store;
  let polls = 0;
  store.ready = async () => (polls++ === 0 ? ready() : []);
  const loop = openJobLoop(store, TIMINGS, fail);
  t.after(() => loop.close(0));
  loop.work('q', { concurrency: 2 }, async () => {
    await sleep(5);
    return null;
  });

  await until(() => store.done.length === 50);
});

test('jobs that run are touched, and those that do not end in time are handed back', async () => {
  const store = memoryStore(jobs(2, 'a'));
  const loop = openJobLoop(store, TIMINGS, fail);
  loop.work('q', { concurrency: 4 }, () => new Promise(() => {}));
  await until(() => store.touched.size === 2);

  await loop.close(10);

  assert.equal(store.failed.length, 2);
  assert.match(String(store.failed[0]?.reason), /handed back/);
});

test('a job that never ends gives its slot back', async () => {
  const store = memoryStore(jobs(2, 'a'));
  const loop = openJobLoop(store, { ...TIMINGS, longestJobMilliseconds: 30 }, fail);
  let begun = 0;
  loop.work('q', { concurrency: 1 }, () => {
    begun++;
    return new Promise(() => {});
  });

  await until(() => begun === 2);
  await loop.close(0);

  assert.match(String(store.failed[0]?.reason), /no end after 30 ms/);
});

test('a result that cannot be stored at once is stored later, and the job is not done twice', {
  tags: ['slow'],
}, async () => {
  const store = memoryStore(jobs(1, 'a'));
  let refusals = 1;
  const { complete } = store;
  store.complete = async (...given) => {
    if (refusals-- > 0) throw new Error('the database is away');
    return complete(...given);
  };
  let runs = 0;
  const loop = openJobLoop(store, TIMINGS, fail);
  loop.work('q', { concurrency: 1 }, async () => {
    runs++;
    return null;
  });

  await until(() => store.done.length === 1);
  await loop.close(0);

  assert.equal(runs, 1);
  assert.deepEqual(store.failed, []);
});

test('a failure is reported, and the loop goes on', { tags: ['slow'] }, async () => {
  const store = memoryStore(jobs(1, 'a'));
  const reported: unknown[] = [];
  let outages = 1;
  const { ready } = store;
  store.ready = async () => {
    if (outages-- > 0) throw new Error('the database is away');
    return ready();
  };
  const loop = openJobLoop(store, TIMINGS, (error) => reported.push(error));
  loop.work('q', { concurrency: 1 }, async () => null);

  await until(() => store.done.length === 1);
  await loop.close(0);

  assert.equal(reported.length, 1);
});

interface MemoryStore extends JobStore {
  complete: JobStore['complete'];
  ready: JobStore['ready'];
  readonly asked: string[];
  readonly touched: Set<string>;
  readonly done: string[];
  readonly failed: { ids: readonly string[]; reason: unknown }[];
}

/** A queue in memory, first in, first out. */
function memoryStore(waiting: TakenJob[]): MemoryStore {
  const store: MemoryStore = {
    asked: [],
    touched: new Set(),
    done: [],
    failed: [],
    async ready() {
      store.asked.push('ready');
      return waiting.length > 0 ? ['q'] : [];
    },
    async fetch(_, { most, closedLanes }) {
      store.asked.push('fetch');
      const open = waiting.filter(({ lane }) => !closedLanes.includes(lane ?? '')).slice(0, most);
      for (const job of open) waiting.splice(waiting.indexOf(job), 1);
      return open;
    },
    async complete(_, id) {
      store.done.push(id);
    },
    async fail(_, ids, reason) {
      for (const id of ids) store.failed.push({ ids: [id], reason });
    },
    async touch(_, ids) {
      for (const id of ids) store.touched.add(id);
    },
  };
  return store;
}

function jobs(count: number, lane: string): TakenJob[] {
  return Array.from({ length: count }, (_, number) => ({
    id: `${lane} ${number}`,
    data: { lane },
    lane,
  }));
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = systemClock.monotonic() + 10_000;
  while (!isSo()) {
    assert.ok(systemClock.monotonic() < deadline, 'it never came to that');
    await sleep(5);
  }
}

function fail(error: unknown): never {
  throw error;
}
