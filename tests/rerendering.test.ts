import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { App } from '../src/app/app.ts';
import { AMOUNTS } from '../src/connectors/contract.ts';
import { disconnectAccount } from '../src/exchange/connect/disconnect.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { rerenderDue } from '../src/exchange/sync/rerender.ts';
import { listSetAside } from '../src/features/connections/index.ts';
import {
  annotate,
  documentsOf,
  forgetBuyers,
  forgetDocuments,
  type Order,
  recordOrders,
  rerenderNext,
} from '../src/features/orders/index.ts';
import { fingerprintOf } from '../src/features/orders/order.ts';
import { keysAfter } from '../src/features/orders/store-rerendering.ts';
import { recountSales } from '../src/features/sales/index.ts';
import { openClient } from './reliability/support/ground.ts';
import { eventually, lastFirst, NO_REDIS, startInstance } from './reliability/support/processes.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, environmentOf, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { logInto } from './support/log.ts';
import { connectAccount, openMarket, query, type Seller, sell, syncNow } from './support/market.ts';
import { plansOf } from './support/plan.ts';
import { freshDatabase, someoneWaits } from './support/server.ts';

// After a release that shows orders otherwise, stored orders are read again from their documents.
// Also runs on served PostgreSQL and Redis.

const clock = turnedClock();
const market = await openMarket(WHOLE_FILE, clock, { tokenSeconds: 10_000 * 3_600 });
const SHARED = { REDIS_URL: NO_REDIS };
/** Orders of one step. */
const STEP = 25;

test('stored orders say what their documents read today; sums follow, and customers are not notified', async (t) => {
  const { own, ids, seller } = await openStage(t, { orders: 3 });
  seller.world.ship(ids[0] as string);
  clock.advance({ minutes: 10 });
  await syncNow(own, own.organization.id);
  const right = await details(own);
  const orders = await listed(own);
  const events = await query(own, 'select from events');
  await age(own);
  assert.notDeepEqual(
    withoutStamp(await details(own)),
    withoutStamp(right),
    'the stored ones differ',
  );
  const before = await asOf(own);

  clock.advance({ minutes: 1 });
  await rerender(own);

  assert.deepEqual(withoutStamp(await details(own)), withoutStamp(right));
  assert.deepEqual(withoutStamp(await listed(own)), withoutStamp(orders));
  assert.deepEqual(
    (await changedSince(own, before)).toSorted(),
    ids.toSorted(),
    'a poller gets them',
  );
  assert.equal((await query(own, 'select from events')).length, events.length);
  assert.equal((await recount(own)).differing, 0);
  assert.deepEqual(await progress(own), {
    total: 3,
    visited: 3,
    changed: 3,
    undocumented: 0,
    unreadable: 0,
  });
});

test('an order that reads as it is stored does not move, and is looked at once', async (t) => {
  const { own } = await openStage(t, { orders: 3 });
  const [before, stamp] = [await listed(own), await asOf(own)];
  await query(own, 'update orders set representation = 0');

  clock.advance({ minutes: 1 });
  await rerender(own);

  assert.deepEqual(await listed(own), before);
  assert.equal(await asOf(own), stamp);
  assert.deepEqual(await stale(own), []);
});

test('a list text that is rendered otherwise moves its order, too', {
  tags: ['slow'],
}, async (t) => {
  const { own } = await openStage(t, { orders: 1 });
  const before = await listed(own);
  await query(
    own,
    `update orders set representation = 0, list_json = replace(list_json, '"sku":', '"clave":')`,
  );

  clock.advance({ minutes: 1 });
  await rerender(own);

  const after = await listed(own);
  assert.deepEqual(withoutStamp(after), withoutStamp(before));
  assert.ok(after[0].last_updated > before[0].last_updated);
});

test('orders are rendered anew evenly over the hours of the setting, and then nothing is scheduled', {
  tags: ['slow'],
}, async (t) => {
  const { own } = await openStage(t, { orders: 0, env: { RERENDER_HOURS: '8' } });
  await own.record(
    Array.from({ length: 200 }, (_, number) => anOrder({ id: `${1_000 + number}` })),
  );
  await age(own);

  const left = [];
  for (let hour = 0; hour <= 8; hour += 2) {
    await rerender(own);
    left.push((await stale(own)).length);
    clock.advance({ hours: 2 });
  }

  assert.deepEqual(left, [175, 125, 75, 25, 0]);
  await rerender(own);
  assert.deepEqual(await query(own, "select from schedules where task = 'rerender'"), []);
});

test('the schedule runs it: the first housekeeping plans it, and each minute does what is due', {
  tags: ['slow'],
}, async (t) => {
  const { own, connectionId, ids } = await openStage(t, { orders: 2 });
  await disconnectAccount(own.app.exchange, own.organization.id, connectionId);
  await age(own);

  const { worker } = own.app;
  for (let minute = 0; minute < 5 && (await stale(own)).length > 0; minute++) {
    await worker?.tick();
    await noJobs(own);
    clock.advance({ minutes: 1 });
  }

  assert.deepEqual(await stale(own), []);
  assert.equal(
    (await progress(own))?.changed,
    ids.length,
    'also of an account that was disconnected',
  );
});

test('a later version of an order stays', { tags: ['slow'] }, async (t) => {
  const { own, seller, ids } = await openStage(t, { orders: 2 });
  await age(own);
  clock.advance({ minutes: 10 });
  seller.world.ship(ids[0] as string);
  await syncNow(own, own.organization.id);
  const shipped = (await listed(own)).find(({ id }) => id === ids[0]);

  clock.advance({ minutes: 1 });
  await rerender(own);

  const after = await listed(own);
  assert.equal(shipped.status, 'shipped');
  assert.deepEqual(
    after.find(({ id }) => id === ids[0]),
    shipped,
  );
  assert.notEqual(after.find(({ id }) => id === ids[1]).total, 1);
});

test('a version that is being recorded while a step begins is waited for, and wins', {
  tags: ['slow'],
}, async (t) => {
  const { own, ids, accountId, connectionId } = await openStage(t, { orders: 1 });
  const [id] = ids as [string];
  await age(own);
  await runHousekeeping(own.app.exchange);
  const now = clock.now();
  const newer = {
    id,
    accountId,
    connectionId,
    status: 'cancelled',
    changedAt: now,
    fetchedAt: now,
    raw: null,
  } as const;

  let step: Promise<unknown> | undefined;
  await within(own).write(async (scope) => {
    await recordOrders(scope, [anOrder(newer)]);
    step = rerenderDue(own.app.exchange);
    await someoneWaits(own.app.database);
  });
  await step;

  const [order] = await listed(own);
  assert.equal(order.status, 'cancelled');
  assert.deepEqual(await stale(own), []);
});

test('an order with a later change without a document keeps it', { tags: ['slow'] }, async (t) => {
  const { own, ids, accountId, connectionId } = await openStage(t, { orders: 1 });
  clock.advance({ minutes: 1 });
  const gone = {
    id: ids[0] as string,
    accountId,
    connectionId,
    status: 'cancelled',
    raw: null,
  } as const;
  await own.record([anOrder({ ...gone, changedAt: clock.now(), fetchedAt: clock.now() })]);
  for (const known of ['told_at', 'null']) {
    const before = await details(own);
    await query(own, `update orders set representation = 0, told_at = ${known}`);
    await again(own);

    await rerender(own);

    assert.deepEqual(await details(own), before, known);
  }
  assert.equal(((await details(own))[0] as { status: string }).status, 'cancelled');
});

test('an order keeps its version: what was older before is older afterwards', async (t) => {
  const { own, ids, accountId, connectionId } = await openStage(t, { orders: 1 });
  clock.advance({ minutes: 10 });
  const later = clock.now();
  // The same content with a later change time moves the version alone.
  await query(own, `update orders set changed_at = '${later}'`);
  await age(own);
  clock.advance({ minutes: 1 });
  await rerender(own);

  const older = {
    changedAt: later.subtract({ seconds: 1 }),
    fetchedAt: clock.now(),
    status: 'cancelled',
  } as const;
  await own.record([anOrder({ id: ids[0] as string, accountId, connectionId, ...older })]);

  assert.equal((await listed(own))[0].status, 'paid');
});

test('a buyer who was forgotten stays forgotten, also while documents of theirs are still there', async (t) => {
  const { own, ids, accountId } = await openStage(t, { orders: 2 });
  const account = { marketplace: 'mercado_libre', accountId } as const;
  await within(own).write((scope) =>
    forgetBuyers(scope, account, ids, { forGood: true, listeners: [] }),
  );
  await within(own).write((scope) => forgetDocuments(scope, account, [ids[0] as string]));
  await age(own);

  clock.advance({ minutes: 1 });
  await rerender(own);

  const after = await listed(own);
  assert.deepEqual(
    after.map(({ buyer_name }) => buyer_name),
    [null, null],
  );
  assert.deepEqual(
    after.map(({ id, total }) => [id, total === 1]).toSorted(),
    [
      [ids[0], true],
      [ids[1], false],
    ].toSorted(),
    'of one nothing is left to read',
  );
});

test('what others than the marketplace know of an order stays', async (t) => {
  const { own, ids, accountId, seller } = await openStage(t, { orders: 1 });
  const [id] = ids as [string];
  const order = { marketplace: 'mercado_libre', accountId, id } as const;
  const parcel = {
    carrier: 'Estafeta',
    trackingNumber: 'E1',
    method: null,
    status: null,
    shippedAt: null,
    deliveredAt: null,
  };
  await within(own).write((scope) =>
    annotate(scope, [{ order, annotation: { shipping: parcel } }], []),
  );
  const carried = ((await details(own))[0] as { shipping: object }).shipping;
  // An older reading did not know that it was shipped.
  clock.advance({ minutes: 10 });
  seller.world.ship(id);
  await syncNow(own, own.organization.id);
  const right = await details(own);
  await age(
    own,
    (json) => json.replace('"status":"shipped"', '"status":"paid"'),
    "status = 'paid'",
  );

  clock.advance({ minutes: 10 });
  await rerender(own);

  assert.deepEqual(carried, { ...carried, tracking_number: 'E1' });
  const [after] = await details(own);
  const { status_history: passed, last_updated: _stamp, ...now } = after as Record<string, unknown>;
  const {
    status_history: _before,
    last_updated: _then,
    ...then
  } = right[0] as Record<string, unknown>;
  assert.deepEqual(now, then);
  assert.equal((passed as { status: string }[]).at(-1)?.status, 'shipped');
});

test('an order that was annotated before its turn is still read from its document', async (t) => {
  const { own, ids, accountId } = await openStage(t, { orders: 1 });
  const [id] = ids as [string];
  const right = await details(own);
  await age(own);
  const parcel = {
    carrier: 'Estafeta',
    trackingNumber: 'E1',
    method: null,
    status: null,
    shippedAt: null,
    deliveredAt: null,
  };
  const order = { marketplace: 'mercado_libre', accountId, id } as const;
  await within(own).write((scope) =>
    annotate(scope, [{ order, annotation: { shipping: parcel } }], []),
  );

  clock.advance({ minutes: 10 });
  await rerender(own);

  const [before, after] = [...right, ...(await details(own))] as [
    { total: unknown },
    { total: unknown; shipping: { tracking_number: string } },
  ];
  assert.equal(after.total, before.total);
  assert.equal(after.shipping.tracking_number, 'E1');
});

test('an order that reads with another status has no invented times, and keeps those that were seen', async (t) => {
  const { own } = await openStage(t, { orders: 0 });
  const untimed = { dateClosed: null } as const;
  await own.record([anOrder({ ...untimed, id: 'first', raw: 'first', status: 'shipped' })]);
  for (const [hour, status] of (['paid', 'shipped', 'delivered'] as const).entries()) {
    const at = Temporal.Instant.from(`2026-11-15T${13 + hour}:00:00Z`);
    await own.record([
      anOrder({ ...untimed, id: 'seen', raw: 'seen', status, changedAt: at, fetchedAt: at }),
    ]);
  }
  await query(own, 'update orders set representation = 0');

  await renderFrom(own, (id) => ({
    ...untimed,
    id,
    status: 'delivered',
    marketplaceStatus: 'Entregado',
  }));

  // biome-ignore lint/suspicious/noExplicitAny: as the API gave them
  const times = (await details(own)).map(({ id, status, date_closed, shipping }: any) => [
    ...[id, status, date_closed],
    ...[shipping?.shipped_at ?? null, shipping?.delivered_at ?? null],
  ]);
  const [shipped, delivered] = ['2026-11-15T14:00:00.000Z', '2026-11-15T15:00:00.000Z'];
  assert.deepEqual(times.toSorted(), [
    ['first', 'delivered', null, null, null],
    ['seen', 'delivered', delivered, shipped, delivered],
  ]);
});

test('money that a document lacks stays as an earlier one had it', async (t) => {
  const { own } = await openStage(t, { orders: 0 });
  await own.record([anOrder({ raw: '{}' })]);
  await query(own, 'update orders set representation = 0');

  await renderFrom(own, () => ({
    total: null,
    subtotal: null,
    keep: AMOUNTS,
    paymentStatus: 'refunded',
  }));

  const [order] = (await details(own)) as {
    total: number;
    subtotal: number;
    payment_status: string;
  }[];
  assert.deepEqual(
    [order?.total, order?.subtotal, order?.payment_status],
    [259.9, 259.9, 'refunded'],
  );
});

test('orders of a marketplace whose documents cannot be read alone keep what they say', async (t) => {
  const { own } = await openStage(t, { orders: 0 });
  await own.record([anOrder({ raw: '{}' })]);
  const before = await details(own);
  await query(own, 'update orders set representation = 0');

  const done = await renderFrom(own, null);

  assert.deepEqual(await details(own), before);
  assert.deepEqual([done.undocumented, done.changed, await stale(own)], [1, 0, []]);
});

test('a process that is killed in the middle of a step leaves nothing half done, and the next one does it', {
  tags: ['slow'],
  timeout: 90_000,
}, async (t) => {
  const { own, ids, connectionId } = await openStage(t, { orders: 5, env: SHARED });
  await disconnectAccount(own.app.exchange, own.organization.id, connectionId);
  await age(own);
  const { MASTER_KEY = '' } = own.env;
  const database = environmentOf(own.database);
  const end = lastFirst(t);

  const held = await openClient(end, database.DATABASE_URL as string);
  await held.query('begin; lock table sales_days in access exclusive mode');
  const killed = await startInstance(end, { ...database, ...SHARED, MASTER_KEY });
  await someoneWaits(own.app.database);
  await killed.end('SIGKILL');
  await held.query('rollback');
  assert.equal((await stale(own)).length, ids.length);
  assert.equal((await progress(own))?.visited, 0);
  await startInstance(end, { ...database, ...SHARED, MASTER_KEY });

  assert.ok(await eventually(async () => (await stale(own)).length === 0, 120_000, 50));
  assert.deepEqual(await progress(own), {
    total: 5,
    visited: 5,
    changed: 5,
    undocumented: 0,
    unreadable: 0,
  });
  assert.equal((await recount(own)).differing, 0);
});

test('an imported order keeps what it says, and shows the fields that there are today', async (t) => {
  const { own } = await openStage(t, { orders: 0 });
  await own.record([anOrder({ id: '7', raw: null })]);
  const before = await details(own);
  await age(own, (json) => json.replace('"refunded_total":null,', ''));
  await again(own);

  clock.advance({ minutes: 1 });
  await rerender(own);

  const [after] = (await details(own)) as Record<string, unknown>[];
  assert.deepEqual([after?.total, after?.refunded_total], [1, null]);
  assert.deepEqual(Object.keys(after ?? {}), Object.keys(before[0] as object));
  assert.deepEqual(await progress(own), {
    total: 1,
    visited: 1,
    changed: 1,
    undocumented: 1,
    unreadable: 0,
  });
});

test('a document that cannot be read any more is set aside and costs no other; it is not tried again', async (t) => {
  const { own, ids, connectionId } = await openStage(t, { orders: 2 });
  await garble(own, ids[0] as string);
  await age(own);

  clock.advance({ minutes: 1 });
  await rerender(own);
  await rerender(own);

  const aside = await within(own).read(listSetAside);
  assert.deepEqual(
    aside.map(({ externalId, path }) => [externalId, path]),
    [[ids[0], 'date_created']],
  );
  const [item] = await query(own, 'select times, connection_id from unreadable_items');
  assert.deepEqual(item, { times: 1, connection_id: connectionId });
  const totals = (await listed(own)).map(({ id, total }) => [id, total === 1]);
  assert.deepEqual(
    totals.toSorted(),
    [
      [ids[0], true],
      [ids[1], false],
    ].toSorted(),
  );
  assert.deepEqual(await stale(own), []);
  assert.deepEqual(await progress(own), {
    total: 2,
    visited: 2,
    changed: 2,
    undocumented: 0,
    unreadable: 1,
  });
});

test('an order that the database refuses stays as it is, and those beside it are rendered', async (t) => {
  const { own, ids } = await openStage(t, { orders: 3 });
  await age(own);
  await query(
    own,
    `alter table orders add constraint refused check (id <> '${ids[1]}' or total = 1)`,
  );

  await rerender(own);
  clock.advance({ hours: 24 });
  await rerender(own);

  const totals = (await listed(own)).map(({ id, total }) => [id, total === 1]);
  assert.deepEqual(totals.toSorted(), ids.map((id) => [id, id === ids[1]]).toSorted());
  assert.deepEqual(await stale(own), []);
  assert.equal((await progress(own))?.unreadable, 1);
});

test('a step that fails puts its organisation off and raises an alert; the others go on', {
  tags: ['slow'],
}, async (t) => {
  const { own } = await openStage(t, { orders: 1 });
  const other = await own.tenant();
  await own.record([anOrder()], other.organization.id);
  await age(own);
  const [mine, theirs] = [own.organization.id, other.organization.id];
  await query(
    own,
    `alter table orders add constraint failing check (organization_id <> '${mine}' or representation = 0)`,
  );

  await rerender(own);
  const alerts = () =>
    query(
      own,
      "select subject, resolved_at is null as stands from alerts where kind = 'rerendering'",
    );
  assert.deepEqual(await alerts(), [{ subject: mine, stands: true }]);
  assert.deepEqual(await stale(own, theirs), []);

  await query(own, 'alter table orders drop constraint failing');
  clock.advance({ minutes: 5 });
  await rerender(own);
  assert.deepEqual(await alerts(), [{ subject: mine, stands: false }]);
  assert.deepEqual(await stale(own), []);
});

test('what one process began another goes on with, and nothing is done twice', {
  tags: ['slow'],
}, async (t) => {
  const { own } = await openStage(t, { orders: 0, env: SHARED });
  await own.record(
    Array.from({ length: 120 }, (_, number) => anOrder({ id: `${1_000 + number}` })),
  );
  await age(own);
  await rerender(own);
  const first = await stamps(own);
  assert.equal(first.length, STEP);

  const second = await openApp(t, {
    clock,
    database: own.database,
    env: { ...market.env, ...SHARED },
  });
  clock.advance({ hours: 24 });
  await rerender({ ...own, app: second.app });

  const all = await stamps(own);
  assert.equal(all.length, 120);
  assert.deepEqual(
    all.filter((row) => first.includes(row)),
    first,
    'the first ones did not move again',
  );
});

test('several processes share the work', { tags: ['slow'] }, async (t) => {
  const { own } = await openStage(t, { orders: 0, env: SHARED });
  const shops = [own.organization.id];
  while (shops.length < 4) shops.push((await own.tenant()).organization.id);
  for (const shop of shops)
    await own.record(
      Array.from({ length: 130 }, (_, number) => anOrder({ id: `${1_000 + number}` })),
      shop,
    );
  await age(own);
  const second = await openApp(t, {
    clock,
    database: own.database,
    env: { ...market.env, ...SHARED },
  });
  await runHousekeeping(own.app.exchange);
  clock.advance({ hours: 24 });

  await Promise.all([own.app, second.app].map((instance) => rerenderDue(instance.exchange)));

  const rows = await query(
    own,
    'select total, visited, changed, ended_at is not null as ended from rerenderings',
  );
  assert.deepEqual(rows, Array(4).fill({ total: 130, visited: 130, changed: 130, ended: true }));
  const [clocks] = await query(
    own,
    'select count(distinct (organization_id, last_updated))::int as stamps from orders',
  );
  assert.equal(clocks?.stamps, 4 * 130);
});

test('the next orders are found by the primary key, however many there are', {
  tags: ['slow'],
}, async (t) => {
  const { own } = await openStage(t, { orders: 0 });
  await own.record(
    Array.from({ length: 1_500 }, (_, number) => anOrder({ id: `${10_000 + number}` })),
  );
  const place = {
    marketplace: 'mercado_libre',
    account_id: anOrder().accountId,
    order_id: '11000',
  };

  const plans = await plansOf(within(own), (scope) => keysAfter(scope, place, 1, 100));

  assert.deepEqual(plans, [{ read: 100, compared: 0, by: ['orders_pkey'] }]);
});

test('the log says when it begins and what it did', async (t) => {
  const lines: string[] = [];
  const { own } = await openStage(t, { orders: 2, lines });
  await age(own);
  await rerender(own);

  const reported = lines
    .map((line) => JSON.parse(line))
    .filter(({ message }) => /^rerendering/.test(message));
  const organization = own.organization.id;
  assert.deepEqual(reported, [
    { level: 'info', message: 'rerendering begun', organization, orders: 2 },
    {
      level: 'info',
      message: 'rerendering done',
      organization,
      orders: 2,
      changed: 2,
      undocumented: 0,
      unreadable: 0,
    },
  ]);
});

interface Stage {
  readonly own: TestApp & { readonly database: string };
  readonly seller: Seller;
  readonly accountId: string;
  readonly connectionId: string;
  readonly ids: readonly string[];
}

/** An instance with a connected account and so many orders of it. */
async function openStage(
  t: TestContext,
  { orders, env = {}, lines }: { orders: number; env?: Record<string, string>; lines?: string[] },
): Promise<Stage> {
  const database = await freshDatabase();
  const instance = await openApp(t, {
    clock,
    database,
    env: { ...market.env, ...env },
    ...(lines && { log: logInto(lines) }),
  });
  const own = { ...instance, database };
  const seller = market.newSeller();
  const connectionId = await connectAccount(
    own,
    own.organization.id,
    market.credentials(seller.id),
  );
  const ids = Array.from({ length: orders }, () => sell(seller));
  await syncNow(own, own.organization.id);
  return { own, seller, accountId: String(seller.id), connectionId, ids };
}

/** What is due is done by the jobs themselves. */
async function rerender({ app }: { app: App }): Promise<void> {
  await runHousekeeping(app.exchange);
  await rerenderDue(app.exchange);
}

/**
 * One step, in which each document reads as the order given for its id; null = it cannot be read
 * alone.
 */
function renderFrom(own: TestApp, orderOf: ((id: string) => Partial<Order>) | null) {
  return within(own).write((scope) =>
    rerenderNext(
      scope,
      { marketplace: '', account_id: '', order_id: '' },
      {
        read: (_, raw) => orderOf && { ok: true, item: anOrder(orderOf(raw)) },
        listeners: [],
        most: STEP,
      },
    ),
  );
}

/** Begins anew, as with the next release. */
async function again(own: TestApp): Promise<void> {
  await query(own, 'delete from rerenderings');
}

/**
 * What an older release would have stored: every total was 1, and `as` otherwise. The sums are of
 * these.
 */
async function age(own: TestApp, as = (json: string) => json, more = ''): Promise<void> {
  const older = (json: unknown) => as(String(json)).replace(/"total":[\d.]+/, '"total":1');
  for (const row of await query(
    own,
    'select organization_id, marketplace, account_id, id, list_json, detail_json from orders',
  )) {
    const detail = older(row.detail_json);
    await query(
      own,
      `update orders set representation = 0, total = 1, list_json = $5, detail_json = $6, fingerprint = $7 ${more && `, ${more}`}
        where organization_id = $1 and marketplace = $2 and account_id = $3 and id = $4`,
      [
        row.organization_id,
        row.marketplace,
        row.account_id,
        row.id,
        older(row.list_json),
        detail,
        fingerprintOf(detail),
      ],
    );
  }
  await recount(own);
}

/** Makes the stored document of an order an unreadable one; a former version kept it. */
async function garble(own: TestApp, id: string): Promise<void> {
  const [bundle] = (await query(
    own,
    'select account_id, order_ids from order_documents where order_ids @> array[$1::text]',
    [id],
  )) as [{ account_id: string; order_ids: string[] }];
  const account = { marketplace: 'mercado_libre', accountId: bundle.account_id } as const;
  const texts = bundle.order_ids.map(async (one) => {
    const [document] = await within(own).read((scope) =>
      documentsOf(scope, { ...account, id: one }),
    );
    const text = document?.text ?? '';
    return one === id ? text.replace(/"date_created":"[^"]+"/, '"date_created":"ayer"') : text;
  });
  await query(
    own,
    'update order_documents set documents = $2, is_sealed = false where order_ids @> array[$1::text]',
    [id, brotliCompressSync((await Promise.all(texts)).join('\u001e'))],
  );
}

async function recount(own: TestApp) {
  return within(own).write(recountSales);
}

async function progress(own: TestApp) {
  const [row] = await query(
    own,
    'select total, visited, changed, undocumented, unreadable from rerenderings where organization_id = $1',
    [own.organization.id],
  );
  return row;
}

async function stale(own: TestApp, organizationId = own.organization.id) {
  return query(own, 'select id from orders where organization_id = $1 and representation = 0', [
    organizationId,
  ]);
}

/** Orders of which the total was read again, with their stamps. */
async function stamps(own: TestApp): Promise<string[]> {
  const rows = await query(
    own,
    'select id, last_updated::text as stamp from orders where representation > 0 order by id',
  );
  return rows.map(({ id, stamp }) => `${id} ${stamp}`);
}

// biome-ignore lint/suspicious/noExplicitAny: as the API gave them
async function listed(own: TestApp): Promise<any[]> {
  return (await own.api('/v1/orders', { limit: 100 })).body.data;
}

async function details(own: TestApp): Promise<object[]> {
  const orders = await listed(own);
  return Promise.all(orders.map(async ({ id }) => (await own.api(`/v1/orders/${id}`)).body.data));
}

async function asOf(own: TestApp): Promise<string> {
  return (await own.api('/v1/orders', { limit: 1 })).body.meta.as_of;
}

async function changedSince(own: TestApp, since: string): Promise<string[]> {
  const { body } = await own.api('/v1/orders', { updated_since: since });
  return body.data.map(({ id }: { id: string }) => id);
}

function withoutStamp(orders: readonly object[]): object[] {
  return orders.map((order) => ({ ...order, last_updated: null }));
}

function within({ app: instance, organization }: TestApp) {
  return instance.database.within(organization.id);
}

async function noJobs(own: TestApp): Promise<void> {
  const waiting = "select from queue.job where state in ('created', 'retry', 'active') limit 1";
  for (let looks = 0; (await query(own, waiting)).length > 0; looks++) {
    assert.ok(looks < 12_000, 'jobs are still waiting');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
