import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { openSharedCounters, type SharedCounters } from '../src/features/quota/shared.ts';
import { systemClock } from '../src/platform/clock.ts';
import { eventually, lastFirst } from './reliability/support/processes.ts';
import { noRedis, noRedisToKill, openRedis } from './reliability/support/redis.ts';
import { shiftedClock } from './support/clock.ts';

// Processes count one another in Redis, so that each knows its share when Redis is away.
// Also runs on served PostgreSQL and Redis.

const MEMBERS = 'tianguis:processes';
const LIMIT = 10;
/** A process that is silent for longer is gone, and so is one that others believe to be. */
const BEATS_MS = 5_000;

test('processes whose clocks differ by minutes count one another, and share what there is without Redis', {
  tags: ['slow'],
  skip: noRedisToKill,
}, async (t) => {
  const end = lastFirst(t);
  const server = await openRedis(end);
  const redis = new Redis(server.url).on('error', () => {});
  end.after(() => redis.disconnect());
  const counters = [0, 5, -5].map((minutes) => {
    const clock = shiftedClock(systemClock, () => ({ minutes }));
    const shared = openSharedCounters(server.url, clock, () => {});
    end.after(shared.close);
    return shared.counter('test', 60_000);
  });
  const spend = (counter: ReturnType<SharedCounters['counter']>) => counter.spend('one', LIMIT);

  assert.ok(
    await eventually(async () => (await redis.zcard(MEMBERS)) === 3, 30_000),
    'no process is left out',
  );
  const until = performance.now() + BEATS_MS;
  await eventually(async () => {
    assert.equal(await redis.zcard(MEMBERS), 3, 'no process is counted out by another one');
    return performance.now() > until;
  }, 2 * BEATS_MS);
  await server.crash();
  const admitted: number[] = [];
  for (const counter of counters) {
    const spent = await Promise.all(Array.from({ length: LIMIT }, () => spend(counter)));
    admitted.push(spent.filter((one) => one.admitted).length);
  }

  assert.deepEqual(admitted, [3, 3, 3]);
});

test('a quota whose end a clock that went back moved away ends a window from now', {
  skip: noRedis,
}, async (t) => {
  const end = lastFirst(t);
  const server = await openRedis(end);
  const redis = new Redis(server.url).on('error', () => {});
  end.after(() => redis.disconnect());
  const shared = openSharedCounters(server.url, systemClock, () => {});
  end.after(shared.close);
  const counter = shared.counter('back', 60_000);
  const isCounted = async () => {
    await counter.spend('one', 1);
    return (await redis.pttl('tianguis:back:one')) > 0;
  };
  assert.ok(await eventually(isCounted, 30_000));
  await redis.pexpire('tianguis:back:one', 61 * 60_000);

  for (const verb of ['peek', 'spend'] as const) {
    const { admitted, millisecondsLeft } = await counter[verb]('one', 1);
    assert.equal(admitted, false);
    assert.ok(millisecondsLeft <= 60_000, String(millisecondsLeft));
  }
  assert.ok((await redis.pttl('tianguis:back:one')) <= 60_000);
});

test('a process that leaves is counted no more', { skip: noRedis }, async (t) => {
  const end = lastFirst(t);
  const server = await openRedis(end);
  const redis = new Redis(server.url).on('error', () => {});
  end.after(() => redis.disconnect());
  const [stays, leaves] = [0, 1].map(() => openSharedCounters(server.url, systemClock, () => {}));
  end.after(() => (stays as SharedCounters).close());
  assert.ok(await eventually(async () => (await redis.zcard(MEMBERS)) === 2, 30_000));

  await (leaves as SharedCounters).close();

  assert.equal(await redis.zcard(MEMBERS), 1);
});
