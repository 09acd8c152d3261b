import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startWalmart } from '../../simulators/walmart/index.ts';
import { Return, readItemPage, Stock } from '../../src/connectors/walmart/wire.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { openApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/walmart/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Document = any;

for (const generation of ['legacy', 'global'] as const)
  test(`every official Walmart order of the ${generation} shape comes out of the API as the order that it describes`, {
    skip,
  }, async (t) => {
    const instance = await openApp(t);
    const files = documents().filter(({ document }) => ordersIn(document, generation).length > 0);
    const read: Document[] = [];

    for (const { file, document } of files) {
      const shop = await startWalmart({
        now: () => instance.clock.now().epochMilliseconds,
        replay: join(FOLDER, file),
        generation,
        clientId: file,
      });
      t.after(shop.close);
      await instance.connect('walmart', { url: shop.url, credentials: shop.credentials() });
      const [synced] = (await instance.sync()).slice(-2);
      assert.equal(synced?.unreadable, 0, file);

      for (const sample of ordersIn(document, generation)) {
        const id = sample.purchaseOrderId ?? sample.customerOrderId;
        const { status, body } = await instance.api(`/v1/orders/${id}`, {
          marketplace: 'walmart',
          account_id: file,
        });
        assert.equal(status, 200, `${file}: order ${id}`);
        assertDescribes(body.data, sample);
        read.push(body.data);
      }
    }

    const all = documents().flatMap(({ document }) => ordersIn(document, generation)).length;
    assert.ok(all > 0);
    assert.equal(read.length, all);
    t.diagnostic(
      `walmart: ${read.length} of ${all} order documents of the ${generation} shape read`,
    );
    assertExplained(t, `walmart, ${generation}`, read);
  });

test('official Walmart returns, stock and items are read', { skip }, () => {
  const all = documents().map(({ document }) => document);
  const returns = documents().flatMap(({ document }) =>
    find(document, (it) => 'returnOrderId' in it),
  );
  const stock = documents().flatMap(({ document }) =>
    find(document, (it) => 'sku' in it && 'quantity' in it && !('status' in it)),
  );

  const read = returns.map((document) => Return.parse(exactly(document)));
  const levels = stock.map((document) => Stock.parse(exactly(document)));

  const xml = find(all, (it) => it._content_type === 'application/xml').map(
    ({ body }) => body as string,
  );
  const items = xml.flatMap(
    (body) => readItemPage(body).ItemResponse as { sku: string; productName: string }[],
  );

  assert.ok(items.length > 0);
  assert.deepEqual(
    items.map(({ sku }) => sku),
    xml.flatMap((body) => [...body.matchAll(/<ns2:sku>([^<]*)</g)].map(([, sku]) => sku)),
  );
  assert.ok(
    items.every(({ productName }) => productName !== '' && !productName.includes('&quot;')),
  );
  assert.ok(returns.length > 0 && stock.length > 0);
  assert.deepEqual(
    read.map(({ returnOrderId, returnOrderLines: [line] }) => [
      returnOrderId,
      line?.status,
      line?.refundAmount?.amount,
    ]),
    returns.map(({ returnOrderId, returnOrderLines: [line] }) => [
      returnOrderId,
      line.status,
      line.refundAmount.amount,
    ]),
  );
  assert.deepEqual(
    levels.map(({ quantity }) => quantity.amount),
    stock.map(({ quantity }) => Number(quantity.amount)),
  );
});

function assertDescribes(order: Document, sample: Document): void {
  const lines: Document[] = sample.orderLines.orderLine ?? sample.orderLines;
  const charges = (line: Document): Document[] => line.charges.charge ?? line.charges;
  const statusOf = (line: Document) =>
    (line.orderLineStatus ?? line.orderLineStatuses.orderLineStatus)[0].status as string;
  const statuses = lines.map(statusOf);
  const live = statuses.filter((status) => status !== 'Cancelled');
  const refunds = lines.flatMap((line) => line.refund?.refundCharges.refundCharge ?? []);
  const refunded = refunds.reduce((sum, { charge }) => sum + worth(charge), 0);
  // All of these documents have one piece a line.
  const priceOf = (line: Document) =>
    Number(
      line.item.unitPrice?.amount ??
        sum(charges(line).filter(({ chargeType }) => chargeType === 'PRODUCT')),
    );
  const priced = lines.filter((line) => priceOf(line) > 0);
  const total = priced.reduce((all, line) => all + priceOf(line), 0);
  const shipping = charges(lines[0]).some(({ chargeType }) => chargeType === 'SHIPPING');

  if (live.length === 0) assert.equal(order.total, null);
  else
    assert.ok(Math.abs(order.total - total) < 1e-9, `${order.id}: ${order.total} is not ${total}`);
  assert.equal(
    order.currency,
    sample.orderTotal?.currency ?? charges(lines[0])[0].chargeAmount.currency,
  );
  assert.equal(order.marketplace_status, [...new Set(statuses)].join(', '));
  assert.equal(order.status, statusFor(live, refunded > 0 && refunded >= total));
  assert.equal(Date.parse(order.date_created), new Date(sample.orderDate).getTime());
  assert.deepEqual(
    order.items.map((item: Document) => [item.sku, item.title, item.quantity, item.unit_price]),
    priced.map((line) => [line.item.sku ?? null, line.item.productName, 1, priceOf(line)]),
  );
  assert.deepEqual(
    order.items.map((item: Document) => item.cancelled_quantity),
    priced.map((line) => (statusOf(line) === 'Cancelled' ? 1 : 0)),
  );
  assert.equal(order.shipping_total === null, !shipping);
  assert.equal(order.channel_relations.pack_id, sample.customerOrderId);
  const [first, second] = sample.shippingInfo.postalAddress.name.split(' ');
  assert.equal(order.buyer_name, `${first} ${second[0]}.`);
}

function statusFor(live: readonly string[], isRefunded: boolean): string {
  if (live.length === 0) return 'cancelled';
  if (isRefunded) return 'refunded';
  if (live.every((status) => status === 'Delivered')) return 'delivered';
  if (live.every((status) => status === 'Shipped' || status === 'Delivered')) return 'shipped';
  return live.includes('Shipped') || live.includes('Delivered') ? 'partially_shipped' : 'paid';
}

function sum(charges: readonly Document[]): number {
  return Number(charges.reduce((all, charge) => all + worth(charge), 0).toFixed(6));
}

function worth({ chargeAmount, tax }: Document): number {
  return Number(chargeAmount.amount) + Number(tax?.taxAmount.amount ?? 0);
}

function documents(): { file: string; document: Document }[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, document: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) }));
}

function ordersIn(document: Document, generation: 'legacy' | 'global'): Document[] {
  return find(
    document,
    (it) =>
      'customerOrderId' in it &&
      Array.isArray(it.orderLines) === (generation === 'legacy') &&
      'orderLines' in it,
  );
}

/** As the engine parses it. */
function exactly(document: Document): unknown {
  return parseLossless(JSON.stringify(document));
}

function find(document: Document, fits: (it: Document) => boolean): Document[] {
  if (typeof document !== 'object' || document === null) return [];
  if (!Array.isArray(document) && fits(document)) return [document];
  return Object.values(document).flatMap((inner) => find(inner, fits));
}
