import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openNetwork } from '../../src/platform/network.ts';

// A store that answers a hundred calls at once with 100 MB each: no answer is read beyond its
// limit, and no more of them are in memory than there are connections to one host.

const MEGABYTE = 1024 * 1024;
const CALLS = 100;
const ANSWER = 100 * MEGABYTE;
const LIMIT = 8 * MEGABYTE;
const CONNECTIONS = 32;
/** What lies in the buffers of a connection when it is closed. */
const ON_THE_WAY = 8 * MEGABYTE;

test('a hundred answers of 100 MB at once cost the memory of 32 limits at most', async (t) => {
  const part = Buffer.alloc(64 * 1024, 'x');
  const open = { now: 0, most: 0 };
  const sent: number[] = [];
  const server = createServer((_, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    void pour(response, part).then((bytes) => {
      open.now -= 1;
      sent.push(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const network = openNetwork();
  t.after(async () => {
    await network.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const before = process.memoryUsage().arrayBuffers;
  const peak = { bytes: 0, isOver: false };
  const watching = (async () => {
    while (!peak.isOver) {
      peak.bytes = Math.max(peak.bytes, process.memoryUsage().arrayBuffers - before);
      await sleep(5);
    }
  })();

  const outcomes = await Promise.allSettled(
    Array.from({ length: CALLS }, () =>
      network.send(
        { method: 'GET', url, headers: {} },
        { addresses: 'any', timeoutMilliseconds: 120_000, maximumBytes: LIMIT },
      ),
    ),
  );
  peak.isOver = true;
  await watching;

  const kinds = outcomes.map((one) => (one.status === 'rejected' ? one.reason.kind : 'read'));
  assert.deepEqual([...new Set(kinds)], ['too_large']);
  assert.ok(open.most <= CONNECTIONS, `${open.most} answers at once`);
  const most = Math.max(...sent);
  assert.ok(most <= LIMIT + ON_THE_WAY, `${most} bytes were taken of one answer`);
  t.diagnostic(
    `FIGURE ${CALLS} answers of 100 MB at once: ${Math.round(peak.bytes / MEGABYTE)} MB of buffers at most, ${open.most} answers under way`,
  );
  assert.ok(peak.bytes <= CONNECTIONS * (LIMIT + MEGABYTE), `${peak.bytes} bytes of buffers`);
});

/** @returns how many bytes the other end took before it left */
async function pour(response: ServerResponse, part: Buffer): Promise<number> {
  let bytes = 0;
  let isGone = false;
  const gone = once(response, 'close').then(() => {
    isGone = true;
  });
  while (bytes < ANSWER && !isGone) {
    bytes += part.length;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), gone]);
  }
  response.end();
  return bytes;
}
