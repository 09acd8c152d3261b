import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBreakers } from './breaker.ts';
import type { Route } from './breaker-states.ts';
import { systemClock } from './clock.ts';

const ORIGIN = 'https://tienda.example';
const ONE: Route = { origin: ORIGIN, lane: 'one', service: 'tienda' };
const OTHER: Route = { origin: ORIGIN, lane: 'other', service: 'tienda' };

function stage() {
  let at = 1_000_000;
  const clock = {
    ...systemClock,
    now: () => Temporal.Instant.fromEpochMilliseconds(at),
    millis: () => at,
    monotonic: () => at,
  };
  const breakers = openBreakers(clock);
  const failing = (how: 'silent' | 'unable') => async (times: number, route: Route) => {
    for (let failure = 0; failure < times; failure++) {
      at += 1_000;
      await breakers[how](route, 10);
    }
  };
  return {
    breakers,
    turn: (milliseconds: number) => {
      at += milliseconds;
    },
    silent: failing('silent'),
    unable: failing('unable'),
    timeout: async (isRetry = false) => {
      const given = await breakers.admit(ONE, isRetry);
      return 'timeoutMilliseconds' in given ? given.timeoutMilliseconds : null;
    },
  };
}

for (const how of ['silent', 'unable'] as const)
  test(`two failures (${how}) open nothing, the third does, and an answer in between begins anew`, async () => {
    const { breakers, ...fail } = stage();
    await fail[how](2, ONE);
    assert.equal(await breakers.refusal(ONE), null);
    await breakers.answered(ONE, 10);
    await fail[how](2, ONE);
    assert.equal(await breakers.refusal(ONE), null);
    await fail[how](1, ONE);
    assert.ok(await breakers.refusal(ONE));
    const elsewhere = { ...ONE, origin: 'https://otra.example' };
    assert.equal(await breakers.refusal(elsewhere), null, 'another host is another matter');
  });

test('what a host refuses to one connection, however often, stops no other', async () => {
  const { breakers, unable } = stage();
  await unable(50, ONE);
  assert.ok(await breakers.refusal(ONE));
  assert.equal(await breakers.refusal(OTHER), null);
});

test('silence that one connection met stops that one; silence that two met stops all', async () => {
  const { breakers, silent } = stage();
  await silent(50, ONE);
  assert.ok(await breakers.refusal(ONE));
  assert.equal(await breakers.refusal(OTHER), null, 'it may be this one’s question');
  await silent(1, OTHER);
  assert.ok(await breakers.refusal(OTHER));
  const third = { ...ONE, lane: 'third' };
  assert.ok(await breakers.refusal(third), 'the host does not answer');
  assert.equal((await breakers.refusal(third))?.since.epochMilliseconds, 1_001_000);

  await breakers.answered(OTHER, 10);
  assert.equal(await breakers.refusal(third), null, 'one answer closes the breaker of the host');
  assert.ok(await breakers.refusal(ONE), 'and not that of the connection that had none');
});

test('an answer that it cannot answer now ends a host’s silence', async () => {
  const { breakers, silent, unable } = stage();
  await silent(3, OTHER);
  await silent(2, ONE);
  await unable(1, ONE);
  assert.equal(await breakers.refusal({ ...ONE, lane: 'third' }), null);
});

test('while there is no answer one call a minute is let through, and the others learn since when', async () => {
  const { breakers, silent, turn, timeout } = stage();
  await silent(3, ONE);
  const refused = await breakers.refusal(ONE);
  assert.equal(refused?.since.epochMilliseconds, 1_001_000, 'the first of the failures');
  assert.equal(refused?.retryMilliseconds, 60_000);

  turn(59_999);
  assert.equal(await timeout(), null);
  turn(1);
  assert.equal(await timeout(), 5_000, 'the try of the minute');
  assert.equal(await timeout(), null, 'it was taken');
  await silent(1, ONE);
  turn(59_999);
  assert.equal(await timeout(), null);
  turn(1);
  assert.equal(await timeout(), 5_000);
  assert.equal((await breakers.refusal(ONE))?.since.epochMilliseconds, 1_001_000);
});

test('the first answer closes it', async () => {
  const { breakers, silent, timeout } = stage();
  await silent(7, ONE);
  await breakers.answered(ONE, 100);
  assert.equal(await timeout(), 5_000);
  assert.equal(await timeout(), 5_000);
});

test('a first try is short, its repetition long, and a host that answered slowly is given time from then on', async () => {
  const { breakers, timeout, turn } = stage();
  assert.deepEqual([await timeout(), await timeout(true)], [5_000, 20_000]);
  await breakers.answered(ONE, 2_500);
  assert.deepEqual([await timeout(), await timeout(true)], [20_000, 20_000]);
  turn(3_600_001);
  await breakers.answered(ONE, 100);
  assert.equal(await timeout(), 5_000, 'an hour later it is fast again');
});

test('while there is no answer, a try now and then is long: the host may have become slow', async () => {
  const { silent, turn, timeout } = stage();
  await silent(3, ONE);
  const timeouts: (number | null)[] = [];
  for (let minute = 0; minute < 8; minute++) {
    turn(60_000);
    timeouts.push(await timeout());
    await silent(1, ONE);
  }
  assert.deepEqual(timeouts, [5_000, 5_000, 5_000, 20_000, 5_000, 5_000, 5_000, 20_000]);
});
