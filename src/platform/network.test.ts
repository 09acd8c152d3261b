import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openNetwork } from './network.ts';

// A server in a thread of its own answers while this one is busy.

const TIMEOUT_MS = 2_000;
/** What the signal between the threads says. */
const ASKED = 1;
const ANSWERED = 2;

const SERVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const { signal, size } = workerData;
  const say = (word) => {
    Atomics.store(signal, 0, word);
    Atomics.notify(signal, 0);
  };
  const server = createServer((_, response) => {
    parentPort.postMessage('asked');
    // Answers once the other thread is busy.
    Atomics.wait(signal, 0, 0);
    if (size !== null) response.end('x'.repeat(size), () => say(${ANSWERED}));
    else say(${ANSWERED});
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

for (const [what, size] of [
  ['an answer', 10],
  // As much as lies in the socket's buffers takes more than one turn to read.
  ['a large answer', 1_500_000],
] as const)
  test(`${what} that came in time counts, though the process was busy`, {
    tags: ['slow'],
  }, async (t) => {
    const { sending } = await askAndBeBusy(t, size);

    assert.equal((await sending).body.length, size);
  });

test('no answer at all is a time-out, busy or not', { tags: ['slow'] }, async (t) => {
  const { sending } = await askAndBeBusy(t, null);

  await assert.rejects(sending, { kind: 'timeout' });
});

test('a byte order mark, as some stores write it before their JSON, is no part of the answer', async (t) => {
  const server = createServer((_, response) => response.end('\ufeff{"a":1}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const network = openNetwork();
  t.after(async () => {
    await network.close();
    server.close();
  });
  const { port } = server.address() as { port: number };

  const { body } = await network.send(
    { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} },
    { addresses: 'any', timeoutMilliseconds: 10 * TIMEOUT_MS, maximumBytes: 100 },
  );

  assert.equal(body, '{"a":1}');
});

/**
 * Asks, and does nothing else from then on until the answer came and the time for it is over.
 * @param size null = none
 */
async function askAndBeBusy(t: TestContext, size: number | null) {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(SERVER, { eval: true, workerData: { signal, size } });
  const network = openNetwork();
  t.after(async () => {
    await network.close();
    await server.terminate();
  });
  const [port] = await once(server, 'message');
  const sending = network.send(
    { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} },
    { addresses: 'any', timeoutMilliseconds: TIMEOUT_MS, maximumBytes: 8_000_000 },
  );
  sending.catch(() => {});
  await once(server, 'message');
  Atomics.store(signal, 0, ASKED);
  Atomics.notify(signal, 0);
  Atomics.wait(signal, 0, ASKED, 10_000);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TIMEOUT_MS);
  return { sending };
}
