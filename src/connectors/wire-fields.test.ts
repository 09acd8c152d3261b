import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { parseLossless } from '../platform/json.ts';
import { amount, currency, id, instant, looseText, optional, text } from './wire-fields.ts';

test('an identifier is one that a table and an address can hold', () => {
  for (const good of ['"4500"', '4500123456789012345', '"MX-😀"', JSON.stringify('x'.repeat(200))])
    assert.equal(id.safeParse(parseLossless(good)).success, true, good);
  for (const bad of [
    '""',
    'null',
    '{}',
    '"a\\u0000"',
    '"\\ud800"',
    JSON.stringify('x'.repeat(201)),
  ])
    assert.equal(id.safeParse(parseLossless(bad)).success, false, bad);
});

test('a text may come as a number, and nothing in it is nothing', () => {
  const Row = z.object({ sku: text, note: looseText });

  assert.deepEqual(Row.parse(parseLossless('{"sku":7501031311309,"note":12.50}')), {
    sku: '7501031311309',
    note: '12.50',
  });
  assert.deepEqual(Row.parse(parseLossless('{"sku":" ","note":{"a":1}}')), {
    sku: null,
    note: null,
  });
  assert.deepEqual(Row.parse({}), { sku: null, note: null });
  assert.equal(Row.safeParse(parseLossless('{"sku":{"a":1}}')).success, false);
});

test('what need not be there may be blank, and rubbish in its place is still refused', () => {
  const Row = z.object({
    tracking: optional(id),
    fee: optional(amount),
    sentAt: optional(instant),
    parcels: optional(z.array(z.object({ id }))),
  });
  const nothing = { tracking: null, fee: null, sentAt: null, parcels: null };

  for (const blank of ['', ' ', null, undefined])
    assert.deepEqual(
      Row.parse({ tracking: blank, fee: blank, sentAt: blank, parcels: blank }),
      nothing,
    );
  assert.deepEqual(Row.parse({}), nothing);
  for (const rubbish of [{ fee: 'gratis' }, { sentAt: 'ayer' }, { tracking: {} }])
    assert.equal(Row.safeParse(rubbish).success, false, JSON.stringify(rubbish));
});

const CURRENCIES = [
  ['MXN', 'MXN'] as const,
  ['mxn', 'MXN'] as const,
  [' usd ', 'USD'] as const,
  ['', null] as const,
  ['string', null] as const,
  ['QQQ', null] as const,
  [null, null] as const,
  [484, null] as const,
];

for (const [reported, code] of CURRENCIES)
  test(`the currency ${JSON.stringify(reported)} is ${code}`, () => {
    assert.equal(currency.parse(reported), code);
  });
