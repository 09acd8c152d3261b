import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp } from '../support/app.ts';
import { errorOf, openShop, WHOLE_FILE } from './support/shop.ts';
import { sendOnce } from './support/wire.ts';

// Specification, section 4: GET /v1/orders/{id}.
// Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);

test('GET /v1/orders/{id} returns the detail of one order: everything of the list’s, and more', async () => {
  const shop = await openShop(instance);
  const at = Temporal.Instant.from('2026-11-15T13:00:00Z');
  await shop.record(
    anOrder({
      paymentStatus: 'approved',
      fulfillmentStatus: 'ready_to_ship',
      total: decimal('378.90'),
      orderDiscount: decimal('0.00'),
      shippingTotal: decimal('99.00'),
      other: [{ name: 'tip', amount: decimal('20.00') }],
      netTotal: decimal('200.5'),
      refundedTotal: decimal('10.00'),
      refunds: [{ amount: decimal('10.00'), at }],
      shipping: {
        carrier: 'Estafeta',
        trackingNumber: 'E1',
        method: 'Express',
        status: 'shipped',
        shippedAt: at,
        deliveredAt: null,
      },
      invoiceRequired: true,
      packId: '2000001',
      tags: ['pack_order', 'paid'],
    }),
  );

  const { body } = await shop.get('/v1/orders/2000000000000001');
  const [listed] = await shop.orders();
  assert.deepEqual(body.data, {
    ...listed,
    items: [
      {
        ...listed.items[0],
        id: 'MLM1',
        variation: null,
        list_price: null,
        cancelled_quantity: 0,
        quantity_known: true,
        subtotal: 259.9,
        currency: 'MXN',
      },
    ],
    connection_id: null,
    marketplace_status: 'paid',
    payment_status: 'approved',
    fulfillment_status: 'ready_to_ship',
    subtotal: 259.9,
    order_discount: 0,
    discount_total: null,
    marketplace_discount_total: null,
    shipping_total: 99,
    pack: { id: '2000001', shipping_total: null },
    tax_total: null,
    tax_added: null,
    other: [{ name: 'tip', amount: 20 }],
    other_total: 20,
    total_includes: { shipping: true, tax: true, order_discount: true },
    money_check: 'ok',
    money_difference: null,
    fees_total: null,
    fees_source: null,
    withheld_total: null,
    net_total: 200.5,
    net_complete: false,
    refunded_total: 10,
    refunds: [{ amount: 10, at: '2026-11-15T13:00:00.000Z' }],
    shipping: {
      carrier: 'Estafeta',
      tracking_number: 'E1',
      method: 'Express',
      status: 'shipped',
      shipped_at: '2026-11-15T13:00:00.000Z',
      delivered_at: null,
    },
    cfdi: { required: true, status: null, uuid: null },
    channel_relations: { pack_id: '2000001', tags: ['pack_order', 'paid'] },
    status_history: [
      { status: 'paid', marketplace_status: 'paid', at: '2026-11-15T12:00:00.000Z' },
    ],
  });
});

for (const [total, includes, check, difference] of [
  ['358.90', { shipping: true, tax: true, orderDiscount: true }, 'ok', null],
  ['259.90', { shipping: false, tax: true, orderDiscount: true }, 'ok', null],
  ['358.91', { shipping: true, tax: true, orderDiscount: true }, 'unexplained', 0.01],
  ['259.90', { shipping: true, tax: true, orderDiscount: true }, 'unexplained', -99],
  [null, { shipping: true, tax: true, orderDiscount: true }, null, null],
  ['358.90', null, null, null],
] as const)
  test(`money_check: a total of ${total} that includes ${JSON.stringify(includes)} → ${check}`, async () => {
    const shop = await openShop(instance);
    await shop.record(
      anOrder({
        total: total && decimal(total),
        totalIncludes: includes,
        shippingTotal: decimal('99.00'),
      }),
    );

    const { data } = (await shop.get('/v1/orders/2000000000000001')).body;
    assert.deepEqual([data.money_check, data.money_difference], [check, difference]);
    assert.equal(data.total, total && Number(total), 'nothing is bent');
  });

test('the detail holds no e-mail, telephone, street or whole name of the buyer', async () => {
  const shop = await openShop(instance);
  await shop.record(
    anOrder({ raw: '{"buyer":{"email":"lucia@example.com","phone":"5512345678"}}' }),
  );

  const { text } = await shop.get('/v1/orders/2000000000000001');
  assert.doesNotMatch(text, /lucia@|5512345678|Ramírez|email|phone|address/);
});

for (const id of [
  '#1001',
  'a/b',
  'a b',
  '100%',
  '%2F',
  '%252F',
  '+',
  'a+b',
  '?x=1',
  '&',
  '...',
  '//',
  'é',
  'e\u0301',
  '李',
  '🌺',
  '"',
  "'",
  '\\',
  '<script>',
  '\n',
  ' leading and trailing ',
  '0',
  'null',
  'openapi.json',
  '__proto__',
  '2000000000000000001',
  'v1;jsessionid=1',
  'x'.repeat(400),
  'ñ'.repeat(400),
]) {
  const shown = id.length > 40 ? `${id.slice(0, 1)} × ${id.length}` : JSON.stringify(id);
  test(`external identifiers are kept exactly as the marketplace delivers them: ${shown}`, async () => {
    const shop = await openShop(instance);
    await shop.record(anOrder({ id }), anOrder({ id: `${id}x` }));

    const { status, body } = await shop.get(`/v1/orders/${encodeURIComponent(id)}`);
    assert.equal(status, 200);
    assert.equal(body.data.id, id);
    assert.ok((await shop.ids()).includes(id));
  });
}

test('an id of dots, which URL libraries take for a folder, is found as well', async () => {
  const shop = await openShop(instance);
  for (const id of ['.', '..']) {
    await shop.record(anOrder({ id }));
    const request = `GET /v1/orders/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\n\r\n`;
    assert.equal(JSON.parse((await sendOnce(instance.url, request)).text).data.id, id);
  }
});

test('an id that differs in case, in accents’ form or by a blank is another id', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ id: 'AbÉ' }));

  for (const id of ['abÉ', 'AbE\u0301', 'AbÉ ', ' AbÉ', 'AbÉ\0'])
    errorOf(await shop.get(`/v1/orders/${encodeURIComponent(id)}`), '404 order_not_found');
});

test('an unknown id, one of another organisation and one that cannot be: 404 order_not_found, all alike', async () => {
  const [shop, other] = [await openShop(instance), await openShop(instance)];
  await other.record(anOrder({ id: 'theirs' }));

  const answers = await Promise.all(
    ['none', 'theirs', '\0', 'x'.repeat(7_000), 'ñ'.repeat(1_000)].map((id) =>
      shop.get(`/v1/orders/${encodeURIComponent(id)}`),
    ),
  );
  const errors = answers.map((answer) => errorOf(answer, '404 order_not_found'));
  for (const error of errors) assert.deepEqual(error, errors[0]);
  assert.deepEqual(Object.keys(errors[0] ?? {}), ['code', 'message', 'doc_url']);
});

test('any text is an id that can be requested', { tags: ['slow'] }, async () => {
  const shop = await openShop(instance);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async (id) => {
      fc.pre(!id.includes('\0') && !/^\.{1,2}$/.test(id));
      await shop.record(anOrder({ id }));
      const { body } = await shop.get(`/v1/orders/${encodeURIComponent(id)}`);
      assert.equal(body.data.id, id);
    }),
    { numRuns: 25, seed: 11 },
  );
});

test('a path that cannot be decoded gives 400', async () => {
  const shop = await openShop(instance);
  for (const path of ['%zz', '%', 'a%2', '%ED%A0%80', '%ff'])
    errorOf(await shop.get(`/v1/orders/${path}`), '400 invalid_request');
});

test('the same id on two marketplaces gives 409 ambiguous_order_id with the marketplaces in alphabetical order', async () => {
  const shop = await openShop(instance);
  await shop.record(
    anOrder({ id: '1', marketplace: 'walmart' }),
    anOrder({ id: '1', marketplace: 'amazon', accountId: 'A' }),
  );

  const error = errorOf(await shop.get('/v1/orders/1'), '409 ambiguous_order_id');
  assert.deepEqual(error.details, {
    marketplaces: ['amazon', 'walmart'],
    accounts: [
      { marketplace: 'amazon', account_id: 'A' },
      { marketplace: 'walmart', account_id: '468424240' },
    ],
    accounts_total: 2,
  });
});

test('an id in more accounts than a list has rows names every marketplace and says how many there are', async () => {
  const shop = await openShop(instance);
  const stores = Array.from({ length: 230 }, (_, at) => `tienda-${at}.mx`);
  await shop.record(
    anOrder({ id: '1', marketplace: 'walmart' }),
    ...stores.map((accountId) => anOrder({ id: '1', marketplace: 'tiendanube', accountId })),
  );

  const { details } = errorOf(await shop.get('/v1/orders/1'), '409 ambiguous_order_id');
  assert.deepEqual(details?.marketplaces, ['tiendanube', 'walmart']);
  const named = details?.accounts as readonly object[];
  assert.deepEqual([named.length, details?.accounts_total], [200, 231]);
  const { body } = await shop.get('/v1/orders/1', { marketplace: 'walmart' });
  assert.equal(body.data.marketplace, 'walmart');
});

test('an ambiguous id is resolved with ?marketplace=', async () => {
  const shop = await openShop(instance);
  await shop.record(
    anOrder({ id: '1', marketplace: 'walmart' }),
    anOrder({ id: '1', marketplace: 'amazon' }),
  );

  for (const marketplace of ['walmart', 'amazon']) {
    const { body } = await shop.get('/v1/orders/1', { marketplace });
    assert.equal(body.data.marketplace, marketplace);
  }
  errorOf(await shop.get('/v1/orders/1', { marketplace: 'vtex' }), '404 order_not_found');
});

test('an id in two accounts of one marketplace is resolved with &account_id=', async () => {
  const shop = await openShop(instance);
  await shop.record(
    ...['tienda.mx', 'otra.mx/shop'].map((accountId) =>
      anOrder({ id: '1001', marketplace: 'woocommerce', accountId }),
    ),
  );

  const error = errorOf(
    await shop.get('/v1/orders/1001', { marketplace: 'woocommerce' }),
    '409 ambiguous_order_id',
  );
  assert.deepEqual(error.details?.marketplaces, ['woocommerce']);
  for (const query of [
    { account_id: 'otra.mx/shop' },
    { marketplace: 'woocommerce', account_id: 'otra.mx/shop' },
  ]) {
    const { body } = await shop.get('/v1/orders/1001', query);
    assert.equal(body.data.account_id, 'otra.mx/shop');
  }
  errorOf(await shop.get('/v1/orders/1001', { account_id: 'OTRA.MX/shop' }), '404 order_not_found');
});

test('an order is found by id alone as long as it is the only one', async () => {
  const [shop, other] = [await openShop(instance), await openShop(instance)];
  await shop.record(anOrder({ id: '7' }));
  await other.record(anOrder({ id: '7', marketplace: 'vtex' }));

  assert.equal((await shop.get('/v1/orders/7')).body.data.marketplace, 'mercado_libre');
});

for (const [query, param] of [
  ['marketplace=ebay', 'marketplace'],
  ['marketplace=amazon,walmart', 'marketplace'],
  ['marketplace=', 'marketplace'],
  ['marketplace=amazon&marketplace=walmart', 'marketplace'],
  ['account_id=', 'account_id'],
  ['account_id=1&account_id=2', 'account_id'],
  ['account_id=%00', 'account_id'],
  ['status=paid', 'status'],
  ['limit=1', 'limit'],
] as const) {
  test(`the detail with ?${query} gives 400 naming ${param}`, async () => {
    const error = errorOf(await instance.api(`/v1/orders/none?${query}`), '400 invalid_request');
    assert.equal(error.param, param);
  });
}
