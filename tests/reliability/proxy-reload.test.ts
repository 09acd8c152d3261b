import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { soon } from '../spec/support/soon.ts';
import { HAPROXY_CONFIGURATION, noHaproxy } from './support/haproxy.ts';
import { lastFirst } from './support/processes.ts';
import { freePort } from './support/redis.ts';

// The proxy of `deploy/` is reloaded for each new certificate.

test('a reload of HAProxy answers the next request of each kept connection', {
  skip: noHaproxy,
}, async (t) => {
  const own = lastFirst(t);
  const service = createServer((_, response) => response.end('well'));
  await once(service.listen(0, '127.0.0.1'), 'listening');
  own.after(() => service.close());
  const api = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    TIANGUIS_BIND: `127.0.0.1:${port}`,
    ...{ TIANGUIS_API_1: api, TIANGUIS_API_2: api },
  };
  const master = spawn('haproxy', ['-W', '-db', '-f', HAPROXY_CONFIGURATION], { env });
  let log = '';
  for (const stream of [master.stdout, master.stderr])
    stream.on('data', (part) => {
      log += part;
    });
  own.after(async () => {
    master.kill('SIGTERM');
    await once(master, 'exit');
  });
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  own.after(() => kept.destroy());
  const ask = async () => {
    const request = get({ host: '127.0.0.1', port, agent: kept });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return { status: answer.statusCode, isReused: request.reusedSocket };
  };
  await soon(async () => assert.equal((await ask()).status, 200), 10_000);

  // HAProxy loses a signal that comes while it starts.
  await soon(async () => {
    master.kill('SIGUSR2');
    await sleep(500);
    assert.ok((log.match(/Loading success/g)?.length ?? 0) > 1, log);
  });

  assert.deepEqual(await ask(), { status: 200, isReused: true });
  await soon(async () => assert.deepEqual(await ask(), { status: 200, isReused: false }));
});
