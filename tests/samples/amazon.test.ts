import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startAmazon } from '../../simulators/amazon/index.ts';
import { abbreviate } from '../../src/features/orders/buyer-name.ts';
import { openApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';
import { readStream, type StreamName } from '../support/read-stream.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/amazon/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

test('every official Amazon order document comes out of the API as the order that it describes', {
  skip,
}, async (t) => {
  const documents = rowsOf(isOrder);
  // Several documents may describe one order: what the later files say goes before.
  const samples = new Map<string, Json>();
  for (const document of documents)
    samples.set(idOf(document), { ...samples.get(idOf(document)), ...document });
  const { instance } = await openReplayed(t);

  const [orders] = await instance.sync();

  assert.equal(orders?.unreadable, 0);
  const read: Json[] = [];
  for (const [id, sample] of samples) {
    const { status, body } = await instance.api(`/v1/orders/${id}`);
    assert.equal(status, 200, `order ${id}`);
    if ('AmazonOrderId' in sample) assertDescribesOld(body.data, sample);
    else assertDescribes(body.data, sample);
    read.push(body.data);
  }
  assertExplained(t, 'amazon', read);
  assert.ok(samples.size > 0);
  t.diagnostic(
    `amazon: ${documents.length} of ${documents.length} order documents read, ${samples.size} orders`,
  );
});

test('official balances are the two branches of their tree', { skip }, async (t) => {
  const roots = rowsOf((one) => one.balanceType === 'TOTAL' && 'partnerMetadata' in one);
  const { read } = await openReplayed(t);

  const balances = await read('balances');

  assert.deepEqual(
    balances.map(({ purse, currency, available, pending, asOf }) => [
      purse,
      currency,
      Number(available),
      Number(pending),
      asOf.epochMilliseconds,
    ]),
    roots.map(({ partnerMetadata, amount, lastUpdatedTime, asOfDate, balances: [free, held] }) => [
      partnerMetadata.accountType,
      amount.currencyCode,
      free.amount.currencyAmount,
      held.amount.currencyAmount,
      Date.parse(lastUpdatedTime ?? asOfDate),
    ]),
  );
  t.diagnostic(`amazon: ${balances.length} of ${roots.length} balances read`);
});

test('official payouts are settlements, made or expected', { skip }, async (t) => {
  const made = rowsOf((one) => 'currentStatus' in one && 'statusHistory' in one);
  const expected = rowsOf((one) => 'scheduledDate' in one && 'partnerMetadata' in one);
  const { read } = await openReplayed(t);

  const settlements = await read('settlements');

  const related = ({ relatedIdentifiers }: Json) => relatedIdentifiers[0].relatedIdentifierValue;
  const reported = (row: Json, status: string) => [
    related(row),
    status,
    row.amount.currencyAmount,
    row.amount.currencyCode,
    Date.parse(row.period.startDate),
    row.traceId ?? null,
  ];
  assert.deepEqual(
    settlements.map(({ id, marketplaceStatus, net, currency, from, reference }) => [
      id,
      marketplaceStatus,
      Number(net),
      currency,
      from?.epochMilliseconds,
      reference,
    ]),
    [
      ...made.map((row) => reported(row, row.currentStatus)),
      ...expected.map((row) => reported(row, row.status)),
    ],
  );
  t.diagnostic(`amazon: ${settlements.length} of ${made.length + expected.length} payouts read`);
});

test('official inventory summaries are stock at the marketplace', { skip }, async (t) => {
  const rows = rowsOf((one) => 'inventoryDetails' in one);
  const { read } = await openReplayed(t);

  const stock = await read('inventory');

  assert.deepEqual(
    stock.map(({ sku, warehouse, title, available, unavailable }) => [
      sku,
      warehouse,
      title,
      available,
      unavailable,
    ]),
    rows.map(({ sellerSku, productName, inventoryDetails: details }) => [
      sellerSku,
      'marketplace',
      productName,
      details.fulfillableQuantity,
      details.reservedQuantity.totalReservedQuantity +
        details.researchingQuantity.totalResearchingQuantity +
        details.unfulfillableQuantity.totalUnfulfillableQuantity,
    ]),
  );
  t.diagnostic(`amazon: ${stock.length} of ${rows.length} inventory summaries read`);
});

function assertDescribes(order: Json, sample: Json): void {
  const money = sample.proceeds?.grandTotal;
  const priced = sample.orderItems.filter((line: Json) => line.product.price?.unitPrice);
  assert.equal(order.id, sample.orderId);
  assert.equal(order.total, money ? Number(money.amount) : null);
  if (money) assert.equal(order.currency, money.currencyCode);
  assert.equal(order.marketplace_status, sample.fulfillment.fulfillmentStatus);
  assert.equal(order.status, statusOf(sample));
  assert.equal(Date.parse(order.date_created), Date.parse(sample.createdTime));
  assert.equal(order.date_closed, null);
  assert.equal(
    order.buyer_name,
    abbreviate(sample.buyer?.buyerName ?? sample.recipient?.deliveryAddress?.name ?? null),
  );
  assert.deepEqual(
    order.items.map((item: Json) => [
      item.id,
      item.sku,
      item.title,
      item.quantity,
      item.unit_price,
    ]),
    priced.map(({ product, quantityOrdered }: Json) => [
      product.asin,
      product.sellerSku,
      product.title,
      quantityOrdered,
      Number(product.price.unitPrice.amount),
    ]),
  );
  assert.equal(
    order.shipping?.tracking_number ?? null,
    sample.packages?.[0]?.trackingNumber ?? null,
  );
  for (const program of sample.programs ?? [])
    assert.ok(order.channel_relations.tags.includes(program));
}

function assertDescribesOld(order: Json, sample: Json): void {
  assert.equal(order.id, sample.AmazonOrderId);
  assert.equal(order.total, sample.OrderTotal ? Number(sample.OrderTotal.Amount) : null);
  if (sample.OrderTotal) assert.equal(order.currency, sample.OrderTotal.CurrencyCode);
  assert.equal(order.marketplace_status, sample.OrderStatus);
  assert.equal(order.status, STATUSES[sample.OrderStatus]);
  assert.equal(Date.parse(order.date_created), Date.parse(sample.PurchaseDate));
  assert.equal(
    order.buyer_name,
    abbreviate(sample.BuyerInfo?.BuyerName ?? sample.ShippingAddress?.Name ?? null),
  );
}

const STATUSES: Readonly<Record<string, string>> = {
  PENDING_AVAILABILITY: 'pending',
  PENDING: 'pending',
  UNSHIPPED: 'paid',
  PARTIALLY_SHIPPED: 'partially_shipped',
  SHIPPED: 'shipped',
  CANCELLED: 'cancelled',
  UNFULFILLABLE: 'cancelled',
  PendingAvailability: 'pending',
  Pending: 'pending',
  Unshipped: 'paid',
  PartiallyShipped: 'partially_shipped',
  Shipped: 'shipped',
  InvoiceUnconfirmed: 'shipped',
  Canceled: 'cancelled',
  Unfulfillable: 'cancelled',
};

function statusOf({ fulfillment, packages = [] }: Json): string | undefined {
  const isThere =
    packages.length > 0 && packages.every((one: Json) => one.packageStatus?.status === 'DELIVERED');
  return isThere && fulfillment.fulfillmentStatus === 'SHIPPED'
    ? 'delivered'
    : STATUSES[fulfillment.fulfillmentStatus];
}

function isOrder(one: Json): boolean {
  return (
    ('orderId' in one && 'orderItems' in one) || ('AmazonOrderId' in one && 'OrderStatus' in one)
  );
}

function idOf(order: Json): string {
  return order.orderId ?? order.AmazonOrderId;
}

/**
 * Whatever lies in the documents, however wrapped, that fits; not what lies in something that fits.
 */
function rowsOf(fits: (one: Json) => boolean): Json[] {
  const search = (one: Json): Json[] => {
    if (typeof one !== 'object' || one === null) return [];
    return !Array.isArray(one) && fits(one) ? [one] : Object.values(one).flatMap(search);
  };
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap((file) => search(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))));
}

/** An instance that is connected to the documents, and a way to read another of their streams. */
async function openReplayed(t: TestContext) {
  const instance = await openApp(t);
  const now = () => instance.clock.now().epochMilliseconds;
  const shop = await startAmazon({ now, replay: FOLDER });
  t.after(shop.close);
  const id = await instance.connect('amazon', { url: shop.url, credentials: shop.credentials() });
  return {
    instance,
    read: <Name extends StreamName>(name: Name) => readStream(instance, id, name),
  };
}
