import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { MercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { openCaller } from './support/api.ts';
import { connectShop } from './support/commands.ts';
import { startFlood } from './support/flood.ts';
import { openClient, openGround, openHandle } from './support/ground.ts';
import { openShops } from './support/many-orders.ts';
import { notice, openPlace, openShop } from './support/place.ts';
import { type Ending, eventually, lastFirst, startInstance } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import { descriptorsOf, megabytesOf } from './support/resources.ts';
import type { Vitals } from './support/vitals.ts';

// Hours at half the capacity: requests of the API, pushes of a marketplace and its sync runs, in
// rounds with a look at the process at rest after each. What grows with the number of requests is a
// leak.

const ROUND_SECONDS = sized({ small: 1, quick: 5, long: 60 });
/** `SOAK_MINUTES` makes it longer or shorter. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? sized({ small: 0.1, quick: 1, long: 60 }));
const ROUNDS = Math.max(6, Math.ceil((MINUTES * 60) / ROUND_SECONDS));
/** Until caches are full and code is compiled. */
const WARM_ROUNDS = sized({ small: 2, quick: 3, long: 5 });
const [ORGANISATIONS, ORDERS, SHOP_ORDERS] = [20, 50, 40];
const CALLERS = 4;
const MEASURED_SECONDS = sized({ small: 1, quick: 2, long: 10 });
/** So that what a request leaves is seen, also on a machine that has other work. */
const LEAST_PER_SECOND = 200;
const PUSH_EVERY_MS = 100;
const PATHS = [
  '/v1/orders',
  '/v1/orders?updated_since=2030-01-01T00:00:00Z',
  '/v1/orders/X0007-00000',
  '/v1/me',
  '/v1/nowhere',
].join(' ');
const AT_REST_MS = 300;
const LOOK_WITHIN_MS = 30_000;
/** Between the first and the last third of the rounds. */
const MOST_HEAP = sized({ small: 2, quick: 4, long: 4 });
const MOST_RESIDENT = sized({ small: 60, quick: 60, long: 40 });
const MOST_DESCRIPTORS = 3;
const MOST_TIMERS = 5;
/** Of `ROLE=all`: docs/running.md. */
const MOST_CONNECTIONS = 39;
const SERVED_WITHIN_MS = within(500);
/** A machine with other work may stall. */
const MOST_REFUSED = 0.01;

interface Look extends Vitals {
  readonly resident: number;
  /** Without those to the database. */
  readonly descriptors: number;
  readonly connections: number;
}

test(`${ROUNDS} rounds of ${ROUND_SECONDS} s at half the capacity: memory, descriptors, connections and listeners do not grow`, {
  timeout: 120_000 + 3 * MINUTES * 60_000,
}, async (t) => {
  const own = lastFirst(t);
  const { env, id, databaseUrl } = await openPlace(own, await openGround(own));
  const keys = await openShops(openHandle(own, databaseUrl), ORGANISATIONS, ORDERS);
  const shop = await openShop(own, SHOP_ORDERS);
  const client = await openClient(own, databaseUrl);
  const probe = new URL('./support/vitals.ts', import.meta.url).href;
  const printed: Vitals[] = [];
  const onLine = (line: string) =>
    line.startsWith('{"heap"') && printed.push(JSON.parse(line) as Vitals) > 0;
  const instance = await startInstance(
    own,
    { ...env, NODE_OPTIONS: `--import ${probe}` },
    { onLine },
  );
  await connectShop(own, env, id, shop);
  const flood = (seconds: number, load: string) =>
    startFlood(own, instance.url, { paths: PATHS, keys }, seconds, load);
  const looked: Look[] = [];
  const look = async () => {
    await sleep(AT_REST_MS);
    const seen = printed.length;
    instance.child.kill('SIGUSR2');
    assert.ok(await eventually(() => printed.length > seen, LOOK_WITHIN_MS), 'it does not answer');
    const vitals = printed.at(-1) as Vitals;
    const connections = await connectionsOf(client);
    const descriptors = descriptorsOf(instance.child.pid) - connections;
    looked.push({ ...vitals, resident: megabytesOf(instance.child.pid), descriptors, connections });
  };

  await flood(MEASURED_SECONDS, `closed:${CALLERS}`);
  const capacity = answeredPerSecond(await flood(MEASURED_SECONDS, `closed:${CALLERS}`));
  const perSecond = Math.max(LEAST_PER_SECOND, Math.round(capacity / 2));
  const pushes = openPushes(own, instance.url, shop);
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  for (let round = 1; round <= WARM_ROUNDS + ROUNDS; round++) {
    const flooded = await flood(ROUND_SECONDS, `open:${perSecond}`);
    if (round <= WARM_ROUNDS) continue;
    for (const [status, count] of Object.entries(flooded.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
    times.push(flooded.served.p99);
    await look();
  }
  await pushes.stop();

  const growth = (of: (look: Look) => number) => {
    const third = Math.floor(looked.length / 3);
    return median(looked.slice(-third).map(of)) - median(looked.slice(0, third).map(of));
  };
  const [heap, resident] = [growth((one) => one.heap), growth((one) => one.resident)];
  const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const last = looked.at(-1) as Look;
  reportFigure(
    t,
    `R16 soak: ${((ROUNDS * ROUND_SECONDS) / 60).toFixed(1)} minutes at ${perSecond} requests a second (${capacity.toFixed(0)} can be done), ${requests} in all, ` +
      `${pushes.sent()} pushes: heap ${last.heap.toFixed(1)} MB, ${heap.toFixed(1)} MB more in the last third than in the first; ` +
      `resident ${last.resident.toFixed(0)} MB, ${resident.toFixed(1)} MB more; ${last.descriptors} descriptors, ` +
      `${last.connections} connections; p99 ${median(times).toFixed(0)} ms (median of the rounds)`,
  );
  const { 200: served, 404: missed, 503: refused = 0, ...others } = statuses;
  assert.ok(served && missed);
  assert.ok(refused <= MOST_REFUSED * requests, `${refused} of ${requests} were refused`);
  assert.deepEqual(others, {});
  assert.ok(heap <= MOST_HEAP, `the heap grew by ${heap} MB: ${looked.map((one) => one.heap)}`);
  assert.ok(resident <= MOST_RESIDENT, `the memory grew by ${resident} MB`);
  const more = (of: (look: Look) => number) => Math.round(growth(of));
  assert.ok(more((one) => one.descriptors) <= MOST_DESCRIPTORS, 'descriptors are left open');
  assert.equal(
    more((one) => one.listeners),
    0,
    'listeners are left',
  );
  assert.ok(more((one) => one.timers) <= MOST_TIMERS, 'timers are left');
  const most = Math.max(...looked.map((one) => one.connections));
  assert.ok(most <= MOST_CONNECTIONS, `${most} connections to the database`);
  assert.deepEqual(
    instance.lines.filter((line) => line.includes('MaxListeners')),
    [],
  );
  assert.ok(median(times) <= SERVED_WITHIN_MS, `p99 of ${median(times)} ms`);
});

/** Pushes of orders of the shop, one after the other; a machine with other work may refuse one. */
function openPushes(own: Ending, url: string, shop: MercadoLibre) {
  const caller = openCaller(url, null);
  own.after(caller.close);
  let [sent, goesOn] = [0, true];
  const pushing = (async () => {
    while (goesOn) {
      const body = notice(shop, 1 + (sent % SHOP_ORDERS));
      const { status, text } = await caller.post('/api/webhooks/mercado_libre', body);
      assert.ok(status === 200 || status === 503, text);
      if (status === 200) sent++;
      await sleep(PUSH_EVERY_MS);
    }
  })();
  pushing.catch(() => {});
  return {
    sent: () => sent,
    stop() {
      goesOn = false;
      return pushing;
    },
  };
}

function answeredPerSecond({ statuses }: { readonly statuses: Readonly<Record<string, number>> }) {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0) / MEASURED_SECONDS;
}

/** Those of the instance are younger than the one that asks. */
async function connectionsOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database()
      and backend_start > (select backend_start from pg_stat_activity where pid = pg_backend_pid())`,
  );
  return rows[0]?.count ?? 0;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
