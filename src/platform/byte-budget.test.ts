import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openByteBudget } from './byte-budget.ts';

test('bytes are had in the order of asking, and a small wish does not pass a large one', () => {
  const budget = openByteBudget(10);
  const had: string[] = [];
  const hold = (name: string, bytes: number) => budget.hold(bytes, () => had.push(name));
  const first = hold('first', 6);
  hold('large', 8);
  hold('small', 2);
  assert.deepEqual(had, ['first']);
  first();
  assert.deepEqual(had, ['first', 'large', 'small']);
});

test('a wish that is given up lets the next one through, and giving back twice is giving back once', () => {
  const budget = openByteBudget(10);
  const had: string[] = [];
  const hold = (name: string, bytes: number) => budget.hold(bytes, () => had.push(name));
  const first = hold('first', 10);
  const second = hold('second', 10);
  hold('third', 10);
  second();
  first();
  first();
  hold('fourth', 1);
  assert.deepEqual(had, ['first', 'third']);
});

test('a wish for more than there is at all is had alone', () => {
  const budget = openByteBudget(10);
  let had = 0;
  budget.hold(50, () => had++)();
  budget.hold(10, () => had++);
  assert.equal(had, 2);
});
