import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordCfdis, recordInvoices, setFiscalProfile } from '../src/features/cfdi/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import type { Order } from '../src/features/orders/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder, callApi, openApp, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { query } from './support/market.ts';
import { readCfdi } from './support/read-cfdi.ts';

// Orders without a CFDI, and those for the global invoice of a period: by API and command.

const closers: (() => unknown)[] = [];
const whole = { after: (close: unknown) => void closers.push(close as () => unknown) };
const ORDERS = '/manage/v1/uninvoiced-orders';
const SUMS = '/manage/v1/uninvoiced-sums';
const BUYER = 'CACX7605101P8';
let instance: TestApp;

before(async () => {
  instance = await openApp(whole, {
    plan: 'intermedio',
    clock: turnedClock('2026-11-20T18:00:00Z'),
  });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

test('an order is pending until an invoice that is not cancelled has it', async () => {
  const shop = await openShop();
  await shop.record([
    shop.order(1),
    shop.order(2),
    shop.order(3),
    shop.order(4),
    shop.order(5, { status: 'cancelled' }),
    shop.order(6, { status: 'refunded' }),
    shop.order(7, { total: null }),
    shop.order(8, { tags: ['test_order'] }),
    shop.order(9, { accountId: 'unread' }),
  ]);
  assert.deepEqual(await shop.pending(), ['9', '4', '3', '2', '1']);

  await shop.upload({ number: 1, receiver: BUYER }, { number: 2 }, { number: 3, type: 'E' });
  await shop.upload({ number: 4, issuer: 'MKT010101AA1', receiver: 'AAA010101AAA' });
  await shop.keepUnread(9);
  assert.deepEqual(await shop.pending(), ['4', '3'], 'credit notes and received ones do not count');

  await shop.rows(
    `update cfdis set status = 'cancelado' where uuid = '${folioOf(1)}' and organization_id = $1`,
  );
  assert.deepEqual(await shop.pending(), ['4', '3', '1']);
});

test('the PDF beside an invoice that was cancelled is no invoice', async () => {
  const shop = await openShop();
  await shop.record([shop.order(1, { accountId: 'unread' })]);
  await shop.keepUnread(1);
  assert.deepEqual(await shop.pending(), [], 'a PDF alone may be an invoice');

  await shop.upload({ number: 1, receiver: BUYER });
  assert.deepEqual(await shop.pending(), []);
  await shop.rows(
    `update cfdis set status = 'cancelado' where uuid = '${folioOf(1)}' and organization_id = $1`,
  );

  assert.deepEqual(await shop.pending(), ['1']);
  assert.deepEqual(await shop.pending({ kind: 'public' }), ['1']);
});

test('the global invoice is for orders without a CFDI to their buyer, and names the one that has them', async () => {
  const shop = await openShop();
  await shop.record([1, 2, 3].map((number) => shop.order(number)));
  await shop.upload({ number: 1, receiver: BUYER }, { number: 2 });

  const { data } = await shop.read(ORDERS, { kind: 'public' });
  assert.deepEqual(
    data.map((row: Record<string, unknown>) => [
      String(row.order_id).slice(-1),
      row.global_uuid,
      row.total,
      row.tax_total,
      row.date_created,
    ]),
    [
      ['3', null, 100.5, 16, '2026-10-15T12:00:03.000Z'],
      ['2', folioOf(2), 100.5, 16, '2026-10-15T12:00:02.000Z'],
    ],
  );
});

test('sums are by month of the organisation, marketplace and currency, and pages are complete', async () => {
  const shop = await openShop();
  const at = (text: string) => ({ dateCreated: Temporal.Instant.from(text) });
  await shop.record([
    shop.order(1, at('2026-11-01T05:59:59.999Z')),
    shop.order(2, at('2026-11-01T06:00:00Z')),
    shop.order(3, { ...at('2026-11-02T00:00:00Z'), currency: 'USD' }),
    shop.order(4, { ...at('2026-11-02T00:00:00Z'), marketplace: 'amazon' }),
    shop.order(5, at('2026-11-03T00:00:00Z')),
    shop.order(6, at('2025-01-03T00:00:00Z')),
  ]);
  assert.deepEqual((await shop.read(SUMS)).data, [
    sum('2026-11', 'amazon', 'MXN', 1, 100.5),
    sum('2026-11', 'mercado_libre', 'MXN', 2, 201),
    sum('2026-11', 'mercado_libre', 'USD', 1, 100.5),
    sum('2026-10', 'mercado_libre', 'MXN', 1, 100.5),
  ]);
  const period = { from: '2026-11-01T06:00:00Z', to: '2026-11-02T00:00:00Z' };
  assert.deepEqual((await shop.read(SUMS, { ...period, marketplace: 'amazon' })).data, [
    sum('2026-11', 'amazon', 'MXN', 1, 100.5),
  ]);
  assert.deepEqual(await shop.pending(period), ['4', '3', '2']);

  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await shop.read(ORDERS, { limit: '2', ...(cursor && { cursor }) });
    seen.push(...page.data.map(({ order_id }: { order_id: string }) => order_id.slice(-1)));
    if (!page.pagination.has_more) break;
    cursor = page.pagination.next_cursor;
  }
  assert.deepEqual(seen, ['5', '4', '3', '2', '1']);
});

test('copies of orders of another marketplace are left out while it is connected', async () => {
  const shop = await openShop();
  const copy = { marketplace: 'tiendanube' as const, tags: ['storefront:meli'] };
  await shop.record([shop.order(1), shop.order(2, copy)]);
  assert.deepEqual(await shop.pending(), ['2', '1']);
  await shop.rows(
    `insert into connections (organization_id, id, service, account_id, name, state, created_at, updated_at)
     values ($1, gen_random_uuid(), 'mercado_libre', '1', 'Cuenta', 'ok', now(), now())`,
  );
  assert.deepEqual(await shop.pending(), ['1']);
});

test('the command prints sums, or the orders of a month', async () => {
  const shop = await openShop();
  await shop.record([1, 2].map((number) => shop.order(number)));
  await shop.upload({ number: 2 });
  const run = async (...words: string[]) =>
    (await runHere(['uninvoiced', '--organization', shop.id, '--json', ...words], instance.env))
      .json;

  assert.deepEqual(await run(), {
    months: [
      {
        ...{ month: '2026-10', marketplace: 'mercado_libre', currency: 'MXN' },
        ...{ orders: 1, total: '100.50' },
      },
    ],
  });
  const { orders } = await run('--kind', 'public', '--month', '2026-10');
  assert.deepEqual(
    orders.map(({ global_uuid, total }: Record<string, unknown>) => [global_uuid, total]),
    [
      [folioOf(2), '100.50'],
      [null, '100.50'],
    ],
  );
  assert.deepEqual(await run('--month', '2026-09'), { orders: [] });
  assert.equal((await run('--kind', 'all')).error.param, 'kind');
  assert.equal((await run('--month', '2026-13')).error.param, 'month');
});

function sum(month: string, marketplace: string, currency: string, orders: number, total: number) {
  return { month, marketplace, currency, orders, total };
}

async function openShop() {
  const { organization } = await instance.tenant('intermedio');
  const { id } = organization;
  const within = instance.app.database.within(id);
  const { orderListeners, announce } = instance.app.exchange;
  const { key } = await within.write(async (scope) => {
    await setFiscalProfile(scope, 'operator', {
      ...{ person: 'legal', regime: '601', hasBorderVat: false, rfcs: ['AAA010101AAA'] },
    });
    return createKey(scope, 'operator', { name: 'lee', scopes: ['cfdi:read'] });
  });
  const idOf = (number: number) => String(2000000000000000 + number);
  const read = async (path: string, given: Record<string, string> = {}) => {
    const { status, body } = await callApi(instance.url, path, given, { key });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return {
    id,
    read,
    rows: (text: string) => query(instance, text.replaceAll('$1', `'${id}'`)),
    order: (number: number, given: Partial<Order> = {}) =>
      anOrder({
        ...{ id: idOf(number), total: decimal('100.50'), taxTotal: decimal('16') },
        dateCreated: Temporal.Instant.from('2026-10-15T12:00:00Z').add({ seconds: number }),
        ...given,
      }),
    record: (orders: Order[]) => instance.record(orders, id),
    async pending(given: Record<string, string> = {}): Promise<string[]> {
      const { data } = await read(ORDERS, given);
      return data.map(({ order_id }: { order_id: string }) => order_id.slice(-1));
    },
    upload(...given: { number: number; receiver?: string; issuer?: string; type?: string }[]) {
      const documents = given.map(({ number, ...of }) => {
        const named = { uuid: folioOf(number), total: '100.50', sku: idOf(number) };
        const xml = Buffer.from(aCfdi({ ...named, ...of }));
        return readCfdi(xml);
      });
      return within.write((scope) =>
        recordCfdis(scope, 'upload', documents, [...orderListeners, announce]),
      );
    },
    /** A document of the marketplace for this order, without its XML. */
    keepUnread(number: number) {
      const source = { marketplace: 'mercado_libre', accountId: 'unread', connectionId: newId() };
      const document = { id: 'F1', fileName: null, uuid: null, url: null, issuedAt: null };
      return within.write((scope) =>
        recordInvoices(scope, source as Parameters<typeof recordInvoices>[1], [
          { ...document, xml: null, orderIds: [idOf(number)] },
        ]),
      );
    },
  };
}
