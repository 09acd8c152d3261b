import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { billingDocument, gaveBillingData } from '../simulators/mercado_libre/billing.ts';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import type { Order } from '../simulators/order.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { forgetAccount, forgetBuyer } from '../src/exchange/webhooks/privacy.ts';
import { viewBillingData } from '../src/features/cfdi/index.ts';
import { listSetAside } from '../src/features/connections/index.ts';
import { newId } from '../src/platform/ids.ts';
import { openApp } from './support/app.ts';
import { dumpOf, shownIn } from './support/dump.ts';
import { query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// What buyers of Mercado Libre give for their invoices: sealed, each view noted, erased with the
// buyer.

const ACCOUNT = { marketplace: 'mercado_libre', accountId: '468424241' } as const;
const MORE_THAN_A_TEXT = 6_000;
const COUNT = 'select count(*)::int as count from billing_data';

test('what a buyer gave is read with the invoices, once, and a dump of the database shows nothing of it', async (t) => {
  const { own, orders, sync, view, billingOf } = await openShop(t);
  const [gave] = orders.filter(gaveBillingData);
  assert.ok(gave);
  const given = orders.filter(gaveBillingData).length;
  assert.ok(given < orders.length);

  const [first] = await sync();
  assert.equal(first?.error, undefined);
  assert.deepEqual(await query(own, COUNT), [{ count: given }]);
  const { identification, name, last_name, address } = billingOf(gave);
  assert.deepEqual(await view(gave.id), {
    name: `${name} ${last_name}`,
    rfc: identification.number,
    regime: '612',
    cfdiUse: 'G03',
    street: address.street_name,
    neighborhood: null,
    city: address.city_name,
    state: address.state.name,
    zipcode: address.zip_code,
  });
  const secrets = new Set([identification.number, address.street_name]);
  assert.deepEqual(shownIn(await dumpOf(own), secrets), []);
  own.clock.advance({ hours: 13 });
  const [again] = await sync();
  assert.equal(again?.changed, 0);
});

test('an order is asked about once it is paid, after it changed, and while it is young without data', async (t) => {
  const { own, orders, shop, sync } = await openShop(t);
  const [gave] = orders.filter(gaveBillingData);
  const unpaid = shop.world.place();
  assert.ok(gave);
  const askedIn = async (hours: number) => {
    own.clock.advance({ hours });
    const before = shop.requests.length;
    const [run] = await sync();
    assert.equal(run?.error, undefined);
    const paths = shop.requests.slice(before).map(({ path }) => path);
    return paths.flatMap((path) => path.match(/billing-info\/MLM\/7(\d+)/)?.[1] ?? []).toSorted();
  };
  const idsOf = (some: readonly Order[]) => some.map(({ id }) => id).toSorted();
  const without = idsOf(orders.filter((order) => !gaveBillingData(order)));

  assert.deepEqual(await askedIn(3), idsOf(orders));
  assert.deepEqual(await askedIn(12), without, 'who gave nothing yet may still do so');
  shop.world.pay(unpaid.id);
  assert.ok((await askedIn(12)).includes(unpaid.id));
  shop.world.ship(gave.id);
  assert.ok((await askedIn(12)).includes(gave.id));
  assert.ok(!(await askedIn(12)).includes(gave.id));
  assert.deepEqual(await askedIn(8 * 24), []);
  assert.deepEqual(await query(own, COUNT), [
    { count: [...orders, unpaid].filter(gaveBillingData).length },
  ]);
});

test('each view is noted in the trail, and data open for no other order', async (t) => {
  const { own, orders, sync, view } = await openShop(t);
  await sync();
  const [gave, other] = orders.filter(gaveBillingData);
  assert.ok(gave && other);

  await view(gave.id);
  const viewed = () => query(own, "select label from acts where act = 'billing_data_viewed'");
  assert.deepEqual(await viewed(), [{ label: gave.id }]);
  await query(
    own,
    `update billing_data d set data_box = o.data_box from billing_data o
      where d.order_id = '${gave.id}' and o.order_id = '${other.id}'`,
  );
  await assert.rejects(view(gave.id), { code: 'not_found' });
  await assert.rejects(view('no hay'), { code: 'not_found' });
  assert.equal((await viewed()).length, 1, 'nothing was seen');
});

test('what a forgotten buyer gave is erased, and not stored again', async (t) => {
  const { own, orders, sync, view, connectionId } = await openShop(t);
  await sync();
  const [gave, other] = orders.filter(gaveBillingData);
  assert.ok(gave && other);

  const account = { ...ACCOUNT, id: connectionId, organizationId: own.organization.id };
  await forgetBuyer(own.app.exchange, account, [gave.id]);
  await assert.rejects(view(gave.id), { code: 'not_found' });
  own.clock.advance({ hours: 13 });
  await sync();

  await assert.rejects(view(gave.id), { code: 'not_found' });
  assert.equal((await view(other.id)).regime, '612');
});

test('what a forgotten buyer gave is not set aside either, where it cannot be read', async (t) => {
  const { own, orders, sync, connectionId } = await openShop(t);
  const [gave, other] = orders.filter(gaveBillingData);
  assert.ok(gave && other);
  const account = { ...ACCOUNT, id: connectionId, organizationId: own.organization.id };
  await forgetBuyer(own.app.exchange, account, [gave.id]);
  for (const order of [gave, other]) setStreet(order, 'x'.repeat(MORE_THAN_A_TEXT));

  await sync();

  const asides = await own.app.database.within(own.organization.id).read(listSetAside);
  const documents = new Map(asides.map((aside) => [aside.externalId, aside.document]));
  assert.equal(documents.get(gave.id), null);
  assert.match(documents.get(other.id) ?? '', /"rfc"/);
});

test('of an account that is forgotten nothing stays, also of orders that were never stored', async (t) => {
  const { own, sync, connectionId } = await openShop(t);
  await sync();
  assert.deepEqual(await query(own, 'select count(*)::int as count from orders'), [{ count: 0 }]);

  await forgetAccount(own.app.exchange, {
    ...{ ...ACCOUNT, id: connectionId },
    organizationId: own.organization.id,
  });

  assert.deepEqual(await query(own, COUNT), [{ count: 0 }]);
});

function setStreet({ buyer }: Order, street: string): void {
  Object.assign(buyer.address, { street });
}

async function openShop(t: TestContext) {
  const own = await openApp(t, { database: await freshDatabase() });
  const shop = await startMercadoLibre({
    seed: 'facturas',
    now: () => own.clock.now().epochMilliseconds,
    tokenSeconds: 100 * 86_400,
  });
  t.after(shop.close);
  await own.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });
  const orders: Order[] = [];
  while (orders.filter(gaveBillingData).length < 2 || orders.length < 5)
    orders.push(shop.world.place());
  for (const { id } of orders) shop.world.pay(id);
  own.clock.advance({ minutes: 20 });
  const [connection] = await query(own, 'select id from connections');
  const [seller] = shop.sellers;
  const organizationId = own.organization.id;
  const by = { personId: newId(), address: null };
  return {
    own,
    orders,
    shop,
    connectionId: String(connection?.id),
    sync: () =>
      syncOrganization(own.app.exchange, { organizationId, service: null, stream: 'invoices' }),
    view: (id: string) =>
      own.app.database
        .within(organizationId)
        .write((scope) => viewBillingData(scope, by, { ...ACCOUNT, id })),
    billingOf: (order: Order) => {
      assert.ok(seller);
      return billingDocument(order, seller).buyer.billing_info;
    },
  };
}
