import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startTiendanube } from '../simulators/tiendanube/index.ts';
import { startWooCommerce } from '../simulators/woocommerce/index.ts';
import { syncJob } from '../src/exchange/jobs/sync.ts';
import { openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { alertsOf, query, syncNow } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// An answer larger than 8 MB is not read: fewer rows are requested, and what is too large alone is
// set aside.

const PAGE = 50;
/** So large that 25 fit and 50 do not. */
const LABEL = 200_000;
const TOO_LARGE = 9 * 1024 * 1024;

test('a store whose plugin keeps a label in each order: smaller pages bring all of them', {
  tags: ['slow'],
}, async (t) => {
  const { shop, run, state, ids, sizes } = await openStore(t, 60);
  for (const { id } of shop.world.orders()) shop.switches.labels.set(id, LABEL);

  await run();

  assert.equal((await ids()).length, 60);
  assert.deepEqual(await state(), ['ok', null]);
  assert.deepEqual(sizes().slice(0, 2), [PAGE, PAGE / 2]);
  assert.equal(
    sizes().filter((size) => size === PAGE).length,
    1,
    'what was too large is not asked for again',
  );
});

test('pages grow again once they can be read', { tags: ['slow'] }, async (t) => {
  const { shop, run, ids, sizes } = await openStore(t, 8 * PAGE);
  for (const { id } of shop.world.orders().slice(0, PAGE)) shop.switches.labels.set(id, LABEL);

  await run();

  assert.equal((await ids()).length, 8 * PAGE);
  assert.equal(sizes().at(-1), PAGE);
});

test('one order that is too large alone is set aside with an alert, and comes in once it can be read', {
  tags: ['slow'],
}, async (t) => {
  const { own, shop, run, reconcile, state, ids } = await openStore(t, 70);
  const large = shop.world.orders()[33]?.id as string;
  shop.switches.labels.set(large, TOO_LARGE);

  await run();

  assert.equal((await ids()).length, 69, 'the others are there');
  assert.deepEqual(await state(), ['ok', null]);
  const aside = 'select external_id, reason from unreadable_items';
  assert.deepEqual(await query(own, aside), [
    { external_id: large, reason: '(whole): larger than an answer may be' },
  ]);
  const [alert, ...others] = await alertsOf(own, own.organization.id);
  assert.deepEqual(others, []);
  assert.equal(
    alert?.message,
    `Órdenes: WooCommerce nos manda ${large} con más datos de los que podemos leer. Lo guardamos aparte y lo volvemos a pedir solos; lo demás sigue entrando.`,
  );

  shop.switches.labels.clear();
  await reconcile();
  assert.equal((await ids()).length, 70);
  assert.deepEqual(await query(own, aside), []);
  assert.deepEqual(await alertsOf(own, own.organization.id), []);
});

test('an open order that has become too large does not keep the others from being fetched', {
  tags: ['slow'],
}, async (t) => {
  const { shop, run, reconcile, status } = await openStore(t, 5);
  await run();
  const [first, , , , last] = shop.world.orders().map(({ id }) => id) as string[];
  shop.switches.labels.set(first as string, TOO_LARGE);
  // No list has a deleted order.
  shop.switches.deleted.add(last as string);

  await reconcile();

  assert.equal(await status(last as string), 'cancelled');
});

test('what plugins add beside the documented fields is not requested', async (t) => {
  const { shop, run, ids, sizes } = await openStore(t, 60);
  shop.switches.extras = LABEL;

  await run();

  assert.equal((await ids()).length, 60);
  assert.deepEqual([...new Set(sizes())], [PAGE]);
});

test('pages with numbers shrink to a part of what lies before them, so that no order is skipped', {
  tags: ['slow'],
}, async (t) => {
  const clock = turnedClock();
  const own = await openApp(t, { clock, database: await freshDatabase() });
  const shop = await startTiendanube({ seed: t.name, now: () => clock.now().epochMilliseconds });
  t.after(shop.close);
  const orders = Array.from({ length: 230 }, () => {
    clock.advance({ minutes: 1 });
    return shop.world.place();
  });
  for (const { id } of orders.slice(60, 110)) shop.switches.notes.set(id, LABEL);
  const large = orders[150]?.id as string;
  shop.switches.notes.set(large, TOO_LARGE);
  await own.connect('tiendanube', { url: shop.url, credentials: shop.credentials() });

  const [report] = await syncNow(own, own.organization.id);

  assert.equal(report?.error, undefined);
  const stored = (await query(own, 'select id from orders')).map(({ id }) => id as string);
  assert.deepEqual(
    orders.map(({ id }) => id).filter((id) => !stored.includes(id)),
    [large],
  );
  assert.deepEqual(await query(own, 'select external_id from unreadable_items'), [
    { external_id: large },
  ]);
});

async function openStore(t: TestContext, orders: number) {
  const clock = turnedClock();
  const env = { ROLE: 'api', REDIS_URL: 'redis://127.0.0.1:1' };
  const own = await openApp(t, { clock, env, database: await freshDatabase() });
  const shop = await startWooCommerce({ seed: t.name, now: () => clock.now().epochMilliseconds });
  t.after(shop.close);
  for (let order = 0; order < orders; order++) shop.world.pay(shop.world.place().id);
  const id = await own.connect('woocommerce', { url: shop.url, credentials: shop.credentials() });
  const job = { organizationId: own.organization.id, subject: `${id}:orders` };
  const run = () => syncJob.run(own.app.exchange, job);
  return {
    own,
    shop,
    run,
    /** An hour later all open orders are fetched. */
    async reconcile() {
      clock.advance({ hours: 2 });
      await run();
    },
    async state() {
      const [row] = await query(own, 'select state, state_message from connections');
      return [row?.state, row?.state_message];
    },
    ids: () => query(own, 'select id from orders'),
    status: async (order: string) =>
      (await query(own, 'select status from orders where id = $1', [order]))[0]?.status,
    /** Rows that were requested, list by list. */
    sizes: () =>
      shop.requests
        .filter(({ path }) => /\/orders\?/.test(path) && path.includes('orderby=id'))
        .map(({ path }) => Number(/per_page=(\d+)/.exec(path)?.[1])),
  };
}
