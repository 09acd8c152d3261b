import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type AmazonOptions, startAmazon } from '../../simulators/amazon/index.ts';
import { shelvesOf } from '../../simulators/order.ts';
import { beginConsent } from '../../src/exchange/connect/consent.ts';
import { syncOrganization } from '../../src/exchange/sync/sync-organization.ts';
import { Failure } from '../../src/platform/failure.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { alertsOf, query } from '../support/market.ts';
import { readStream } from '../support/read-stream.ts';
import { freshDatabase } from '../support/server.ts';

// What only Amazon does; the rest of what every connector must withstand is in the shared suite.

const shared = await openApp(WHOLE_FILE);

for (const taxes of ['inside', 'added'] as const)
  for (const proceeds of ['whole', 'lines'] as const)
    test(`with taxes ${taxes} and rows of the ${proceeds === 'whole' ? 'order' : 'lines alone'} the parts give every total`, {
      tags: ['slow'],
    }, async (t) => {
      const { instance, shop, order } = await openConnected(t);
      Object.assign(shop.switches, { taxes, proceeds });
      shop.world.fill({ orders: 60, days: 20 });
      const { id } = shop.world.place({
        lines: [{ quantity: 2, listPrice: '232.00', unitPrice: '174.00' }],
        coupon: '116.00',
        shipping: '58.00',
      });
      shop.world.pay(id);
      instance.clock.advance({ minutes: 5 });
      await instance.sync();

      const orders = await Promise.all(shop.world.orders().map((one) => order(one.id)));
      const unexplained = orders.filter(
        ({ total, money_check }) => money_check !== (total && 'ok'),
      );
      const { total, subtotal, shipping_total, tax_total, tax_added, items } = await order(id);
      assert.deepEqual(unexplained, []);
      const net = (amount: number) => (taxes === 'inside' ? amount : amount / 1.16);
      assert.deepEqual(
        [total, subtotal, shipping_total, tax_total, tax_added],
        [290, net(232), net(58), 40, taxes === 'inside' ? 0 : 40],
      );
      assert.deepEqual([items[0].list_price, items[0].unit_price], [net(232), net(116)]);
    });

test('a refund that finances show two days late reaches an order that says nothing of it', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop, order } = await openConnected(t);
  shop.switches.lateHours = 47;
  const { id, total } = shop.world.place({ lines: [{ quantity: 2 }] });
  shop.world.deliver(id);
  instance.clock.advance({ minutes: 5 });
  await instance.sync();
  const before = await order(id);

  // Other orders go on meanwhile, so that walks begin ever later.
  const syncAfter = async (hours: number) => {
    instance.clock.advance({ hours: hours - 1 });
    shop.world.place();
    instance.clock.advance({ hours: 1 });
    await instance.sync();
  };
  shop.world.refund(id, '50.00');
  await syncAfter(20);
  const silent = await order(id);
  await syncAfter(28);
  const partly = await order(id);
  shop.world.refund(id);
  await syncAfter(46);
  await syncAfter(2);
  const wholly = await order(id);

  assert.deepEqual([before.refunded_total, before.refunds], [null, []]);
  assert.deepEqual(silent, before);
  assert.deepEqual([partly.status, partly.refunded_total], [before.status, 50]);
  assert.deepEqual([wholly.status, wholly.refunded_total], ['refunded', Number(total)]);
  assert.deepEqual(
    wholly.refunds.map(({ amount }: { amount: number }) => amount),
    [50, Number(total) - 50],
  );
});

test('a later read of an order keeps the refund that it lacks', async (t) => {
  const { instance, shop, order } = await openConnected(t);
  const { id } = shop.world.place({ lines: [{ sku: ownSku(shop), unitPrice: '120.00' }] });
  shop.world.ship(id);
  shop.world.refund(id);
  instance.clock.advance({ hours: 2 });
  await instance.sync();
  const refunded = await order(id);

  shop.world.deliver(id);
  instance.clock.advance({ minutes: 5 });
  await instance.sync();
  const delivered = await order(id);

  assert.deepEqual([refunded.status, refunded.shipping.status], ['refunded', 'IN_TRANSIT']);
  assert.deepEqual([delivered.status, delivered.shipping.status], ['refunded', 'DELIVERED']);
  assert.deepEqual(
    [delivered.refunded_total, delivered.refunds],
    [refunded.refunded_total, refunded.refunds],
  );
});

test('a first import finds refunds of long ago, though finances answer longer windows with nothing', async (t) => {
  const { instance, shop, order } = await openConnected(t);
  const { id } = shop.world.place();
  shop.world.ship(id);
  shop.world.refund(id);
  instance.clock.advance({ hours: 24 * 300 });

  await instance.sync();

  assert.equal((await order(id)).status, 'refunded');
});

test('money that was held back for a week and then released is one refund', async (t) => {
  const { instance, shop, order } = await openConnected(t);
  const ids = Array.from(
    { length: 8 },
    () => shop.world.place({ lines: [{ unitPrice: '90.00' }] }).id,
  );
  for (const id of ids) {
    shop.world.ship(id);
    shop.world.refund(id, '30.00');
  }

  const refunded: number[][] = [];
  for (const hours of [1, 24 * 8, 24 * 8]) {
    instance.clock.advance({ hours, minutes: 5 });
    await instance.sync();
    refunded.push(await Promise.all(ids.map(async (id) => (await order(id)).refunded_total)));
  }

  assert.deepEqual(refunded, Array(3).fill(Array(8).fill(30)));
});

test('a first import of more orders than the bucket holds waits for its turn, and is never refused', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop } = await openConnected(t, { pageRows: 10 }, await openApart(t));
  shop.world.fill({ orders: 215, days: 90 });
  instance.clock.advance({ minutes: 3 });
  const begun = instance.clock.now();

  const [orders] = await syncOrders(instance);
  const count = await countOrders(instance);

  assert.equal(orders?.error, undefined);
  assert.ok(
    begun.until(instance.clock.now()).total('seconds') >= 60,
    `${begun} to ${instance.clock.now()}`,
  );
  assert.equal(count, 215);
  assert.deepEqual(
    shop.requests.filter(({ status }) => status !== 200).map(({ path }) => path.split('?')[0]),
    [
      // The typed credentials hold no access token yet.
      '/sellers/v1/marketplaceParticipations',
    ],
  );
});

test('where orders change all the time finances are read around every full hour only', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop } = await openConnected(t, {}, await openApart(t));
  const walks = 36;

  for (let walk = 0; walk < walks; walk++) {
    shop.world.pay(shop.world.place().id);
    instance.clock.advance({ minutes: 5 });
    await syncOrders(instance);
  }

  const reads = shop.requests.filter(({ path }) => path.includes('/transactions?postedAfter'));
  const minutes = reads.map(({ at }) => new Date(at).getUTCMinutes());
  assert.ok(minutes.length >= 3);
  assert.ok(
    minutes.every((minute) => minute <= 10),
    String(minutes),
  );
});

test('a search page asks for one closed family of dates, two minutes before now', async (t) => {
  const { instance, shop } = await openConnected(t);
  instance.clock.advance({ minutes: 5 });

  await instance.sync();
  const search = shop.requests.find(({ path }) => path.startsWith('/orders/2026-01-01/orders?'));
  const asked = new URL(search?.path ?? '', shop.url).searchParams;

  assert.equal(Date.parse(asked.get('lastUpdatedBefore') ?? ''), (search?.at ?? 0) - 120_000);
  assert.deepEqual([asked.has('lastUpdatedAfter'), asked.has('createdAfter')], [true, false]);
  assert.deepEqual(
    [asked.get('marketplaceIds'), asked.get('maxResultsPerPage')],
    ['A1AM78C64UM0Y8', '100'],
  );
});

test('stock at Amazon and with the seller is distinguished, though a token dies and a search shows too little', async (t) => {
  const { instance, shop, connectionId } = await openConnected(t);
  shop.switches.listingsShown = 20;
  let pages = 0;

  // Two tokens die between their pages.
  const stock = await readStream(instance, connectionId, 'inventory', () => {
    if (++pages < 3) instance.clock.advance({ seconds: 40 });
  });

  const shelves = shop.world.stock();
  const reported = new Map(
    stock.map(({ sku, warehouse, available }) => [`${sku} ${warehouse}`, available]),
  );
  const expected = shop.world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => {
      const warehouse = product.keptByMarketplace ? 'marketplace' : 'seller';
      return [`${sku} ${warehouse}`, shelves.get(sku)] as const;
    }),
  );
  assert.deepEqual([...reported].sort(), [...expected].sort());
  assert.ok(expected.some(([name]) => name.endsWith('marketplace')));
  assert.equal(shop.requests.filter(({ status }) => status === 400).length, 0);
});

test('balances add up to the total, and payouts are settlements', async (t) => {
  const { instance, shop, connectionId } = await openConnected(t);
  shop.world.fill({ orders: 60, days: 50 });

  const [balance, ...others] = await readStream(instance, connectionId, 'balances');
  const settlements = await readStream(instance, connectionId, 'settlements');

  assert.ok(balance?.available && balance.pending);
  assert.deepEqual([others.length, balance.purse, balance.currency], [0, 'Standard Orders', 'MXN']);
  assert.equal(balance.asOf.epochMilliseconds, instance.clock.now().epochMilliseconds);
  assert.deepEqual([...new Set(settlements.map(({ status }) => status))].sort(), [
    'expected',
    'paid',
  ]);
  assert.ok(settlements.every(({ net }) => Number(net) > 0));
  assert.equal(new Set(settlements.map(({ id }) => id)).size, settlements.length);
});

test('a list of payouts or balances that is too large costs itself alone, and is reported', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop } = await openConnected(t);
  shop.world.fill({ orders: 60, days: 50 });
  const swell = (match: RegExp) =>
    shop.faults.swell({ match, bytes: new Map([['MXN', 9_000_000]]) });

  swell(/payouts\?/);
  const first = await instance.sync();
  swell(/(payouts\/expected|balances)\?/);
  const second = await instance.sync();

  for (const report of [...first, ...second]) assert.equal(report.error, undefined, report.stream);
  // One that is on its way to the bank, at some hours.
  const statuses = await query(
    instance,
    "select distinct status from settlements where status <> 'pending' order by status",
  );
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['expected', 'paid'],
  );
  const alerts = await alertsOf(instance, instance.organization.id);
  assert.deepEqual(alerts.map(({ message }) => String(message).split(':')[0]).sort(), [
    'Liquidaciones',
    'Saldos',
  ]);
});

test('an order that no search can show costs five minutes of changes, which are reported and read again', {
  tags: ['slow'],
}, async (t) => {
  const { instance, shop } = await openConnected(t, { tokenSeconds: 864_000 });
  shop.world.fill({ orders: 30, days: 20 });
  const known = shop.world.orders().map(({ id }) => id);
  const large = known[12] as string;
  shop.faults.swell({
    match: /^\/orders\/2026-01-01\/orders[/?]/,
    bytes: new Map([[large, 9_000_000]]),
  });
  const missing = async () => {
    const here = new Set((await query(instance, 'select id from orders')).map(({ id }) => id));
    return known.filter((id) => !here.has(id));
  };

  const [orders] = await instance.sync();

  assert.equal(orders?.error, undefined);
  assert.deepEqual(await missing(), [large]);
  const messages = (await alertsOf(instance, instance.organization.id)).map(({ message }) =>
    String(message),
  );
  const span = /^Órdenes: Amazon nos manda (\S+Z)\/(\S+Z) con más datos/;
  const [, from = '', to = ''] = messages.map((one) => span.exec(one)).find(Boolean) ?? [];
  assert.equal(Temporal.Instant.from(from).until(to).total('minutes'), 5, messages.join('\n'));
  const searches = shop.requests.filter(({ path }) => path.includes('/orders?')).length;
  t.diagnostic(`FIGURE searches of a first import around such an order: ${searches}`);

  shop.faults.stop();
  instance.clock.advance({ hours: 2 });
  await instance.sync();
  assert.deepEqual(await missing(), []);
  assert.deepEqual(await alertsOf(instance, instance.organization.id), []);
});

test('without the role for personal data orders come without a name', async (t) => {
  const { instance, shop, order } = await openConnected(t);
  const { id } = shop.world.place();
  shop.world.pay(id);
  instance.clock.advance({ minutes: 5 });
  await instance.sync();
  const named = await order(id);

  shop.switches.personalData = false;
  shop.world.ship(id);
  const { id: anonymous } = shop.world.place();
  instance.clock.advance({ minutes: 5 });
  await instance.sync();

  assert.equal((await order(anonymous)).buyer_name, null);
  assert.deepEqual(
    [(await order(id)).status, (await order(id)).buyer_name],
    ['shipped', named.buyer_name],
    'what was known stays',
  );
  assert.ok(named.buyer_name);
});

test('an unknown status is kept as it came, until the order changes there', async (t) => {
  const { instance, shop, order } = await openConnected(t);
  const { id } = shop.world.place();
  shop.world.pay(id);
  instance.clock.advance({ minutes: 5 });
  shop.faults.next({
    kind: 'wrong_type',
    field: 'fulfillment',
    value: { fulfillmentStatus: 'TELEPORTED' },
    match: /orders\?/,
  });
  await instance.sync();
  const odd = await order(id);

  shop.world.ship(id);
  instance.clock.advance({ minutes: 5 });
  await instance.sync();

  assert.deepEqual([odd.status, odd.marketplace_status], ['unknown', 'TELEPORTED']);
  assert.equal((await order(id)).status, 'shipped');
});

test('without the role for finances orders come all the same, only their refunds do not', async (t) => {
  const { instance, shop, order } = await openConnected(t);
  shop.switches.missingRole = /^\/finances/;
  const { id } = shop.world.place();
  shop.world.ship(id);
  shop.world.refund(id);
  instance.clock.advance({ minutes: 5 });

  const [without] = await instance.sync();
  const silent = await order(id);
  shop.switches.missingRole = null;
  shop.world.place();
  instance.clock.advance({ hours: 2 });
  await instance.sync();

  assert.deepEqual(
    [without?.error, silent.status, silent.refunded_total],
    [undefined, 'shipped', null],
  );
  assert.equal((await order(id)).status, 'refunded');
});

for (const [why, refuse] of [
  ['its marketplace has none', { transfersOffered: false }],
  ['a role is missing', { missingRole: /^\/finances\/transfers/ }],
] as const)
  test(`an account that may not see its payouts, since ${why}, has its movements all the same, and says so`, async (t) => {
    const { instance, shop } = await openConnected(t);
    Object.assign(shop.switches, refuse);
    shop.world.deliver(shop.world.place().id);
    instance.clock.advance({ hours: 24 * 20 });
    const read = async () => {
      const { exchange } = instance.app;
      const organizationId = instance.organization.id;
      const request = { organizationId, service: null, stream: 'settlements' } as const;
      const [report] = await syncOrganization(exchange, request);
      assert.equal(report?.error, undefined);
      return instance.app.database.within(organizationId).read(async (scope) => ({
        movements: (await scope.rows(scope.select('movements').select('key'))).length,
        payouts: (await scope.rows(scope.select('settlements').select('id'))).length,
        gaps: (
          await scope.rows(
            scope
              .select('alerts')
              .select('message')
              .where('kind', '=', 'connection_gaps')
              .where('resolved_at', 'is', null),
          )
        ).map(({ message }) => message.slice(0, 24)),
      }));
    };

    const without = await read();
    Object.assign(shop.switches, { transfersOffered: true, missingRole: null });
    const whole = await read();

    assert.ok(without.movements > 0);
    assert.deepEqual([without.payouts, without.gaps], [0, ['Depósitos no disponibles']]);
    assert.equal(whole.movements, without.movements);
    assert.deepEqual([whole.payouts > 0, whole.gaps], [true, []]);
  });

test('a missing role is distinguished from a dead token', async (t) => {
  const { instance, shop } = await openConnected(t);
  shop.switches.missingRole = /^\/sellers/;

  const failure = await instance
    .connect('amazon', { url: shop.url, credentials: shop.credentials() })
    .then(
      () => assert.fail('it was connected'),
      (error: unknown) => error,
    );

  assert.ok(failure instanceof Failure);
  assert.equal(
    failure.message,
    'Amazon no da permiso a esta cuenta. Usa una cuenta administradora.',
  );
});

test('a seller who says yes on Amazon’s page is connected, with a refresh token that stays', async (t) => {
  const now = { at: () => 0 };
  const shop = await startAmazon({ now: () => now.at() });
  t.after(shop.close);
  const { appId, clientId, clientSecret } = shop.application;
  const instance = await openApp(t, {
    database: await freshDatabase(),
    env: {
      AMAZON_BASE_URL: shop.url,
      AMAZON_CLIENT_ID: clientId,
      AMAZON_CLIENT_SECRET: clientSecret,
      AMAZON_APP_ID: appId,
    },
  });
  now.at = () => instance.clock.now().epochMilliseconds;
  shop.application.redirectUri = `${instance.app.exchange.publicUrl}/connect/amazon`;
  const { id } = shop.world.place();

  const address = await beginConsent(instance.app.exchange, instance.organization.id, 'amazon');
  const { headers } = await fetch(address, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  const page = await fetch(`${instance.url}/connect/amazon${back.search}`);
  instance.clock.advance({ hours: 2 });
  const [orders] = await instance.sync();
  const { body } = await instance.api(`/v1/orders/${id}`);

  assert.deepEqual([...back.searchParams.keys()].sort(), [
    'selling_partner_id',
    'spapi_oauth_code',
    'state',
  ]);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /La cuenta Tienda Tianguis quedó conectada/);
  assert.deepEqual([orders?.error, body.data.account_id], [undefined, shop.sellerId]);
});

/** With a clock that begins at a full hour. */
async function openApart(t: TestContext): Promise<TestApp> {
  return openApp(t, { database: await freshDatabase() });
}

async function openConnected(t: TestContext, options: AmazonOptions = {}, at?: TestApp) {
  const instance = at ?? (await shared.another());
  const shop = await startAmazon({
    seed: 7,
    now: () => instance.clock.now().epochMilliseconds,
    ...options,
  });
  t.after(shop.close);
  const connectionId = await instance.connect('amazon', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  const order = async (id: string) => (await instance.api(`/v1/orders/${id}`)).body.data;
  return { instance, shop, connectionId, order };
}

/** Something that the seller sends, so that its delivery is reported. */
function ownSku({ world }: Awaited<ReturnType<typeof startAmazon>>): string {
  const own = world.products.find(
    ({ keptByMarketplace, variants }) => !keptByMarketplace && variants.length === 0,
  );
  assert.ok(own);
  return own.sku;
}

async function countOrders(instance: Awaited<ReturnType<typeof openApp>>): Promise<number> {
  const ids = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { body } = await instance.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) });
    for (const { id } of body.data) ids.add(id);
    if (!body.pagination.has_more) return ids.size;
    cursor = body.pagination.next_cursor;
  }
}

/** Without settlements, which read transactions too. */
function syncOrders({ app, organization }: TestApp) {
  return syncOrganization(app.exchange, {
    organizationId: organization.id,
    service: null,
    stream: 'orders',
  });
}
