import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { startZipnova, type Zipnova } from '../../simulators/zipnova/index.ts';
import type { Call } from '../../src/connectors/contract.ts';
import { UpstreamError } from '../../src/connectors/upstream-error.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { openConnection } from '../../src/exchange/wire/open-connection.ts';
import { connectionById } from '../../src/features/connections/index.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { type TurnedClock, turnedClock } from '../support/clock.ts';
import { freshDatabase } from '../support/server.ts';
import { noRedis, noRedisToKill, openRedis } from './support/redis.ts';

// Zipnova counts the calls of an address, for all callers: never more than 800 of ours in any 60
// seconds.

const MOST = 800;
const ORGANIZATIONS = 3;
const AT_ONCE = 8;

test('three organisations of one process share one window', async (t) => {
  const stage = await openStage(t, [{}]);

  await stage.callAll(700);

  assertUsed(stage.sim.busiest());
});

test('three organisations of two processes share one window', {
  skip: noRedis,
}, async (t) => {
  const { url } = await openRedis(t);
  const stage = await openStage(t, [{ REDIS_URL: url }, { REDIS_URL: url }]);

  await stage.callAll(400);

  assertUsed(stage.sim.busiest());
});

test('while Redis is away each process keeps to its share, and what was used before is not forgotten', {
  skip: noRedisToKill,
}, async (t) => {
  const redis = await openRedis(t);
  const stage = await openStage(t, [{ REDIS_URL: redis.url }, { REDIS_URL: redis.url }]);
  await stage.callAll(100);
  await redis.crash();

  await stage.callAll(300);

  assert.ok(stage.sim.busiest() <= MOST, `${stage.sim.busiest()} calls in one minute`);
});

/** Never more, and hardly less: the limit is there to be used. */
function assertUsed(busiest: number): void {
  assert.ok(busiest <= MOST, `${busiest} calls in one minute`);
  assert.ok(busiest > MOST * 0.95, `only ${busiest} calls in the busiest minute`);
}

interface Stage {
  readonly sim: Zipnova;
  /** So many calls of every organisation in every process, side by side, until all are made. */
  callAll(each: number): Promise<void>;
}

async function openStage(
  t: TestContext,
  environments: readonly Record<string, string>[],
): Promise<Stage> {
  const clock = turnedClock();
  const database = await freshDatabase();
  const sim = await startZipnova({
    seed: t.name,
    now: () => clock.now().epochMilliseconds,
    perMinute: 1e9,
  });
  t.after(sim.close);
  const master = randomBytes(32).toString('base64');
  const instances: TestApp[] = [];
  for (const env of environments)
    instances.push(await openApp(t, { clock, database, env: { ...env, MASTER_KEY: master } }));
  const [first] = instances as [TestApp];
  const calls: Call<unknown>[] = [];
  for (let count = 0; count < ORGANIZATIONS; count++) {
    const { organization } = await first.tenant();
    const typed = {
      organizationId: organization.id,
      service: 'zipnova' as const,
      credentials: sim.credentials(),
      baseUrl: sim.url,
    };
    const { connectionId } = await connect(first.app.exchange, typed);
    for (const { app: instance } of instances) {
      const connection = await instance.database
        .within(organization.id)
        .read((scope) => connectionById(scope, connectionId));
      assert.ok(connection);
      calls.push(openConnection(instance.exchange, connection).call);
    }
  }
  return {
    sim,
    async callAll(each) {
      const lines = calls.flatMap((call) =>
        Array.from({ length: AT_ONCE }, (_, line) =>
          callMany(clock, call, Math.floor((each + line) / AT_ONCE)),
        ),
      );
      await Promise.all(lines);
    },
  };
}

async function callMany(clock: TurnedClock, call: Call<unknown>, count: number): Promise<void> {
  for (let made = 0; made < count; ) {
    try {
      await call.request({ method: 'GET', path: '/accounts' });
      made += 1;
    } catch (error) {
      // Its turn is too far off: the engine comes back later, and so does this.
      if (!(error instanceof UpstreamError) || error.kind !== 'paced') throw error;
      await clock.sleep(Math.min((error.retryAfter ?? 1) * 1000, 5_000));
    }
  }
}
