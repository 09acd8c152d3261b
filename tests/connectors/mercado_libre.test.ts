import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { itemId } from '../../simulators/mercado_libre/facts.ts';
import {
  type MercadoLibre,
  mercadoLibreWorld,
  startMercadoLibre,
} from '../../simulators/mercado_libre/index.ts';
import { type Order, shelvesOf } from '../../simulators/order.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp } from '../support/app.ts';
import { act } from '../support/lives.ts';
import { jobsDone } from '../support/market.ts';
import type { StandStart } from '../support/stand.ts';
import { mercadoLibre } from '../support/stand-mercado-libre.ts';
import { openStage } from '../support/stand-stage.ts';

// What only Mercado Libre does. What every marketplace's connector must withstand is
// tests/connectors/suite/.

const shared = await openApp(WHOLE_FILE);

test('more orders in one hour of the index than an offset reaches come in all the same', {
  tags: ['slow'],
}, async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'crowded hour', orders: 0 });
  t.after(stage.shop.close);
  const { world, requests } = stage.shop;
  const now = stage.clock.now().epochMilliseconds;
  const crowd = Array.from({ length: 1_060 }, (_, day) =>
    // Handed over in person, so that no shipment is asked for.
    world.place({ at: now - day * 8 * 3_600_000, inPerson: true }),
  );
  for (const { id } of crowd) world.pay(id);
  stage.clock.advance({ minutes: 20 });

  await stage.walk();

  await stage.holdToAccount();
  const offsets = requests.map(({ path }) => Number(/offset=(\d+)/.exec(path)?.[1] ?? 0));
  assert.ok(Math.max(...offsets) < 1_000, 'it never asked for a deep offset');
  assert.ok(requests.some(({ path }) => path.includes('order.date_created.from')));
});

test('an order costs one call beside its page, those that arrived one more, and a pack no more than an order', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'cost', orders: 0 });
  t.after(stage.shop.close);
  const { world, requests } = stage.shop;
  const cart = world.placeCart([{}, {}, {}]);
  for (const { id } of cart) world.pay(id);
  const [paid, arrived, unpaid] = [world.place(), world.place(), world.place()];
  world.pay(paid.id);
  world.deliver(arrived.id);
  assert.ok(unpaid);
  const before = requests.length;

  await stage.walk();

  const asked = requests
    .slice(before)
    .map(({ path }) => path.replace(/\?.*/, '').replace(/\d{6,}/, ':id'));
  const times = Object.groupBy(asked, (path) => path);
  assert.deepEqual(
    Object.entries(times)
      .map(([path, all]) => [path, all?.length])
      .sort(),
    [
      ['/orders/:id/shipments', 1],
      ['/orders/search', 1],
      ['/shipments/:id', 3],
    ],
  );
  await stage.holdToAccount();
});

test('a shipment that moves without its order is found by the reconciliation', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'sweep', orders: 8 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  await stage.reconcile();
  shop.switches.shipmentMovesOrder = false;
  stage.clock.advance({ hours: 5 });

  for (const order of shop.world.orders().filter((one) => stage.truth(one).status === 'paid'))
    act(shop, order.id, 'shipped');
  await stage.reconcile();

  await stage.holdToAccount();
});

test('a partial answer changes nothing that it leaves out', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'partial', orders: 3 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  await stage.reconcile();
  const before = await stage.orders();

  for (const order of shop.world.orders()) {
    shop.switches.partialOrders.add(order.id);
    await stage.hint(order);
  }

  assert.ok(shop.requests.some(({ status }) => status === 206));
  assert.deepEqual(await stage.orders(), before);
});

test('goods that came back and went to the buyer again are on their way, and then delivered, again', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'sent again', orders: 0 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  const order = shop.world.place();
  const statusNow = async () => {
    stage.clock.advance({ hours: 1 });
    await stage.hint(order);
    return (await stage.order(order.id)).status;
  };

  shop.world.deliver(order.id);
  const seen = [await statusNow()];
  shop.world.sendBack(order.id);
  seen.push(await statusNow());
  shop.world.takeBack(order.id);
  seen.push(await statusNow());
  const sent = { state: 'shipped' as const, at: shop.world.now() };
  shop.switches.sentAgain.set(order.id, [sent]);
  seen.push(await statusNow());
  shop.switches.sentAgain.set(order.id, [sent, { state: 'delivered', at: shop.world.now() }]);
  seen.push(await statusNow());

  assert.deepEqual(seen, ['delivered', 'delivered', 'returned', 'shipped', 'delivered']);
});

test('a sale that was cancelled with money back in the account is cancelled, unless it was sent before', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'paid back', orders: 0 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  const [early, packed] = [shop.world.place(), shop.world.place()];
  shop.world.pay(early.id);
  shop.world.pack(packed.id);
  stage.clock.advance({ minutes: 20 });
  await stage.walk();

  for (const { id } of [early, packed]) {
    shop.switches.paidBack.add(id);
    shop.world.cancel(id);
  }
  stage.clock.advance({ minutes: 20 });
  await stage.walk();

  for (const { id, total } of [early, packed]) {
    const { status, marketplace_status, refunded_total } = await stage.order(id);
    assert.deepEqual([status, marketplace_status], ['cancelled', 'paid']);
    assert.equal(refunded_total, Number(total));
  }
});

test('a refund keeps the time at which it was first read, and a further one has its own', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'refund times', orders: 0 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  const order = shop.world.place({ lines: [{ title: 'Taza', unitPrice: '100.00', quantity: 1 }] });
  shop.world.deliver(order.id);
  const refundsLater = async () => {
    await stage.hint(order);
    const { refunds } = await stage.order(order.id);
    stage.clock.advance({ hours: 30 });
    return refunds;
  };

  shop.world.refund(order.id, '30.00');
  const [first, ...none] = await refundsLater();
  shop.switches.paymentChangedAt.set(order.id, shop.world.now());
  const afterOtherChange = await refundsLater();
  shop.world.refund(order.id);
  const refundedAt = new Date(shop.world.now()).toISOString();
  const all = await refundsLater();

  assert.deepEqual([first.amount, none], [30, []]);
  assert.deepEqual(afterOtherChange, [first]);
  assert.deepEqual(all, [first, { amount: 70, at: refundedAt }]);
});

test('an order that was cancelled after its delivery, which no list shows, is cancelled within a day', {
  tags: ['slow'],
}, async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'late', orders: 0 });
  t.after(stage.shop.close);
  const { world, requests } = stage.shop;
  const orders = [world.place(), world.place()];
  for (const { id } of orders) world.deliver(id);
  stage.clock.advance({ minutes: 20 });
  await stage.reconcile();
  const before = requests.length;

  world.cancel(orders[0]?.id ?? '');
  for (let hour = 0; hour < 24; hour++) await stage.reconcile();

  const statuses = await Promise.all(orders.map(async ({ id }) => (await stage.order(id)).status));
  assert.deepEqual(statuses, ['cancelled', 'delivered']);
  const own = `/orders/${orders[1]?.id}`;
  const calls = requests.slice(before).filter(({ path }) => path === own);
  assert.ok(calls.length > 0 && calls.length <= 4, `${calls.length} calls in a day`);
});

test('the shipping of a pack belongs to the pack, and that of a single order to the order', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'pack', orders: 0 });
  t.after(stage.shop.close);
  const { world } = stage.shop;
  const cart = world.placeCart([{ shipping: '60.00' }, { shipping: '39.50' }]);
  const alone = Array.from({ length: 9 }, () => world.place({ shipping: '99.00' }));
  for (const { id } of [...cart, ...alone]) world.pay(id);
  stage.clock.advance({ minutes: 20 });

  await stage.walk();

  const reported = async ({ id }: Order) => {
    const { shipping_total, pack, money_check } = await stage.order(id);
    assert.equal(money_check, 'ok');
    return { shipping_total, pack: pack?.shipping_total };
  };
  const [first, second] = await Promise.all(cart.map(reported));
  assert.deepEqual([first, second], Array(2).fill({ shipping_total: null, pack: 99.5 }));
  assert.deepEqual(
    new Set((await Promise.all(alone.map(reported))).map((one) => JSON.stringify(one))),
    new Set(['{"shipping_total":99}', '{"shipping_total":null,"pack":99}']),
    'many a pack is one order',
  );
});

test('stock notified under its user product is fetched again', { tags: ['slow'] }, async (t) => {
  const instance = await shared.another();
  const shop = await startMercadoLibre({ now: () => instance.clock.now().epochMilliseconds });
  t.after(shop.close);
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  shop.switches.multiOrigin = true;
  // Mercado Libre waits half a second, which a busy machine may need.
  shop.switches.patienceMilliseconds = 10_000;
  shop.notifications.notifyTo(`${instance.url}/api/webhooks/mercado_libre`);
  const [line] = shop.world.place({ lines: [{ quantity: 1 }] }).lines;
  assert.ok(line);

  const reported = await shop.notifications.flush();
  await jobsDone(instance);

  assert.deepEqual(
    reported.map(({ topic, status }) => [topic, status]),
    [
      ['orders_v2', 200],
      ['stock-location', 200],
    ],
  );
  const levels = await instance.app.database
    .within(instance.organization.id)
    .read((scope) =>
      scope.rows(scope.select('stock_levels').select(['sku', 'item_id', 'available'])),
    );
  const stock = shop.world.stock();
  assert.deepEqual(
    levels.toSorted((a, b) => (String(a.sku) < String(b.sku) ? -1 : 1)),
    shelvesOf(line.product).map(({ sku }) => ({
      sku,
      item_id: itemId(line.product.sku),
      available: stock.get(sku),
    })),
  );
});

test('stock that a seller keeps in several places is the sum of the places', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'places', orders: 5 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  shop.switches.multiOrigin = true;

  const { organizationId } = stage;
  await syncOrganization(instance.app.exchange, {
    organizationId,
    service: null,
    stream: 'inventory',
  });

  const shelves = shop.world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => ({ sku, item: itemId(product.sku), product })),
  );
  const stock = shop.world.stock();
  const levels = await instance.app.database
    .within(organizationId)
    .read((scope) =>
      scope.rows(scope.select('stock_levels').select(['sku', 'item_id', 'warehouse', 'available'])),
    );
  assert.deepEqual(
    levels.toSorted((a, b) => (String(a.sku) < String(b.sku) ? -1 : 1)),
    shelves
      .map(({ sku, item, product }) => ({
        sku,
        item_id: item,
        warehouse: product.keptByMarketplace ? 'marketplace' : 'seller',
        available: stock.get(sku),
      }))
      .toSorted((a, b) => (a.sku < b.sku ? -1 : 1)),
  );
});

test('a product in Full and in a warehouse of the seller has stock in both', async (t) => {
  const instance = await shared.another();
  const stage = await openStage(instance, mercadoLibre, { seed: 'places', orders: 5 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  shop.switches.multiOrigin = true;
  const product = shop.world.products.find(({ keptByMarketplace }) => keptByMarketplace);
  const sku = product && shelvesOf(product)[0]?.sku;
  assert.ok(sku);
  shop.switches.besideFull.set(sku, 7);

  const { organizationId } = stage;
  await syncOrganization(instance.app.exchange, {
    organizationId,
    service: null,
    stream: 'inventory',
  });

  const levels = await instance.app.database
    .within(organizationId)
    .read((scope) =>
      scope.rows(
        scope.select('stock_levels').select(['warehouse', 'available']).where('sku', '=', sku),
      ),
    );
  assert.deepEqual(levels.map(({ warehouse, available }) => [warehouse, available]).toSorted(), [
    ['marketplace', shop.world.stock().get(sku)],
    ['seller', 7],
  ]);
});

test('a page of items that a scroll lost in a broken run is read by the run after it', async (t) => {
  const { breakOff, sync, missing, walks } = await openLargeShop(t);

  await breakOff();
  const synced = await sync();

  assert.deepEqual(
    [synced?.error, synced?.unreadable, await missing(), walks()],
    [undefined, 0, [], 2],
  );
});

/** By the pages that are lost, one in each run: how often the list is begun. */
const SHORT: readonly (readonly [readonly number[], number])[] = [
  [[2, 2], 2],
  [[3, 2, 2, 3], 3],
];

for (const [pages, begun] of SHORT)
  test(`a list of items that loses the pages ${pages} says that it is not complete`, {
    tags: ['slow'],
  }, async (t) => {
    const { shop, breakOff, sync, missing, walks } = await openLargeShop(t);

    for (const page of pages) await breakOff(shop.world.products[page * 100 - 60]?.sku);
    const synced = await sync();

    assert.deepEqual([synced?.error, synced?.unreadable, walks()], [undefined, 1, begun]);
    await sync();
    assert.deepEqual(await missing(), []);
  });

test('a list that counts more items than it shows is read twice, and nothing is concluded from what is missing', async (t) => {
  const { sync, walks, missing, shop } = await openLargeShop(t);
  shop.switches.unlistedItems = 7;

  const synced = await sync();

  assert.deepEqual(
    [synced?.error, synced?.unreadable, await missing(), walks()],
    [undefined, 1, [], 2],
  );
});

/** A seller with three pages of items, whose scrolls keep their ids. */
async function openLargeShop(t: TestContext) {
  const instance = await shared.another();
  const start = ({ seed, now }: StandStart) =>
    startMercadoLibre({ seed, now, world: mercadoLibreWorld({ seed, now, products: 250 }) });
  const stage = await openStage(instance, { ...mercadoLibre, start }, { seed: t.name, orders: 0 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  shop.switches.scrollKeepsId = true;
  const { organizationId } = stage;
  const request = { organizationId, service: null, stream: 'inventory' } as const;
  const sync = async () => (await syncOrganization(instance.app.exchange, request))[0];
  const skus = () => shop.world.products.flatMap(shelvesOf).map(({ sku }) => sku);
  return {
    shop,
    sync,
    /**
     * A run that fails once the page with this product was listed: by default the second of three.
     */
    async breakOff(sku = shop.world.products[150]?.sku ?? '') {
      shop.faults.next({
        kind: 'bad_gateway',
        match: new RegExp(`/items\\?.*${itemId(sku)}`),
        times: 1_000,
      });
      assert.notEqual((await sync())?.error, undefined);
      shop.faults.stop();
      // Longer than calls are held back for, and shorter than a scroll lives.
      instance.clock.advance({ minutes: 2 });
    },
    async missing() {
      const levels = await instance.app.database
        .within(organizationId)
        .read((scope) => scope.rows(scope.select('stock_levels').select(['sku'])));
      const known = new Set(levels.map(({ sku }) => sku));
      return skus().filter((sku) => !known.has(sku));
    },
    walks: () =>
      shop.requests.filter(({ path }) => /search_type=scan/.test(path) && !/scroll_id/.test(path))
        .length,
  };
}
