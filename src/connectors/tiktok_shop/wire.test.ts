import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ZodError } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { parseLossless } from '../../platform/json.ts';
import { parseInstant } from '../../platform/time.ts';
import { AMOUNTS, type SourceOrder, type WireAnswer, type WireRequest } from '../contract.ts';
import { notifications } from './notifications.ts';
import { readStored } from './orders.ts';
import { toSettlement } from './settlements.ts';
import { chooseShop } from './shops.ts';
import { signatureOf } from './signature.ts';
import { type Claims, toSourceOrder, verdictOf } from './wire.ts';
import { toStock } from './wire-stock.ts';

const FETCHED = at('2026-11-18T18:00:00Z');
const NONE: Claims = { returns: [], cancellations: [] };

/** One piece as TikTok Shop lists it. */
const LINE = {
  id: '577000000000000101',
  product_id: '1729000000000000001',
  product_name: 'Taza de barro\n',
  sku_id: '2729000000000000001',
  sku_name: 'Azul',
  seller_sku: 'TAZA-AZ',
  sale_price: '180.50',
  original_price: '200.50',
  seller_discount: '15.00',
  platform_discount: '5.00',
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
    original_total_product_price: '401.00',
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
    const secrets = {
      application: { clientId: 'app_key', clientSecret: 'app_secret' },
      secret: '',
    };
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
      {
        type: 4,
        data: { package_list: [{ order_id_list: ['1', '2'] }, { order_id_list: ['2'] }] },
      },
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
      const text = JSON.stringify({
        shop_id: '7494049642642440001',
        timestamp: 1763400000,
        ...body,
      });
      const push = { headers: {}, text, body: parseLossless(text) };

      assert.equal(notifications.account(push), '7494049642642440001');
      assert.deepEqual(
        notifications.notificationsIn(push),
        ids.map((id) => ({ stream: 'orders', id })),
      );
    });
});

describe('what an answer means', () => {
  const cases: readonly [string, number, string, ReturnType<typeof verdictOf>][] = [
    ['success', 200, '{"code":0,"message":"Success","data":{}}', null],
    [
      'an expired token',
      200,
      '{"code":105002,"message":"Expired credentials","data":null}',
      'renew',
    ],
    ['an expired token, as 401', 401, '{"code":105002,"message":"Expired credentials"}', 'renew'],
    ['a token of the other group', 200, '{"code":360001,"message":"token"}', 'renew'],
    [
      'a wrong token among the parameters',
      200,
      '{"code":36009004,"message":"access_token wrong"}',
      'renew',
    ],
    [
      'a wrong time among the parameters',
      200,
      '{"code":36009004,"message":"timestamp wrong"}',
      'refuse',
    ],
    ['no permission for this', 403, '{"code":105005,"message":"Access denied."}', 'refuse'],
    ['a wrong signature, as 401', 401, '{"code":106001,"message":"Invalid sign"}', 'refuse'],
    ['too many', 200, '{"code":36009002,"message":"slow down"}', 'retry'],
    ['too many, by its words', 200, '{"code":12345678,"message":"Too many requests"}', 'retry'],
    [
      'trouble over there',
      200,
      '{"code":36009003,"message":"Internal error. Please try again"}',
      'retry',
    ],
    ['trouble, by the status', 503, '{"code":99,"message":"?"}', null],
    [
      'anything else',
      200,
      '{"code":21001001,"message":"Invalid parameters","data":null}',
      'refuse',
    ],
    ['no JSON', 200, '<html>', null],
  ];
  for (const [what, status, body, verdict] of cases)
    test(`${what} → ${verdict ?? 'the status decides'}`, () => {
      assert.equal(
        verdictOf({ status, body, headers: {}, fetchedAt: FETCHED } as WireAnswer),
        verdict,
      );
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
    [
      'one unit of two sent back',
      'DELIVERED',
      [{ ...RETURN, ...some, ...units(LINE.id) }],
      'delivered',
    ],
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
    ['an unknown status', 'TELEPORTED', [RETURN], 'unknown'],
  ];
  for (const [what, status, returns, unified] of claimed)
    test(`${what} is ${unified}`, () => {
      assert.equal(read({ ...ORDER, status }, { returns, cancellations: [] }).status, unified);
    });
});

describe('an order', () => {
  test('pieces of one SKU are one line, whatever became of each, and its texts end where they end', () => {
    const shipped = { ...LINE, display_status: 'IN_TRANSIT', id: '577000000000000105' };
    const gift = { ...LINE, is_gift: true, sale_price: '0', id: '577000000000000106' };

    const { items } = read({ ...ORDER, line_items: [LINE, gift, LINE, shipped] });

    assert.deepEqual(
      items.map(({ title, variation, sku, quantity, unitPrice, listPrice, subtotal }) => [
        title,
        variation,
        sku,
        quantity,
        unitPrice,
        listPrice,
        subtotal,
      ]),
      [
        ['Taza de barro', 'Azul', 'TAZA-AZ', 3, '180.50', '200.50', '541.5'],
        ['Taza de barro', 'Azul', 'TAZA-AZ', 1, '0', '200.50', '0'],
      ],
    );
  });

  test('whose pieces share a coupon to the cent is one line, and its money is exact', () => {
    const pieces = ['193.83', '193.83', '193.84'].map((sale_price) => ({ ...LINE, sale_price }));

    const [line, ...others] = read({ ...ORDER, line_items: pieces }).items;

    assert.deepEqual(others, []);
    assert.deepEqual([line?.quantity, line?.unitPrice, line?.subtotal], [3, '193.833333', '581.5']);
  });

  test('reports its money with the decimals that it had', () => {
    const { fetchedAt: _, raw: __, ...order } = read(ORDER);

    assert.deepEqual(Object.fromEntries(AMOUNTS.map((name) => [name, order[name]])), {
      total: '410.00',
      totalIncludes: { shipping: true, tax: true, orderDiscount: true },
      subtotal: '361',
      orderDiscount: '0',
      discountTotal: '40',
      marketplaceDiscountTotal: '10.00',
      shippingTotal: '49.00',
      packShippingTotal: null,
      taxTotal: '0',
      taxAdded: '0',
      other: [],
      feesTotal: null,
    });
    assert.equal(order.currency, 'MXN');
    assert.equal(order.refundedTotal, null);
  });
});

describe('an order: its discounts, taxes and fees', () => {
  test('with a discount that no piece holds has it as the discount of the order', () => {
    const payment = {
      ...ORDER.payment,
      seller_discount: '50',
      sub_total: '341.00',
      total_amount: '390.00',
    };

    const { subtotal, orderDiscount, discountTotal } = read({ ...ORDER, payment });

    assert.deepEqual([subtotal, orderDiscount, discountTotal], ['361', '20', '60']);
  });

  test('whose pieces have no former price has no known discount', () => {
    const { original_price: _, ...line } = LINE;

    const { items, orderDiscount, discountTotal } = read({ ...ORDER, line_items: [line, LINE] });

    assert.deepEqual([items[0]?.listPrice, orderDiscount, discountTotal], [null, null, null]);
  });

  for (const [what, payment, added] of [
    ['are added to its prices', { tax: '65.60', total_amount: '475.60' }, '65.60'],
    ['are inside its prices where its total says so', { tax: '56.55' }, '0'],
    ['are added where its goods have no sum', { tax: '9', sub_total: undefined }, '9'],
  ] as const)
    test(`taxes ${what}`, () => {
      const { taxTotal, taxAdded } = read({ ...ORDER, payment: { ...ORDER.payment, ...payment } });

      assert.deepEqual([taxTotal, taxAdded], [payment.tax, added]);
    });

  test('names the fees that its buyer pays', () => {
    const payment = {
      ...ORDER.payment,
      handling_fee: '12.50',
      small_order_fee: '0',
      shipping_fee: '',
    };

    const { other, shippingTotal } = read({ ...ORDER, payment });

    assert.deepEqual(other, [{ name: 'handling_fee', amount: '12.50' }]);
    assert.equal(shippingTotal, null);
  });
});

describe('an order: fields of any shape', () => {
  test('a SKU may be a number, and a thing without a title is still sold', () => {
    const line = {
      ...LINE,
      seller_sku: 7501031311309,
      product_name: undefined,
      sku_name: { es: 'Azul' },
    };

    const [item] = read({ ...ORDER, line_items: [line] }).items;
    const [nameless] = read({ ...ORDER, line_items: [{ ...line, seller_sku: '' }] }).items;

    assert.deepEqual(
      [item?.sku, item?.title, item?.variation],
      ['7501031311309', '7501031311309', null],
    );
    assert.deepEqual([nameless?.sku, nameless?.title], [null, 'Sin título']);
  });

  test('is not lost with what it does not need: names, flags and references of any shape', () => {
    const odd = {
      recipient_address: 'Calle 5',
      packages: 'ninguno',
      is_cod: 'false',
      replaced_order_id: '',
      need_upload_invoice: ['NO_NEED'],
      buyer_message: 'Gracias \ud83d',
    };

    const order = read({ ...ORDER, ...odd });

    assert.deepEqual([order.buyerName, order.packId, order.tags], [null, null, []]);
    assert.equal(order.total, '410.00');
  });

  test('is in a currency of ISO 4217: its own, else that of its pieces', () => {
    const payment = { ...ORDER.payment, currency: 'pesos' };
    const rubbish = { ...ORDER, payment, line_items: [{ ...LINE, currency: '' }] };

    assert.equal(read({ ...ORDER, payment: { ...payment, currency: 'mxn\n' } }).currency, 'MXN');
    assert.equal(
      read({ ...ORDER, payment, line_items: [{ ...LINE, currency: 'USD' }] }).currency,
      'USD',
    );
    assert.throws(() => read(rubbish), /expected a currency/);
  });

  test('with few facts says no more than those', () => {
    const { id, status, create_time } = ORDER;

    const order = read({ id, status, create_time, line_items: [LINE] });

    assert.equal(order.total, null);
    assert.equal(order.orderDiscount, null);
    assert.equal(order.discountTotal, '20', 'the piece alone');
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

    const order = toSourceOrder({ order: parseLossless(odd), claims: NONE }, FETCHED);

    assert.equal(order.id, '576461413000000010');
    assert.equal(order.total, '410.00');
    assert.deepEqual(order.dateCreated, at('2025-11-17T17:20:00Z'));
    assert.equal(order.dateClosed, null);
  });
});

describe('an order: its buyer', () => {
  test('asterisks and absence withhold the buyer, and what is stored stays', () => {
    for (const recipient_address of [{ name: 'M*** L***' }, { name: '***' }, {}, undefined]) {
      const order = read({ ...ORDER, recipient_address });

      assert.equal(order.buyerName, null);
      assert.deepEqual(order.keep, ['buyerName']);
    }
    assert.equal(read(ORDER).buyerName, 'María Fernanda López Ruiz');
    assert.deepEqual(read(ORDER).keep, []);
  });

  test('keeps given and family names apart where its buyer did', () => {
    const name = 'Ana Sofía Paz';
    const nameOf = (address: object) => read({ ...ORDER, recipient_address: address }).buyerName;

    assert.deepEqual(nameOf({ name, first_name: 'Ana Sofía', last_name: 'Paz' }), {
      given: 'Ana Sofía',
      family: 'Paz',
    });
    assert.equal(nameOf({ name, first_name: name, last_name: '' }), name);
    assert.equal(nameOf({ name: 'A***', first_name: 'A***', last_name: 'P**' }), null);
  });

  describe('is closed', () => {
    const times = { delivery_time: 1763500000, cancel_time: 1763600000 };
    const [delivered, cancelled] = [at('2025-11-18T21:06:40Z'), at('2025-11-20T00:53:20Z')];
    const refund = { ...RETURN, return_type: 'REFUND' };
    const refunded = at('2025-11-17T19:20:00Z');
    const later = { ...refund, update_time: 1763700000 };
    const cases: readonly [string, object, object[], unknown][] = [
      ['not while it is open', times, [], null],
      ['when it was delivered', { ...times, status: 'COMPLETED' }, [], delivered],
      ['when it was cancelled', { ...times, status: 'CANCELLED' }, [], cancelled],
      ['when everything was given back, if it was never delivered', {}, [refund], refunded],
      [
        'when everything was given back before it came',
        { ...times, status: 'DELIVERED' },
        [refund],
        refunded,
      ],
      [
        'not by what was given back after it came',
        { ...times, status: 'DELIVERED' },
        [later],
        delivered,
      ],
      ['not by a part that was given back', {}, [half(refund)], null],
      [
        'by the part that made it whole',
        {},
        [half(refund), half(later)],
        at('2025-11-21T04:40:00Z'),
      ],
    ];
    for (const [when, fields, returns, closed] of cases)
      test(when, () => {
        const { dateClosed } = read({ ...ORDER, ...fields }, { returns, cancellations: [] });

        assert.deepEqual(dateClosed, closed);
      });
  });
});

describe('an order: its parcel', () => {
  test('reports when its parcel was collected and delivered', () => {
    const times = { rts_time: 1763480000, collection_time: 1763490000, delivery_time: 1763500000 };

    const { shipping } = read({ ...ORDER, ...times });

    assert.deepEqual(
      [shipping?.shippedAt, shipping?.deliveredAt],
      [at('2025-11-18T18:20:00Z'), at('2025-11-18T21:06:40Z')],
    );
  });

  describe('its pieces that are gone were sold no more', () => {
    const second = { ...LINE, id: '577000000000000102' };
    const returned = (ids: string[], fields = {}) => ({
      ...RETURN,
      ...fields,
      return_line_items: ids.map((id) => ({ order_line_item_id: id })),
    });
    const cancellation = (ids: string[], cancel_status = 'CANCELLATION_REQUEST_COMPLETE') => ({
      order_id: ORDER.id,
      cancel_status,
      cancel_line_items: ids.map((id) => ({ order_line_item_id: id })),
    });
    const cases: readonly [string, object, Partial<Claims>, number][] = [
      ['none', {}, {}, 0],
      [
        'a piece that was cancelled alone',
        { line_items: [LINE, { ...second, display_status: 'CANCELLED' }] },
        {},
        1,
      ],
      ['a piece of a cancellation', {}, { cancellations: [cancellation([second.id])] }, 1],
      [
        'a piece whose cancellation was only asked for',
        {},
        { cancellations: [cancellation([second.id], 'CANCELLATION_REQUEST_PENDING')] },
        0,
      ],
      [
        'all of a cancelled order',
        { status: 'CANCELLED' },
        { cancellations: [cancellation([])] },
        2,
      ],
      [
        'a cancellation of nothing in an order that goes on',
        {},
        { cancellations: [cancellation([])] },
        0,
      ],
      ['a piece that came back', {}, { returns: [returned([second.id])] }, 1],
      ['all of a return that names none', {}, { returns: [returned([])] }, 2],
      [
        'a piece on its way back',
        {},
        { returns: [returned([second.id], { return_status: 'BUYER_SHIPPED_ITEM' })] },
        0,
      ],
      [
        'money that was given back without goods',
        {},
        { returns: [returned([second.id], { return_type: 'REFUND' })] },
        0,
      ],
    ];
    for (const [what, fields, claims, cancelled] of cases)
      test(what, () => {
        const order = read({ ...ORDER, ...fields }, { ...NONE, ...claims });

        const [line, ...others] = order.items;
        assert.deepEqual(others, []);
        assert.deepEqual([line?.quantity, line?.cancelledQuantity], [2, cancelled]);
        assert.deepEqual([order.total, order.subtotal], ['410.00', '361']);
      });
  });
});

describe('an order: its relations and refunds', () => {
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
    assert.deepEqual(tags, [
      'COMBINED',
      'is_replacement_order',
      'replaced_order_id:576461413000000009',
    ]);
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
    const asked = {
      ...cancellation,
      cancel_status: 'CANCELLATION_REQUEST_PENDING',
      update_time: 1763409000,
    };
    const kept = { ...RETURN, refund_amount: null, partial_refund: { amount: '4' } };

    const order = read(ORDER, { returns: [kept], cancellations: [cancellation, asked] });

    assert.equal(order.refundedTotal, '9.25');
    assert.deepEqual(order.refunds, [
      { amount: '4', at: at('2025-11-17T19:20:00Z') },
      { amount: '5.25', at: at('2025-11-17T19:33:20Z') },
    ]);
    assert.deepEqual(order.changedAt, at('2025-11-17T19:50:00Z'));
  });
});

describe('an order: what its buyer has open', () => {
  const cases: readonly [string, string, string[]][] = [
    ['RETURN_OR_REFUND_REQUEST_PENDING', 'RETURN_AND_REFUND', ['open_return']],
    ['BUYER_SHIPPED_ITEM', 'RETURN_AND_REFUND', ['open_return']],
    ['RETURN_OR_REFUND_REQUEST_SUCCESS', 'REFUND', ['open_claim']],
    ['RETURN_OR_REFUND_REQUEST_COMPLETE', 'RETURN_AND_REFUND', []],
    ['RETURN_OR_REFUND_REQUEST_CANCEL', 'REFUND', []],
    ['REFUND_OR_RETURN_REQUEST_REJECT', 'REFUND', []],
  ];
  for (const [return_status, return_type, tags] of cases)
    test(`${return_status} of ${return_type} is ${tags.join() || 'nothing'}`, () => {
      const returns = [{ ...RETURN, return_status, return_type }];
      assert.deepEqual(read(ORDER, { returns, cancellations: [] }).tags, tags);
    });
});

describe('an order: what is kept of it', () => {
  test('whose refunds could not be had leaves those that are stored', () => {
    const order = toSourceOrder(
      { order: parseLossless(JSON.stringify(ORDER)), claims: null },
      FETCHED,
    );

    assert.deepEqual(order.keep, ['refundedTotal', 'refunds', 'dateClosed', 'tags']);
  });

  test('is read again as the same order from what is kept of it', () => {
    const cancellation = { order_id: ORDER.id, cancel_status: 'CANCELLATION_REQUEST_COMPLETE' };
    const claimed = read(ORDER, { returns: [RETURN], cancellations: [cancellation] });
    const withheld = toSourceOrder(
      { order: parseLossless(JSON.stringify(ORDER)), claims: null },
      FETCHED,
    );

    for (const order of [claimed, read(ORDER), withheld])
      assert.deepEqual(readStored(order.raw ?? '', FETCHED), { ok: true, item: order });
    const unreadable = readStored(
      JSON.stringify({ order: { ...ORDER, create_time: 'ayer' } }),
      FETCHED,
    );
    assert.equal(!unreadable.ok && unreadable.externalId, ORDER.id);
    assert.equal(readStored('nada', FETCHED).ok, false);
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

  test('any other error is in Spanish', () => {
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
  const odd = toSettlement(
    { ...statement, statement_time: undefined, payment_status: undefined },
    payments,
  );

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

test('stock is by variation, from its totals or else from its places', () => {
  const row = {
    product_id: '1729000000000000001',
    skus: [
      {
        id: '1',
        seller_sku: 'TAZA-AZ',
        total_available_quantity: 8,
        total_committed_quantity: '2',
      },
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
  const parts = { order: asReceived(order), claims: asReceived(claims) as Claims };
  return toSourceOrder(parts, FETCHED);
}

function half<Return extends object>(claim: Return) {
  return { ...claim, refund_amount: { refund_total: '205.00' } };
}

function at(text: string) {
  const instant = parseInstant(text);
  assert.ok(instant);
  return instant;
}
