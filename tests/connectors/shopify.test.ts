import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ShopifyOptions, startShopify } from '../../simulators/shopify/index.ts';
import { ALL_SCOPES } from '../../simulators/shopify/store.ts';
import { SCOPES } from '../../src/connectors/shopify/consent.ts';
import { notifications, TOPICS } from '../../src/connectors/shopify/notifications.ts';
import { UpstreamError } from '../../src/connectors/upstream-error.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { beginConsent } from '../../src/exchange/connect/consent.ts';
import { disconnectAccount } from '../../src/exchange/connect/disconnect.ts';
import { subscribe } from '../../src/exchange/connect/subscribe.ts';
import { type RunOptions, runStream } from '../../src/exchange/sync/run-stream.ts';
import { openConnection } from '../../src/exchange/wire/open-connection.ts';
import { renewCredentials } from '../../src/exchange/wire/renew-credentials.ts';
import {
  connectionById,
  disconnect,
  openCredentials,
  type SealedConnection,
} from '../../src/features/connections/index.ts';
import { Failure } from '../../src/platform/failure.ts';
import { newId } from '../../src/platform/ids.ts';
import { eventually } from '../reliability/support/processes.ts';
import { openApp } from '../support/app.ts';
import { turnedClock } from '../support/clock.ts';
import { retryLater } from '../support/market.ts';

// What only Shopify does. What every marketplace must withstand is in tests/connectors/suite/.

const PUBLIC_URL = 'https://tianguis.example';
let stores = 0;

type Row = Readonly<Record<string, unknown>>;

/** A store at the simulator, with our application known to the instance. */
async function open(t: TestContext, options: ShopifyOptions = {}) {
  const clock = turnedClock();
  // The instances of this file share a database, and a webhook finds every connection to its store.
  const name = `tienda-${++stores}.myshopify.com`;
  const shop = await startShopify({
    seed: 'shopify',
    shop: name,
    now: () => clock.now().epochMilliseconds,
    application: { redirectUri: `${PUBLIC_URL}/connect/shopify` },
    ...options,
  });
  t.after(shop.close);
  const instance = await openApp(t, {
    clock,
    env: {
      PUBLIC_URL,
      SHOPIFY_BASE_URL: shop.url,
      SHOPIFY_CLIENT_ID: shop.application.clientId,
      SHOPIFY_CLIENT_SECRET: shop.application.clientSecret,
    },
  });
  const { exchange } = instance.app;
  const { key, organization } = await instance.tenant('experto');
  const within = exchange.database.within(organization.id);
  const query = (text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    exchange.database.write(
      async (handle) => (await handle.sql(text, [organization.id, ...values])) as Row[],
    );
  const connection = async (id: string) =>
    (await within.read((scope) => connectionById(scope, id))) as SealedConnection;
  return {
    shop,
    name,
    instance,
    clock,
    exchange,
    organizationId: organization.id,
    within,
    query,
    connection,
    connect: async (credentials: unknown = shop.credentials()) => {
      const typed = {
        organizationId: organization.id,
        service: 'shopify' as const,
        credentials,
        baseUrl: null,
      };
      return (await connect(exchange, typed)).connectionId;
    },
    walk: async (
      id: string,
      stream: 'orders' | 'inventory' = 'orders',
      options: Partial<RunOptions> = {},
    ) =>
      runStream(exchange, await connection(id), stream, {
        reconcile: false,
        ifRunning: 'wait',
        ...options,
      }),
    orders: async (asked: Record<string, string> = {}) =>
      (await instance.api('/v1/orders', { limit: 100, ...asked }, { key })).body,
    order: async (id: string) => (await instance.api(`/v1/orders/${id}`, {}, { key })).body.data,
    alerts: (kind: string) =>
      query(
        'select subject, message from alerts where organization_id = $1 and kind = $2 and resolved_at is null',
        [kind],
      ),
    pushTo: (path = '') => `${instance.url}/api/webhooks/shopify${path}`,
  };
}

/** Paid, of a buyer with a name. */
function sell({ world }: Awaited<ReturnType<typeof startShopify>>): string {
  const { id } = world.place({ buyer: { firstName: 'Rosa', lastName: 'Prado Luna' } });
  world.pay(id);
  return id;
}

// Consent and tokens

test('a seller gives permission at the page of their own store, and nowhere else', async (t) => {
  const { exchange, organizationId, shop, name, instance, connection, query } = await open(t);

  const address = await beginConsent(exchange, organizationId, 'shopify', {
    store: `https://${name.toUpperCase()}/`,
  });
  const { headers } = await fetch(address, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  const page = await fetch(instance.url + back.pathname + back.search);

  assert.equal(page.status, 200);
  assert.match(await page.text(), /La cuenta Tienda de prueba quedó conectada/);
  const [row] = await query('select id from connections where organization_id = $1');
  const stored = await connection(String(row?.id));
  assert.equal(stored.accountId, name);
  const credentials = openCredentials(exchange.keyring, stored) as Record<string, string>;
  assert.deepEqual(
    Object.keys(credentials).sort(),
    ['access_token', 'refresh_token', 'shop'],
    'one that expires',
  );
  assert.equal(stored.credentialsExpireAt?.since(instance.clock.now()).total('minutes'), 60);
  assert.equal(new URL(address).searchParams.get('scope'), Object.keys(SCOPES).join(','));
  assert.ok(shop.requests.every(({ path }) => !path.includes('secreto')));
});

test('an answer with a forged signature connects nothing', async (t) => {
  const { exchange, organizationId, instance, shop, name, query } = await open(t);
  const address = await beginConsent(exchange, organizationId, 'shopify', { store: name });
  const { headers } = await fetch(address, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  back.searchParams.set('timestamp', '1');

  const page = await fetch(instance.url + back.pathname + back.search);

  assert.ok(page.status >= 400);
  assert.deepEqual(await query('select id from connections where organization_id = $1'), []);
  assert.ok(
    !shop.requests.some(({ path }) => path.endsWith('/access_token')),
    'the code was not spent',
  );
  await assert.rejects(
    beginConsent(exchange, organizationId, 'shopify', { store: 'evil.example' }),
    (error) =>
      error instanceof Failure &&
      /Esa no es la dirección de una tienda de Shopify/.test(error.message),
  );
});

test('an expiring token is renewed with the token that rotates; one of old never; an own application asks anew', async (t) => {
  const { shop, name, connect: join, exchange, connection } = await open(t);
  const renew = async (id: string) => {
    const stored = await connection(id);
    const { connector } = openConnection(exchange, stored);
    return renewCredentials(exchange, stored, connector, openCredentials(exchange.keyring, stored));
  };

  const id = await join();
  const first = (await renew(id)) as Record<string, string>;
  const second = (await renew(id)) as Record<string, string>;
  assert.notEqual(first.refresh_token, second.refresh_token);
  shop.expireTokens();
  await connectAgain({
    shop: name,
    access_token: 'shpat_0_0_0',
    refresh_token: second.refresh_token,
  });

  await connectAgain(shop.credentials({ kind: 'old' }));
  await assert.rejects(
    renew(id),
    (error) => error instanceof UpstreamError && error.kind === 'unauthorized',
  );

  const { access_token: _, ...own } = shop.credentials({ kind: 'own' });
  await connectAgain(own);
  assert.match(((await renew(id)) as Record<string, string>).access_token ?? '', /^shpat_/);

  async function connectAgain(credentials: unknown) {
    assert.equal(await join(credentials), id);
  }
});

test('data outside the permission is reported when the account is connected', async (t) => {
  const { shop, clock, connect: join, walk, orders, order, alerts } = await open(t);
  const old = sell(shop);
  clock.advance({ hours: 61 * 24 });
  const id = sell(shop);
  shop.switches.scopes = new Set(ALL_SCOPES.filter((scope) => !/all_orders|customers/.test(scope)));

  const connectionId = await join();
  await walk(connectionId);

  const [alert, ...others] = await alerts('connection_gaps');
  assert.deepEqual(others, []);
  assert.match(
    String(alert?.message),
    /últimos 60 días.*read_all_orders.*nombre de los compradores.*read_customers/,
  );
  assert.deepEqual(
    (await orders()).data.map(({ id, buyer_name }: { id: string; buyer_name: string }) => [
      id,
      buyer_name,
    ]),
    [[id, null]],
  );

  shop.switches.scopes = new Set(ALL_SCOPES);
  await join();
  await walk(connectionId);
  assert.deepEqual(await alerts('connection_gaps'), []);
  assert.equal((await order(old)).buyer_name, 'Rosa P.', 'what was withheld is read now');
});

test('of a disconnected account no alert says what its permission left out', async (t) => {
  const { shop, exchange, organizationId, connect: join, alerts } = await open(t);
  shop.switches.scopes = new Set(ALL_SCOPES.filter((scope) => !/customers/.test(scope)));
  const connectionId = await join();
  assert.equal((await alerts('connection_gaps')).length, 1);

  await disconnectAccount(exchange, organizationId, connectionId);

  assert.deepEqual(await alerts('connection_gaps'), []);
});

test('a store that withdrew the permission to read orders asks the seller to connect again', async (t) => {
  const { shop, connect: join, walk, connection, instance, clock, organizationId } = await open(t);
  const id = await join();
  shop.switches.scopes.delete('read_orders');

  await assert.rejects(
    walk(id),
    (error) => error instanceof UpstreamError && error.kind === 'forbidden',
  );

  const first = await connection(id);
  await retryLater({ app: instance.app, clock }, organizationId, id);

  const { state, stateMessage } = await connection(id);
  assert.equal(first.state, 'delayed');
  assert.match(first.stateMessage ?? '', /no nos dejó leer tu cuenta/);
  assert.equal(state, 'reauth_required');
  assert.match(stateMessage ?? '', /no nos da permiso/);
});

// Limits and traps of the list

test('the walk keeps to the points of the store, and waits for them before it asks', async (t) => {
  const {
    shop,
    connect: join,
    walk,
    clock,
    orders,
  } = await open(t, { points: { most: 200, perSecond: 5 } });
  shop.world.fill({ orders: 90, days: 20 });
  const id = await join();
  const before = clock.monotonic();

  await walk(id);

  assert.equal(shop.throttled, 0);
  assert.ok(
    clock.monotonic() - before > 20_000,
    'four pages of 77 points are more than the bucket holds',
  );
  assert.equal((await orders()).data.length, 90);
});

test('«throttled» comes with HTTP 200, and is waited for', async (t) => {
  const {
    shop,
    connect: join,
    walk,
    orders,
  } = await open(t, { points: { most: 400, perSecond: 50 } });
  shop.world.fill({ orders: 90, days: 20 });
  const id = await join();

  // Another application takes from the same bucket: the next page costs more than is left.
  const onPage = () => {
    shop.switches.pointsPerRow = 14;
  };
  await walk(id, 'orders', { onPage });

  assert.ok(shop.throttled > 0);
  assert.ok(shop.requests.every(({ status }) => status === 200));
  assert.equal((await orders()).data.length, 90);
});

test('a page that costs more than a query may is requested in smaller ones', async (t) => {
  const { shop, connect: join, walk, orders } = await open(t);
  shop.world.fill({ orders: 20, days: 20 });
  const id = await join();
  shop.switches.pointsPerRow = 100;

  const report = await walk(id);

  assert.equal(report?.items, 20);
  assert.equal((await orders()).data.length, 20);
});

test('an order of more than fifty lines has all of them', async (t) => {
  const { shop, connect: join, walk, order } = await open(t);
  const lines = Array.from({ length: 120 }, (_, index) => ({
    title: `Taza ${index}`,
    quantity: 1,
    unitPrice: '10.00',
  }));
  const { id } = shop.world.place({ lines });

  await walk(await join());

  const titles = (await order(id)).items.map(({ title }: { title: string }) =>
    title.replace(/ - .*/, ''),
  );
  assert.deepEqual(
    titles,
    lines.map(({ title }) => title),
  );
});

// Money

const LINES = [{ title: 'Plato', quantity: 3, listPrice: '60.00', unitPrice: '50.00' }];

test('a shop whose prices are without tax adds it, and its parts give the total all the same', async (t) => {
  const { shop, connect: join, walk, order } = await open(t, { taxesIncluded: false });
  const { id } = shop.world.place({ lines: LINES, coupon: '20.00', shipping: '50.00' });
  shop.world.fill({ orders: 40, days: 20 });

  await walk(await join());

  const { total, subtotal, order_discount, shipping_total, tax_added, money_check } =
    await order(id);
  assert.deepEqual(
    [total, subtotal, order_discount, shipping_total, tax_added],
    [208.8, 150, 20, 50, 28.8],
  );
  assert.equal(money_check, 'ok');
  for (const one of shop.world.orders())
    assert.equal((await order(one.id)).money_check, 'ok', one.id);
});

test('what the seller removes by editing an order makes a new total, and its pieces are cancelled', async (t) => {
  const { shop, connect: join, walk, order, clock } = await open(t);
  const { id } = shop.world.place({ lines: LINES, coupon: '20.00', shipping: '50.00' });
  const connectionId = await join();
  await walk(connectionId);
  const before = await order(id);
  clock.advance({ minutes: 5 });
  shop.removePieces(id, 0, 1);

  await walk(connectionId);

  const after = await order(id);
  assert.equal(before.total, 180);
  assert.deepEqual(
    [after.total, after.other, after.money_check],
    [136.67, [{ name: 'removed_by_edit', amount: -43.33 }], 'ok'],
  );
  const pieces = ({ items }: typeof after) => [items[0].quantity, items[0].cancelled_quantity];
  assert.deepEqual(
    [pieces(before), pieces(after)],
    [
      [3, 0],
      [3, 1],
    ],
  );
  assert.ok(shop.requests.some(({ path }) => path === '/graphql/OrderAgreements'));
});

test('cancelling and refunding an order leave its total and its lines', async (t) => {
  const { shop, connect: join, walk, order, clock } = await open(t);
  const { id } = shop.world.place({ lines: LINES, coupon: '20.00', shipping: '50.00' });
  shop.world.pay(id);
  const connectionId = await join();
  await walk(connectionId);
  const before = await order(id);
  clock.advance({ minutes: 5 });
  shop.world.cancel(id);

  await walk(connectionId);

  const after = await order(id);
  assert.deepEqual(
    [after.status, after.refunded_total, after.money_check],
    ['cancelled', 180, 'ok'],
  );
  const kept = ({ total, subtotal, order_discount, shipping_total, items }: typeof after) => [
    total,
    subtotal,
    order_discount,
    shipping_total,
    items[0].quantity,
    items[0].unit_price,
  ];
  assert.deepEqual(kept(after), kept(before));
  assert.equal(after.items[0].cancelled_quantity, 3);
});

test('a tip is a part of the total, and no goods', { tags: ['slow'] }, async (t) => {
  const { shop, connect: join, walk, order } = await open(t);
  shop.world.fill({ orders: 60, days: 20 });
  await walk(await join());

  const all = await Promise.all(shop.world.orders().map(({ id }) => order(id)));

  const tipped = all.filter(({ other }) => other.length > 0);
  assert.ok(tipped.length > 0 && tipped.length < all.length);
  for (const { other, items } of tipped) {
    assert.deepEqual(other, [{ name: 'tip', amount: 20 }]);
    assert.ok(items.every(({ title }: { title: string }) => title !== 'Tip'));
  }
});

test('a filter that the store ignored stops the walk instead of bringing everything each time', async (t) => {
  const { shop, connect: join, walk, clock, connection, query } = await open(t);
  shop.world.fill({ orders: 60, days: 20 });
  const id = await join();
  await walk(id);
  clock.advance({ hours: 1 });
  shop.switches.ignoresFilters = true;

  await assert.rejects(walk(id), UpstreamError);

  assert.equal((await connection(id)).state, 'error');
  const [stream] = await query(
    "select last_error from streams where organization_id = $1 and stream = 'orders'",
  );
  assert.match(String(stream?.last_error), /the filter was ignored/);
  shop.switches.ignoresFilters = false;
  await walk(id);
  assert.equal((await connection(id)).state, 'ok');
});

test('a delivery that did not move its order is found by asking about the open ones', async (t) => {
  const { shop, clock, connect: join, walk, orders } = await open(t);
  const ids = Array.from({ length: 60 }, () => sell(shop));
  for (const id of ids) shop.world.ship(id);
  clock.advance({ hours: 2 });
  shop.world.cancel(shop.world.place().id);
  const connectionId = await join();
  await walk(connectionId);
  const statuses = async () =>
    [...new Set((await orders()).data.map(({ status }: { status: string }) => status))].sort();
  shop.switches.deliversSilently = true;
  for (const id of ids) shop.world.deliver(id);

  await walk(connectionId);
  const listed = await statuses();
  await walk(connectionId, 'orders', { reconcile: true });

  assert.deepEqual(listed, ['cancelled', 'shipped'], 'the list shows nothing of it');
  assert.deepEqual(await statuses(), ['cancelled', 'delivered']);
});

// Stock and money

test('stock is what the store has in all of its places', async (t) => {
  const { shop, connect: join, walk, query } = await open(t);
  shop.world.fill({ orders: 30, days: 10 });

  await walk(await join(), 'inventory');

  const rows = await query(
    'select sku, available, unavailable from stock_levels where organization_id = $1',
  );
  assert.deepEqual(new Map(rows.map(({ sku, available }) => [sku, available])), shop.world.stock());
  assert.ok(rows.every(({ unavailable }) => unavailable === 2));
});

test('an item that is too large alone is set aside under its id, and the others come in', async (t) => {
  const { shop, connect: join, walk, query } = await open(t);
  const [large] = [...shop.world.stock().keys()];
  assert.ok(large);
  shop.faults.swell({
    match: /^\/graphql\/InventoryItems?(?!\w)/,
    bytes: new Map([[large, 9 * 2 ** 20]]),
  });

  await walk(await join(), 'inventory');

  const rows = await query('select sku from stock_levels where organization_id = $1');
  const missing = [...shop.world.stock().keys()].filter(
    (sku) => !rows.some((row) => row.sku === sku),
  );
  assert.deepEqual(missing, [large]);
  const [aside] = await query('select * from unreadable_items where organization_id = $1');
  assert.match(String(aside?.external_id), /^\d+$/);
});

test('balances and payouts come from Shopify Payments, and from nowhere where the store has none', async (t) => {
  const { shop, connect: join, exchange, connection, clock } = await open(t);
  shop.world.fill({ orders: 40, days: 80 });
  const { connector, call } = openConnection(exchange, await connection(await join()));
  const request = {
    window: { from: null, to: clock.now() },
    position: null,
    limit: 100,
    nonFinalIds: async () => [],
    deliveredIds: async () => [],
    states: async () => new Map(),
  };
  const read = async () => [
    (await connector.balances?.page(call, request))?.items ?? [],
    (await connector.settlements?.page(call, request))?.items ?? [],
  ];

  assert.deepEqual(await read(), [[], []]);
  shop.switches.hasPayments = true;
  const [balances = [], settlements = []] = await read();

  assert.equal(balances.length, 1);
  assert.ok(settlements.length > 5);
  for (const settlement of settlements) {
    assert.ok(settlement.ok && 'net' in settlement.item);
    const { gross, fees, net } = settlement.item;
    assert.equal((Number(gross) - Number(fees)).toFixed(2), Number(net).toFixed(2));
  }
  shop.switches.scopes.delete('read_shopify_payments_payouts');
  assert.deepEqual(await read(), [[], []], 'a missing permission is reported at connecting');
});

// Webhooks

test('subscriptions are made, made again when the store deleted them, and moved with the instance', async (t) => {
  const { shop, connect: join, exchange, connection, pushTo } = await open(t);
  const id = await join();
  const { call } = openConnection(exchange, await connection(id));
  const ensure = (address: string) =>
    notifications.ensure?.(call as never, { application: shop.application, secret: '', address });
  const address = pushTo(`/${id}`);
  await ensure('https://somebody.example/hook');
  const foreign = shop.notifications.subscriptions.length;

  await ensure(address);
  await ensure(address);
  assert.equal(shop.notifications.subscriptions.length, 2 * foreign, 'each topic once');
  shop.notifications.drop('ORDERS_UPDATED');
  await ensure(address);
  assert.equal(
    shop.notifications.subscriptions.filter(({ uri }) => uri === address).length,
    foreign,
  );

  const moved = address.replace(/^http:\/\/[^/]+/, 'https://nuevo.example');
  await ensure(moved);
  const uris = shop.notifications.subscriptions.map(({ uri }) => uri);
  assert.equal(uris.filter((uri) => uri === moved).length, foreign);
  assert.equal(uris.filter((uri) => uri === address).length, 0);
  assert.ok(uris.includes('https://somebody.example/hook'), 'that of another application stays');

  const target = { application: shop.application, secret: '', address: moved };
  await notifications.remove?.(call as never, target);
  await notifications.remove?.(call as never, target);
  assert.deepEqual(
    new Set(shop.notifications.subscriptions.map(({ uri }) => uri)),
    new Set(['https://somebody.example/hook']),
  );
});

test('a topic that the application may not subscribe to costs no other one, and the account says which permission is missing', async (t) => {
  const { shop, exchange, organizationId, connect: join, alerts } = await open(t);
  shop.switches.scopes.delete('read_returns');
  const id = await join();
  const subscribed = async () => {
    await subscribe(exchange, organizationId, id);
    assert.deepEqual(await alerts('pushes'), []);
    const topics = shop.notifications.subscriptions.map(({ topic }) => topic);
    return { topics, gaps: await alerts('connection_gaps') };
  };

  const without = await subscribed();
  const again = await subscribed();
  shop.switches.scopes.add('read_returns');
  const whole = await subscribed();

  const missing = TOPICS.filter((topic) => !without.topics.includes(topic));
  assert.deepEqual(missing, ['RETURNS_UPDATE', 'RETURNS_CLOSE']);
  assert.deepEqual(again, without);
  assert.deepEqual(
    without.gaps.map(({ message }) => message),
    [
      'Shopify no nos avisa de las devoluciones: revisa que la aplicación tenga el permiso read_returns. Mientras tanto consultamos esos cambios.',
    ],
  );
  assert.deepEqual(
    TOPICS.filter((topic) => !whole.topics.includes(topic)),
    [],
  );
  assert.deepEqual(whole.gaps, []);
});

test('webhooks that nobody could check are not asked for: beside a shpat_ token goes its secret', async (t) => {
  const { shop, exchange, organizationId, connect: join, alerts } = await open(t);
  const old = shop.credentials({ kind: 'old' });
  const id = await join(old);

  await subscribe(exchange, organizationId, id);
  const polled = [shop.notifications.subscriptions.length, await alerts('connection_gaps')];
  await join({ ...old, client_secret: shop.application.clientSecret });
  await subscribe(exchange, organizationId, id);

  assert.equal(polled[0], 0);
  assert.match(JSON.stringify(polled[1]), /vuelve a conectarla con .* el secreto de cliente/);
  assert.equal(shop.notifications.subscriptions.length, TOPICS.length);
  assert.deepEqual(await alerts('connection_gaps'), []);
});

test('a webhook brings the order at once; one with a wrong signature brings nothing', async (t) => {
  const { shop, connect: join, exchange, connection, orders, pushTo, query, walk } = await open(t);
  const id = await join();
  await walk(id);
  const { call } = openConnection(exchange, await connection(id));
  await notifications.ensure?.(call as never, {
    application: shop.application,
    secret: '',
    address: pushTo(`/${id}`),
  });
  const forged = shop.world.place().id;

  assert.equal(
    await shop.notifications.send(
      pushTo(),
      'orders/create',
      { id: Number(forged) },
      'otro secreto',
    ),
    200,
  );
  assert.deepEqual(await query('select id from receipts where organization_id = $1'), []);
  const order = sell(shop);
  const attempts = await shop.notifications.flush();

  assert.ok(attempts.length > 0 && attempts.every(({ status }) => status === 200));
  const arrived = await eventually(
    async () =>
      (await orders()).data.some(
        (one: { id: string; status: string }) => one.id === order && one.status === 'paid',
      ),
    20_000,
  );
  assert.ok(arrived);
});

for (const [what, more] of [
  ['half an emoji in a note', { note: 'Entregar por la tarde \ud83d' }],
  ['a NUL in a note', { note: 'Portón\0verde' }],
  ['the lines of a large order', { line_items: Array(900).fill({ title: 'x'.repeat(1_000) }) }],
] as const)
  test(`a signed webhook with ${what} brings its order`, async (t) => {
    const { shop, connect: join, order, pushTo } = await open(t);
    const id = await join();
    const sold = sell(shop);
    const body = { id: Number(sold), ...more };

    assert.equal(await shop.notifications.send(pushTo(`/${id}`), 'orders/create', body), 200);

    assert.ok(await eventually(async () => (await order(sold))?.id === sold, 20_000));
  });

test('a large webhook is read only at the address of a connection, and no more than 4 MB', async (t) => {
  const { shop, connect: join, pushTo } = await open(t);
  const id = await join();
  const sendTo = (url: string, megabytes: number) =>
    shop.notifications.send(url, 'orders/create', { note: 'x'.repeat(megabytes * 1024 * 1024) });

  assert.equal(await sendTo(pushTo(`/${id}`), 3), 200);
  assert.equal(await sendTo(pushTo(`/${id}`), 4), 413);
  assert.equal(await sendTo(pushTo(), 1), 413);
  assert.equal(await sendTo(pushTo(`/${newId()}`), 1), 413);
  assert.equal(await sendTo(pushTo(`/${id}`).replace('shopify', 'woocommerce'), 1), 413);
});

// Privacy

test('a buyer who asks to be forgotten is forgotten for good, and the order stays', async (t) => {
  const { shop, connect: join, walk, orders, order, query, pushTo, clock } = await open(t);
  const [id, other] = [sell(shop), sell(shop)];
  const connectionId = await join();
  await walk(connectionId);
  const before = await orders();
  const body = {
    shop_domain: shop.shop,
    customer: { id: 1 },
    orders_to_redact: [Number(id), 5_400_999_999_999],
  };
  clock.advance({ minutes: 1 });

  assert.equal(
    await shop.notifications.send(pushTo(), 'customers/redact', body, 'otro secreto'),
    200,
  );
  assert.equal(await shop.notifications.send(pushTo(), 'customers/redact', body), 200);
  assert.ok(await eventually(async () => (await order(id)).buyer_name === null, 20_000));

  const delta = await orders({ updated_since: before.meta.as_of });
  assert.deepEqual(
    delta.data.map((one: { id: string; buyer_name: null; total: number }) => [
      one.id,
      one.buyer_name,
    ]),
    [[id, null]],
  );
  assert.equal((await order(other)).buyer_name, 'Rosa P.');
  const documented =
    'select distinct unnest(order_ids) as id from order_documents where organization_id = $1 order by id';
  // The documents go in a transaction of their own, after the name.
  const isGone = async () => (await query(documented)).every((row) => row.id !== id);
  assert.ok(await eventually(isGone, 20_000));
  assert.deepEqual(await query(documented), [{ id: other }]);

  // The store still sends the name with every change.
  clock.advance({ hours: 1 });
  shop.world.ship(id);
  await walk(connectionId);
  const shown = await order(id);
  assert.deepEqual([shown.status, shown.buyer_name], ['shipped', null]);
  assert.deepEqual(await query(documented), [{ id: other }]);
});

test('a buyer who was forgotten before their order came stays forgotten when it comes', async (t) => {
  const { shop, connect: join, walk, orders, order, query, pushTo, clock } = await open(t);
  const [id, other] = [sell(shop), sell(shop)];
  const connectionId = await join();
  const asked = { shop_domain: shop.shop, customer: { id: 1 }, orders_to_redact: [Number(id)] };

  await shop.notifications.send(pushTo(), 'customers/redact', asked);
  const isNoted = async () =>
    (await query('select order_id from forgotten_ahead where organization_id = $1')).length === 1;
  assert.ok(await eventually(isNoted, 20_000));
  await walk(connectionId);

  const names = async () =>
    new Map(
      (await orders()).data.map((one: { id: string; buyer_name: string }) => [
        one.id,
        one.buyer_name,
      ]),
    );
  const expected = new Map([
    [id, null],
    [other, 'Rosa P.'],
  ]);
  assert.deepEqual(await names(), expected);
  const documented =
    'select distinct unnest(order_ids) as id from order_documents where organization_id = $1 order by id';
  assert.deepEqual(await query(documented), [{ id: other }], 'its document is not kept either');
  assert.equal(await isNoted(), false, 'from now on the order itself says so');

  clock.advance({ hours: 1 });
  shop.world.ship(id);
  await walk(connectionId);
  assert.equal((await order(id)).status, 'shipped');
  assert.deepEqual(await names(), expected);
  assert.deepEqual(await query(documented), [{ id: other }]);
});

test('a buyer who asks what is known of them is an alert for the seller', async (t) => {
  const { shop, connect: join, pushTo, alerts, query } = await open(t);
  await join();

  const customer = { id: 5, email: 'compradora@example.com', phone: '5512345678' };
  await shop.notifications.send(pushTo(), 'customers/data_request', {
    orders_requested: [51, 52],
    customer,
  });

  assert.ok(
    await eventually(async () => (await alerts('buyer_data_request')).length === 1, 20_000),
  );
  const [alert] = await alerts('buyer_data_request');
  assert.match(String(alert?.message), /Tienda de prueba pidió saber.*51, 52.*30 días/);
  const receipts = JSON.stringify(
    await query('select body from receipts where organization_id = $1'),
  );
  assert.match(receipts, /51/);
  assert.doesNotMatch(receipts, /compradora|5512345678/);
});

test('after a store left, its credentials and the names of its buyers are forgotten, though it was disconnected before', async (t) => {
  const {
    shop,
    connect: join,
    walk,
    orders,
    query,
    pushTo,
    within,
    connection,
    clock,
  } = await open(t);
  shop.world.fill({ orders: 30, days: 10 });
  sell(shop);
  const id = await join();
  await walk(id);
  const before = await orders();
  assert.notEqual(
    (await query('select 1 from order_documents where organization_id = $1')).length,
    0,
  );
  await shop.notifications.send(pushTo(), 'app/uninstalled', {
    domain: shop.shop,
    email: 'duena@example.com',
  });
  await within.write((scope) => disconnect(scope, id));
  clock.advance({ hours: 48 });

  await shop.notifications.send(pushTo(), 'orders/updated', { id: Number(before.data[0].id) });
  await shop.notifications.send(pushTo(), 'shop/redact', { shop_domain: shop.shop });
  const named = `select (select count(*) from orders where organization_id = $1 and list_json like $2)::int
                        + (select count(*) from order_documents where organization_id = $1)::int as count`;
  const isForgotten = async () => (await query(named, ['%"buyer_name":"%']))[0]?.count === 0;

  assert.ok(await eventually(isForgotten, 20_000));
  const after = await orders();
  assert.equal(after.data.length, before.data.length, 'the orders stay the seller’s');
  const { state, box } = await connection(id);
  assert.deepEqual([state, box], ['disconnected', null]);
  const receipts = await query('select body from receipts where organization_id = $1');
  assert.ok(
    receipts.length === 2 && receipts.every(({ body }) => body === ''),
    'nothing of what was pushed is kept',
  );
});
