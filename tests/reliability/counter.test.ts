import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQuota } from '../../src/features/quota/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { shiftedClock, turnedClock } from '../support/clock.ts';
import { eventually, lastFirst } from './support/processes.ts';
import { within } from './support/profile.ts';
import { noRedis, openRedis } from './support/redis.ts';

test('a jump of the wall clock ends no window early, nor keeps it open', async () => {
  const { clock, jump } = jumpingClock();
  const quota = await openQuota({ clock, windowSeconds: 60, redisUrl: null, onError: rethrow });
  const spend = () => quota.spend('org', 2);
  assert.deepEqual([(await spend()).admitted, (await spend()).admitted], [true, true]);

  for (const hours of [1, -2, 24]) {
    jump({ hours });
    const state = await spend();
    assert.equal(state.admitted, false, `after a jump of ${hours} h`);
    assert.equal(state.retryAfter, 60);
    assert.equal(state.reset, Math.ceil(clock.now().epochMilliseconds / 1000) + 60);
  }
  clock.advance({ seconds: 59 });
  assert.equal((await spend()).admitted, false);
  clock.advance({ seconds: 1 });
  assert.equal((await spend()).admitted, true);
});

test('refused requests consume nothing: a larger quota is there whole', async () => {
  const clock = turnedClock();
  const quota = await openQuota({ clock, windowSeconds: 60, redisUrl: null, onError: rethrow });
  for (let request = 1; request <= 5; request++) await quota.spend('org', 2);

  const states = [
    await quota.spend('org', 4),
    await quota.spend('org', 4),
    await quota.spend('org', 4),
  ];

  assert.deepEqual(
    states.map(({ admitted, remaining }) => [admitted, remaining]),
    [
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
});

test('a process that was busy for a second hears what Redis counted for it', {
  skip: noRedis,
}, async (t) => {
  const own = lastFirst(t);
  const { url } = await openRedis(own);
  const errors: unknown[] = [];
  const open = async () => {
    const onError = (error: unknown) => void errors.push(error);
    const quota = await openQuota({
      clock: systemClock,
      windowSeconds: 60,
      redisUrl: url,
      onError,
    });
    own.after(quota.close);
    return quota;
  };
  const [busy, other] = [await open(), await open()];
  const countTogether = async () => {
    const organization = crypto.randomUUID();
    await busy.spend(organization, 9);
    return (await other.spend(organization, 9)).remaining === 7;
  };
  assert.ok(await eventually(countTogether, within(5_000)));
  errors.length = 0;

  const asked = Array.from({ length: 64 }, () => busy.spend('org', 65));
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      const until = performance.now() + 1_000;
      while (performance.now() < until);
      resolve();
    });
  });
  const remaining = (await Promise.all(asked)).map((state) => state.remaining);
  const last = [await other.spend('org', 65), await busy.spend('org', 65)];

  assert.deepEqual(
    remaining,
    Array.from({ length: 64 }, (_, place) => 64 - place),
  );
  assert.deepEqual(
    last.map(({ admitted, remaining }) => [admitted, remaining]),
    [
      [true, 0],
      [false, 0],
    ],
  );
  assert.deepEqual(errors, []);
});

/** A clock whose wall time can jump while monotonic time stops. */
function jumpingClock() {
  const clock = turnedClock();
  let offset = Temporal.Duration.from({ seconds: 0 });
  return {
    clock: shiftedClock(clock, () => offset),
    jump: (by: Temporal.DurationLike) => {
      offset = offset.add(by);
    },
  };
}

function rethrow(error: unknown): never {
  throw error;
}
