import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Field, parseQuery } from '../../simulators/shopify/graphql.ts';
import { startShopify } from '../../simulators/shopify/index.ts';
import { pace, verdict } from '../../src/connectors/shopify/graphql.ts';
import { notifications, TOPICS } from '../../src/connectors/shopify/notifications.ts';
import * as queries from '../../src/connectors/shopify/queries.ts';
import {
  Balance,
  PayoutsPage,
  Token,
  toBalances,
  toSettlement,
  toStock,
} from '../../src/connectors/shopify/wire.ts';
import { applyNotification } from '../../src/exchange/webhooks/apply-notification.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { openApp } from '../support/app.ts';
import { assertExplained } from '../support/explained.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FOLDER = process.env.SAMPLES_DIR
  ? join(process.env.SAMPLES_DIR, 'marketplaces/shopify/examples')
  : '';
const skip = existsSync(FOLDER) ? false : 'SAMPLES_DIR names no folder with official documents';
const NOW = Temporal.Instant.from('2026-11-16T18:00:00Z');

// biome-ignore lint/suspicious/noExplicitAny: other people's documents
type Json = any;

function documents(): Json[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
}

const text = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const asAnswer = (body: string) => ({ status: 200, headers: {}, body, fetchedAt: NOW });

test('every official Shopify order document comes out of the API as the order that it describes', {
  skip,
}, async (t) => {
  const all = documents();
  const samples: Json[] = all.flatMap(({ data }) => [
    ...(data?.orders?.nodes ?? []),
    ...(data?.order ? [data.order] : []),
  ]);
  const older: Json[] = all.flatMap(({ orders, order }) => [
    ...(Array.isArray(orders) ? orders : []),
    ...(order?.total_price ? [order] : []),
  ]);
  const instance = await openApp(t);
  const shop = await startShopify({
    now: () => instance.clock.now().epochMilliseconds,
    replay: FOLDER,
  });
  t.after(shop.close);
  await instance.connect('shopify', { url: shop.url, credentials: shop.credentials() });

  const [orders] = await instance.sync();

  assert.equal(orders?.unreadable, 0);
  assert.ok(samples.length > 0);
  const read: Json[] = [];
  for (const sample of samples) {
    const { status, body } = await instance.api(`/v1/orders/${sample.legacyResourceId}`);
    assert.equal(status, 200, sample.legacyResourceId);
    assertDescribes(body.data, sample);
    read.push(body.data);
  }
  for (const sample of older) {
    const { body } = await instance.api(`/v1/orders/${sample.id}`);
    assertDescribesOlder(body.data, sample);
    read.push(body.data);
  }
  assertExplained(t, 'shopify', read);
  t.diagnostic(`shopify: ${samples.length} of ${samples.length} GraphQL order documents read`);
  t.diagnostic(
    `shopify: ${older.length} of ${older.length} REST order documents read, given the GraphQL way by the stand`,
  );
});

function assertDescribes(order: Json, sample: Json): void {
  const live = sample.fulfillments.filter(({ status }: Json) => status === 'SUCCESS');
  const isDelivered =
    live.length > 0 && live.every(({ displayStatus }: Json) => displayStatus === 'DELIVERED');
  const isSent = sample.displayFulfillmentStatus === 'FULFILLED';
  const status = sample.cancelledAt
    ? 'cancelled'
    : isSent
      ? isDelivered
        ? 'delivered'
        : 'shipped'
      : 'paid';
  const closed =
    { cancelled: sample.cancelledAt, delivered: live.at(-1)?.deliveredAt }[status as string] ??
    null;
  const [first, surname] = (
    sample.customer?.displayName ??
    sample.shippingAddress?.name ??
    ''
  ).split(' ');
  assert.deepEqual(
    {
      id: order.id,
      status: order.status,
      total: order.total,
      refunded: order.refunded_total,
      currency: order.currency,
      buyer: order.buyer_name,
      created: Date.parse(order.date_created),
      closed: order.date_closed && Date.parse(order.date_closed),
      payment: order.payment_status,
      fulfillment: order.fulfillment_status,
      tracking: order.shipping?.tracking_number ?? null,
      name: order.channel_relations.pack_id,
      items: order.items.map(({ title, sku, quantity, unit_price }: Json) => ({
        title,
        sku,
        quantity,
        unit_price,
      })),
      left: order.items.map(
        ({ quantity, cancelled_quantity }: Json) => quantity - cancelled_quantity,
      ),
    },
    {
      id: sample.legacyResourceId,
      status,
      total: Number(sample.totalPriceSet.shopMoney.amount),
      refunded: Number(sample.totalRefundedSet.shopMoney.amount),
      currency: sample.currencyCode,
      buyer: first ? `${first} ${surname[0]}.` : null,
      created: Date.parse(sample.createdAt),
      closed: closed && Date.parse(closed),
      payment: sample.displayFinancialStatus,
      fulfillment: sample.displayFulfillmentStatus,
      tracking: live[0]?.trackingInfo[0]?.number ?? null,
      name: sample.name,
      items: sample.lineItems.nodes.map((line: Json) => ({
        title: line.name,
        sku: line.sku,
        quantity: line.quantity,
        unit_price: Number(line.originalUnitPriceSet.shopMoney.amount),
      })),
      left: sample.lineItems.nodes.map(({ currentQuantity }: Json) => currentQuantity),
    },
  );
}

function assertDescribesOlder(order: Json, sample: Json): void {
  assert.equal(order.id, String(sample.id));
  assert.equal(order.total, Number(sample.total_price));
  assert.equal(order.currency, sample.currency);
  assert.equal(Date.parse(order.date_created), Date.parse(sample.created_at));
  assert.equal(order.payment_status, sample.financial_status.toUpperCase());
  const { first_name = '', last_name = '' } = sample.customer ?? {};
  assert.equal(order.buyer_name, first_name ? `${first_name} ${last_name[0]}.` : null);
  assert.deepEqual(
    order.items.map(({ title, quantity, unit_price }: Json) => [title, quantity, unit_price]),
    (sample.line_items ?? []).map(({ name, quantity, price }: Json) => [
      name,
      quantity,
      Number(price),
    ]),
  );
}

test('an official document of the older shape is a webhook, and brings the order that it names', {
  skip,
}, async (t) => {
  const instance = await openApp(t);
  const shop = await startShopify({
    now: () => instance.clock.now().epochMilliseconds,
    replay: FOLDER,
  });
  t.after(shop.close);
  const connectionId = await instance.connect('shopify', {
    url: shop.url,
    credentials: shop.credentials(),
  });
  const pushes = [
    { topic: 'orders/updated', body: JSON.parse(text('rest_orders.json')).orders[0] },
    { topic: 'fulfillments/update', body: JSON.parse(text('rest_fulfillment.json')).fulfillment },
    { topic: 'refunds/create', body: JSON.parse(text('rest_refund.json')).refund },
    { topic: 'tender_transactions/create', body: JSON.parse(text('rest_transactions.json'))[0] },
  ];
  const { clientSecret } = shop.application;

  for (const { topic, body } of pushes) {
    const raw = JSON.stringify(body);
    const hmac = createHmac('sha256', clientSecret).update(raw).digest('base64');
    const push = {
      headers: { 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': hmac },
      text: raw,
      body: parseLossless(raw),
    };
    const application = shop.application;
    assert.ok(
      notifications.verify(push, shop.credentials() as never, { application, secret: '' }),
      topic,
    );
    const hints = notifications.notificationsIn(push);
    assert.deepEqual(hints, [{ stream: 'orders', id: String(body.order_id ?? body.id) }], topic);
    for (const hint of hints)
      await applyNotification(instance.app.exchange, {
        organizationId: instance.organization.id,
        connectionId,
        hint,
      });
  }

  const { status, body } = await instance.api('/v1/orders/450789469');
  assert.equal(status, 200);
  assertDescribesOlder(body.data, pushes[0]?.body);
  const levels = JSON.parse(text('rest_inventory_levels.json')).inventory_levels;
  for (const level of levels) {
    const push = {
      headers: { 'x-shopify-topic': 'inventory_levels/update' },
      text: '',
      body: level,
    };
    const [hint] = notifications.notificationsIn({
      ...push,
      body: parseLossless(JSON.stringify(level)),
    });
    assert.deepEqual(hint, { stream: 'inventory', id: String(level.inventory_item_id) });
  }
});

test('official documents of stock, money, tokens and refusals are understood', { skip }, () => {
  const lossless = (file: string) => parseLossless(text(file)) as Json;
  const stocked = lossless('graphql_inventory_items.json').data.inventoryItems.nodes.map(toStock);
  const account = lossless('graphql_payments_balance.json').data;
  const payouts = PayoutsPage.parse(account).shopifyPaymentsAccount?.payouts.nodes ?? [];

  assert.deepEqual(
    stocked.map(({ sku, available, unavailable, title }: Json) => [
      sku,
      available,
      unavailable,
      title,
    ]),
    [['PLAYERA-M-NEGRO', 8, 4, 'Playera básica - M / Negro']],
  );
  assert.deepEqual(
    toBalances(Balance.parse(account), NOW).map(({ currency, available }) => [currency, available]),
    [['USD', '53.99']],
  );
  assert.deepEqual(
    payouts
      .map(toSettlement)
      .map(({ id, status, net, paidAt }) => [id, status, net, paidAt?.toString()]),
    [['623721858', 'paid', '41.90', '2019-11-12T00:00:00Z']],
  );
  assert.deepEqual(
    toBalances(Balance.parse(lossless('graphql_payments_null_account.json').data), NOW),
    [],
  );
  assert.equal(Token.parse(lossless('oauth_token_expiring_200.json')).expires_in, 3600);
  assert.equal(verdict(asAnswer(text('graphql_throttled.json'))), 'retry');
  assert.equal(pace(asAnswer(text('graphql_throttled.json'))), 840);
  assert.equal(verdict(asAnswer(text('graphql_access_denied.json'))), null);
  assert.deepEqual(toBalances(Balance.parse(lossless('graphql_access_denied.json').data), NOW), []);
});

test('the queries ask for fields and arguments that the official schema has', { skip }, (t) => {
  const schema = JSON.parse(text('schema_admin_2026-10_subset.json'));
  const unknown = new Set<string>();
  const missing: string[] = [];
  const fieldsOf = fieldsIn(schema);

  function walk(fields: readonly Field[], known: Types | null, of: string): void {
    for (const { alias, fields: inner } of fields.filter(({ name }) => name === '...'))
      walk(inner ?? [], fieldsOf(alias), alias);
    const plain = fields.filter(({ name }) => name !== '...');
    if (!known && plain.length > 0) unknown.add(of);
    if (known) for (const field of plain) look(field, known, of);
  }
  function look(field: Field, known: Types, of: string): void {
    const found = known.get(field.name);
    if (!found) return void missing.push(`${of}.${field.name}`);
    const wrong = wrongArguments(schema, field, found.signature);
    missing.push(...wrong.map((fault) => `${of}.${fault}`));
    if (field.fields) walk(field.fields, fieldsOf(bare(found.type)), bare(found.type));
  }
  const asked = Object.values(queries).filter(
    (query) => typeof query === 'string' && /^(query|mutation)/.test(query),
  );
  for (const query of asked as string[]) {
    const { kind, fields } = parseQuery(query);
    if (kind === 'mutation') for (const { name } of fields) unknown.add(name);
    else walk(fields, typesOf(schema.queries), 'Query');
  }
  const topics: readonly string[] = schema.enums.WebhookSubscriptionTopic;

  assert.deepEqual(missing, []);
  assert.ok(asked.length >= 10);
  assert.deepEqual([...unknown].sort(), [
    'AdditionalFee',
    'AppInstallation',
    'DiscountAllocation',
    'SalesAgreement',
    'ShippingLine',
    'ShopifyPaymentsAssociatedOrder',
    'webhookSubscriptionCreate',
    'webhookSubscriptionDelete',
    'webhookSubscriptionUpdate',
  ]);
  t.diagnostic(
    `shopify: ${asked.length} queries held against the schema; not in the subset: ${[...unknown].join(', ')}`,
  );
  for (const topic of TOPICS) assert.ok(topics.includes(topic), topic);
});

/** By name: a field's or query's signature, and the type that it gives. */
type Types = ReadonlyMap<string, { readonly signature: string; readonly type: string }>;

interface Schema {
  readonly types: Readonly<Record<string, Record<string, string>>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
}

function bare(type: string): string {
  return type.replace(/[[\]!]/g, '');
}

function typesOf(signatures: Readonly<Record<string, string>>): Types {
  return new Map(
    Object.entries(signatures).map(([signature, type]) => [
      signature.split('(')[0] ?? '',
      { signature, type },
    ]),
  );
}

/** @returns how to find the fields of a type; null = the schema has none of that name */
function fieldsIn({ types }: Schema): (type: string) => Types | null {
  const written = new Map(Object.entries(types).map(([name, fields]) => [name, typesOf(fields)]));
  return (type) => {
    const found = written.get(type);
    if (found) return found;
    // Lists are all made alike, and only two of them are written out.
    return type.endsWith('Connection')
      ? typesOf({ nodes: type.replace(/Connection$/, ''), pageInfo: 'PageInfo' })
      : null;
  };
}

function wrongArguments({ enums }: Schema, { name, args }: Field, signature: string): string[] {
  return Object.entries(args).flatMap(([arg, value]) => {
    const [, type] = new RegExp(`[(,]\\s*${arg}: \\[?(\\w+)`).exec(signature) ?? [];
    if (!type) return [`${name}(${arg})`];
    const words = enums[type];
    return words && !words.includes(String(value)) ? [`${name}(${arg}: ${value})`] : [];
  });
}
