import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ending, lastFirst, type Running, startProgram } from './support/processes.ts';
import { reportFigure } from './support/profile.ts';
import { noRedisToKill, openRedis } from './support/redis.ts';

// Four processes call one service for one connection: its limit holds for all of them together.

const PROCESSES = 4;
const PER_SECOND = 20;
const BURST = 20;
const PHASE_MS = 6_000;
/** Calls that a busy machine delivers later than they were made. */
const DELAYED = PER_SECOND;

test('four processes never make more calls than the limit, also when one is killed and when Redis is', {
  skip: noRedisToKill,
}, async (t) => {
  const { service, redis, callers } = await openStage(t);
  const phases: number[] = [];
  const phase = async () => {
    const before = service.calls();
    const startedAt = performance.now();
    await sleep(PHASE_MS);
    const calls = service.calls() - before;
    const seconds = (performance.now() - startedAt) / 1000;
    assert.ok(calls > 0, 'no call was made');
    const most = PER_SECOND * seconds + BURST + DELAYED;
    assert.ok(calls <= most, `${calls} calls in ${seconds.toFixed(1)} s`);
    phases.push(calls);
  };

  await service.called();
  await phase();
  await callers[0]?.end('SIGKILL');
  await phase();
  await redis.crash();
  await phase();
  await redis.start();
  await phase();

  reportFigure(
    t,
    `shared limits: ${phases.join(', ')} calls in ${PHASE_MS / 1000} s each of ${PROCESSES} processes with a limit of ` +
      `${PER_SECOND} a second: together, after a kill, without Redis, with Redis again`,
  );
});

test('a service that fails gets three calls of four processes, and then one a minute', {
  skip: noRedisToKill,
}, async (t) => {
  const { service, callers } = await openStage(t, 503);

  await service.called();
  await sleep(PHASE_MS);

  // Calls that were under way together when the third failed.
  const most = 3 + 2 * callers.length;
  assert.ok(service.calls() <= most, `${service.calls()} calls`);
  reportFigure(
    t,
    `shared breaker: ${service.calls()} calls of ${PROCESSES} processes to a service that fails`,
  );
});

async function openStage(t: TestContext, status = 200) {
  const end = lastFirst(t);
  const redis = await openRedis(end);
  const service = await openService(end, status);
  const args = [redis.url, service.url, String(PER_SECOND * 60), String(BURST)];
  const callers: Running[] = Array.from({ length: PROCESSES }, () =>
    startProgram(end, 'tests/reliability/support/limited-caller.ts', args),
  );
  return { redis, service, callers };
}

async function openService(t: Ending, status: number) {
  let calls = 0;
  const first = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    calls += 1;
    first.resolve();
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls: () => calls, called: () => first.promise };
}
