import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemId } from '../../simulators/mercado_libre/facts.ts';
import type { MercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { shelvesOf } from '../../simulators/order.ts';
import { syncOrganization } from '../../src/exchange/sync-organization.ts';
import { openHouse } from '../support/house.ts';
import { mercadoLibre } from '../support/stand-mercado-libre.ts';
import { act, openStage } from '../support/stand-stage.ts';

// What only Mercado Libre does. What every marketplace's connector must stand is tests/connectors.test.ts.

test('more orders in one hour of the index than an offset reaches come in all the same', async (t) => {
  const house = await openHouse(t);
  const stage = await openStage(house, mercadoLibre, { seed: 'crowded hour', orders: 0 });
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
  const house = await openHouse(t);
  const stage = await openStage(house, mercadoLibre, { seed: 'cost', orders: 0 });
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

  const asked = requests.slice(before).map(({ path }) => path.replace(/\?.*/, '').replace(/\d{6,}/, ':id'));
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

test('a shipment that moves without its order is found by the sweep', async (t) => {
  const house = await openHouse(t);
  const stage = await openStage(house, mercadoLibre, { seed: 'sweep', orders: 8 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  await stage.sweep();
  shop.switches.shipmentMovesOrder = false;
  stage.clock.advance({ hours: 5 });

  for (const order of shop.world.orders().filter((one) => stage.truth(one).status === 'paid'))
    act(shop, order.id, 'shipped');
  await stage.sweep();

  await stage.holdToAccount();
});

test('a partial answer changes nothing that it leaves out', async (t) => {
  const house = await openHouse(t);
  const stage = await openStage(house, mercadoLibre, { seed: 'partial', orders: 3 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  await stage.sweep();
  const before = await stage.orders();

  for (const order of shop.world.orders()) {
    shop.switches.partialOrders.add(order.id);
    await stage.hint(order);
  }

  assert.ok(shop.requests.some(({ status }) => status === 206));
  assert.deepEqual(await stage.orders(), before);
});

test('stock that a seller keeps in several places is the sum of the places', async (t) => {
  const house = await openHouse(t);
  const stage = await openStage(house, mercadoLibre, { seed: 'places', orders: 5 });
  t.after(stage.shop.close);
  const shop = stage.shop as MercadoLibre;
  shop.switches.multiOrigin = true;

  const { organizationId } = stage;
  await syncOrganization(house.house.exchange, { organizationId, service: null, stream: 'inventory' });

  const shelves = shop.world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => ({ sku, item: itemId(product.sku), product })),
  );
  const stock = shop.world.stock();
  const levels = await house.house.database
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
