import assert from 'node:assert/strict';
import test from 'node:test';
import { cents, stateAt } from './order.ts';
import { createWorld } from './world.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function turnable(start = NOON) {
  const clock = { at: start, now: () => clock.at };
  return clock;
}

test('the same seed and instant make the same world', () => {
  const [one, two] = [1, 1].map((seed) => {
    const world = createWorld({ seed, now: () => NOON });
    world.fill({ orders: 100, days: 20 });
    return world.account();
  });

  assert.deepEqual(one, two);
});

test('a world that is started an hour later has nearly all the same past orders', () => {
  const [before, after] = [NOON, NOON + HOUR].map((at) => {
    const world = createWorld({ now: () => at, oneLineOrders: true });
    world.fill({ orders: 200, days: 20 });
    return world.account();
  });
  const same = before?.filter(({ id, total }) =>
    after?.some((one) => one.id === id && one.total === total),
  );

  assert.ok((same?.length ?? 0) > 190);
});

test('an order that a restart no longer lists is still found by its id', () => {
  const clock = turnable();
  const before = createWorld({ now: clock.now });
  before.flow({ every: 20_000 });
  clock.at += 60_000;
  const [lost] = before.orders();
  const after = createWorld({ now: clock.now });
  after.flow({ every: 20_000 });

  const found = after.order(lost?.id ?? '');

  assert.deepEqual(after.orders(), []);
  assert.equal(found?.total, lost?.total);
});

test('the past is filled with exactly as many orders as requested, in every state of life, none in the future', () => {
  const world = createWorld({ now: () => NOON, oneLineOrders: true });

  world.fill({ orders: 500, days: 40 });

  const accounts = world.account();
  assert.equal(accounts.length, 500);
  assert.equal(new Set(accounts.map(({ id }) => id)).size, 500);
  assert.ok(
    accounts.every(({ placedAt, changedAt }) => placedAt <= changedAt && changedAt <= NOON),
  );
  for (const state of ['paid', 'shipped', 'delivered', 'cancelled', 'returned', 'refunded']) {
    assert.ok(
      accounts.some((one) => one.state === state),
      state,
    );
  }
});

test('orders are placed and move on as the clock is turned, without timers', () => {
  const clock = turnable();
  const world = createWorld({ now: clock.now });
  world.flow({ every: 60_000, hour: 60_000 });

  assert.equal(world.orders().length, 0);
  clock.at += HOUR;
  assert.ok(Math.abs(world.orders().length - 60) <= 1);
  clock.at += DAY;
  assert.ok(world.account().some(({ state }) => state === 'delivered'));
});

test('an act of a test takes the order over: the drawn rest of its life does not happen', () => {
  const clock = turnable();
  const world = createWorld({ now: clock.now });
  world.fill({ orders: 50, days: 10 });
  const open = world
    .orders()
    .findLast((order) => stateAt(order, NOON) === 'paid' && !order.inPerson);
  assert.ok(open);

  world.cancel(open.id);
  clock.at += 30 * DAY;

  assert.equal(world.account().find(({ id }) => id === open.id)?.state, 'cancelled');
});

test('shipping an unpaid order pays and packs it first', () => {
  const world = createWorld({ now: () => NOON });
  const { id } = world.place({ id: '2000', lines: [{ unitPrice: '10.50', quantity: 3 }] });

  world.ship(id);

  const order = world.order('2000');
  assert.deepEqual(
    order?.steps.map(({ state }) => state),
    ['placed', 'paid', 'packed', 'shipped'],
  );
  assert.equal(order?.total, '31.50');
});

test('a cart travels together', () => {
  const world = createWorld({ now: () => NOON, oneLineOrders: true });
  const [one, two, cancelled] = world.placeCart([{}, {}, {}]);
  assert.ok(one && two && cancelled);
  for (const { id } of [one, two]) world.pay(id);
  world.cancel(cancelled.id);

  world.ship(two.id);

  assert.deepEqual(
    world.account().map(({ state }) => state),
    ['shipped', 'shipped', 'cancelled'],
  );
});

test('a watch returns each change once, also those of the same instant, and nothing of what was filled in', () => {
  const world = createWorld({ now: () => NOON });
  const changes = world.watch();
  world.fill({ orders: 20, days: 10 });
  const { id } = world.place();
  const first = changes();
  world.pay(id);
  const second = changes();

  assert.deepEqual(
    [first, second, changes()].map((all) => all.map(({ step }) => step.state)),
    [['placed'], ['paid'], []],
  );
});

test('what is sold leaves the shelf, and comes back when the order is cancelled', () => {
  const world = createWorld({ now: () => NOON });
  const product = world.products.find(({ variants }) => variants.length === 0);
  assert.ok(product);
  const { id } = world.place({ lines: [{ sku: product.sku, quantity: 2 }] });

  assert.equal(world.stock().get(product.sku), product.stock - 2);
  world.cancel(id);
  assert.equal(world.stock().get(product.sku), product.stock);
});

test('a total is the sum of its lines, to the cent', () => {
  const world = createWorld({ now: () => NOON });
  world.fill({ orders: 300, days: 30 });

  for (const { total, items } of world.account()) {
    assert.equal(
      cents(total),
      items.reduce((sum, { unitPrice, quantity }) => sum + cents(unitPrice) * quantity, 0),
    );
  }
});
