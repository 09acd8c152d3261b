import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { Order } from '../../simulators/order.ts';
import {
  startWooCommerce,
  type WooCommerce,
  type WooCommerceOptions,
} from '../../simulators/woocommerce/index.ts';
import { countingOf } from '../../simulators/woocommerce/products.ts';
import type { Webhook } from '../../src/connectors/contract.ts';
import { UpstreamError } from '../../src/connectors/upstream-error.ts';
import { woocommerce } from '../../src/connectors/woocommerce/connector.ts';
import { WooCommerceCredentials } from '../../src/connectors/woocommerce/credentials.ts';
import { notifications } from '../../src/connectors/woocommerce/notifications.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { disconnectAccount } from '../../src/exchange/connect/disconnect.ts';
import { subscribe } from '../../src/exchange/connect/subscribe.ts';
import { runHousekeeping } from '../../src/exchange/jobs/housekeeping.ts';
import { rerenderDue } from '../../src/exchange/sync/rerender.ts';
import { runStream } from '../../src/exchange/sync/run-stream.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { applyNotification } from '../../src/exchange/webhooks/apply-notification.ts';
import { openCall } from '../../src/exchange/wire/call.ts';
import { openConnection } from '../../src/exchange/wire/open-connection.ts';
import {
  connectionById,
  type SealedConnection,
  subscriptionSecretOf,
} from '../../src/features/connections/index.ts';
import { Failure } from '../../src/platform/failure.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { jobsDone, outcomesOf, query } from '../support/market.ts';

// What only WooCommerce has. The shared suite of connectors covers the rest.

const shared = await openApp(WHOLE_FILE);

interface Opened extends TestApp {
  readonly shop: WooCommerce;
  /** Connects the store with what differs in its credentials. */
  join(credentials?: object): Promise<string>;
  /** Walks the orders as the schedule does between two reconciliations. */
  walk(onPage?: () => void): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: answers that are held to the contract already
  read(order: Order | undefined): Promise<any>;
  connection(): Promise<SealedConnection>;
}

async function open(t: TestContext, options: WooCommerceOptions = {}): Promise<Opened> {
  const instance = await shared.another('experto');
  const shop = await startWooCommerce({
    now: () => instance.clock.now().epochMilliseconds,
    seed: t.name,
    ...options,
  });
  t.after(shop.close);
  let connectionId = '';
  const connection = async () =>
    (await instance.app.database
      .within(instance.organization.id)
      .read((scope) => connectionById(scope, connectionId))) as SealedConnection;
  return {
    ...instance,
    shop,
    connection,
    join: async (credentials = {}) => {
      connectionId = await instance.connect('woocommerce', {
        url: shop.url,
        credentials: { ...shop.credentials(), ...credentials },
      });
      return connectionId;
    },
    walk: async (onPage = () => {}) => {
      instance.clock.advance({ minutes: 5 });
      const options = { reconcile: false, ifRunning: 'wait', onPage } as const;
      await runStream(instance.app.exchange, await connection(), 'orders', options);
    },
    read: async (order) => (await instance.api(`/v1/orders/${order?.id}`)).body.data,
  };
}

/** Orders one after the other, each a few minutes after the one before. */
function placeSome({ shop, clock }: Opened, count: number): Order[] {
  return Array.from({ length: count }, () => {
    clock.advance({ minutes: 3 });
    return shop.world.place();
  });
}

function listCalls({ shop }: Opened): string[] {
  return shop.requests.filter(({ path }) => path.includes('orderby=id')).map(({ path }) => path);
}

const STORES: readonly (readonly [string, string | null])[] = [
  ['https://tienda.example.mx', 'https://tienda.example.mx'],
  [' https://Tienda.Example.mx/ ', 'https://tienda.example.mx'],
  ['tienda.example.mx/ropa/', 'https://tienda.example.mx/ropa'],
  ['https://tienda.example.mx/ropa/wp-json/wc/v3/', 'https://tienda.example.mx/ropa'],
  [
    'https://tienda.example.mx/wp-admin/admin.php?page=wc-settings#llaves',
    'https://tienda.example.mx',
  ],
  ['https://xn--nandera-6za.mx', 'https://xn--nandera-6za.mx'],
  ['http://tienda.example.mx', null],
  ['ftp://tienda.example.mx', null],
  ['https://tienda.example.mx:8443', null],
  ['https://ana:clave@tienda.example.mx', null],
  ['https://localhost', null],
  ['https://127.0.0.1', null],
  ['https://2130706433', null],
  ['https://0x7f.1', null],
  ['https://[::1]', null],
  ['https://10.0.0.8/tienda', null],
  ['', null],
];

for (const [url, store] of STORES)
  test(`the store ${JSON.stringify(url)} is ${store ?? 'refused'}`, () => {
    const keys = { consumer_key: 'ck_1', consumer_secret: 'cs_1' };

    const read = WooCommerceCredentials.safeParse({ url, ...keys });

    assert.equal(read.success ? read.data.url : null, store);
    if (!read.success) return;
    assert.equal(woocommerce.auth.hosts(read.data).default, `${store}/wp-json/wc/v3`);
    assert.deepEqual(
      WooCommerceCredentials.parse(read.data),
      read.data,
      'read again it is the same',
    );
  });

const INWARD: Readonly<Record<string, string[]>> = {
  'loopback.example.mx': ['127.0.0.1'],
  'private.example.mx': ['10.1.2.3'],
  'metadata.example.mx': ['169.254.169.254'],
  'half.example.mx': ['8.8.8.8', '192.168.0.1'],
};

test('a store whose name means an address inside is not called, and its keys go nowhere', async (t) => {
  const { app: instance, organization } = await shared.another();
  const lookup = (name: string, _options: unknown, done: (...answer: unknown[]) => void) =>
    done(
      null,
      (INWARD[name] ?? []).map((address) => ({ address, family: 4 })),
    );
  t.mock.method(dns, 'lookup', lookup as never);
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.reset();
    syncBuiltinESMExports();
  });

  for (const host of Object.keys(INWARD)) {
    const credentials = { url: `https://${host}`, consumer_key: 'ck_1', consumer_secret: 'cs_1' };
    const typed = {
      organizationId: organization.id,
      service: 'woocommerce',
      credentials,
      baseUrl: null,
    } as const;
    await assert.rejects(
      connect(instance.exchange, typed),
      ({ code, message, cause }: Failure) =>
        code === 'upstream_error' &&
        /^La dirección de la tienda no es pública, .* Escribe la que usan tus compradores\.$/.test(
          message,
        ) &&
        (cause as Error).message === `${host} is not a public address`,
    );
  }
});

for (const url of [
  'https://127.0.0.1',
  'https://[::1]',
  'https://192.168.1.1',
  'http://8.8.8.8',
  'https://8.8.8.8:8080',
])
  test(`even if ${url} came to be stored, the engine would not call it`, async () => {
    const { app: instance } = await shared.another();
    const call = openCall(instance.exchange, {
      connector: woocommerce,
      credentials: {
        url,
        consumer_key: 'ck_1',
        consumer_secret: 'cs_1',
        auth: 'header',
        permalinks: true,
        statuses: {},
      },
      application: null,
      lane: 'prueba',
      baseUrl: null,
      addresses: 'public',
      renew: null,
    });

    await assert.rejects(
      woocommerce.auth.check(call),
      (error) =>
        error instanceof UpstreamError &&
        error.kind === 'inward' &&
        /not a public address/.test(error.message),
    );
  });

test('two stores with an order of one number are two accounts, by host and path', async (t) => {
  const opened = await open(t, { path: '/ropa' });
  const { shop, api, sync } = opened;
  const other = await startWooCommerce({ now: shop.world.now, path: '/libros' });
  t.after(other.close);
  const order = shop.world.place();
  assert.equal(other.world.place().id, order.id);

  await opened.join();
  await opened.connect('woocommerce', { url: other.url, credentials: other.credentials() });
  await sync();

  const { data } = (await api('/v1/orders')).body;
  assert.deepEqual(data.map(({ account_id }: { account_id: string }) => account_id).sort(), [
    'tienda.example.mx/libros',
    'tienda.example.mx/ropa',
  ]);
  assert.equal((await api(`/v1/orders/${order.id}`)).status, 409);
});

test('a hoster that takes the header away is given the keys in the query, and no message shows them', async (t) => {
  const opened = await open(t, { stripsHeader: true });
  const { shop } = opened;
  const order = shop.world.place();
  const { consumer_secret } = shop.credentials();

  await opened.join();
  await opened.walk();
  assert.equal((await opened.read(order)).id, order.id);

  shop.faults.next({ kind: 'server_error', times: 100 });
  await assert.rejects(
    opened.walk(),
    (error) =>
      error instanceof UpstreamError && !`${error.stack} ${error.cause}`.includes(consumer_secret),
  );
});

test('a store without permalinks is called by its query', async (t) => {
  const opened = await open(t, { permalinks: false, path: '/tienda', may: 'write' });
  const order = opened.shop.world.place();
  opened.shop.world.pay(order.id);
  opened.shop.world.refund(order.id, '10.00');

  await opened.join();
  await opened.walk();

  const { account_id, refunds } = await opened.read(order);
  assert.equal(account_id, 'tienda.example.mx/tienda');
  assert.equal(refunds.length, 1);
  assert.ok(
    listCalls(opened).every(
      (path) => path.startsWith('/tienda/?') && path.includes('rest_route=%2Fwc%2Fv3%2F'),
    ),
  );
});

test('a store may lack permalinks and take the header away', async (t) => {
  const opened = await open(t, { permalinks: false, stripsHeader: true });
  const order = opened.shop.world.place();

  await opened.join();
  await opened.walk();

  assert.equal((await opened.read(order)).id, order.id);
});

const WRONG: readonly (readonly [string, WooCommerceOptions, object, RegExp])[] = [
  ['a wrong key', {}, { consumer_secret: 'cs_otra' }, /no aceptó las credenciales/],
  [
    'a wrong key of a store without permalinks',
    { permalinks: false },
    { consumer_secret: 'cs_otra' },
    /no aceptó las credenciales/,
  ],
  [
    'an address where there is no store',
    { path: '/tienda' },
    { url: 'https://tienda.example.mx/blog' },
    /^En esa dirección no encontramos la API de WooCommerce\./,
  ],
];

for (const [what, options, credentials, sentence] of WRONG)
  test(`${what} is refused in words, and nothing is asked for long`, async (t) => {
    const opened = await open(t, options);

    await assert.rejects(
      opened.join(credentials),
      (error) => error instanceof Failure && sentence.test(error.message),
    );
    assert.ok(opened.shop.requests.length <= 3, `${opened.shop.requests.length} requests`);
  });

test('a store that lives elsewhere says where, and the keys are not sent there', async (t) => {
  const opened = await open(t, { movedTo: 'https://www.tienda.example.mx' });

  await assert.rejects(
    opened.join(),
    (error) =>
      error instanceof Failure &&
      error.message === 'Tu tienda manda a otra dirección (www.tienda.example.mx). Escribe esa.',
  );
  assert.equal(opened.shop.requests.length, 1);
});

test('a store too old to know what changed is read again, newest first, and not all of it', {
  tags: ['slow'],
}, async (t) => {
  const opened = await open(t, { isOld: true });
  const { shop, clock } = opened;
  const ancient = placeSome(opened, 120);
  clock.advance({ hours: 24 * 60 });
  const fresh = placeSome(opened, 60);
  await opened.join();
  await opened.walk();

  const [changed] = fresh;
  shop.world.pay(changed?.id ?? '');
  const before = listCalls(opened).length;
  await opened.walk();

  assert.equal((await opened.read(changed)).status, 'paid');
  const [asked, ...again] = listCalls(opened).slice(before);
  assert.match(asked ?? '', /modified_after=.*order=asc/);
  assert.equal(again.length, 2, 'two pages for sixty orders');
  for (const path of again) assert.match(path, /[?&]after=.*order=desc/);

  // What is older and may still change is requested by name, now and then.
  const [old] = ancient;
  shop.world.pay(old?.id ?? '');
  await opened.walk();
  assert.equal((await opened.read(old)).status, 'pending');
  await opened.sync();
  assert.equal((await opened.read(old)).status, 'paid');
});

test('of an old store with very many orders the newest thousand are read again, and all that came since', {
  tags: ['slow'],
}, async (t) => {
  const opened = await open(t, { isOld: true });
  opened.shop.world.fill({ orders: 1_400, days: 20 });
  await opened.join();
  await opened.walk();
  const before = listCalls(opened).length;

  await opened.walk();

  const pages = listCalls(opened).slice(before).length;
  assert.ok(pages >= 20 && pages <= 23, `${pages} pages`);
});

test('a change inside of the first second of a window does not make a store old', async (t) => {
  const opened = await open(t);
  placeSome(opened, 5);
  await opened.join();
  await opened.walk();
  await opened.walk();

  assert.ok(listCalls(opened).every((path) => path.includes('order=asc')));
});

for (const offsetMinutes of [-420, 330])
  test(`dates are compared in GMT in a store ${offsetMinutes} minutes ahead of it`, async (t) => {
    const opened = await open(t, { offsetMinutes });
    const [order] = placeSome(opened, 3);
    await opened.join();
    await opened.walk();
    const before = listCalls(opened).length;

    opened.clock.advance({ hours: 9 });
    opened.shop.world.pay(order?.id ?? '');
    await opened.walk();

    const { status, date_created } = await opened.read(order);
    assert.equal(status, 'paid');
    assert.equal(Date.parse(date_created), order?.steps[0]?.at);
    assert.match(
      listCalls(opened).slice(before).join(' '),
      /modified_after=[^&]+&dates_are_gmt=true/,
    );
  });

test('an order that is deleted while a list is read pulls no other one out of it', async (t) => {
  const opened = await open(t);
  const { shop } = opened;
  const placed = placeSome(opened, 130);
  await opened.join();
  let pages = 0;

  await opened.walk(() => {
    pages += 1;
    // The last page is gone with them.
    if (pages === 2) for (const { id } of placed.slice(0, 35)) shop.switches.deleted.add(id);
  });

  const ids = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { body } = await opened.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) });
    for (const { id } of body.data) ids.add(id);
    if (!body.pagination.has_more) break;
    cursor = body.pagination.next_cursor;
  }
  assert.deepEqual([...ids].sort(), placed.map(({ id }) => id).sort());
});

test('where a cache leaves the totals out the list ends with a page that is not full', async (t) => {
  const opened = await open(t);
  opened.shop.switches.withoutTotals = true;
  const placed = placeSome(opened, 75);
  await opened.join();

  await opened.walk();

  assert.ok(await opened.read(placed.at(-1)));
  assert.equal(listCalls(opened).length, 2);
});

test('an order that was deleted or thrown away is cancelled at the next reconciliation, and all else of it stays', async (t) => {
  const opened = await open(t);
  const { shop, sync } = opened;
  const [deleted, trashed, kept] = placeSome(opened, 3);
  await opened.join();
  await sync();
  const before = await opened.read(deleted);

  shop.switches.deleted.add(deleted?.id ?? '');
  shop.switches.trashed.add(trashed?.id ?? '');
  await opened.walk();
  assert.equal((await opened.read(deleted)).status, 'pending');
  await sync();

  const after = await opened.read(deleted);
  assert.deepEqual([after.status, after.marketplace_status], ['cancelled', 'deleted']);
  for (const field of ['total', 'items', 'buyer_name', 'date_created', 'currency', 'shipping'])
    assert.deepEqual(after[field], before[field], field);
  assert.deepEqual(
    [(await opened.read(trashed)).status, (await opened.read(trashed)).marketplace_status],
    ['cancelled', 'trash'],
  );
  assert.equal((await opened.read(kept)).status, 'pending');
});

test('a delivered order that is deleted or thrown away later is cancelled within a day', {
  tags: ['slow'],
}, async (t) => {
  const opened = await open(t);
  const { shop, clock, sync } = opened;
  const orders = [3, 17].map((days) => {
    const order = shop.world.place();
    shop.world.pay(order.id);
    shop.world.ship(order.id);
    shop.world.deliver(order.id);
    clock.advance({ hours: 24 * days });
    return order;
  });
  const [deleted, trashed] = orders;
  await opened.join();
  await sync();
  const statuses = () =>
    Promise.all(orders.map(async (order) => (await opened.read(order)).status));
  assert.deepEqual(await statuses(), ['delivered', 'delivered']);

  shop.switches.deleted.add(deleted?.id ?? '');
  shop.switches.trashed.add(trashed?.id ?? '');
  for (let hour = 0; hour < 24; hour++) {
    clock.advance({ hours: 1, minutes: 1 });
    await sync();
  }

  assert.deepEqual(await statuses(), ['cancelled', 'cancelled']);
});

test('the webhook of a deletion cancels a stored order, and makes none of one that is not stored', async (t) => {
  const opened = await open(t, { may: 'write' });
  const { shop } = opened;
  const order = shop.world.place();
  shop.world.pay(order.id);
  shop.world.ship(order.id);
  shop.world.deliver(order.id);
  const connectionId = await opened.join();
  await opened.walk();
  const deleted = (id: string) =>
    applyNotification(opened.app.exchange, {
      organizationId: opened.organization.id,
      connectionId,
      hint: { stream: 'orders', id },
    });

  shop.switches.deleted.add(order.id);
  const [known, unknown] = [await deleted(order.id), await deleted('99999')];

  assert.equal((await opened.read(order)).status, 'cancelled');
  assert.deepEqual([known.changed, unknown.changed], [1, 0]);
  assert.equal((await opened.api('/v1/orders/99999')).status, 404);
});

test('a store whose API is gone for a while loses no order', async (t) => {
  const opened = await open(t);
  const [order] = placeSome(opened, 2);
  await opened.join();
  await opened.sync();
  const gone = await startWooCommerce({ now: opened.shop.world.now, permalinks: false });
  t.after(gone.close);

  const moved = { ...(await opened.connection()), baseUrl: gone.url };
  const options = { reconcile: true, ifRunning: 'leave' } as const;
  await assert.rejects(
    runStream(opened.app.exchange, moved, 'orders', options),
    (error) => error instanceof UpstreamError && error.kind === 'refused' && error.status === 404,
  );
  const { call } = openConnection(opened.app.exchange, moved);
  await assert.rejects(async () => woocommerce.orders.one?.(call as never, order?.id ?? ''), {
    status: 404,
  });

  assert.equal((await opened.read(order)).status, 'pending');
});

test('a firewall’s page is a pause, and not a permission that was taken back', async (t) => {
  const opened = await open(t);
  const [order] = placeSome(opened, 1);
  await opened.join();
  await opened.walk();

  opened.shop.world.pay(order?.id ?? '');
  opened.shop.switches.firewall = true;
  await assert.rejects(
    opened.walk(),
    (error) => error instanceof UpstreamError && error.kind === 'throttled',
  );
  assert.equal((await opened.connection()).state, 'delayed');
  opened.shop.switches.firewall = false;
  await opened.walk();

  assert.equal((await opened.connection()).state, 'ok');
  assert.equal((await opened.read(order)).status, 'paid');
});

test('a status of a plugin is unknown until the seller says what it means', async (t) => {
  const opened = await open(t);
  const [order] = placeSome(opened, 1);
  opened.shop.switches.status.set(order?.id ?? '', 'en-bodega');
  await opened.join();
  await opened.sync();
  assert.deepEqual(
    [(await opened.read(order)).status, (await opened.read(order)).marketplace_status],
    ['unknown', 'en-bodega'],
  );

  await opened.join({ statuses: { 'wc-en-bodega': 'ready_to_ship' } });
  await opened.sync();

  assert.equal((await opened.read(order)).status, 'ready_to_ship');
});

test('what the seller says of a status holds after a release that renders orders anew', async (t) => {
  const opened = await open(t);
  const [order] = placeSome(opened, 1);
  opened.shop.switches.status.set(order?.id ?? '', 'completed');
  await opened.join({ statuses: { completed: 'shipped' } });
  await opened.walk();
  assert.equal((await opened.read(order)).status, 'shipped');
  await query(opened, 'update orders set representation = 0');

  opened.clock.advance({ minutes: 1 });
  await runHousekeeping(opened.app.exchange);
  await rerenderDue(opened.app.exchange);

  const { status, date_closed } = await opened.read(order);
  assert.deepEqual([status, date_closed], ['shipped', null]);
});

test('where completed means shipped, its time is that of the dispatch, and closes nothing', async (t) => {
  const opened = await open(t);
  const order = opened.shop.world.place();
  opened.shop.world.pay(order.id);
  opened.clock.advance({ hours: 2 });
  opened.shop.world.ship(order.id);
  opened.clock.advance({ hours: 20 });
  opened.shop.world.deliver(order.id);
  await opened.join({ statuses: { completed: 'shipped' } });
  await opened.walk();

  const { status, date_closed, shipping } = await opened.read(order);
  assert.deepEqual([status, date_closed, shipping.delivered_at], ['shipped', null, null]);
  assert.equal(Date.parse(shipping.shipped_at), order.steps.at(-1)?.at);
});

test('a cart at the checkout comes in once it is an order', async (t) => {
  const opened = await open(t);
  const [cart] = placeSome(opened, 2);
  opened.shop.switches.status.set(cart?.id ?? '', 'checkout-draft');
  await opened.join();
  await opened.walk();
  assert.equal((await opened.api(`/v1/orders/${cart?.id}`)).status, 404);

  opened.shop.switches.status.delete(cart?.id ?? '');
  opened.shop.world.pay(cart?.id ?? '');
  await opened.walk();

  assert.equal((await opened.read(cart)).status, 'paid');
});

test('refunds come with their dates, and goods by weight with whole quantities', async (t) => {
  const opened = await open(t);
  const { shop, clock } = opened;
  const order = shop.world.place({ lines: [{ quantity: 2, unitPrice: '30.00' }] });
  shop.switches.fractional.add(order.id);
  shop.world.pay(order.id);
  clock.advance({ hours: 2 });
  shop.world.refund(order.id, '12.50');
  await opened.join();
  await opened.walk();

  const { refunds, refunded_total, items, status } = await opened.read(order);
  assert.deepEqual([refunded_total, status], [12.5, 'paid']);
  assert.deepEqual(
    refunds.map(({ amount, at }: { amount: number; at: string }) => [amount, Date.parse(at)]),
    [[12.5, order.steps.at(-1)?.at]],
  );
  assert.deepEqual([items[0].quantity, items[0].unit_price, items[0].subtotal], [2, 40, 60]);
});

test('stock is what each shelf has, and stock that is not counted is without limit', async (t) => {
  const opened = await open(t);
  const { shop, app: instance, organization, sync } = opened;
  await opened.join();
  await sync();

  const levels = await instance.database
    .within(organization.id)
    .read((scope) =>
      scope.rows(scope.select('stock_levels').select(['sku', 'available', 'variation_id'])),
    );
  const stock = shop.world.stock();
  const expected = shop.world.products.flatMap((product) => {
    const counting = countingOf(product);
    const shelves = product.variants.length > 0 ? product.variants : [product];
    const all = shelves.reduce((sum, { sku }) => sum + (stock.get(sku) ?? 0), 0);
    return shelves.map(({ sku }) => {
      const own = counting === 'together' ? all : (stock.get(sku) ?? 0);
      return [sku, counting === 'never' ? null : own, product.variants.length > 0];
    });
  });
  const reported = levels.map(({ sku, available, variation_id }) => [
    sku,
    available === null ? null : Number(available),
    variation_id !== '',
  ]);
  assert.deepEqual(
    new Set(shop.world.products.map(countingOf)),
    new Set(['each', 'together', 'never']),
  );
  assert.deepEqual(reported.sort(), expected.sort());
});

/** One product with so many variations, and nothing else. */
async function openVaried(t: TestContext, count: number) {
  const opened = await open(t);
  const [product, ...others] = opened.shop.world.products;
  assert.ok(product);
  const variants = Array.from({ length: count }, (_, number) => ({
    sku: `VARIADA-${number}`,
    stock: number,
    name: 'Tono',
    value: String(number),
  }));
  Object.assign(product, { variants });
  for (const other of others) Object.assign(other, { variants: [] });
  await opened.join();
  const levels = () =>
    opened.app.database
      .within(opened.organization.id)
      .read((scope) =>
        scope.rows(
          scope.select('stock_levels').select(['sku', 'gone_at']).where('variation_id', '<>', ''),
        ),
      );
  return { ...opened, levels };
}

test('every variation of a product comes in, however many there are', {
  tags: ['slow'],
}, async (t) => {
  const { app: instance, organization, levels } = await openVaried(t, 2_100);

  const [report] = await syncStock(instance, organization.id);

  assert.deepEqual([report?.error, report?.unreadable], [undefined, 0]);
  assert.equal((await levels()).length, 2_100);
});

test('a product whose variations repeat for ever is set aside, and nothing of it is gone', {
  tags: ['slow'],
}, async (t) => {
  const opened = await openVaried(t, 120);
  const { app: instance, organization, shop, clock, levels } = opened;
  await syncStock(instance, organization.id);
  shop.switches.withoutTotals = true;
  shop.faults.next({
    kind: 'endless_page',
    match: /variations\?/,
    times: Number.POSITIVE_INFINITY,
  });

  for (let pass = 0; pass < 3; pass++) {
    clock.advance({ hours: 1 });
    const [report] = await syncStock(instance, organization.id);
    assert.deepEqual([report?.error, report?.unreadable], [undefined, 1]);
  }

  const aside = await query(opened, 'select reason from unreadable_items');
  assert.deepEqual(aside, [{ reason: '(whole): larger than an answer may be' }]);
  assert.deepEqual(
    (await levels()).filter(({ gone_at }) => gone_at !== null),
    [],
  );
});

function syncStock({ exchange }: TestApp['app'], organizationId: string) {
  return syncOrganization(exchange, { organizationId, service: null, stream: 'inventory' });
}

test('with the account its subscriptions go, and no others', async (t) => {
  const opened = await open(t, { may: 'write' });
  const foreign = opened.shop.webhooks.add({ delivery_url: 'https://otra.example/aviso' });
  await opened.join();
  const { organizationId, id } = await opened.connection();
  await subscribe(opened.app.exchange, organizationId, id);
  assert.ok(opened.shop.webhooks.all.length > 1);

  assert.equal(await disconnectAccount(opened.app.exchange, organizationId, id), 'removed');

  assert.deepEqual(opened.shop.webhooks.all, [foreign]);
});

test('an account that is disconnected while its subscriptions are made keeps none', async (t) => {
  const opened = await open(t, { may: 'write' });
  await opened.join();
  const { organizationId, id } = await opened.connection();
  const { exchange } = opened.app;
  const { network } = exchange;
  let isLeaving = false;
  const send: typeof network.send = async (outgoing, reach) => {
    if (outgoing.method === 'POST' && !isLeaving) {
      isLeaving = true;
      assert.equal(await disconnectAccount(exchange, organizationId, id), 'removed');
    }
    return network.send(outgoing, reach);
  };

  await subscribe({ ...exchange, network: { ...network, send } }, organizationId, id);

  assert.ok(isLeaving);
  assert.deepEqual(opened.shop.webhooks.all, []);
});

/** The subscriptions of a connection are made or mended. */
async function ensure(opened: Opened): Promise<string> {
  const connection = await opened.connection();
  const { call } = openConnection(opened.app.exchange, connection);
  const address = `${opened.url}/api/webhooks/woocommerce/${connection.id}`;
  const secret = subscriptionSecretOf(opened.app.exchange.keyring, connection);
  await woocommerce.notifications?.ensure?.(call as never, { application: null, secret, address });
  return address;
}

test('subscriptions are made once, greeted with 200, and bring a change before any walk', async (t) => {
  const opened = await open(t, { may: 'write' });
  const { shop, organization } = opened;
  const order = shop.world.place();
  await opened.join();
  await opened.walk();

  const address = await ensure(opened);
  await ensure(opened);

  assert.deepEqual(shop.webhooks.all.map(({ topic }) => topic).sort(), [
    'order.created',
    'order.deleted',
    'order.restored',
    'order.updated',
    'product.created',
    'product.updated',
  ]);
  assert.ok(shop.webhooks.all.every(({ delivery_url }) => delivery_url === address));
  assert.ok(
    shop.webhooks.deliveries.every(({ topic, status }) => topic === 'ping' && status === 200),
  );
  assert.deepEqual(await outcomesOf(opened, organization.id), {}, 'a greeting is kept nowhere');

  await shop.webhooks.flush();
  shop.world.pay(order.id);
  const sent = await shop.webhooks.flush();
  await jobsDone(opened);
  assert.deepEqual(
    sent.map(({ topic, status }) => [topic, status]),
    [['order.updated', 200]],
  );
  assert.equal((await opened.read(order)).status, 'paid');

  shop.switches.trashed.add(order.id);
  await shop.webhooks.pushDeleted(order.id);
  await jobsDone(opened);
  assert.equal((await opened.read(order)).status, 'cancelled');
});

test('a store whose orders are large keeps its subscriptions', async (t) => {
  const opened = await open(t, { may: 'write' });
  await opened.join();
  await ensure(opened);
  const { id } = opened.shop.world.place();
  const [webhook] = opened.shop.webhooks.all;
  assert.ok(webhook);
  const { delivery_url: address, secret } = webhook;
  const meta = Array(900).fill({ key: '_nota', value: `${'x'.repeat(1_000)}\ud83d` });
  const body = JSON.stringify({ id: Number(id), meta_data: meta });

  const answer = await fetch(address, {
    method: 'POST',
    body,
    headers: {
      'x-wc-webhook-topic': 'order.created',
      'x-wc-webhook-signature': createHmac('sha256', secret).update(body).digest('base64'),
    },
  });
  await jobsDone(opened);

  assert.equal(answer.status, 200);
  assert.equal((await opened.api(`/v1/orders/${id}`)).status, 200);
});

test('of an order that is gone before we knew it a webhook brings nothing', async (t) => {
  const opened = await open(t, { may: 'write' });
  await opened.join();
  await ensure(opened);
  const order = opened.shop.world.place();
  opened.shop.switches.deleted.add(order.id);

  const [reported] = await opened.shop.webhooks.pushDeleted(order.id);
  await jobsDone(opened);

  assert.equal(reported?.status, 200);
  assert.equal((await opened.api(`/v1/orders/${order.id}`)).status, 404);
});

test('a webhook with another secret is answered and not believed', async (t) => {
  const opened = await open(t, { may: 'write' });
  const order = opened.shop.world.place();
  await opened.join();
  const address = await ensure(opened);
  const before = opened.shop.requests.length;
  for (const webhook of opened.shop.webhooks.all) webhook.secret = 'de-otro';

  opened.shop.world.pay(order.id);
  const sent = await opened.shop.webhooks.flush();
  await jobsDone(opened);

  assert.ok(sent.length > 0 && sent.every(({ status }) => status === 200));
  assert.deepEqual(await outcomesOf(opened, opened.organization.id), {});
  assert.equal(opened.shop.requests.length, before, `${address} made no call`);
});

test('a subscription of ours that failed five times is switched on again; all others are left alone', async (t) => {
  const opened = await open(t, { may: 'write' });
  const { shop } = opened;
  const foreign = shop.webhooks.add({
    delivery_url: 'https://otro.example.mx/avisos',
    status: 'disabled',
    secret: 's',
  });
  await opened.join();
  const address = await ensure(opened);
  const ours = shop.webhooks.all.find(
    ({ topic, id }) => topic === 'order.updated' && id !== foreign.id,
  );
  const paused = shop.webhooks.all.find(({ topic }) => topic === 'product.updated');
  assert.ok(ours && paused);
  paused.status = 'paused';

  ours.delivery_url = 'http://127.0.0.1:9/nadie';
  const order = shop.world.place();
  for (let count = 0; count < 5; count++) {
    opened.clock.advance({ minutes: 1 });
    shop.world.refund(order.id, '1.00');
    await shop.webhooks.flush();
  }
  assert.equal(ours.status, 'disabled');
  ours.delivery_url = address;
  const untouched = { ...foreign };
  await ensure(opened);

  assert.deepEqual([ours.status, ours.failures, paused.status], ['active', 0, 'paused']);
  assert.deepEqual(foreign, untouched);
  assert.equal(shop.webhooks.all.length, 7);
});

test('a key that may only read subscribes to nothing, and its store is connected all the same', async (t) => {
  const opened = await open(t, { may: 'read' });
  await opened.join();

  await ensure(opened);
  await opened.walk();

  assert.deepEqual(opened.shop.webhooks.all, []);
  assert.equal((await opened.connection()).state, 'ok');
});

const SECRET = 'secreto-de-esta-conexion';
const BODY = '{"id":1727,"status":"processing","total":"829.80","billing":{"first_name":"Íñigo"}}';

function push(headers: Record<string, string>, text = BODY): Webhook {
  return {
    headers: { 'x-wc-webhook-topic': 'order.updated', ...headers },
    text,
    body: { id: '1727' },
  };
}

test('the signature is the base64 of an HMAC-SHA256 over the body as it came', () => {
  const signature = createHmac('sha256', SECRET).update(Buffer.from(BODY, 'utf8')).digest('base64');
  const verify = (given: Webhook, secret = SECRET) =>
    notifications.verify(given, {} as never, { application: null, secret });

  assert.equal(signature, 'm+EpKxAqPtEwVEbqH1iDEW25j6RhjoC+RUn+WFQsMro=');
  assert.equal(verify(push({ 'x-wc-webhook-signature': signature })), true);
  assert.equal(verify(push({ 'x-wc-webhook-signature': signature }), 'otro'), false);
  assert.equal(verify(push({ 'x-wc-webhook-signature': signature }, `${BODY} `)), false);
  assert.equal(verify(push({ 'x-wc-webhook-signature': signature.slice(0, 8) })), false);
  assert.equal(verify(push({ 'x-wc-webhook-signature': '' })), false);
  assert.equal(verify(push({})), false);
});

const NOTIFICATIONS: readonly (readonly [string, unknown, unknown[]])[] = [
  ['order.updated', { id: '1727' }, [{ stream: 'orders', id: '1727' }]],
  ['order.deleted', { id: '1727' }, [{ stream: 'orders', id: '1727' }]],
  ['product.updated', { id: '93' }, [{ stream: 'inventory', id: '93' }]],
  ['coupon.updated', { id: '5' }, []],
  ['order.updated', { id: '../users' }, []],
  ['order.updated', null, []],
];

for (const [topic, body, named] of NOTIFICATIONS)
  test(`${topic} with ${JSON.stringify(body)} notifies ${JSON.stringify(named)}`, () => {
    assert.deepEqual(
      notifications.notificationsIn({ headers: { 'x-wc-webhook-topic': topic }, text: '', body }),
      named,
    );
  });
