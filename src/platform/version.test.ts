import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOlder, isOlderThanStored } from './version.ts';

const at = (time: string) => Temporal.Instant.from(`2026-11-16T${time}Z`);
const version = (changed: string | null, fetched: string) => ({
  changedAt: changed === null ? null : at(changed),
  fetchedAt: at(fetched),
});
const NOW = at('12:00:00');

const CASES = [
  ['an older change time', version('10:00:00', '11:59:00'), version('10:00:01', '11:00:00'), true],
  ['a newer change time', version('10:00:01', '11:00:00'), version('10:00:00', '11:59:00'), false],
  [
    'equal change times, an older fetch',
    version('10:00:00', '11:00:00'),
    version('10:00:00', '11:59:00'),
    true,
  ],
  ['no change time, an older fetch', version(null, '11:00:00'), version(null, '11:59:00'), true],
  ['no change time, the same fetch', version(null, '11:59:00'), version(null, '11:59:00'), false],
] as const;

for (const [what, given, other, older] of CASES)
  test(`${what}: ${older ? 'older' : 'not older'}`, () => {
    assert.equal(isOlder(given, other), older);
    assert.equal(isOlderThanStored(given, other, NOW), older);
  });

test('a stored fetch that lies in the future says nothing, a change time does', () => {
  const future = version(null, '12:05:00');

  assert.equal(isOlderThanStored(version(null, '11:59:59'), future, NOW), false);
  assert.equal(
    isOlderThanStored(version('10:00:00', '11:59:59'), version('10:00:01', '12:05:00'), NOW),
    true,
  );
});
