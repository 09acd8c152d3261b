import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal } from '../src/platform/money.ts';
import { anOrder, openHouse } from './support/house.ts';

// What a source cannot say this time stays as it was stored.

const LATER = Temporal.Instant.from('2026-11-16T12:00:00Z');
const REFUND = { amount: decimal('259.90'), at: LATER };

test('what a source could not give this time stays as it is stored', async (t) => {
  const { record, api } = await openHouse(t);
  await record([anOrder()]);

  const partial = anOrder({
    status: 'shipped',
    buyerName: null,
    items: [],
    keep: ['buyerName', 'items'],
    changedAt: LATER,
  });
  await record([partial]);

  const { body } = await api('/v1/orders/2000000000000001');
  assert.equal(body.data.status, 'shipped');
  assert.equal(body.data.buyer_name, 'Lucía R.');
  assert.equal(body.data.items.length, 1);
});

test('a refund that was learnt apart outlives the reads that cannot tell refunds', async (t) => {
  const { record, api } = await openHouse(t);
  const plain = anOrder({ status: 'shipped', keep: ['refunds', 'refundedTotal'] });
  await record([plain]);
  await record([{ ...plain, refunds: [REFUND], refundedTotal: REFUND.amount, keep: [], status: 'refunded' }]);

  const { changed } = await record([{ ...plain, changedAt: LATER, fetchedAt: LATER }]);

  const { body } = await api('/v1/orders/2000000000000001');
  assert.equal(changed, 0);
  assert.equal(body.data.status, 'refunded');
});

test('a partial refund that was learnt apart leaves the status to the marketplace', async (t) => {
  const { record, api } = await openHouse(t);
  const plain = anOrder({ status: 'shipped', keep: ['refunds', 'refundedTotal'] });
  await record([
    {
      ...plain,
      refunds: [{ ...REFUND, amount: decimal('10.00') }],
      refundedTotal: decimal('10.00'),
      keep: [],
    },
  ]);

  await record([{ ...plain, status: 'delivered', changedAt: LATER, fetchedAt: LATER }]);

  const { body } = await api('/v1/orders/2000000000000001');
  assert.equal(body.data.status, 'delivered');
});
