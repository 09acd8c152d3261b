import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { StreamName } from '../src/connectors/contract.ts';
import type { ExchangeParts } from '../src/exchange/parts.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { anOrder, openApp, type TestApp } from './support/app.ts';
import { query } from './support/market.ts';
import { altering } from './support/stand-network.ts';
import { openStage, type Stage } from './support/stand-stage.ts';
import { STAND_OF, STANDS } from './support/stands.ts';

// A row that cannot be read or stored costs itself alone, whatever is wrong with it.
// Also runs on served PostgreSQL and Redis.

const WOOCOMMERCE = STAND_OF.woocommerce;
const ORDERS = 5;
const CULPRIT = 2;

// biome-ignore lint/suspicious/noExplicitAny: rows of a marketplace, altered on their way
type Row = any;

let instance: TestApp;
const closers: (() => unknown)[] = [];
before(async () => {
  instance = await openApp({ after: (close) => void closers.push(close as () => unknown) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

describe('a row that is out of bounds is set aside with its path and reason, and the others come in', () => {
  for (const [what, alter, reason] of [
    [
      'a long SKU',
      (row) => Object.assign(row.line_items[0], { sku: noise(3_000) }),
      /^items\.0\.sku: longer/,
    ],
    ['no currency', (row) => Object.assign(row, { currency: '' }), /^currency: /],
    [
      'a total of 21 digits',
      (row) => Object.assign(row, { total: '9'.repeat(21) }),
      /^total: expected an amount/,
    ],
    ['a long currency', (row) => Object.assign(row, { currency: noise(3_000) }), /^currency: /],
    [
      'a long status',
      (row) => Object.assign(row, { status: noise(3_000) }),
      /^marketplaceStatus: longer/,
    ],
    [
      'the year 1',
      (row) => Object.assign(row, { date_created_gmt: '0001-01-01T00:00:00' }),
      /^date_created_gmt: expected a time/,
    ],
    [
      'a document nested 5,000 deep',
      (row) => Object.assign(row, { meta_data: nested(5_000) }),
      /^meta_data\.0\.value\.0.*: nested more than 64 levels deep/,
    ],
    [
      'a document nested 200,000 deep',
      (row) => Object.assign(row, { meta_data: nested(200_000) }),
      /^meta_data\.0\.value\.0.*: nested more than 64 levels deep/,
    ],
    [
      'half a character in a SKU',
      (row) => Object.assign(row.line_items[0], { sku: 'TAZA-\ud83c' }),
      /^items\.0\.sku: holds characters that are no text/,
    ],
  ] as const satisfies readonly [string, (row: Row) => void, RegExp][])
    test(what, async (t) => {
      const stage = await openStage(instance, WOOCOMMERCE, { seed: what, orders: ORDERS });
      t.after(stage.shop.close);
      const [culprit] = await walkAltered(stage, alter);

      assert.equal((await stage.orders()).length, ORDERS - 1);
      const [aside, ...others] = await stage.unreadable();
      assert.deepEqual(others, []);
      assert.equal(aside?.external_id, culprit);
      assert.match(aside?.reason ?? '', reason);
      assert.equal((await stage.connection()).state, 'ok');
      assert.ok((await stage.progress()).watermark, 'the sync run came to its end');

      await stage.reconcile();
      await stage.holdToAccount('it comes in once it is as it should be');
      assert.deepEqual(await stage.unreadable(), []);
    });
});

describe('a row that is odd and not wrong comes in like the others', () => {
  for (const [what, alter] of [
    ['no pieces', (row) => Object.assign(row.line_items[0], { quantity: 0 })],
    [
      'no pieces without a price',
      (row) => Object.assign(row.line_items[0], { quantity: 0, price: null }),
    ],
    ['pieces below zero', (row) => Object.assign(row.line_items[0], { quantity: -1 })],
    ['no lines', (row) => Object.assign(row, { line_items: [] })],
    ['the status __proto__', (row) => Object.assign(row, { status: '__proto__' })],
    ['a refund with the id 0', (row) => Object.assign(row, { refunds: [{ id: 0, total: '-5' }] })],
    ['an id that is no whole number', (row) => Object.assign(row, { id: 1e300 })],
  ] as const satisfies readonly [string, (row: Row) => void][])
    test(what, async (t) => {
      const stage = await openStage(instance, WOOCOMMERCE, { seed: what, orders: ORDERS });
      t.after(stage.shop.close);

      await walkAltered(stage, alter);

      assert.deepEqual(await stage.unreadable(), []);
      assert.equal((await stage.orders()).length, ORDERS);
      assert.equal((await stage.connection()).state, 'ok');
      assert.ok((await stage.progress()).watermark, 'the sync run came to its end');
    });
});

describe('an id that cannot be stored costs its own row', () => {
  for (const [marketplace, field] of [
    ['amazon', 'orderId'],
    ['shopify', 'id'],
    ['liverpool', 'order_id'],
    ['vtex', 'orderId'],
    ['mercado_libre', 'id'],
    ['walmart', 'purchaseOrderId'],
    ['tiktok_shop', 'id'],
    ['tiendanube', 'id'],
    ['woocommerce', 'id'],
  ] as const)
    for (const [what, value] of [
      ['a NUL', '4500\u00007'],
      ['half a character', '4500\ud8007'],
      ['no end', noise(3_000)],
    ] as const)
      test(`${marketplace}, with ${what}`, async (t) => {
        const stand = STAND_OF[marketplace];
        const stage = await openStage(instance, stand, {
          seed: `${marketplace} ${what}`,
          orders: ORDERS,
        });
        t.after(stage.shop.close);
        stage.shop.faults.next({ kind: 'wrong_type', field, value, match: stand.pages });

        await stage.tick();

        assert.equal((await stage.connection()).state, 'ok');
        const aside = await stage.unreadable();
        assert.ok(aside.length <= 1);
        for (const { external_id } of aside)
          assert.ok(
            external_id === null || (external_id.isWellFormed() && external_id.length <= 200),
          );
        const listed = stage.shop.world.orders().filter((order) => !stand.hides?.(order, now()));
        assert.ok((await stage.orders()).length >= listed.length - 1, 'the others came in');
      });
});

describe('unused fields are not judged: half an emoji in a note costs no order', () => {
  for (const stand of STANDS)
    test(stand.marketplace, async (t) => {
      const stage = await openStage(instance, stand, {
        seed: `note ${stand.marketplace}`,
        orders: ORDERS,
      });
      t.after(stage.shop.close);
      const match = stand.rows ?? stand.pages;
      const note = { kind: 'wrong_type', field: 'nota_interna', match } as const;
      stage.shop.faults.next({ ...note, value: 'Gracias \ud83d' });
      stage.shop.faults.next({ ...note, value: 'Gracias \u0000' });

      await stage.reconcile();

      assert.deepEqual(await stage.unreadable(), []);
      await stage.holdToAccount();
    });
});

test('a row that the database refuses is set aside, its page is stored without it, and the checkpoint moves', async (t) => {
  const stage = await openStage(instance, WOOCOMMERCE, { seed: 'refused row', orders: 60 });
  t.after(stage.shop.close);
  await query(
    instance,
    "alter table orders add constraint no_such_status check (marketplace_status <> 'wc-imposible')",
  );
  t.after(() => query(instance, 'alter table orders drop constraint no_such_status'));

  const culprits = await walkAltered(stage, (row) =>
    Object.assign(row, { status: 'wc-imposible' }),
  );

  assert.equal(culprits.length, 2, 'one on each page');
  assert.equal((await stage.orders()).length, 58);
  const aside = await stage.unreadable();
  assert.deepEqual(aside.map(({ external_id }) => external_id).toSorted(), culprits.toSorted());
  for (const { reason } of aside) assert.match(reason, /^\(whole\): could not be stored: 23514 /);
  assert.ok((await stage.progress()).watermark, 'the sync run came to its end');
  assert.equal((await stage.connection()).state, 'ok');

  await stage.reconcile();
  await stage.holdToAccount('they come in once they can be stored');
  assert.deepEqual(await stage.unreadable(), []);
});

test('data fetched for a webhook that the database refuses is set aside, and not tried again and again', async (t) => {
  const stage = await openStage(instance, WOOCOMMERCE, { seed: 'refused push', orders: ORDERS });
  t.after(stage.shop.close);
  await stage.walk();
  const [order] = stage.shop.world.orders();
  assert.ok(order);
  const orderListeners = [() => Promise.reject(new RangeError('Invalid array length'))];
  stage.shop.world.refund(order.id, '5.00');

  await stage.hint(order, { ...stage.parts, orderListeners });

  const { id } = stage.truth(order);
  const aside = await stage.unreadable();
  assert.deepEqual(aside, [
    { external_id: id, reason: '(whole): could not be stored: Invalid array length' },
  ]);
  await stage.reconcile();
  assert.deepEqual(await stage.unreadable(), [], 'a later reconciliation brings it');
  await stage.holdToAccount();
});

test('a long title that replaces its product costs no order', async () => {
  const { organization, key } = await instance.tenant();
  const [line] = anOrder().items;
  assert.ok(line);

  await instance.record(
    [anOrder({ items: [{ ...line, id: null, sku: null, title: noise(4_000) }] })],
    organization.id,
  );

  const { body } = await instance.api('/v1/orders', {}, { key });
  assert.equal(body.data[0].items[0].title.length, 4_000);
});

for (const [marketplace, list] of [
  ['walmart', /\/v3\/orders\?/],
  ['amazon', /\/orders\?/],
] as const)
  test(`${marketplace}: a parcel whose number is still blank costs no order`, async (t) => {
    const stage = await openStage(instance, STAND_OF[marketplace], { seed: 'blank', orders: 12 });
    t.after(stage.shop.close);
    let blank = 0;
    const network = altering(stage.parts.network, list, (document: Row) => {
      for (const holder of holdersOf(document, 'trackingNumber')) {
        holder.trackingNumber = '';
        blank += 1;
      }
    });

    const { unreadable, items } = await syncStream(stage, 'orders', { ...stage.parts, network });

    assert.ok(blank > 0 && items > 0);
    assert.equal(unreadable, 0);
  });

test('a product that is out of bounds costs no other product its stock', async (t) => {
  const stage = await openStage(instance, WOOCOMMERCE, { seed: 'stock', orders: 0 });
  t.after(stage.shop.close);
  const whole = await syncStream(stage, 'inventory');
  const network = altering(stage.parts.network, /\/products\?/, (rows: Row[]) => {
    const [one, two] = rows.filter(({ type }) => type === 'simple');
    one.sku = noise(3_000);
    two.name = 'x'.repeat(9_000);
  });

  const altered = await syncStream(stage, 'inventory', { ...stage.parts, network });

  assert.equal(altered.error, undefined);
  assert.deepEqual([altered.unreadable, altered.items], [2, whole.items - 2]);
});

test('half a character in the id of an order does not stop the invoices of the others', async (t) => {
  const stand = STAND_OF.vtex;
  const stage = await openStage(instance, stand, { seed: 'invoices', orders: ORDERS });
  t.after(stage.shop.close);
  const network = altering(stage.parts.network, /\/orders\?.*invoicedDate/, ({ list }: Row) => {
    list.push({ orderId: '4500\ud8007' });
  });

  const { items, error } = await syncStream(stage, 'invoices', { ...stage.parts, network });

  assert.equal(error, undefined);
  assert.ok(items > 0);
});

async function syncStream(stage: Stage, stream: StreamName, parts: ExchangeParts = stage.parts) {
  const { organizationId } = stage;
  const [synced] = await syncOrganization(parts, { organizationId, service: null, stream });
  assert.ok(synced);
  return synced;
}

/** The objects of a document, however deep, that have a field. */
function holdersOf(value: Row, field: string): Row[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap((one) => holdersOf(one, field));
  return field in value ? [value, ...inner] : inner;
}

/** Walks all orders, one on each page altered on its way. @returns the ids of those */
async function walkAltered(stage: Stage, alter: (row: Row) => void): Promise<string[]> {
  const culprits: string[] = [];
  const network = altering(stage.parts.network, /\/orders\?/, (rows: Row[]) => {
    const row = rows[CULPRIT];
    if (!row) return;
    culprits.push(String(row.id));
    alter(row);
  });
  await stage.tick({ ...stage.parts, network });
  return culprits;
}

function now(): number {
  return instance.clock.now().epochMilliseconds;
}

/** A text that no compression makes short. */
function noise(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}

/** As plugins write it: `meta_data` with one entry of so many levels. */
function nested(levels: number): unknown {
  const value = JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
  return [{ id: 1, key: 'x', value }];
}
