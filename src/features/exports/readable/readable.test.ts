import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPORTS, type Exported } from '../exports.ts';
import { READABLE, readableColumns } from './readable.ts';

test('each column that people read shows values that its rows have, under a title of its own', () => {
  for (const what of Object.keys(EXPORTS) as Exported[]) {
    const titles = READABLE[what].map(({ title }) => title);
    assert.deepEqual(
      readableColumns(what, 'whole').map(({ title }) => title),
      titles,
    );
    assert.equal(new Set(titles).size, titles.length, what);
  }
});
