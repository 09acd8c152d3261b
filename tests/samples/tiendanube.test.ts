import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startTiendanube } from '../../simulators/tiendanube/index.ts';
import { notifications } from '../../src/connectors/tiendanube/notifications.ts';
import { Token, Webhooks } from '../../src/connectors/tiendanube/wire.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { openApp } from '../support/app.ts';
import { assertExplained, type Checked } from '../support/explained.ts';
import { readStream } from '../support/read-stream.ts';

// Official documents, where SAMPLES_DIR names a folder with them; none is part of the project. What
// is expected is read off the document by the rules below.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/tiendanube/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Json = any;

describe('tiendanube', { skip }, () => {
  test('every official order comes out of the API as the order that it describes', async (t) => {
    const holding = files().filter(({ rows }) => rows.some(isOrder));
    const read: Checked[] = [];

    // The same order is in several documents, so each is replayed alone.
    for (const { file, rows } of holding)
      await t.test(file, async (t) => {
        const { instance } = await openReplay(t, file);
        const [orders] = await instance.sync();
        assert.deepEqual([orders?.error, orders?.unreadable], [undefined, 0]);
        for (const sample of rows.filter(isOrder)) {
          const { status, body } = await instance.api(`/v1/orders/${sample.id}`);
          assert.equal(status, 200, `order ${sample.id}`);
          assertDescribes(body.data, sample);
          read.push(body.data);
        }
      });

    assert.ok(read.length > 0);
    t.diagnostic(
      `tiendanube: ${read.length} of ${read.length} orders in ${holding.length} documents read`,
    );
    assertExplained(t, 'tiendanube', read);
  });

  test('every official variant is a level of stock', async (t) => {
    const holding = files().filter(({ rows }) => rows.some(isVariant));
    let read = 0;

    for (const { file, rows } of holding)
      await t.test(file, async (t) => {
        const { instance, connectionId } = await openReplay(t, file);
        const samples = rows.filter(isVariant);
        const levels = await readStream(instance, connectionId, 'inventory');
        assert.deepEqual(
          levels.map(({ itemId, variationId, sku, available }) => [
            itemId,
            variationId,
            sku,
            available,
          ]),
          samples.map((row) => [String(row.product_id), String(row.id), row.sku, row.stock]),
        );
        read += samples.length;
      });

    t.diagnostic(`tiendanube: ${read} of ${read} variants read`);
  });

  test('the official store, token and webhooks are read', (t) => {
    const all = files().flatMap(({ rows }) => rows);
    const tokens = all.filter((row) => 'access_token' in row);
    const webhooks = all.filter((row) => 'url' in row && 'event' in row);
    const pushes = all.filter((row) => 'event' in row && 'store_id' in row);

    for (const row of tokens) assert.equal(Token.parse(lossless(row)).user_id, String(row.user_id));
    for (const row of webhooks)
      assert.deepEqual(Webhooks.parse(lossless([row])), [
        { id: String(row.id), event: row.event, url: row.url },
      ]);
    for (const row of pushes) {
      const push = { headers: {}, text: JSON.stringify(row), body: lossless(row) };
      const stream = row.event.startsWith('product/') ? 'inventory' : 'orders';
      assert.equal(notifications.account(push), String(row.store_id));
      assert.deepEqual(notifications.notificationsIn(push), [{ stream, id: String(row.id) }]);
    }
    t.diagnostic(
      `tiendanube: ${tokens.length + webhooks.length + pushes.length} other documents read`,
    );
  });

  test('the official store is connected by its Spanish name', async (t) => {
    const file = files().find(({ rows }) => rows.some((row) => 'main_currency' in row));
    if (!file) return t.skip('the folder has no store');
    const [store] = file.rows;

    const { instance } = await openReplay(t, file.file);

    const rows = await instance.app.database
      .within(instance.organization.id)
      .read((scope) => scope.rows(scope.select('connections').select(['account_id', 'name'])));
    assert.deepEqual(rows, [{ account_id: String(store.id), name: store.name.es }]);
  });
});

const SENT: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  shipped: 'shipped',
  fulfilled: 'shipped',
  partially_fulfilled: 'partially_shipped',
};

function statusOf({ status, payment_status, shipping_status, next_action }: Json): string {
  if (status === 'cancelled' || /^(voided|abandoned)$/.test(payment_status)) return 'cancelled';
  if (payment_status === 'refunded') return 'refunded';
  const sent = SENT[shipping_status];
  if (sent) return sent;
  if (!/^(paid|partially_refunded)$/.test(payment_status)) return 'pending';
  return /^waiting_(shipment|pickup)$/.test(next_action) ? 'ready_to_ship' : 'paid';
}

function assertDescribes(order: Json, sample: Json): void {
  const total = sample.total ?? sample.price;
  const [first, second] = (
    sample.customer?.name ??
    sample.billing_name ??
    sample.contact_name ??
    ''
  ).split(' ');
  const closed = sample.status === 'cancelled' ? sample.cancelled_at : null;
  assert.equal(order.id, String(sample.id));
  assert.equal(order.status, statusOf(sample));
  assert.deepEqual(
    [order.marketplace_status, order.payment_status, order.fulfillment_status],
    [sample.status, sample.payment_status, sample.shipping_status],
  );
  assert.deepEqual(
    [order.total, order.subtotal, order.order_discount, order.shipping_total, order.currency],
    [
      ...[total, sample.subtotal, sample.discount, sample.shipping_cost_customer].map(Number),
      sample.currency,
    ],
  );
  assert.equal(
    order.buyer_name,
    first ? [first, second && `${second[0]}.`].filter(Boolean).join(' ') : null,
  );
  assert.equal(Date.parse(order.date_created), timeOf(sample.created_at));
  assert.equal(order.date_closed && Date.parse(order.date_closed), closed ? timeOf(closed) : null);
  assert.deepEqual(
    order.items.map(({ id, sku, title, quantity, unit_price }: Json) => [
      id,
      sku,
      title,
      quantity,
      unit_price,
    ]),
    sample.products.map((line: Json) => [
      String(line.id ?? line.product_id),
      line.sku ?? null,
      line.name ?? line.sku ?? 'Sin título',
      Number(line.quantity),
      Number(line.price),
    ]),
  );
  assert.deepEqual(
    [order.shipping.carrier, order.shipping.method, order.shipping.tracking_number],
    [sample.shipping, sample.shipping_option, sample.shipping_tracking_number],
  );
  assert.deepEqual(order.channel_relations.tags, [`storefront:${sample.storefront}`]);
}

/** Offsets come with and without a colon. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

function isOrder(row: Json): boolean {
  return 'payment_status' in row;
}

function isVariant(row: Json): boolean {
  return 'product_id' in row && 'stock' in row;
}

function files(): { file: string; rows: Json[] }[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, rows: rowsOf(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))) }));
}

function rowsOf(document: Json): Json[] {
  if (Array.isArray(document)) return document;
  return 'body' in document ? rowsOf(document.body) : [document];
}

function lossless(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

/** A store that has nothing but this document. */
async function openReplay(t: TestContext, file: string) {
  const folder = await mkdtemp(join(tmpdir(), 'tiendanube-'));
  t.after(() => rm(folder, { recursive: true }));
  await copyFile(join(FOLDER, file), join(folder, file));
  const instance = await openApp(t);
  const shop = await startTiendanube({
    now: () => instance.clock.now().epochMilliseconds,
    replay: folder,
  });
  t.after(shop.close);
  const connectionId = await instance.connect('tiendanube', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  return { instance, shop, connectionId };
}
