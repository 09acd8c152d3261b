import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfSession } from '../../src/carriers/paquetexpress/session.ts';
import { readItemPage } from '../../src/connectors/walmart/wire.ts';
import { reportFigure } from '../reliability/support/profile.ts';

// What once took time that grew with the square of the text: each answer below took from ten
// seconds to minutes, and takes milliseconds. Every expression of src/ is judged by
// tests/regular-expressions/run.ts.

const MOST_MS = 3_000;

test('a megabyte of elements of Walmart that never end are read at once', (t) => {
  const body = `<ItemResponses>${'<ItemResponse>'.repeat(75_000)}`;
  const took = milliseconds(() => assert.throws(() => readItemPage(body)));
  reportFigure(t, `1 MB of Walmart's elements without an end: ${took.toFixed(0)} ms`);
  assert.ok(took < MOST_MS, `${took} ms`);
});

test('a refusal of Paquetexpress of 220 KB is understood at once', (t) => {
  const description = 'token'.repeat(44_000);
  const took = milliseconds(() => assert.equal(isOfSession({ code: '9', description }), false));
  reportFigure(t, `220 KB of Paquetexpress' words: ${took.toFixed(0)} ms`);
  assert.ok(took < MOST_MS, `${took} ms`);
});

function milliseconds(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
