import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareInstants,
  epochMicros,
  formatMicros,
  formatMillis,
  fromEpochMicros,
  latest,
  parseHttpDate,
  parseInstant,
  timeInMexico,
} from './time.ts';

test('a full timestamp becomes UTC, whatever its offset', () => {
  const same: [string, string][] = [
    ['2026-11-21T01:02:03Z', '2026-11-21T01:02:03.000000Z'],
    ['2024-08-15T17:38:30.000-0400', '2024-08-15T21:38:30.000000Z'],
    ['2026-11-20T19:02:03.5-06:00', '2026-11-21T01:02:03.500000Z'],
    ['2026-11-21t01:02:03.123456789z', '2026-11-21T01:02:03.123456Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
  ];
  for (const [given, utc] of same)
    assert.equal(formatMicros(parseInstant(given) as Temporal.Instant), utc);
});

test('what is no full timestamp is refused', () => {
  const wrong = [
    '',
    '2026-11-21',
    '2026-11-21T01:02:03',
    '2026-11-21 01:02:03Z',
    '2026-02-30T00:00:00Z',
    '2026-11-21T24:00:00Z',
  ];
  for (const text of [
    ...wrong,
    '2026-11-21T23:59:60Z',
    '2026-13-01T00:00:00Z',
    'now',
    '1763686923',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999Z',
    '2026-11-21T01:02:03+99:00',
  ]) {
    assert.equal(parseInstant(text), null, text);
  }
});

test('public times cut what they do not show', () => {
  const instant = Temporal.Instant.from('2026-11-21T01:02:03.999999Z');
  assert.equal(formatMillis(instant), '2026-11-21T01:02:03.999Z');
  assert.equal(formatMicros(instant), '2026-11-21T01:02:03.999999Z');
  assert.equal(fromEpochMicros(epochMicros(instant)).toString(), instant.toString());
});

test('times are written as Temporal writes them, in every year', () => {
  const first = Temporal.Instant.from('0001-01-01T00:00:00Z').epochMilliseconds * 1_000;
  const last = Temporal.Instant.from('9999-12-31T23:59:59.999Z').epochMilliseconds * 1_000;
  const many = Array.from({ length: 2_000 }, (_, at) =>
    Math.floor(first + ((last - first) * at) / 2_000),
  );
  for (const micros of [
    first,
    -1_000,
    -1,
    0,
    1,
    999,
    86_399_999_999,
    86_400_000_000,
    last,
    ...many,
  ]) {
    const instant = fromEpochMicros(micros);
    assert.equal(formatMicros(instant), instant.toString({ smallestUnit: 'microsecond' }));
    assert.equal(
      formatMillis(instant),
      instant.toString({ smallestUnit: 'millisecond', roundingMode: 'floor' }),
    );
  }
});

test('instants compare as Temporal compares them', () => {
  const micros = [
    -1_000_001, -1, 0, 1, 999, 1_000, 1_001, 1_763_686_923_000_000, 1_763_686_923_000_001,
  ];
  const instants = micros.map(fromEpochMicros);
  for (const a of instants)
    for (const b of instants)
      assert.equal(
        Math.sign(compareInstants(a, b)),
        Temporal.Instant.compare(a, b),
        `${a} and ${b}`,
      );
});

test('the latest of some known and unknown times', () => {
  const [early, late] = [
    Temporal.Instant.from('2026-01-01T00:00:00Z'),
    Temporal.Instant.from('2026-01-02T00:00:00Z'),
  ];
  assert.equal(latest(null, early, undefined, late), late);
  assert.equal(latest(null, undefined), null);
});

test('the date of an HTTP header', () => {
  assert.equal(parseHttpDate('Sat, 21 Nov 2026 02:00:00 GMT')?.toString(), '2026-11-21T02:00:00Z');
  assert.equal(parseHttpDate('tomorrow'), null);
});

test('a time of the same Mexican day is written without its day', () => {
  const now = Temporal.Instant.from('2026-11-21T04:00:00Z');
  for (const [instant, reported] of [
    ['2026-11-20T20:05:00Z', 'las 14:05'],
    ['2026-11-20T07:30:00Z', 'la 01:30'],
    ['2026-11-20T05:59:00Z', 'el 19 de noviembre a las 23:59'],
    ['2026-11-21T03:59:59Z', 'las 21:59'],
  ] as const)
    assert.equal(timeInMexico(Temporal.Instant.from(instant), now), reported);
});
