import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Order, shelvesOf } from '../../simulators/order.ts';
import { type Generation, ownId } from '../../simulators/walmart/facts.ts';
import { startWalmart, type WalmartOptions } from '../../simulators/walmart/index.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { query } from '../support/market.ts';
import { credentialsFor } from '../support/stand-walmart.ts';

// What is Walmart's own; what every marketplace must withstand is in the shared suite.

const shared = await openApp(WHOLE_FILE);

for (const generation of ['global', 'legacy'] as const)
  test(`a token of fifteen minutes is renewed on the way, in the ${generation} shape`, async (t) => {
    const { instance, shop } = await open(t, generation);
    const { id } = shop.world.place();
    shop.world.pay(id);
    await instance.sync();

    instance.clock.advance({ minutes: 20 });
    shop.world.ship(id);
    await instance.sync();

    const { body } = await instance.api('/v1/orders');
    assert.deepEqual(
      body.data.map((order: { status: string }) => order.status),
      ['shipped'],
    );
    assert.equal(shop.requests.filter(({ path }) => path === '/v3/token').length, 2);
  });

test('the token that proved the keys is renewed before its fifteen minutes are over', async (t) => {
  const { instance } = await open(t);

  const renewals = "select due_at from schedules where task = 'renew' and organization_id = $1";
  const planned = await query(instance, renewals, [instance.organization.id]);

  const minutes = planned.map(({ due_at }) =>
    instance.clock
      .now()
      .until(due_at as never)
      .total('minutes'),
  );
  assert.deepEqual(minutes, [12]);
});

test('more orders than an offset reaches are read in shorter spans', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop } = await open(t, 'legacy');
  shop.world.fill({ orders: 1_700, days: 150 });

  const [orders] = await instance.sync();

  assert.equal(orders?.unreadable, 0);
  const deepest = shop.requests.map(({ path }) => Number(/[?&]offset=(\d+)/.exec(path)?.[1] ?? 0));
  assert.ok(Math.max(...deepest) <= 1_000);
  assert.deepEqual(
    shop.requests.filter(({ status }) => status === 400),
    [],
  );
  const wanted = shop.world.orders().map((order) => ownId(order, 'legacy'));
  assert.deepEqual((await idsOf(instance)).toSorted(), wanted.toSorted());
});

for (const generation of ['global', 'legacy'] as const)
  test(`a shop without a single order is no failure, in the ${generation} shape`, async (t) => {
    const { instance } = await open(t, generation);

    const [first] = await instance.sync();
    instance.clock.advance({ hours: 2 });
    const [second] = await instance.sync();

    assert.deepEqual([first?.items, second?.items], [0, 0]);
  });

test('an order that Walmart fulfils is known by the id of the buyer, and comes back by it', async (t) => {
  const { instance, shop } = await open(t, 'legacy');
  const product = shop.world.products.find(({ keptByMarketplace }) => keptByMarketplace);
  const order = shop.world.place({
    lines: [{ sku: product ? (shelvesOf(product)[0]?.sku ?? '') : '' }],
  });
  shop.world.deliver(order.id);
  await instance.sync();

  instance.clock.advance({ hours: 1 });
  shop.world.takeBack(order.id);
  await instance.sync();

  const { status, body } = await instance.api(`/v1/orders/${ownId(order, 'legacy')}`);
  assert.equal(status, 200);
  assert.equal(body.data.status, 'returned');
});

test('a refund has its amount and its time, and lists without refunds do not change it', async (t) => {
  const { instance, shop } = await open(t, 'legacy');
  const order = shop.world.place();
  shop.world.deliver(order.id);
  await instance.sync();

  instance.clock.advance({ hours: 1 });
  const at = instance.clock.now().epochMilliseconds;
  shop.world.refund(order.id, '10.00');
  await instance.sync();
  instance.clock.advance({ hours: 30 });
  await instance.sync();

  const { body } = await instance.api(`/v1/orders/${ownId(order, 'legacy')}`);
  assert.equal(body.data.refunded_total, 10);
  assert.deepEqual(
    body.data.refunds.map((refund: { amount: number; at: string }) => [
      refund.amount,
      Date.parse(refund.at),
    ]),
    [[10, Math.floor(at / 1_000) * 1_000]],
  );
  assert.equal(body.data.status, 'delivered');
});

for (const generation of ['global', 'legacy'] as const)
  test(`an order that was seen before it was cancelled keeps its total and its lines, in the ${generation} shape`, async (t) => {
    const { instance, shop } = await open(t, generation);
    const lines = [{ quantity: 2, unitPrice: '116.00' }, { unitPrice: '58.00' }];
    const { id } = shop.world.place({ lines, shipping: '99.00' });
    shop.world.pay(id);
    await instance.sync();
    const read = async () =>
      (await instance.api(`/v1/orders/${ownId(shop.world.order(id) as Order, generation)}`)).body
        .data;
    const before = await read();

    instance.clock.advance({ hours: 2 });
    shop.world.cancel(id);
    await instance.sync();
    const after = await read();

    assert.deepEqual([before.total, before.shipping_total, before.money_check], [290, 99, 'ok']);
    assert.equal(after.status, 'cancelled');
    for (const field of [
      'total',
      'subtotal',
      'shipping_total',
      'tax_total',
      'total_includes',
      'money_check',
    ])
      assert.deepEqual(after[field], before[field], field);
    assert.deepEqual(
      after.items,
      before.items.map((item: { quantity: number }) => ({
        ...item,
        cancelled_quantity: item.quantity,
      })),
    );
  });

for (const [generation, lines] of [
  ['global', []],
  ['legacy', [[2, 2, 116]]],
] as const)
  test(`an order that comes first as a cancelled one has no total, and the known fields of its lines, in the ${generation} shape`, async (t) => {
    const { instance, shop } = await open(t, generation);
    const order = shop.world.place({ lines: [{ quantity: 2, unitPrice: '116.00' }] });
    shop.world.cancel(order.id);
    await instance.sync();

    // A file asks for the global documents, unless it says that it does not.
    const { body } = await instance.api(`/v1/orders/${ownId(order, generation)}`);
    const { total, money_check, items } = body.data;
    assert.deepEqual([total, money_check], [null, null]);
    assert.deepEqual(
      items.map(({ quantity, cancelled_quantity, unit_price }: Record<string, unknown>) => [
        quantity,
        cancelled_quantity,
        unit_price,
      ]),
      lines,
    );
  });

test('stock of the seller is read SKU by SKU, and what Walmart keeps is left out', async (t) => {
  const { instance, shop } = await open(t);

  const [, inventory] = await instance.sync();

  const own = shop.world.products
    .filter(({ keptByMarketplace }) => !keptByMarketplace)
    .flatMap(shelvesOf);
  assert.equal(inventory?.stream, 'inventory');
  assert.equal(inventory?.items, own.length);
  assert.equal(inventory?.unreadable, 0);
});

async function idsOf(instance: TestApp): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await instance.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) });
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.pagination.has_more) return ids;
    cursor = body.pagination.next_cursor;
  }
}

async function open(
  t: TestContext,
  generation: Generation = 'global',
  options: WalmartOptions = {},
) {
  const instance = await shared.another();
  const shop = await startWalmart({
    seed: 5,
    now: () => instance.clock.now().epochMilliseconds,
    ...options,
  });
  t.after(shop.close);
  await instance.connect('walmart', {
    url: shop.url,
    credentials: credentialsFor(generation, shop.credentials()),
  });
  return { instance, shop };
}
