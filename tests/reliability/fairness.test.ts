import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WooCommerce } from '../../simulators/woocommerce/index.ts';
import type { TestApp } from '../support/app.ts';
import { query } from '../support/market.ts';
import { eventually, lastFirst } from './support/processes.ts';
import { reportFigure, sized, within } from './support/profile.ts';
import {
  type ConnectedStore,
  connectFront,
  type Front,
  openFront,
  openRealInstance,
  openStore,
  untilStored,
} from './support/stores.ts';

// Stores that hang and imports without an end are no load for others: the store beside them is
// served as ever.

const HANGING = sized({ small: 20, quick: 60, long: 60 });
const ENDLESS = sized({ small: 2, quick: 4, long: 4 });
/** Pages that no import of this test gets through. */
const ENDLESS_ORDERS = sized({ small: 3_000, quick: 8_000, long: 8_000 });
const ENDLESS_DELAY_MS = 300;
const SAMPLES = sized({ small: 3, quick: 5, long: 10 });
const FIRST_ORDER_WITHIN_MS = 10_000;
const PUSH_WITHIN_MS = 2_000;
/** A tick comes every second, so less than this says nothing. */
const LEAST_DELAY_MS = 1_000;
/**
 * What a webhook takes at most when all is quiet; where it takes longer the machine is slow, and
 * all bounds grow with it.
 */
const QUIET_PUSH_MS = 200;
/** A store that answers later than that counts as one that hangs. */
const LONGEST_ENDLESS_DELAY_MS = 3_000;
const GIVEN_UP_AFTER_MS = 60_000;
const CALLS_ALLOWED_AGAIN_MS = 1_500;
const ALL_CALLS_ALLOWED_MS = 6_000;

test(`${HANGING} hanging stores and ${ENDLESS} endless imports beside one healthy store`, {
  timeout: 600_000,
}, async (t) => {
  const end = lastFirst(t);
  const own = await openRealInstance(end);
  const healthy = await openStore(end, 'healthy', 1);
  const many = await openStore(end, 'many', 2);
  const large = await openStore(end, 'large', ENDLESS_ORDERS);
  const hanging: Front[] = [];
  const dead: ConnectedStore[] = [];
  for (let store = 0; store < HANGING; store++) {
    const front = await openFront(end, many);
    hanging.push(front);
    dead.push(await connectFront(own, many, front.url));
  }
  const quietStore = await connectFront(own, healthy, (await openFront(end, healthy)).url);
  assert.ok(
    await eventually(async () => (await registered(many)) === HANGING, 120_000, 100),
    'not registered',
  );
  assert.ok(
    await eventually(() => jobsAreDone(own), within(60_000), 200),
    'the instance does not come to rest',
  );
  const quiet = await delays(own, healthy, quietStore);
  const quietPushes = await pushed(own, healthy, quietStore);
  const slowness = Math.max(1, Math.max(...quietPushes) / QUIET_PUSH_MS);

  for (const front of hanging) front.isHanging = true;
  await query(own, "update schedules set due_at = now() where task = 'sync'");
  // Each of the hanging stores notifies an order.
  many.world.pay(many.world.place().id);
  const reported = await many.webhooks.flush();
  const amidHanging = await pushed(own, healthy, quietStore);
  const endless: ConnectedStore[] = [];
  for (let store = 0; store < ENDLESS; store++) {
    const front = await openFront(end, large);
    front.delay = Math.min(LONGEST_ENDLESS_DELAY_MS, ENDLESS_DELAY_MS * slowness);
    endless.push(await connectFront(own, large, front.url));
  }
  await sleep(2_000);
  const newcomer = await openStore(end, 'newcomer', 1);
  const [order] = newcomer.world.orders();
  const startedAt = performance.now();
  const store = await connectFront(own, newcomer, (await openFront(end, newcomer)).url);
  await untilStored(own, store, order?.id ?? '', 'paid', GIVEN_UP_AFTER_MS);
  const first = performance.now() - startedAt;
  assert.ok(
    await eventually(() => newcomer.webhooks.all.length >= 6, within(30_000), 50),
    'its webhooks are not registered',
  );
  const pushes = [...amidHanging, ...(await pushed(own, newcomer, store))];
  const beside = await delays(own, newcomer, store);
  const imported = await countOrders(own, endless);

  assert.ok(
    reported.filter(({ status }) => status === 200).length >= HANGING,
    'the hanging stores pushed',
  );
  reportFigure(
    t,
    `R11 fairness: beside ${HANGING} hanging stores (${reported.length} pushes) and ${ENDLESS} imports (${imported} orders by now) ` +
      `a new store's first order after ${seconds(first)} s, its delay ${seconds(median(beside))} s (${seconds(median(quiet))} s ` +
      `when all is quiet), a push of it done after ${seconds(median(pushes))} s (${seconds(Math.max(...pushes))} s the worst of ` +
      `${pushes.length}; ${seconds(Math.max(...quietPushes))} s when all is quiet)`,
  );
  assert.ok(
    first <= FIRST_ORDER_WITHIN_MS * slowness,
    `the first order came after ${seconds(first)} s`,
  );
  assert.ok(
    Math.max(...pushes) <= PUSH_WITHIN_MS * slowness,
    `pushes were done after ${pushes.map(seconds).join(', ')} s, and ${quietPushes.map(seconds).join(', ')} s when all is quiet`,
  );
  assert.ok(
    median(beside) <= 2 * Math.max(median(quiet), LEAST_DELAY_MS * slowness),
    `delays of ${beside.map(seconds).join(', ')} s, and ${quiet.map(seconds).join(', ')} s when all is quiet`,
  );
  assert.equal(dead.length, HANGING);
});

/** How long an order takes from the moment that its store is due until it is stored. */
async function delays(own: TestApp, shop: WooCommerce, store: ConnectedStore): Promise<number[]> {
  const found: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const { id } = shop.world.place();
    shop.world.pay(id);
    await query(own, 'update schedules set due_at = now() where subject = $1', [
      `${store.connectionId}:orders`,
    ]);
    found.push(await untilStored(own, store, id, 'paid', GIVEN_UP_AFTER_MS));
    await sleep(500);
  }
  return found;
}

/**
 * How long a webhook of the store takes until its order is stored, where the store's own limit of
 * two calls a second delays none.
 */
async function pushed(own: TestApp, shop: WooCommerce, store: ConnectedStore): Promise<number[]> {
  const found: number[] = [];
  // Changes of earlier orders that were not notified yet are no part of the first sample.
  await shop.webhooks.flush();
  await sleep(ALL_CALLS_ALLOWED_MS);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const { id } = shop.world.place();
    shop.world.pay(id);
    // Each order has two webhooks, and each of them one call.
    await sleep(CALLS_ALLOWED_AGAIN_MS);
    const startedAt = performance.now();
    await shop.webhooks.flush();
    await untilStored(own, store, id, 'paid', GIVEN_UP_AFTER_MS);
    found.push(performance.now() - startedAt);
  }
  return found;
}

/** The number of addresses of each topic. */
async function registered({ webhooks }: WooCommerce): Promise<number> {
  const addresses = Map.groupBy(webhooks.all, ({ delivery_url }) => delivery_url);
  return [...addresses.values()].filter((topics) => topics.length >= 6).length;
}

async function jobsAreDone(own: TestApp): Promise<boolean> {
  const waiting = "select from queue.job where state in ('created', 'retry', 'active') limit 1";
  return (await query(own, waiting)).length === 0;
}

async function countOrders(own: TestApp, stores: readonly ConnectedStore[]): Promise<number> {
  const ids = stores.map(({ connectionId }) => connectionId);
  const [row] = await query(
    own,
    'select count(*)::int as count from orders where connection_id = any($1)',
    [ids],
  );
  return row?.count as number;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(1);
}
