import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { type Breakers, openBreakers } from '../src/platform/breaker.ts';
import type { Meter, MeterRate } from '../src/platform/meter.ts';
import { openSharedLimits } from '../src/platform/shared-limits.ts';
import { eventually, lastFirst } from './reliability/support/processes.ts';
import { noRedisToKill, openRedis, type RedisServer } from './reliability/support/redis.ts';
import { type TurnedClock, turnedClock } from './support/clock.ts';

// The limits of a connection hold over all processes: its bucket, its pauses, its circuit breaker.
// Redis's time goes on while a turned clock stands, so that periods here are a little longer.
// Also runs on served PostgreSQL and Redis.

const PROCESSES = 4;
/** Two calls a second. */
const RATE: MeterRate = { perMinute: 120, burst: 10, window: 'bucket' };
const WINDOW: MeterRate = { perMinute: 10, window: 'sliding' };
const ROUTE = { origin: 'https://tienda.example', lane: 'one', service: 'tienda' };
const MORE_THAN_ALLOWED = 12;

test('four processes share one bucket; without Redis each has its share of it, and none is given twice', {
  skip: noRedisToKill,
}, async (t) => {
  const { clock, redis, meters, isBack } = await openStage(t);
  const admitted = async (key = 'one') => {
    const each = await Promise.all(meters.map((meter) => enterMany(meter, key)));
    return each.reduce((sum, count) => sum + count, 0);
  };

  assert.equal(await admitted(), 10, 'the burst of all processes together');
  assert.equal(await admitted(), 0);
  clock.advance({ milliseconds: 3_250 });
  assert.equal(await admitted(), 6, 'two a second');
  assert.equal(await admitted('other'), 10, 'another connection has a bucket of its own');
  clock.advance({ hours: 1 });

  await redis.crash();
  assert.equal(await admitted(), 0, 'what the others used is unknown');
  clock.advance({ seconds: 2 });
  assert.equal(await admitted(), 4, 'a share is half a call a second');
  clock.advance({ hours: 1 });
  assert.equal(await admitted(), 8, 'a share of the burst is two');

  await redis.start();
  await isBack();
  clock.advance({ seconds: 2 });
  assert.equal(await admitted(), 0, 'the bucket that begins anew is not full');
  clock.advance({ milliseconds: 2_250 });
  assert.equal(await admitted(), 4);
  clock.advance({ hours: 1 });
  assert.equal(await admitted(), 10, 'the whole limit is used again');
});

test('a Redis that was started anew has lost its counts: a window stays silent until it is over, and buckets begin empty', {
  skip: noRedisToKill,
}, async (t) => {
  const { clock, redis, meters, isBack } = await openStage(t);
  const [one, other] = meters as [Meter, Meter];
  assert.equal(await enterMany(one, 'window', WINDOW), 10);
  assert.equal(await enterMany(one, 'bucket'), 10);

  await redis.crash();
  await redis.start();
  await isBack();

  assert.equal(await enterMany(other, 'window', WINDOW), 0, 'one process used it just now');
  assert.equal(await enterMany(other, 'bucket'), 0, 'so that it is not given twice');
  clock.advance({ seconds: 85 });
  assert.equal(await enterMany(other, 'window', WINDOW), 0, 'what was on its way may be late');
  clock.advance({ seconds: 10 });
  assert.equal(await enterMany(other, 'window', WINDOW), 10);
});

test('a pause that a service asks one process for holds in all of them', {
  skip: noRedisToKill,
}, async (t) => {
  const { clock, meters } = await openStage(t);
  const [one, other] = meters as [Meter, Meter];
  await one.enter('one', RATE);

  one.pause('one', 30_000);
  await one.enter('another', RATE);

  const entry = await other.enter('one', RATE);
  assert.ok('wait' in entry && entry.wait > 29_000, JSON.stringify(entry));
  // Redis has a clock of its own, which the test turns to the millisecond at best.
  clock.advance({ seconds: 31 });
  assert.ok('leave' in (await other.enter('one', RATE)));
});

test('where the clock of Redis goes back an hour, no window waits longer than a window', {
  skip: noRedisToKill,
}, async (t) => {
  const { clock, meters } = await openStage(t);
  const [one, other] = meters as [Meter, Meter];
  clock.advance({ hours: 1 });
  assert.equal(await enterMany(one, 'window', WINDOW), 10);
  clock.advance({ hours: -1 });

  const entry = await other.enter('window', WINDOW);
  assert.ok('wait' in entry && entry.wait <= 61_000, JSON.stringify(entry));
  clock.advance({ seconds: 62 });
  assert.equal(await enterMany(other, 'window', WINDOW), 10);
});

test('the state of a breaker that cannot be read counts as none, and is reported once', {
  skip: noRedisToKill,
}, async (t) => {
  const { redis, breakers, errors } = await openStage(t);
  const [first, second] = breakers as [Breakers, Breakers];
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  await first.unable(ROUTE, 10);
  const [key] = await client.keys('tianguis:breaker:lane:*');
  for (const rubbish of ['{', '[]', '{"failures":"many"}']) {
    await client.set(key ?? '', rubbish);
    errors.length = 0;
    assert.equal(await first.refusal(ROUTE), null);
    assert.equal(await second.refusal(ROUTE), null);
    assert.equal(errors.length, 1, String(errors));
  }
  for (const one of [first, second, first]) await one.unable(ROUTE, 10);
  assert.ok(await second.refusal(ROUTE), 'three failures count again');
});

test('three failures in any processes open the breaker in all; one try a minute is made; an answer closes it', {
  skip: noRedisToKill,
}, async (t) => {
  const { clock, breakers } = await openStage(t);
  const [first, second, third, fourth] = breakers as [Breakers, Breakers, Breakers, Breakers];
  await first.unable(ROUTE, 10);
  await Promise.all([second.unable(ROUTE, 10), third.unable(ROUTE, 10)]);

  const since = clock.now().toString();
  assert.deepEqual(await sinceOf(breakers), [since, since, since, since], 'all say the same');
  assert.equal(await triesOf(breakers), 0);
  clock.advance({ seconds: 61 });
  assert.equal(await triesOf(breakers), 1, 'one try a minute, over all processes');
  await fourth.unable(ROUTE, 10);
  clock.advance({ seconds: 58 });
  assert.equal(await triesOf(breakers), 0);
  clock.advance({ seconds: 3 });
  assert.equal(await triesOf(breakers), 1);
  assert.deepEqual(await fourth.open(), [{ service: 'tienda', scope: 'connection' }]);

  await second.answered(ROUTE, 10);
  assert.deepEqual(await sinceOf(breakers), [null, null, null, null]);
  assert.deepEqual(await fourth.open(), []);
});

test('two connections that two processes found silent open the breaker of the host for all', {
  skip: noRedisToKill,
}, async (t) => {
  const { breakers } = await openStage(t);
  const [first, second, third] = breakers as [Breakers, Breakers, Breakers];
  await first.silent(ROUTE);
  await first.silent(ROUTE);
  await second.silent({ ...ROUTE, lane: 'two' });

  assert.ok(await third.refusal({ ...ROUTE, lane: 'three' }));
});

test('without Redis an open breaker stays open, and four processes make one try a minute together', {
  skip: noRedisToKill,
}, async (t) => {
  const { clock, redis, breakers } = await openStage(t);
  for (const one of breakers.slice(1)) await one.unable(ROUTE, 10);
  const since = clock.now().toString();
  await sinceOf(breakers);

  await redis.crash();

  assert.deepEqual(await sinceOf(breakers.slice(-1)), [since]);
  clock.advance({ seconds: 238 });
  assert.equal(await triesOf(breakers.slice(-1)), 0);
  clock.advance({ seconds: 3 });
  assert.equal(await triesOf(breakers.slice(-1)), 1, 'one of four in four minutes');
});

interface Stage {
  readonly clock: TurnedClock;
  readonly redis: RedisServer;
  /** What was reported. */
  readonly errors: unknown[];
  readonly meters: readonly Meter[];
  readonly breakers: readonly Breakers[];
  /** Resolves when each of them found Redis again. */
  isBack(): Promise<void>;
}

/** Four processes, as far as limits are concerned. */
async function openStage(t: TestContext): Promise<Stage> {
  const end = lastFirst(t);
  const redis = await openRedis(end);
  const clock = turnedClock();
  const errors: unknown[] = [];
  const limits = Array.from({ length: PROCESSES }, () => {
    const opened = openSharedLimits(redis.url, clock, (error) => errors.push(error));
    end.after(opened.close);
    return opened;
  });
  const breakers = limits.map(({ breakerStates }) => openBreakers(clock, breakerStates));
  // Each has joined before the first question, and the answer says how many there are.
  for (const { meter } of [...limits, ...limits]) await meter.enter('joining', RATE);
  return {
    clock,
    redis,
    errors,
    breakers,
    meters: limits.map(({ meter }) => meter),
    async isBack() {
      for (const { meter } of limits) assert.ok(await eventually(() => asks(meter), 60_000));
    },
  };

  /** A pause travels over Redis; without it another process never hears of it. */
  async function asks(meter: Meter): Promise<boolean> {
    const key = `probe-${Math.random()}`;
    const listener = limits.find((one) => one.meter !== meter)?.meter as Meter;
    meter.pause(key, 3_600_000);
    const heard = await listener.enter(key, RATE);
    return 'wait' in heard && heard.wait > 1_800_000;
  }
}

async function enterMany(meter: Meter, key: string, rate = RATE): Promise<number> {
  let count = 0;
  for (let call = 0; call < MORE_THAN_ALLOWED; call++) {
    const entry = await meter.enter(key, rate);
    if (!('leave' in entry)) break;
    entry.leave();
    count += 1;
  }
  return count;
}

async function triesOf(breakers: readonly Breakers[]): Promise<number> {
  const admitted = await Promise.all(breakers.map((one) => one.admit(ROUTE, false)));
  return admitted.filter((one) => 'timeoutMilliseconds' in one).length;
}

async function sinceOf(breakers: readonly Breakers[]): Promise<(string | null)[]> {
  const refusals = await Promise.all(breakers.map((one) => one.refusal(ROUTE)));
  return refusals.map((refusal) => refusal?.since.toString() ?? null);
}
