import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOlderReading, isOlderThanKept } from './shipment.ts';

const at = (time: string) => Temporal.Instant.from(`2026-11-16T${time}Z`);
const reading = (changed: string | null, fetched: string) => ({
  changedAt: changed === null ? null : at(changed),
  fetchedAt: at(fetched),
});
const NOW = at('12:30:00');

const CASES = [
  [
    'fetched a minute later, of an older change',
    reading('10:00:00', '12:01:00'),
    reading('11:00:00', '12:00:00'),
    true,
  ],
  [
    'fetched ten minutes later, of an older change',
    reading('10:00:00', '12:10:00'),
    reading('11:00:00', '12:00:00'),
    false,
  ],
  [
    'fetched ten minutes earlier, of a newer change',
    reading('11:00:00', '12:00:00'),
    reading('10:00:00', '12:10:00'),
    true,
  ],
  [
    'fetched a minute later, of the same change',
    reading('10:00:00', '12:01:00'),
    reading('10:00:00', '12:00:00'),
    false,
  ],
  [
    'fetched a minute later than one that is dated ahead',
    reading('11:59:00', '12:01:00'),
    reading('18:00:00', '11:55:00'),
    false,
  ],
  [
    'of no change, fetched a minute earlier',
    reading(null, '12:00:00'),
    reading('10:00:00', '12:01:00'),
    true,
  ],
] as const;

for (const [what, given, other, older] of CASES)
  test(`a reading ${what} is ${older ? 'older' : 'not older'}`, () => {
    assert.equal(isOlderReading(given, other), older);
    assert.equal(isOlderThanKept(given, other, NOW), older);
  });

test('what was kept by a clock that is ahead is compared by its change alone', () => {
  const ahead = reading('11:00:00', '12:45:00');

  assert.equal(isOlderThanKept(reading('11:00:00', '12:29:00'), ahead, NOW), false);
  assert.equal(isOlderThanKept(reading('10:00:00', '12:29:00'), ahead, NOW), true);
});
