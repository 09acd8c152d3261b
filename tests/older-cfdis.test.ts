import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pauseAccount, resumeAccount } from '../src/exchange/connect/pause.ts';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { recordCfdis } from '../src/features/cfdi/index.ts';
import { openApp, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { connectAccount, openMarket, query, syncNow } from './support/market.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { freshDatabase } from './support/server.ts';

// CFDI that are uploaded months before an account is connected have its old orders all the same.

const GLOBAL = '<cfdi:InformacionGlobal Periodicidad="04" Meses="10" Año="2026"/>';
const MONTHS = { hours: 24 * 70 };

test('an account that is connected months after the upload has its orders invoiced', {
  tags: ['slow'],
}, async (t) => {
  const { own, market, seller, sell, upload, invoiced, later } = await openShop(t);
  const orders = [sell(), sell()];
  await upload(orders);
  await later();
  assert.deepEqual(await invoiced(), []);

  const id = await connectAccount(own, own.organization.id, market.credentials(seller.id));
  await syncNow(own, own.organization.id);
  assert.deepEqual(await invoiced(), orders.map((order) => order.id).sort());

  const last = sell();
  await pauseAccount(own.app.exchange, own.organization.id, id);
  await upload([last]);
  await later();
  await resumeAccount(own.app.exchange, own.organization.id, id);
  await syncNow(own, own.organization.id);
  assert.ok((await invoiced()).includes(last.id), 'and so after a long pause');
});

test('so has one whose first import was stopped right after its last page', async (t) => {
  const { own, market, seller, sell, upload, invoiced, later } = await openShop(t);
  const orders = [sell(), sell()];
  await upload(orders);
  await later();
  await connectAccount(own, own.organization.id, market.credentials(seller.id));
  const { exchange } = own.app;
  const pages: typeof exchange.pages = {
    async store(read) {
      await exchange.pages.store(read);
      throw new Error('the process ended');
    },
  };
  const all = { organizationId: own.organization.id, service: null, stream: 'orders' } as const;
  const [stopped] = await syncOrganization({ ...exchange, pages }, all);
  assert.ok(stopped?.error);
  assert.deepEqual(await invoiced(), []);

  await syncNow(own, own.organization.id);
  await runHousekeeping(exchange);
  assert.deepEqual(await invoiced(), orders.map((order) => order.id).sort());
});

test('orders that are imported months after the upload are invoiced, by a global invoice too', async (t) => {
  const { own, upload, invoiced, later } = await openShop(t);
  const orders = ['2000000000000001', '2000000000000002'].map((id) => ({ id, total: '116.00' }));
  await upload(orders, GLOBAL);
  await later();

  for (const { id } of orders) {
    await importOrder(own, id);
    assert.ok((await invoiced()).includes(id));
  }
});

test('orders of an import that was cut off after its last page are invoiced by its repetition', async (t) => {
  const { own, upload, later } = await openShop(t);
  const order = { id: '2000000000000001', total: '116.00' };
  await upload([order]);
  await later();
  await importOrder(own, order.id);
  const links = () => query(own, 'select uuid from cfdi_orders');
  // As it was before the import looked for them.
  await query(own, 'delete from cfdi_orders');
  assert.deepEqual(await links(), []);

  await importOrder(own, order.id);

  assert.equal((await links()).length, 1);
});

async function importOrder(own: TestApp, id: string): Promise<void> {
  const file = join(await mkdtemp(join(tmpdir(), 'orders-')), 'orders.ndjson');
  const line = { id, marketplace: 'walmart', status: 'paid', total: 116, currency: 'MXN' };
  const rest = { date_created: '2026-11-01T12:00:00Z', date_closed: null, buyer_name: null };
  const item = { title: 'Taza', quantity: 1, unit_price: 116, sku: null };
  await writeFile(file, JSON.stringify({ ...line, ...rest, items: [item] }));
  const args = ['import-orders', '--organization', own.organization.id, file];
  assert.equal((await runHere(args, own.env)).code, 0);
}

async function openShop(t: TestContext) {
  const clock = turnedClock();
  const market = await openMarket(t, clock, { tokenSeconds: 10_000 * 3_600 });
  const own = await openApp(t, { clock, env: market.env, database: await freshDatabase() });
  const seller = market.newSeller();
  const { orderListeners, announce } = own.app.exchange;
  const inside = own.app.database.within(own.organization.id);
  let folio = 0;
  return {
    own,
    market,
    seller,
    sell() {
      const { id, total } = seller.world.place();
      seller.world.pay(id);
      return { id, total };
    },
    /** A CFDI for each order. */
    upload: (orders: readonly { id: string; total: string }[], head = '') =>
      inside.write((scope) => {
        const documents = orders.map(({ id, total }) =>
          readCfdi(Buffer.from(aCfdi({ uuid: folioOf(++folio), total, sku: id, head }))),
        );
        return recordCfdis(scope, 'upload', documents, [...orderListeners, announce]);
      }),
    /** The last look of every CFDI is over. */
    async later() {
      clock.advance(MONTHS);
      await runHousekeeping(own.app.exchange);
    },
    invoiced: async () =>
      (
        await query(
          own,
          `select id from orders where detail_json::jsonb -> 'cfdi' ->> 'uuid' is not null order by id`,
        )
      ).map((row) => String(row.id)),
  };
}
