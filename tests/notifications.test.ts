import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import { connectShop, placeOrders } from './reliability/support/commands.ts';
import { openClient, openHandle } from './reliability/support/ground.ts';
import {
  type Ending,
  eventually,
  lastFirst,
  NO_REDIS,
  startInstance,
} from './reliability/support/processes.ts';
import { within } from './reliability/support/profile.ts';
import { addTenant } from './reliability/support/tenants.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { environmentOf, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
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

// Webhooks of Mercado Libre: stored before they are answered, fetched afterwards, and never
// lost.

const RECEIVER = '/api/webhooks/mercado_libre';
const BACK_WITHIN_MS = within(25_000);
/** Webhooks of one connection that are worked on at once. */
const AT_ONCE = 2;
/** As faults see it, with its query. */
const ONE_ORDER = /^\/orders\/\d+\?/;

const clock = turnedClock();
const market = await openMarket(WHOLE_FILE, clock, { tokenSeconds: 10_000 * 3_600 });
const instance = await openApp(WHOLE_FILE, { clock, env: market.env });

test('a notification is on disk with its job when it is answered, and nothing was fetched yet', {
  tags: ['slow'],
}, async (t) => {
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

test('a notification that fails by our own fault is noted as failed, and as recorded once a later try succeeds', {
  tags: ['slow'],
  timeout: 240_000,
}, async () => {
  const { organization } = await instance.tenant();
  const seller = market.newSeller();
  await connectAccount(instance, organization.id, market.credentials(seller.id));
  const order = sell(seller);
  await query(
    instance,
    `create function kaput() returns trigger language plpgsql as $$ begin raise exception 'kaput'; end $$`,
  );
  await query(
    instance,
    `create trigger kaput before insert on orders for each row
       when (new.organization_id = '${organization.id}') execute function kaput()`,
  );

  assert.equal(await notify(instance, seller, `/orders/${order}`), 200);

  const becomes = (outcome: string) =>
    eventually(async () => (await outcomesOf(instance, organization.id))[outcome] === 1, 60_000);
  assert.ok(await becomes('failed'), JSON.stringify(await outcomesOf(instance, organization.id)));
  await query(instance, 'drop trigger kaput on orders');
  assert.ok(await becomes('recorded'), JSON.stringify(await outcomesOf(instance, organization.id)));
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

test('while the database is too slow to keep a notification it is not answered 200', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const database = await freshDatabase();
  const own = await openApp(end, {
    clock,
    database,
    env: { ...market.env, REQUEST_TIMEOUT_SECONDS: '1' },
  });
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

    assert.equal(await notify(instance, seller, resource(sold), { topic }), 200);
    await jobsDone(instance);

    assert.deepEqual(await outcomesOf(instance, shop.organization.id), { [outcome]: 1 });
    if (outcome === 'ignored')
      assert.equal(callsTo(market, /GET/).length, asked, 'no call is made');
    const stock = await query(instance, 'select from stock_levels where organization_id = $1', [
      shop.organization.id,
    ]);
    assert.deepEqual(
      [await shop.ids(), stock.length > 0],
      [topic === 'orders_v2' || topic === 'shipments' ? [sold.id] : [], topic === 'items'],
    );
  });
}

test('one thousand equal notifications before the first is looked at: each is counted, one is fetched', {
  tags: ['slow'],
}, async (t) => {
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
  const rows = await query(receiver, 'select from receipts where organization_id = $1', [
    organization.id,
  ]);
  assert.ok(rows.length <= 61, `${rows.length} receipts`);

  await jobsDone(await worker());

  assert.deepEqual(await outcomesOf(receiver, organization.id), { recorded: 1, merged: 999 });
  assert.equal(callsTo(market, new RegExp(`GET /orders/${order}$`)).length, 1);
  assert.deepEqual(await idsAt(receiver), [order]);
});

test('webhooks beyond a connection’s budget merge into one sync run, and nothing is lost', {
  tags: ['slow'],
}, async (t) => {
  const { receiver, worker } = await openPair(t);
  const { organization } = receiver;
  const [seller, other] = [market.newSeller(), market.newSeller()];
  const id = await connectAccount(receiver, organization.id, market.credentials(seller.id));
  await connectAccount(receiver, organization.id, market.credentials(other.id));
  await query(receiver, 'update schedules set due_at = $1', [
    clock.now().add({ hours: 5 }).toString(),
  ]);
  const orders = Array.from({ length: 100 }, () => sell(seller));

  for (const order of orders) assert.equal(await notify(receiver, seller, `/orders/${order}`), 200);
  assert.equal(await notify(receiver, other, `/orders/${sell(other)}`), 200);

  assert.deepEqual(await outcomesOf(receiver, organization.id), { waiting: 61, merged: 40 });
  const merged = await query(receiver, "select pushes from receipts where outcome = 'merged'");
  assert.deepEqual(merged, [{ pushes: 40 }], 'they are counted, not kept one by one');
  const [due] = await query(receiver, 'select due_at from schedules where subject = $1', [
    `${id}:orders`,
  ]);
  assert.equal(
    String(due?.due_at),
    String(clock.now().add({ seconds: 30 })),
    'a sync run follows soon',
  );
  clock.advance({ seconds: 30 });
  const own = await worker();
  await own.app.worker?.tick();
  await jobsDone(own);
  const stored = await query(receiver, 'select from orders where organization_id = $1', [
    organization.id,
  ]);
  assert.equal(stored.length, 101);
});

test('a cancellation among the webhooks that were merged is read within a quarter of an hour', {
  tags: ['slow'],
}, async (t) => {
  const { receiver, worker } = await openPair(t);
  const { organization } = receiver;
  const seller = market.newSeller();
  await connectAccount(receiver, organization.id, market.credentials(seller.id));
  const gone = sell(seller);
  const own = await worker();
  const minutesPass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      clock.advance({ minutes: 1 });
      await own.app.worker?.tick();
      await jobsDone(own);
    }
  };
  const statusOfGone = async () => (await receiver.api(`/v1/orders/${gone}`)).body.data.status;
  await minutesPass(1);
  // Sold so long ago that only a reconciliation asks about it.
  await minutesPass(20);
  clock.advance({ hours: 3 });
  await minutesPass(2);
  seller.world.cancel(gone);
  const others = Array.from({ length: 70 }, () => sell(seller));

  for (const order of others) assert.equal(await notify(receiver, seller, `/orders/${order}`), 200);
  const before = await mergedAt(receiver);
  assert.equal(await notify(receiver, seller, `/orders/${gone}`), 200);
  assert.equal((await mergedAt(receiver)) - before, 1, 'it is merged');
  await minutesPass(1);
  assert.equal(await statusOfGone(), 'paid', 'no search shows it');
  await minutesPass(14);

  assert.equal(await statusOfGone(), 'cancelled');
});

test('of an unsigned webhook only its known fields are stored, and a large one is refused', async () => {
  const { shop, seller } = await openConnected();
  const long = `/orders/1${'0'.repeat(1_000)}`;

  assert.equal(
    await notify(instance, seller, long, { note: 'whoever wrote this', sent: [1, 2] }),
    200,
  );
  const [receipt] = await query(instance, 'select body from receipts where organization_id = $1', [
    shop.organization.id,
  ]);
  const body = JSON.parse(receipt?.body as string);
  assert.deepEqual(body, {
    resource: long.slice(0, 200),
    topic: 'orders_v2',
    user_id: String(seller.id),
    application_id: market.application.clientId,
  });

  assert.equal(await notify(instance, seller, '/orders/1', { note: 'x'.repeat(4_096) }), 413);
});

test('a notification that comes while an equal one is fetched is fetched again: it may report a later change', async (t) => {
  const { receiver } = await openPair(t);
  const { organization } = receiver;
  const seller = market.newSeller();
  await connectAccount(receiver, organization.id, market.credentials(seller.id));
  const order = sell(seller);
  const push = () => notify(receiver, seller, `/orders/${order}`);

  await push();
  await query(receiver, "update queue.job set state = 'active' where name = 'hint'");
  await push();
  await push();

  assert.deepEqual(await outcomesOf(receiver, organization.id), { waiting: 2, merged: 1 });
  assert.equal(await hintsWaiting(receiver), 1);
});

for (const [what, prepare] of [
  ['another seller’s order', async () => ({ order: sell(market.newSeller()) })],
  ['an order that does not exist', async () => ({ order: '2000000000999999' })],
] as const) {
  test(`a notification about ${what} records nothing and raises no alert`, async () => {
    const { shop, seller } = await openConnected();
    const { order } = await prepare();
    const failedBefore = await failedJobs(instance);

    assert.equal(await notify(instance, seller, `/orders/${order}`), 200);
    await jobsDone(instance);

    assert.deepEqual(await shop.ids(), []);
    assert.equal((await connectionsOf(instance, shop.organization.id))[0]?.state, 'ok');
    assert.equal(await failedJobs(instance), failedBefore);
  });
}

for (const [what, other] of [
  ['an account that is not connected', { user_id: 1 }],
  ['another application of the account', { application_id: 1 }],
  ['no application', { application_id: undefined }],
  [
    'an account whose number is larger than a float can hold',
    { user_id: '468424001000000000000001' },
  ],
] as const) {
  test(`a notification of ${what} is dropped, politely`, async () => {
    const { shop, seller } = await openConnected();
    const order = sell(seller);

    assert.equal(await notify(instance, seller, `/orders/${order}`, other), 200);
    await jobsDone(instance);

    assert.deepEqual(await outcomesOf(instance, shop.organization.id), {});
    assert.deepEqual(await shop.ids(), []);
  });
}

test('user_id and application_id may come as texts or as numbers', async () => {
  for (const type of [String, Number]) {
    const { shop, seller } = await openConnected();
    const other = { user_id: type(seller.id), application_id: type(market.application.clientId) };

    assert.equal(await notify(instance, seller, `/orders/${sell(seller)}`, other), 200);
    await jobsDone(instance);

    assert.deepEqual(await outcomesOf(instance, shop.organization.id), { recorded: 1 });
  }
});

test('a disconnected account’s notifications are dropped', async () => {
  const { shop, seller } = await openConnected();
  await query(
    instance,
    "update connections set state = 'disconnected', credentials = null, disconnected_at = now() where organization_id = $1",
    [shop.organization.id],
  );

  assert.equal(await notify(instance, seller, `/orders/${sell(seller)}`), 200);

  assert.deepEqual(await outcomesOf(instance, shop.organization.id), {});
});

test('an account of two organisations: both are synchronised, and one whose credentials do not open costs the other nothing', async () => {
  const { shop, seller } = await openConnected();
  const other = await openShop(instance);
  await connectAccount(instance, other.organization.id, market.credentials(seller.id));
  const order = sell(seller);

  assert.equal(await notify(instance, seller, `/orders/${order}`), 200);
  await jobsDone(instance);
  assert.deepEqual([await shop.ids(), await other.ids()], [[order], [order]]);

  await query(
    instance,
    "update connections set credentials = 'AXRvcm4=' where organization_id = $1",
    [other.organization.id],
  );
  const next = sell(seller);
  assert.equal(await notify(instance, seller, `/orders/${next}`), 200);
  await jobsDone(instance);
  assert.deepEqual((await shop.ids()).toSorted(), [order, next].toSorted());

  await query(
    instance,
    "update connections set credentials = 'AXRvcm4=' where organization_id = $1",
    [shop.organization.id],
  );
  assert.equal(
    await notify(instance, seller, `/orders/${next}`),
    500,
    'it was not stored: it must be sent again',
  );
});

const NOTICE = {
  resource: '/orders/1',
  user_id: market.sellers[0]?.id,
  topic: 'orders_v2',
  application_id: market.application.clientId,
};

for (const [what, body, status] of [
  ['nothing', '', 400],
  ['no JSON', 'orders_v2=1', 400],
  ['half of its JSON', JSON.stringify(NOTICE).slice(0, -1), 400],
  ['a list', JSON.stringify([NOTICE]), 400],
  ['null', 'null', 400],
  ['no user_id', JSON.stringify({ ...NOTICE, user_id: undefined }), 400],
  ['no resource', JSON.stringify({ ...NOTICE, resource: undefined }), 400],
  ['a resource that is no text', JSON.stringify({ ...NOTICE, resource: { $ne: 1 } }), 400],
  ['a NUL in its account', JSON.stringify({ ...NOTICE, user_id: 'a\0b' }), 400],
  ['a bare NUL', `${JSON.stringify(NOTICE)}\0`, 400],
  [
    'half a character in its account',
    `{"resource":"/orders/1","topic":"orders_v2","user_id":"\\ud800"}`,
    400,
  ],
  ['3,000 brackets', '['.repeat(3_000), 400],
  ['brackets 2,000 deep', `${'['.repeat(2_000)}${']'.repeat(2_000)}`, 400],
  ['__proto__', `{"__proto__":{"user_id":1},"topic":"t","resource":"/orders/1"}`, 400],
  ['more than four kilobytes', JSON.stringify({ ...NOTICE, more: 'x'.repeat(4 * 1024) }), 413],
] as const) {
  test(`a body with ${what}: ${status}, and nothing is kept`, async () => {
    const kept = await countReceipts();

    const answer = await instance.api(RECEIVER, {}, { method: 'POST', body, key: null });

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
    const body = JSON.stringify({
      ...NOTICE,
      user_id: seller.id,
      resource: `/orders/${sell(seller)}`,
    });

    const answer = await instance.api(
      RECEIVER,
      {},
      { method: 'POST', body, headers: { 'content-type': type } },
    );
    await jobsDone(instance);

    assert.equal(answer.status, 200);
    assert.equal((await shop.ids()).length, 1);
  });
}

test('an order that is older than anything a walk would ask about comes by its notification', async () => {
  const { shop, seller } = await openConnected();
  sell(seller);
  await syncNow(instance, shop.organization.id);
  clock.advance({ hours: 10 });
  const at = clock.now().epochMilliseconds - 200 * 24 * 3_600_000;
  const { id } = seller.world.place({ at });

  await syncNow(instance, shop.organization.id);
  assert.equal((await shop.ids()).includes(id), false);
  assert.equal(await notify(instance, seller, `/orders/${id}`), 200);
  await jobsDone(instance);

  assert.equal((await shop.ids()).at(-1), id, 'the oldest of the list');
});

test('a cancellation, which no search shows, comes by its notification', async () => {
  const { shop, seller } = await openConnected();
  const order = sell(seller);
  await syncNow(instance, shop.organization.id);
  const { body } = await shop.get('/v1/orders');
  seller.world.cancel(order);

  assert.equal(await notify(instance, seller, `/orders/${order}`), 200);
  await jobsDone(instance);

  const changed = await shop.orders({ updated_since: body.meta.as_of });
  assert.deepEqual(
    changed.map(({ id, status }) => [id, status]),
    [[order, 'cancelled']],
  );
});

test('notifications spend no quota, with a key or without', { tags: ['slow'] }, async () => {
  const { shop, seller } = await openConnected();
  const order = sell(seller);
  const remaining = async () =>
    Number((await shop.get('/v1/me')).headers.get('x-ratelimit-remaining'));
  const before = await remaining();
  const body = JSON.stringify({ ...NOTICE, user_id: seller.id, resource: `/orders/${order}` });

  for (let number = 0; number < 20; number++) {
    assert.equal(await notify(instance, seller, `/orders/${order}`), 200);
    assert.equal((await shop.get(RECEIVER, {}, { method: 'POST', body })).status, 200);
  }
  await jobsDone(instance);

  assert.equal(await remaining(), before - 1);
});

test('a day of a shop, from the market’s own notifications, twice and in no order, and nothing else', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const day = turnedClock('2026-11-17T00:00:00Z');
  const own = await openMarket(end, day, { tokenSeconds: 100 * 3_600 });
  const reported = await openApp(end, {
    clock: day,
    database: await freshDatabase(),
    env: own.env,
  });
  const asking = await openApp(end, { clock: day, database: await freshDatabase(), env: own.env });
  const seller = own.newSeller();
  for (const one of [reported, asking])
    await connectAccount(one, one.organization.id, own.credentials(seller.id));
  own.switches.patienceMilliseconds = 20_000;
  own.notifications.notifyTo(`${reported.url}${RECEIVER}`);
  own.notifications.duplicate = true;
  // A cart every half an hour, and lives of days within one.
  seller.world.flow({ every: 30 * 60_000, hour: 5 * 60_000 });

  for (let hour = 0; hour < 14; hour++) {
    own.notifications.outOfOrder = hour % 2 === 1;
    day.advance({ hours: 1 });
    await own.notifications.flush();
  }
  await jobsDone(reported);
  await syncNow(asking, asking.organization.id);

  const unanswered = own.notifications.attempts.filter(({ status }) => status !== 200);
  assert.deepEqual(unanswered, []);
  const [byTelling, byAsking] = [await everyOrderOf(reported), await everyOrderOf(asking)];
  const happened = seller.world.account().map(({ id }) => id);
  assert.ok(happened.length > 25, `${happened.length} orders`);
  assert.deepEqual([...byTelling.keys()].toSorted(), happened.toSorted());
  for (const [id, order] of byTelling) {
    const asked = byAsking.get(id);
    if (asked) assert.deepEqual(withoutSeen(order), withoutSeen(asked), id);
    else assert.equal(order.status, 'cancelled', `${id} is what no search shows`);
  }
});

// Some of these wait for most of their time, so they wait together.
describe('when a worker or a try fails', { concurrency: true }, () => {
  test('a worker killed between receipt and fetch: the next one fetches, once, and nothing is lost', {
    tags: ['slow'],
    timeout: 400_000,
  }, async (t) => {
    const end = lastFirst(t);
    const env = environmentOf(await freshDatabase());
    const client = await openClient(end, env.DATABASE_URL as string);
    const shop = await startMercadoLibre({ seed: 'killed' });
    end.after(shop.close);
    const { id } = await addTenant(openHandle(end, env.DATABASE_URL as string));
    await connectShop(end, env, id, shop);
    await client.query(
      "update schedules set due_at = now() + interval '1 day' where task = 'sync'",
    );
    placeOrders(shop, 3);
    const orders = shop.world.orders().map((order) => order.id);
    const killed = await startInstance(end, env);
    const hung = new RegExp(`/orders/(${orders.join('|')})`);
    shop.faults.next({ kind: 'timeout', match: hung, times: 1_000 });

    for (const order of orders) assert.equal(await post(killed.url, shop, order), 200);
    assert.ok(await eventually(async () => (await jobsActive(client)) === AT_ONCE, 60_000));
    await killed.end('SIGKILL');
    shop.faults.stop();
    await startInstance(end, env);
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

  test('a try that fails waits behind newer webhooks, is tried again by itself, and is recorded', {
    tags: ['slow'],
  }, async (t) => {
    const end = lastFirst(t);
    const { own, seller, there } = await openApart(end);
    const order = sell(seller);
    there.faults.next({ kind: 'server_error', match: ONE_ORDER });

    assert.equal(await notify(own, seller, `/orders/${order}`), 200);
    const isNoted = await eventually(
      async () => (await outcomesOf(own, own.organization.id)).unreachable === 1,
      60_000,
    );
    const again = await waitingHints(own);
    await jobsDone(own);

    assert.ok(isNoted, 'the receipt says why it waits');
    assert.deepEqual(
      again.map(({ priority, is_later }) => [priority, is_later]),
      [[-1, true]],
    );
    assert.deepEqual(await outcomesOf(own, own.organization.id), { recorded: 1 });
    assert.deepEqual(await idsAt(own), [order]);
  });
});

describe('when a marketplace delays a webhook', { concurrency: true }, () => {
  test('a newer webhook of the same thing does not wait for the next try of an older one', async (t) => {
    const end = lastFirst(t);
    const { own, seller, there } = await openApart(end);
    const order = sell(seller);
    there.faults.next({ kind: 'too_many_retry_after', retryAfter: 300, match: ONE_ORDER });
    await notify(own, seller, `/orders/${order}`);
    assert.ok(
      await eventually(async () => (await waitingHints(own))[0]?.is_later === true, 60_000),
    );
    own.clock.advance({ minutes: 5 });

    await notify(own, seller, `/orders/${order}`);

    assert.ok(
      await eventually(
        async () => (await outcomesOf(own, own.organization.id)).recorded === 1,
        60_000,
      ),
      'it waits for the older one',
    );
    assert.deepEqual(await idsAt(own), [order]);
  });

  test('a marketplace that delays a webhook for an hour loses no notification', {
    tags: ['slow'],
  }, async (t) => {
    const end = lastFirst(t);
    const { own, seller, there } = await openApart(end);
    const order = sell(seller);
    there.faults.next({ kind: 'too_many', match: ONE_ORDER, times: 10_000 });
    assert.equal(await notify(own, seller, `/orders/${order}`), 200);

    // Instead of waiting for the next try it is brought forward, and what was left of the wait is
    // counted.
    let waited = 0;
    const bringForward = async () => {
      const [job] = await query(
        own,
        `with next as (select id, start_after from queue.job where name = 'hint' and state = 'created' and start_after > now())
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
    assert.ok(
      await eventually(isOverAnHour, 180_000, 20),
      `given up after ${Math.round(waited)} s`,
    );
    there.faults.stop();

    assert.ok(await eventually(isRecorded, 60_000, 20), 'given up at last');
    assert.deepEqual(await idsAt(own), [order]);
  });
});

test('while a marketplace does not answer no webhook calls it, and the sync run afterwards brings their changes', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const { own, seller, there } = await openApart(end);
  const [kept, gone] = [sell(seller), sell(seller)];
  await own.app.worker?.tick();
  await jobsDone(own);
  assert.equal((await idsAt(own)).length, 2);
  own.clock.advance({ hours: 2 });
  there.faults.next({ kind: 'server_error', times: 10_000 });
  await own.app.worker?.tick();
  await jobsDone(own);
  const asked = there.requests.length;
  const fresh = sell(seller);
  // No search shows a cancellation.
  seller.world.cancel(gone);

  for (const order of [fresh, gone])
    assert.equal(await notify(own, seller, `/orders/${order}`), 200);
  await jobsDone(own);
  assert.equal(there.requests.length, asked, 'no call is made while the circuit breaker is open');
  assert.deepEqual(await outcomesOf(own, own.organization.id), { deferred: 2 });
  there.faults.stop();
  // The first of the runs finds out that there is an answer again; the others follow.
  for (let minute = 0; minute < 3; minute++) {
    own.clock.advance({ minutes: 1 });
    await own.app.worker?.tick();
    await jobsDone(own);
  }

  const { data } = (await own.api('/v1/orders')).body;
  const statuses = new Map(
    data.map(({ id, status }: { id: string; status: string }) => [id, status]),
  );
  assert.deepEqual([...statuses.keys()].toSorted(), [fresh, gone, kept].toSorted());
  assert.equal(statuses.get(gone), 'cancelled');
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
  const shop = await openShop(instance);
  const seller = market.newSeller();
  await connectAccount(instance, shop.organization.id, market.credentials(seller.id));
  return { shop, seller };
}

/** An instance that only receives, and on demand one beside it that works. */
async function openPair(t: Ending) {
  const end = lastFirst(t);
  const database = await freshDatabase();
  const env = { ...market.env, REDIS_URL: NO_REDIS };
  const receiver = await openApp(end, { clock, database, env: { ...env, ROLE: 'api' } });
  const { MASTER_KEY = '' } = receiver.env;
  return {
    receiver,
    worker: () => openApp(end, { clock, database, env: { ...env, MASTER_KEY, ROLE: 'worker' } }),
  };
}

/** An instance, a clock and a market of its own. */
async function openApart(end: Ending) {
  const apart = turnedClock();
  const there = await openMarket(end, apart);
  const own = await openApp(end, { clock: apart, database: await freshDatabase(), env: there.env });
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

async function idsAt(own: TestApp): Promise<string[]> {
  return (await own.api('/v1/orders')).body.data.map(({ id }: { id: string }) => id);
}

/** Every order in full, without fields that depend on notifications. */
async function everyOrderOf(own: TestApp): Promise<Map<string, Record<string, unknown>>> {
  await own.setPlan('experto', 10_000);
  const found = new Map<string, Record<string, unknown>>();
  for (let cursor: string | null = null; ; ) {
    const { body } = await own.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) });
    for (const { id } of body.data) {
      const { last_updated, status_history, connection_id, ...order } = (
        await own.api(`/v1/orders/${id}`)
      ).body.data;
      assert.ok(last_updated && status_history && connection_id);
      found.set(id, order);
    }
    cursor = body.pagination.next_cursor;
    if (cursor === null) return found;
  }
}

/** Without the times that no shipment has: they depend on the notifications received. */
function withoutSeen(order: Record<string, unknown>): object {
  const shipping = order.shipping as object | null;
  return { ...order, shipping: shipping && { ...shipping, shipped_at: null, delivered_at: null } };
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
  const [row] = await query(instance, 'select count(*)::int as count from receipts');
  return row?.count as number;
}

async function hintsWaiting(own: TestApp): Promise<number> {
  return (await query(own, "select from queue.job where name = 'hint' and state = 'created'"))
    .length;
}

/** Webhooks that were counted instead of kept. */
async function mergedAt(own: TestApp): Promise<number> {
  const text = "select coalesce(sum(pushes), 0)::int as count from receipts where body = ''";
  return (await query(own, text))[0]?.count as number;
}

async function waitingHints(own: TestApp) {
  return query(
    own,
    "select priority, start_after > now() as is_later from queue.job where name = 'hint' and state = 'created'",
  );
}

async function failedJobs(own: TestApp): Promise<number> {
  return (
    await query(
      own,
      "select from queue.job where name = 'hint' and (state = 'failed' or retry_count > 0)",
    )
  ).length;
}

async function post(
  url: string,
  shop: { credentials(): { user_id: number }; application: { clientId: string } },
  order: string,
): Promise<number> {
  const body = JSON.stringify({
    resource: `/orders/${order}`,
    topic: 'orders_v2',
    user_id: shop.credentials().user_id,
    application_id: shop.application.clientId,
  });
  const answer = await fetch(url + RECEIVER, { method: 'POST', body });
  await answer.arrayBuffer();
  return answer.status;
}

async function jobsActive(client: pg.Client): Promise<number> {
  return (
    (await client.query("select from queue.job where name = 'hint' and state = 'active'"))
      .rowCount ?? 0
  );
}

async function recorded(client: pg.Client): Promise<number> {
  return (await client.query("select from receipts where outcome = 'recorded'")).rowCount ?? 0;
}
