import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ZodError } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { parseLossless } from '../../platform/json.ts';
import { parseInstant } from '../../platform/time.ts';
import type { SourceOrder, WireAnswer, WireRequest } from '../contract.ts';
import { toSettlement } from './finance.ts';
import { toStock } from './inventory.ts';
import { notifications } from './notifications.ts';
import { chooseShop } from './shops.ts';
import { signatureOf } from './signature.ts';
import { type Claims, toSourceOrder, verdictOf } from './wire.ts';

const FETCHED = at('2026-11-18T18:00:00Z');
const NONE: Claims = { returns: [], cancellations: [] };

/** One unit as TikTok Shop lists it. */
const LINE = {
  id: '577000000000000101',
  product_id: '1729000000000000001',
  product_name: 'Taza de barro\n',
  sku_id: '2729000000000000001',
  sku_name: 'Azul',
  seller_sku: 'TAZA-AZ',
  sale_price: '180.50',
  original_price: '200.50',
  currency: 'MXN',
  display_status: 'AWAITING_SHIPMENT',
  package_status: 'TO_FULFILL',
};

const ORDER = {
  id: '576461413000000010',
  status: 'AWAITING_SHIPMENT',
  create_time: 1763400000,
  paid_time: 1763400060,
  update_time: 1763403600,
  payment: {
    currency: 'MXN',
    total_amount: '410.00',
    sub_total: '361.00',
    shipping_fee: '49.00',
    tax: '0',
    seller_discount: '30',
    platform_discount: '10.00',
  },
  line_items: [LINE, { ...LINE, id: '577000000000000102' }],
  recipient_address: { name: 'María Fernanda López Ruiz\n' },
  shipping_type: 'TIKTOK',
};

const RETURN = {
  return_id: '4035000000000000001',
  order_id: ORDER.id,
  return_type: 'RETURN_AND_REFUND',
  return_status: 'RETURN_OR_REFUND_REQUEST_COMPLETE',
  update_time: 1763407200,
  refund_amount: { currency: 'MXN', refund_total: '410.00' },
};

describe('signatures', () => {
  const vectors: readonly [string, Partial<WireRequest> & { address: string }][] = [
    [
      'd3cb7fe11ecae942802ceeca67e7cf10120cc12f1517d45fbc1c8cfe5413c80f',
      { method: 'GET', address: '/test-api?foo=bar' },
    ],
    [
      '25a8fc040028b430e631524bf30a8937f15ba5df7e805ba6ffdcc9a9a44557b8',
      {
        method: 'POST',
        address:
          '/order/202309/orders/search?timestamp=1700000000&app_key=k1&page_size=20&shop_cipher=c1&sign=x&access_token=y',
        body: '{"update_time_ge":1699990000}',
      },
    ],
  ];
  for (const [expected, { address, method = 'GET', body }] of vectors)
    test(`${method} ${address.slice(0, 30)} is signed as the documents say`, () => {
      const url = new URL(address, 'https://open-api.tiktokglobalshop.com');

      assert.equal(signatureOf({ method, url, headers: {}, body }, 'app_secret'), expected);
    });

  test('a body of several parts is no part of the signature', () => {
    const url = new URL('https://open-api.tiktokglobalshop.com/test-api?foo=bar');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };

    const signature = signatureOf({ method: 'POST', url, headers, body: '--x' }, 'app_secret');

    assert.equal(signature, 'd3cb7fe11ecae942802ceeca67e7cf10120cc12f1517d45fbc1c8cfe5413c80f');
  });

  test('a push is known by its signature over key and body, and one that was changed is not', () => {
    const text =
      '{"type":1,"shop_id":"7494049642642441621","timestamp":1644412885,"data":{"order_id":"576486316948490001","order_status":"UNPAID","is_on_hold_order":false,"update_time":1644412885}}';
    const authorization = 'c49102ef8957ad278dac349d4941c63bb0e4a252c9715a0062cabef0c586abac';
    const secrets = { application: { clientId: 'app_key', clientSecret: 'app_secret' }, secret: '' };
    const verify = (push: string, headers: Record<string, string>) =>
      notifications.verify(
        { headers, text: push, body: parseLossless(push) },
        { access_token: 'ROW' },
        secrets,
      );

    assert.equal(verify(text, { authorization }), true);
    assert.equal(verify(text.replace('0001"', '0002"'), { authorization }), false);
    assert.equal(verify(text, { authorization: `Bearer ${authorization}` }), false);
    assert.equal(verify(text, {}), false);
  });
});

describe('what a push hints at', () => {
  const cases: readonly [string, object, string[]][] = [
    ['an order', { type: 1, data: { order_id: '576461413000000010' } }, ['576461413000000010']],
    ['an address', { type: 3, data: { order_id: 576461413000000 } }, ['576461413000000']],
    [
      'a parcel of several orders',
      { type: 4, data: { package_list: [{ order_id_list: ['1', '2'] }, { order_id_list: ['2'] }] } },
      ['1', '2'],
    ],
    ['the end of the permission', { type: 6, data: { message: 'deauthorized' } }, ['permission']],
    ['its coming end', { type: 7, data: { expiration_time: '1763400000' } }, ['permission']],
    ['a product', { type: 5, data: { product_id: '1729000000000000001' } }, []],
    ['no id', { type: 1, data: { order_id: '../shops' } }, []],
    ['nothing', { type: 1 }, []],
  ];
  for (const [what, body, ids] of cases)
    test(what, () => {
      const text = JSON.stringify({ shop_id: '7494049642642440001', timestamp: 1763400000, ...body });
      const push = { headers: {}, text, body: parseLossless(text) };

      assert.equal(notifications.account(push), '7494049642642440001');
      assert.deepEqual(
        notifications.hints(push),
        ids.map((id) => ({ stream: 'orders', id })),
      );
    });
});

describe('what an answer means', () => {
  const cases: readonly [string, number, string, ReturnType<typeof verdictOf>][] = [
    ['success', 200, '{"code":0,"message":"Success","data":{}}', null],
    ['an expired token', 200, '{"code":105002,"message":"Expired credentials","data":null}', 'renew'],
    ['an expired token, as 401', 401, '{"code":105002,"message":"Expired credentials"}', 'renew'],
    ['a token of the other group', 200, '{"code":360001,"message":"token"}', 'renew'],
    ['a wrong token among the parameters', 200, '{"code":36009004,"message":"access_token wrong"}', 'renew'],
    ['a wrong time among the parameters', 200, '{"code":36009004,"message":"timestamp wrong"}', 'refuse'],
    ['no permission for this', 403, '{"code":105005,"message":"Access denied."}', 'refuse'],
    ['a wrong signature, as 401', 401, '{"code":106001,"message":"Invalid sign"}', 'refuse'],
    ['too many', 200, '{"code":36009002,"message":"slow down"}', 'retry'],
    ['too many, by its words', 200, '{"code":12345678,"message":"Too many requests"}', 'retry'],
    ['trouble over there', 200, '{"code":36009003,"message":"Internal error. Please try again"}', 'retry'],
    ['trouble, by the status', 503, '{"code":99,"message":"?"}', null],
    ['anything else', 200, '{"code":21001001,"message":"Invalid parameters","data":null}', 'refuse'],
    ['no JSON', 200, '<html>', null],
  ];
  for (const [what, status, body, verdict] of cases)
    test(`${what} → ${verdict ?? 'the status decides'}`, () => {
      assert.equal(verdictOf({ status, body, headers: {}, fetchedAt: FETCHED } as WireAnswer), verdict);
    });
});

describe('statuses', () => {
  const table: Readonly<Record<string, string>> = {
    UNPAID: 'pending',
    ON_HOLD: 'paid',
    AWAITING_SHIPMENT: 'paid',
    AWAITING_COLLECTION: 'ready_to_ship',
    PARTIALLY_SHIPPING: 'partially_shipped',
    IN_TRANSIT: 'shipped',
    DELIVERED: 'delivered',
    COMPLETED: 'delivered',
    CANCELLED: 'cancelled',
    TELEPORTED: 'unknown',
  };
  for (const [native, unified] of Object.entries(table))
    test(`${native} is ${unified}`, () => {
      const order = read({ ...ORDER, status: native });

      assert.equal(order.status, unified);
      assert.equal(order.marketplaceStatus, native);
    });

  const refund = { ...RETURN, return_type: 'REFUND' };
  const some = { refund_amount: { refund_total: '10.00' } };
  const units = (...ids: string[]) => ({
    return_line_items: ids.map((id) => ({ order_line_item_id: id })),
  });
  const claimed: readonly [string, string, object[], string][] = [
    ['all of it sent back and refunded', 'DELIVERED', [RETURN], 'returned'],
    ['all units sent back, and less refunded', 'DELIVERED', [{ ...RETURN, ...some }], 'returned'],
    ['one unit of two sent back', 'DELIVERED', [{ ...RETURN, ...some, ...units(LINE.id) }], 'delivered'],
    [
      'the two units sent back one by one',
      'DELIVERED',
      [
        { ...RETURN, ...some, ...units(LINE.id) },
        { ...RETURN, ...some, ...units('577000000000000102') },
      ],
      'returned',
    ],
    ['refunded without sending back', 'DELIVERED', [refund], 'refunded'],
    ['refunded in part', 'DELIVERED', [{ ...refund, ...some }], 'delivered'],
    ['refunded in two parts', 'COMPLETED', [half(refund), half(refund)], 'refunded'],
    [
      'asked for and not settled',
      'DELIVERED',
      [{ ...RETURN, return_status: 'BUYER_SHIPPED_ITEM' }],
      'delivered',
    ],
    ['cancelled all the same', 'CANCELLED', [RETURN], 'cancelled'],
    ['a status that nobody knows', 'TELEPORTED', [RETURN], 'unknown'],
  ];
  for (const [what, status, returns, unified] of claimed)
    test(`${what} is ${unified}`, () => {
      assert.equal(read({ ...ORDER, status }, { returns, cancellations: [] }).status, unified);
    });
});

describe('an order', () => {
  test('three of one thing are one line of three, and its texts end where they end', () => {
    const other = { ...LINE, sale_price: '150', id: '577000000000000104' };
    const shipped = { ...LINE, display_status: 'IN_TRANSIT', id: '577000000000000105' };

    const { items } = read({ ...ORDER, line_items: [LINE, other, LINE, LINE, shipped] });

    assert.deepEqual(
      items.map(({ title, variation, sku, quantity, unitPrice, subtotal }) => [
        title,
        variation,
        sku,
        quantity,
        unitPrice,
        subtotal,
      ]),
      [
        ['Taza de barro', 'Azul', 'TAZA-AZ', 3, '180.50', '541.5'],
        ['Taza de barro', 'Azul', 'TAZA-AZ', 1, '150', '150'],
        ['Taza de barro', 'Azul', 'TAZA-AZ', 1, '180.50', '180.5'],
      ],
    );
  });

  test('tells its money with the decimals that it had', () => {
    const { total, subtotal, discountTotal, shippingTotal, taxTotal, feesTotal, refundedTotal, currency } =
      read(ORDER);

    assert.deepEqual(
      { total, subtotal, discountTotal, shippingTotal, taxTotal, feesTotal, refundedTotal, currency },
      {
        total: '410.00',
        subtotal: '361.00',
        discountTotal: '40',
        shippingTotal: '49.00',
        taxTotal: '0',
        feesTotal: null,
        refundedTotal: null,
        currency: 'MXN',
      },
    );
  });

  test('of which little is told says no more than that', () => {
    const { id, status, create_time } = ORDER;

    const order = read({ id, status, create_time, line_items: [LINE] });

    assert.equal(order.total, null);
    assert.equal(order.discountTotal, null);
    assert.equal(order.currency, 'MXN');
    assert.equal(order.buyerName, null);
    assert.equal(order.invoiceRequired, null);
    assert.equal(order.packId, null);
    assert.equal(order.changedAt, null);
    assert.deepEqual(order.tags, []);
  });

  test('with nulls, numbers as texts and texts as numbers is the same order', () => {
    const odd = `{"id": 576461413000000010, "status": "DELIVERED", "create_time": "1763400000", "update_time": null,
      "delivery_time": 0, "payment": {"currency": "MXN", "total_amount": 410.00, "tax": null},
      "line_items": null, "recipient_address": null, "packages": null}`;

    const order = toSourceOrder({ order: parseLossless(odd), claims: NONE, fetchedAt: FETCHED });

    assert.equal(order.id, '576461413000000010');
    assert.equal(order.total, '410.00');
    assert.deepEqual(order.dateCreated, at('2025-11-17T17:20:00Z'));
    assert.equal(order.dateClosed, null);
  });

  test('asterisks and absence withhold the buyer, and what is stored stays', () => {
    for (const recipient_address of [{ name: 'M*** L***' }, { name: '***' }, {}, undefined]) {
      const order = read({ ...ORDER, recipient_address });

      assert.equal(order.buyerName, null);
      assert.deepEqual(order.keep, ['buyerName']);
    }
    assert.equal(read(ORDER).buyerName, 'María Fernanda López Ruiz');
    assert.deepEqual(read(ORDER).keep, []);
    assert.equal(
      read({ ...ORDER, recipient_address: { first_name: 'Ana', last_name: 'Paz' } }).buyerName,
      'Ana Paz',
    );
  });

  test('is closed when it was delivered or cancelled, and not before', () => {
    const times = { delivery_time: 1763500000, cancel_time: 1763600000 };

    assert.equal(read({ ...ORDER, ...times }).dateClosed, null);
    assert.deepEqual(
      read({ ...ORDER, ...times, status: 'COMPLETED' }).dateClosed,
      at('2025-11-18T21:06:40Z'),
    );
    assert.deepEqual(
      read({ ...ORDER, ...times, status: 'CANCELLED' }).dateClosed,
      at('2025-11-20T00:53:20Z'),
    );
  });

  test('kept and shipped by TikTok says so by a tag', () => {
    assert.deepEqual(read({ ...ORDER, fulfillment_type: 'FULFILLMENT_BY_TIKTOK' }).tags, [
      'fulfilled_by_marketplace',
    ]);
    assert.deepEqual(read({ ...ORDER, fulfillment_type: 'FULFILLMENT_BY_SELLER' }).tags, []);
  });

  test('its parcel, its flags and the order that it replaces are its relations', () => {
    const { packId, tags, shipping, invoiceRequired, fulfillmentStatus } = read({
      ...ORDER,
      packages: [{ id: '1152000000000000001\n' }],
      split_or_combine_tag: 'COMBINED',
      is_replacement_order: true,
      is_sample_order: false,
      replaced_order_id: '576461413000000009',
      need_upload_invoice: 'NEED_INVOICE\n',
      shipping_provider: 'Mensajería Rápida',
      tracking_number: 'MX123',
      collection_time: 1763450000,
    });

    assert.equal(packId, '1152000000000000001');
    assert.deepEqual(tags, ['COMBINED', 'is_replacement_order', 'replaced_order_id:576461413000000009']);
    assert.equal(invoiceRequired, true);
    assert.equal(fulfillmentStatus, 'TO_FULFILL');
    assert.deepEqual(shipping, {
      carrier: 'Mensajería Rápida',
      trackingNumber: 'MX123',
      method: 'TIKTOK',
      status: 'TO_FULFILL',
      shippedAt: at('2025-11-18T07:13:20Z'),
      deliveredAt: null,
    });
  });

  test('adds up what was given back, and is as new as the newest of its parts', () => {
    const cancellation = {
      order_id: ORDER.id,
      cancel_status: 'CANCELLATION_REQUEST_COMPLETE',
      update_time: 1763408000,
      refund_amount: { refund_total: '5.25' },
    };
    const asked = { ...cancellation, cancel_status: 'CANCELLATION_REQUEST_PENDING', update_time: 1763409000 };
    const kept = { ...RETURN, refund_amount: null, partial_refund: { amount: '4' } };

    const order = read(ORDER, { returns: [kept], cancellations: [cancellation, asked] });

    assert.equal(order.refundedTotal, '9.25');
    assert.deepEqual(order.refunds, [
      { amount: '4', at: at('2025-11-17T19:20:00Z') },
      { amount: '5.25', at: at('2025-11-17T19:33:20Z') },
    ]);
    assert.deepEqual(order.changedAt, at('2025-11-17T19:50:00Z'));
  });

  test('whose refunds could not be had leaves those that are stored', () => {
    const order = toSourceOrder({
      order: parseLossless(JSON.stringify(ORDER)),
      claims: null,
      fetchedAt: FETCHED,
    });

    assert.deepEqual(order.keep, ['refundedTotal', 'refunds']);
  });

  test('that cannot be read says which field was wrong', () => {
    const faults: readonly [string, object][] = [
      ['id', { id: '' }],
      ['status', { status: 7 }],
      ['create_time', { create_time: 'ayer' }],
      ['create_time', { create_time: undefined }],
      ['update_time', { update_time: 99_999_999_999_999 }],
      ['payment.total_amount', { payment: { currency: 'MXN', total_amount: 'mucho' } }],
      ['line_items.0.sale_price', { line_items: [{ ...LINE, sale_price: undefined }] }],
    ];
    for (const [path, fault] of faults)
      assert.throws(
        () => read({ ...ORDER, ...fault }),
        (error) => error instanceof ZodError && error.issues[0]?.path.join('.') === path,
        path,
      );
  });
});

describe('which shop of a permission', () => {
  const mexico = { id: '1', cipher: 'c1', name: 'Uno', region: 'MX' };
  const brazil = { id: '2', cipher: 'c2', name: 'Dois', region: 'BR' };
  const second = { ...mexico, id: '3' };

  test('the only one, else the only one in Mexico, else the one that is named', () => {
    assert.equal(chooseShop([brazil], undefined), brazil);
    assert.equal(chooseShop([brazil, mexico], undefined), mexico);
    assert.equal(chooseShop([mexico, second], '3'), second);
  });

  test('anything else is told in Spanish', () => {
    const cases: readonly [readonly (typeof mexico)[], string | undefined, RegExp][] = [
      [[], undefined, /ninguna tienda/],
      [[mexico, second], undefined, /más de una es de México/],
      [[brazil, { ...brazil, id: '4' }], undefined, /ninguna es de México: Dois \(BR, 2\)/],
      [[mexico], '9', /no incluye la tienda 9/],
    ];
    for (const [shops, wanted, message] of cases)
      assert.throws(
        () => chooseShop(shops, wanted),
        (error) => error instanceof Failure && message.test(error.message),
      );
  });
});

test('a statement is a settlement, with the payment that it names', () => {
  const statement = {
    id: '7238000000000000001',
    statement_time: 1763424000,
    currency: 'MXN',
    revenue_amount: '1000.00',
    fee_amount: '-80.00',
    settlement_amount: '920.00',
    payment_status: 'PAID',
    payment_id: '3459000000000000001',
  };
  const paid_time = at('2025-11-21T00:00:00Z');
  const payments = new Map([
    ['3459000000000000001', { id: '3459000000000000001', status: 'PAID', paid_time }],
  ]);

  const { raw, ...settlement } = toSettlement(parseLossless(JSON.stringify(statement)), payments);
  const failed = toSettlement(
    { ...statement, statement_time: '1763424000', payment_status: 'FAILED' },
    new Map(),
  );
  const odd = toSettlement({ ...statement, statement_time: undefined, payment_status: undefined }, payments);

  assert.deepEqual(settlement, {
    id: '7238000000000000001',
    status: 'paid',
    marketplaceStatus: 'PAID',
    currency: 'MXN',
    gross: '1000.00',
    fees: '80',
    net: '920.00',
    from: null,
    to: at('2025-11-18T00:00:00Z'),
    paidAt: paid_time,
    reference: '3459000000000000001',
    changedAt: null,
  });
  assert.deepEqual(JSON.parse(raw), statement);
  assert.deepEqual([failed.status, failed.paidAt], ['failed', null]);
  assert.deepEqual([odd.status, odd.to], ['paid', null]);
});

test('stock is told by variation, from its totals or else from its places', () => {
  const row = {
    product_id: '1729000000000000001',
    skus: [
      { id: '1', seller_sku: 'TAZA-AZ', total_available_quantity: 8, total_committed_quantity: '2' },
      {
        id: '2',
        warehouse_inventory: [
          { available_quantity: 3, committed_quantity: 1 },
          { available_quantity: 4, committed_quantity: null },
        ],
      },
    ],
  };

  const stock = toStock(parseLossless(JSON.stringify(row)), new Map([[row.product_id, 'Taza']]));

  assert.deepEqual(
    stock.map(({ itemId, variationId, sku, title, available, unavailable }) => [
      itemId,
      variationId,
      sku,
      title,
      available,
      unavailable,
    ]),
    [
      ['1729000000000000001', '1', 'TAZA-AZ', 'Taza', 8, 2],
      ['1729000000000000001', '2', null, 'Taza', 7, 1],
    ],
  );
});

function read(order: object, claims: Claims = NONE): SourceOrder {
  const asReceived = (document: unknown) => parseLossless(JSON.stringify(document));
  return toSourceOrder({
    order: asReceived(order),
    claims: asReceived(claims) as Claims,
    fetchedAt: FETCHED,
  });
}

function half<Return extends object>(claim: Return) {
  return { ...claim, refund_amount: { refund_total: '205.00' } };
}

function at(text: string) {
  const instant = parseInstant(text);
  assert.ok(instant);
  return instant;
}
