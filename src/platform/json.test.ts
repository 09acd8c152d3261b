import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isRawNumber, isStorable, parseLossless, rawNumber, storableText } from './json.ts';

test('numbers pass through unharmed: large ids, long decimals, trailing zeros', () => {
  const text =
    '{"id":2000003508897196123,"fee":14.290000000000001,"price":440.0,"list":[1e400,-0]}';
  assert.equal(JSON.stringify(parseLossless(text)), text);
});

test('any document is what the language’s own parser makes of it, each number as it was written', () => {
  // Without escapes: Node 26.10's own JSON.parse takes the name `\"` for `\\` in an object like one
  // that had the latter.
  const name = fc.oneof(fc.constantFrom('"a"', '"10"', '"9"', '"__proto__"', '""'), text(PLAIN));
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        '-0',
        '1.0',
        '1',
        '2000003508897196123',
        '2000003508897196124',
        '1.50e+3',
        'null',
        'true',
      ),
      text(),
      fc.array(tie('document')).map((items) => `[${items.join(' , ')}]`),
      // Names come twice, and some are numbers.
      fc
        .array(fc.tuple(name, tie('document')), { maxLength: 6 })
        .map((members) => `{${members.map((pair) => pair.join(': ')).join(',')}}`),
    ) as fc.Arbitrary<string>,
  }));
  const keep = (_name: string, value: unknown, context?: { source: string }) =>
    typeof value === 'number' ? rawNumber(context?.source ?? String(value)) : value;
  const meant = (written: string) =>
    JSON.parse(written, keep as (name: string, value: unknown) => unknown);

  fc.assert(
    fc.property(document, (written) => {
      assert.equal(JSON.stringify(parseLossless(written)), JSON.stringify(meant(written)));
    }),
    { numRuns: 2_000 },
  );
});

const PLAIN = ['1', ':', '-2', '{', 'á', '😀', ','];
const ESCAPED = ['\\"', '\\\\', '\\u0000'];

function text(pieces = [...PLAIN, ...ESCAPED]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces)).map((all) => `"${all.join('')}"`);
}

test('a name may be written with escapes', () => {
  const written = '{"a\\"1":1.0,"b\\\\2":{"\\u0041":2.50},"3\\n":"\\""}';
  assert.equal(
    JSON.stringify(parseLossless(written)),
    '{"a\\"1":1.0,"b\\\\2":{"A":2.50},"3\\n":"\\""}',
  );
});

test('a number and a text that looks like one stay distinct', () => {
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

test('nesting ends nothing, however deep: neither reading nor looking at what was read', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const text = `[7.0,${open.repeat(100_000)}1.50${close.repeat(100_000)}]`;

    const document = parseLossless(text);

    assert.equal(isStorable(document), true);
    assert.equal((document as { rawJSON: string }[])[0]?.rawJSON, '7.0');
    let [, inner] = document as unknown[];
    while (!isRawNumber(inner)) inner = Object.values(inner as object)[0];
    assert.equal(inner.rawJSON, '1.50');
  }
  assert.equal(
    isStorable(parseLossless(`${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}`)),
    false,
  );
});

test('a text that cannot be kept is made one that can', () => {
  assert.equal(storableText('a\0b\ud800c\ud83d\ude00'), 'a\ufffdb\ufffdc😀');
  assert.equal(storableText('taza azul'), 'taza azul');
});
