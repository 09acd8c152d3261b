import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { renewBeforeExpiry } from '../src/exchange/wire/renew-early.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import {
  alertsOf,
  callsTo,
  connectAccount,
  type Market,
  notify,
  openMarket,
  query,
  type Seller,
  sell,
  syncNow,
  workOff,
} from './support/market.ts';
import { freshDatabase } from './support/server.ts';
import { openStage, type Stage } from './support/stand-stage.ts';
import { STAND_OF } from './support/stands.ts';

// A refused access is tried again by the product itself; the seller is asked only where it stays
// refused.

const shared = await openApp(WHOLE_FILE);

const WOOCOMMERCE = STAND_OF.woocommerce;
const ANYTHING = /./;
const CHECK = /GET \/users\/me/;

test('one 401 of a store costs five minutes, and no seller is asked to connect again', async (t) => {
  const stage = await openStore(t);
  stage.shop.faults.next({ kind: 'expired_token', match: ANYTHING });
  const { id } = stage.shop.world.place();
  stage.shop.world.pay(id);

  await stage.tick();
  const { state, stateMessage } = await stage.connection();

  assert.equal(state, 'delayed');
  assert.equal(
    stateMessage,
    'WooCommerce rechazó nuestro acceso a tu cuenta. Lo probamos de nuevo en unos minutos; no tienes que hacer nada.',
  );
  assert.deepEqual(await stage.alerts('connection'), []);

  await stage.retryAccess();
  assert.equal((await stage.connection()).state, 'ok');
  await stage.tick(stage.parts, { seconds: 0 });
  await stage.holdToAccount('the sync run after it brings what is missing');
});

test('an access that stays refused is tried after 5 minutes, an hour, six hours and each day, with one call each', async (t) => {
  const stage = await openStore(t);
  stage.shop.faults.next({ kind: 'expired_token', match: ANYTHING, times: 1_000 });
  await stage.tick();
  const begun = stage.clock.now();
  const asked = stage.shop.requests.length;

  const minutes: number[] = [];
  for (let tries = 0; tries < 5; tries++) {
    const [schedule] = await query(
      shared,
      'select due_at from schedules where task = $1 and subject = $2',
      ['access', stage.connectionId],
    );
    const due = schedule?.due_at as Temporal.Instant;
    minutes.push(begun.until(due).total('minutes'));
    stage.clock.advance(stage.clock.now().until(due).subtract({ minutes: 5 }));
    await stage.tick(stage.parts, { seconds: 0 });
    await stage.retryAccess();
  }

  const hour = 60;
  assert.deepEqual(minutes, [5, 5 + hour, 5 + 7 * hour, 5 + 31 * hour, 5 + 55 * hour]);
  assert.equal(stage.shop.requests.length - asked, 5, 'nothing else is asked meanwhile');
  const { state, stateMessage } = await stage.connection();
  assert.equal(state, 'reauth_required');
  assert.match(stateMessage ?? '', /Reconéctala/);
  const [alert, ...others] = await stage.alerts('connection');
  assert.deepEqual([alert?.resolved_at, others], [null, []]);

  stage.shop.faults.stop();
  stage.clock.advance({ hours: 24 });
  await stage.retryAccess();
  assert.equal((await stage.connection()).state, 'ok');
  assert.notEqual((await stage.alerts('connection'))[0]?.resolved_at, null);
  await stage.reconcile();
  await stage.holdToAccount();
});

test('two refusals within the same minutes are one', async (t) => {
  const stage = await openStore(t);
  stage.shop.faults.next({ kind: 'expired_token', match: ANYTHING, times: 3 });

  await stage.tick();
  await syncStage(stage);
  stage.clock.advance({ minutes: 3 });
  await syncStage(stage);

  assert.equal((await stage.connection()).state, 'delayed');
  assert.deepEqual(await stage.alerts('connection'), []);
});

test('a person who asks for a sync is not kept waiting for the next try', async (t) => {
  const stage = await openStore(t);
  stage.shop.faults.next({ kind: 'expired_token', match: ANYTHING, times: 3 });
  await stage.tick();
  await stage.retryAccess();
  assert.equal((await stage.connection()).state, 'reauth_required');

  const refused = await syncStage(stage);
  const worked = await syncStage(stage);

  assert.match(refused[0]?.error ?? '', /Reconéctala/);
  assert.deepEqual(
    worked.map(({ error }) => error),
    worked.map(() => undefined),
  );
  assert.equal((await stage.connection()).state, 'ok');
  await stage.holdToAccount();
});

test('a store that forbids reading for a moment is read again as soon as it allows it', async (t) => {
  const stage = await openStore(t);
  const forbid = (times: number) => ({
    ...stage.parts,
    network: {
      ...stage.parts.network,
      send: async (...asked: Parameters<typeof stage.parts.network.send>) => {
        const answer = await stage.parts.network.send(...asked);
        return /modified_after/.test(asked[0].url) && times-- > 0
          ? { ...answer, status: 403 }
          : answer;
      },
    },
  });
  const parts = forbid(2);

  await stage.tick(parts);
  assert.equal((await stage.connection()).state, 'delayed');
  await stage.retryAccess(parts);
  const { state, stateMessage } = await stage.connection();
  assert.equal(state, 'reauth_required');
  assert.match(stateMessage ?? '', /no nos da permiso para leer/);

  stage.clock.advance({ hours: 1 });
  await stage.retryAccess(parts);
  assert.equal((await stage.connection()).state, 'ok');
  await stage.holdToAccount();
});

test('a marketplace whose tokens renew well while its API answers 401: a good renewal lifts it too', {
  tags: ['slow'],
}, async (t) => {
  const scene = await openMarketScene(t);
  const { market, seller, id, organizationId, clock, instance: own } = scene;
  market.faults.next({ kind: 'expired_token', match: /orders\/search|users\/me/, times: 6 });
  clock.advance({ minutes: 5 });
  await syncNow(own, organizationId);
  clock.advance({ minutes: 5 });
  await syncNow(own, organizationId);
  assert.equal(await scene.state(), 'reauth_required');
  market.faults.stop();
  const order = sell(seller);

  await renewBeforeExpiry(own.app.exchange, organizationId, id);
  assert.equal(await scene.state(), 'ok');
  assert.deepEqual(await alertsOf(own, organizationId), []);

  await workOff(own);
  const { body } = await own.api('/v1/orders');
  assert.ok(body.data.some((one: { id: string }) => one.id === order));
});

test('a refresh token that is rejected is tried again, though the access still lives', {
  tags: ['slow'],
}, async (t) => {
  const scene = await openMarketScene(t);
  const { market, organizationId, id, clock, instance: own } = scene;
  await renewBeforeExpiry(own.app.exchange, organizationId, id);
  market.faults.next({ kind: 'expired_token', match: /oauth\/token/, times: 2 });
  const renewals = () => callsTo(market, /POST \/oauth\/token/).length;
  clock.advance({ hours: 4, minutes: 48 });

  await workOff(own);
  assert.deepEqual(
    [await scene.state(), (await alertsOf(own, organizationId)).length],
    ['delayed', 0],
  );
  const before = renewals();
  clock.advance({ minutes: 5 });
  await workOff(own);
  assert.equal(renewals() - before, 1, 'the renewal is what is tried');
  assert.deepEqual(
    [await scene.state(), (await alertsOf(own, organizationId)).length],
    ['reauth_required', 1],
  );
  clock.advance({ hours: 1 });
  await workOff(own);

  assert.deepEqual([await scene.state(), (await alertsOf(own, organizationId)).length], ['ok', 0]);
});

test('changes that webhooks report meanwhile are not lost: the sync run after the access is back brings them', {
  tags: ['slow'],
}, async (t) => {
  const scene = await openMarketScene(t);
  const { market, seller, organizationId, clock, instance: own } = scene;
  market.faults.next({ kind: 'expired_token', match: /orders|users\/me/, times: 4 });
  const [order = ''] = seller.world.orders().map((one) => one.id);
  clock.advance({ minutes: 5 });
  await syncNow(own, organizationId);
  assert.equal(await scene.state(), 'delayed');
  // Cancelled orders are in no list of a seller's.
  seller.world.cancel(order);
  assert.equal(await notify(own, seller, `/orders/${order}`), 200);
  await workOff(own);
  assert.equal((await own.api(`/v1/orders/${order}`)).body.data.status, 'paid');
  const checks = callsTo(market, CHECK).length;

  market.faults.stop();
  clock.advance({ minutes: 5 });
  await workOff(own);
  await workOff(own);

  assert.equal(callsTo(market, CHECK).length - checks, 1, 'the cheapest call was asked');
  assert.equal(await scene.state(), 'ok');
  assert.equal((await own.api(`/v1/orders/${order}`)).body.data.status, 'cancelled');
});

// Arrangement

/** A store with orders that were read once. */
async function openStore(t: TestContext): Promise<Stage> {
  const stage = await openStage(shared, WOOCOMMERCE, { seed: t.name, orders: 5 });
  t.after(stage.shop.close);
  await stage.reconcile();
  return stage;
}

function syncStage(stage: Stage) {
  return syncNow(shared, stage.organizationId);
}

/** A seller of Mercado Libre with an order that was read once. */
async function openMarketScene(t: TestContext) {
  const clock = turnedClock();
  const market: Market = await openMarket(t, clock);
  const own = await openApp(t, {
    plan: 'experto',
    clock,
    env: market.env,
    database: await freshDatabase(),
  });
  const organizationId = own.organization.id;
  const seller: Seller = market.newSeller();
  sell(seller);
  const id = await connectAccount(own, organizationId, market.credentials(seller.id));
  await workOff(own);
  const state = async () =>
    (await query(own, 'select state from connections where id = $1', [id]))[0]?.state;
  return { clock, market, instance: own, organizationId, seller, id, state };
}
