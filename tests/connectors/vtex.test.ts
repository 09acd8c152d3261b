import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { BROKEN_ANSWERS } from '../../simulators/faults.ts';
import { type Order, shelvesOf } from '../../simulators/order.ts';
import {
  agreedOn,
  type Change,
  isInvoicedEarly,
  orderIdOf,
  skuIdOf,
  totalOf,
} from '../../simulators/vtex/facts.ts';
import type { FeedConfig } from '../../simulators/vtex/feed.ts';
import { startVtex, type Vtex } from '../../simulators/vtex/index.ts';
import { creditFolioOf, folioOf } from '../../simulators/vtex/packages.ts';
import type { Switches } from '../../simulators/vtex/shop.ts';
import { type Call, isInvoice } from '../../src/connectors/contract.ts';
import { vtex } from '../../src/connectors/vtex/connector.ts';
import type { VtexCredentials } from '../../src/connectors/vtex/credentials.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { runStream } from '../../src/exchange/sync/run-stream.ts';
import { openConnection } from '../../src/exchange/wire/open-connection.ts';
import { invoicesOfOrder } from '../../src/features/cfdi/index.ts';
import { subscriptionSecretOf } from '../../src/features/connections/index.ts';
import { Failure } from '../../src/platform/failure.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { alertsOf, jobsDone, query } from '../support/market.ts';
import { readStream } from '../support/read-stream.ts';
import { impatient } from '../support/stand-network.ts';
import { join, openStage, type Stage } from '../support/stand-stage.ts';
import { vtex as vtexStand } from '../support/stand-vtex.ts';

// What only VTEX has. The shared suite of connectors covers the rest.

const FEED = /^GET \/api\/orders\/feed\?/;
const LOTS = /^\/api\/orders\/feed\?/;
const TOO_LARGE = 9 * 2 ** 20;
/** A run that meets a lot that is too large waits for its events. */
const TICKS_OF_RUN = 2;
const LIST = /^GET \/api\/oms\/pvt\/orders\?/;

let instance: TestApp;
const closers: (() => unknown)[] = [];
before(async () => {
  instance = await openApp({ after: (close) => void closers.push(close as () => unknown) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

async function open(t: TestContext, orders: number): Promise<Stage & { shop: Vtex }> {
  const stage = await openStage(instance, vtexStand, { seed: t.name, orders });
  t.after(stage.shop.close);
  return stage as Stage & { shop: Vtex };
}

/** An order that is paid, since just now. */
function sell({ world }: Vtex): Order {
  const order = world.place();
  world.pay(order.id);
  return order;
}

/** Turns the clock to this minute of an hour. */
function turnTo(minute: number): void {
  const now = instance.clock.now().toZonedDateTimeISO('UTC').minute;
  instance.clock.advance({ minutes: ((minute - now + 60) % 60) + 60 });
}

function callsTo({ requests }: Vtex, pattern: RegExp, from = 0): string[] {
  return requests
    .slice(from)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((call) => pattern.test(call));
}

function callOf({ parts, connection }: Stage): Promise<Call<VtexCredentials>> {
  return connection().then((sealed) => openConnection(parts, sealed).call as Call<VtexCredentials>);
}

const FOREIGN: FeedConfig = {
  filter: { type: 'FromOrders', expression: 'status = "invoiced"' },
  queue: { visibilityTimeoutInSeconds: 240, MessageRetentionPeriodInSeconds: 345_600 },
};

test('the first sync run makes the feed; from then on an order costs one call, however many events it has', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 3);
  const { shop } = stage;

  await stage.reconcile();
  turnTo(20);
  await stage.tick();
  const config = shop.feed.config();
  const before = shop.requests.length;
  await stage.tick();
  const quiet = callsTo(shop, /./, before);
  const order = sell(shop);
  await stage.tick();

  assert.equal(config?.filter.type, 'FromWorkflow');
  assert.equal(config?.queue.MessageRetentionPeriodInSeconds, 1_209_600);
  assert.deepEqual(quiet, ['GET /api/orders/feed/config', 'GET /api/orders/feed?maxlot=10']);
  assert.equal(shop.feed.waiting(), 0, 'all events are committed');
  assert.equal(callsTo(shop, new RegExp(`/${orderIdOf(order)}$`), before).length, 1);
  assert.deepEqual(callsTo(shop, LIST, before), []);
  await stage.holdToAccount();
});

test('an event that is too large is left in the feed with an alert, and the others come in', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 3);
  const { shop } = stage;
  await stage.reconcile();
  turnTo(20);
  await stage.tick();
  const [large, other] = [sell(shop), sell(shop)].map(orderIdOf) as [string, string];
  shop.faults.swell({ match: LOTS, bytes: new Map([[large, TOO_LARGE]]) });

  await stage.tick();
  const paused = (await stage.orders()).length;
  await stage.tick();

  const had = (await stage.orders()).map(({ id }) => id);
  assert.equal(paused, 3, 'the feed hides the whole lot');
  assert.deepEqual([had.includes(other), had.includes(large)], [true, false]);
  assert.equal((await stage.connection()).state, 'ok');
  assert.equal((await stage.alerts('too_large')).length, 1);
  assert.ok(shop.feed.waiting() > 0, 'it is not committed');
  // The hour's look back brings its order, too.
  turnTo(55);
  await stage.tick();
  await stage.tick();
  await stage.holdToAccount();
});

test('a feed that is too large throughout is left after ten events, and the list has the new orders', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 3);
  const { shop } = stage;
  await stage.reconcile();
  turnTo(20);
  await stage.tick();
  for (let orders = 0; orders < 6; orders++) sell(shop);
  shop.faults.swell({ match: LOTS, bytes: new Map([['orderId', TOO_LARGE]]) });
  const before = shop.requests.length;
  const waiting = shop.feed.waiting();

  await stage.tick();
  await stage.tick();

  assert.ok(waiting > 10);
  assert.equal(callsTo(shop, FEED, before).length, 1 + 10);
  assert.deepEqual((await stage.progress()).run, null, 'the run came to its end');
  assert.equal((await stage.orders()).length, 3 + 6);
  assert.equal((await stage.alerts('too_large')).length, 1);
  shop.faults.stop();
  await stage.tick();
  assert.equal(shop.feed.waiting(), 0);
  await stage.holdToAccount();
});

test('an account whose feed is too large throughout is delayed until its feed can be read, and the hour brings its changes', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 3);
  const { shop } = stage;
  const order = sell(shop);
  await stage.reconcile();
  // Older than what the list shows again.
  await stage.tick(stage.parts, { hours: 5 });
  turnTo(20);
  await stage.tick();
  for (let orders = 0; orders < 6; orders++) sell(shop);
  shop.faults.swell({ match: LOTS, bytes: new Map([['orderId', TOO_LARGE]]) });

  const states = new Set<string>();
  for (let ticks = 0; ticks < 2 * TICKS_OF_RUN; ticks++) {
    await stage.tick();
    states.add(`${(await stage.progress()).run === null} ${(await stage.connection()).state}`);
  }
  const { state, stateMessage } = await stage.connection();
  const [alert] = await stage.alerts('connection');
  shop.world.cancel(order.id);
  // The reconciliation is due when the run begins, and waits with it for the feed.
  await stage.tick(stage.parts, { hours: 1, minutes: 5 });
  await stage.tick();
  const changed = await stage.order(orderIdOf(order));
  shop.faults.stop();
  await stage.tick();

  assert.deepEqual([...states], ['false ok', 'true delayed', 'false delayed'], 'it never flaps');
  assert.equal(state, 'delayed');
  assert.match(stateMessage ?? '', /pueden tardar hasta una hora/);
  assert.deepEqual([alert?.message, alert?.resolved_at], [stateMessage, null]);
  assert.equal(changed.status, 'cancelled');
  assert.equal((await stage.connection()).state, 'ok');
  assert.notEqual((await stage.alerts('connection'))[0]?.resolved_at, null);
  const events = await query(
    instance,
    "select from events where organization_id = $1 and type = 'connection.status_changed'",
    [stage.organizationId],
  );
  assert.equal(events.length, 2, 'delayed once, and well once');
  await stage.holdToAccount();
});

test('a first page that fails leaves no feed behind, so the next one knows how new its own is', async (t) => {
  const stage = await open(t, 2);
  sell(stage.shop);
  const details = {
    kind: 'bad_gateway',
    match: /^\/api\/oms\/pvt\/orders\/[^?]/,
    times: 1_000,
  } as const;
  stage.shop.faults.next(details);

  await stage.tick();
  const left = stage.shop.feed.config();
  stage.shop.faults.stop();
  stage.clock.advance({ minutes: 40 });
  sell(stage.shop);
  stage.clock.advance({ minutes: 1 });
  await stage.walk();
  await stage.tick(stage.parts, { minutes: 6 });

  assert.equal(left, null);
  assert.ok(stage.shop.feed.config());
  await stage.holdToAccount();
});

test('many events of the same few orders are no page that repeats', async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const [one, two] = [sell(stage.shop), sell(stage.shop)];
  for (const { id } of [one, two]) stage.shop.world.ship(id);

  await stage.tick();

  assert.ok(callsTo(stage.shop, FEED).length > 2, 'more than one lot');
  assert.equal((await stage.connection()).state, 'ok');
  await stage.holdToAccount();
});

test('what was placed just before the feed was made comes in once the list shows it', async (t) => {
  const stage = await open(t, 2);
  const late = sell(stage.shop);
  stage.clock.advance({ minutes: 1 });

  await stage.walk();
  const before = (await stage.orders()).map(({ id }) => id);
  await stage.tick();

  assert.ok(!before.includes(orderIdOf(late)), 'the list lags behind');
  await stage.holdToAccount();
});

test('events are committed only once their orders are stored', async (t) => {
  const stage = await open(t, 2);
  await stage.reconcile();
  sell(stage.shop);
  stage.shop.faults.next({
    kind: 'bad_gateway',
    match: /^\/api\/oms\/pvt\/orders\/[^?]/,
    times: 1_000,
  });

  await stage.tick();
  stage.shop.faults.stop();
  const waiting = stage.shop.feed.waiting();
  await stage.tick();
  await stage.tick();

  assert.ok(waiting > 0);
  assert.equal(stage.shop.feed.waiting(), 0);
  await stage.holdToAccount();
});

for (const [what, { set, clear }] of [
  [
    'has no status yet',
    {
      set: ({ incomplete }: Switches, id: string) => incomplete.set(id, null),
      clear: ({ incomplete }: Switches) => incomplete.clear(),
    },
  ],
  [
    'has an empty status',
    {
      set: ({ incomplete }: Switches, id: string) => incomplete.set(id, ''),
      clear: ({ incomplete }: Switches) => incomplete.clear(),
    },
  ],
  [
    'cannot be read yet',
    {
      set: ({ missing }: Switches, id: string) => missing.add(id),
      clear: ({ missing }: Switches) => missing.clear(),
    },
  ],
] as const)
  test(`an order that ${what} is left in the feed until it can be read`, async (t) => {
    const stage = await open(t, 2);
    await stage.reconcile();
    turnTo(20);
    const order = sell(stage.shop);
    set(stage.shop.switches, orderIdOf(order));

    await stage.tick();
    const [had, unreadable, waiting] = [
      await stage.orders(),
      await stage.unreadable(),
      stage.shop.feed.waiting(),
    ];
    clear(stage.shop.switches);
    await stage.tick();

    assert.equal(had.length, 2);
    assert.deepEqual(unreadable, []);
    assert.ok(waiting > 0);
    assert.equal(stage.shop.feed.waiting(), 0);
    assert.equal((await stage.order(orderIdOf(order))).status, 'paid');
    await stage.holdToAccount();
  });

test('an event about an order that does not exist leaves the feed after an hour', async (t) => {
  const stage = await open(t, 2);
  await stage.reconcile();
  const order = sell(stage.shop);
  stage.shop.switches.missing.add(orderIdOf(order));

  stage.clock.advance({ minutes: 50 });
  await stage.tick();
  const young = stage.shop.feed.waiting();
  stage.clock.advance({ minutes: 10 });
  await stage.tick();

  assert.ok(young > 0);
  assert.equal(stage.shop.feed.waiting(), 0);
});

test('another system’s feed is neither overwritten nor read: the list and the reconciliation bring everything', async (t) => {
  const stage = await open(t, 4);
  const { shop } = stage;
  shop.feed.configure(FOREIGN);
  await stage.reconcile();
  const order = sell(shop);

  await stage.tick();
  await stage.tick();
  const listed = (await stage.order(orderIdOf(order))).status;
  stage.clock.advance({ hours: 2 });
  shop.world.ship(order.id);
  await stage.reconcile();

  assert.equal(listed, 'paid');
  assert.deepEqual(shop.feed.config(), FOREIGN);
  assert.ok(shop.feed.waiting() > 0, 'its events wait for it');
  assert.deepEqual(callsTo(shop, /\/api\/orders\/feed(\?|$)|POST/), []);
  await stage.holdToAccount();
});

test('a feed that was deleted is made again, and nothing of meanwhile is missing', async (t) => {
  const stage = await open(t, 3);
  await stage.reconcile();
  stage.shop.feed.configure(null);
  stage.clock.advance({ hours: 3 });
  sell(stage.shop);
  stage.clock.advance({ hours: 20 });
  sell(stage.shop);

  await stage.tick();
  await stage.tick();

  assert.equal(stage.shop.feed.config()?.filter.type, 'FromWorkflow');
  await stage.holdToAccount();
});

test('a feed that another system takes over in the middle of a sync run is not read any more', async (t) => {
  const stage = await open(t, 2);
  await stage.reconcile();
  for (let count = 0; count < 4; count++) sell(stage.shop);
  const reads = () => callsTo(stage.shop, FEED).length;
  const before = reads();

  await stage.walk({ onPage: ({ pages }) => pages === 1 && stage.shop.feed.configure(FOREIGN) });

  assert.equal(reads() - before, 1);
  assert.equal((await stage.connection()).state, 'ok');
});

test('deliveries and tracking numbers that came later, which the feed lacks, are found by the reconciliation', async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const [sent, early] = [sell(stage.shop), untilEarly(stage.shop)];
  stage.shop.world.ship(sent.id);
  stage.shop.world.pack(early.id);
  await stage.tick();
  assert.equal((await stage.order(orderIdOf(early))).status, 'ready_to_ship');

  stage.clock.advance({ hours: 1 });
  stage.shop.world.deliver(sent.id);
  stage.shop.world.ship(early.id);
  await stage.reconcile();

  await stage.holdToAccount();
});

test('a refund after the delivery, which no event reports, is found within a day', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const orders = [3, 17, 30].map((days) => {
    const order = sell(stage.shop);
    stage.clock.advance({ hours: 2 });
    stage.shop.world.ship(order.id);
    stage.clock.advance({ hours: 22 });
    stage.shop.world.deliver(order.id);
    stage.clock.advance({ hours: 24 * (days - 1) });
    return order;
  });
  await stage.reconcile();
  const statuses = () =>
    Promise.all(orders.map(async (order) => (await stage.order(orderIdOf(order))).status));
  assert.deepEqual(await statuses(), ['delivered', 'delivered', 'delivered']);
  const before = stage.shop.requests.length;

  for (const { id } of orders) stage.shop.world.refund(id);
  for (let hour = 0; hour < 24; hour++) {
    stage.clock.advance({ hours: 1, minutes: 1 });
    await stage.reconcile();
  }

  assert.deepEqual(await statuses(), ['refunded', 'refunded', 'refunded']);
  for (const order of orders) {
    const reads = callsTo(stage.shop, new RegExp(`orders/${orderIdOf(order)}`), before).length;
    assert.ok(reads <= 3, `read ${reads} times in a day`);
  }
});

test('a delivered order is looked at again until it is 60 days old', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const order = sell(stage.shop);
  stage.shop.world.ship(order.id);
  stage.shop.world.deliver(order.id);
  await stage.reconcile();
  const readsOfADay = async () => {
    const before = stage.shop.requests.length;
    for (let hour = 0; hour < 24; hour++) {
      stage.clock.advance({ hours: 1 });
      await stage.reconcile();
    }
    return callsTo(stage.shop, new RegExp(`orders/${orderIdOf(order)}`), before).length;
  };

  await passDays(stage, 58);
  const young = await readsOfADay();
  await passDays(stage, 1);
  stage.clock.advance({ hours: 1 });
  const old = await readsOfADay();

  assert.deepEqual([young > 0, old], [true, 0]);
});

/** Until another order comes, so that no list begins at the last one. */
async function passDays(
  { clock, shop, reconcile }: Stage & { shop: Vtex },
  days: number,
): Promise<void> {
  clock.advance({ hours: 24 * days });
  sell(shop);
  await reconcile();
}

test('an open order is fetched until it is half a year old', async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const order = sell(stage.shop);
  await stage.tick();
  const readsOfASweep = async () => {
    const before = stage.shop.requests.length;
    await stage.reconcile();
    return callsTo(stage.shop, new RegExp(`orders/${orderIdOf(order)}`), before).length;
  };

  await passDays(stage, 179);
  const young = await readsOfASweep();
  await passDays(stage, 2);
  const old = await readsOfASweep();

  assert.deepEqual([young, old], [1, 0]);
});

test('a change agreed with the buyer makes a new total, and its removed or added pieces are shown by line', async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const removed = untilChanged(stage.shop, ({ removed }) => removed.length > 0);
  const added = untilChanged(stage.shop, ({ added }) => added.length > 0);
  await stage.tick();
  const before = await Promise.all([removed, added].map((order) => stage.order(orderIdOf(order))));

  for (const { id } of [removed, added]) stage.shop.world.pack(id);
  await stage.tick();
  const [less, more] = await Promise.all(
    [removed, added].map((order) => stage.order(orderIdOf(order))),
  );

  const at = stage.clock.now().epochMilliseconds;
  assert.deepEqual(
    [less.total, more.total],
    [removed, added].map((order) => totalOf(order, at) / 100),
  );
  assert.ok(less.total < before[0].total && more.total > before[1].total);
  assert.deepEqual([less.money_check, more.money_check], ['ok', 'ok']);
  const pieces = ({ items }: typeof less) =>
    items.map((item: typeof less) => [item.quantity, item.cancelled_quantity]);
  assert.deepEqual(pieces(before[0]), [[3, 0]]);
  assert.deepEqual(pieces(less), [[3, 1]]);
  assert.deepEqual(
    [less.subtotal, less.items[0].subtotal],
    [before[0].subtotal, before[0].items[0].subtotal],
  );
  assert.deepEqual(pieces(more), [
    [3, 0],
    [2, 0],
  ]);
  assert.deepEqual(more.other, []);
  await stage.holdToAccount();
});

test('an order closes when its buyer has it, and goods that come back do not move that', async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const order = sell(stage.shop);
  const closings = async () => {
    await stage.reconcile();
    const { date_closed, shipping, items } = await stage.order(orderIdOf(order));
    return [date_closed, shipping.delivered_at, items[0].cancelled_quantity > 0];
  };

  const paid = await closings();
  stage.shop.world.ship(order.id);
  const sent = await closings();
  stage.clock.advance({ hours: 5 });
  stage.shop.world.deliver(order.id);
  const at = new Date(
    Math.floor(stage.clock.now().epochMilliseconds / 1_000) * 1_000,
  ).toISOString();
  const delivered = await closings();
  stage.clock.advance({ hours: 48 });
  stage.shop.world.takeBack(order.id);
  stage.shop.world.refund(order.id);
  await stage.hint(order);
  const back = await closings();

  assert.deepEqual([paid, sent], Array(2).fill([null, null, false]));
  assert.deepEqual(
    [delivered, back],
    [
      [at, at, false],
      [at, at, true],
    ],
  );
});

test('an order with a requested cancellation stays what it was, and is tagged until it is decided', async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const order = sell(stage.shop);
  stage.shop.world.ship(order.id);
  await stage.tick();
  stage.shop.switches.asked.add(orderIdOf(order));

  await stage.hint(order);

  const asked = await stage.order(orderIdOf(order));
  stage.shop.switches.asked.clear();
  await stage.hint(order);
  const denied = await stage.order(orderIdOf(order));
  assert.deepEqual([asked.status, asked.marketplace_status], ['shipped', 'request-cancel']);
  assert.deepEqual(
    [asked, denied].map(({ channel_relations: { tags } }) => tags),
    [['cancellation_requested'], []],
  );
});

test('a service that says «too many» is given the pause that it asks for', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 2);
  const { faults, requests } = stage.shop;
  await stage.reconcile();
  turnTo(20);
  sell(stage.shop);
  faults.next({ kind: 'too_many_retry_after', retryAfter: 17, match: vtexStand.pages });
  faults.next({ kind: 'too_many', match: vtexStand.pages, times: 2 });

  await stage.tick();
  const refused = requests.findLastIndex(({ fault }) => fault === 'too_many_retry_after');
  assert.ok((requests[refused + 1]?.at ?? 0) - (requests[refused]?.at ?? 0) >= 17_000);
  await stage.holdToAccount();

  sell(stage.shop);
  faults.next({ kind: 'too_many_retry_after', retryAfter: 600, match: vtexStand.pages });
  const before = requests.length;
  await stage.tick();
  assert.equal(requests.length, before + 2, 'none after the one that was refused');
  assert.equal((await stage.connection()).state, 'delayed');
  stage.clock.advance({ seconds: 600 });
  await stage.reconcile();
  await stage.holdToAccount();
});

for (const kind of BROKEN_ANSWERS)
  test(`a lot of the feed whose answer is lost (${kind}) comes again`, async (t) => {
    const stage = await open(t, 2);
    const parts = { ...stage.parts, network: impatient(stage.parts.network, 700) };
    await stage.reconcile();
    sell(stage.shop);
    stage.shop.faults.next({ kind, match: /^\/api\/orders\/feed\?/ });

    await stage.tick(parts);
    await stage.tick(parts);

    assert.equal(stage.shop.faults.waiting(), 0);
    assert.equal((await stage.connection()).state, 'ok');
    await stage.holdToAccount();
  });

test('a marketplace whose clock ran ahead loses no later change', { tags: ['slow'] }, async (t) => {
  const stage = await open(t, 0);
  await stage.walk();
  const order = sell(stage.shop);
  await stage.tick();
  stage.shop.world.ship(order.id);
  stage.shop.faults.next({ kind: 'shifted_clock', times: 1_000 });

  await stage.tick();
  const { status } = await stage.order(orderIdOf(order));
  stage.shop.faults.stop();
  stage.clock.advance({ minutes: 1 });
  stage.shop.world.cancel(order.id);
  await stage.tick();

  assert.equal(status, 'shipped');
  assert.equal((await stage.order(orderIdOf(order))).status, 'cancelled');
  await stage.holdToAccount();
});

test('stock is listed by SKU, summed over the warehouses, and by its id where the catalogue is closed', async (t) => {
  const stage = await open(t, 4);
  const { shop } = stage;
  const shelves = shop.world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => ({ sku, product })),
  );
  const unlimited = shelves[0]?.sku ?? '';
  shop.switches.unlimited.add(unlimited);
  const own = { ...instance, organization: { ...instance.organization, id: stage.organizationId } };

  const levels = await readStream(own, stage.connectionId, 'inventory');
  shop.switches.lacks.add('catalogue');
  const closed = await readStream(own, stage.connectionId, 'inventory');

  const stock = shop.world.stock();
  assert.deepEqual(
    levels.map(({ itemId, sku, title, available }) => [itemId, sku, title, available]),
    shelves.map(({ sku, product }) => [
      String(skuIdOf(sku)),
      sku,
      product.title,
      sku === unlimited ? null : stock.get(sku),
    ]),
  );
  assert.deepEqual(
    closed.map(({ itemId, sku, title }) => [sku, title === itemId]),
    shelves.map(() => [null, true]),
  );
});

test('what sellers posted as invoices is listed with its folio and its CFDI', async (t) => {
  const stage = await open(t, 12);
  const own = { ...instance, organization: { ...instance.organization, id: stage.organizationId } };

  const invoices = (await readStream(own, stage.connectionId, 'invoices')).filter(isInvoice);

  const at = stage.clock.now().epochMilliseconds;
  const invoiced = stage.shop.world
    .orders()
    .filter(({ steps }) => steps.some(({ state, at: when }) => state === 'shipped' && when <= at));
  assert.ok(invoiced.length > 0);
  for (const order of invoiced) {
    const found = invoices.find(({ orderIds }) => orderIds[0] === orderIdOf(order));
    assert.equal(found?.uuid, folioOf(order));
    assert.match(String(found?.xml), /^<\?xml.*cfdi:Comprobante/);
    assert.equal(found?.url, `https://facturas.example/${order.number}.pdf`);
  }
});

test('a credit note that is posted with a refund weeks later is listed within a day', {
  tags: ['slow'],
}, async (t) => {
  const stage = await open(t, 0);
  const { shop, clock, organizationId } = stage;
  const within = stage.parts.database.within(organizationId);
  const readInvoices = async () =>
    runStream(stage.parts, await stage.connection(), 'invoices', {
      reconcile: false,
      ifRunning: 'wait',
    });
  await stage.walk();
  const orders = [sell(shop), sell(shop)];
  const [partly, whole] = orders.map(({ id }) => id) as [string, string];
  for (const { id } of orders) shop.world.ship(id);
  clock.advance({ hours: 20 });
  for (const { id } of orders) shop.world.deliver(id);
  await stage.reconcile();
  await readInvoices();
  clock.advance({ hours: 24 * 18 });
  await stage.reconcile();
  await readInvoices();

  shop.world.refund(partly, '10.00');
  shop.world.refund(whole);
  for (let hour = 0; hour < 24; hour++) {
    clock.advance({ hours: 1, minutes: 1 });
    await stage.reconcile();
    await readInvoices();
  }

  const { accountId } = await stage.connection();
  for (const order of orders) {
    const found = await within.read((scope) =>
      invoicesOfOrder(scope, { marketplace: 'vtex', accountId, id: orderIdOf(order) }),
    );
    assert.deepEqual(
      found.map(({ uuid }) => uuid),
      [folioOf(order), creditFolioOf(order, 0)].map((uuid) => uuid.toUpperCase()),
    );
  }
});

test('a hook is registered where there is none, its ping answered, and its change is fetched at once', async (t) => {
  const stage = await open(t, 2);
  const { shop } = stage;
  await stage.reconcile();
  const secret = subscriptionSecretOf(stage.parts.keyring, await stage.connection());
  const address = `${instance.url}/api/webhooks/vtex/${stage.connectionId}`;
  const call = await callOf(stage);

  await vtex.notifications?.ensure?.(call, { application: null, secret, address });
  const registered = shop.hook.config();
  const order = sell(shop);
  const statuses = await shop.hook.flush();
  await jobsDone(instance);

  assert.equal(registered?.hook.url, address);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal((await stage.order(orderIdOf(order))).status, 'paid');

  shop.hook.configure({
    filter: FOREIGN.filter,
    hook: { url: address, headers: { 'x-tianguis-secret': 'robado' } },
  });
  const unheard = sell(shop);
  await shop.hook.flush();
  await jobsDone(instance);
  assert.equal(
    (await instance.api(`/v1/orders/${orderIdOf(unheard)}`)).status,
    404,
    'a wrong secret reveals nothing',
  );
  await vtex.notifications?.ensure?.(call, { application: null, secret, address });
  assert.equal(shop.hook.config()?.hook.headers?.['x-tianguis-secret'], secret, 'ours is mended');

  await vtex.notifications?.remove?.(call, { application: null, secret, address });
  assert.equal(shop.hook.config(), null);
});

test('another system’s hook stays', async (t) => {
  const stage = await open(t, 0);
  const foreign = { filter: FOREIGN.filter, hook: { url: 'https://erp.example/vtex' } };
  stage.shop.hook.configure(foreign);
  const call = await callOf(stage);

  const target = { application: null, secret: 'nuestro', address: `${instance.url}/x` };
  await vtex.notifications?.ensure?.(call, target);
  await vtex.notifications?.remove?.(call, target);

  assert.deepEqual(stage.shop.hook.config(), foreign);
});

test('a key without the feed’s role is not connected, and the seller sees why', async (t) => {
  const shop = await startVtex({ seed: t.name, now: () => instance.clock.now().epochMilliseconds });
  t.after(shop.close);
  shop.switches.lacks.add('feed');

  const typed = {
    organizationId: instance.organization.id,
    service: 'vtex',
    credentials: shop.credentials(),
    baseUrl: shop.url,
  } as const;

  await assert.rejects(connect(instance.app.exchange, typed), (error) => {
    assert.ok(error instanceof Failure);
    assert.equal(error.message, 'VTEX no da permiso a esta cuenta. Usa una cuenta administradora.');
    return true;
  });
  assert.deepEqual(await alertsOf(instance, instance.organization.id), []);
});

test('the account makes the address, and may be nothing else', () => {
  const { credentials, hosts } = vtex.auth;
  const key = { app_key: ' clave ', app_token: 'TOKEN' };

  assert.equal(
    hosts(credentials.parse({ account: 'mi-tienda', ...key })).default,
    'https://mi-tienda.vtexcommercestable.com.br',
  );
  assert.equal(
    hosts(credentials.parse({ account: 't1', environment: 'vtexcommercebeta', ...key })).default,
    'https://t1.vtexcommercebeta.com.br',
  );
  for (const wrong of [
    { account: 'evil.example/', ...key },
    { account: 'Tienda', ...key },
    { account: 't', environment: 'evil.example', ...key },
    { account: 't', app_key: 'dos palabras', app_token: 'T' },
    { account: 't', ...key, otro: 1 },
  ])
    assert.equal(credentials.safeParse(wrong).success, false, JSON.stringify(wrong));
});

test('what another reader of the same feed took away is found in the list within the hour', async (t) => {
  const stage = await open(t, 2);
  const other = await join(instance, vtexStand, stage.shop);
  await stage.reconcile();
  await other.reconcile();
  turnTo(20);
  const order = sell(stage.shop);

  await stage.tick();
  await other.tick();
  const taken = (await other.orders()).map(({ id }) => id);
  turnTo(58);
  await other.tick();

  assert.ok(!taken.includes(orderIdOf(order)), 'the other one had all events');
  await stage.holdToAccount();
  await other.holdToAccount();
});

function untilEarly(shop: Vtex): Order {
  const order = sell(shop);
  return isInvoicedEarly(order) ? order : untilEarly(shop);
}

/** An order that will be changed while it is packed. */
function untilChanged(shop: Vtex, wanted: (change: Change) => boolean): Order {
  const order = shop.world.place({ lines: [{ quantity: 3 }] });
  shop.world.pay(order.id);
  const change = agreedOn(order);
  return change && wanted(change) ? order : untilChanged(shop, wanted);
}
