import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, openCaller } from './support/api.ts';
import { startFlood } from './support/flood.ts';
import { openGround, openHandle } from './support/ground.ts';
import { openShops } from './support/many-orders.ts';
import { lastFirst, startInstance } from './support/processes.ts';
import { atLeast, reportFigure, sized, within } from './support/profile.ts';
import { openProxy } from './support/proxy.ts';
import { megabytesOf } from './support/resources.ts';

// More requests than the database can do: as many are served as ever, the others are refused at
// once, and the line is short again as soon as the flood is over. Answers of the database take long
// here, longer than over a network: so the database is what limits it, also on a machine whose cores
// are busy with other work.

const ORGANISATIONS = 20;
const ORDERS = 20;
const DATABASE_MS = 120;
/** More than there are connections to read with. */
const CALLERS = 26;
const TIMES = 3;
const MEASURED_SECONDS = sized({ small: 3, quick: 5, long: 10 });
const FLOOD_SECONDS = sized({ small: 6, quick: 15, long: 60 });
const WARM_SECONDS = 1;
const GOODPUT = atLeast(0.9);
const AS_BEFORE = atLeast(0.85);
/** Two lines of a second, one for the clock of the organisation, and the answers themselves. */
const SERVED_WITHIN_MS = within(5_000);
const REFUSED_WITHIN_MS = within(250);
const NEIGHBOUR_WITHIN_MS = within(1_500);
const NEIGHBOUR_EVERY_MS = 200;
const MOST_MEGABYTES = 512;
const PATH = '/v1/orders';

test(`${TIMES} times as many requests as can be done: as many are served as ever, the others refused at once`, {
  timeout: 300_000,
}, async (t) => {
  const own = lastFirst(t);
  const env = await (await openGround(own)).place();
  const databaseUrl = env.DATABASE_URL as string;
  const database = openHandle(own, databaseUrl);
  const [neighbour = '', ...keys] = await openShops(database, 1 + ORGANISATIONS, ORDERS);
  const proxy = await openProxy(own, databaseUrl);
  const instance = await startInstance(own, { DATABASE_URL: proxy.databaseUrl });
  const flood = (seconds: number, load: string) =>
    startFlood(own, instance.url, { paths: PATH, keys }, seconds, load);
  const caller = openCaller(instance.url, neighbour);
  own.after(caller.close);
  proxy.slowDown(DATABASE_MS);

  await flood(WARM_SECONDS, `closed:${CALLERS}`);
  const { servedPerSecond: capacity } = await flood(MEASURED_SECONDS, `closed:${CALLERS}`);
  const flooding = flood(FLOOD_SECONDS, `open:${Math.round(TIMES * capacity)}`);
  const ofNeighbour = await askUntil(flooding, caller);
  const flooded = await flooding;
  const megabytes = megabytesOf(instance.child.pid);
  const { servedPerSecond: afterwards } = await flood(MEASURED_SECONDS, `closed:${CALLERS}`);

  const share = flooded.servedPerSecond / capacity;
  reportFigure(
    t,
    `R13 overload: ${flooded.sentPerSecond.toFixed(0)} requests a second of ${keys.length} organisations where ${capacity.toFixed(0)} can be done: ` +
      `${flooded.servedPerSecond.toFixed(0)} served a second (${(100 * share).toFixed(0)} %), p99 ${flooded.served.p99.toFixed(0)} ms; ` +
      `refused after ${flooded.refused.median.toFixed(0)} ms (median); a quiet organisation answered after ` +
      `${Math.max(...ofNeighbour).toFixed(0)} ms at most; ${megabytes.toFixed(0)} MB; afterwards ${afterwards.toFixed(0)} a second`,
  );
  assert.ok(flooded.served.p99 <= SERVED_WITHIN_MS, `served after ${flooded.served.p99} ms`);
  const { 200: served, 503: refused, ...others } = flooded.statuses;
  assert.deepEqual(others, {}, 'only 200 and 503');
  assert.ok(served && refused, 'some are served, some refused');
  assert.ok(
    flooded.sentPerSecond >= 0.9 * TIMES * capacity,
    `only ${flooded.sentPerSecond} requests a second were sent, where ${capacity} can be done`,
  );
  assert.ok(share >= GOODPUT, `goodput fell to ${share} of the capacity`);
  assert.ok(flooded.refused.median <= REFUSED_WITHIN_MS, 'refusals take long');
  assert.equal(flooded.withoutRetryAfter, 0);
  assert.ok(Math.max(...ofNeighbour) <= NEIGHBOUR_WITHIN_MS, `a quiet one waits: ${ofNeighbour}`);
  assert.ok(megabytes <= MOST_MEGABYTES, `${megabytes} MB`);
  assert.ok(afterwards >= AS_BEFORE * capacity, `${afterwards} a second, ${capacity} before`);
});

/** @returns the milliseconds of each answer, all of them 200 */
async function askUntil(end: Promise<unknown>, caller: Caller): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { status, text, milliseconds } = await caller.get(PATH);
    assert.equal(status, 200, text);
    times.push(milliseconds);
    await Promise.race([over, sleep(NEIGHBOUR_EVERY_MS)]);
  }
  return times;
}
