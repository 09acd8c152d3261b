import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Network, openNetwork } from '../../src/platform/network.ts';

// Stores that answer with 100 MB: no answer is read beyond its limit, no more of them are in memory
// than there are connections to one host, and those of all hosts share one room.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEGABYTE = 1024 * 1024;
const CALLS = 100;
const ANSWER = 100 * MEGABYTE;
const LIMIT = 8 * MEGABYTE;
const CONNECTIONS = 32;
const HOSTS = 30;
/** What each connection has of both ends beside its answer. */
const AROUND = 2 * MEGABYTE;
/** Of all answers above a quarter of a megabyte. */
const SHARED = 12 * LIMIT;
/** What lies in the buffers of a connection when it is closed: Linux lets them grow to so much. */
const ON_THE_WAY = 36 * MEGABYTE;

test('a hundred answers of 100 MB at once cost the memory of twelve limits at most', {
  tags: ['slow'],
}, async (t) => {
  const store = await openStore(t, ANSWER);
  const network = openNetwork();
  t.after(() => network.close());
  const bound = SHARED + CONNECTIONS * AROUND;
  const { settled, peak } = await watched(bound, () =>
    Array.from({ length: CALLS }, () => ask(network, store.url)),
  );

  assert.deepEqual([...new Set(settled)], ['too_large']);
  assert.ok(store.open.most <= CONNECTIONS, `${store.open.most} answers at once`);
  const most = Math.max(...store.sent);
  assert.ok(most <= LIMIT + ON_THE_WAY, `${most} bytes were taken of one answer`);
  t.diagnostic(
    `FIGURE ${CALLS} answers of 100 MB at once: ${Math.round(peak / MEGABYTE)} MB of buffers at most, ${store.open.most} answers under way`,
  );
  assert.ok(peak <= bound, `${peak} bytes of buffers`);
});

test('thirty hosts with 100 MB each share the memory of twelve limits, and an honest answer arrives whole', {
  tags: ['slow'],
}, async (t) => {
  const hostile = await Promise.all(Array.from({ length: HOSTS }, () => openStore(t, ANSWER)));
  const honest = await openStore(t, LIMIT / 2);
  const network = openNetwork();
  t.after(() => network.close());
  const bound = SHARED + (HOSTS + 1) * AROUND;
  const { settled, peak } = await watched(bound, () =>
    [...hostile, honest].map(({ url }) => ask(network, url)),
  );

  assert.deepEqual(settled, [...Array(HOSTS).fill('too_large'), LIMIT / 2]);
  t.diagnostic(
    `FIGURE ${HOSTS} hosts with 100 MB each: ${Math.round(peak / MEGABYTE)} MB of buffers at most`,
  );
  assert.ok(peak <= bound, `${peak} bytes of buffers`);
});

interface Store {
  readonly url: string;
  /** Answers under way. */
  readonly open: { now: number; most: number };
  /** Of each answer that ended. */
  readonly sent: number[];
}

async function openStore(t: TestContext, bytes: number): Promise<Store> {
  const part = Buffer.alloc(64 * 1024, 'x');
  const open = { now: 0, most: 0 };
  const sent: number[] = [];
  const server = createServer((_, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    void pour(response, part, bytes).then((taken) => {
      open.now -= 1;
      sent.push(taken);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open, sent };
}

/** @returns the length of the answer, or the kind of the error */
function ask(network: Network, url: string): Promise<number | string> {
  return network
    .send(
      { method: 'GET', url, headers: {} },
      { addresses: 'any', timeoutMilliseconds: 120_000, maximumBytes: LIMIT },
    )
    .then(
      ({ body }) => body.length,
      ({ kind }) => kind,
    );
}

/**
 * What became of all, and the most bytes of buffers in use meanwhile. Beyond the bound, garbage does
 * not count.
 */
async function watched<T>(bound: number, begin: () => readonly Promise<T>[]) {
  const before = process.memoryUsage().arrayBuffers;
  const used = () => process.memoryUsage().arrayBuffers - before;
  let peak = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      // A collection walks the whole heap, which in a process of many tests takes long.
      if (used() > bound) collectGarbage();
      peak = Math.max(peak, used());
      await sleep(20);
    }
  })();
  const settled = await Promise.all(begin());
  isOver = true;
  await watching;
  return { settled, peak };
}

/** @returns how many bytes the other end took before it left */
async function pour(response: ServerResponse, part: Buffer, most: number): Promise<number> {
  let bytes = 0;
  let isGone = false;
  const gone = once(response, 'close').then(() => {
    isGone = true;
  });
  while (bytes < most && !isGone) {
    bytes += part.length;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), gone]);
  }
  response.end();
  return bytes;
}
