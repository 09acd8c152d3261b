import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startVtex } from '../../simulators/vtex/index.ts';
import { isInvoice } from '../../src/connectors/contract.ts';
import { notifications } from '../../src/connectors/vtex/notifications.ts';
import { FeedEvent } from '../../src/connectors/vtex/wire.ts';
import { openApp, type TestApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';
import { readStream } from '../support/read-stream.ts';

// Official documents of VTEX, where SAMPLES_DIR names a folder with them; none is part of the
// project. What is expected is read off the document by the rules below. Of an order that only a
// list has, the row is all there is.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/vtex/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Json = any;

/** By order. */
const UNEXPLAINED = {
  '1172452900788-01':
    'a placeholder: its line costs 9.90, Items says 0.99, and the total of 11.60 is neither of them with 3.00 of shipping',
};

const PAID =
  /^(payment-approved|window-to-cancel|(ready-for-|start-)?handling|ready-for-invoicing|invoice)$/;

test('every official VTEX order comes out of the API as the order that it describes', {
  skip,
}, async (t) => {
  const documents = read().filter(({ orderId, creationDate }) => orderId && creationDate);
  const rows = read().flatMap(({ list }) => list ?? []);
  const { instance } = await openReplay(t);

  const [synced] = await instance.sync();

  assert.equal(synced?.unreadable, 0);
  const orders: Json[] = [];
  for (const sample of documents) {
    const order = await orderOf(instance, sample.orderId);
    assertDescribes(order, sample);
    orders.push(order);
  }
  for (const row of rows) {
    const order = await orderOf(instance, row.orderId);
    assertListed(order, row);
    orders.push(order);
  }
  const count = documents.length + rows.length;
  assert.ok(count > 0);
  t.diagnostic(
    `vtex: ${orders.length} of ${count} order documents read, ${rows.length} of them rows of lists`,
  );
  assertExplained(t, 'vtex', orders, UNEXPLAINED);
});

test('every official VTEX stock document is a level of stock', { skip }, async (t) => {
  const samples = read().filter(({ skuId, balance }) => skuId && balance);
  if (samples.length === 0) return t.skip('the folder has no stock');
  const { instance, connectionId } = await openReplay(t);

  const levels = await readStream(instance, connectionId, 'inventory');

  assert.deepEqual(
    levels.map(({ itemId, available }) => [itemId, available]),
    samples.map(({ skuId, balance }) => [
      String(skuId),
      balance.some((row: Json) => row.hasUnlimitedQuantity)
        ? null
        : balance.reduce(
            (sum: number, row: Json) => sum + row.totalQuantity - row.reservedQuantity,
            0,
          ),
    ]),
  );
  t.diagnostic(`vtex: ${samples.length} of ${samples.length} stock documents read`);
});

test('every official VTEX parcel with an invoice is one', { skip }, async (t) => {
  const parcels = read().flatMap(({ packageAttachment }) => packageAttachment?.packages ?? []);
  const { instance, connectionId } = await openReplay(t);

  const invoices = (await readStream(instance, connectionId, 'invoices')).filter(isInvoice);

  assert.deepEqual(
    invoices.map(({ xml, url, issuedAt }) => [
      xml && Buffer.from(xml).toString(),
      url,
      issuedAt?.epochMilliseconds,
    ]),
    parcels.map((parcel: Json) => [
      parcel.embeddedInvoice,
      parcel.invoiceUrl,
      Math.floor(Date.parse(parcel.issuanceDate)),
    ]),
  );
  t.diagnostic(`vtex: ${parcels.length} of ${parcels.length} parcels read`);
});

test('every official VTEX event and notification names its order', { skip }, () => {
  const reported = read().flatMap((document) => (Array.isArray(document) ? document : [document]));
  const events = reported.filter(({ handle }) => handle);
  const notices = reported.filter(({ OrderId }) => OrderId);

  for (const event of events)
    assert.deepEqual(FeedEvent.parse(event), {
      handle: event.handle,
      orderId: event.orderId,
      currentChange: Temporal.Instant.from(event.currentChange).round({
        smallestUnit: 'microsecond',
        roundingMode: 'floor',
      }),
    });
  for (const body of notices) {
    const push = { headers: {}, text: JSON.stringify(body), body };
    assert.equal(notifications.account(push), body.Origin.Account);
    assert.deepEqual(notifications.notificationsIn(push), [{ stream: 'orders', id: body.OrderId }]);
  }
  assert.ok(events.length + notices.length > 0);
});

function assertDescribes(order: Json, sample: Json): void {
  const refunded = (sample.packageAttachment?.packages ?? []).reduce(
    (sum: number, parcel: Json) => sum + (parcel.restitutions?.Refund?.value ?? 0),
    0,
  );
  assertHead(order, sample, {
    value: sample.value,
    currency: sample.storePreferencesData.currencyCode,
    refunded,
  });
  const { firstName, lastName } = sample.clientProfileData;
  assert.equal(order.buyer_name, `${firstName.split(' ')[0]} ${lastName[0]}.`);
  assert.equal(order.channel_relations.pack_id, sample.orderGroup);
  const totals = Object.fromEntries(
    sample.totals.map((total: Json) => [total.id, total.value / 100]),
  );
  const lines = sample.items.map(
    (item: Json) => item.priceDefinition?.total ?? item.sellingPrice * item.quantity,
  );
  const off = sample.items.reduce(
    (sum: number, item: Json, index: number) => sum + item.price * item.quantity - lines[index],
    0,
  );
  assert.deepEqual(
    [order.subtotal, order.order_discount, order.shipping_total, order.tax_added],
    [
      lines.reduce((sum: number, line: number) => sum + line, 0) / 100,
      Math.max(0, Math.abs(totals.Discounts) - off / 100),
      totals.Shipping,
      totals.Tax,
    ],
  );
  assert.equal(order.refunded_total ?? 0, refunded / 100);
  assert.deepEqual(
    order.items.map((item: Json) => [
      item.id,
      item.sku,
      item.title,
      item.quantity,
      item.unit_price,
    ]),
    sample.items.map((item: Json) => [
      item.id,
      item.refId,
      item.name,
      item.quantity,
      item.sellingPrice / 100,
    ]),
  );
}

function assertListed(order: Json, row: Json): void {
  assertHead(order, row, { value: row.totalValue, currency: row.currencyCode, refunded: 0 });
  assert.equal(order.buyer_name?.split(' ')[0], row.clientName.split(' ')[0]);
}

function assertHead(
  order: Json,
  sample: Json,
  money: { value: number; currency: string; refunded: number },
): void {
  assert.equal(order.id, sample.orderId);
  assert.equal(order.total, money.value / 100);
  assert.equal(order.currency, money.currency);
  assert.equal(order.marketplace_status, sample.status);
  assert.equal(order.status, statusOf(sample, money));
  assert.equal(Date.parse(order.date_created), Math.floor(Date.parse(sample.creationDate)));
  assert.equal(order.date_closed && Date.parse(order.date_closed), closingOf(sample, order.status));
}

function statusOf(sample: Json, { value, refunded }: { value: number; refunded: number }): string {
  if (/^(cancel(ed)?|payment-denied|replaced)$/.test(sample.status)) return 'cancelled';
  if (refunded > 0 && refunded >= value) return 'refunded';
  if (PAID.test(sample.status)) return 'paid';
  if (sample.status !== 'invoiced') return 'pending';
  const sent = (sample.packageAttachment?.packages ?? []).filter(
    ({ type }: Json) => type !== 'Input',
  );
  if (sent.length > 0 && sent.every(({ courierStatus }: Json) => courierStatus?.finished))
    return 'delivered';
  return sent.some(({ trackingNumber }: Json) => trackingNumber) ? 'shipped' : 'ready_to_ship';
}

/** Of a cancelled or a delivered one, which is all that there is among them. */
function closingOf(sample: Json, status: string): number | null {
  const sent = (sample.packageAttachment?.packages ?? []).filter(
    ({ type }: Json) => type !== 'Input',
  );
  const at = {
    cancelled: sample.cancellationData?.CancellationDate,
    delivered: sent.at(-1)?.courierStatus?.deliveredDate,
  }[status];
  return at ? Math.floor(Date.parse(at)) : null;
}

async function openReplay(t: TestContext) {
  const instance = await openApp(t);
  const shop = await startVtex({
    now: () => instance.clock.now().epochMilliseconds,
    replay: FOLDER,
  });
  t.after(shop.close);
  const connectionId = await instance.connect('vtex', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  return { instance, shop, connectionId };
}

async function orderOf(instance: TestApp, id: string): Promise<Json> {
  const { status, body } = await instance.api(`/v1/orders/${encodeURIComponent(id)}`);
  assert.equal(status, 200, `order ${id}`);
  return body.data;
}

function read(): Json[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
}
