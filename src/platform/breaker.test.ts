import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBreakers, type Route } from './breaker.ts';
import { systemClock } from './clock.ts';

const ORIGIN = 'https://tienda.example';
const ONE: Route = { origin: ORIGIN, lane: 'one', service: 'tienda' };
const OTHER: Route = { origin: ORIGIN, lane: 'other', service: 'tienda' };

function stage() {
  let at = 1_000_000;
  const clock = {
    ...systemClock,
    now: () => Temporal.Instant.fromEpochMilliseconds(at),
    monotonic: () => at,
  };
  const breakers = openBreakers(clock);
  const failing = (how: 'silent' | 'unable') => (times: number, route: Route) => {
    for (let failure = 0; failure < times; failure++) {
      at += 1_000;
      breakers[how](route, 10);
    }
  };
  return {
    breakers,
    turn: (milliseconds: number) => {
      at += milliseconds;
    },
    silent: failing('silent'),
    unable: failing('unable'),
    timeout: (isRetry = false) => {
      const given = breakers.admit(ONE, isRetry);
      return 'timeoutMilliseconds' in given ? given.timeoutMilliseconds : null;
    },
  };
}

for (const how of ['silent', 'unable'] as const)
  test(`two failures (${how}) open nothing, the third does, and an answer in between begins anew`, () => {
    const { breakers, ...fail } = stage();
    fail[how](2, ONE);
    assert.equal(breakers.refusal(ONE), null);
    breakers.answered(ONE, 10);
    fail[how](2, ONE);
    assert.equal(breakers.refusal(ONE), null);
    fail[how](1, ONE);
    assert.ok(breakers.refusal(ONE));
    const elsewhere = { ...ONE, origin: 'https://otra.example' };
    assert.equal(breakers.refusal(elsewhere), null, 'another host is another matter');
  });

test('what a host refuses to one connection, however often, stops no other', () => {
  const { breakers, unable } = stage();
  unable(50, ONE);
  assert.ok(breakers.refusal(ONE));
  assert.equal(breakers.refusal(OTHER), null);
});

test('silence that one connection met stops that one; silence that two met stops all', () => {
  const { breakers, silent } = stage();
  silent(50, ONE);
  assert.ok(breakers.refusal(ONE));
  assert.equal(breakers.refusal(OTHER), null, 'it may be this one’s question');
  silent(1, OTHER);
  assert.ok(breakers.refusal(OTHER));
  const third = { ...ONE, lane: 'third' };
  assert.ok(breakers.refusal(third), 'the host does not answer');
  assert.equal(breakers.refusal(third)?.since.epochMilliseconds, 1_001_000);

  breakers.answered(OTHER, 10);
  assert.equal(breakers.refusal(third), null, 'one answer closes the breaker of the host');
  assert.ok(breakers.refusal(ONE), 'and not that of the connection that had none');
});

test('an answer that it cannot answer now ends a host’s silence', () => {
  const { breakers, silent, unable } = stage();
  silent(3, OTHER);
  silent(2, ONE);
  unable(1, ONE);
  assert.equal(breakers.refusal({ ...ONE, lane: 'third' }), null);
});

test('while there is no answer one call a minute is let through, and the others learn since when', () => {
  const { breakers, silent, turn, timeout } = stage();
  silent(3, ONE);
  const refused = breakers.refusal(ONE);
  assert.equal(refused?.since.epochMilliseconds, 1_001_000, 'the first of the failures');
  assert.equal(refused?.retryMilliseconds, 60_000);

  turn(59_999);
  assert.equal(timeout(), null);
  turn(1);
  assert.equal(timeout(), 5_000, 'the try of the minute');
  assert.equal(timeout(), null, 'it was taken');
  silent(1, ONE);
  turn(59_999);
  assert.equal(timeout(), null);
  turn(1);
  assert.equal(timeout(), 5_000);
  assert.equal(breakers.refusal(ONE)?.since.epochMilliseconds, 1_001_000);
});

test('the first answer closes it', () => {
  const { breakers, silent, timeout } = stage();
  silent(7, ONE);
  breakers.answered(ONE, 100);
  assert.equal(timeout(), 5_000);
  assert.equal(timeout(), 5_000);
});

test('a first try is short, its repetition long, and a host that answered slowly is given time from then on', () => {
  const { breakers, timeout, turn } = stage();
  assert.deepEqual([timeout(), timeout(true)], [5_000, 20_000]);
  breakers.answered(ONE, 2_500);
  assert.deepEqual([timeout(), timeout(true)], [20_000, 20_000]);
  turn(3_600_001);
  breakers.answered(ONE, 100);
  assert.equal(timeout(), 5_000, 'an hour later it is fast again');
});

test('while there is no answer, a try now and then is long: the host may have become slow', () => {
  const { silent, turn, timeout } = stage();
  silent(3, ONE);
  const timeouts = Array.from({ length: 8 }, () => {
    turn(60_000);
    const given = timeout();
    silent(1, ONE);
    return given;
  });
  assert.deepEqual(timeouts, [5_000, 5_000, 5_000, 20_000, 5_000, 5_000, 5_000, 20_000]);
});
