import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ATTACKS } from './attacks.ts';

test('each of the thirteen attacks is tried by tests that exist', () => {
  assert.deepEqual(
    ATTACKS.map(({ number }) => number),
    Array.from({ length: 13 }, (_, at) => at + 1),
  );
  const missing = ATTACKS.flatMap(({ tests }) =>
    Object.entries(tests).flatMap(([file, names]) => {
      const text = readFileSync(file, 'utf8');
      return names.filter((name) => !text.includes(name)).map((name) => `${file}: ${name}`);
    }),
  );
  assert.deepEqual(missing, []);
});
