import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aside, bounded } from './bounds.ts';

const AT = Temporal.Instant.from('2026-11-16T18:00:00Z');
const BEFORE_ALL = Temporal.Instant.from('0001-01-01T00:00:00Z');

/** The items of each stream, reduced to the fields under test. */
const THINGS: Readonly<Record<string, object>> = {
  orders: {
    id: '1',
    currency: 'MXN',
    tags: ['a'],
    packId: 'p',
    dateCreated: AT,
    refunds: [{ amount: '1.00', at: AT }],
    items: [{ sku: 's', title: 'Taza', quantity: 1 }],
    raw: '{}',
  },
  inventory: { itemId: '1', variationId: '2', sku: 's', title: 'Taza', available: 3 },
  balances: { purse: '', currency: 'MXN', asOf: AT, releases: [{ at: AT, amount: '1.00' }] },
  settlements: { id: '1', currency: 'MXN', reference: 'r', paidAt: AT, raw: '{}' },
  invoices: { id: '1', orderIds: ['1'], fileName: 'a.xml', xml: Buffer.from('<x/>'), issuedAt: AT },
  shipments: {
    id: '1',
    trackingNumber: 't',
    relations: [{ packId: 'p', tags: [] }],
    createdAt: AT,
    raw: '{}',
  },
};

test('what is within bounds passes as it is', () => {
  for (const [stream, item] of Object.entries(THINGS)) {
    const read = { ok: true, item } as const;
    assert.equal(bounded(read), read, stream);
  }
  const xml = Buffer.from(`<x>${'y'.repeat(100_000)}\0</x>`);
  assert.equal(bounded({ ok: true, item: { ...THINGS.invoices, xml } }).ok, true);
});

test('in every stream what no table can hold is set aside, with the path of the field', () => {
  for (const [stream, path, change] of [
    ['orders', 'id', { id: 'x'.repeat(201) }],
    ['orders', 'tags.1', { tags: ['a', 'x'.repeat(256)] }],
    ['orders', 'packId', { packId: 'x'.repeat(256) }],
    ['orders', 'refunds.0.at', { refunds: [{ amount: '1.00', at: BEFORE_ALL }] }],
    ['orders', 'items.0.sku', { items: [{ sku: 'x'.repeat(256) }] }],
    ['orders', 'items.0.title', { items: [{ title: 'x'.repeat(5_001) }] }],
    ['orders', 'items.0.quantity', { items: [{ quantity: Number.POSITIVE_INFINITY }] }],
    ['inventory', 'itemId', { itemId: 'x'.repeat(201) }],
    ['inventory', 'sku', { sku: 'a\0' }],
    ['balances', 'currency', { currency: 'x'.repeat(256) }],
    ['balances', 'releases.0.at', { releases: [{ at: BEFORE_ALL, amount: '1.00' }] }],
    ['settlements', 'paidAt', { paidAt: BEFORE_ALL }],
    ['settlements', 'reference', { reference: '\ud800' }],
    ['invoices', 'orderIds.0', { orderIds: ['x'.repeat(201)] }],
    ['shipments', 'trackingNumber', { trackingNumber: 'x'.repeat(201) }],
    ['shipments', 'relations.0.tags.0', { relations: [{ tags: ['x'.repeat(256)] }] }],
  ] as const) {
    const read = bounded({ ok: true, item: { ...THINGS[stream], ...change } });
    assert.equal(read.ok, false, `${stream} ${path}`);
    assert.equal(!read.ok && read.reason.split(':')[0], path);
    if (stream === 'invoices') assert.match((!read.ok && read.raw) || '', /"<x\/>"/);
  }
});

test('what is set aside can be stored itself', () => {
  const kept = aside({
    externalId: `a\0\ud800${'x'.repeat(300)}`,
    reason: `id: ${'y'.repeat(2_000)}`,
    raw: '{"a":"\ud800"}',
  });

  assert.equal(kept.externalId?.length, 200);
  assert.equal(kept.externalId?.slice(0, 4), 'a\ufffd\ufffdx');
  assert.equal(kept.reason.length, 1_000);
  assert.equal(kept.raw, '{"a":"\ufffd"}');
});
