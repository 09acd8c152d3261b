import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { orderIdOf, totalOf } from '../../simulators/mirakl/facts.ts';
import { type Mirakl, type MiraklOptions, startMirakl } from '../../simulators/mirakl/index.ts';
import { type Call, isSettlement, type Stream } from '../../src/connectors/contract.ts';
import { coppel } from '../../src/connectors/coppel/connector.ts';
import { liverpool } from '../../src/connectors/liverpool/connector.ts';
import { balances } from '../../src/connectors/mirakl/balances.ts';
import type { MiraklCredentials } from '../../src/connectors/mirakl/credentials.ts';
import { invoices } from '../../src/connectors/mirakl/invoices.ts';
import { settlements } from '../../src/connectors/mirakl/settlements.ts';
import { UpstreamError } from '../../src/connectors/upstream-error.ts';
import { connect } from '../../src/exchange/connect/connect.ts';
import { openCall } from '../../src/exchange/wire/call.ts';
import { Failure } from '../../src/platform/failure.ts';
import { add, ZERO } from '../../src/platform/money.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { liverpool as stand } from '../support/stand-mirakl.ts';
import { openStage } from '../support/stand-stage.ts';
import { linesOf } from '../support/warehouse.ts';

// What only Mirakl has. The shared suite of connectors covers the rest.

const shared = await openApp(WHOLE_FILE);

async function openShop(
  t: TestContext,
  options: MiraklOptions = {},
): Promise<TestApp & { shop: Mirakl }> {
  const instance = await shared.another('experto');
  const shop = await startMirakl({
    seed: t.name,
    now: () => instance.clock.now().epochMilliseconds,
    ...options,
  });
  t.after(shop.close);
  return { ...instance, shop };
}

/** The calls of a seller whose key was proved. */
async function openSeller({
  app: instance,
  shop,
}: Awaited<ReturnType<typeof openShop>>): Promise<Call<MiraklCredentials>> {
  const callWith = (credentials: MiraklCredentials) =>
    openCall(instance.exchange, {
      connector: liverpool,
      credentials,
      application: null,
      lane: shop.url,
      baseUrl: shop.url,
      addresses: 'any',
      renew: null,
    });
  const typed = liverpool.auth.credentials.parse(shop.credentials());
  const { credentials = typed } = await liverpool.auth.check(callWith(typed));
  return callWith(credentials);
}

/** All rows of a stream, page by page, in one window. */
async function walk<Item>(
  stream: Stream<Item, MiraklCredentials>,
  call: Call<MiraklCredentials>,
  { onPage }: { onPage?: (items: readonly Item[]) => void } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  const window = { from: null, to: call.now() };
  for (let position: string | null = null; ; ) {
    const page = await stream.page(call, {
      window,
      position,
      limit: 100,
      nonFinalIds: async () => [],
      deliveredIds: async () => [],
      states: async () => new Map(),
    });
    const read = page.items.map((one) => (one.ok ? one.item : assert.fail(one.reason)));
    items.push(...read);
    onPage?.(read);
    if (page.next === null) return items;
    assert.notEqual(page.next, position, 'the position moves');
    position = page.next;
  }
}

const HOSTS: readonly (readonly [unknown, string | null])[] = [
  [undefined, 'https://liverpool-prod.mirakl.net/api'],
  ['liverpool4-dev.mirakl.net', 'https://liverpool4-dev.mirakl.net/api'],
  [' https://Otra.Mirakl.net/mmp/shop/account ', 'https://otra.mirakl.net/api'],
  ['http://liverpool-prod.mirakl.net', null],
  ['liverpool-prod.mirakl.net:8443', null],
  ['usuario@liverpool-prod.mirakl.net', null],
  ['localhost', null],
  ['127.0.0.1', null],
  ['[::1]', null],
  ['', null],
];

for (const [host, address] of HOSTS)
  test(`the host ${JSON.stringify(host)} is ${address ?? 'refused'}`, () => {
    const read = liverpool.auth.credentials.safeParse({
      api_key: 'clave',
      ...(host !== undefined && { host }),
    });

    assert.equal(read.success, address !== null);
    if (read.success) assert.equal(liverpool.auth.hosts(read.data).default, address);
  });

test('Coppel has a host of its own, and a key is one word', () => {
  const { credentials, hosts } = coppel.auth;

  assert.equal(
    hosts(credentials.parse({ api_key: ' clave ' })).default,
    'https://coppel.mirakl.net/api',
  );
  assert.equal(credentials.parse({ api_key: ' clave ' }).api_key, 'clave');
  assert.equal(credentials.parse({ api_key: 'clave', shop_id: 3_008 }).shop_id, '3008');
  for (const wrong of [
    {},
    { api_key: 'dos palabras' },
    { api_key: 'clave', shop_id: 'x' },
    { api_key: 'k', otro: 1 },
  ])
    assert.equal(credentials.safeParse(wrong).success, false, JSON.stringify(wrong));
});

test('the shop is learnt from the key and named in every call after that', async (t) => {
  const { shop, connect: join, sync, api } = await openShop(t, { shops: [2_041, 2_042] });
  const id = orderIdOf(shop.world.place());

  await join('liverpool', { url: shop.url, credentials: shop.credentials() });
  await sync();

  const [check, ...others] = shop.requests;
  assert.equal(check?.path, '/api/account');
  assert.ok(others.length > 1);
  for (const { path } of others) assert.match(path, /[?&]shop_id=2041\b/);
  assert.equal((await api(`/v1/orders/${id}`)).body.data.account_id, '2041');
});

test('a seller with two shops reads the one that is named', async (t) => {
  const { shop, connect: join, sync, api } = await openShop(t, { shops: [2_041, 2_042] });
  shop.world.place();
  const [, other] = shop.shops;
  const ids = [other?.world.place(), other?.world.place()].map(
    (order) => order && orderIdOf(order),
  );

  await join('coppel', { url: shop.url, credentials: shop.credentials(2_042) });
  await sync();

  const { data } = (await api('/v1/orders')).body;
  assert.deepEqual(data.map((order: { id: string }) => order.id).sort(), ids);
});

test('a key that answers for another shop is not stored, and the seller sees which', async (t) => {
  const { app: instance, organization, shop } = await openShop(t);
  shop.faults.next({ kind: 'wrong_type', field: 'shop_id', value: 99, match: /account/ });

  const attempt = connect(instance.exchange, {
    organizationId: organization.id,
    service: 'liverpool',
    credentials: shop.credentials(2_041),
    baseUrl: shop.url,
  });

  await assert.rejects(
    attempt,
    (error) =>
      error instanceof Failure &&
      error.message === 'La clave abre la tienda 99, pero su shop_id dice 2041.',
  );
});

test('«too many» without a time is a pause of a minute, and with one it is that long', async (t) => {
  const opened = await openShop(t);
  const { shop, clock } = opened;
  const call = await openSeller(opened);
  const ask = () => walk(liverpool.orders, call);

  shop.faults.next({ kind: 'too_many' });
  await assert.rejects(
    ask,
    (error) =>
      error instanceof UpstreamError && error.kind === 'throttled' && error.retryAfter === 60,
  );
  const refused = shop.requests.length;
  clock.advance({ seconds: 25 });
  await assert.rejects(ask, (error) => error instanceof UpstreamError && error.kind === 'paced');
  assert.equal(shop.requests.length, refused, 'nothing is asked meanwhile');

  clock.advance({ seconds: 35 });
  shop.faults.next({ kind: 'too_many_retry_after', retryAfter: 7 });
  await ask();
  const [reported, then] = shop.requests.slice(refused);
  assert.equal((then?.at ?? 0) - (reported?.at ?? 0), 7_000);
});

test('what Mirakl is known for comes out of the API as it is', async (t) => {
  const { shop, connect: join, sync, api } = await openShop(t);
  const { world, switches } = shop;
  const twoLines = () => world.place({ lines: [{}, {}] });
  const [partly, incident, foreign, odd] = [twoLines(), twoLines(), world.place(), world.place()];
  const [first, second] = world.placeCart([{}, {}]);
  for (const { id } of [partly, incident, foreign, odd]) world.pay(id);
  world.ship(incident.id);
  switches.partlyShipped.add(orderIdOf(partly));
  switches.incidents.add(orderIdOf(incident));
  switches.foreign.add(orderIdOf(foreign));
  switches.newState.add(orderIdOf(odd));

  await join('liverpool', { url: shop.url, credentials: shop.credentials() });
  await sync();
  const read = async (order = partly) => (await api(`/v1/orders/${orderIdOf(order)}`)).body.data;

  assert.equal((await read(partly)).status, 'partially_shipped');
  assert.equal((await read(incident)).status, 'shipped');
  assert.deepEqual((await read(incident)).channel_relations.tags, ['INCIDENT_OPEN', 'open_claim']);
  assert.equal((await read(foreign)).currency, 'USD');
  assert.deepEqual(
    [(await read(odd)).status, (await read(odd)).marketplace_status],
    ['unknown', 'WAITING_NEW_STATE'],
  );
  const parts = [await read(first), await read(second)];
  assert.equal(new Set(parts.map(({ id }) => id)).size, 2);
  assert.equal(new Set(parts.map(({ channel_relations }) => channel_relations.pack_id)).size, 1);
});

test('a line that the seller refused is neither packed nor sold', async (t) => {
  const opened = await openShop(t);
  const { shop, connect: join, sync, api } = opened;
  const order = shop.world.place({ lines: [{ quantity: 2 }, { quantity: 1 }] });
  shop.world.pay(order.id);
  shop.switches.partlyRefused.add(orderIdOf(order));

  await join('coppel', { url: shop.url, credentials: shop.credentials() });
  await sync();

  const { status, items } = (await api(`/v1/orders/${orderIdOf(order)}`)).body.data;
  const pieces = items.map((item: { quantity: number; cancelled_quantity: number }) => [
    item.quantity,
    item.cancelled_quantity,
  ]);
  assert.deepEqual(
    [status, pieces],
    [
      'paid',
      [
        [2, 2],
        [1, 0],
      ],
    ],
  );
  const [packed] = await linesOf(opened);
  assert.deepEqual(
    packed?.orders.flatMap((one) => one.items.map(({ quantity }) => quantity)),
    [0, 1],
  );
});

test('a total that includes shipping and fees is stored whole', async (t) => {
  const { shop, connect: join, sync, api } = await openShop(t);
  shop.world.fill({ orders: 60, days: 20 });

  await join('liverpool', { url: shop.url, credentials: shop.credentials() });
  await sync();

  const { data } = (await api('/v1/orders', { limit: 100 })).body;
  const reported = new Map(data.map(({ id, total }: { id: string; total: number }) => [id, total]));
  for (const order of shop.world.orders())
    assert.equal(reported.get(orderIdOf(order)), totalOf(order) / 100);
  const dearer = shop.world
    .orders()
    .filter((order) => totalOf(order) > Math.round(Number(order.total) * 100));
  assert.ok(dearer.length > 0);
});

test('pages are as large as they may be, and the deprecated call is not used', {
  tags: ['slow'],
}, async (t) => {
  const { shop, connect: join, sync } = await openShop(t);
  shop.world.fill({ orders: 230, days: 30 });

  await join('liverpool', { url: shop.url, credentials: shop.credentials() });
  await sync();
  const asked = shop.requests.map(({ path }) => path);

  assert.equal(shop.world.orders().length, 230);
  // Once for the orders, and once for their documents.
  assert.equal(asked.filter((path) => /^\/api\/orders\?max=100&offset=/.test(path)).length, 2 * 3);
  assert.deepEqual(
    asked.filter((path) => /^\/api\/orders\/[^d]/.test(path)),
    [],
  );
  assert.ok(shop.requests.every(({ status }) => status === 200));
});

test('orders that change while a list is read pull no other one out of it', async (t) => {
  const opened = await openShop(t);
  const { shop, clock } = opened;
  const placed = Array.from({ length: 150 }, () => {
    clock.advance({ minutes: 3 });
    return shop.world.place();
  });
  clock.advance({ minutes: 3 });
  const call = await openSeller(opened);
  const seen = new Set<string>();
  let isFirst = true;

  await walk(liverpool.orders, call, {
    onPage(orders) {
      for (const { id } of orders) seen.add(id);
      clock.advance({ minutes: 1 });
      if (isFirst) for (const { id } of placed.slice(10, 30)) shop.world.pay(id);
      isFirst = false;
    },
  });

  assert.deepEqual([...seen].sort(), placed.map(orderIdOf).sort());
});

test('an open order that is too large is set aside under its id, and the others are fetched', {
  tags: ['slow'],
}, async (t) => {
  const stage = await openStage(shared, stand, { seed: t.name, orders: 20 });
  t.after(stage.shop.close);
  await stage.tick();
  const [, paid] = stage.shop.world.orders();
  assert.ok(paid);
  const { id } = stage.truth(paid);
  stage.shop.faults.swell({ match: /order_ids=/, bytes: new Map([[id, 9 * 2 ** 20]]) });

  await stage.reconcile();

  const asides = () =>
    stage.unreadable().then((rows) => rows.map(({ external_id }) => external_id));
  const alerts = async () =>
    (await stage.alerts('too_large')).filter((alert) => alert.resolved_at === null);
  assert.deepEqual(await asides(), [id]);
  assert.equal((await stage.connection()).state, 'ok');
  const reported = await alerts();
  assert.deepEqual([reported.length, reported[0]?.message.includes(id)], [1, true]);

  stage.shop.faults.stop();
  await stage.reconcile();
  assert.deepEqual([await asides(), await alerts()], [[], []]);
});

test('stock is what the offers say, one number each', async (t) => {
  const { app: instance, organization, shop, connect: join, sync } = await openShop(t);

  await join('coppel', { url: shop.url, credentials: shop.credentials() });
  await sync();

  const levels = await instance.database
    .within(organization.id)
    .read((scope) =>
      scope.rows(scope.select('stock_levels').select(['sku', 'available', 'warehouse'])),
    );
  const known = new Map(levels.map(({ sku, available }) => [sku, Number(available)]));
  assert.deepEqual([...known].sort(), [...shop.world.stock()].sort());
  assert.ok(levels.every(({ warehouse }) => warehouse === 'seller'));
});

test('what is payable and what is pending is all that was not paid out', async (t) => {
  const opened = await openShop(t, { mostSought: 7 });
  const { shop, clock } = opened;
  shop.world.fill({ orders: 60, days: 30 });
  const call = await openSeller(opened);

  const [balance, ...others] = await walk(balances, call);

  const { data } = await ask(shop, '/sellerpayment/transactions_logs');
  assert.deepEqual(others, []);
  assert.ok(balance?.available && balance.pending);
  assert.ok(Number(balance.available) !== 0 && Number(balance.pending) !== 0);
  assert.equal(Number(add(balance.available, balance.pending)), data[0].balance);
  assert.deepEqual(
    [balance.currency, balance.isDerived, balance.asOf.toString()],
    ['MXN', true, clock.now().toString()],
  );
});

test('where all was paid out the balance is zero in the shop’s currency', async (t) => {
  const call = await openSeller(await openShop(t));

  const reported = await walk(balances, call);

  assert.deepEqual(
    reported.map(({ currency, available, pending }) => [currency, available, pending]),
    [['MXN', ZERO, ZERO]],
  );
});

test('a token of the log that repeats does not add up for ever', async (t) => {
  const opened = await openShop(t, { mostSought: 2 });
  opened.shop.world.fill({ orders: 60, days: 30 });
  const call = await openSeller(opened);
  opened.shop.faults.next({ kind: 'endless_page', match: /transactions_logs/, times: 1_000 });

  await assert.rejects(walk(balances, call), /the position moves/);
});

test('the transaction log is called at most 20 times a minute and 60 times an hour', async (t) => {
  const opened = await openShop(t);
  const { shop, clock } = opened;
  const call = await openSeller(opened);
  const request = {
    window: { from: null, to: call.now() },
    position: null,
    limit: 100,
    nonFinalIds: async () => [],
    deliveredIds: async () => [],
    states: async () => new Map(),
  };

  for (let pages = 0; pages < 130; ) {
    try {
      await balances.page(call, request);
      pages++;
    } catch (error) {
      assert.ok(error instanceof UpstreamError && error.kind === 'paced');
      clock.advance({ seconds: 20 });
    }
  }

  const times = shop.requests
    .filter(({ path }) => path.includes('transactions_logs'))
    .map(({ at }) => at);
  const most = (milliseconds: number) =>
    Math.max(
      ...times.map((end) => times.filter((at) => at <= end && at > end - milliseconds).length),
    );
  assert.equal(times.length, 130);
  assert.ok(most(60_000) <= 20, `${most(60_000)} in a minute`);
  assert.ok(most(3_600_000) <= 60, `${most(3_600_000)} in an hour`);
});

test('each billing cycle is a settlement, with the state of its payout', async (t) => {
  const opened = await openShop(t, { mostSought: 2 });
  opened.shop.world.fill({ orders: 90, days: 60 });
  const call = await openSeller(opened);

  const onPage = () => opened.clock.advance({ seconds: 80 });
  const reported = (await walk(settlements, call, { onPage })).filter(isSettlement);

  const { data } = await ask(opened.shop, '/seller-billing-cycles');
  assert.ok(reported.length > 4);
  assert.equal(new Set(reported.map(({ id }) => id)).size, reported.length);
  assert.deepEqual(
    new Set(reported.map(({ status }) => status)),
    new Set(['paid', 'failed', 'pending']),
  );
  assert.deepEqual(
    reported
      .slice(0, 2)
      .map(({ id, net, fees, gross, reference }) => [
        id,
        Number(net),
        Number(fees),
        Number(gross),
        reference,
      ]),
    data.map(
      ({ id, pay_out, summary, ...cycle }: { [name: string]: { [name: string]: unknown } }) => [
        id,
        cycle.amount_transferred_to_seller,
        cycle.amount_transferred_to_operator,
        summary?.total_payable_orders_incl_tax,
        pay_out?.reference ?? null,
      ],
    ),
  );
});

test('the invoices that a seller uploaded come with their XML, the delivery bills do not', async (t) => {
  const opened = await openShop(t);
  opened.shop.world.fill({ orders: 130, days: 30 });
  const call = await openSeller(opened);

  const reported = await walk(invoices, call);

  const { orders } = await ask(opened.shop, '/orders', 'max=100');
  const invoiced = orders.filter((order: { has_invoice: boolean }) => order.has_invoice);
  assert.ok(invoiced.length > 10);
  for (const { order_id } of invoiced) {
    const invoice = reported.find(({ orderIds }) => orderIds.includes(order_id));
    assert.match(String(invoice?.xml), new RegExp(`^\ufeff.*Folio="${order_id}"`, 's'));
    assert.equal(invoice?.fileName, `${order_id}.xml`);
  }
  assert.ok(reported.every(({ fileName }) => fileName?.endsWith('.xml')));
});

test('an invoice that can no longer be downloaded is stored without its content', async (t) => {
  const opened = await openShop(t);
  const { shop } = opened;
  shop.world.fill({ orders: 20, days: 30 });
  const call = await openSeller(opened);
  const gone: Call<MiraklCredentials> = {
    ...call,
    request: (request) => call.request({ ...request, query: { document_ids: 7 } }),
  };

  const reported = await walk(invoices, gone);

  assert.ok(reported.length > 0);
  assert.ok(reported.every(({ xml }) => xml === null));
});

/** As the seller would, with the largest page. */
// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
async function ask(shop: Mirakl, path: string, query = 'limit=1000'): Promise<any> {
  const headers = { authorization: shop.credentials().api_key };
  return (await fetch(`${shop.url}/api${path}?${query}`, { headers })).json();
}
