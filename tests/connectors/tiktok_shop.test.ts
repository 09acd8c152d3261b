import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { moneyOf, sumOf } from '../../simulators/tiktok_shop/facts.ts';
import {
  startTiktokShop,
  type TiktokShop,
  type TiktokShopOptions,
} from '../../simulators/tiktok_shop/index.ts';
import { orderId } from '../../simulators/tiktok_shop/shop.ts';
import type { Connector } from '../../src/connectors/contract.ts';
import { tiktokShop } from '../../src/connectors/tiktok_shop/connector.ts';
import type { TiktokShopCredentials } from '../../src/connectors/tiktok_shop/credentials.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { applyNotification } from '../../src/exchange/webhooks/apply-notification.ts';
import { openCall } from '../../src/exchange/wire/call.ts';
import { openConnection } from '../../src/exchange/wire/open-connection.ts';
import { listBalances } from '../../src/features/balances/index.ts';
import { connectionById, openCredentials } from '../../src/features/connections/index.ts';
import { Failure } from '../../src/platform/failure.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { alertsOf, retryLater } from '../support/market.ts';
import { readStream } from '../support/read-stream.ts';

// What only TikTok Shop has. The shared suite of connectors covers the rest.

const shared = await openApp(WHOLE_FILE);

type Scene = TestApp & { shop: TiktokShop };

async function openShop(t: TestContext, options: TiktokShopOptions = {}): Promise<Scene> {
  const instance = await shared.another('experto');
  const shop = await startTiktokShop({
    seed: t.name,
    now: () => instance.clock.now().epochMilliseconds,
    ...options,
  });
  t.after(shop.close);
  return { ...instance, shop };
}

function connectTo({ shop, ...instance }: Scene): Promise<string> {
  return instance.connect('tiktok_shop', { url: shop.url, credentials: shop.credentials() });
}

async function openedConnection({ app: instance, organization }: Scene, connectionId: string) {
  const connection = await instance.database
    .within(organization.id)
    .read((scope) => connectionById(scope, connectionId));
  assert.ok(connection);
  return { connection, ...openConnection(instance.exchange, connection) };
}

test('a return that leaves its order untouched is in the next delta', async (t) => {
  const scene = await openShop(t);
  const { id } = scene.shop.world.place();
  scene.shop.world.deliver(id);
  await connectTo(scene);
  await scene.sync();

  scene.clock.advance({ hours: 30 });
  scene.shop.world.refund(id, '10.00');
  await scene.sync();
  const partly = await scene.api(`/v1/orders/${orderId({ id })}`);
  scene.clock.advance({ hours: 30 });
  scene.shop.world.takeBack(id);
  await scene.sync();
  const back = await scene.api(`/v1/orders/${orderId({ id })}`);

  assert.equal(partly.body.data.status, 'delivered');
  assert.equal(partly.body.data.refunded_total, 10);
  assert.equal(back.body.data.status, 'returned');
  assert.equal(back.body.data.refunded_total, back.body.data.total);
});

test('refunds that are withheld for a while stay as they were', async (t) => {
  const scene = await openShop(t);
  const { id } = scene.shop.world.place();
  scene.shop.world.pay(id);
  scene.shop.world.refund(id);
  await connectTo(scene);
  await scene.sync();

  scene.shop.switches.claimsForbidden = true;
  scene.clock.advance({ hours: 2 });
  scene.shop.world.ship(id);
  await scene.sync();
  const { body } = await scene.api(`/v1/orders/${orderId({ id })}`);

  assert.equal(body.data.marketplace_status, 'IN_TRANSIT');
  assert.equal(body.data.status, 'refunded');
  assert.equal(body.data.refunded_total, body.data.total);
});

test('a piece that is cancelled alone was not sold, and the total of the purchase stays', async (t) => {
  const scene = await openShop(t);
  const { id } = scene.shop.world.place({
    lines: [{ quantity: 3, listPrice: '90.00', unitPrice: '80.00' }],
    coupon: '9.00',
    shipping: '49.00',
  });
  scene.shop.world.pay(id);
  await connectTo(scene);
  await scene.sync();

  scene.clock.advance({ hours: 2 });
  scene.shop.switches.cancelledPieces.set(id, [
    { index: 1, at: scene.clock.now().epochMilliseconds },
  ]);
  await scene.sync();
  const { data } = (await scene.api(`/v1/orders/${orderId({ id })}`)).body;

  const [line, ...others] = data.items;
  assert.deepEqual(others, []);
  assert.deepEqual([line.quantity, line.cancelled_quantity, line.subtotal], [3, 1, 231]);
  assert.deepEqual([data.status, data.total, data.refunded_total], ['paid', 280, 77]);
  assert.equal(data.money_check, 'ok');
  const sold = await scene.app.database
    .within(scene.organization.id)
    .read((scope) => scope.rows(scope.select('sales_products').select(['units', 'gross'])));
  assert.deepEqual(
    sold.map(({ units, gross }) => [Number(units), Number(gross)]),
    [[2, 154]],
  );
});

test('the marketplace’s part of the discounts is separate', async (t) => {
  const scene = await openShop(t);
  for (let count = 0; count < 20; count++)
    scene.shop.world.place({ lines: [{ listPrice: '100.00', unitPrice: '80.00', quantity: 1 }] });
  await connectTo(scene);
  await scene.sync();

  const paid = scene.shop.world
    .orders()
    .map((order) => sumOf(moneyOf(order).pieces, 'platformDiscount'));
  const reported = await Promise.all(
    scene.shop.world.orders().map(async ({ id }) => {
      const { data } = (await scene.api(`/v1/orders/${orderId({ id })}`)).body;
      return data.marketplace_discount_total * 100;
    }),
  );

  assert.deepEqual(reported, paid);
  assert.deepEqual(new Set(reported), new Set([0, 1_000]));
});

test('a buyer who is masked after shipment keeps the name known before', async (t) => {
  const scene = await openShop(t);
  scene.shop.switches.masked = 'after_shipping';
  const { id } = scene.shop.world.place({ buyer: { firstName: 'Rosa', lastName: 'Medina Ochoa' } });
  scene.shop.world.pay(id);
  await connectTo(scene);
  await scene.sync();

  scene.clock.advance({ hours: 2 });
  scene.shop.world.ship(id);
  await scene.sync();
  const { body } = await scene.api(`/v1/orders/${orderId({ id })}`);

  assert.equal(body.data.status, 'shipped');
  assert.equal(body.data.buyer_name, 'Rosa M.');
});

test('more changes in one second than a page holds are all read', async (t) => {
  const scene = await openShop(t);
  for (let count = 0; count < 130; count++) scene.shop.world.place();
  await connectTo(scene);

  const synced = await scene.sync();

  assert.ok(synced.some(({ changed }) => changed === 130));
});

test('«too many» in the body of a 200 is waited for', async (t) => {
  const scene = await openShop(t, { perMinute: 4 });
  scene.shop.switches.limitInBody = true;
  scene.shop.world.place();
  await connectTo(scene);

  await scene.sync().catch(() => null);
  scene.clock.advance({ minutes: 2 });
  await scene.sync();

  assert.equal((await scene.api('/v1/orders')).body.data.length, 1);
});

test('of several shops the one in Mexico is connected; several in Mexico are refused in Spanish', async (t) => {
  const scene = await openShop(t, {
    shops: [{ region: 'BR' }, { region: 'MX', name: 'La de México' }],
  });
  const two = await startTiktokShop({
    now: () => scene.clock.now().epochMilliseconds,
    shops: [{}, {}],
  });
  t.after(two.close);
  const { id: organizationId } = scene.organization;
  const attempt = (credentials: object) =>
    connect(scene.app.exchange, {
      organizationId,
      service: 'tiktok_shop',
      credentials,
      baseUrl: two.url,
    });

  const { connection } = await openedConnection(scene, await connectTo(scene));
  const refusal = await attempt(two.credentials()).catch((error: unknown) => error);
  const [, second] = two.shops;
  const named = await attempt({ ...two.credentials(), shop_id: second?.id });

  const [, mexican] = scene.shop.shops;
  const kept = openCredentials(scene.app.exchange.keyring, connection) as TiktokShopCredentials;
  assert.equal(connection.accountId, mexican?.id);
  assert.equal(kept.shop_cipher, mexican?.cipher);
  assert.ok(refusal instanceof Failure);
  assert.match(refusal.message, /varias tiendas y más de una es de México/);
  assert.equal(named.account.accountId, second?.id);
});

test('credentials without a signing key are refused with a message', async (t) => {
  const scene = await openShop(t);
  const { access_token } = scene.shop.credentials();

  const refusal = await scene
    .connect('tiktok_shop', { url: scene.shop.url, credentials: { access_token } })
    .catch((error: unknown) => error);

  assert.ok(refusal instanceof Failure);
  assert.match(refusal.message, /Faltan app_key y app_secret/);
});

test('webhooks are registered where they are missing, mended where they are ours, else left alone', async (t) => {
  const scene = await openShop(t);
  const { call, connector } = await openedConnection(scene, await connectTo(scene));
  const { webhooks } = scene.shop.notifications;
  const address = `${scene.url}/api/webhooks/tiktok_shop`;
  webhooks.set('RETURN_STATUS_CHANGE', 'https://otra-casa.example/aqui');
  webhooks.set('ORDER_STATUS_CHANGE', `${scene.url}/antes`);
  const target = { address, application: null, secret: '' };

  await connector.notifications?.ensure?.(call, target);
  const before = scene.shop.requests.length;
  await connector.notifications?.ensure?.(call, target);

  assert.equal(webhooks.get('ORDER_STATUS_CHANGE'), address);
  assert.equal(webhooks.get('SELLER_DEAUTHORIZATION'), address);
  assert.equal(webhooks.get('RETURN_STATUS_CHANGE'), 'https://otra-casa.example/aqui');
  assert.equal(scene.shop.requests.length, before + 1, 'nothing is registered twice');

  await connector.notifications?.remove?.(call, target);
  assert.deepEqual([...webhooks], [['RETURN_STATUS_CHANGE', 'https://otra-casa.example/aqui']]);
});

test('an event that the application may not have costs no other one, and is said', async (t) => {
  const scene = await openShop(t);
  const { call, connector } = await openedConnection(scene, await connectTo(scene));
  const { webhooks } = scene.shop.notifications;
  scene.shop.switches.refusedEvents.add('RECIPIENT_ADDRESS_UPDATE');
  const address = `${scene.url}/api/webhooks/tiktok_shop`;
  const target = { address, application: null, secret: '' };

  const gaps = await connector.notifications?.ensure?.(call, target);
  scene.shop.switches.refusedEvents.clear();
  const whole = await connector.notifications?.ensure?.(call, target);

  assert.equal(webhooks.get('RETURN_STATUS_CHANGE'), address);
  assert.deepEqual(gaps, [
    'TikTok Shop no nos avisa de los cambios de dirección: revisa los permisos de la aplicación. Mientras tanto consultamos esos cambios.',
  ]);
  assert.deepEqual(whole, []);
});

test('signed webhooks are kept for the shop that they name, and one without a signature is not', async (t) => {
  const scene = await openShop(t, { shops: [{ id: '7494049642642449999' }] });
  const connectionId = await connectTo(scene);
  const { notifications, world } = scene.shop;
  for (const event of ['ORDER_STATUS_CHANGE', 'PACKAGE_UPDATE', 'RETURN_STATUS_CHANGE'])
    notifications.webhooks.set(event, `${scene.url}/api/webhooks/tiktok_shop`);

  const order = world.place();
  world.takeBack(order.id);
  const answers = await notifications.flush();
  const forged = await fetch(`${scene.url}/api/webhooks/tiktok_shop`, {
    method: 'POST',
    headers: { authorization: '0'.repeat(64) },
    body: JSON.stringify({ type: 1, shop_id: scene.shop.shops[0]?.id, data: { order_id: '1' } }),
  });

  const receipts = await scene.app.database
    .within(scene.organization.id)
    .read((scope) => scope.rows(scope.select('receipts').select(['connection_id', 'body'])));
  assert.ok(answers.length >= 4 && answers.every((status) => status === 200));
  assert.equal(forged.status, 200);
  assert.equal(receipts.length, answers.length, 'the forged one is not kept');
  assert.ok(receipts.every(({ connection_id }) => connection_id === connectionId));
});

test('a webhook about the permission changes nothing while it is valid, and asks to connect again once it is gone', async (t) => {
  const scene = await openShop(t);
  const connectionId = await connectTo(scene);
  const reported = () =>
    applyNotification(scene.app.exchange, {
      organizationId: scene.organization.id,
      connectionId,
      hint: { stream: 'orders', id: 'permission' },
    });

  const standing = await reported();
  scene.shop.revoke();
  const gone = await reported();

  await retryLater(scene, scene.organization.id, connectionId);

  const { connection } = await openedConnection(scene, connectionId);
  assert.deepEqual(standing, { changed: 0, outcome: 'recorded' });
  assert.equal(gone.outcome, 'unauthorized');
  assert.equal(connection.state, 'reauth_required');
});

test('the seller says yes on the page of TikTok Shop, and the code becomes credentials', async (t) => {
  const scene = await openShop(t);
  const { appKey, appSecret, serviceId } = scene.shop.application;
  const application = { clientId: appKey, clientSecret: appSecret, appId: serviceId };
  const { auth } = tiktokShop;
  const callWith = <Credentials>(connector: Connector<Credentials>, credentials: Credentials) =>
    openCall(scene.app.exchange, {
      connector,
      credentials,
      application,
      lane: 'prueba',
      baseUrl: scene.shop.url,
      addresses: 'any',
      renew: null,
    });
  const request = { redirectUri: '', store: null, state: 'abc', challenge: '', verifier: '' };

  const page = new URL(auth.consent?.address({ ...request, application }) ?? '');
  const left = await fetch(scene.shop.url + page.pathname + page.search, { redirect: 'manual' });
  const answer = Object.fromEntries(new URL(left.headers.get('location') ?? '').searchParams);
  const anonymous = callWith(tiktokShop as unknown as Connector<null>, null);
  const granted = await auth.consent?.exchange(anonymous, { ...request, application, answer });
  assert.ok(granted);
  const account = await auth.check(callWith(tiktokShop, granted.credentials));

  assert.equal(page.host, 'services.tiktokshop.com');
  assert.equal(answer.state, 'abc');
  assert.equal(granted.secondsToLive, 604_800);
  assert.deepEqual([account.accountId, account.name], [scene.shop.shops[0]?.id, 'Tienda 1']);
  assert.throws(
    () => auth.consent?.address({ ...request, application: { clientId: 'x', clientSecret: 'y' } }),
    /TIKTOK_SHOP_APP_ID/,
  );
});

test('a failed token call does not reveal the secret', async (t) => {
  const scene = await openShop(t);
  const { call, connector } = await openedConnection(scene, await connectTo(scene));
  scene.shop.faults.next({ kind: 'bad_gateway', match: /^\/api\/v2\/token/, times: 10 });

  const error = await connector.auth.renew?.(call, null).catch((thrown: unknown) => thrown);

  assert.ok(error instanceof Error);
  const reported = JSON.stringify([error.message, String(error.cause ?? ''), error]);
  assert.ok(!reported.includes(scene.shop.application.appSecret));
  assert.ok(reported.includes('502'));
});

test('the stock of every variation is read', async (t) => {
  const scene = await openShop(t);

  const stock = await readStream(scene, await connectTo(scene), 'inventory');

  assert.deepEqual(
    new Map(stock.map(({ sku, available }) => [sku, available])),
    new Map(scene.shop.world.stock()),
  );
  assert.ok(stock.every(({ title }) => title !== '' && title === title.trim()));
});

test('a statement that is too large makes the balance unknown, until it can be read', {
  tags: ['slow'],
}, async (t) => {
  const scene = await openShop(t);
  const { world, faults } = scene.shop;
  for (let day = 0; day < 2; day++) {
    world.deliver(world.place({ lines: [{ unitPrice: '100.00', quantity: 1 }] }).id);
    scene.clock.advance({ hours: 24 });
  }
  await connectTo(scene);
  const request = { organizationId: scene.organization.id, service: null } as const;
  const pending = async () => {
    const reports = await syncOrganization(scene.app.exchange, { ...request, stream: 'balances' });
    assert.deepEqual([reports.length, reports[0]?.error], [1, undefined]);
    const within = scene.app.database.within(scene.organization.id);
    const { balances } = await within.read((scope) => listBalances(scope));
    return balances.map((balance) => [balance.currency, balance.pending, balance.asOf.toString()]);
  };
  const large = new Map([['settlement_amount', 9 * 2 ** 20]]);
  faults.swell({ match: /\/finance\/202309\/statements\?/, bytes: large });

  const unknown = await pending();
  const asOf = scene.clock.now().toString();
  const [alert] = await alertsOf(scene, scene.organization.id);
  faults.stop();
  scene.clock.advance({ hours: 2 });

  assert.deepEqual(unknown, [['MXN', null, asOf]]);
  assert.match(String(alert?.message), /^Saldos: TikTok Shop nos manda un registro con más datos/);
  assert.deepEqual(await pending(), [['MXN', '184', scene.clock.now().toString()]]);
  assert.deepEqual(await alertsOf(scene, scene.organization.id), []);
});

test('statements are settlements, and those not paid yet are the balance', async (t) => {
  const scene = await openShop(t);
  const { world } = scene.shop;
  for (let day = 0; day < 6; day++) {
    world.deliver(world.place({ lines: [{ unitPrice: '100.00', quantity: 1 }] }).id);
    scene.clock.advance({ hours: 24 });
  }
  const connectionId = await connectTo(scene);

  const settlements = await readStream(scene, connectionId, 'settlements');
  const balances = await readStream(scene, connectionId, 'balances');

  assert.equal(settlements.length, 6);
  assert.deepEqual(
    new Set(settlements.map(({ gross, fees, net }) => [gross, fees, net].join(' '))),
    new Set(['100.00 8 92.00']),
  );
  const paid = settlements.filter(({ status }) => status === 'paid');
  assert.ok(paid.length > 0 && paid.length < 6);
  assert.ok(paid.every(({ paidAt, reference }) => paidAt !== null && reference !== null));
  assert.deepEqual(
    balances.map(({ currency, available, pending, isDerived }) => [
      currency,
      available,
      Number(pending),
      isDerived,
    ]),
    [['MXN', null, 92 * (6 - paid.length), true]],
  );
});
