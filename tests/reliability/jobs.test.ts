import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type pg from 'pg';
import { type MercadoLibre, startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { findConnector } from '../../src/connectors/registry.ts';
import { JOBS } from '../../src/exchange/jobs/index.ts';
import { syncJob } from '../../src/exchange/jobs/sync.ts';
import { notificationJob } from '../../src/exchange/webhooks/notification-job.ts';
import { applyEventsJob } from '../../src/exchange/webhooks/queue-carrier-events.ts';
import { renewCredentials } from '../../src/exchange/wire/renew-credentials.ts';
import {
  connectionById,
  openCredentials,
  type SealedConnection,
} from '../../src/features/connections/index.ts';
import { schedule } from '../../src/features/schedules/index.ts';
import { newId } from '../../src/platform/ids.ts';
import type { JobKind } from '../../src/platform/job.ts';
import { openQueue } from '../../src/platform/queue.ts';
import { environmentOf, openApp, type TestApp } from '../support/app.ts';
import { turnedClock } from '../support/clock.ts';
import { freshDatabase } from '../support/server.ts';
import { connectShop, placeOrders } from './support/commands.ts';
import { openClient, openHandle } from './support/ground.ts';
import { countJobs, jobsDone, lookAtWalk } from './support/inside.ts';
import {
  type Ending,
  eventually,
  lastFirst,
  MASTER_KEY,
  NO_REDIS,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { addTenant } from './support/tenants.ts';

const WORKERS = 4;
const BACKLOG = 200;
const MINUTES_A_DAY = 24 * 60;
const BACK_WITHIN_MS = within(25_000);

test('a worker killed in the middle of a walk: the job comes back soon and ends, no page half written', {
  timeout: 400_000,
}, async (t) => {
  const end = lastFirst(t);
  const env = environmentOf(await freshDatabase());
  const client = await openClient(end, env.DATABASE_URL as string);
  const shop = await startMercadoLibre({ seed: 'killed' });
  end.after(shop.close);
  const total = 120;
  placeOrders(shop, total);
  const killed = await startInstance(end, env);
  const { id } = await addTenant(openHandle(end, env.DATABASE_URL as string));
  // The second page never comes.
  shop.faults.next({ kind: 'timeout', match: /offset=[1-9]/, times: 100 });
  await connectShop(end, env, id, shop);
  assert.ok(
    await eventually(async () => (await lookAtWalk(client)).items > 0, within(20_000)),
    killed.lines.join('\n'),
  );

  await killed.end('SIGKILL');
  const killedAt = performance.now();
  shop.faults.stop();
  const cut = await lookAtWalk(client);
  await startInstance(end, env);
  const isDone = await eventually(
    async () => (await lookAtWalk(client)).isFinished,
    BACK_WITHIN_MS,
    100,
  );
  const seconds = Math.round((performance.now() - killedAt) / 100) / 10;

  assert.deepEqual(cut, { items: 50, rows: 50, isFinished: false }, 'the first page, whole');
  assert.ok(isDone, `the walk was not ended ${BACK_WITHIN_MS} ms after the kill`);
  assert.deepEqual(await lookAtWalk(client), { items: total, rows: total, isFinished: true });
  reportFigure(
    t,
    `jobs: a walk cut off by SIGKILL after ${cut.rows} of ${total} orders was ended ${seconds} s later, no page read twice`,
  );
});

test(`what is due is claimed once, though ${WORKERS} workers tick at the same moment`, async (t) => {
  const { instances, client, clock } = await setStage(t, WORKERS);
  const [{ app: instance, organization }] = instances as [TestApp];
  const [tasks, rounds] = [60, sized({ small: 5, quick: 30, long: 200 })];
  await instance.database.within(organization.id).write(async (scope) => {
    for (let task = 0; task < tasks; task++)
      await schedule(scope, 'sync', `${newId()}:orders`, 300, clock.now());
  });

  for (let round = 0; round < rounds; round++) {
    const claims = await Promise.all([...instances, ...instances].map(tick));
    const housekeeping = (round * 5) % 60 === 0 ? 1 : 0;
    assert.equal(sum(claims), tasks + housekeeping, `round ${round}`);
    await jobsDone(client);
    assert.equal(await countJobs(client, 'sync', ['completed']), tasks * (round + 1));
    clock.advance({ minutes: 5 });
  }
  reportFigure(
    t,
    `jobs: ${rounds} × ${tasks} due tasks claimed once each by ${WORKERS} workers, ${2 * WORKERS} ticks at a time`,
  );
});

test('an instance that slept for a day does not catch up on every missed turn', async (t) => {
  const { instances, client, clock } = await setStage(t, 1);
  const [instance] = instances as [TestApp];
  await tick(instance);
  await instance.app.database
    .within(instance.organization.id)
    .write((scope) => schedule(scope, 'sync', `${newId()}:orders`, 300, clock.now()));

  clock.advance({ hours: 25 });
  assert.equal(await tick(instance), 2, 'one sync and one housekeeping');
  assert.equal(await tick(instance), 0);
  clock.advance({ minutes: 4 });
  assert.equal(await tick(instance), 0);
  clock.advance({ minutes: 1 });
  assert.equal(await tick(instance), 1);
  await jobsDone(client);
});

test('in a day a connection is synchronised as often as its marketplace says', {}, async (t) => {
  const { instances, client, clock, end } = await setStage(t, 1);
  const [instance] = instances as [TestApp];
  const shop = await openShop(end, instance, { tokenSeconds: 100 * 3_600 });
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });

  let claimed = 0;
  let walks = 0;
  for (let minute = 0; minute < MINUTES_A_DAY; minute++) {
    const turns = await tick(instance);
    claimed += turns;
    // A run that is still under way by the next turn, minutes ago by this clock, would be begun
    // once more.
    if (turns > 0) await jobsDone(client);
    if (minute % 60 === 0 && (await isSyncedAt(client, clock.now()))) walks++;
    clock.advance({ minutes: 1 });
  }

  // A balance and settlements are waited for: a report comes a minute after it is ordered. The
  // first settlements take two reports, one after the other, and later ones one.
  assert.equal(
    claimed,
    288 + 48 + 2 * 6 + (3 + 2) + 2 + 1 + 24,
    'orders every 5 minutes, stock every 30, balances every 4 hours, settlements and invoices twice a day, findings once, housekeeping every 60',
  );
  assert.equal(walks, 24, 'and each turn walks');
  reportFigure(
    t,
    `jobs: ${claimed} turns in a day of one Mercado Libre connection (288 orders, 48 stock, 20 money, documents and findings, 24 housekeeping)`,
  );
});

test('open orders are fetched one by one an hour after the last time, also by an instance that slept', async (t) => {
  const { instances, client, clock, end } = await setStage(t, 1);
  const [instance] = instances as [TestApp];
  const shop = await openShop(end, instance, { tokenSeconds: 100 * 3_600 });
  placeOrders(shop, 3);
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  /** How many orders were fetched by the run that comes after so many minutes. */
  const askedAfter = async (minutes: number) => {
    const before = singleOrdersAt(shop);
    clock.advance({ minutes });
    await tick(instance);
    await jobsDone(client);
    return singleOrdersAt(shop) - before;
  };

  assert.equal(await askedAfter(0), 0, 'the first walk asks about everything anyway');
  assert.equal(await askedAfter(55), 0);
  assert.equal(await askedAfter(5), 3, 'an hour later');
  assert.equal(await askedAfter(5), 0, 'not at the next turn');
  assert.equal(await askedAfter(62), 3, 'late, at no full hour');
  assert.equal(await askedAfter(55), 0);
  shop.faults.next({ kind: 'server_error', match: /orders.search/, times: 50 });
  assert.equal(await askedAfter(5), 0, 'a turn that fails makes no call');
  shop.faults.stop();
  assert.equal(await askedAfter(5), 3, 'and the next one makes up for it');
});

test('a token is renewed before it expires, and no walk meets a dead one', {}, async (t) => {
  const { instances, client, clock, end } = await setStage(t, 1);
  const [instance] = instances as [TestApp];
  const shop = await openShop(end, instance, { tokenSeconds: 6 * 3_600 });
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  await instance.sync();
  // The life of the typed token is unknown; the first refusal brings one that we know.
  shop.expireTokens();
  await instance.sync();
  const before = { renewals: renewalsAt(shop), refusals: refusalsAt(shop) };

  for (let half = 0; half < 48; half++) {
    clock.advance({ minutes: 30 });
    await tick(instance);
    await jobsDone(client);
  }

  assert.equal(refusalsAt(shop) - before.refusals, 0);
  assert.equal(renewalsAt(shop) - before.renewals, 4, 'a life of 6 h is renewed after 4 h 48 min');
  reportFigure(
    t,
    `jobs: ${renewalsAt(shop) - before.renewals} renewals in a day of 6 h tokens, 0 calls with a dead one`,
  );
});

test(`${WORKERS} processes that find a token dead at the same moment renew it once`, async (t) => {
  const { instances, end } = await setStage(t, WORKERS);
  const [first] = instances as [TestApp];
  const shop = await openShop(end, first, {});
  const id = await first.connect('mercado_libre', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  const scope = first.app.database.within(first.organization.id);
  const connection = (await scope.read((reader) => connectionById(reader, id))) as SealedConnection;
  const connector = findConnector('mercado_libre') as NonNullable<ReturnType<typeof findConnector>>;
  const stale = openCredentials(first.app.exchange.keyring, connection);
  shop.expireTokens();

  const settled = await Promise.allSettled(
    instances.map(({ app: instance }) =>
      renewCredentials(instance.exchange, connection, connector, stale),
    ),
  );

  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.deepEqual(refused, [], 'a process was left without credentials');
  assert.equal(renewalsAt(shop), 1, 'the token was renewed more than once');
  const fresh = settled.map((one) => one.status === 'fulfilled' && one.value);
  for (const credentials of fresh) assert.deepEqual(credentials, fresh[0]);
  assert.notDeepEqual(fresh[0], stale);
});

test('a page whose checkpoint cannot be stored leaves no row behind', async (t) => {
  const { instances, client, end } = await setStage(t, 1);
  const [instance] = instances as [TestApp];
  const shop = await openShop(end, instance, {});
  placeOrders(shop, 60);
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  await client.query(`
  create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
  create trigger refuse before update on streams for each row when (new.items > old.items) execute function refuse()`);

  const reports = await instance.sync();
  assert.match(String(reports.find(({ stream }) => stream === 'orders')?.error), /de nuestro lado/);
  assert.deepEqual(await lookAtWalk(client), { items: 0, rows: 0, isFinished: false });

  await client.query('drop trigger refuse on streams');
  await instance.sync();
  const { rows } = await lookAtWalk(client);
  assert.equal(rows, 60);
});

test('a queue that an older release made gets the rules of this one', async (t) => {
  const end = lastFirst(t);
  const database = openHandle(end, environmentOf(await freshDatabase()).DATABASE_URL as string);
  await database.write((handle) => handle.sql('update queue.queue set retry_limit = 1', []));

  const options = { database, rules: JOBS, migrate: true, worker: false, onError: () => {} };
  const queue = await openQueue(options);
  end.after(() => queue.close(0));
  const hint: JobKind<object> = notificationJob;
  await database.write((handle) => queue.enqueue(handle, hint, { data: {} }));

  const asked = await database.write((handle) =>
    handle.sql("select retry_limit from queue.job where name = 'hint'", []),
  );
  assert.deepEqual(asked, [{ retry_limit: notificationJob.retries }]);
});

test('a long queue of jobs is processed without pauses', async (t) => {
  const end = lastFirst(t);
  const { queue, enqueue } = await openBacklog(end, applyEventsJob);
  let done = 0;
  queue.work(applyEventsJob, async () => {
    done++;
    return null;
  });

  const startedAt = performance.now();
  await enqueue(Array.from({ length: BACKLOG }, (_, job) => `job ${job}`));
  const isDone = await eventually(() => done === BACKLOG, within(20_000));
  const seconds = (performance.now() - startedAt) / 1000;

  assert.ok(isDone, `only ${done} of ${BACKLOG} jobs were done in ${seconds} s`);
  reportFigure(t, `jobs: a queue of ${BACKLOG} was processed in ${seconds.toFixed(1)} s`);
});

test('shops whose walk takes long hold up no other shop', async (t) => {
  const end = lastFirst(t);
  const { queue, enqueue } = await openBacklog(end, syncJob);
  const begun: string[] = [];
  const { promise: walked, resolve: arrive } = Promise.withResolvers<void>();
  end.after(arrive);
  queue.work(syncJob, async (payload) => {
    const { key } = payload as { key: string };
    begun.push(key);
    if (key.startsWith('large') && begun.filter((one) => one === key).length === 1) await walked;
    return null;
  });

  // Three long walks, and meanwhile the next turn of each.
  const large = ['large 1', 'large 2', 'large 3'];
  await enqueue(large);
  await eventually(() => begun.length === large.length, within(5_000));
  await enqueue(large);
  const startedAt = performance.now();
  await enqueue(['small']);

  assert.ok(
    await eventually(() => begun.includes('small'), within(1_500)),
    'the small shop waits for the large ones',
  );
  const delay = Math.round(performance.now() - startedAt);
  reportFigure(t, `jobs: a small shop's turn began after ${delay} ms beside three long walks`);
});

interface Stage {
  readonly end: Ending;
  readonly instances: readonly TestApp[];
  readonly client: pg.Client;
  readonly clock: ReturnType<typeof turnedClock>;
}

/** Instances on one database and with one turned clock. */
async function setStage(t: TestContext, count: number): Promise<Stage> {
  const end = lastFirst(t);
  const database = await freshDatabase();
  const clock = turnedClock();
  const instances: TestApp[] = [];
  for (let instance = 0; instance < count; instance++)
    instances.push(
      await openApp(end, { database, clock, env: { REDIS_URL: NO_REDIS, MASTER_KEY } }),
    );
  const client = await openClient(end, environmentOf(database).DATABASE_URL as string);
  return { end, instances, client, clock };
}

/** A queue without an instance. */
async function openBacklog(end: Ending, kind: JobKind<object>) {
  const database = openHandle(end, environmentOf(await freshDatabase()).DATABASE_URL as string);
  const queue = await openQueue({
    database,
    rules: JOBS,
    migrate: true,
    worker: true,
    onError: () => {},
  });
  end.after(() => queue.close(5_000));
  const enqueue = async (keys: readonly string[]) => {
    await database.write(async (handle) => {
      for (const key of keys) await queue.enqueue(handle, kind, { data: { key }, key });
    });
  };
  return { queue, enqueue };
}

function tick({ app: instance }: TestApp): Promise<number> {
  return instance.worker?.tick() ?? Promise.resolve(0);
}

async function openShop(end: Ending, { clock }: TestApp, options: { tokenSeconds?: number }) {
  const shop = await startMercadoLibre({
    seed: 7,
    now: () => clock.now().epochMilliseconds,
    ...options,
  });
  end.after(shop.close);
  return shop;
}

function renewalsAt(shop: MercadoLibre): number {
  return shop.requests.filter(({ path }) => path.startsWith('/oauth/token')).length;
}

function singleOrdersAt(shop: MercadoLibre): number {
  return shop.requests.filter(({ path }) => /^\/orders\/\d+$/.test(path)).length;
}

function refusalsAt(shop: MercadoLibre): number {
  return shop.requests.filter(({ status }) => status === 401).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Whether the orders were synchronised within the last minute. */
async function isSyncedAt(client: pg.Client, now: Temporal.Instant): Promise<boolean> {
  const { rows } = await client.query("select last_sync_at from streams where stream = 'orders'");
  return Math.abs(rows[0].last_sync_at.getTime() - now.epochMilliseconds) < 60_000;
}
