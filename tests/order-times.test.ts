import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../src/features/orders/index.ts';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';

// When an order was closed, shipped and delivered, where its source does not say so.

const instance = await openApp(WHOLE_FILE);
const DAY = '2026-11-15';
const ID = '2000000000000001';

async function timesAfter(...versions: Partial<Order>[]) {
  const shop = await openShop(instance);
  for (const [hour, version] of versions.entries()) {
    const at = Temporal.Instant.from(`${DAY}T${10 + hour}:00:00Z`);
    await shop.record(anOrder({ dateClosed: null, changedAt: at, fetchedAt: at, ...version }));
  }
  const { data } = (await shop.get(`/v1/orders/${ID}`)).body;
  return [
    data.date_closed,
    data.shipping?.shipped_at ?? null,
    data.shipping?.delivered_at ?? null,
  ].map((time: string | null) => time?.slice(11, 16) ?? null);
}

test('an order seen to pass through its statuses has the times of these', async () => {
  const seen = await timesAfter({ status: 'paid' }, { status: 'shipped' }, { status: 'delivered' });
  assert.deepEqual(seen, ['12:00', '11:00', '12:00']);
});

test('an order that comes first in its last status has no invented times', async () => {
  assert.deepEqual(await timesAfter({ status: 'delivered' }), [null, null, null]);
});

test('a delivery that was seen without its dispatch has no time of dispatch', async () => {
  assert.deepEqual(await timesAfter({ status: 'paid' }, { status: 'delivered' }), [
    '11:00',
    null,
    '11:00',
  ]);
});

test('a later reading that says nothing new keeps the times', async () => {
  const seen = await timesAfter(
    { status: 'paid' },
    { status: 'shipped' },
    { status: 'delivered' },
    { status: 'delivered', tags: ['later'] },
  );
  assert.deepEqual(seen, ['12:00', '11:00', '12:00']);
});

test('a later return does not move the closing date, and reopening takes it away', async () => {
  const steps = [{ status: 'paid' }, { status: 'delivered' }] as const;
  assert.deepEqual((await timesAfter(...steps, { status: 'returned' }))[0], '11:00');
  assert.deepEqual((await timesAfter(...steps, { status: 'paid' }))[0], null);
});

test('the source’s own times go before those that were seen', async () => {
  const at = Temporal.Instant.from(`${DAY}T08:30:00Z`);
  const shipping = {
    carrier: null,
    trackingNumber: null,
    method: null,
    status: null,
    shippedAt: at,
    deliveredAt: null,
  };
  const seen = await timesAfter(
    { status: 'paid' },
    { status: 'shipped', shipping },
    { status: 'delivered', shipping, dateClosed: at },
  );
  assert.deepEqual(seen, ['08:30', '08:30', '12:00']);
});

test('a field that the source leaves out this time is filled with its own word, not with a seen time', async () => {
  const seen = await timesAfter(
    { status: 'paid' },
    { status: 'delivered' },
    { status: 'delivered', keep: ['shipping', 'dateClosed'], tags: ['later'] },
  );
  assert.deepEqual(seen, ['11:00', null, '11:00']);
});
