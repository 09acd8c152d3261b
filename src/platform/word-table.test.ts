import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTable } from './word-table.ts';

test('a word that every object knows is in no table', () => {
  const table = { paid: 'paid' };

  assert.equal(inTable(table, 'paid'), 'paid');
  for (const word of ['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])
    assert.equal(inTable(table, word), undefined);
});
