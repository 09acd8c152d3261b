import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startWooCommerce } from '../simulators/woocommerce/index.ts';
import { startZipnova, type ZipnovaOptions } from '../simulators/zipnova/index.ts';
import type { ServiceSlug } from '../src/carriers/contract.ts';
import { connect } from '../src/exchange/connect/connect.ts';
import { disconnectAccount } from '../src/exchange/connect/disconnect.ts';
import { pauseAccount } from '../src/exchange/connect/pause.ts';
import { syncJob } from '../src/exchange/jobs/sync.ts';
import type { ExchangeParts } from '../src/exchange/parts.ts';
import { runStream } from '../src/exchange/sync/run-stream.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { openConnection } from '../src/exchange/wire/open-connection.ts';
import { hastenAll } from '../src/exchange/wire/refused-access.ts';
import {
  beginStream,
  connectionById,
  firstImports,
  lastRuns,
  listOffers,
  savePage,
} from '../src/features/connections/index.ts';
import { dueAt, schedule } from '../src/features/schedules/index.ts';
import { type Throttle, TooLongError } from '../src/platform/throttle.ts';
import { soon } from './spec/support/soon.ts';
import { openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { alertsOf, jobsDone, query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// A sync run gives its place back and goes on later; a limit or an outage stretches it and never
// puts it off for long. Also runs on served PostgreSQL and Redis.

const PAGE = 50;
const MINUTE_MS = 60_000;
/** More than an hour of waits. */
const MOST_TURNS = 200;
/** Without a worker of its own, so that jobs wait to be looked at. */
const QUIET = { ROLE: 'api', REDIS_URL: 'redis://127.0.0.1:1' };

test('a long import gives its place back after twenty pages, and goes on behind the runs that wait', {
  tags: ['slow'],
}, async (t) => {
  const { own, run, jobs, ids } = await openStore(t, { orders: 23 * PAGE, env: QUIET });

  const first = await run();
  assert.deepEqual([first?.pages, first?.isCut], [20, true]);
  const [next, ...others] = await jobs();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [next?.group_id, next?.group_tier, next?.priority, next?.state],
    [own.organization.id, 'woocommerce', 0, 'created'],
  );
  const after = (await ids()).length;
  assert.ok(after > 19 * PAGE && after <= 20 * PAGE, `${after} orders are stored`);

  const second = await run();
  assert.equal(second?.isCut, false);
  assert.equal((await ids()).length, 23 * PAGE);
  assert.equal((await jobs()).length, 1, 'a run that came to its end makes no other');
});

test('a slow store gives its place back after ten seconds', async (t) => {
  const { run, slowedBy } = await openStore(t, { orders: 15 * PAGE, env: QUIET });
  const parts = slowedBy(1_500);

  const report = await run(parts);

  assert.equal(report?.isCut, true);
  assert.ok((report?.pages ?? 0) >= 4 && (report?.pages ?? 0) <= 8, `${report?.pages} pages`);
});

test('pages that come in end an outage, although the run is cut short', {
  tags: ['slow'],
}, async (t) => {
  const { own, run, shop } = await openStore(t, { orders: 21 * PAGE, env: QUIET });
  const state = async () => (await query(own, 'select state from connections'))[0]?.state;
  const setbacks = async () =>
    (
      await query(
        own,
        "select setbacks from schedules where task = 'sync' and subject like '%:orders'",
      )
    )[0]?.setbacks;
  shop.faults.next({ kind: 'server_error', times: 3 });
  await run();
  assert.deepEqual([await state(), await setbacks()], ['delayed', 1]);
  own.clock.advance({ minutes: 1 });

  assert.equal((await run())?.isCut, true);

  assert.deepEqual([await state(), await setbacks()], ['ok', 0]);
});

test('a run that is cut short is not «al día», and one that ended is', {
  tags: ['slow'],
}, async (t) => {
  const { own, run } = await openStore(t, { orders: 21 * PAGE, env: QUIET });
  const isBehind = async () => {
    const [offer] = await own.app.database
      .within(own.organization.id)
      .read((scope) => listOffers(scope, 'orders'));
    return offer?.isBehind;
  };
  assert.equal(await isBehind(), true, 'never read yet');
  await run();
  assert.equal(await isBehind(), true, 'the first import is under way');
  await run();
  assert.equal(await isBehind(), false);

  own.clock.advance({ hours: 2 });
  const [row] = await query(own, "select connection_id from streams where stream = 'orders'");
  await own.app.database.within(own.organization.id).write(async (scope) => {
    const now = own.clock.now();
    await beginStream(scope, row?.connection_id as string, 'orders', { from: now, to: now });
  });
  assert.equal(await isBehind(), false, 'a run that has just begun is not behind');
  own.clock.advance({ minutes: 2 });
  assert.equal(await isBehind(), true, 'a sync run that was cut short is');
});

test('a first import says how much is left, at the pace so far', { tags: ['slow'] }, async (t) => {
  const { own, run, progress } = await openStore(t, { orders: 23 * PAGE, env: QUIET });
  assert.deepEqual(await progress(), []);
  await run();
  own.clock.advance({ minutes: 1 });
  const [first] = await progress();
  const { items = 0, total, to, perMinute, remainingSeconds } = first ?? {};
  assert.equal(total, 23 * PAGE);
  assert.ok(items > 19 * PAGE && items <= 20 * PAGE, `${items} rows`);
  const seconds = to?.until(own.clock.now()).total('seconds') ?? 0;
  assert.equal(perMinute, Math.round((items / seconds) * 60));
  assert.equal(remainingSeconds, Math.ceil((23 * PAGE - items) / (items / seconds)));
  await run();
  assert.deepEqual(await progress(), []);
});

test('a pace of less than ten seconds is no estimate', async (t) => {
  const { own, id, progress } = await openStore(t, { orders: 0, env: QUIET });
  const window = { from: null, to: own.clock.now() };
  await own.app.database.within(own.organization.id).write(async (scope) => {
    await beginStream(scope, id, 'orders', window);
    const page = { position: '2', largestSeen: null, items: 100, total: 700 };
    await savePage(scope, id, 'orders', page);
  });
  const estimate = async () =>
    (await progress()).map(({ perMinute, remainingSeconds }) => [perMinute, remainingSeconds]);
  own.clock.advance({ milliseconds: 9_999 });
  assert.deepEqual(await estimate(), [[null, null]], 'too young');
  own.clock.advance({ milliseconds: 1 });
  assert.deepEqual(await estimate(), [[600, 60]]);
});

test('a first import that has read all its rows says nothing of when it ends', async (t) => {
  const { own, id, progress } = await openStore(t, { orders: 0, env: QUIET });
  const window = { from: null, to: own.clock.now() };
  const store = (items: number) =>
    own.app.database.within(own.organization.id).write(async (scope) => {
      await savePage(scope, id, 'orders', { position: '2', largestSeen: null, items, total: 40 });
    });
  await own.app.database
    .within(own.organization.id)
    .write((scope) => beginStream(scope, id, 'orders', window));
  const estimate = async () =>
    (await progress()).map(({ items, remainingSeconds }) => [items, remainingSeconds]);
  await store(39);
  own.clock.advance({ seconds: 39 });
  assert.deepEqual(await estimate(), [[39, 1]]);
  await store(1);
  own.clock.advance({ minutes: 4 });
  assert.deepEqual(await estimate(), [[40, null]], 'it waits for the service');
});

test('of each stream the last twenty runs are kept, with why they stopped', {
  tags: ['slow'],
}, async (t) => {
  const { own, run, runs, shop } = await openStore(t, { orders: 3, env: QUIET });
  await run();
  shop.faults.next({ kind: 'server_error', times: 3 });
  own.clock.advance({ minutes: 5 });
  await run();
  own.clock.advance({ minutes: 5 });
  await run();
  const [last, failed, first, ...others] = await runs();
  assert.deepEqual(others, []);
  assert.deepEqual([last?.outcome, last?.reason], ['done', null]);
  assert.deepEqual([failed?.outcome, first?.outcome], ['stopped', 'done']);
  assert.match(failed?.reason ?? '', /WooCommerce/);
  assert.equal(first?.items, 3);
  for (let more = 0; more < 21; more++) {
    own.clock.advance({ minutes: 5 });
    await run();
  }
  const kept = await runs();
  assert.equal(kept.length, 20);
  assert.ok(kept.every(({ outcome }) => outcome === 'done'));
  const ends = kept.map(({ endedAt }) => endedAt.toString());
  assert.deepEqual(ends, ends.toSorted().reverse());
});

test('a schedule that outlived its account ends with its next run', async (t) => {
  const { own, id, run } = await openStore(t, { orders: 1, env: QUIET });
  const now = own.clock.now();
  await disconnectAccount(own.app.exchange, own.organization.id, id);
  await own.app.database
    .within(own.organization.id)
    .write((scope) => schedule(scope, 'sync', `${id}:orders`, 300, now));

  assert.equal(await run(), null);
  assert.deepEqual(await query(own, 'select task from schedules'), []);
});

test('a run that meets another one of its stream comes again as soon as that one may be over', async (t) => {
  const { own, run } = await openStore(t, { orders: 1, env: QUIET });
  const [row] = await query(
    own,
    "select subject from schedules where task = 'sync' and subject like '%:orders'",
  );
  const { locks } = own.app.database;
  await query(own, 'update schedules set due_at = $1', [
    own.clock.now().add({ minutes: 5 }).toString(),
  ]);

  const report = await locks.holding({ kind: 'stream', subject: row?.subject as string }, () =>
    run(),
  );

  assert.equal(report, null);
  const soon = own.clock.now().add({ seconds: 10 }).toString();
  const due = 'select from schedules where subject = $1 and due_at <= $2';
  assert.equal((await query(own, due, [row?.subject, soon])).length, 1);
});

test('a run that ends while its account is disconnected plans nothing for it', async (t) => {
  const { own, id, run } = await openStore(t, { orders: 1, env: QUIET });
  const planning = await holdPlans(own, 'sweep');
  const running = run();
  await planning.isWaiting();

  let isDone = false;
  const disconnecting = disconnectAccount(own.app.exchange, own.organization.id, id).then(() => {
    isDone = true;
  });
  // It either waits for the run, or is done before the run plans.
  await soon(async () => assert.ok(isDone || (await waiting(own)) === 2), 30_000);
  await planning.release();
  await Promise.all([running, disconnecting]);

  assert.deepEqual(await query(own, 'select task from schedules'), []);
});

test('a reconciliation that is asked for while one is under way follows it soon', {
  tags: ['slow'],
}, async (t) => {
  const { own, id, run, slowedBy } = await openStore(t, { orders: 3 * PAGE, env: QUIET });
  const subject = `${id}:orders`;
  const within = own.app.database.within(own.organization.id);
  const minutesToNext = async () =>
    (await within.read((scope) => dueAt(scope, 'sweep', subject)))
      ?.since(own.clock.now())
      .round({ largestUnit: 'minutes', smallestUnit: 'minutes' }).minutes;
  await run();
  assert.equal(await minutesToNext(), 59);

  own.clock.advance({ hours: 1 });
  const first = await run(slowedBy(11_000));
  assert.equal(first?.isCut, true);
  own.clock.advance({ seconds: 1 });
  await within.write((scope) => hastenAll(scope, id));
  while ((await run())?.isCut);
  assert.equal(await minutesToNext(), 10);

  own.clock.advance({ minutes: 10 });
  await run();
  assert.equal(await minutesToNext(), 59);
});

test('reconciliations are a period apart, however long each of them takes', {
  tags: ['slow'],
}, async (t) => {
  const { own, id, run, slowedBy } = await openStore(t, { orders: 3, env: QUIET });
  const began = own.clock.now();
  const reconciledAt: number[] = [];
  const nextAt = () =>
    own.app.database
      .within(own.organization.id)
      .read((scope) => dueAt(scope, 'sweep', `${id}:orders`));
  await run(slowedBy(2_000));

  for (let minutes = 5; minutes <= 180; minutes += 5) {
    own.clock.advance(own.clock.now().until(began.add({ minutes })));
    const planned = await nextAt();
    await run(slowedBy(2_000));
    if (String(await nextAt()) !== String(planned)) reconciledAt.push(minutes);
  }

  assert.deepEqual(reconciledAt, [60, 120, 180]);
});

test('a run goes on with the keys of an account that is connected anew meanwhile', async (t) => {
  const { own, id, ids, shop, run } = await openStore(t, { orders: 3, env: QUIET });
  const { exchange } = own.app;
  const { network } = exchange;
  let isNew = false;
  const send: typeof network.send = async (outgoing, reach) => {
    if (!isNew) {
      isNew = true;
      shop.revoke();
      await own.connect('woocommerce', { url: shop.url, credentials: shop.credentials() });
    }
    return network.send(outgoing, reach);
  };

  await run({ ...exchange, network: { ...network, send } });

  assert.equal((await ids()).length, 3);
  const within = own.app.database.within(own.organization.id);
  const connection = await within.read((scope) => connectionById(scope, id));
  assert.deepEqual([connection?.state, connection?.refusal], ['ok', null]);
});

test('a run that waited for another one reads nothing of an account that was paused meanwhile', async (t) => {
  const { own, id } = await openStore(t, { orders: 3, env: QUIET });
  const { exchange, database } = own.app;
  const organizationId = own.organization.id;
  const connection = await database
    .within(organizationId)
    .read((scope) => connectionById(scope, id));
  assert.ok(connection);
  const lock = { kind: 'stream', subject: `${id}:orders` } as const;
  const options = { reconcile: false, ifRunning: 'wait' } as const;
  let waiting: ReturnType<typeof runStream> = Promise.resolve(null);
  await database.locks.holding(lock, async () => {
    waiting = runStream(exchange, connection, 'orders', options);
    await pauseAccount(exchange, organizationId, id);
  });

  assert.equal((await waiting)?.items, 0);
});

test('a run requested by hand runs to its end in one go', { tags: ['slow'] }, async (t) => {
  const { own, ids } = await openStore(t, { orders: 23 * PAGE, env: QUIET });

  const [report] = await syncOrganization(own.app.exchange, {
    organizationId: own.organization.id,
    service: null,
    stream: 'orders',
  });

  assert.equal(report?.error, undefined);
  assert.ok((report?.pages ?? 0) >= 23);
  assert.equal((await ids()).length, 23 * PAGE);
});

test('by hand it also waits for a limit and goes on', { tags: ['slow'] }, async (t) => {
  const parcels = await openParcelled(t, { shipments: [120] });
  const [account] = parcels.accounts as [ParcelAccount];
  // Most of the minute's calls are used by others.
  for (let call = 0; call < 700; call++) await parcels.use(account);

  const [report] = await syncOrganization(parcels.own.app.exchange, {
    organizationId: account.organizationId,
    service: null,
    stream: 'shipments',
  });

  assert.equal(report?.error, undefined);
  assert.equal(await parcels.stored(account), 120);
  assert.ok(parcels.sim.busiest() <= 800, `${parcels.sim.busiest()} calls in one minute`);
});

test('by hand it waits an hour for a limit that others use up, and then leaves the rest to the schedule', async (t) => {
  const { own } = await openStore(t, { orders: 1, env: QUIET });
  const begun = own.clock.now();
  let turns = 0;
  const throttle: Throttle = {
    pause: () => {},
    async run() {
      turns += 1;
      if (turns > MOST_TURNS) throw new Error('it waits without end');
      throw new TooLongError(MINUTE_MS);
    },
  };

  const [report] = await syncOrganization(
    { ...own.app.exchange, throttle },
    { organizationId: own.organization.id, service: null, stream: 'orders' },
  );

  assert.match(String(report?.error), /WooCommerce/);
  assert.equal(begun.until(own.clock.now()).total('minutes'), 60);
  assert.deepEqual(await alertsOf(own, own.organization.id), [], 'a limit is no failure');
});

test('two accounts of 500 shipments beside the limit of 800 a minute: both whole within four minutes', {
  tags: ['slow'],
}, async (t) => {
  const { accounts, sim, turn, stored, connectAll } = await openParcelled(t, {
    shipments: [500, 500],
  });

  await connectAll();
  const seconds = await turn(300, async () => {
    const counts = await Promise.all(accounts.map(stored));
    return counts.every((count) => count === 500);
  });

  assert.ok(seconds <= 240, `whole after ${seconds} s`);
  assert.ok(sim.busiest() <= 800, `${sim.busiest()} calls in one minute`);
  t.diagnostic(
    `FIGURE zipnova: two accounts of 500 shipments whole after ${seconds} s, busiest minute ${sim.busiest()} calls`,
  );
});

test('four answers of 503 at the first import: whole within five minutes', {
  tags: ['slow'],
}, async (t) => {
  const { accounts, sim, turn, stored, connectAll } = await openParcelled(t, { shipments: [60] });
  sim.faults.next({ kind: 'server_error', match: /GET .*\/shipments|\/shipments\?/, times: 4 });

  await connectAll();
  const [account] = accounts as [ParcelAccount];
  const seconds = await turn(360, async () => (await stored(account)) === 60);

  assert.ok(seconds <= 300, `whole after ${seconds} s`);
  assert.equal(sim.faults.waiting(), 0);
});

test('four answers of 503 when webhooks are registered: registered within five minutes, and the seller reads what is true', {
  tags: ['slow'],
}, async (t) => {
  const { own, accounts, sim, turn, connectAll } = await openParcelled(t, { shipments: [3] });
  sim.faults.next({ kind: 'server_error', match: /webhooks/, times: 4 });
  const [account] = accounts as [ParcelAccount];

  await connectAll();
  await turn(2, async () => false);
  const [alert] = await alertsOf(own, account.organizationId);
  const seconds = await turn(360, async () => sim.webhooks.registered.length === 2);

  assert.equal(
    alert?.message,
    'Zipnova no aceptó avisarnos de los cambios. Lo seguimos intentando; mientras tanto los consultamos una vez al día.',
  );
  assert.ok(seconds <= 300, `registered after ${seconds} s`);
  await jobsDone(own);
  assert.deepEqual(await alertsOf(own, account.organizationId), []);
});

interface SliceReport {
  readonly pages: number;
  readonly isCut: boolean;
}

/** A WooCommerce store with so many paid orders, connected to an organisation of the instance. */
async function openStore(
  t: TestContext,
  { orders, env = {} }: { orders: number; env?: Record<string, string> },
) {
  const clock = turnedClock();
  const own = await openApp(t, { clock, env, database: await freshDatabase() });
  const shop = await startWooCommerce({ seed: t.name, now: () => clock.now().epochMilliseconds });
  t.after(shop.close);
  for (let order = 0; order < orders; order++) shop.world.pay(shop.world.place().id);
  const id = await own.connect('woocommerce', { url: shop.url, credentials: shop.credentials() });
  const { exchange } = own.app;
  const job = { organizationId: own.organization.id, subject: `${id}:orders` };
  const within = own.app.database.within(own.organization.id);
  return {
    own,
    id,
    shop,
    run: (parts: ExchangeParts = exchange) =>
      syncJob.run(parts, job) as Promise<SliceReport | null>,
    progress: () => within.read(firstImports),
    runs: () => within.read((scope) => lastRuns(scope, id)),
    jobs: () =>
      query(
        own,
        "select group_id, group_tier, priority, state::text from queue.job where name = 'sync'",
      ),
    ids: () => query(own, 'select id from orders'),
    /** A network on which each answer takes so long by the turned clock. */
    slowedBy(milliseconds: number): ExchangeParts {
      const { network } = exchange;
      const send: typeof network.send = async (outgoing, reach) => {
        clock.advance({ milliseconds });
        return network.send(outgoing, reach);
      };
      return { ...exchange, network: { ...network, send } };
    },
  };
}

const PLAN_LOCK = 7_001;

/** Makes each new plan of a task wait until it is released. */
async function holdPlans(own: TestApp, task: string) {
  await query(
    own,
    `create function wait_for_release() returns trigger language plpgsql as
     'begin perform pg_advisory_xact_lock(${PLAN_LOCK}); return new; end'`,
  );
  await query(
    own,
    `create trigger wait_for_release before insert on schedules for each row
     when (new.task = '${task}') execute function wait_for_release()`,
  );
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = own.app.database.write(async (handle) => {
    await handle.sql(`select pg_advisory_xact_lock(${PLAN_LOCK})`, []);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return {
    isWaiting: () => soon(async () => assert.equal(await waiting(own), 1), 30_000),
    async release() {
      release.resolve();
      await holding;
    },
  };
}

/** How many sessions wait for a lock of another one. */
async function waiting(own: TestApp): Promise<number> {
  const sessions = await query(
    own,
    `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return sessions.length;
}

interface ParcelAccount {
  readonly organizationId: string;
  readonly account: number;
}

/** A Zipnova with an account for each number of shipments, each of an organisation of its own. */
async function openParcelled(t: TestContext, { shipments }: { shipments: readonly number[] }) {
  const clock = turnedClock();
  const own = await openApp(t, { clock, database: await freshDatabase() });
  const numbers = shipments.map((_, at) => 70_001 + at);
  const options: ZipnovaOptions = { seed: t.name, accounts: numbers };
  const sim = await startZipnova({ ...options, now: () => clock.now().epochMilliseconds });
  t.after(sim.close);
  const accounts: ParcelAccount[] = [];
  for (const [at, account] of numbers.entries()) {
    for (let parcel = 0; parcel < (shipments[at] as number); parcel++)
      sim.parcels.make({ account, at: clock.now().epochMilliseconds - parcel * 60_000 });
    accounts.push({ account, organizationId: (await own.tenant()).organization.id });
  }
  const connectOne = ({ organizationId, account }: ParcelAccount) =>
    connect(own.app.exchange, {
      organizationId,
      service: 'zipnova' satisfies ServiceSlug,
      credentials: sim.credentials(account),
      baseUrl: sim.url,
    });
  const opened = new Map<string, Promise<{ connectionId: string }>>();
  const connected = (account: ParcelAccount) => {
    const known = opened.get(account.organizationId) ?? connectOne(account);
    opened.set(account.organizationId, known);
    return known;
  };
  return {
    own,
    sim,
    accounts,
    connectAll: () => Promise.all(accounts.map(connected)),
    stored: async ({ organizationId }: ParcelAccount) =>
      (await query(own, 'select from shipments where organization_id = $1', [organizationId]))
        .length,
    /** One call of the account, which counts for all. */
    async use(account: ParcelAccount) {
      const { connectionId } = await connected(account);
      const connection = await own.app.database
        .within(account.organizationId)
        .read((scope) => connectionById(scope, connectionId));
      assert.ok(connection);
      await openConnection(own.app.exchange, connection).call.request({
        method: 'GET',
        path: '/accounts',
      });
    },
    /**
     * Turns the clock second after second and does what is due. @returns after how many seconds it
     * was so
     */
    async turn(most: number, isSo: () => Promise<boolean>): Promise<number> {
      const start = clock.now();
      for (;;) {
        await own.app.worker?.tick();
        await jobsDone(own);
        const seconds = clock.now().since(start).total('seconds');
        if (seconds >= most || (await isSo())) return seconds;
        clock.advance({ seconds: 1 });
      }
    },
  };
}
