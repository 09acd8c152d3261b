import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPace } from './pace.ts';

test('work rests four times as long as others delay it, a second at most', async () => {
  let now = 0;
  const rests: number[] = [];
  const pace = openPace({
    monotonic: () => now,
    async sleep(milliseconds) {
      rests.push(milliseconds);
      now += milliseconds;
    },
  });
  for (const took of [10, 10, 30, 8, 10, 900]) {
    now += took;
    await pace.rest();
  }

  assert.deepEqual(rests, [80, 8, 1_000]);
});
