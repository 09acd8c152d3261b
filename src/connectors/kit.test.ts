import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { parseLossless } from '../platform/json.ts';
import type { Read } from './contract.ts';
import {
  amount,
  apart,
  apartAmong,
  currency,
  id,
  instant,
  inTable,
  looseText,
  optional,
  readOne,
  text,
} from './kit.ts';
import { UpstreamError } from './upstream-error.ts';

test('a word that every object knows is in no table', () => {
  const table = { paid: 'paid' };

  assert.equal(inTable(table, 'paid'), 'paid');
  for (const word of ['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])
    assert.equal(inTable(table, word), undefined);
});

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

test('whatever goes wrong in reading a row is said of that row', () => {
  const read = readOne({ id: 'A1' }, () => {
    throw new RangeError('Invalid time value');
  });

  assert.deepEqual(read, {
    ok: false,
    externalId: 'A1',
    reason: '(whole): Invalid time value',
    raw: '{"id":"A1"}',
  });
});

test('what one thing’s own answer makes impossible sets it aside, and anything else is thrown', async () => {
  const failing = (error: Error) => apart('A1', () => Promise.reject(error));

  for (const error of [
    new UpstreamError('too_large', 'vtex', 'the answer is larger than 8388608 bytes'),
    new UpstreamError('unreadable', 'vtex', 'the body is not JSON'),
    new UpstreamError('refused', 'vtex', 'answered 400'),
    new SyntaxError('Unexpected token'),
    new URIError('URI malformed'),
  ]) {
    const [aside, ...others] = await failing(error);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [aside?.ok, aside && !aside.ok && aside.externalId],
      [false, 'A1'],
      error.message,
    );
  }
  for (const error of [
    new UpstreamError('unreachable', 'vtex', 'answered 503'),
    new UpstreamError('unauthorized', 'vtex', 'answered 401'),
    new UpstreamError('forbidden', 'vtex', 'answered 403'),
    new Error('the instance is stopping'),
  ])
    await assert.rejects(failing(error), error);
});

test('of several that are asked for together only those are set aside that make the answer too large', async () => {
  const asked: number[] = [];
  const ids = Array.from({ length: 9 }, (_, number) => `A${number}`);

  const reads = await apartAmong(ids, async (some): Promise<Read<string>[]> => {
    asked.push(some.length);
    if (some.includes('A6')) throw new UpstreamError('too_large', 'tiktok_shop', 'too large');
    return some.map((item) => ({ ok: true, item }));
  });

  assert.deepEqual(
    reads.map((read) => (read.ok ? read.item : `${read.externalId} aside`)),
    ids.map((one) => (one === 'A6' ? 'A6 aside' : one)),
  );
  assert.ok(asked.length <= 9, `${asked.length} calls`);
});
