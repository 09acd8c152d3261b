import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Order, shelvesOf, wholeSecond } from '../../simulators/order.ts';
import { closedAt, productId, totalOf, variantId } from '../../simulators/tiendanube/facts.ts';
import { startTiendanube, type TiendanubeOptions } from '../../simulators/tiendanube/index.ts';
import type { Push } from '../../simulators/tiendanube/webhooks.ts';
import type { Call } from '../../src/connectors/contract.ts';
import { tiendanube } from '../../src/connectors/tiendanube/connector.ts';
import type { TiendanubeCredentials } from '../../src/connectors/tiendanube/credentials.ts';
import { Store } from '../../src/connectors/tiendanube/wire.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { beginConsent } from '../../src/exchange/connect/consent.ts';
import { openCall } from '../../src/exchange/wire/call.ts';
import { connectionById } from '../../src/features/connections/index.ts';
import { Failure } from '../../src/platform/failure.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { alertsOf, jobsDone } from '../support/market.ts';
import { readStream } from '../support/read-stream.ts';
import { freshDatabase } from '../support/server.ts';

// What only Tiendanube does; the rest of what every connector must withstand is in the shared
// suite.

const APPLICATION = {
  TIENDANUBE_CLIENT_ID: '4321',
  TIENDANUBE_CLIENT_SECRET: 'secreto-de-la-aplicacion',
};
const ADDRESS = 'https://tianguis.example/api/webhooks/tiendanube';

const shared = await openApp(WHOLE_FILE, { env: APPLICATION });

test('a page that is not there is an empty page', async (t) => {
  const { shop, instance, read } = await openConnected(t);

  const [orders] = await instance.sync();
  assert.deepEqual([orders?.error, orders?.items], [undefined, 0]);
  const id = shop.world.place().id;
  instance.clock.advance({ minutes: 5 });
  const [next] = await instance.sync();

  assert.deepEqual([next?.error, next?.items], [undefined, 1]);
  assert.equal((await read(id)).status, 'pending');
});

test('orders that a list without a filter leaves out come in too', async (t) => {
  const { shop, instance, read } = await openConnected(t);
  const [refunded, partly, ...cancelled] = Array.from({ length: 12 }, () => shop.world.place());
  assert.ok(refunded && partly);
  shop.world.refund(refunded.id);
  shop.world.refund(partly.id, '10.00');
  for (const { id } of cancelled) shop.world.cancel(id);

  const [orders] = await instance.sync();

  assert.deepEqual([orders?.error, orders?.unreadable], [undefined, 0]);
  const whole = await read(refunded.id);
  assert.deepEqual([whole.status, whole.refunded_total], ['refunded', totalOf(refunded) / 100]);
  assert.deepEqual(
    [(await read(partly.id)).status, (await read(partly.id)).refunded_total],
    ['paid', null],
  );
  for (const { id } of cancelled) assert.equal((await read(id)).status, 'cancelled');
});

/** So many orders leave the window once page `after` was read. Newest first, as the list is. */
const LEAVING: readonly (readonly [
  string,
  { orders: number; after: number; from: number; to: number },
])[] = [
  ['a few', { orders: 330, after: 1, from: 10, to: 40 }],
  ['more than a page', { orders: 530, after: 3, from: 10, to: 160 }],
  ['so many that the next page is not there any more', { orders: 205, after: 2, from: 10, to: 30 }],
];

for (const [howMany, { orders, after, from, to }] of LEAVING)
  test(`orders that leave the window while it is read pull no other one out of it: ${howMany}`, async (t) => {
    const { shop, instance } = await openConnected(t);
    const placed = place(instance, shop, orders);
    const leaving = placed.toReversed().slice(from, to);

    const seen = await walkOrders(openStore(instance, shop), (page) => {
      instance.clock.advance({ minutes: 1 });
      if (page === after) for (const { id } of leaving) shop.world.pay(id);
    });

    assert.deepEqual(
      placed.filter(({ id }) => !seen.has(id)).map(({ id }) => id),
      [],
    );
  });

test('more orders than pages reach are read window by window', async (t) => {
  const { shop, instance } = await openConnected(t, { deepest: 300 });
  place(instance, shop, 420);

  // As if there were so many more.
  const seen = await walkOrders(countingMore(openStore(instance, shop), 34));

  const pages = shop.requests.map(({ path }) => Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 0));
  assert.equal(seen.size, 420);
  assert.ok(Math.max(...pages) <= 3, 'no page behind the last that there is');
});

test('an order is the same from the list and alone, whatever their documents write differently', {
  tags: ['slow'],
}, async (t) => {
  const { shop, instance, read, tell } = await openConnected(t);
  const { id } = shop.world.place({ lines: [{ quantity: 3 }, {}] });
  shop.world.pay(id);
  await instance.sync();
  const listed = await read(id);
  instance.clock.advance({ hours: 2 });

  await tell(
    shop.webhooks.sign(ADDRESS, {
      store_id: shop.store.id,
      event: 'order/updated',
      id: Number(id),
    }),
  );

  assert.ok(shop.requests.some(({ path }) => path.endsWith(`/orders/${id}`)));
  assert.deepEqual(await read(id), listed);
  assert.deepEqual(
    listed.items.map(({ quantity }: { quantity: number }) => quantity),
    [3, listed.items[1].quantity],
  );
});

test('old words, parts that were sent, and orders of Mercado Libre are read for what they are', async (t) => {
  const { shop, instance, read } = await openConnected(t);
  const [legacy, partly, meli] = [
    shop.world.place(),
    shop.world.place({ lines: [{}, {}] }),
    shop.world.place(),
  ];
  for (const { id } of [legacy, partly, meli]) shop.world.pay(id);
  shop.switches.legacy.add(legacy.id);
  shop.switches.partlySent.add(partly.id);
  shop.switches.meli.add(meli.id);

  await instance.sync();

  const old = await read(legacy.id);
  assert.deepEqual(
    [old.status, old.fulfillment_status, old.total],
    ['paid', 'unshipped', totalOf(legacy) / 100],
  );
  assert.equal((await read(partly.id)).status, 'partially_shipped');
  assert.deepEqual((await read(meli.id)).channel_relations.tags, ['storefront:meli']);
});

for (const version of ['v1', '2025-03'])
  test(`version ${version} has shipping and its price, of the order or of its parcels`, async (t) => {
    const { shop, instance, read } = await openConnected(t, { version });
    const { world } = shop;
    const { id, tracking } = world.place({ coupon: '20.00', shipping: '99.00' });
    world.ship(id);
    const shippedAt = wholeSecond(instance.clock.now().epochMilliseconds);
    const cancelled = world.place({ shipping: '45.50' });
    world.cancel(cancelled.id);
    await instance.sync();

    const [sent, gone] = [await read(id), await read(cancelled.id)];

    assert.deepEqual([sent.shipping_total, sent.order_discount, sent.money_check], [99, 20, 'ok']);
    assert.deepEqual(
      [sent.shipping.carrier, sent.shipping.tracking_number, Date.parse(sent.shipping.shipped_at)],
      ['estafeta', tracking, shippedAt],
    );
    assert.deepEqual(
      [gone.status, gone.shipping_total, gone.money_check],
      ['cancelled', 45.5, 'ok'],
    );
  });

test('an order without a currency is in the one of its store, which is requested once a page', async (t) => {
  const { shop, instance, read } = await openConnected(t);
  const ids = [shop.world.place(), shop.world.place()].map(({ id }) => id);
  for (const value of ['', 'string']) {
    const before = shop.requests.length;
    shop.faults.next({ kind: 'wrong_type', field: 'currency', value, match: /orders\?/ });
    await instance.sync();

    const asked = shop.requests.slice(before).filter(({ path }) => path.endsWith('/store'));
    assert.equal(asked.length, 1);
    for (const id of ids) assert.equal((await read(id)).currency, 'MXN');
    instance.clock.advance({ minutes: 6 });
    for (const id of ids) shop.world.pay(id);
  }
});

test('archiving an order does not close it, and a delivery closes it when it is seen', async (t) => {
  const { shop, instance, read } = await openConnected(t);
  // Some sellers archive with the delivery, some orders were archived and opened again.
  const ids = Array.from({ length: 30 }, () => shop.world.place().id);
  for (const id of ids) shop.world.pay(id);
  await instance.sync();
  const open = await Promise.all(ids.map(read));
  instance.clock.advance({ hours: 5 });
  const delivered = instance.clock.now().epochMilliseconds;
  for (const id of ids) shop.world.deliver(id);
  instance.clock.advance({ minutes: 5 });
  await instance.sync();
  const final = await Promise.all(ids.map(read));

  const documents = await Promise.all(ids.map((id) => shop.world.order(id)));
  const archived = documents.filter((order) => order && closedAt(order, delivered + 1) !== null);
  assert.ok(archived.length > 5 && archived.length < 30);
  assert.ok(open.every(({ date_closed }) => date_closed === null));
  assert.deepEqual(
    new Set(final.map(({ status, date_closed }) => `${status} ${Date.parse(date_closed)}`)),
    new Set([`delivered ${wholeSecond(delivered)}`]),
  );
});

test('a status that is new is kept as it came, and known again once the order changes', async (t) => {
  const { shop, instance, read } = await openConnected(t);
  const { id } = shop.world.place();
  shop.world.pay(id);
  shop.faults.next({
    kind: 'wrong_type',
    field: 'payment_status',
    value: 'in_orbit',
    match: /orders\?/,
  });
  await instance.sync();
  const odd = await read(id);

  instance.clock.advance({ minutes: 20 });
  shop.world.ship(id);
  await instance.sync();

  assert.equal(odd.status, 'unknown');
  assert.match(odd.marketplace_status, /^open\/in_orbit\/un/);
  assert.equal((await read(id)).status, 'shipped');
});

test('stock is what the variants say, and what is not counted has no limit', async (t) => {
  const { shop, instance, connectionId } = await openConnected(t);
  shop.world.place({ lines: [{ quantity: 2 }] });

  const levels = await readStream(instance, connectionId, 'inventory');

  const stock = shop.world.stock();
  const expected = shop.world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => [
      String(productId(product.sku)),
      String(variantId(sku)),
      sku,
      product.keptByMarketplace ? null : stock.get(sku),
    ]),
  );
  assert.deepEqual(
    levels.map(({ itemId, variationId, sku, available }) => [itemId, variationId, sku, available]),
    expected,
  );
  assert.ok(levels.some(({ available }) => available === null));
});

test('a product that a webhook names is read again', { tags: ['slow'] }, async (t) => {
  const { shop, instance, tell } = await openConnected(t);
  const { product } = shop.world.place().lines[0] ?? assert.fail();
  const path = `/products/${productId(product.sku)}`;

  const body = { store_id: shop.store.id, event: 'product/updated', id: productId(product.sku) };
  await tell(shop.webhooks.sign(ADDRESS, body));

  assert.equal(shop.requests.filter((request) => request.path.endsWith(path)).length, 1);
  const levels = await instance.app.database
    .within(instance.organization.id)
    .read((scope) => scope.rows(scope.select('stock_levels').select(['item_id'])));
  assert.deepEqual(
    new Set(levels.map(({ item_id }) => item_id)),
    new Set([String(productId(product.sku))]),
  );
});

test('webhooks are registered once, beside those of others, and their changes are stored', {
  tags: ['slow'],
}, async (t) => {
  const { shop, instance, read, tell } = await openConnected(t);
  shop.webhooks.register('order/created', 'https://otra.example/aviso');
  shop.webhooks.register('order/paid', ADDRESS);
  const call = openStore(instance, shop);
  const target = { address: ADDRESS, application: null, secret: '' };

  await tiendanube.notifications?.ensure?.(call, target);
  const registered = shop.webhooks.registered.map(({ event, url }) => `${event} ${url}`);
  await tiendanube.notifications?.ensure?.(call, target);

  assert.equal(shop.webhooks.registered.length, registered.length, 'nothing is missing any more');
  assert.equal(registered.filter((one) => one.endsWith(ADDRESS)).length, 8);
  assert.equal(registered.filter((one) => one.startsWith('order/paid')).length, 1);
  assert.equal(registered[0], 'order/created https://otra.example/aviso');
  const { id } = shop.world.place();
  shop.world.pay(id);
  const due = shop.webhooks.due().filter(({ url }) => url === ADDRESS);
  assert.ok(due.length >= 3);
  for (const push of due) assert.equal(await tell(push), 200);
  assert.equal((await read(id)).status, 'paid');

  await tiendanube.notifications?.remove?.(call, target);
  assert.deepEqual(
    shop.webhooks.registered.map(({ url }) => url),
    ['https://otra.example/aviso'],
  );
});

for (const address of [
  'http://tianguis.example/aviso',
  'https://localhost/aviso',
  'https://127.0.0.1/aviso',
])
  test(`no webhook goes to ${address}`, async (t) => {
    const { shop, instance } = await openConnected(t);

    await tiendanube.notifications?.ensure?.(openStore(instance, shop), {
      address,
      application: null,
      secret: '',
    });

    assert.deepEqual(shop.webhooks.registered, []);
    assert.ok(shop.requests.every(({ path }) => !path.includes('webhooks')));
  });

test('a webhook that is not signed with our secret is not taken', async (t) => {
  const { shop, tell } = await openConnected(t);
  const { id } = shop.world.place();
  const before = shop.requests.length;
  const push = shop.webhooks.sign(ADDRESS, {
    store_id: shop.store.id,
    event: 'order/paid',
    id: Number(id),
  });

  await tell({
    ...push,
    headers: { ...push.headers, 'x-linkedstore-hmac-sha256': 'a'.repeat(64) },
  });
  await tell({ ...push, text: push.text.replace('paid', 'pa1d') });

  assert.equal(shop.requests.length, before);
});

test('a webhook about personal data is kept and answered, and nothing is fetched', {
  tags: ['slow'],
}, async (t) => {
  const { shop, tell } = await openConnected(t);
  const before = shop.requests.length;
  const store_id = shop.store.id;

  for (const body of [{ store_id }, { store_id, customer: { id: 5 }, orders_to_redact: [1] }])
    assert.equal(await tell(shop.webhooks.sign(ADDRESS, body)), 200);

  assert.equal(shop.requests.length, before);
});

test('a store is connected by its page of consent, and then synchronised', async (t) => {
  const now = { at: () => 0 };
  const shop = await startTiendanube({ now: () => now.at() });
  t.after(shop.close);
  const instance = await openApp(t, {
    database: await freshDatabase(),
    env: { ...APPLICATION, TIENDANUBE_BASE_URL: shop.url },
  });
  now.at = () => instance.clock.now().epochMilliseconds;
  shop.application.redirectUri = `${instance.app.exchange.publicUrl}/connect/tiendanube`;
  const { id } = shop.world.place();
  const consent = async () => {
    const address = await beginConsent(
      instance.app.exchange,
      instance.organization.id,
      'tiendanube',
    );
    const { headers } = await fetch(address, { redirect: 'manual' });
    return new URL(headers.get('location') ?? '').search;
  };

  const late = await consent();
  instance.clock.advance({ seconds: 31 });
  const refused = await fetch(`${instance.url}/connect/tiendanube${late}`);
  const page = await fetch(`${instance.url}/connect/tiendanube${await consent()}`);
  const [orders] = await instance.sync();

  assert.notEqual(refused.status, 200);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /La cuenta Tienda 271828 quedó conectada/);
  assert.equal(orders?.error, undefined);
  assert.equal((await instance.api(`/v1/orders/${id}`)).body.data.account_id, '271828');
});

test('the token of another store is refused with a message', async (t) => {
  const { shop, instance } = await openConnected(t);
  shop.faults.next({ kind: 'wrong_type', field: 'id', value: 99, match: /store/ });

  const attempt = connect(instance.app.exchange, {
    organizationId: instance.organization.id,
    service: 'tiendanube',
    credentials: shop.credentials(),
    baseUrl: shop.url,
  });

  await assert.rejects(
    attempt,
    (error) =>
      error instanceof Failure &&
      error.message === 'Las credenciales son de la tienda 99, pero su store_id dice 271828.',
  );
});

test('a dated version has a path of its own', async (t) => {
  const { shop, instance, read } = await openConnected(t, { version: '2025-03' });
  const { id } = shop.world.place();

  await instance.sync();

  assert.equal((await read(id)).status, 'pending');
  assert.ok(shop.requests.every(({ path }) => path.startsWith('/2025-03/271828/')));
});

test('a full bucket is left to empty, for as many milliseconds as it says', async (t) => {
  const { shop, instance } = await openConnected(t, { bucket: 40 });
  const call = openStore(instance, shop);
  const headers = {
    authentication: `bearer ${shop.credentials().access_token}`,
    'user-agent': 'Otra parte (4321)',
  };
  for (let count = 0; count < 40; count++)
    await fetch(`${shop.url}/v1/${shop.store.id}/store`, { headers });
  const before = shop.requests.length;

  await call.get('/store', Store);

  const [refused, then] = shop.requests.slice(before);
  assert.deepEqual([refused?.status, then?.status], [429, 200]);
  assert.equal((then?.at ?? 0) - (refused?.at ?? 0), 20_000);
});

test('a store that does not pay gets a message, and goes on by itself once it has paid', async (t) => {
  const { shop, instance, read, connectionId } = await openConnected(t);
  const { id } = shop.world.place();
  shop.switches.suspended = true;

  const [stopped] = await instance.sync();
  const unpaid = await stateOf(instance, connectionId);
  const alerts = await alertsOf(instance, instance.organization.id);
  shop.switches.suspended = false;
  await instance.sync();

  const sentence =
    /pago pendiente\. Regulariza el pago allá; después continuaremos automáticamente\.$/;
  assert.match(stopped?.error ?? '', sentence);
  assert.equal(unpaid.state, 'error');
  assert.match(unpaid.stateMessage ?? '', sentence);
  assert.deepEqual(
    alerts.map(({ kind, message }) => [kind, message]),
    [['connection', unpaid.stateMessage]],
  );
  assert.equal((await read(id)).status, 'pending');
  assert.equal((await stateOf(instance, connectionId)).state, 'ok');
});

test('connecting a store that does not pay is refused with a message', async (t) => {
  const { shop, instance } = await openConnected(t);
  shop.switches.suspended = true;

  await assert.rejects(
    instance.connect('tiendanube', { url: shop.url, credentials: shop.credentials() }),
    /^Failure: Tiendanube suspendió esta tienda o su aplicación por un pago pendiente\./,
  );
});

test('a store that is gone is no store without orders', async (t) => {
  const { shop, instance, connectionId } = await openConnected(t);
  shop.switches.gone = true;

  const [orders, inventory] = await instance.sync();

  assert.match(orders?.error ?? '', /rechazó una consulta/);
  assert.match(inventory?.error ?? '', /rechazó una consulta/);
  assert.equal((await stateOf(instance, connectionId)).state, 'error');
});

interface Opened {
  readonly instance: TestApp;
  readonly shop: Awaited<ReturnType<typeof startTiendanube>>;
  readonly connectionId: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers that the contract is held against
  read(id: Order['id']): Promise<any>;
  /** Delivers a webhook and waits until it was acted upon. @returns the status of the answer */
  tell(push: Push): Promise<number>;
}

async function openConnected(
  t: TestContext,
  { deepest, ...options }: TiendanubeOptions & { deepest?: number } = {},
): Promise<Opened> {
  const instance = await shared.another();
  const now = () => instance.clock.now().epochMilliseconds;
  const shop = await startTiendanube({ seed: t.name, now, ...options });
  t.after(shop.close);
  if (deepest) shop.switches.deepest = deepest;
  const connectionId = await instance.connect('tiendanube', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  return {
    instance,
    shop,
    connectionId,
    read: async (id) => (await instance.api(`/v1/orders/${id}`)).body.data,
    async tell({ headers, text }) {
      const options = { method: 'POST', body: text, headers, key: null };
      const { status } = await instance.api('/api/webhooks/tiendanube', {}, options);
      await jobsDone(instance);
      return status;
    },
  };
}

async function stateOf({ app: instance, organization }: TestApp, connectionId: string) {
  const connection = await instance.database
    .within(organization.id)
    .read((scope) => connectionById(scope, connectionId));
  assert.ok(connection);
  return connection;
}

/** An order every three minutes. */
function place({ clock }: TestApp, { world }: Opened['shop'], orders: number): Order[] {
  return Array.from({ length: orders }, () => {
    clock.advance({ minutes: 3 });
    return world.place();
  });
}

/** Walks the orders as a first import does, without storing them. @returns the ids that came */
async function walkOrders(
  call: Call<TiendanubeCredentials>,
  onPage: (page: number) => void = () => {},
): Promise<Set<string>> {
  const seen = new Set<string>();
  const request = {
    window: { from: null, to: call.now() },
    limit: 100,
    nonFinalIds: async () => [],
    deliveredIds: async () => [],
    states: async () => new Map(),
  };
  let former: string[] = [];
  for (let position: string | null = null, pages = 1; ; pages++) {
    const page = await tiendanube.orders.page(call, { ...request, position });
    const ids = page.items.map((one) => (one.ok ? one.item.id : assert.fail(one.reason)));
    if (ids.length > 1) assert.notDeepEqual(ids, former, 'a repeated page would end the walk');
    former = ids;
    for (const id of ids) seen.add(id);
    onPage(pages);
    if (page.next === null) return seen;
    assert.notEqual(page.next, position, 'the position moves');
    position = page.next;
  }
}

/** The calls of a store that is connected already. */
function openStore({ app: instance }: TestApp, shop: Opened['shop']): Call<TiendanubeCredentials> {
  return openCall(instance.exchange, {
    connector: tiendanube,
    credentials: tiendanube.auth.credentials.parse(shop.credentials()),
    application: null,
    lane: 'prueba',
    baseUrl: shop.url,
    addresses: 'any',
    renew: null,
  });
}

function countingMore(
  call: Call<TiendanubeCredentials>,
  times: number,
): Call<TiendanubeCredentials> {
  return {
    ...call,
    credentials: call.credentials,
    async request(asked) {
      const answer = await call.request(asked);
      const total = Number(answer.headers['x-total-count']) * times;
      return Number.isNaN(total)
        ? answer
        : { ...answer, headers: { ...answer.headers, 'x-total-count': String(total) } };
    },
  };
}
