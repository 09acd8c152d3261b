import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { recordOrders } from '../src/features/orders/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/query.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { connectAccount, notify, openMarket, outcomesOf, sell } from './support/market.ts';
import { openSender, push } from './support/paquetexpress.ts';
import { addressOf, ownDatabase } from './support/server.ts';

// Organisations share the connections that write: none waits for another's recording for long.
// Also runs on served PostgreSQL and Redis.

const WRITERS = 10;
/** What one organisation gets of them, however much it has to record. */
const SHARE = 8;
const clock = turnedClock();
const market = await openMarket(WHOLE_FILE, clock);
const instance = await openApp(WHOLE_FILE, { clock, env: market.env });
const { database } = instance.app;

test('an organisation whose recordings wait for one another keeps no other from recording', async (t) => {
  const { organization: busy } = await instance.tenant();
  const { organization: other } = await instance.tenant();
  for (const { id } of [busy, other]) await instance.record([anOrder()], id);
  const held = await hold(t, busy.id, (scope) =>
    scope.handle.sql('select 1 from delta_clocks where organization_id = $1 for update', [busy.id]),
  );
  let inside = 0;
  let most = 0;
  const recordNext = (index: number) =>
    database.within(busy.id).write(async (scope) => {
      most = Math.max(most, ++inside);
      return recordOrders(scope, [anOrder({ id: `n${index}` })]).finally(() => inside--);
    });
  const waiting = Array.from({ length: 20 }, (_, index) => recordNext(index));
  await seen(t, "wait_event_type = 'Lock'", SHARE - 1);

  await instance.record([anOrder({ id: 'theirs' })], other.id);

  assert.equal(
    most,
    SHARE - 1,
    'recordings of one organisation at a time, beside the one that holds',
  );
  assert.equal(held.isOver(), false);
  await held.end();
  const recorded = await Promise.all(waiting);
  assert.deepEqual(new Set(recorded.map(({ changed }) => changed)), new Set([1]));
});

test('a webhook is stored while recordings of others hold every connection that records', async (t) => {
  const seller = market.newSeller();
  const { organization } = await instance.tenant();
  await connectAccount(instance, organization.id, market.credentials(seller.id));
  const order = sell(seller);
  const sender = await openSender(instance, t);
  const event = { rastreo: '123456789', eventoId: 'TRN', fechahora: clock.now().epochMilliseconds };
  const all = await holdAll(t);

  const [notice, pushed] = await Promise.all([
    notify(instance, seller, `/orders/${order}`),
    push(sender.address, event),
  ]);

  assert.deepEqual([notice, pushed.status], [200, 200]);
  assert.equal(
    all.some(({ isOver }) => isOver()),
    false,
  );
  for (const held of all) await held.end();
  const outcomes = await outcomesOf(instance, organization.id);
  // A worker may have fetched it already.
  assert.equal(
    Object.values(outcomes).reduce((sum, many) => sum + many, 0),
    1,
    JSON.stringify(outcomes),
  );
});

test('the query of a caller who left is cancelled while every connection that records is held', async (t) => {
  await holdAll(t);
  const leaving = new AbortController();
  const slow = statement<object>('test.slow', 'select pg_sleep(14)');
  const read = database.read((handle) => handle.raw(slow, []), { signal: leaving.signal });
  const refused = assert.rejects(read);
  await seen(t, "query like '%pg_sleep(14)' and state = 'active'", 1);

  leaving.abort();
  // By itself it would go on for fourteen seconds.
  await seen(t, "query like '%pg_sleep(14)' and state = 'active'", 0);
  await refused;
});

test('a transaction that meets a lock that is held for long is tried again, its connection free meanwhile', async (t) => {
  const { organization } = await instance.tenant();
  await instance.record([anOrder()], organization.id);
  const lock = 'select 1 from delta_clocks where organization_id = $1 for update';
  const held = await hold(t, organization.id, (scope) => scope.handle.sql(lock, [organization.id]));
  let attempts = 0;

  const taken = await database.within(organization.id).write(async ({ handle }) => {
    if (++attempts === 3) await held.end();
    await handle.sql("set local lock_timeout = '50ms'", []);
    return handle.sql(lock, [organization.id]);
  });

  assert.deepEqual([taken.length, attempts], [1, 3]);
});

test('a lock that stays held is answered as 503 with Retry-After, not waited for without end', async (t) => {
  const { organization } = await instance.tenant();
  await instance.record([anOrder()], organization.id);
  const lock = 'select 1 from delta_clocks where organization_id = $1 for update';
  await hold(t, organization.id, (scope) => scope.handle.sql(lock, [organization.id]));
  let attempts = 0;

  const refused = database.within(organization.id).write(async ({ handle }) => {
    attempts++;
    await handle.sql("set local lock_timeout = '50ms'", []);
    return handle.sql(lock, [organization.id]);
  });

  await assert.rejects(refused, {
    code: 'service_unavailable',
    status: 503,
    headers: { 'retry-after': '1' },
  });
  assert.equal(attempts, 3);
});

test('what writes waits three seconds for a lock; a connection of one’s own, as for migrations, waits on', async (t) => {
  const show = 'show lock_timeout';
  const ofWrites = await database.write((handle) => handle.sql(show, []));
  const ofReceipts = await database.receipts.write((handle) => handle.sql(show, []));
  const own = await database.connect();
  t.after(() => own.end());

  assert.deepEqual([ofWrites, ofReceipts], [[{ lock_timeout: '3s' }], [{ lock_timeout: '3s' }]]);
  assert.deepEqual((await own.query(show)).rows, [{ lock_timeout: '0' }]);
});

interface Held {
  isOver(): boolean;
  end(): Promise<void>;
}

/** A transaction that stays open until it is ended, or the test is over. */
async function hold(
  t: TestContext,
  organizationId: string,
  first: (scope: WriteScope) => Promise<unknown> = async () => {},
): Promise<Held> {
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  let isOver = false;
  const work = database.within(organizationId).write(async (scope) => {
    await first(scope);
    begun.resolve();
    await ending.promise;
  });
  const over = work.finally(() => {
    isOver = true;
  });
  const end = async () => {
    ending.resolve();
    await over;
  };
  t.after(end);
  await Promise.race([begun.promise, over]);
  return { isOver: () => isOver, end };
}

/** Every connection that writes, each by an organisation of its own. */
async function holdAll(t: TestContext): Promise<Held[]> {
  const held: Held[] = [];
  for (let place = 0; place < WRITERS; place++) held.push(await hold(t, crypto.randomUUID()));
  return held;
}

/** Waits until so many sessions of the instance are so, as another session sees them. */
async function seen(t: TestContext, condition: string, count: number): Promise<void> {
  const address = addressOf(await ownDatabase());
  const client = new pg.Client(
    'url' in address ? { connectionString: address.url } : { ...address },
  );
  await client.connect();
  t.after(() => client.end());
  const look = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and ${condition}`;
  for (let looks = 0; looks < 500; looks++) {
    const { rows } = await client.query<{ count: number }>(look);
    if (rows[0]?.count === count) return;
    await sleep(10);
  }
  assert.fail(`not ${count} sessions with ${condition}`);
}
