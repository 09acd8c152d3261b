import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startAmazon } from '../simulators/amazon/index.ts';
import { startShopify } from '../simulators/shopify/index.ts';
import { startTiktokShop } from '../simulators/tiktok_shop/index.ts';
import type { StreamName } from '../src/connectors/contract.ts';
import { findingsJob } from '../src/exchange/jobs/findings.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { listSettlements } from '../src/features/balances/index.ts';
import { listConnections, restartStreams } from '../src/features/connections/index.ts';
import { listFindings } from '../src/features/findings/index.ts';
import { describePayout } from '../src/features/ledger/index.ts';
import { dueAt } from '../src/features/schedules/index.ts';
import { type CursorMaker, cursorMaker } from '../src/platform/cursor.ts';
import type { ReadScope } from '../src/platform/db/database.ts';
import { add, type Decimal, ZERO } from '../src/platform/money.ts';
import { compareInstants } from '../src/platform/time.ts';
import { openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';

// The ledgers of the marketplaces whose payouts are made of transactions.

const SOURCES = {
  shopify: startShopify,
  amazon: startAmazon,
  tiktok_shop: startTiktokShop,
} as const;
const DAY_HOURS = 24;

for (const service of ['shopify', 'amazon', 'tiktok_shop'] as const)
  test(`every payout of ${service} is what its movements come to, also read a second time`, {
    tags: ['slow'],
  }, async (t) => {
    const { instance, shop, read } = await openShop(t, service);
    shop.world.fill({ orders: 60, days: 60 });
    const refunded = shop.world.place();
    shop.world.deliver(refunded.id);
    instance.clock.advance({ hours: 2 * DAY_HOURS });
    shop.world.refund(refunded.id, '10.00');
    instance.clock.advance({ hours: 20 * DAY_HOURS });

    await read('orders');
    await read('settlements');
    const first = await movementsOf(instance);
    await read('settlements');

    assert.deepEqual(await movementsOf(instance), first);
    assert.deepEqual(await findingsOf(instance), []);
    const payouts = await payoutsOf(instance);
    assert.ok(payouts.length > 2);
    for (const { payout, difference, lines, sums } of payouts) {
      assert.equal(Number(difference), 0, payout.id);
      const known = ['sale', 'refund', 'commission', 'shipping', 'other_fee'];
      assert.deepEqual(
        sums.map(({ kind }) => kind).filter((kind) => !known.includes(kind)),
        [],
      );
      assert.equal(Number(sumOf(lines.map(({ net }) => net))), Number(payout.net));
      assert.ok(lines.every(({ order_id }) => order_id !== ''));
    }
    const { body } = await instance.api('/v1/orders', { status: 'delivered', limit: 20 });
    for (const { id } of body.data.filter(isSettled(first))) {
      const { body: order } = await instance.api(`/v1/orders/${id}`, {});
      const own = first.filter(({ order_id }) => order_id === id);
      assert.deepEqual(
        [order.data.fees_source, order.data.net_total],
        ['ledger', Number(sumOf(own.map(({ amount }) => amount as Decimal)))],
      );
    }
  });

test('movements that come before the first import of their orders emit no events, and later ones do', async (t) => {
  const { instance, shop, read } = await openShop(t, 'shopify');
  const { exchange } = instance.app;
  shop.world.fill({ orders: 20, days: 60 });
  const countEvents = async () => (await query(instance, 'select from events')).length;
  const ofLedger = 'select from orders where detail_json like \'%"fees_source":"ledger"%\'';
  await read('settlements');
  await runHousekeeping(exchange);
  instance.clock.advance({ minutes: 1 });
  await read('orders');
  await runHousekeeping(exchange);
  const settled = (await query(instance, ofLedger)).length;
  assert.ok(settled > 5);
  assert.equal(await countEvents(), 0);

  shop.world.deliver(shop.world.place().id);
  await read('orders');
  const before = await countEvents();
  assert.ok(before > 0);
  instance.clock.advance({ hours: 20 * DAY_HOURS });
  await read('settlements');
  assert.ok((await query(instance, ofLedger)).length > settled);
  assert.ok((await countEvents()) > before);
});

test('Amazon money that is held back is one movement, open until its release', async (t) => {
  const { instance, shop, read } = await openShop(t, 'amazon');
  for (let count = 0; count < 12; count++) shop.world.deliver(shop.world.place().id);
  instance.clock.advance({ hours: 1 });
  await read('orders');
  await read('settlements');
  const held = (await movementsOf(instance)).filter(({ is_open }) => is_open);
  assert.ok(held.length > 2);
  const id = held[0]?.order_id as string;
  const { body: before } = await instance.api(`/v1/orders/${id}`, {});

  instance.clock.advance({ hours: 8 * DAY_HOURS });
  await read('settlements');

  const after = (await movementsOf(instance)).filter(({ order_id }) => order_id === id);
  const { body } = await instance.api(`/v1/orders/${id}`, {});
  const net = (rows: Movements) => Number(sumOf(rows.map(({ amount }) => amount as Decimal)));
  assert.equal(net(after), net(held.filter(({ order_id }) => order_id === id)));
  assert.deepEqual(
    [before.data.net_complete, body.data.net_complete, body.data.net_total],
    [false, true, before.data.net_total],
  );
});

test('credits and debits of Shopify belong to no order, and are in their payout', async (t) => {
  const { instance, shop, read } = await openShop(t, 'shopify');
  const at = instance.clock.now().epochMilliseconds;
  const row = (id: number, type: string, amount: number, fee = 0) => ({
    id,
    type,
    at,
    amount,
    fee,
  });
  shop.switches.balanceTransactions.push(
    row(901, 'SHIPPING_LABEL', -8_550),
    row(902, 'ADJUSTMENT', 12_000, 150),
    row(903, 'NEW_KIND_OF_CREDIT', 1),
  );
  const order = shop.world.place();
  shop.world.deliver(order.id);
  instance.clock.advance({ hours: 20 * DAY_HOURS });

  await read('settlements');

  const [found] = await payoutsOf(instance);
  assert.deepEqual(
    found?.lines
      .filter(({ order_id }) => order_id === '')
      .map((line) => [line.native_type, Number(line.net)]),
    [
      ['ADJUSTMENT', 120],
      ['ADJUSTMENT/fee', -1.5],
      ['NEW_KIND_OF_CREDIT', 0.01],
      ['SHIPPING_LABEL', -85.5],
    ],
  );
  assert.equal(Number(found?.difference), 0);
});

test('a sale without an order is a finding after orders and the ledger were read whole', async (t) => {
  const { instance, shop, read } = await openShop(t, 'shopify');
  const at = instance.clock.now().epochMilliseconds;
  shop.switches.balanceTransactions.push({ id: 904, type: 'CHARGE', at, amount: 5_000, fee: 200 });
  instance.clock.advance({ hours: 20 * DAY_HOURS });

  await read('settlements');
  assert.deepEqual(await findingsOf(instance), [], 'its order may still come');
  await read('orders');
  await read('settlements');
  const found = [['movement_without_order', 'balance_transactions 904 amount', '50.00']];
  assert.deepEqual(await findingsOf(instance), found);

  const { exchange, database } = instance.app;
  const organizationId = instance.organization.id;
  const within = database.within(organizationId);
  const [connection] = await within.read(listConnections);
  const subject = String(connection?.id);
  await within.write((scope) => restartStreams(scope, subject));
  await database.write((handle) => handle.sql('delete from movements', []));
  await findingsJob.run(exchange, { organizationId, subject });
  assert.deepEqual(await findingsOf(instance), found, 'until all is read again nothing ends');
});

test('findings are looked for as soon as the first import of orders is over', async (t) => {
  const { instance, read } = await openShop(t, 'shopify');
  const { app, organization, clock } = instance;
  const within = app.database.within(organization.id);
  const [connection] = await within.read(listConnections);
  const due = () => within.read((scope) => dueAt(scope, 'findings', String(connection?.id)));
  const planned = await due();
  assert.ok(planned && compareInstants(planned, clock.now()) > 0);
  await read('orders');
  assert.deepEqual(await due(), clock.now());
});

test('a statement of TikTok Shop is read again when it is paid, and not after that', async (t) => {
  const { instance, shop, read } = await openShop(t, 'tiktok_shop');
  const order = shop.world.place();
  shop.world.deliver(order.id);
  const money = async () => (await instance.api(`/v1/orders/57${order.id}`, {})).body.data;
  instance.clock.advance({ hours: 2 * DAY_HOURS });
  await read('orders');
  await read('settlements');
  const open = await money();
  const [own] = await movementsOf(instance);
  const asked = () =>
    shop.requests.filter(({ path }) => path.includes(`${own?.payout_id}/statement_transactions`));
  instance.clock.advance({ hours: 3 * DAY_HOURS });
  await read('settlements');
  const paid = await money();
  instance.clock.advance({ hours: DAY_HOURS });
  shop.world.deliver(shop.world.place().id);
  instance.clock.advance({ hours: 4 * DAY_HOURS });
  await read('settlements');
  const before = asked().length;
  instance.clock.advance({ hours: DAY_HOURS });
  await read('settlements');

  assert.deepEqual([open.net_complete, paid.net_complete], [false, true]);
  assert.equal(asked().length, before);
  assert.ok(paid.net_total > 0);
});

test('what a statement of TikTok Shop leaves out until it is paid is taken back', async (t) => {
  const { instance, shop, read } = await openShop(t, 'tiktok_shop');
  const [kept, held] = [shop.world.place(), shop.world.place()];
  for (const { id } of [kept, held]) shop.world.deliver(id);
  instance.clock.advance({ hours: 2 * DAY_HOURS });
  await read('orders');
  await read('settlements');
  const sums = async () => {
    const rows = await movementsOf(instance);
    return [kept, held].map(({ id }) =>
      Number(
        sumOf(
          rows.filter((row) => row.order_id === `57${id}`).map(({ amount }) => amount as Decimal),
        ),
      ),
    );
  };
  const [first = 0, second = 0] = await sums();
  assert.ok(first > 0 && second > 0);
  shop.switches.heldOrders.add(held.id);
  instance.clock.advance({ hours: 3 * DAY_HOURS });
  await read('settlements');
  assert.deepEqual(await sums(), [first, 0]);
});

// Arrangement

async function openShop<Service extends keyof typeof SOURCES>(t: TestContext, service: Service) {
  const instance = await openApp(t);
  const start = SOURCES[service] as (options: object) => ReturnType<(typeof SOURCES)[Service]>;
  const shop = await start({
    seed: 'ledger',
    now: () => instance.clock.now().epochMilliseconds,
    tokenSeconds: 400 * 86_400,
    limited: false,
  });
  t.after(shop.close);
  if ('hasPayments' in shop.switches) shop.switches.hasPayments = true;
  await instance.connect(service, { url: shop.url, credentials: shop.credentials() });
  const read = async (stream: StreamName) => {
    const reports = await syncOrganization(instance.app.exchange, {
      organizationId: instance.organization.id,
      service: null,
      stream,
    });
    for (const { error } of reports) assert.equal(error, undefined);
  };
  return { instance, shop, read };
}

type Movements = Awaited<ReturnType<typeof movementsOf>>;

function movementsOf({ app, organization }: TestApp) {
  return app.database
    .within(organization.id)
    .read((scope) =>
      scope.rows(
        scope.select('movements').selectAll().orderBy('at').orderBy('key').orderBy('revision'),
      ),
    );
}

/** Orders all of whose movements are final. */
function isSettled(movements: Movements) {
  return ({ id }: { id: string }) => {
    const own = movements.filter(({ order_id }) => order_id === id);
    return own.length > 0 && own.every(({ is_open }) => !is_open);
  };
}

async function findingsOf({ app, organization }: TestApp) {
  const { findings } = await app.database.within(organization.id).read((scope) =>
    listFindings(scope, cursorMaker(app.exchange.keyring), {
      ...{ state: 'open', kind: null, marketplace: null },
      limit: 100,
      cursor: null,
    }),
  );
  return findings.map(({ kind, subject, amount }) => [kind, subject, amount]);
}

async function payoutsOf(instance: TestApp) {
  const inside = <T>(work: (scope: ReadScope, cursors: CursorMaker) => Promise<T>) =>
    instance.app.database
      .within(instance.organization.id)
      .read((scope) => work(scope, cursorMaker(instance.app.exchange.keyring)));
  const { settlements } = await inside((scope, cursors) =>
    listSettlements(scope, cursors, {
      ...{ marketplace: [], status: ['paid'], from: null, to: null, limit: 100, cursor: null },
    }),
  );
  const found = [];
  for (const { marketplace, accountId, id } of settlements) {
    const one = await inside((scope, cursors) =>
      describePayout(scope, cursors, { marketplace, accountId, id, limit: 100, cursor: null }),
    );
    assert.ok(one);
    found.push(one);
  }
  return found;
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return add(ZERO, ...amounts);
}
