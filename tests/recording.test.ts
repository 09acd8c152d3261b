import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder, openApp } from './support/app.ts';
import { shiftedClock } from './support/clock.ts';

// What a source cannot say this time stays as it was stored.

const LATER = Temporal.Instant.from('2026-11-16T12:00:00Z');
const REFUND = { amount: decimal('259.90'), at: LATER };

test('what a source could not give this time stays as it is stored', async (t) => {
  const { record, api } = await openApp(t);
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

test('a refund that was learnt apart survives reads without refunds', async (t) => {
  const { record, api } = await openApp(t);
  const plain = anOrder({ status: 'shipped', keep: ['refunds', 'refundedTotal'] });
  await record([plain]);
  await record([
    { ...plain, refunds: [REFUND], refundedTotal: REFUND.amount, keep: [], status: 'refunded' },
  ]);

  const { changed } = await record([{ ...plain, changedAt: LATER, fetchedAt: LATER }]);

  const { body } = await api('/v1/orders/2000000000000001');
  assert.equal(changed, 0);
  assert.equal(body.data.status, 'refunded');
});

test('a partial refund that was learnt apart leaves the status to the marketplace', async (t) => {
  const { record, api } = await openApp(t);
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

test('what a process whose clock is ahead read is replaced by what is read after it, not when that time has come', async (t) => {
  const instance = await openApp(t);
  const { record, api, clock, organization } = instance;
  const ahead = openDatabase({
    address: instance.app.database.address,
    clock: shiftedClock(clock, () => ({ minutes: 5 })),
    readerTimeoutSeconds: 15,
    onIdleError: () => {},
  });
  t.after(ahead.close);
  const readBy = (now: Temporal.Instant, status: Order['status']) =>
    anOrder({ status, marketplaceStatus: status, changedAt: null, fetchedAt: now });
  const statusNow = async () => (await api('/v1/orders/2000000000000001')).body.data.status;

  await ahead
    .within(organization.id)
    .write((scope) => recordOrders(scope, [readBy(scope.clock.now(), 'paid')]));
  clock.advance({ seconds: 1 });
  await record([readBy(clock.now(), 'shipped')]);
  assert.equal(await statusNow(), 'shipped');

  const earlier = clock.now();
  clock.advance({ seconds: 1 });
  await record([readBy(clock.now(), 'delivered')]);
  await record([readBy(earlier, 'shipped')]);
  assert.equal(await statusNow(), 'delivered', 'of reads by one clock the later one counts');
});
