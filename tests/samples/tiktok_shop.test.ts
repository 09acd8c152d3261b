import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTiktokShop } from '../../simulators/tiktok_shop/index.ts';
import { parseOrNull } from '../../src/connectors/answer-document.ts';
import { notifications } from '../../src/connectors/tiktok_shop/notifications.ts';
import { Token, toSourceOrder, verdictOf } from '../../src/connectors/tiktok_shop/wire.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { openApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';
import { readStream } from '../support/read-stream.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/tiktok_shop/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

const files = skip ? [] : readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const rowsOf = (name: string): Json[] =>
  files.flatMap((file) => {
    const { data } = JSON.parse(textOf(file));
    return Array.isArray(data?.[name]) ? data[name] : [];
  });

/** Orders whose parts do not give their total, each with the reason. */
const UNEXPLAINED = {
  '576461413038785752':
    'its figures are placeholders: a piece of 0.01 beside a sum of the goods of 5000',
};

const STATUSES: Readonly<Record<string, string>> = {
  UNPAID: 'pending',
  ON_HOLD: 'paid',
  AWAITING_SHIPMENT: 'paid',
  AWAITING_COLLECTION: 'ready_to_ship',
  PARTIALLY_SHIPPING: 'partially_shipped',
  IN_TRANSIT: 'shipped',
  DELIVERED: 'delivered',
  COMPLETED: 'delivered',
  CANCELLED: 'cancelled',
};

test('every official TikTok Shop order comes out of the API as the order that it describes', {
  skip,
}, async (t) => {
  const instance = await openApp(t);
  const shop = await startTiktokShop({
    now: () => instance.clock.now().epochMilliseconds,
    replay: FOLDER,
  });
  t.after(shop.close);
  const samples = rowsOf('orders').filter((row) => 'line_items' in row);

  await instance.connect('tiktok_shop', { url: shop.url, credentials: shop.credentials() });
  const synced = await instance.sync();

  assert.ok(synced.every(({ unreadable }) => unreadable === 0));
  const read: Json[] = [];
  for (const sample of samples) {
    const { status, body } = await instance.api(`/v1/orders/${sample.id}`);
    assert.equal(status, 200, `order ${sample.id}`);
    assertDescribes(body.data, sample);
    read.push(body.data);
  }
  assert.ok(samples.length > 0);
  t.diagnostic(`tiktok_shop: ${read.length} of ${samples.length} order documents read`);
  assertExplained(t, 'tiktok_shop', read, UNEXPLAINED);
});

function assertDescribes(order: Json, sample: Json): void {
  const { payment, line_items: lines, recipient_address: recipient } = sample;
  const millis = (seconds: number | undefined) => (seconds ? seconds * 1000 : null);
  assert.equal(order.status, STATUSES[sample.status] ?? 'unknown');
  assert.equal(order.marketplace_status, sample.status);
  assert.equal(order.total, Number(payment.total_amount));
  assert.equal(
    order.subtotal,
    lines.reduce((sum: number, line: Json) => sum + Number(line.sale_price), 0),
  );
  assert.equal(order.shipping_total, Number(payment.shipping_fee));
  assert.equal(order.marketplace_discount_total, Number(payment.platform_discount));
  assert.equal(order.tax_total, Number(payment.tax));
  assert.equal(
    order.shipping.shipped_at && Date.parse(order.shipping.shipped_at),
    millis(sample.collection_time),
  );
  assert.equal(
    order.shipping.delivered_at && Date.parse(order.shipping.delivered_at),
    millis(sample.delivery_time),
  );
  assert.equal(order.currency, payment.currency);
  assert.equal(Date.parse(order.date_created), millis(sample.create_time));
  const isFinal = ['delivered', 'cancelled'].includes(order.status);
  if (!isFinal) assert.equal(order.date_closed, null);
  const masked = recipient?.name?.includes('*') ?? true;
  const [first, last] = masked ? [] : recipient.name.trim().split(' ');
  assert.equal(order.buyer_name, masked ? null : `${first} ${last[0]}.`);
  assert.equal(order.channel_relations.pack_id, sample.packages?.[0]?.id.trim() ?? null);
  const units = order.items.reduce((sum: number, { quantity }: Json) => sum + quantity, 0);
  assert.equal(units, lines.length);
  for (const line of lines) {
    const item = order.items.find(({ id }: Json) => id === line.sku_id);
    assert.equal(item.title, line.product_name.trim());
    assert.equal(item.variation, line.sku_name.trim());
    assert.equal(item.sku, line.seller_sku.trim());
    assert.equal(item.unit_price, Number(line.sale_price));
    assert.equal(item.list_price, Number(line.original_price));
  }
}

test('official stock, statements and payments are read as what they say', { skip }, async (t) => {
  const instance = await openApp(t);
  const shop = await startTiktokShop({
    now: () => instance.clock.now().epochMilliseconds,
    replay: FOLDER,
  });
  t.after(shop.close);
  const connectionId = await instance.connect('tiktok_shop', {
    url: shop.url,
    credentials: shop.credentials(),
  });

  const stock = await readStream(instance, connectionId, 'inventory');
  const settlements = await readStream(instance, connectionId, 'settlements');

  for (const { product_id, skus } of rowsOf('inventory'))
    for (const sku of skus) {
      const level = stock.find(({ variationId }) => variationId === sku.id);
      assert.deepEqual(
        [level?.itemId, level?.sku, level?.available, level?.unavailable],
        [product_id, sku.seller_sku, sku.total_available_quantity, sku.total_committed_quantity],
      );
    }
  for (const statement of rowsOf('statements')) {
    const settlement = settlements.find(({ id }) => id === statement.id);
    assert.deepEqual(
      [
        settlement?.net,
        settlement?.gross,
        settlement?.currency,
        settlement?.reference,
        settlement?.status,
      ],
      [
        statement.settlement_amount,
        statement.revenue_amount,
        statement.currency,
        statement.payment_id,
        statement.payment_status.toLowerCase(),
      ],
    );
    assert.equal(Number(settlement?.fees), -Number(statement.fee_amount));
  }
});

test('official returns and cancellations that are still open give nothing back', { skip }, () => {
  const lossless = (rows: Json[]) => parseLossless(JSON.stringify(rows)) as unknown[];
  const [order] = lossless(rowsOf('orders'));

  const claims = {
    returns: lossless(rowsOf('return_orders')),
    cancellations: lossless(rowsOf('cancellations')),
  };
  const read = toSourceOrder({ order, claims }, Temporal.Instant.from('2026-11-18T18:00:00Z'));

  assert.equal(read.refundedTotal, null);
  assert.deepEqual(read.refunds, []);
});

test('official webhooks name the shop, and the orders where they are about some', { skip }, (t) => {
  const pushes = files
    .map((file) => ({ text: textOf(file), body: parseOrNull(textOf(file)), headers: {} }))
    .filter(({ body }) => notifications.account({ text: '', headers: {}, body }) !== null);

  for (const push of pushes) {
    const { shop_id, type, data } = JSON.parse(push.text);
    const packed = data.package_list?.flatMap(({ order_id_list }: Json) => order_id_list) ?? [];
    const ids = [...(data.order_id ? [data.order_id] : []), ...packed];
    assert.equal(notifications.account(push), shop_id);
    assert.deepEqual(
      notifications.notificationsIn(push).map((hint) => ('id' in hint ? hint.id : '')),
      type === 6 || type === 7 ? ['permission'] : ids,
    );
  }
  assert.ok(pushes.length > 0);
  t.diagnostic(`tiktok_shop: ${pushes.length} push documents read`);
});

test('official tokens end at the second that they name, and an expired one is renewed', {
  skip,
}, () => {
  for (const file of files.filter((name) => name.startsWith('auth_token'))) {
    const { data } = JSON.parse(textOf(file));
    const token = Token.parse((parseLossless(textOf(file)) as Json).data);
    assert.deepEqual(
      [token.access_token, token.refresh_token, token.access_token_expire_in],
      [data.access_token, data.refresh_token, data.access_token_expire_in],
    );
  }
  for (const file of files.filter((name) => name.startsWith('error_token'))) {
    const answer = {
      status: 200,
      headers: {},
      body: textOf(file),
      fetchedAt: Temporal.Instant.from('2026-11-18T18:00:00Z'),
    };
    assert.equal(verdictOf(answer), 'renew');
  }
});
