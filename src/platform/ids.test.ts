import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequestId } from './ids.ts';

test('request ids sort by the time that they were made', () => {
  const ids = [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000].map(newRequestId);
  assert.deepEqual(ids.toSorted(), ids);
});
