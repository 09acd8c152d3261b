import assert from 'node:assert/strict';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '../../src/platform/db/database.ts';
import { isWorkerUp } from '../../src/platform/db/instance-lock.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { environmentOf } from '../support/app.ts';
import { atServer, freshDatabase } from '../support/server.ts';
import { openCaller, statusesOf } from './support/api.ts';
import { connectShop, runCommand } from './support/commands.ts';
import {
  type Env,
  type Ground,
  makeFolder,
  openClient,
  openGround,
  openHandle,
  quit,
} from './support/ground.ts';
import { openLoad, tally } from './support/load.ts';
import {
  cutConnections,
  holdTable,
  lostNotices,
  notice,
  openPlace,
  openShop,
  waitingQueries,
} from './support/place.ts';
import {
  type Ending,
  endOf,
  eventually,
  lastFirst,
  launchInstance,
  type Running,
  type RunningInstance,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { addTenant } from './support/tenants.ts';

const HEALTHY_WITHIN_MS = within(5_000);
const RESTARTS = sized({ small: 2, quick: 10, long: 20 });
const RESTARTS_WITHIN_MS = sized({ small: 400_000, quick: 400_000, long: 600_000 });
const CUTS = 20;
const REQUEST_SECONDS = 2;
const CROWD = 40;

const end = lastFirst({ after });
let ground: Ground;

/** One instance for all tests of the time limit. */
const hurriedInstance = once(async () => {
  const place = await openPlace(end, ground);
  const env = { ...place.env, REQUEST_TIMEOUT_SECONDS: String(REQUEST_SECONDS) };
  return { place, instance: await startInstance(end, env) };
});
/** One instance on a data folder, with the embedded database. */
const folderInstance = once(async () => {
  const env = { DATA_DIR: makeFolder(end) };
  const instance = await startInstance(end, env);
  end.after(() => instance.end('SIGTERM'));
  return { env, instance };
});

before(async () => {
  ground = await openGround(end);
});

test('the database restarts under load: 503 with Retry-After, never 500, and healthy again within 5 s', {
  timeout: RESTARTS_WITHIN_MS,
}, async (t) => {
  const own = lastFirst(t);
  const { env, databaseUrl, id, key } = await openPlace(own, ground);
  const shop = await openShop(own, 120);
  const instance = await startInstance(own, env);
  // A walk is under way all the time, waiting for its second page.
  shop.faults.next({ kind: 'timeout', match: /offset=[1-9]/, times: 1_000 });
  await connectShop(own, env, id, shop);
  const acknowledged: number[] = [];
  const load = openLoad(instance.url, key, 12, async (caller, number) => {
    if (number % 3 > 0) return caller.get(number % 3 === 1 ? '/v1/orders' : '/v1/me');
    const answer = await caller.post('/api/webhooks/mercado_libre', notice(shop, number));
    if (answer.status === 200) acknowledged.push(number);
    return answer;
  });

  const recoveries: number[] = [];
  for (let restart = 1; restart <= RESTARTS; restart++) {
    await sleep(500);
    await ground.crash();
    await sleep(300);
    await ground.start();
    recoveries.push(await untilHealthy(instance, key));
  }
  const client = await openClient(own, databaseUrl);
  for (let cut = 1; cut <= CUTS; cut++) {
    await cutConnections(client);
    await sleep(50);
  }
  recoveries.push(await untilHealthy(instance, key));
  const asked = await load.stop();

  assert.equal(instance.hasEnded(), false, instance.lines.slice(-20).join('\n'));
  const { 200: answered, 503: refused = 0, ...others } = tally(asked);
  assert.deepEqual(others, {});
  for (const { answer } of asked)
    if (answer?.status === 503) assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
  assert.equal(await lostNotices(client, acknowledged), 0);
  const slowest = Math.round(Math.max(...recoveries));
  assert.ok(slowest <= HEALTHY_WITHIN_MS, `healthy only after ${slowest} ms`);
  reportFigure(
    t,
    `R3 database: ${RESTARTS} crashes and ${CUTS} cuts of every connection: ${answered} × 200, ${refused} × 503, 0 × 500, ` +
      `0 of ${acknowledged.length} acknowledged lost, healthy ${slowest} ms later (worst)`,
  );
});

test('the database restarts: the instance takes its place there again, and a second one is still refused', {}, async (t) => {
  const own = lastFirst(t);
  const env = await ground.place();
  const instance = await startInstance(own, env);

  await ground.crash();
  await ground.start();
  const isBack = await eventually(
    () => hasSaid(instance, 'instance lock taken again'),
    within(10_000),
  );
  const isAtWork = await isWorkerUp(openHandle(own, env.DATABASE_URL as string));
  const second = launchInstance(own, env);
  const code = await endOf(second, within(15_000));

  assert.ok(isBack, instance.lines.join('\n'));
  assert.ok(hasSaid(instance, 'instance lock lost with its connection'));
  assert.ok(isAtWork, 'the commands of the operator would not find the instance');
  assert.equal(code, 1);
  assert.match(wordsOf(second), /^Ya hay un Tianguis en marcha/);
});

test('one organisation asks for more than the database can do: its neighbour is answered first, and all are in the end', {}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const neighbour = await addTenant(openHandle(own, place.databaseUrl));
  const instance = await startInstance(own, place.env);
  const client = await openClient(own, place.databaseUrl);
  const held = await holdTable(own, place, 'orders');
  const [crowd, alone] = [
    openCaller(instance.url, place.key, CROWD),
    openCaller(instance.url, neighbour.key),
  ];
  own.after(crowd.close);
  own.after(alone.close);
  const answered: string[] = [];

  const slow = Array.from({ length: CROWD }, async () => {
    const answer = await crowd.get('/v1/orders');
    answered.push('crowd');
    return answer;
  });
  const isBusy = await eventually(async () => (await waitingQueries(client)) >= 6, within(5_000));
  // Until the crowd has taken all that it may.
  await sleep(300);
  const quick = await alone.get('/v1/me');
  answered.push('neighbour');
  await held.release();
  const answers = await Promise.all(slow);

  assert.ok(isBusy, 'the slow queries never reached the database');
  assert.equal(quick.status, 200, quick.text);
  assert.equal(answered[0], 'neighbour');
  assert.deepEqual(statusesOf(answers), [200]);
  reportFigure(
    t,
    `R13 fair turns: ${CROWD} slow requests of one organisation, another answered before any of them`,
  );
});

test('a connection that is cut between two queries fails its own work, not the process', async (t) => {
  const own = lastFirst(t);
  const { databaseUrl } = await openPlace(own, ground);
  const database = openHandle(own, databaseUrl);
  const killer = await openClient(own, databaseUrl);
  const cut = (pid: number) => killer.query('select pg_terminate_backend($1)', [pid]);

  await assert.rejects(
    database.write(async (handle) => {
      const [backend] = (await handle.sql('select pg_backend_pid() as pid', [])) as [
        { pid: number },
      ];
      await cut(backend.pid);
      await sleep(200);
      await handle.sql('select 1', []);
    }),
    { code: 'service_unavailable' },
  );

  const alone = await database.connect();
  const { rows } = await alone.query<{ pid: number }>('select pg_backend_pid() as pid');
  await cut(rows[0]?.pid ?? 0);
  await sleep(200);
  await assert.rejects(alone.query('select 1'));
});

test('a query that hangs: 504 in time, cancelled in the database, and the connections go on', {}, async (t) => {
  const own = lastFirst(t);
  const { instance, place } = await hurriedInstance();
  const client = await openClient(own, place.databaseUrl);
  const held = await holdTable(own, place, 'orders');
  const caller = openCaller(instance.url, place.key, 20);
  own.after(caller.close);

  const few = await Promise.all(Array.from({ length: 8 }, () => caller.get('/v1/orders')));
  // More than there are connections to read with: some never get as far as the database.
  const many = await Promise.all(Array.from({ length: 20 }, () => caller.get('/v1/orders/1')));
  const isCancelled = await eventually(
    async () => (await waitingQueries(client)) === 0,
    within(1_000),
  );
  await held.release();
  const afterwards = await Promise.all(Array.from({ length: 20 }, () => caller.get('/v1/orders')));

  for (const { status, text, milliseconds } of [...few, ...many]) {
    assert.equal(status, 504, text);
    assert.equal(JSON.parse(text).error.code, 'request_timeout');
    const late = milliseconds - REQUEST_SECONDS * 1_000;
    assert.ok(late >= -500 && late <= within(500), `answered after ${milliseconds} ms`);
  }
  assert.ok(isCancelled, 'queries are still waiting in the database');
  assert.deepEqual(statusesOf(afterwards), [200]);
  const slowest = Math.round(
    Math.max(...[...few, ...many].map(({ milliseconds }) => milliseconds)),
  );
  reportFigure(
    t,
    `R14 time limit of ${REQUEST_SECONDS} s: ${few.length + many.length} answers of 504, the last after ${slowest} ms, 0 queries left`,
  );
});

test('a database that hangs: /readyz says 503 before HAProxy gives up, and 200 once it goes on', {}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  const client = await openClient(own, place.databaseUrl);
  const instance = await startInstance(own, place.env);
  const caller = openCaller(instance.url, null);
  own.after(caller.close);
  const pids = await backendsOf(client);
  const tell = (signal: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) process.kill(pid, signal);
  };

  tell('SIGSTOP');
  const hung = await caller.get('/readyz').finally(() => tell('SIGCONT'));
  const isBack = await eventually(
    async () => (await caller.get('/readyz')).status === 200,
    HEALTHY_WITHIN_MS,
  );

  assert.equal(hung.status, 503, hung.text);
  assert.equal(hung.headers['retry-after'], '1');
  assert.ok(hung.milliseconds < within(5_000), `answered after ${hung.milliseconds} ms`);
  assert.ok(isBack, 'it is not ready again');
});

test('a notification that cannot be stored in time is refused, and the instance goes on', {}, async (t) => {
  const own = lastFirst(t);
  const { instance, place } = await hurriedInstance();
  const shop = await openShop(own, 1);
  await connectShop(own, place.env, place.id, shop);
  const held = await holdTable(own, place, 'receipts');
  const caller = openCaller(instance.url, null);
  own.after(caller.close);

  const late = await caller.post('/api/webhooks/mercado_libre', notice(shop, 1));
  await held.release();
  await sleep(200);
  const next = await caller.post('/api/webhooks/mercado_libre', notice(shop, 2));

  assert.equal(late.status, 504);
  assert.equal(next.status, 200, instance.lines.slice(-20).join('\n'));
});

test('a caller that disconnects ends its query', async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, ground);
  // Its own time limit of 15 s would cancel the query later.
  const instance = await startInstance(own, place.env);
  const client = await openClient(own, place.databaseUrl);
  await holdTable(own, place, 'orders');

  const headers = { authorization: `Bearer ${place.key}` };
  const asking = request(new URL('/v1/orders', instance.url), { headers }).on('error', () => {});
  asking.end();
  const isAsked = await eventually(async () => (await waitingQueries(client)) === 1, within(1_000));
  const leftAt = performance.now();
  asking.destroy();
  const isCancelled = await eventually(
    async () => (await waitingQueries(client)) === 0,
    within(800),
  );

  assert.ok(isAsked, 'the query never reached the database');
  assert.ok(isCancelled, 'the query of a caller who left still waits');
  reportFigure(
    t,
    `R14 a caller who left: query gone after ${Math.round(performance.now() - leftAt)} ms`,
  );
});

test('one data folder, one instance: a second one is refused in words, the commands join', {}, async (t) => {
  const own = lastFirst(t);
  const { instance, env } = await folderInstance();

  const second = launchInstance(own, env);
  const code = await endOf(second, within(15_000));
  const made = await runCommand<{ organization_id: string }>(env, [
    'create-organization',
    ...['--name', 'Tienda'],
    ...['--plan', 'intermedio'],
  ]);

  assert.equal(code, 1);
  assert.match(wordsOf(second), /^Ya hay un Tianguis en marcha .* REDIS_URL/);
  assert.match(made.organization_id, /^[0-9a-f-]{36}$/);
  assert.equal(await readiness(instance), 200);
});

test('the embedded database falls under a running instance, and the instance raises it again', {}, async (t) => {
  const { instance, env } = await folderInstance();
  assert.equal(await readiness(instance), 200);

  await quit(join(env.DATA_DIR, 'postgres/cluster/postmaster.pid'));
  const fallenAt = performance.now();
  const isBack = await eventually(
    async () => (await readiness(instance)) === 200,
    within(15_000),
    50,
  );

  assert.ok(isBack, 'the database stays down until the instance is restarted');
  reportFigure(
    t,
    `R3 embedded database: killed, ready again after ${Math.round(performance.now() - fallenAt)} ms`,
  );
});

test('an instance that cannot start says why, every reason at once, in Spanish', async (t) => {
  const own = lastFirst(t);
  const env = await ground.place();
  const faults = {
    ROLE: 'api',
    PORT: 'puerto',
    PUBLIC_URL: 'http://ejemplo.mx',
    MASTER_KEY: 'corta',
    LOG_LEVEL: 'ruidoso',
  };
  const cases: [Env, RegExp[]][] = [
    [faults, [/REDIS_URL/, /DATABASE_URL/, /PORT/, /PUBLIC_URL/, /MASTER_KEY/, /LOG_LEVEL/]],
    [{ DATABASE_URL: 'postgres://nadie@127.0.0.1:1/nada' }, [/base de datos/]],
    [{ ...env, PORT: await takenPort(own) }, [/puerto|escuchar/]],
  ];
  const instances = cases.map(([given]) => launchInstance(own, given));
  for (const [index, [, reasons]] of cases.entries()) {
    const instance = instances[index] as Running;
    assert.equal(await endOf(instance, 60_000), 1);
    const words = wordsOf(instance);
    for (const reason of reasons) assert.match(words, reason);
    assert.doesNotMatch(words, /^\s+at /m, 'a sentence, not a stack');
  }
});

test('a database that is away is reported once, however often it is tried', {}, async (t) => {
  const own = lastFirst(t);
  const name = await freshDatabase();
  const database = openHandle(own, environmentOf(name).DATABASE_URL as string);
  let tries = 0;
  const counting: Database = {
    ...database,
    connect: () => database.connect().finally(() => tries++),
  };
  const reported: unknown[] = [];
  const notices = await openNotices(counting, (error) => reported.push(error));
  own.after(notices.close);
  const admit = (yes: boolean) =>
    atServer((client) => client.query(`alter database ${name} allow_connections ${yes}`));

  await admit(false);
  await atServer((client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]),
  );
  assert.ok(await eventually(() => tries > 4, within(20_000), 50), 'it is not looked for any more');
  await admit(true);

  assert.ok(await eventually(() => notices.isUp(), within(20_000), 50), 'it is not found again');
  assert.equal(reported.length, 1);
});

/** @returns the milliseconds until reads and the readiness check succeed. */
async function untilHealthy({ url }: RunningInstance, key: string): Promise<number> {
  const startedAt = performance.now();
  const caller = openCaller(url, key, 2);
  const isHealthy = async () => {
    const answers = await Promise.all([caller.get('/readyz'), caller.get('/v1/orders')]);
    return answers.every(({ status }) => status === 200);
  };
  const healthy = await eventually(isHealthy, 3 * HEALTHY_WITHIN_MS, 20);
  caller.close();
  assert.ok(healthy, 'the instance does not recover');
  return performance.now() - startedAt;
}

/** The sessions of the service. */
async function backendsOf(client: pg.Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

async function readiness({ url }: RunningInstance): Promise<number> {
  const caller = openCaller(url, null);
  const { status } = await caller.get('/readyz');
  caller.close();
  return status;
}

/** A port with a listener. */
async function takenPort(own: Ending): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  own.after(() => server.close());
  return String((server.address() as { port: number }).port);
}

function hasSaid({ lines }: Running, message: string): boolean {
  return lines.some((line) => line.includes(`"msg":"${message}"`));
}

/** What a program said to people, without its log. */
function wordsOf(running: Running): string {
  return running.lines.filter((line) => !line.startsWith('{')).join('\n');
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
