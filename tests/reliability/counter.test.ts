import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQuota } from '../../src/features/quota/index.ts';
import { shiftedClock, turnedClock } from '../support/clock.ts';

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

  const states = [await quota.spend('org', 4), await quota.spend('org', 4), await quota.spend('org', 4)];

  assert.deepEqual(
    states.map(({ admitted, remaining }) => [admitted, remaining]),
    [
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
});

/** A clock whose wall time can jump while monotonic time stands still. */
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
