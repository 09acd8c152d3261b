import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import { connectShop, placeOrders } from './reliability/support/commands.ts';
import { openClient, openHandle } from './reliability/support/ground.ts';
import { type Ending, eventually, lastFirst, NO_REDIS, startHouse } from './reliability/support/processes.ts';
import { addTenant } from './reliability/support/tenants.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { turnedClock } from './support/clock.ts';
import { environmentOf, openHouse, type TestHouse } from './support/house.ts';
import {
  callsTo,
  connectAccount,
  connectionsOf,
  jobsDone,
  notify,
  openMarket,
  outcomesOf,
  query,
  type Seller,
  sell,
  syncNow,
} from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// What Mercado Libre tells us of itself: kept before it is answered, fetched afterwards, and never lost.

const RECEIVER = '/api/webhooks/mercado_libre';
const BACK_WITHIN_MS = 25_000;
/** As faults see it, with its query. */
const ONE_ORDER = /^\/orders\/\d+\?/;

const clock = turnedClock();
const market = await openMarket(WHOLE_FILE, clock, { tokenSeconds: 10_000 * 3_600 });
const house = await openHouse(WHOLE_FILE, { clock, env: market.env });

test('a notification is on disk with its job when it is answered, and nobody was asked yet', async (t) => {
  const { receiver, worker } = await openPair(t);
  const { organization } = receiver;
  const seller = market.newSeller();
  await connectAccount(receiver, organization.id, market.credentials(seller.id));
  const order = sell(seller);

  assert.equal(await notify(receiver, seller, `/orders/${order}`), 200);

  assert.deepEqual(await outcomesOf(receiver, organization.id), { waiting: 1 });
  assert.equal(await hintsWaiting(receiver), 1);
  assert.equal(callsTo(market, new RegExp(order)).length, 0);
  const own = await worker();
  await jobsDone(own);
  assert.deepEqual(await idsAt(receiver), [order]);
  assert.deepEqual(await outcomesOf(receiver, organization.id), { recorded: 1 });
});

for (const table of ['receipts', 'queue.job']) {
  test(`a notification that ${table} cannot take is not answered 200, and leaves nothing half done`, async (t) => {
    const { receiver } = await openPair(t);
    const { organization } = receiver;
    const seller = market.newSeller();
    await connectAccount(receiver, organization.id, market.credentials(seller.id));
    const order = sell(seller);
    await query(
      receiver,
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
    );
    await query(
      receiver,
      `create trigger refuse before insert on ${table} for each row execute function refuse()`,
    );

    assert.equal(await notify(receiver, seller, `/orders/${order}`), 500);

    assert.deepEqual(await outcomesOf(receiver, organization.id), {});
    assert.equal(await hintsWaiting(receiver), 0);
    await query(receiver, `drop trigger refuse on ${table}`);
    assert.equal(await notify(receiver, seller, `/orders/${order}`), 200);
    assert.deepEqual(await outcomesOf(receiver, organization.id), { waiting: 1 });
  });
}

test('while the database is too slow to keep a notification it is not answered 200', async (t) => {
  const end = lastFirst(t);
  const database = await freshDatabase();
  const own = await openHouse(end, { clock, database, env: { ...market.env, REQUEST_TIMEOUT_SECONDS: '1' } });
  const { organization } = own;
  const seller = market.newSeller();
  await connectAccount(own, organization.id, market.credentials(seller.id));
  const order = sell(seller);
  const holder = await openClient(end, own.env.DATABASE_URL as string);
  await holder.query('begin');
  await holder.query('lock table receipts in access exclusive mode');

  const late = await notify(own, seller, `/orders/${order}`);
  await holder.query('rollback');
  const next = await notify(own, seller, `/orders/${order}`);
  await jobsDone(own);

  assert.deepEqual([late, next], [504, 200]);
  assert.deepEqual(await idsAt(own), [order]);
});

for (const [topic, resource, outcome] of [
  ['orders_v2', (order: Sold) => `/orders/${order.id}`, 'recorded'],
  ['shipments', (order: Sold) => `/shipments/${order.shipment}`, 'recorded'],
  ['items', (order: Sold) => `/items/${order.item}`, 'recorded'],
  ['orders feedback', (order: Sold) => `/orders/${order.id}/feedback`, 'ignored'],
  ['payments', () => '/collections/3043111111', 'ignored'],
  ['questions', () => '/questions/5036111111', 'ignored'],
  ['messages', () => '2b5ea1a2c1f14e6b', 'ignored'],
  ['items prices', () => '/items/MLM1/prices', 'ignored'],
  ['a topic of next year', () => '/novelties/1', 'ignored'],
  ['a resource at another host', () => 'https://evil.example/orders/1', 'ignored'],
  ['a resource at another host, without a scheme', () => '//evil.example/orders/1', 'ignored'],
  ['a resource that climbs', () => '/orders/../users/me', 'ignored'],
  ['a resource of 1,000 digits', () => `/orders/${'1'.repeat(1_000)}`, 'ignored'],
] as const) {
  test(`a notification of ${topic} is kept and ${outcome}`, async () => {
    const { shop, seller } = await openConnected();
    const sold = await sellOne(seller);
    const asked = callsTo(market, /GET/).length;

    assert.equal(await notify(house, seller, resource(sold), { topic }), 200);
    await jobsDone(house);

    assert.deepEqual(await outcomesOf(house, shop.organization.id), { [outcome]: 1 });
    if (outcome === 'ignored') assert.equal(callsTo(market, /GET/).length, asked, 'nobody is asked');
    const stock = await query(house, 'select from stock_levels where organization_id = $1', [
      shop.organization.id,
    ]);
    assert.deepEqual(
      [await shop.ids(), stock.length > 0],
      [topic === 'orders_v2' || topic === 'shipments' ? [sold.id] : [], topic === 'items'],
    );
  });
}

test('one thousand equal notifications before the first is looked at: each is kept, one is fetched', async (t) => {
  const { receiver, worker } = await openPair(t);
  const { organization } = receiver;
  const seller = market.newSeller();
  await connectAccount(receiver, organization.id, market.credentials(seller.id));
  const order = sell(seller);

  const statuses = await inParallel(20, 1_000, (number) =>
    notify(receiver, seller, `/orders/${order}`, { attempts: number, topic: 'orders_v2' }),
  );
  assert.deepEqual(statuses, [200]);
  assert.deepEqual(await outcomesOf(receiver, organization.id), { waiting: 1, merged: 999 });

  await jobsDone(await worker());

  assert.deepEqual(await outcomesOf(receiver, organization.id), { recorded: 1, merged: 999 });
  assert.equal(callsTo(market, new RegExp(`GET /orders/${order}$`)).length, 1);
  assert.deepEqual(await idsAt(receiver), [order]);
});

test('a notification that comes while an equal one is fetched is fetched again: it may tell of a later change', async (t) => {
  const { receiver } = await openPair(t);
  const { organization } = receiver;
  const seller = market.newSeller();
  await connectAccount(receiver, organization.id, market.credentials(seller.id));
  const order = sell(seller);
  const tell = () => notify(receiver, seller, `/orders/${order}`);

  await tell();
  await query(receiver, "update queue.job set state = 'active' where name = 'hint'");
  await tell();
  await tell();

  assert.deepEqual(await outcomesOf(receiver, organization.id), { waiting: 2, merged: 1 });
  assert.equal(await hintsWaiting(receiver), 1);
});

for (const [what, prepare] of [
  ['another seller’s order', async () => ({ order: sell(market.newSeller()) })],
  ['an order that does not exist', async () => ({ order: '2000000000999999' })],
] as const) {
  test(`a notification about ${what} records nothing and alarms nobody`, async () => {
    const { shop, seller } = await openConnected();
    const { order } = await prepare();

    assert.equal(await notify(house, seller, `/orders/${order}`), 200);
    await jobsDone(house);

    assert.deepEqual(await shop.ids(), []);
    assert.equal((await connectionsOf(house, shop.organization.id))[0]?.state, 'ok');
    assert.equal(await failedJobs(house), 0);
  });
}

for (const [what, other] of [
  ['an account that nobody connected', { user_id: 1 }],
  ['another application of the account', { application_id: 1 }],
  ['an account whose number is larger than a float can hold', { user_id: '468424001000000000000001' }],
] as const) {
  test(`a notification of ${what} is dropped, politely`, async () => {
    const { shop, seller } = await openConnected();
    const order = sell(seller);

    assert.equal(await notify(house, seller, `/orders/${order}`, other), 200);
    await jobsDone(house);

    assert.deepEqual(await outcomesOf(house, shop.organization.id), {});
    assert.deepEqual(await shop.ids(), []);
  });
}

test('user_id and application_id may come as texts or as numbers', async () => {
  for (const type of [String, Number]) {
    const { shop, seller } = await openConnected();
    const other = { user_id: type(seller.id), application_id: type(market.application.clientId) };

    assert.equal(await notify(house, seller, `/orders/${sell(seller)}`, other), 200);
    await jobsDone(house);

    assert.deepEqual(await outcomesOf(house, shop.organization.id), { recorded: 1 });
  }
});

test('a disconnected account’s notifications are dropped', async () => {
  const { shop, seller } = await openConnected();
  await query(
    house,
    "update connections set state = 'disconnected', credentials = null, disconnected_at = now() where organization_id = $1",
    [shop.organization.id],
  );

  assert.equal(await notify(house, seller, `/orders/${sell(seller)}`), 200);

  assert.deepEqual(await outcomesOf(house, shop.organization.id), {});
});

test('an account of two organisations: both are told, and one whose credentials do not open costs the other nothing', async () => {
  const { shop, seller } = await openConnected();
  const other = await openShop(house);
  await connectAccount(house, other.organization.id, market.credentials(seller.id));
  const order = sell(seller);

  assert.equal(await notify(house, seller, `/orders/${order}`), 200);
  await jobsDone(house);
  assert.deepEqual([await shop.ids(), await other.ids()], [[order], [order]]);

  await query(house, "update connections set credentials = 'AXRvcm4=' where organization_id = $1", [
    other.organization.id,
  ]);
  const next = sell(seller);
  assert.equal(await notify(house, seller, `/orders/${next}`), 200);
  await jobsDone(house);
  assert.deepEqual((await shop.ids()).toSorted(), [order, next].toSorted());

  await query(house, "update connections set credentials = 'AXRvcm4=' where organization_id = $1", [
    shop.organization.id,
  ]);
  assert.equal(
    await notify(house, seller, `/orders/${next}`),
    500,
    'nobody took it: it had better come again',
  );
});

const NOTICE = { resource: '/orders/1', user_id: market.sellers[0]?.id, topic: 'orders_v2' };

for (const [what, body, status] of [
  ['nothing', '', 400],
  ['no JSON', 'orders_v2=1', 400],
  ['half of its JSON', JSON.stringify(NOTICE).slice(0, -1), 400],
  ['a list', JSON.stringify([NOTICE]), 400],
  ['null', 'null', 400],
  ['no user_id', JSON.stringify({ ...NOTICE, user_id: undefined }), 400],
  ['no resource', JSON.stringify({ ...NOTICE, resource: undefined }), 400],
  ['a resource that is no text', JSON.stringify({ ...NOTICE, resource: { $ne: 1 } }), 400],
  ['a NUL', JSON.stringify({ ...NOTICE, more: 'a\0b' }), 400],
  ['a bare NUL', `${JSON.stringify(NOTICE)}\0`, 400],
  ['half a character', `{"resource":"/orders/1","topic":"orders_v2","user_id":1,"more":"\\ud800"}`, 400],
  ['100,000 brackets', '['.repeat(100_000), 400],
  ['brackets 20,000 deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 400],
  [
    'objects 20,000 deep in a field',
    `{"user_id":1,"topic":"t","resource":"/orders/1","a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
    400,
  ],
  ['__proto__', `{"__proto__":{"user_id":1},"topic":"t","resource":"/orders/1"}`, 400],
  ['a quarter of a megabyte and a byte', JSON.stringify({ ...NOTICE, more: 'x'.repeat(256 * 1024) }), 413],
] as const) {
  test(`a body with ${what}: ${status}, and nothing is kept`, async () => {
    const kept = await countReceipts();

    const answer = await house.api(RECEIVER, {}, { method: 'POST', body, key: null });

    assert.equal(answer.status, status, answer.text);
    assert.equal(await countReceipts(), kept);
  });
}

for (const type of [
  'application/json',
  'application/json; charset=latin1',
  'text/plain',
  'application/xml',
  'nonsense',
]) {
  test(`the body counts, not that it is called ${type}`, async () => {
    const { shop, seller } = await openConnected();
    const body = JSON.stringify({ ...NOTICE, user_id: seller.id, resource: `/orders/${sell(seller)}` });

    const answer = await house.api(RECEIVER, {}, { method: 'POST', body, headers: { 'content-type': type } });
    await jobsDone(house);

    assert.equal(answer.status, 200);
    assert.equal((await shop.ids()).length, 1);
  });
}

test('an order that is older than anything a walk would ask about comes by its notification', async () => {
  const { shop, seller } = await openConnected();
  sell(seller);
  await syncNow(house, shop.organization.id);
  clock.advance({ hours: 10 });
  const at = clock.now().epochMilliseconds - 200 * 24 * 3_600_000;
  const { id } = seller.world.place({ at });

  await syncNow(house, shop.organization.id);
  assert.equal((await shop.ids()).includes(id), false);
  assert.equal(await notify(house, seller, `/orders/${id}`), 200);
  await jobsDone(house);

  assert.equal((await shop.ids()).at(-1), id, 'the oldest of the list');
});

test('a cancellation, which no search shows, comes by its notification', async () => {
  const { shop, seller } = await openConnected();
  const order = sell(seller);
  await syncNow(house, shop.organization.id);
  const { body } = await shop.get('/v1/orders');
  seller.world.cancel(order);

  assert.equal(await notify(house, seller, `/orders/${order}`), 200);
  await jobsDone(house);

  const changed = await shop.orders({ updated_since: body.meta.as_of });
  assert.deepEqual(
    changed.map(({ id, status }) => [id, status]),
    [[order, 'cancelled']],
  );
});

test('notifications spend nobody’s quota, with a key or without', async () => {
  const { shop, seller } = await openConnected();
  const order = sell(seller);
  const remaining = async () => Number((await shop.get('/v1/me')).headers.get('x-ratelimit-remaining'));
  const before = await remaining();
  const body = JSON.stringify({ ...NOTICE, user_id: seller.id, resource: `/orders/${order}` });

  for (let number = 0; number < 20; number++) {
    assert.equal(await notify(house, seller, `/orders/${order}`), 200);
    assert.equal((await shop.get(RECEIVER, {}, { method: 'POST', body })).status, 200);
  }
  await jobsDone(house);

  assert.equal(await remaining(), before - 1);
});

test('a day of a shop, told by the market’s own notifications, twice and in no order, and nothing else', async (t) => {
  const end = lastFirst(t);
  const day = turnedClock('2026-11-17T00:00:00Z');
  const own = await openMarket(end, day, { tokenSeconds: 100 * 3_600 });
  const told = await openHouse(end, { clock: day, database: await freshDatabase(), env: own.env });
  const asking = await openHouse(end, { clock: day, database: await freshDatabase(), env: own.env });
  const seller = own.newSeller();
  for (const one of [told, asking])
    await connectAccount(one, one.organization.id, own.credentials(seller.id));
  own.switches.patienceMilliseconds = 20_000;
  own.notifications.notifyTo(`${told.url}${RECEIVER}`);
  own.notifications.duplicate = true;
  // A cart every half an hour, and lives of days within one.
  seller.world.flow({ every: 30 * 60_000, hour: 5 * 60_000 });

  for (let hour = 0; hour < 14; hour++) {
    own.notifications.outOfOrder = hour % 2 === 1;
    day.advance({ hours: 1 });
    await own.notifications.flush();
  }
  await jobsDone(told);
  await syncNow(asking, asking.organization.id);

  const unanswered = own.notifications.attempts.filter(({ status }) => status !== 200);
  assert.deepEqual(unanswered, []);
  const [byTelling, byAsking] = [await everyOrderOf(told), await everyOrderOf(asking)];
  const happened = seller.world.account().map(({ id }) => id);
  assert.ok(happened.length > 25, `${happened.length} orders`);
  assert.deepEqual([...byTelling.keys()].toSorted(), happened.toSorted());
  for (const [id, order] of byTelling) {
    const asked = byAsking.get(id);
    if (asked) assert.deepEqual(order, asked, id);
    else assert.equal(order.status, 'cancelled', `${id} is what no search shows`);
  }
});

// These wait for most of their time, so they wait together.
describe('notifications when things fail', { concurrency: true }, () => {
  test('a worker killed between receipt and fetch: the next one fetches, once, and nothing is lost', {
    timeout: 60_000,
  }, async (t) => {
    const end = lastFirst(t);
    const env = environmentOf(await freshDatabase());
    const client = await openClient(end, env.DATABASE_URL as string);
    const shop = await startMercadoLibre({ seed: 'killed' });
    end.after(shop.close);
    const { id } = await addTenant(openHandle(end, env.DATABASE_URL as string));
    await connectShop(end, env, id, shop);
    await client.query("update schedules set due_at = now() + interval '1 day' where task = 'sync'");
    placeOrders(shop, 3);
    const orders = shop.world.orders().map((order) => order.id);
    const killed = await startHouse(end, env);
    const hung = new RegExp(`/orders/(${orders.join('|')})`);
    shop.faults.next({ kind: 'timeout', match: hung, times: 1_000 });

    for (const order of orders) assert.equal(await post(killed.url, shop, order), 200);
    assert.ok(await eventually(async () => (await jobsActive(client)) === orders.length, 10_000));
    await killed.end('SIGKILL');
    shop.faults.stop();
    await startHouse(end, env);
    const isDone = await eventually(
      async () => (await recorded(client)) === orders.length,
      BACK_WITHIN_MS,
      100,
    );

    assert.ok(isDone, `not fetched ${BACK_WITHIN_MS} ms after the kill`);
    const { rows } = await client.query('select id from orders order by id');
    assert.deepEqual(
      rows.map((row: { id: string }) => row.id),
      orders.toSorted(),
    );
    const fetched = shop.requests.filter(
      ({ path, status }) => status === 200 && /^\/orders\/\d+$/.test(path),
    );
    assert.equal(fetched.length, orders.length, 'each once');
  });

  test('a marketplace that fails: the hint waits, is tried again by itself, and is recorded', async (t) => {
    const end = lastFirst(t);
    const { own, seller, there } = await openApart(end);
    const order = sell(seller);
    there.faults.next({ kind: 'server_error', match: ONE_ORDER, times: 4 });

    assert.equal(await notify(own, seller, `/orders/${order}`), 200);
    const isNoted = await eventually(
      async () => (await outcomesOf(own, own.organization.id)).unreachable === 1,
      10_000,
    );
    await jobsDone(own);

    assert.ok(isNoted, 'the receipt says why it waits');
    assert.deepEqual(await outcomesOf(own, own.organization.id), { recorded: 1 });
    assert.deepEqual(await idsAt(own), [order]);
  });

  test('a marketplace that is away for an hour costs no hint', async (t) => {
    const end = lastFirst(t);
    const { own, seller, there } = await openApart(end);
    const order = sell(seller);
    there.faults.next({ kind: 'server_error', match: ONE_ORDER, times: 10_000 });
    assert.equal(await notify(own, seller, `/orders/${order}`), 200);

    // Instead of waiting for the next try it is brought forward, and what was left of the wait is counted.
    let waited = 0;
    const bringForward = async () => {
      const [job] = await query(
        own,
        `with next as (select id, start_after from queue.job where name = 'hint' and state = 'retry' and start_after > now())
         update queue.job set start_after = now() from next where job.id = next.id and name = 'hint'
         returning extract(epoch from next.start_after - now())::float8 as seconds`,
      );
      waited += Number(job?.seconds ?? 0);
    };
    const isOverAnHour = async () => {
      await bringForward();
      return waited >= 3_600;
    };
    const isRecorded = async () => {
      await bringForward();
      return (await outcomesOf(own, own.organization.id)).recorded === 1;
    };
    assert.ok(await eventually(isOverAnHour, 45_000, 20), `given up after ${Math.round(waited)} s`);
    there.faults.stop();

    assert.ok(await eventually(isRecorded, 10_000, 20), 'given up at last');
    assert.deepEqual(await idsAt(own), [order]);
  });
});

interface Sold {
  readonly id: string;
  readonly shipment: string;
  readonly item: string;
}

interface Connected {
  readonly shop: Shop;
  readonly seller: Seller;
}

/** An organisation of a test's own, with an account that sold nothing yet. */
async function openConnected(): Promise<Connected> {
  const shop = await openShop(house);
  const seller = market.newSeller();
  await connectAccount(house, shop.organization.id, market.credentials(seller.id));
  return { shop, seller };
}

/** A house that only receives, and on demand one beside it that works. */
async function openPair(t: Ending) {
  const end = lastFirst(t);
  const database = await freshDatabase();
  const env = { ...market.env, REDIS_URL: NO_REDIS };
  const receiver = await openHouse(end, { clock, database, env: { ...env, ROLE: 'api' } });
  const { MASTER_KEY = '' } = receiver.env;
  return {
    receiver,
    worker: () => openHouse(end, { clock, database, env: { ...env, MASTER_KEY, ROLE: 'worker' } }),
  };
}

/** A house, a clock and a market that nobody else turns. */
async function openApart(end: Ending) {
  const apart = turnedClock();
  const there = await openMarket(end, apart);
  const own = await openHouse(end, { clock: apart, database: await freshDatabase(), env: there.env });
  const seller = there.newSeller();
  await connectAccount(own, own.organization.id, there.credentials(seller.id));
  return { own, seller, there };
}

/** An order, and what Mercado Libre calls its shipment and its goods. */
async function sellOne(seller: Seller): Promise<Sold> {
  const id = sell(seller);
  const authorization = `Bearer ${market.credentials(seller.id).access_token}`;
  const answer = await fetch(`${market.url}/orders/${id}`, { headers: { authorization } });
  const order = (await answer.json()) as {
    shipping: { id: number };
    order_items: { item: { id: string } }[];
  };
  return { id, shipment: String(order.shipping.id), item: order.order_items[0]?.item.id ?? '' };
}

async function idsAt(own: TestHouse): Promise<string[]> {
  return (await own.api('/v1/orders')).body.data.map(({ id }: { id: string }) => id);
}

/** Every order in full, without what depends on who was told when. */
async function everyOrderOf(own: TestHouse): Promise<Map<string, Record<string, unknown>>> {
  await own.setPlan('experto', 10_000);
  const found = new Map<string, Record<string, unknown>>();
  for (let cursor: string | null = null; ; ) {
    const { body } = await own.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) });
    for (const { id } of body.data) {
      const { last_updated, status_history, connection_id, ...order } = (await own.api(`/v1/orders/${id}`))
        .body.data;
      assert.ok(last_updated && status_history && connection_id);
      found.set(id, order);
    }
    cursor = body.pagination.next_cursor;
    if (cursor === null) return found;
  }
}

async function inParallel<T>(
  lanes: number,
  count: number,
  work: (number: number) => Promise<T>,
): Promise<T[]> {
  const seen = new Set<T>();
  let next = 0;
  const lane = async () => {
    while (next < count) seen.add(await work(next++));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return [...seen];
}

async function countReceipts(): Promise<number> {
  const [row] = await query(house, 'select count(*)::int as count from receipts');
  return row?.count as number;
}

async function hintsWaiting(own: TestHouse): Promise<number> {
  return (await query(own, "select from queue.job where name = 'hint' and state = 'created'")).length;
}

async function failedJobs(own: TestHouse): Promise<number> {
  return (
    await query(own, "select from queue.job where name = 'hint' and (state = 'failed' or retry_count > 0)")
  ).length;
}

async function post(
  url: string,
  shop: { credentials(): { user_id: number } },
  order: string,
): Promise<number> {
  const body = JSON.stringify({
    resource: `/orders/${order}`,
    topic: 'orders_v2',
    user_id: shop.credentials().user_id,
  });
  const answer = await fetch(url + RECEIVER, { method: 'POST', body });
  await answer.arrayBuffer();
  return answer.status;
}

async function jobsActive(client: pg.Client): Promise<number> {
  return (await client.query("select from queue.job where name = 'hint' and state = 'active'")).rowCount ?? 0;
}

async function recorded(client: pg.Client): Promise<number> {
  return (await client.query("select from receipts where outcome = 'recorded'")).rowCount ?? 0;
}
