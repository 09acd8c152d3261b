import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOf } from './range.ts';

for (const [header, expected] of [
  [undefined, [0, 100]],
  ['bytes=0-', [0, 100]],
  ['bytes=0-0', [0, 1]],
  ['bytes=10-19', [10, 20]],
  ['bytes=90-200', [90, 100]],
  ['bytes=-10', [90, 100]],
  ['bytes=-200', [0, 100]],
  ['bytes=100-', null],
  ['bytes=-0', null],
  ['bytes=20-10', [0, 100]],
  ['bytes=0-1,5-6', [0, 100]],
  ['rows=0-1', [0, 100]],
  ['bytes=-', [0, 100]],
] as const)
  test(`of 100 bytes «${header}» is ${expected}`, () => {
    const span = rangeOf(header, 100);
    assert.deepEqual(span && [span.from, span.to], expected);
  });
