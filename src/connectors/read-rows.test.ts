import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOne } from './read-rows.ts';

test('whatever goes wrong in reading a row is said of that row', () => {
  const read = readOne({ id: 'A1' }, () => {
    throw new RangeError('Invalid time value');
  });

  assert.deepEqual(read, {
    ok: false,
    externalId: 'A1',
    reason: '(whole): Invalid time value',
    raw: '{"id":"A1"}',
  });
});
