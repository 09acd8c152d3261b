import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCaller } from './support/api.ts';
import { openGround } from './support/ground.ts';
import { openPlace } from './support/place.ts';
import { type Ending, lastFirst, startInstance } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { megabytesOf } from './support/resources.ts';

// Callers that send a request byte by byte, as slowhttptest does, or do not read. The fast tests of this promise are
// in tests/spec/limits.test.ts.

const CALLERS = sized({ small: 300, quick: 1_500, long: 8_000 });
/** Opened at a time, every 100 ms. */
const WAVE = 50;
const CLOSED_WITHIN_MS = within(10_000);
const P99_MS = within(250);
const MOST_MEGABYTES = 150;
/** Beyond the limit of a request and its grace. */
const ENDED_WITHIN_MS = 60_000;
const READERS = sized({ small: 20, quick: 60, long: 300 });
/** Together more than the system takes of them. */
const ANSWERS = 100;
const FIRST_LINE = 'HTTP/1.1 200';
const LARGE_ANSWER = '/v1/openapi.json';
/** Node closes after two periods without progress, each the limit of a request and its grace. */
const UNREAD_FOR_MS = 30_000;
const SLOW_HEADERS = 'GET /v1/me HTTP/1.1\r\nHost: a\r\n';
const SLOW_BODY =
  'POST /api/webhooks/mercado_libre HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';

test(`${CALLERS} callers that send a request byte by byte are closed, and others are answered as ever`, {
  timeout: 300_000,
}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, await openGround(own));
  const instance = await startInstance(own, place.env);
  const caller = openCaller(instance.url, place.key);
  own.after(caller.close);
  const times: number[] = [];
  const ask = async () => {
    const answer = await caller.get('/v1/me');
    assert.equal(answer.status, 200);
    times.push(answer.milliseconds);
  };
  for (let request = 0; request < 200; request++) await ask();
  const quiet = p99(times.splice(0));
  const before = megabytesOf(instance.child.pid);

  const began = performance.now();
  const headers: Promise<number>[] = [];
  const bodies: Promise<number>[] = [];
  let left = 0;
  let most = 0;
  while (headers.length + bodies.length < CALLERS) {
    for (let count = 0; count < WAVE; count++) {
      const isBody = count % 5 === 0;
      const closed = dawdle(own, instance.url, isBody ? SLOW_BODY : SLOW_HEADERS).finally(() => {
        left++;
      });
      (isBody ? bodies : headers).push(closed);
    }
    await Promise.all([ask(), sleep(100)]);
    most = Math.max(most, headers.length + bodies.length - left);
  }
  while (left < CALLERS && performance.now() - began < ENDED_WITHIN_MS) {
    await ask();
    await sleep(20);
  }
  const more = megabytesOf(instance.child.pid) - before;

  assert.equal(left, CALLERS, `${CALLERS - left} slow callers are still connected`);
  const longest = Math.max(...(await Promise.all(headers)));
  await Promise.all(bodies);
  assert.ok(
    longest <= CLOSED_WITHIN_MS,
    `slow headers were taken for ${Math.round(longest)} ms, not ${CLOSED_WITHIN_MS} at most`,
  );
  const busy = p99(times);
  assert.ok(busy <= Math.max(P99_MS, 3 * quiet), `p99 of others ${busy} ms, ${quiet} ms before`);
  assert.ok(more <= MOST_MEGABYTES, `${more} MB more`);
  reportFigure(
    t,
    `R10 slow callers: ${CALLERS}, ${most} at a time headers closed after ${(longest / 1_000).toFixed(1)} s at most; ` +
      `others p99 ${busy.toFixed(0)} ms (${quiet.toFixed(0)} ms without them), ${more.toFixed(0)} MB more`,
  );
});

test(`${READERS} callers that read no answer are closed, and hold no answers in memory`, {
  timeout: 300_000,
}, async (t) => {
  const own = lastFirst(t);
  const place = await openPlace(own, await openGround(own));
  const instance = await startInstance(own, { ...place.env, REQUEST_TIMEOUT_SECONDS: '2' });
  const caller = openCaller(instance.url, place.key);
  own.after(caller.close);
  await caller.get(LARGE_ANSWER);
  const usual: number[] = [];
  for (let request = 0; request < 200; request++)
    usual.push((await caller.get('/v1/me')).milliseconds);
  const quiet = p99(usual);
  const before = megabytesOf(instance.child.pid);

  const readers = Array.from({ length: READERS }, () => openReader(own, instance.url));
  let most = 0;
  const times: number[] = [];
  const began = performance.now();
  while (performance.now() - began < UNREAD_FOR_MS) {
    const answer = await caller.get('/v1/me');
    assert.equal(answer.status, 200);
    times.push(answer.milliseconds);
    most = Math.max(most, megabytesOf(instance.child.pid) - before);
    await sleep(200);
  }
  const answered = await Promise.all(readers.map((reader) => reader.readAll()));

  const whole = answered.filter((answers) => answers === ANSWERS).length;
  assert.equal(whole, 0, `${whole} callers that did not read were kept`);
  assert.ok(most <= MOST_MEGABYTES, `${most} MB more`);
  const busy = p99(times);
  assert.ok(busy <= Math.max(P99_MS, 3 * quiet), `p99 of others ${busy} ms, ${quiet} ms before`);
  reportFigure(
    t,
    `slow readers: ${READERS} callers that asked ${ANSWERS} times and read nothing, all closed; ` +
      `others p99 ${busy.toFixed(0)} ms, ${most.toFixed(0)} MB more`,
  );
});

/** Asks for many answers at once and reads none of them. */
function openReader(own: Ending, url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  own.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${LARGE_ANSWER} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(ANSWERS));
  return {
    /** @returns how many answers began to come, until the last one or the end of the connection */
    readAll(): Promise<number> {
      let seen = 0;
      let tail = '';
      return new Promise((resolve) => {
        if (socket.destroyed) return resolve(seen);
        socket.once('close', () => resolve(seen));
        socket.on('data', (bytes) => {
          const text = tail + bytes.toString('latin1');
          seen += text.split(FIRST_LINE).length - 1;
          tail = text.slice(-(FIRST_LINE.length - 1));
          if (seen === ANSWERS) resolve(seen);
        });
        socket.resume();
      });
    },
  };
}

/**
 * Sends the beginning of a request, then a byte or a header at a time.
 * @returns milliseconds until it is closed
 */
function dawdle(own: Ending, url: string, beginning: string): Promise<number> {
  const began = performance.now();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  own.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.resume();
  socket.write(beginning);
  const more = beginning.endsWith('\r\n\r\n') ? ' ' : 'X-A: b\r\n';
  const timer = setInterval(() => socket.write(more), 700);
  return new Promise((resolve) =>
    socket.once('close', () => {
      clearInterval(timer);
      resolve(performance.now() - began);
    }),
  );
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}
