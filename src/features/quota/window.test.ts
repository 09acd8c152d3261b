import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../platform/clock.ts';
import { memoryCounter } from './window.ts';

const WINDOW_MS = 60_000;

test('a window begins with its first request, admits as many as the limit, and ends', () => {
  const { counter, advance } = counting();
  assert.deepEqual(counter.peek('a', 2), state(true, 0, WINDOW_MS));
  assert.deepEqual(counter.spend('a', 2), state(true, 1, WINDOW_MS));
  advance(20_000);
  assert.deepEqual(counter.spend('a', 2), state(true, 2, 40_000));
  assert.deepEqual(counter.spend('a', 2), state(false, 2, 40_000));
  assert.deepEqual(counter.peek('a', 2), state(false, 2, 40_000));
  advance(39_999);
  assert.deepEqual(counter.peek('a', 2), state(false, 2, 1));
  assert.deepEqual(counter.spend('a', 2), state(false, 2, 1));
  advance(1);
  assert.deepEqual(counter.peek('a', 2), state(true, 0, WINDOW_MS));
  assert.deepEqual(counter.spend('a', 2), state(true, 1, WINDOW_MS));
});

test('looking begins no window, and keys have windows of their own', () => {
  const { counter, advance } = counting();
  counter.peek('a', 1);
  advance(30_000);
  assert.deepEqual(counter.spend('a', 1), state(true, 1, WINDOW_MS));
  assert.deepEqual(counter.spend('b', 1), state(true, 1, WINDOW_MS));
  assert.deepEqual(counter.spend('a', 1), state(false, 1, WINDOW_MS));
});

test('ended windows are removed once there are ten thousand, and those under way stay', () => {
  const { counter, advance, count } = counting();
  for (let key = 0; key < 9_999; key++) counter.spend(`former ${key}`, 1);
  advance(WINDOW_MS - 1);
  counter.spend('under way', 1);
  advance(1);
  assert.equal(count(), 10_000);
  counter.spend('new', 1);
  assert.equal(count(), 2);
  assert.equal(counter.peek('under way', 1).admitted, false);
});

test('while none has ended, the next look for them is at twice as many', () => {
  const { counter, advance, count } = counting();
  for (let key = 0; key <= 10_000; key++) counter.spend(`long ${key}`, 1);
  assert.equal(count(), 10_001);
  advance(WINDOW_MS);
  for (let key = 0; key < 9_999; key++) counter.spend(`more ${key}`, 1);
  assert.equal(count(), 20_000, 'not before');
  counter.spend('one more', 1);
  assert.equal(count(), 10_000);
});

function state(admitted: boolean, count: number, millisecondsLeft: number) {
  return { admitted, count, millisecondsLeft };
}

/** @returns the counter, and how many windows it has in memory */
function counting() {
  let now = 5_000;
  const counter = watched(() => memoryCounter({ monotonic: () => now } as Clock, WINDOW_MS));
  return {
    ...counter,
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

/** The first map that is made holds the windows. */
function watched<Counter>(make: () => Counter): { counter: Counter; count: () => number } {
  const { Map: Original } = globalThis;
  const made: ReadonlyMap<unknown, unknown>[] = [];
  globalThis.Map = class extends Original {
    constructor() {
      super();
      made.push(this);
    }
  } as unknown as MapConstructor;
  try {
    return { counter: make(), count: () => made[0]?.size ?? 0 };
  } finally {
    globalThis.Map = Original;
  }
}
