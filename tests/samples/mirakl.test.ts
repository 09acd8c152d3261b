import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startMirakl } from '../../simulators/mirakl/index.ts';
import {
  type Call,
  isSettlement,
  type Marketplace,
  type Stream,
} from '../../src/connectors/contract.ts';
import { balances } from '../../src/connectors/mirakl/balances.ts';
import type { MiraklCredentials } from '../../src/connectors/mirakl/credentials.ts';
import { settlements } from '../../src/connectors/mirakl/settlements.ts';
import { readInvoice } from '../../src/connectors/mirakl/wire.ts';
import { findConnector } from '../../src/connectors/registry.ts';
import { openCall } from '../../src/exchange/wire/call.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';

// Official documents of both operators' platform, where SAMPLES_DIR names a folder with them; none
// is part of the project. What is expected is read off the document by the rules below.

const SLUGS: readonly Marketplace[] = ['liverpool', 'coppel'];

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Json = any;

for (const slug of SLUGS) {
  const folder = process.env.SAMPLES_DIR
    ? join(process.env.SAMPLES_DIR, 'marketplaces', slug, 'examples')
    : '';
  const skip = existsSync(folder) ? false : 'SAMPLES_DIR names no folder with official documents';
  describe(slug, { skip }, () => {
    readGoods(slug, folder);
    readMoney(slug, folder);
  });
}

/** Orders whose parts do not give their total, with what is wrong about them. */
const UNEXPLAINED = {
  'Order_00010-A':
    'its total is goods and shipping, and leaves out the fee of its line, which Mirakl says it holds',
};

function readGoods(slug: Marketplace, folder: string): void {
  test(`every official ${slug} order comes out of the API as the order that it describes`, async (t) => {
    const samples = rowsIn(folder, 'orders').filter((row) => 'order_state' in row);
    const { instance, shop } = await openReplay(t, folder);

    await instance.connect(slug, { url: shop.url, credentials: shop.credentials() });
    const [orders] = await instance.sync();

    assert.equal(orders?.unreadable, 0);
    const read = [];
    for (const sample of samples) {
      const { status, body } = await instance.api(
        `/v1/orders/${encodeURIComponent(sample.order_id)}`,
      );
      assert.equal(status, 200, `order ${sample.order_id}`);
      assertDescribes(body.data, sample);
      read.push(body.data);
    }
    assert.ok(samples.length > 0);
    t.diagnostic(`${slug}: ${samples.length} of ${samples.length} order documents read`);
    assertExplained(t, slug, read, UNEXPLAINED);
  });

  test(`every official ${slug} offer is a level of stock`, async (t) => {
    const samples = rowsIn(folder, 'offers');
    if (samples.length === 0) return t.skip('the folder has no offers');
    const { instance, shop } = await openReplay(t, folder);

    await instance.connect(slug, { url: shop.url, credentials: shop.credentials() });
    await instance.sync();

    const levels = await instance.app.database
      .within(instance.organization.id)
      .read((scope) =>
        scope.rows(scope.select('stock_levels').select(['item_id', 'sku', 'title', 'available'])),
      );
    assert.deepEqual(
      levels
        .map(({ item_id, sku, title, available }) => [item_id, sku, title, Number(available)])
        .sort(),
      samples
        .map(({ offer_id, shop_sku, product_title, quantity }) => [
          String(offer_id),
          shop_sku,
          product_title,
          quantity,
        ])
        .sort(),
    );
    t.diagnostic(`${slug}: ${samples.length} of ${samples.length} offers read`);
  });
}

function readMoney(slug: Marketplace, folder: string): void {
  test(`the official ${slug} transaction log adds up to a balance`, async (t) => {
    const samples = rowsIn(folder, 'data').filter((row) => 'payment_state' in row);
    if (samples.length === 0) return t.skip('the folder has no transactions');
    const { instance, shop } = await openReplay(t, folder);

    const reported = await walk(balances, openSeller(instance, slug, shop));

    const sum = (state: string, currency: string) =>
      samples
        .filter((row) => row.payment_state === state && row.currency_iso_code === currency)
        .reduce((all, { amount }) => Math.round((all + amount) * 100) / 100, 0);
    for (const { currency, available, pending } of reported)
      assert.deepEqual(
        [Number(available), Number(pending)],
        [sum('PAYABLE', currency), sum('PENDING', currency)],
      );
    assert.deepEqual(
      new Set(reported.map(({ currency }) => currency)),
      new Set(samples.map((row) => row.currency_iso_code)),
    );
    t.diagnostic(`${slug}: ${samples.length} of ${samples.length} transactions read`);
  });

  test(`every official ${slug} billing cycle is a settlement`, async (t) => {
    const samples = rowsIn(folder, 'data').filter((row) => 'amount_transferred_to_seller' in row);
    if (samples.length === 0) return t.skip('the folder has no billing cycles');
    const { instance, shop } = await openReplay(t, folder);

    const reported = (await walk(settlements, openSeller(instance, slug, shop))).filter(
      isSettlement,
    );

    assert.deepEqual(
      reported.map(({ id, currency, net, fees, marketplaceStatus }) => [
        id,
        currency,
        Number(net),
        Number(fees),
        marketplaceStatus,
      ]),
      samples.map((row) => [
        row.id,
        row.currency_iso_code,
        row.amount_transferred_to_seller,
        row.amount_transferred_to_operator,
        row.pay_out.state,
      ]),
    );
    t.diagnostic(`${slug}: ${samples.length} of ${samples.length} billing cycles read`);
  });

  test(`of the official ${slug} order documents the invoices are taken`, (t) => {
    const samples = rowsIn(folder, 'order_documents');
    if (samples.length === 0) return t.skip('the folder has no documents of orders');

    const taken = samples.filter((row) => readInvoice(parseLossless(JSON.stringify(row)))?.ok);

    assert.deepEqual(
      taken,
      samples.filter(({ type }) => !String(type).startsWith('SYSTEM_')),
    );
    t.diagnostic(`${slug}: ${taken.length} of ${samples.length} documents are invoices`);
  });
}

const STATUSES: Readonly<Record<string, string>> = {
  STAGING: 'pending',
  WAITING_ACCEPTANCE: 'pending',
  WAITING_DEBIT: 'pending',
  WAITING_DEBIT_PAYMENT: 'pending',
  SHIPPING: 'paid',
  SHIPPED: 'shipped',
  TO_COLLECT: 'shipped',
  RECEIVED: 'delivered',
  CLOSED: 'delivered',
  REFUSED: 'cancelled',
  CANCELED: 'cancelled',
};

function assertDescribes(order: Json, sample: Json): void {
  const lines: Json[] = sample.order_lines ?? [];
  assert.equal(order.id, sample.order_id);
  assert.equal(order.marketplace_status, sample.order_state);
  assert.equal(
    order.status,
    statusOf(
      sample,
      lines.map((line) => line.order_line_state),
    ),
  );
  assert.equal(order.total, sample.total_price ?? null);
  assert.equal(order.subtotal, sample.price ?? null);
  assert.equal(order.shipping_total, sample.shipping_price ?? null);
  assert.equal(order.fees_total, sample.total_commission ?? null);
  assert.equal(order.currency, sample.currency_iso_code);
  const { firstname, lastname } = sample.customer ?? {};
  assert.equal(
    order.buyer_name,
    firstname ? [firstname, lastname && `${lastname[0]}.`].filter(Boolean).join(' ') : null,
  );
  assert.equal(Date.parse(order.date_created), Date.parse(sample.created_date));
  const received = lines
    .map((line) => Date.parse(line.received_date))
    .filter((at) => !Number.isNaN(at));
  if (received.length > 0 && order.status === 'delivered')
    assert.equal(Date.parse(order.date_closed), Math.max(...received));
  assert.deepEqual(
    order.items.map((item: Json) => [
      item.id,
      item.sku,
      item.title,
      item.quantity,
      item.unit_price,
      item.subtotal,
    ]),
    lines.map((line) => [
      line.order_line_id,
      line.offer_sku,
      line.product_title,
      line.quantity,
      line.price_unit,
      line.price,
    ]),
  );
  const paid = lines
    .flatMap((line) => line.refunds ?? [])
    .filter(({ state }) => state === 'REFUNDED');
  assert.equal(order.refunds.length, paid.length);
  assert.equal(order.shipping?.carrier ?? null, sample.shipping_company ?? null);
  assert.equal(order.shipping?.tracking_number ?? null, sample.shipping_tracking ?? null);
  assert.equal(order.channel_relations.pack_id, sample.commercial_id);
}

function statusOf(sample: Json, states: readonly string[]): string {
  const base = STATUSES[sample.order_state] ?? 'unknown';
  if (base === 'cancelled' || base === 'unknown') return base;
  if (sample.fully_refunded) return 'refunded';
  const isPartly =
    states.includes('SHIPPING') &&
    states.some((state) => /^(SHIPPED|TO_COLLECT|RECEIVED|CLOSED)$/.test(state));
  return isPartly ? 'partially_shipped' : base;
}

async function openReplay(t: TestContext, folder: string) {
  const instance = await openApp(t);
  const shop = await startMirakl({
    now: () => instance.clock.now().epochMilliseconds,
    replay: folder,
  });
  t.after(shop.close);
  return { instance, shop };
}

function openSeller(
  { app: instance }: TestApp,
  slug: Marketplace,
  shop: { url: string; credentials(): unknown },
): Call<MiraklCredentials> {
  const connector = findConnector(slug);
  assert.ok(connector);
  return openCall(instance.exchange, {
    connector,
    credentials: connector.auth.credentials.parse(shop.credentials()),
    application: null,
    lane: 'muestras',
    baseUrl: shop.url,
    addresses: 'any',
    renew: null,
  }) as Call<MiraklCredentials>;
}

async function walk<Item>(
  stream: Stream<Item, MiraklCredentials>,
  call: Call<MiraklCredentials>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let position: string | null = null; ; ) {
    const page = await stream.page(call, {
      window: { from: null, to: call.now() },
      position,
      limit: 100,
      nonFinalIds: async () => [],
      deliveredIds: async () => [],
      states: async () => new Map(),
    });
    for (const read of page.items) {
      assert.ok(read.ok);
      items.push(read.item);
    }
    if (page.next === null) return items;
    position = page.next;
  }
}

/** Every row of the folder's lists of that name, and orders that are a document of their own. */
function rowsIn(folder: string, list: string): Json[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.body ?? document)
    .flatMap(
      (document) => document[list] ?? (list === 'orders' && document.order_state ? [document] : []),
    );
}
