import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  absolute,
  add,
  addKnown,
  compare,
  covers,
  decimal,
  divide,
  moneyText,
  multiply,
  parseDecimal,
  perCentOf,
  perPiece,
  subtract,
} from './money.ts';

test('an amount keeps the decimals that it was given', () => {
  for (const text of [
    '0',
    '440.0',
    '129.95',
    '14.290000000000001',
    '-12.35',
    '999999999999.99',
    '0.1',
  ]) {
    assert.equal(parseDecimal(text), text);
  }
});

test('other spellings of a number become plain notation', () => {
  const spellings: [string, string][] = [
    ['1e3', '1000'],
    ['+5', '5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007', '7'],
    ['-007.50', '-7.50'],
    ['2.5E-3', '0.0025'],
    ['1e15', '1000000000000000'],
    [' 12.30 ', '12.30'],
  ];
  for (const [given, plain] of spellings) assert.equal(parseDecimal(given), plain, given);
});

test('what is no amount is refused', () => {
  for (const text of [
    '',
    'NaN',
    'Infinity',
    '1,234.50',
    '$5',
    '1e999999',
    '0x10',
    '1.2.3',
    '12345678901234567',
    '1e16',
    '--1',
  ]) {
    assert.equal(parseDecimal(text), null, text);
  }
});

test('a constant that is no amount is a defect', () => {
  assert.throws(() => decimal('1,234.50'), /not a decimal: 1,234.50/);
});

test('sums are exact to the cent', () => {
  assert.equal(add(decimal('0.1'), decimal('0.2')), '0.3');
  assert.equal(subtract(decimal('1562.0'), decimal('880.0')), '682');
  assert.equal(multiply(decimal('129.95'), 3), '389.85');
  assert.equal(compare(decimal('1.10'), decimal('1.1')), 0);
  const cents = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), {
    minLength: 1,
    maxLength: 50,
  });
  fc.assert(
    fc.property(cents, (amounts) => {
      const sum = add(...amounts.map((amount) => decimal(asPesos(amount))));
      assert.equal(
        compare(sum, decimal(asPesos(amounts.reduce((total, amount) => total + amount, 0)))),
        0,
      );
    }),
  );
});

test('a quotient is rounded half up, to the decimals that are asked for', () => {
  assert.equal(divide(decimal('1160'), 100, 2), '11.60');
  assert.equal(divide(decimal('-5'), 100, 2), '-0.05');
  assert.equal(divide(decimal('10'), 3, 6), '3.333333');
  assert.equal(divide(decimal('1'), 8, 2), '0.13');
});

test('what one of several costs is exact, or rounded at the sixth decimal', () => {
  assert.equal(perPiece(decimal('259.90'), 2), '129.95');
  assert.equal(perPiece(decimal('100'), 3), '33.333333');
  assert.equal(perPiece(decimal('100'), 4), '25');
  assert.equal(perPiece(decimal('100.00'), 4), '25.00');
  assert.equal(perPiece(decimal('-200'), 3), '-66.666667');
});

test('a share is in hundredths, rounded half up to a tenth', () => {
  assert.equal(perCentOf(decimal('25'), decimal('200')), '12.5');
  assert.equal(perCentOf(decimal('1'), decimal('3')), '33.3');
  assert.equal(perCentOf(decimal('2'), decimal('3')), '66.7');
  assert.equal(perCentOf(decimal('-5'), decimal('400')), '-1.3');
});

test('what is not known is left out of a sum, and a sum of nothing known is not known', () => {
  assert.equal(addKnown([decimal('129.95'), null, decimal('-29.95')]), '100');
  assert.equal(addKnown([decimal('0')]), '0');
  assert.equal(addKnown([null, null]), null);
  assert.equal(addKnown([]), null);
});

test('an amount without its sign keeps its decimals', () => {
  assert.equal(absolute(decimal('-440.00')), '440.00');
  assert.equal(absolute(decimal('440.00')), '440.00');
  assert.equal(absolute(decimal('-0.00')), '0.00');
  assert.equal(absolute(null), null);
});

test('only all of a known whole, or more than all, covers it', () => {
  const cases: [string | null, string | null, boolean][] = [
    ['100', '100.00', true],
    ['100.01', '100', true],
    ['99.99', '100', false],
    ['-100', '100', false],
    ['0', '0', false],
    ['5', '0.00', false],
    ['0', '-5', false],
    [null, '100', false],
    ['100', null, false],
  ];

  for (const [part, whole, isCovered] of cases)
    assert.equal(
      covers(part === null ? null : decimal(part), whole === null ? null : decimal(whole)),
      isCovered,
      `${part} of ${whole}`,
    );
});

test('an amount in a sentence has its thousands, its cents and its currency', () => {
  const written = ['3250.75', '5000', '-1234567.5', '0.125'].map((amount) =>
    moneyText(decimal(amount), 'MXN'),
  );
  assert.deepEqual(written, ['$3,250.75 MXN', '$5,000.00 MXN', '−$1,234,567.50 MXN', '$0.125 MXN']);
});

function asPesos(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
