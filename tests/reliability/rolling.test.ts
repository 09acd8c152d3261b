import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { soon } from '../spec/support/soon.ts';
import { openEndpoint } from '../support/endpoint.ts';
import { connectShop, runCommand } from './support/commands.ts';
import { type Env, type Ground, openClient, openGround, openHandle } from './support/ground.ts';
import { HAPROXY_CONFIGURATION, noHaproxy } from './support/haproxy.ts';
import { openLoad } from './support/load.ts';
import { holdTable, notice, openPlace, openShop } from './support/place.ts';
import {
  type Ending,
  endOf,
  follow,
  lastFirst,
  type RunningInstance,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { freePort, noRedis, openRedis } from './support/redis.ts';
import { addTenant, NO_LIMIT } from './support/tenants.ts';

// Two API processes behind HAProxy and two workers, with the configuration of `deploy/`.

const ROUNDS = sized({ small: 1, quick: 2, long: 10 });
const SELL_EVERY_MS = 60;
const MOST_CONNECTIONS = 40;

const end = lastFirst({ after });
let ground: Ground;

before(async () => {
  ground = await openGround(end);
});

test('a rolling restart under load: no request fails, no event is lost or sent twice', {
  skip: noRedis || noHaproxy,
  timeout: 900_000,
}, async (t) => {
  const own = lastFirst(t);
  const { env, place, url, ports, balanced } = await openInstallation(own);
  const shop = await openShop(own, 1);
  const endpoint = await openEndpoint(own);
  await connectShop(own, env, place.id, shop);
  const given = ['--organization', place.id, '--url', endpoint.url, '--operator-trusted'];
  await runCommand(env, ['create-webhook-endpoint', ...given]);
  let apis = await Promise.all(ports.map((port) => startApi(own, env, port)));
  let workers = [await startWorker(own, env), await startWorker(own, env)];
  const client = await openClient(own, place.databaseUrl);
  await soon(async () => assert.equal(await countOrders(client), 1), 60_000);
  for (const at of [0, 1]) await balanced(at, 'UP');
  const reads = openLoad(url, place.key, 8, (caller, number) =>
    caller.get(number % 2 === 0 ? '/v1/orders?limit=10' : '/v1/me'),
  );
  const sold: string[] = [];
  const notices = openLoad(url, null, 1, async (caller) => {
    await sleep(SELL_EVERY_MS);
    const { id } = shop.world.place();
    shop.world.pay(id);
    const answer = await caller.post('/api/webhooks/mercado_libre', notice(shop, Number(id)));
    if (answer.status === 200) sold.push(id);
    return answer;
  });
  await sleep(2_000);
  for (let round = 0; round < ROUNDS; round++) {
    apis = await replaceEach(apis, (at) => startApi(own, env, ports[at] as number), balanced);
    workers = await replaceEach(workers, () => startWorker(own, env));
  }
  await sleep(1_000);
  const asked = [...(await reads.stop()), ...(await notices.stop())];
  const failed = asked.filter(({ answer }) => answer?.status !== 200);

  const isComplete = async () => (await countOrders(client)) === sold.length + 1;
  await soon(
    async () => assert.ok(await isComplete(), `${await countOrders(client)} of ${sold.length + 1}`),
    within(60_000),
  );
  const created = () =>
    endpoint.deliveries
      .filter(({ body }) => body.type === 'order.created')
      .map(({ body }) => String(body.data.id));
  await soon(() => assert.equal(new Set(created()).size, sold.length), within(60_000));
  const ids = endpoint.deliveries.map(({ id }) => id);

  assert.deepEqual(
    failed.map(({ answer, error }) => answer?.text ?? error?.message),
    [],
  );
  assert.deepEqual(created().toSorted(), sold.toSorted(), 'each order is reported once');
  assert.equal(new Set(ids).size, ids.length, 'no event is sent twice');
  reportFigure(
    t,
    `rolling restart: ${ROUNDS} × 2 API processes and 2 workers replaced behind HAProxy, ` +
      `0 of ${asked.length} requests failed, 0 of ${ids.length} events lost or sent twice`,
  );
});

test(`a process has at most ${MOST_CONNECTIONS} connections to PostgreSQL, however much waits`, {
  skip: noRedis,
}, async (t) => {
  const own = lastFirst(t);
  const { env, place } = await openInstallation(own);
  const handle = openHandle(own, place.databaseUrl);
  const tenants = await Promise.all(
    Array.from({ length: 5 }, () => addTenant(handle, { quota: NO_LIMIT })),
  );
  const client = await openClient(own, place.databaseUrl);
  const ours = await sessions(client);
  const api = await startApi(own, env, 0);
  const holding = await Promise.all(
    ['orders', 'receipts', 'sessions'].map((table) => holdTable(own, place, table)),
  );
  const loads = [
    ...tenants.map(({ key }) => openLoad(api.url, key, 20, (caller) => caller.get('/v1/orders'))),
    openLoad(api.url, null, 30, (caller, number) =>
      caller.post(
        '/api/webhooks/mercado_libre',
        JSON.stringify({ resource: `/orders/${number}`, topic: 'orders_v2', user_id: 1 }),
      ),
    ),
  ];
  await sleep(3_000);
  const most = (await sessions(client)) - ours;
  for (const held of holding) await held.release();
  await Promise.all(loads.map((load) => load.stop()));

  assert.ok(most >= 14 && most <= MOST_CONNECTIONS, `${most} connections`);
  reportFigure(t, `connections of an API process under load: ${most}`);
});

/** Sessions of the product in this database. */
async function sessions(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like 'tianguis%'`,
  );
  return rows[0]?.count ?? 0;
}

async function countOrders(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from orders',
  );
  return rows[0]?.count ?? 0;
}

async function openInstallation(own: Ending) {
  const place = await openPlace(own, ground);
  const redis = await openRedis(own);
  const ports = [await freePort(), await freePort()] as const;
  const bind = await freePort();
  const env = { ...place.env, REDIS_URL: redis.url, TRUSTED_PROXIES: '127.0.0.1' };
  const [one, two] = ports;
  const balancer = noHaproxy
    ? null
    : follow(
        own,
        spawn('haproxy', ['-db', '-f', HAPROXY_CONFIGURATION], {
          env: {
            PATH: process.env.PATH,
            TIANGUIS_BIND: `127.0.0.1:${bind}`,
            TIANGUIS_API_1: `127.0.0.1:${one}`,
            TIANGUIS_API_2: `127.0.0.1:${two}`,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
  /** HAProxy writes a line for each change. */
  const balanced = (at: number, state: 'UP' | 'DOWN') =>
    soon(() => {
      const reported = balancer?.lines.findLast((line) =>
        line.includes(`Server api/api${at + 1} is`),
      );
      assert.match(reported ?? '', new RegExp(`is ${state}`));
    }, within(30_000));
  return { env, place, ports, balanced, url: `http://127.0.0.1:${bind}` };
}

function startApi(own: Ending, env: Env, port: number) {
  return startInstance(own, { ...env, ROLE: 'api', PORT: String(port) });
}

function startWorker(own: Ending, env: Env) {
  return startInstance(own, { ...env, ROLE: 'worker' });
}

/**
 * Stops one after the other and starts the next in its place, as an update does.
 * @param settled waits until the balancer knows of it
 */
async function replaceEach(
  running: readonly RunningInstance[],
  start: (at: number) => Promise<RunningInstance>,
  settled: (at: number, state: 'UP' | 'DOWN') => Promise<void> = async () => {},
): Promise<RunningInstance[]> {
  const next: RunningInstance[] = [];
  for (const [at, former] of running.entries()) {
    former.child.kill('SIGTERM');
    assert.equal(await endOf(former, within(30_000)), 0, former.lines.join('\n'));
    await settled(at, 'DOWN');
    next.push(await start(at));
    await settled(at, 'UP');
  }
  return next;
}
