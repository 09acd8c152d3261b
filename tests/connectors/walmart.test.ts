import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { shelvesOf } from '../../simulators/order.ts';
import { ownId } from '../../simulators/walmart/facts.ts';
import { startWalmart, type WalmartOptions } from '../../simulators/walmart/index.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { query } from '../support/market.ts';

// What is Walmart's own; what every marketplace must stand is in the shared suite.

for (const generation of ['legacy', 'global'] as const)
  test(`a token of fifteen minutes is renewed on the way, in the ${generation} shape`, async (t) => {
    const { house, shop } = await open(t, { generation });
    const { id } = shop.world.place();
    shop.world.pay(id);
    await house.sync();

    house.clock.advance({ minutes: 20 });
    shop.world.ship(id);
    await house.sync();

    const { body } = await house.api('/v1/orders');
    assert.deepEqual(
      body.data.map((order: { status: string }) => order.status),
      ['shipped'],
    );
    assert.equal(shop.requests.filter(({ path }) => path === '/v3/token').length, 2);
  });

test('the token that proved the keys is renewed before its fifteen minutes are over', async (t) => {
  const { house } = await open(t);

  const renewals = "select due_at from schedules where task = 'renew' and organization_id = $1";
  const planned = await query(house, renewals, [house.organization.id]);

  const minutes = planned.map(({ due_at }) =>
    house.clock
      .now()
      .until(due_at as never)
      .total('minutes'),
  );
  assert.deepEqual(minutes, [12]);
});

test('more orders than an offset reaches are read in shorter spans', async (t) => {
  const { house, shop } = await open(t);
  shop.world.fill({ orders: 1_700, days: 150 });

  const [orders] = await house.sync();

  assert.equal(orders?.unreadable, 0);
  const deepest = shop.requests.map(({ path }) => Number(/[?&]offset=(\d+)/.exec(path)?.[1] ?? 0));
  assert.ok(Math.max(...deepest) <= 1_000);
  assert.deepEqual(
    shop.requests.filter(({ status }) => status === 400),
    [],
  );
  const wanted = shop.world.orders().map((order) => ownId(order, 'legacy'));
  assert.deepEqual((await idsOf(house)).toSorted(), wanted.toSorted());
});

for (const generation of ['legacy', 'global'] as const)
  test(`a shop without a single order is no failure, in the ${generation} shape`, async (t) => {
    const { house } = await open(t, { generation });

    const [first] = await house.sync();
    house.clock.advance({ hours: 2 });
    const [second] = await house.sync();

    assert.deepEqual([first?.items, second?.items], [0, 0]);
  });

test('an order that Walmart fulfils is known by the id of the buyer, and comes back by it', async (t) => {
  const { house, shop } = await open(t);
  const product = shop.world.products.find(({ keptByMarketplace }) => keptByMarketplace);
  const order = shop.world.place({ lines: [{ sku: product ? (shelvesOf(product)[0]?.sku ?? '') : '' }] });
  shop.world.deliver(order.id);
  await house.sync();

  house.clock.advance({ hours: 1 });
  shop.world.takeBack(order.id);
  await house.sync();

  const { status, body } = await house.api(`/v1/orders/${ownId(order, 'legacy')}`);
  assert.equal(status, 200);
  assert.equal(body.data.status, 'returned');
});

test('a refund is told with its amount and its moment, and lists that cannot tell it leave it', async (t) => {
  const { house, shop } = await open(t);
  const order = shop.world.place();
  shop.world.deliver(order.id);
  await house.sync();

  house.clock.advance({ hours: 1 });
  const at = house.clock.now().epochMilliseconds;
  shop.world.refund(order.id, '10.00');
  await house.sync();
  house.clock.advance({ hours: 30 });
  await house.sync();

  const { body } = await house.api(`/v1/orders/${ownId(order, 'legacy')}`);
  assert.equal(body.data.refunded_total, 10);
  assert.deepEqual(
    body.data.refunds.map((refund: { amount: number; at: string }) => [refund.amount, Date.parse(refund.at)]),
    [[10, Math.floor(at / 1_000) * 1_000]],
  );
  assert.equal(body.data.status, 'delivered');
});

test('stock of the seller is read SKU by SKU, and what Walmart keeps is left out', async (t) => {
  const { house, shop } = await open(t);

  const [, inventory] = await house.sync();

  const own = shop.world.products.filter(({ keptByMarketplace }) => !keptByMarketplace).flatMap(shelvesOf);
  assert.equal(inventory?.stream, 'inventory');
  assert.equal(inventory?.items, own.length);
  assert.equal(inventory?.unreadable, 0);
});

async function idsOf(house: TestHouse): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await house.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) });
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.pagination.has_more) return ids;
    cursor = body.pagination.next_cursor;
  }
}

async function open(t: TestContext, options: WalmartOptions = {}) {
  const house = await openHouse(t);
  const shop = await startWalmart({ seed: 5, now: () => house.clock.now().epochMilliseconds, ...options });
  t.after(shop.close);
  await house.connect('walmart', { url: shop.url, credentials: shop.credentials() });
  return { house, shop };
}
