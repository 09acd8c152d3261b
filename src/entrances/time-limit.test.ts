import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { openTimeLimit, type TimeLimit } from './time-limit.ts';

const LIMIT_MS = 15_000;

/** When, after its beginning, each request is cancelled and when it is answered. */
function ask(limit: TimeLimit, at: number, now: () => number) {
  const seen: { aborted: number | null; answered: number | null } = {
    aborted: null,
    answered: null,
  };
  const leave = limit(
    () => {
      seen.aborted = now() - at;
    },
    () => {
      seen.answered = now() - at;
    },
  );
  return { seen, leave };
}

test('every request is cancelled before the limit and answered within it, grace included', (t) => {
  t.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ['setTimeout'] });
  const limit = openTimeLimit(LIMIT_MS);
  let now = 0;
  const asked: ReturnType<typeof ask>[] = [];
  for (; now <= 30_000; now += 1) {
    if (now <= 600 && now % 7 === 0) asked.push(ask(limit, now, () => now));
    mock.timers.tick(1);
  }

  assert.ok(asked.length > 80);
  for (const { seen } of asked) {
    assert.ok(seen.aborted !== null && seen.answered !== null);
    assert.ok(
      seen.aborted < seen.answered,
      `cancelled at ${seen.aborted}, answered at ${seen.answered} ms`,
    );
    assert.ok(seen.answered < LIMIT_MS, `answered at ${seen.answered} ms`);
    assert.ok(seen.aborted > LIMIT_MS - 1_000, `cancelled at ${seen.aborted} ms`);
  }
});

test('a request that was answered is neither cancelled nor answered again', (t) => {
  t.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ['setTimeout'] });
  const limit = openTimeLimit(1_000);
  const [done, slow] = [ask(limit, 0, () => 1), ask(limit, 0, () => 1)];

  done.leave();
  for (let step = 0; step < 4; step++) mock.timers.tick(500);
  assert.deepEqual(done.seen, { aborted: null, answered: null });
  assert.deepEqual(slow.seen, { aborted: 1, answered: 1 });
});
