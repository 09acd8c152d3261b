import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remaining } from './lines.ts';

test('the remaining time follows from the part that is done, in seconds and then in minutes', () => {
  assert.equal(remaining(10_000, 0.5), 'faltan 10 s');
  assert.equal(remaining(30_000, 0.75), 'faltan 10 s');
  assert.equal(remaining(59_000, 0.5), 'faltan 59 s');
  assert.equal(remaining(60_000, 0.5), 'faltan 1 min');
  assert.equal(remaining(60_001, 0.5), 'faltan 2 min');
  assert.equal(remaining(100, 0.99), 'faltan 1 s');
});

test('at the very beginning and at the end there is no remaining time', () => {
  assert.equal(remaining(1_000, 0), '');
  assert.equal(remaining(1_000, 0.009), '');
  assert.equal(remaining(1_000, 1), '');
});
