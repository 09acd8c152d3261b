import assert from 'node:assert/strict';
import { test } from 'node:test';
import { termOf } from './term.ts';
import { meantBy } from './typed-terms.ts';

for (const [typed, amount] of [
  ['279.90', '279.9'],
  ['$279.9', '279.9'],
  ['1,279.90 MXN', '1279.9'],
  ['$ 1279', '1279'],
] as const)
  test(`«${typed}» may be the amount ${amount}`, () => {
    assert.deepEqual(meantBy(typed).terms, [`a:${amount}`]);
  });

for (const typed of ['12,79', '1.2.3', 'MXN', '-5', '1e9', '2000009876543210'])
  test(`«${typed}» is ${typed.length === 16 ? 'an id' : 'no amount'}`, () => {
    assert.deepEqual(meantBy(typed).terms, []);
  });

test('a name is found as it is stored, abbreviated', () => {
  assert.ok(meantBy('Juan Pérez').prefixes.includes('b:juan p.'));
  assert.ok(meantBy('ÁNGELES').prefixes.includes('b:angeles'));
});

test('one letter is only an id: too much begins with it', () => {
  const { id, prefixes, words } = meantBy(' a ');
  assert.deepEqual([id, prefixes, words], ['a', [], []]);
});

test('a long value is cut between characters', () => {
  assert.equal(termOf('sku', '😀'.repeat(300)), `s:${'😀'.repeat(200)}`);
});
