import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startWooCommerce } from '../../simulators/woocommerce/index.ts';
import { notifications } from '../../src/connectors/woocommerce/notifications.ts';
import { isGone } from '../../src/connectors/woocommerce/wire.ts';
import { toProductStock, toVariationStock } from '../../src/connectors/woocommerce/wire-stock.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { openApp } from '../support/app.ts';
import { assertExplained, type Checked } from '../support/explained.ts';

// Official documents, where SAMPLES_DIR names a folder with them; none is part of the project. What
// is expected is read off the document by the rules below. Several documents hold one order in
// different states, so each is served by a store of its own, together with all documents that hold
// none.

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Json = any;

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces', 'woocommerce', 'examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

describe('woocommerce', { skip }, () => {
  const files = skip ? [] : readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  const documents = files.map((file) => ({ file, document: readDocument(file) }));
  const all = documents.flatMap(({ document }) => rowsIn(document));
  const withOrders = documents.filter(({ document }) => rowsIn(document).some(isOrder));

  test('every official order comes out of the API as the order that it describes', async (t) => {
    const instance = await openApp(t);
    const read: Checked[] = [];
    for (const [index, { file, document }] of withOrders.entries()) {
      const others = files.filter(
        (one) => one === file || !withOrders.some((with_) => with_.file === one),
      );
      const shop = await startWooCommerce({
        now: () => instance.clock.now().epochMilliseconds,
        path: `/${index}`,
        replay: folderOf(t, others),
      });
      t.after(shop.close);
      await instance.connect('woocommerce', { url: shop.url, credentials: shop.credentials() });
      const reports = await instance.sync();
      for (const { unreadable, error } of reports)
        assert.deepEqual([unreadable, error], [0, undefined], file);

      const account = `tienda.example.mx/${index}`;
      for (const sample of rowsIn(document).filter(isOrder)) {
        const query = { marketplace: 'woocommerce', account_id: account };
        const { status, body } = await instance.api(`/v1/orders/${sample.id}`, query);
        assert.equal(status, 200, `order ${sample.id} of ${file}`);
        assertDescribes(body.data, sample, all.filter(isRefund));
        read.push(body.data);
      }
    }
    assert.ok(read.length > 0);
    t.diagnostic(
      `woocommerce: ${read.length} of ${all.filter(isOrder).length} orders read, in ${withOrders.length} of ${files.length} documents`,
    );
    assertExplained(t, 'woocommerce', read);
  });

  test('every official product and variation is a level of stock', (t) => {
    const stocks = all.filter((row) => 'manage_stock' in row);
    if (stocks.length === 0) return t.skip('the folder has no products');

    for (const sample of stocks) {
      const row = parseLossless(JSON.stringify(sample));
      const parent = parseLossless('{"id":22,"name":"Producto"}');
      const level = 'type' in sample ? toProductStock(row) : toVariationStock(row, parent);

      assert.equal(level['type' in sample ? 'itemId' : 'variationId'], String(sample.id));
      assert.equal(level.sku, sample.sku || null);
      assert.equal(level.available, availableOf(sample));
    }
    t.diagnostic(`woocommerce: ${stocks.length} of ${stocks.length} levels of stock read`);
  });

  test('the body of a webhook is the order, and names it', () => {
    for (const sample of all.filter(isOrder)) {
      const body = parseLossless(JSON.stringify(sample));
      const headers = { 'x-wc-webhook-topic': 'order.updated' };

      const hints = notifications.notificationsIn({ headers, text: '', body });

      assert.deepEqual(hints, [{ stream: 'orders', id: String(sample.id) }]);
    }
  });

  test('the official 404 is about the requested object', (t) => {
    const errors = documents.filter(({ document }) => document.data?.status === 404);
    if (errors.length === 0) return t.skip('the folder has no such error');

    for (const { document } of errors) {
      const answer = {
        status: 404,
        headers: {},
        body: JSON.stringify(document),
        fetchedAt: Temporal.Now.instant(),
      };
      assert.equal(isGone(answer), true);
    }
  });
});

// biome-ignore lint/suspicious/noExplicitAny: an official document
function availableOf({ manage_stock, stock_quantity, stock_status }: any): number | null {
  const isCounted = manage_stock !== false && stock_quantity !== null;
  if (isCounted) return Math.max(0, Math.floor(stock_quantity));
  return stock_status === 'instock' ? null : 0;
}

const STATUSES: Readonly<Record<string, string>> = {
  pending: 'pending',
  'on-hold': 'pending',
  failed: 'pending',
  processing: 'paid',
  completed: 'delivered',
  cancelled: 'cancelled',
  trash: 'cancelled',
  refunded: 'refunded',
};

function assertDescribes(order: Json, sample: Json, refunds: readonly Json[]): void {
  const given = (sample.refunds ?? []).map(({ total }: Json) => Math.abs(Number(total)));
  const sum = given.reduce((all: number, amount: number) => all + amount, 0);
  const base = STATUSES[sample.status] ?? 'unknown';
  const isRefunded =
    sum > 0 && sum >= Number(sample.total) && !['cancelled', 'unknown'].includes(base);
  assert.equal(order.id, String(sample.id));
  assert.equal(order.marketplace_status, sample.status);
  assert.equal(order.status, isRefunded ? 'refunded' : base);
  assert.equal(order.currency, sample.currency);
  assert.equal(order.total, Number(sample.total));
  const isInside = sample.prices_include_tax === true;
  const shown = (money: string, tax: string | undefined) =>
    Math.round((Number(money) + (isInside ? Number(tax ?? 0) : 0)) * 1e6) / 1e6;
  assert.equal(order.shipping_total, shown(sample.shipping_total, sample.shipping_tax));
  assert.equal(order.order_discount, 0);
  assert.equal(order.tax_added, isInside ? 0 : Number(sample.total_tax));
  assert.equal(order.tax_total, Number(sample.total_tax));
  assert.equal(Date.parse(order.date_created), Date.parse(`${sample.date_created_gmt}Z`));
  if (order.status === 'delivered' && sample.date_completed_gmt)
    assert.equal(Date.parse(order.date_closed), Date.parse(`${sample.date_completed_gmt}Z`));
  const { first_name, last_name } = sample.billing ?? {};
  assert.equal(
    order.buyer_name,
    [first_name, last_name && `${last_name[0]}.`].filter(Boolean).join(' ') || null,
  );
  assert.deepEqual(
    order.items.map((item: Json) => [
      item.id,
      item.sku,
      item.quantity,
      item.unit_price,
      item.subtotal,
    ]),
    (sample.line_items ?? []).map((line: Json) => [
      String(line.id),
      line.sku || null,
      Math.ceil(line.quantity),
      Math.round((shown(line.total, line.total_tax) / line.quantity) * 1e6) / 1e6,
      shown(line.total, line.total_tax),
    ]),
  );
  for (const { title } of order.items) assert.doesNotMatch(title, /&\w+;|<\w/);
  const dates = new Map(
    refunds.map(({ id, date_created_gmt }) => [id, Date.parse(`${date_created_gmt}Z`)]),
  );
  assert.deepEqual(
    order.refunds.map(({ amount, at }: Json) => [amount, at === null ? null : Date.parse(at)]),
    (sample.refunds ?? []).map(({ id, total }: Json) => [
      Math.abs(Number(total)),
      dates.get(id) ?? null,
    ]),
  );
  assert.equal(order.shipping?.method ?? null, sample.shipping_lines?.[0]?.method_title ?? null);
}

function isOrder(row: Json): boolean {
  return 'line_items' in row && 'currency' in row;
}

function isRefund(row: Json): boolean {
  return 'refunded_by' in row;
}

/**
 * A document is a row, or holds rows somewhere: in a list, a batch, an answer with its status
 * around it.
 */
function rowsIn(document: Json): Json[] {
  if (Array.isArray(document)) return document.flatMap(rowsIn);
  if (typeof document !== 'object' || document === null) return [];
  if (isOrder(document) || isRefund(document) || 'manage_stock' in document) return [document];
  return Object.values(document).flatMap(rowsIn);
}

function readDocument(file: string): Json {
  try {
    return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function folderOf(t: TestContext, files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'woocommerce-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const file of files) copyFileSync(join(FOLDER, file), join(folder, file));
  return folder;
}
