import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { revokeKey } from '../../src/features/keys/index.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { type Answer, openCaller, statusesOf } from './support/api.ts';
import { type Env, openClient, openGround, openHandle } from './support/ground.ts';
import {
  eventually,
  lastFirst,
  NO_REDIS,
  type RunningInstance,
  startInstance,
} from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { openProxy } from './support/proxy.ts';
import { noRedis, noRedisToKill, openRedis, type RedisServer } from './support/redis.ts';
import { addTenant, NO_LIMIT, setPlan, type Tenant } from './support/tenants.ts';
import { type Counted, crowd, type Window, windowsOf } from './support/windows.ts';

const QUOTA = 500;
const INSTANCES = 4;
const CONNECTIONS = 64;
/** `Reset` is in whole seconds, so windows must lie further apart than its rounding. */
const WINDOW_SECONDS = 3;
const WINDOWS = sized({ small: 2, quick: 4, long: 10 });
const WARM_CONNECTIONS = 8;
const WARM_MS = 2_000;
const SHARE = QUOTA / INSTANCES;
const TOLD_WITHIN_MS = within(1_000);
/** Processes count each other every two seconds, and look for a lost Redis as often. */
const SETTLED_AFTER_MS = 2_500;

const end = lastFirst({ after });
let place: Env;
let database: Database;
let redis: RedisServer | null;
let instances: RunningInstance[];

before(async () => {
  place = await (await openGround(end)).place();
  database = openHandle(end, place.DATABASE_URL as string);
  redis = noRedis ? null : await openRedis(end);
  const env = {
    ...place,
    REDIS_URL: redis?.url ?? NO_REDIS,
    QUOTA_WINDOW_SECONDS: String(WINDOW_SECONDS),
  };
  instances = await Promise.all(Array.from({ length: INSTANCES }, () => startInstance(end, env)));
  await warmUp(instances);
});

test(`${INSTANCES} processes × ${CONNECTIONS} connections: exactly ${QUOTA} answers other than 429 in each window`, {
  skip: noRedis,
}, async (t) => {
  const tenant = await addTenant(database);

  const answers = await load(instances, tenant, WINDOWS);
  const windows = windowsOf(answers).slice(0, WINDOWS);
  for (const window of windows) assertExact(window);
  assertRemainingFalls(answers);

  const caller = openCaller((instances[0] as RunningInstance).url, tenant.key);
  const refusal = await caller.get('/v1/me');
  assert.equal(refusal.status, 429);
  await sleep(Number(refusal.headers['retry-after']) * 1000);
  const next = await caller.get('/v1/me');
  caller.close();
  assert.equal(next.status, 200, 'who waits Retry-After once is let in');

  reportFigure(
    t,
    `R12 quota: ${windows.map(({ admitted }) => admitted.length).join(', ')} admitted in ${WINDOWS} windows of ` +
      `${answers.length} requests, ${INSTANCES} processes × ${CONNECTIONS} connections`,
  );
});

test('a change of plan, quota or key holds in every process within a second', async (t) => {
  const tenant = await addTenant(database, { quota: NO_LIMIT });
  const other = await addTenant(database, { quota: NO_LIMIT });
  const delays: number[] = [];
  const change = async (
    whose: Tenant,
    act: () => Promise<unknown>,
    isReported: (answer: Answer) => boolean,
  ) => {
    delays.push(await untilEveryInstance(whose, act, isReported));
  };
  const planOf = (whose: Tenant, plan: 'basico' | 'experto', quota?: number) => () =>
    setPlan(database, whose.id, { plan, ...(quota !== undefined && { quota }) });
  const isLimit = (limit: number) => (answer: Answer) =>
    answer.headers['x-ratelimit-limit'] === String(limit);
  for (const whose of [tenant, other])
    await untilEveryInstance(whose, async () => {}, isLimit(NO_LIMIT));

  await change(
    tenant,
    planOf(tenant, 'basico'),
    ({ text }) => codeOf(text) === 'plan_does_not_include_api',
  );
  await change(tenant, planOf(tenant, 'experto', NO_LIMIT), ({ status }) => status === 200);
  await change(tenant, planOf(tenant, 'experto', NO_LIMIT + 1), isLimit(NO_LIMIT + 1));
  const revoke = () => database.write((handle) => revokeKey(handle, 'operator', tenant.keyId));
  await change(tenant, revoke, ({ text }) => codeOf(text) === 'api_key_revoked');
  await cutEveryLine(t);
  await change(other, planOf(other, 'experto', NO_LIMIT + 2), isLimit(NO_LIMIT + 2));

  reportFigure(
    t,
    `access: ${delays.map((delay) => Math.round(delay)).join(', ')} ms until a changed plan, quota or key held in ` +
      `${INSTANCES} processes, the last with every notice line cut`,
  );
});

test('a notice line that went dead without a word makes no process answer from old memory', {}, async (t) => {
  const own = lastFirst(t);
  const proxy = await openProxy(own, place.DATABASE_URL as string);
  const env = { DATABASE_URL: proxy.databaseUrl, REDIS_URL: NO_REDIS };
  const instance = await startInstance(own, env);
  const tenant = await addTenant(database, { quota: NO_LIMIT });
  const caller = openCaller(instance.url, tenant.key);
  own.after(caller.close);
  assert.equal((await caller.get('/v1/me')).status, 200);

  proxy.goDead('listen access');
  const startedAt = performance.now();
  await database.write((handle) => revokeKey(handle, 'operator', tenant.keyId));
  await eventually(async () => (await caller.get('/v1/me')).status === 401, within(10_000));

  const delay = Math.round(performance.now() - startedAt);
  assert.ok(delay <= TOLD_WITHIN_MS, `a revoked key worked for ${delay} ms more`);
  reportFigure(
    t,
    `access: ${delay} ms until a revoked key was refused by a process whose notice line was dead`,
  );
});

test('without Redis each process admits its share without a 500; with Redis back it is exact again', {
  skip: noRedisToKill,
}, async (t) => {
  const tenant = await addTenant(database);
  const server = redis as RedisServer;
  await sleep(SETTLED_AFTER_MS);
  const callers = instances.map(({ url }) => openCaller(url, tenant.key, CONNECTIONS));

  const crowded = crowd(callers, CONNECTIONS, '/v1/me');
  await sleep(1_000);
  await server.crash();
  await sleep(500);
  const afterCrash = crowded.answers.length;
  await sleep(2.5 * WINDOW_SECONDS * 1_000);
  await crowded.stop();
  for (const caller of callers) caller.close();
  assert.deepEqual(crowded.failures, []);
  assert.deepEqual(statusesOf(crowded.answers), [200, 429]);
  const shares = instances.flatMap((_, process) => {
    const own = crowded.answers.slice(afterCrash).filter((answer) => answer.process === process);
    // The first window began before we looked.
    return windowsOf(own).slice(1);
  });
  assert.ok(shares.length >= 2 * INSTANCES, `only ${shares.length} windows without Redis`);
  const usedUp = shares.filter(({ refused }) => refused > 0);
  for (const { admitted } of shares)
    assert.ok(admitted.length <= SHARE, `${admitted.length} admitted`);
  // On a busy machine a window may end before it was used up; those that were must be exact.
  for (const { admitted } of usedUp) assert.equal(admitted.length, SHARE);
  assert.ok(usedUp.length > 0, 'no window was used up');

  await server.start();
  await sleep(SETTLED_AFTER_MS + WINDOW_SECONDS * 1_000);
  const exactAgain = windowsOf(await load(instances, tenant, 1)).slice(0, 1);
  for (const window of exactAgain) assertExact(window);
  reportFigure(
    t,
    `quota without Redis: ${SHARE} admitted by each of ${INSTANCES} processes in each of ${shares.length} windows, 0 answers of 500; ` +
      `${exactAgain[0]?.admitted.length} in all when it was back`,
  );
});

test('one process is killed: the others go on to share exactly one quota', {
  skip: noRedis,
}, async (t) => {
  const [victim, ...others] = instances as [RunningInstance, ...RunningInstance[]];
  const tenant = await addTenant(database);
  await load([victim], tenant, 1);

  await victim.end('SIGKILL');
  await sleep(WINDOW_SECONDS * 1_000);
  const windows = windowsOf(await load(others, tenant, 1)).slice(0, 1);

  for (const window of windows) assertExact(window);
  reportFigure(
    t,
    `quota after a kill: ${windows[0]?.admitted.length} admitted by ${others.length} processes`,
  );
});

/** A cold process on a slow machine may answer a sudden crowd with 503, which the quota does not count. */
async function warmUp(at: readonly RunningInstance[]): Promise<void> {
  const { key } = await addTenant(database, { quota: NO_LIMIT });
  const callers = at.map(({ url }) => openCaller(url, key, WARM_CONNECTIONS));
  const crowded = crowd(callers, WARM_CONNECTIONS, '/v1/me');
  await sleep(WARM_MS);
  await crowded.stop();
  for (const caller of callers) caller.close();
}

/** All callers ask until so many windows were used up. */
async function load(
  at: readonly RunningInstance[],
  tenant: Tenant,
  windows: number,
): Promise<Counted[]> {
  const callers = at.map(({ url }) => openCaller(url, tenant.key, CONNECTIONS));
  const crowded = crowd(callers, CONNECTIONS, '/v1/me');
  const areOver = () =>
    windowsOf(crowded.answers).filter(({ refused }) => refused > 0).length >= windows;
  await eventually(areOver, within((windows + 1) * WINDOW_SECONDS * 1_000), 50);
  // What is on its way belongs to the last window too.
  await crowded.stop();
  for (const caller of callers) caller.close();
  assert.deepEqual(crowded.failures, []);
  return [...crowded.answers];
}

/** Each of the quota's places was given away once, and no other. */
function assertExact({ admitted, refused }: Window): void {
  assert.deepEqual(statusesOf(admitted), [200]);
  assert.equal(admitted.length, QUOTA);
  assert.ok(refused > 0, 'the window was not used up');
  const places = admitted.map(({ remaining }) => remaining).sort((a, b) => a - b);
  assert.deepEqual(
    places,
    Array.from({ length: QUOTA }, (_, place) => place),
  );
}

/** Within a window each caller sees what remains fall, and the same end. */
function assertRemainingFalls(answers: readonly Counted[]): void {
  for (const { admitted } of windowsOf(answers)) {
    const last = new Map<string, number>();
    for (const { process, connection, remaining } of admitted) {
      const caller = `${process}:${connection}`;
      assert.ok(remaining < (last.get(caller) ?? QUOTA), 'what remains falls');
      last.set(caller, remaining);
    }
  }
}

/** @returns the milliseconds from the change's commit until the last process showed it. */
async function untilEveryInstance(
  tenant: Tenant,
  act: () => Promise<unknown>,
  isReported: (answer: Answer) => boolean,
): Promise<number> {
  const callers = instances.map(({ url }) => openCaller(url, tenant.key));
  await act();
  const startedAt = performance.now();
  await Promise.all(
    callers.map(async (caller) => {
      let answer = await caller.get('/v1/me');
      while (!isReported(answer)) {
        const waited = performance.now() - startedAt;
        assert.ok(
          waited < TOLD_WITHIN_MS,
          `still ${answer.status} after ${waited} ms: ${answer.text}`,
        );
        await sleep(5);
        answer = await caller.get('/v1/me');
      }
    }),
  );
  const delay = performance.now() - startedAt;
  for (const caller of callers) caller.close();
  return delay;
}

/** The lines over which instances hear of changes end all at once, as when a firewall forgets them. */
async function cutEveryLine(t: TestContext): Promise<void> {
  const client = await openClient(lastFirst(t), place.DATABASE_URL as string);
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tianguis' and query in ('select 1', 'listen clock')`,
  );
  assert.ok((rowCount ?? 0) >= INSTANCES, `only ${rowCount} lines were cut`);
}

function codeOf(text: string): string | undefined {
  return JSON.parse(text).error?.code;
}
