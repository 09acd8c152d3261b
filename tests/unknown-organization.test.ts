import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { followUpOf } from '../src/exchange/sync/follow-up.ts';
import { recordCfdis, setFiscalProfile } from '../src/features/cfdi/index.ts';
import { findProblems } from '../src/features/findings/index.ts';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import { recordEvents, settleWaiting } from '../src/features/shipments/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { refreshStatistics } from '../src/platform/db/statistics.ts';
import { eventually } from './reliability/support/processes.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { ACCOUNT, RFC } from './support/findings.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { atDatabase, freshDatabase } from './support/server.ts';

// A new organisation with very many rows, of which the statistics know nothing: the planner then
// believes that there are none, and any index that begins with the organisation looks as good to it
// as the right one. Also runs on served PostgreSQL and Redis.

const PARCELS = 5_000;
const EVENTS = 20;
const ORDERS = 2_000;
const PAGE = 50;
const INVOICES = 400;
/** A row is looked at a few times: to be found, locked, changed and presented. */
const MOST_READ_OF_EACH = 10;
/** So few may as well be read all together, once. */
const SOON_READ = ORDERS + PAGE;

test('webhooks find their parcels by number, and applying reads those alone', async (t) => {
  const instance = await withParcels(t);

  const taking = await rowsRead(instance, (scope) =>
    recordEvents(scope, 'paquetexpress', eventsAt(instance, EVENTS)),
  );
  const following = followUpOf(instance.app.exchange, false);
  const settling = await rowsRead(instance, (scope) => settleWaiting(scope, following));

  for (const read of [taking, settling]) assertFew(read, 'shipments', EVENTS);
});

test('what a webhook of very many events moves is applied a hundred at a time, all of it', async (t) => {
  const instance = await withParcels(t);
  const organization = instance.app.database.within(instance.organization.id);
  const following = followUpOf(instance.app.exchange, false);
  const large = eventsAt(instance, 250);

  await organization.write((scope) => recordEvents(scope, 'paquetexpress', large.slice(0, 7)));
  await organization.write((scope) => recordEvents(scope, 'paquetexpress', large));
  const settled: number[] = [];
  for (let more = 1; more > 0; settled.push(more))
    more = await organization.write((scope) => settleWaiting(scope, following));

  // The seven were taken before, and are known.
  assert.deepEqual(settled, [100, 100, 50, 0]);
  const moved = await organization.read((scope) =>
    scope.rows(scope.select('shipments').select('id').where('category', '=', 'EN_TRANSITO')),
  );
  assert.equal(moved.length, 250);
});

test('a page of orders reads these orders alone when the statistics know only others', {
  tags: ['slow'],
}, async (t) => {
  const { instance, database } = await unvacuumed(t);
  const others = await instance.tenant();
  await instance.record(ordersFrom(0, ORDERS), others.organization.id);
  await atDatabase(database, (client) => client.query('analyze'));
  for (let at = 0; at < ORDERS; at += PAGE) await instance.record(ordersFrom(at, PAGE));

  assertFew(await pageRead(instance), 'orders', PAGE);
});

test('in a new instance a page of orders looks for these orders alone, before anything is known of the tables', {
  tags: ['slow'],
}, async (t) => {
  const { instance } = await unvacuumed(t);
  for (let at = 0; at < ORDERS; at += PAGE) await instance.record(ordersFrom(at, PAGE));

  const read = await pageRead(instance);

  assertFew(new Map([['orders', read.get('orders') ?? 0]]), 'orders', PAGE);
});

test('a page of orders reads these orders alone in a new instance once the worker looked at its tables', {
  tags: ['slow'],
}, async (t) => {
  const { instance } = await unvacuumed(t);
  for (let at = 0; at < ORDERS; at += PAGE) await instance.record(ordersFrom(at, PAGE));

  // A connection reports at most once a second what it wrote, and else when it was idle for ten.
  await sleep(1_100);
  await instance.record(ordersFrom(ORDERS, 1));
  const looked = new Set<string>();
  const isDone = await eventually(async () => {
    for (const table of await refreshStatistics(instance.app.database)) looked.add(table);
    return ['orders', 'order_history', 'warehouse_lines', 'warehouse_line_orders'].every((table) =>
      looked.has(table),
    );
  }, 60_000);

  assert.ok(isDone, [...looked].join());
  assertFew(await pageRead(instance), 'orders', PAGE);
  assert.deepEqual(await refreshStatistics(instance.app.database), []);
});

test('findings look for what substitutes an invoice among its relations, before anything is known of the tables', {
  tags: ['slow'],
}, async (t) => {
  const { instance } = await unvacuumed(t);
  const { orderListeners, announce } = instance.app.exchange;
  const invoices = Array.from({ length: INVOICES }, (_, n) =>
    readCfdi(Buffer.from(aCfdi({ uuid: folioOf(n), issuer: RFC }))),
  );
  const profile = { person: 'natural', regime: '625', hasBorderVat: false, rfcs: [RFC] } as const;
  await instance.app.database.within(instance.organization.id).write(async (scope) => {
    await setFiscalProfile(scope, 'operator', profile);
    await recordCfdis(scope, 'upload', invoices, [...orderListeners, announce]);
  });

  const read = await rowsRead(instance, (scope) =>
    findProblems(scope, ACCOUNT, 'America/Mexico_City'),
  );

  assertFew(read, 'cfdis', INVOICES);
});

// Arrangement

/** A new organisation with its parcels, and statistics of others alone. */
async function withParcels(t: Parameters<typeof openApp>[0]): Promise<TestApp> {
  const { instance, database } = await unvacuumed(t);
  const others = await instance.tenant();
  await atDatabase(database, async (client) => {
    await client.query(FILL_SHIPMENTS, [others.organization.id, PARCELS]);
    await client.query('analyze');
    await client.query(FILL_SHIPMENTS, [instance.organization.id, PARCELS]);
  });
  return instance;
}

function eventsAt({ clock }: TestApp, count: number) {
  return Array.from({ length: count }, (_, n) => ({
    trackingNumber: `R${n + 1}`,
    code: 'HCA',
    occurredAt: clock.now().subtract({ hours: 1 }),
    category: 'EN_TRANSITO' as const,
    description: null,
    location: null,
    raw: '{}',
  }));
}

/** An instance whose statistics are only made when the test says so. */
async function unvacuumed(
  t: Parameters<typeof openApp>[0],
): Promise<{ instance: TestApp; database: string }> {
  const database = await freshDatabase();
  const instance = await openApp(t, { database });
  await atDatabase(database, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of rows)
      await client.query(`alter table ${name} set (autovacuum_enabled = off)`);
  });
  return { instance, database };
}

/** A page of which half is known already. */
function pageRead(instance: TestApp): Promise<ReadonlyMap<string, number>> {
  const { orderListeners, announce } = instance.app.exchange;
  const page = ordersFrom(ORDERS - PAGE / 2, PAGE, { status: 'shipped' });
  return rowsRead(instance, (scope) => recordOrders(scope, page, [...orderListeners, announce]));
}

/** How many rows a verb read of each table. */
async function rowsRead(
  { app: instance, organization }: TestApp,
  verb: (scope: WriteScope) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  return instance.database.within(organization.id).write(async (scope) => {
    // What this connection read before, and has not reported yet, is counted, too.
    const before = await readSoFar(scope);
    await verb(scope);
    const after = await readSoFar(scope);
    return new Map([...after].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)]));
  });
}

async function readSoFar({ handle }: WriteScope): Promise<Map<string, number>> {
  const rows = await handle.sql(
    `select relname as name, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
       from pg_stat_xact_user_tables`,
    [],
  );
  return new Map((rows as { name: string; read: number }[]).map(({ name, read }) => [name, read]));
}

function assertFew(read: ReadonlyMap<string, number>, ofInterest: string, count: number): void {
  const some = [...read].filter(([, rows]) => rows > 0);
  assert.ok((read.get(ofInterest) ?? 0) >= count / 2, JSON.stringify(some));
  assert.ok(
    some.every(([, rows]) => rows <= Math.max(count * MOST_READ_OF_EACH, SOON_READ)),
    JSON.stringify(some),
  );
}

/** Each with a pack, a tag and a product of its own. */
function ordersFrom(first: number, count: number, given: Partial<Order> = {}): Order[] {
  return Array.from({ length: count }, (_, n) => {
    const id = String(2_000_000_000_000_000 + first + n);
    const items = anOrder().items.map((item) => ({ ...item, sku: id }));
    return anOrder({ id, packId: `P${id}`, tags: [`pedido-${id}`], items, ...given });
  });
}

const FILL_SHIPMENTS = `
  insert into shipments (organization_id, connection_id, carrier, account_id, id, tracking_number, guide_number, category,
    carrier_status, is_final, is_damaged, currency, created_at, packages, relations, fetched_at, recorded_at, updated_at,
    fingerprint, raw)
  select $1::uuid, $1::uuid, 'paquetexpress', 'A', 'R' || n, 'R' || n, 'R' || n, 'PREPARANDO', '', false, false, 'MXN',
    now() - n * interval '1 minute', '[]', '[]', now(), now(), now(), '', '{}'
    from generate_series(1, $2::int) n`;
