import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRawNumber, isStorable, parseLossless, rawNumber } from './json.ts';

test('numbers pass through unharmed: large ids, long decimals, trailing zeros', () => {
  const text = '{"id":2000003508897196123,"fee":14.290000000000001,"price":440.0,"list":[1e400,-0]}';
  assert.equal(JSON.stringify(parseLossless(text)), text);
});

test('a number is told from a text that looks like one', () => {
  const { a, b } = parseLossless('{"a":1,"b":"1"}') as { a: unknown; b: unknown };
  assert.equal(isRawNumber(a), true);
  assert.equal(isRawNumber(b), false);
  assert.equal(JSON.stringify({ total: rawNumber('440.0') }), '{"total":440.0}');
});

test('what the database cannot keep as text is found at any depth', () => {
  for (const text of ['{"a":["x\\u0000"]}', '{"\\u0000":1}', '["\\ud800"]'])
    assert.equal(isStorable(parseLossless(text)), false, text);
  for (const text of ['{"a":"\\\\u0000"}', '["\\ud83d\\ude00"]', '[1.5,null,true,{}]'])
    assert.equal(isStorable(parseLossless(text)), true, text);
});

test('what is nested beyond all meaning is no JSON', () => {
  assert.throws(() => parseLossless('['.repeat(100_000) + ']'.repeat(100_000)), SyntaxError);
});
