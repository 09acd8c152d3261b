import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../platform/clock.ts';
import { openQuota } from './quota.ts';

/** Epoch milliseconds. */
const NOW = 1_794_690_649_250;

test('the numbers of a request: what is left, and when the window ends', async () => {
  const { quota, advance } = await openAt(NOW);
  assert.deepEqual(await quota.peek('o', 2), state(true, 2, 2, 60));
  assert.deepEqual(await quota.spend('o', 2), state(true, 2, 1, 60));
  advance(30_000);
  assert.deepEqual(await quota.spend('o', 2), state(true, 2, 0, 30));
  assert.deepEqual(await quota.spend('o', 2), state(false, 2, 0, 30));
  advance(29_500);
  assert.deepEqual(await quota.spend('o', 2), state(false, 2, 0, 1));
  assert.deepEqual(await quota.spend('o', 1), state(false, 1, 0, 1), 'a lower limit');
  assert.deepEqual(await quota.peek('other', 2), {
    ...state(true, 2, 2, 60),
    reset: Math.ceil((NOW + 59_500 + 60_000) / 1000),
  });
});

test('failed authentications of an address have sixty a window of their own', async () => {
  const { quota } = await openAt(NOW);
  await quota.spend('203.0.113.1', 1);
  for (let left = 59; left >= 0; left--)
    assert.equal(quota.spendFailure('203.0.113.1').remaining, left);
  assert.equal(quota.spendFailure('203.0.113.1').admitted, false);
  assert.deepEqual(quota.peekFailures('203.0.113.1'), state(false, 60, 0, 60));
  assert.equal(quota.peekFailures('203.0.113.2').admitted, true);
});

test('each admitted and each refused request is reported, and without Redis the store is up', async () => {
  const seen: boolean[] = [];
  const { quota } = await openAt(NOW, (admitted) => seen.push(admitted));
  await quota.spend('o', 1);
  await quota.spend('o', 1);
  await quota.peek('o', 1);
  assert.deepEqual(seen, [true, false]);
  assert.equal(quota.isStoreUp(), true);
  const counter = quota.counter('other', 1_000);
  assert.equal((await counter.spend('o', 1)).millisecondsLeft, 1_000);
  await quota.close();
});

/** Its window began at NOW. */
function state(admitted: boolean, limit: number, remaining: number, retryAfter: number) {
  return { admitted, limit, remaining, reset: Math.ceil((NOW + 60_000) / 1000), retryAfter };
}

async function openAt(start: number, onSpent: (admitted: boolean) => void = () => {}) {
  let now = start;
  const clock = { millis: () => now, monotonic: () => now - start } as Clock;
  const onError = (error: unknown) => {
    throw error;
  };
  const quota = await openQuota({ clock, windowSeconds: 60, redisUrl: null, onError, onSpent });
  return {
    quota,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}
