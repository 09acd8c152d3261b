import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import type { OrderStatus, SourceOrder } from '../contract.ts';
import { readStored } from './orders.ts';
import { rowKeyOf, toSourceOrder } from './wire.ts';
import { Item, PlacedStock, toStock } from './wire-stock.ts';

// Documents in the documented shape, with values of our own.

const FETCHED = Temporal.Instant.from('2026-11-16T18:00:00Z');

interface Parts {
  readonly order?: object;
  readonly forward?: object | null;
  readonly later?: readonly {
    readonly type: 'return' | 'return_to_buyer';
    readonly status: string;
    readonly last_updated?: string;
  }[];
  readonly missing?: readonly string[];
}

/** An order as it is read, of a paid one that differs as given. */
function read({ order = {}, forward = null, later = [], missing = [] }: Parts): SourceOrder {
  return toSourceOrder({
    order: wire({ ...PAID, ...order }),
    forward: forward && wire({ ...SHIPMENT, ...forward }),
    later: later.map(({ type, ...shipment }, index) => ({
      type,
      shipment: wire({ ...SHIPMENT, id: 43900000000002 + index, ...shipment }),
    })),
    missing,
    fetchedAt: FETCHED,
  });
}

/** As it comes off the wire: every number still is its own text. */
function wire(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

const LINE = {
  item: {
    id: 'MLM1900000001',
    title: 'Playera básica de algodón',
    category_id: 'MLM1234',
    variation_id: 176000000001,
    seller_custom_field: null,
    variation_attributes: [{ id: 'SIZE', name: 'Talla', value_id: null, value_name: 'M' }],
    seller_sku: 'PLAYERA-M',
  },
  quantity: 2,
  unit_price: 180.5,
  full_unit_price: 200,
  gross_price: 400,
  sale_fee: 23.47,
  currency_id: 'MXN',
};

const PAYMENT = {
  id: 90000000001,
  status: 'approved',
  status_detail: 'accredited',
  transaction_amount: 361,
  transaction_amount_refunded: 0,
  date_last_modified: '2026-11-15T09:10:00.000-04:00',
};

const PAID = {
  id: 2000000000000042,
  status: 'paid',
  status_detail: null,
  date_created: '2026-11-15T09:00:00.000-04:00',
  date_closed: '2026-11-15T09:05:00.000-04:00',
  last_updated: '2026-11-15T09:10:00.000-04:00',
  pack_id: null,
  total_amount: 361,
  paid_amount: 361,
  currency_id: 'MXN',
  order_items: [LINE],
  payments: [PAYMENT],
  shipping: { id: 43900000001 },
  tags: ['not_delivered', 'paid'],
  taxes: { amount: null, currency_id: null, id: null },
  buyer: { id: 100000001 },
  seller: { id: 468424241 },
};

const SHIPMENT = {
  id: 43900000001,
  status: 'shipped',
  substatus: null,
  last_updated: '2026-11-15T20:00:00.000-04:00',
  tracking_number: 'MX0000000001TG',
  tracking_method: 'MEL Distribution',
  logistic: { mode: 'me2', type: 'cross_docking', direction: 'forward' },
  destination: { receiver_id: 100000001, receiver_name: 'Itzel Núñez Peña' },
  lead_time: { cost: 49.9, list_cost: 99 },
};

const ORDER_STATUSES: readonly (readonly [string, OrderStatus, object?])[] = [
  ['confirmed', 'pending'],
  ['payment_required', 'pending'],
  ['payment_in_process', 'pending'],
  ['partially_paid', 'pending'],
  ['paid', 'paid'],
  ['partially_refunded', 'paid'],
  ['pending_cancel', 'cancelled'],
  ['cancelled', 'cancelled'],
  ['invalid', 'cancelled'],
  // A sale that the seller marked as not concluded.
  ['confirmed', 'cancelled', { tags: ['not_paid', 'unfulfilled'] }],
  // A cancelled sale whose buyer got money in the account.
  ['paid', 'cancelled', { tags: ['paid', 'unfulfilled'] }],
  ['algo_nuevo', 'unknown'],
];

for (const [native, unified, more = {}] of ORDER_STATUSES)
  test(`an order that is ${native}${'tags' in more ? ' and unfulfilled' : ''} is ${unified}`, () => {
    const order = read({ order: { status: native, ...more } });

    assert.deepEqual([order.status, order.marketplaceStatus], [unified, native]);
  });

const SHIPMENT_STATUSES: readonly (readonly [string, string | null, OrderStatus])[] = [
  ['pending', null, 'paid'],
  ['handling', 'waiting_for_label_generation', 'paid'],
  ['ready_to_ship', 'ready_to_print', 'paid'],
  ['ready_to_ship', 'printed', 'ready_to_ship'],
  ['ready_to_ship', null, 'ready_to_ship'],
  // Handed over to the carrier, under a status that does not say so.
  ['ready_to_ship', 'picked_up', 'shipped'],
  ['shipped', 'out_for_delivery', 'shipped'],
  ['delivered', null, 'delivered'],
  ['not_delivered', 'returned', 'returned'],
  ['cancelled', null, 'paid'],
  ['not_verified', null, 'paid'],
  ['algo_nuevo', null, 'unknown'],
];

for (const [status, substatus, unified] of SHIPMENT_STATUSES)
  test(`a paid order whose shipment is ${[status, substatus].filter(Boolean).join('/')} is ${unified}`, () => {
    const order = read({ forward: { status, substatus } });

    assert.equal(order.status, unified);
    assert.equal(order.fulfillmentStatus, substatus ? `${status}/${substatus}` : status);
  });

test('the order decides before its shipment does', () => {
  const shipped = { status: 'delivered' };

  assert.equal(read({ order: { status: 'cancelled' }, forward: shipped }).status, 'cancelled');
  assert.equal(read({ order: { status: 'payment_required' }, forward: shipped }).status, 'pending');
});

for (const [status, unified] of [
  ['ready_to_ship', 'cancelled'],
  ['cancelled', 'cancelled'],
  ['shipped', 'shipped'],
  ['delivered', 'delivered'],
] as const)
  test(`a paid order that is unfulfilled and whose shipment is ${status} is ${unified}`, () => {
    const order = read({ order: { tags: ['paid', 'unfulfilled'] }, forward: { status } });

    assert.equal(order.status, unified);
  });

const LATER: readonly (readonly [readonly string[], OrderStatus])[] = [
  [['return shipped'], 'delivered'],
  [['return delivered'], 'returned'],
  [['return delivered', 'return_to_buyer ready_to_ship'], 'returned'],
  [['return delivered', 'return_to_buyer cancelled'], 'returned'],
  [['return delivered', 'return_to_buyer shipped'], 'shipped'],
  [['return_to_buyer delivered', 'return delivered'], 'delivered'],
  [['return cancelled', 'return delivered'], 'returned'],
  [['return delivered', 'return_to_buyer delivered', 'return delivered'], 'returned'],
  [['return delivered', 'return_to_buyer delivered', 'return shipped'], 'delivered'],
];

for (const [parcels, unified] of LATER)
  test(`a delivered order whose later parcels are ${parcels.join(', ')} is ${unified}`, () => {
    const later = parcels.map((parcel) => {
      const [type, status] = parcel.split(' ') as ['return' | 'return_to_buyer', string];
      return { type, status };
    });

    assert.equal(read({ forward: { status: 'delivered' }, later }).status, unified);
  });

test('goods that were never delivered and came back are returned, money back or not', () => {
  const refunded = { ...PAYMENT, status: 'refunded', transaction_amount_refunded: 361 };
  const forward = { status: 'not_delivered', substatus: 'returned' };

  assert.equal(read({ order: { payments: [refunded] }, forward }).status, 'returned');
  assert.equal(read({ forward }).status, 'returned');
});

test('tags say nothing about delivery', () => {
  const order = read({ order: { tags: ['delivered', 'paid'] }, forward: { status: 'shipped' } });

  assert.equal(order.status, 'shipped');
});

test('what Mercado Libre keeps and ships itself has a tag, in both shapes of a shipment', () => {
  const reported = [
    { logistic: { type: 'fulfillment' } },
    { logistic: undefined, logistic_type: 'fulfillment' },
  ].map((forward) => read({ forward }).tags);

  assert.deepEqual(reported, [
    ['not_delivered', 'paid', 'fulfilled_by_marketplace'],
    ['not_delivered', 'paid', 'fulfilled_by_marketplace'],
  ]);
  assert.deepEqual(read({ forward: { logistic: { type: 'self_service' } } }).tags, [
    'not_delivered',
    'paid',
  ]);
});

test('a return is open until it arrives or is given up, a claim while its payment is in mediation', () => {
  const tagsWith = (type: 'return' | 'return_to_buyer', status: string) =>
    read({ order: { tags: [] }, forward: { status: 'delivered' }, later: [{ type, status }] }).tags;

  assert.deepEqual(tagsWith('return', 'ready_to_ship'), ['open_return']);
  assert.deepEqual(tagsWith('return', 'shipped'), ['open_return']);
  for (const over of ['delivered', 'cancelled', 'not_delivered'])
    assert.deepEqual(tagsWith('return', over), [], over);
  assert.deepEqual(tagsWith('return_to_buyer', 'shipped'), []);
  const disputed = { ...PAYMENT, status: 'in_mediation' };
  assert.deepEqual(read({ order: { tags: [], payments: [disputed] } }).tags, ['open_claim']);
  assert.deepEqual(read({ order: { tags: [], payments: [PAYMENT] } }).tags, []);
});

test('money given back in full is a refund, a part of it is a sum', () => {
  const at = '2026-11-16T08:00:00.000-04:00';
  const all = {
    ...PAYMENT,
    status: 'refunded',
    transaction_amount_refunded: 361,
    date_last_modified: at,
  };
  const part = { ...PAYMENT, transaction_amount_refunded: 50.25, date_last_modified: at };

  const refunded = read({ order: { payments: [all] } });
  const partly = read({ order: { status: 'partially_refunded', payments: [part] } });

  assert.deepEqual(
    [refunded.status, refunded.paymentStatus, refunded.refundedTotal],
    ['refunded', 'refunded', '361'],
  );
  assert.equal(partly.status, 'paid');
  assert.deepEqual(
    partly.refunds.map(({ amount, at }) => [amount, at?.toString()]),
    [['50.25', '2026-11-16T12:00:00Z']],
  );
});

test('a payment in dispute was paid: another one that was given back is a part', () => {
  const returned = { ...PAYMENT, status: 'refunded' };
  const disputed = { ...PAYMENT, id: 90000000002, status: 'in_mediation' };
  assert.equal(read({ order: { payments: [returned, disputed] } }).status, 'paid');
});

test('a rejected attempt to pay is no refund and hides no payment', () => {
  const rejected = { ...PAYMENT, id: 90000000002, status: 'rejected' };

  const order = read({ order: { payments: [rejected, PAYMENT] } });

  assert.deepEqual([order.status, order.paymentStatus, order.refunds], ['paid', 'approved', []]);
});

test('the total is that of the goods: shipping, taxes and coupons are beside it', () => {
  const document = JSON.stringify({ ...PAID, total_amount: 'TOTAL' }).replace(
    '"TOTAL"',
    '361.0000000000000001',
  );
  const order = toSourceOrder({
    order: parseLossless(document),
    forward: null,
    later: [],
    missing: [],
    fetchedAt: FETCHED,
  });

  assert.equal(order.total, '361.0000000000000001', 'every decimal stays');
  assert.deepEqual(order.totalIncludes, { shipping: false, tax: false, orderDiscount: false });
  assert.deepEqual([order.subtotal, order.discountTotal, order.feesTotal], ['361', '39', '46.94']);
  const taxed = read({ order: { taxes: { amount: 12.5 } } });
  assert.deepEqual([taxed.taxTotal, taxed.taxAdded], ['12.5', '12.5']);
  assert.deepEqual([read({}).taxTotal, read({}).taxAdded], [null, null]);
});

const LIST_PRICES: readonly (readonly [object, string | null])[] = [
  [{}, '200'],
  [{ full_unit_price: undefined }, '200.00'],
  [{ full_unit_price: 210, gross_price: 400 }, '210'],
  // A price in the currency of another site is no price of this line.
  [{ full_unit_price: 11, full_unit_price_currency_id: 'USD' }, '200.00'],
  [{ full_unit_price: undefined, gross_price: 100, quantity: 3 }, '33.333333'],
  [{ full_unit_price: undefined, gross_price: undefined }, null],
];

for (const [line, price] of LIST_PRICES)
  test(`a line with ${JSON.stringify(line)} has the list price ${price}`, () => {
    const [item] = read({
      order: { order_items: [{ ...LINE, gross_price: '400.00', ...line }] },
    }).items;

    assert.equal(Number(item?.listPrice), Number(price));
    assert.equal(item?.listPrice === null, price === null);
  });

const COUPONS: readonly (readonly [object, string | null])[] = [
  [{ coupon: { id: null, amount: 0 } }, '0'],
  [{ coupon: { id: '8800001', amount: 25.5 } }, '25.5'],
  [{ payments: [{ ...PAYMENT, coupon_amount: 10 }] }, '10'],
  [{ coupon: { id: null, amount: 0 }, payments: [{ ...PAYMENT, coupon_amount: 10 }] }, '10'],
  [
    { coupon: { id: '8800001', amount: 25.5 }, payments: [{ ...PAYMENT, coupon_amount: 25.5 }] },
    '25.5',
  ],
  [{ payments: [{ ...PAYMENT, coupon_amount: 10, status: 'in_mediation' }] }, '10'],
  [{ payments: [{ ...PAYMENT, coupon_amount: 10, status: 'charged_back' }] }, '10'],
  [{ payments: [{ ...PAYMENT, coupon_amount: 10, status: 'rejected' }] }, null],
  [{}, null],
];

for (const [order, coupon] of COUPONS)
  test(`an order with ${JSON.stringify(order).slice(0, 60)}… has a coupon of ${coupon}`, () => {
    const found = read({ order });

    assert.equal(found.orderDiscount, coupon);
    assert.equal(found.discountTotal, String(39 + Number(coupon ?? 0)));
  });

const FUNDED: readonly (readonly [object, object, string | null])[] = [
  [{ discounts: [{ amounts: { full: 19.5, seller: 19.5 } }] }, {}, '0'],
  [{ discounts: [{ amounts: { full: 19.5, seller: 12 } }] }, {}, '15'],
  [
    { discounts: [{ amounts: { full: 10, seller: 0 } }, { amounts: { full: 9.5, seller: 9.5 } }] },
    {},
    '20',
  ],
  [{ discounts: [{ amounts: { full: 19.5 } }] }, {}, null],
  [{ discounts: null }, {}, null],
  // The order has no field for the payer of a coupon.
  [
    { discounts: [{ amounts: { full: 19.5, seller: 12 } }] },
    { coupon: { id: '8800001', amount: 5 } },
    null,
  ],
];

for (const [line, order, part] of FUNDED)
  test(`of ${JSON.stringify({ ...line, ...order })} the marketplace pays ${part}`, () => {
    const found = read({ order: { ...order, order_items: [{ ...LINE, ...line }] } });

    assert.equal(found.marketplaceDiscountTotal, part);
  });

test('goods by weight: the quantity is rounded up, the money is not', () => {
  const line = { ...LINE, quantity: 1.25, unit_price: 80, full_unit_price: 100, sale_fee: 10 };

  const order = read({ order: { order_items: [line], total_amount: 100 } });

  assert.deepEqual([order.items[0]?.quantity, order.items[0]?.subtotal], [2, '100']);
  assert.deepEqual([order.subtotal, order.discountTotal, order.feesTotal], ['100', '25', '12.5']);
});

test('the shipping of a pack is paid once, so it is no single order’s', () => {
  const packed = read({ order: { pack_id: 2000000000009042 }, forward: {} });

  assert.deepEqual(
    [read({ forward: {} }).shippingTotal, read({ forward: {} }).packShippingTotal],
    ['49.9', null],
  );
  assert.deepEqual([packed.shippingTotal, packed.packShippingTotal], [null, '49.9']);
  assert.equal(packed.packId, '2000000000009042');
});

const CURRENCIES: readonly (readonly [unknown, unknown, string])[] = [
  ['MXN', 'MXN', 'MXN'],
  ['mxn', null, 'MXN'],
  ['', 'BRL', 'BRL'],
  ['string', null, 'MXN'],
];

for (const [ofOrder, ofLine, currency] of CURRENCIES)
  test(`an order in ${JSON.stringify(ofOrder)} with a line in ${JSON.stringify(ofLine)} is one in ${currency}`, () => {
    const line = { ...LINE, currency_id: ofLine };

    const order = read({ order: { currency_id: ofOrder, order_items: [line] } });

    assert.deepEqual([order.currency, order.items[0]?.currency], [currency, currency]);
  });

test('a buyer who is named in the order is the buyer, given and family names apart; else who receives the goods', () => {
  const named = { buyer: { id: 100000001, first_name: 'José Luis', last_name: 'Martínez' } };

  assert.deepEqual(read({ order: named, forward: {} }).buyerName, {
    given: 'José Luis',
    family: 'Martínez',
  });
  assert.equal(read({ forward: {} }).buyerName, 'Itzel Núñez Peña');
  assert.equal(read({}).buyerName, null);
});

test('a SKU may be a number, and a listing without a title is still sold', () => {
  const item = { ...LINE.item, title: undefined, seller_sku: 7501031311309 };

  const [line] = read({ order: { order_items: [{ ...LINE, item }] } }).items;

  assert.deepEqual([line?.sku, line?.title], ['7501031311309', '7501031311309']);
});

test('what is kept of an order is read again as the same order, with what a 206 left out', () => {
  const whole = read({
    order: { pack_id: 2000000000009042 },
    forward: { status: 'delivered' },
    later: [
      { type: 'return', status: 'delivered' },
      { type: 'return_to_buyer', status: 'shipped' },
    ],
  });
  const partial = read({ order: { payments: null }, missing: ['payments', 'feedback'] });

  for (const order of [whole, partial])
    assert.deepEqual(readStored(order.raw ?? '', FETCHED), { ok: true, item: order });
});

test('what was kept before the parcels after the first had a list is read too', () => {
  const { raw } = read({ forward: { status: 'delivered' } });
  const kept = JSON.parse(raw ?? '');
  const before = JSON.stringify({ ...kept, return_shipment: { ...SHIPMENT, status: 'delivered' } });

  const read_ = readStored(before, FETCHED);
  const unreadable = readStored(
    JSON.stringify({ order: { ...PAID, date_created: 'ayer' } }),
    FETCHED,
  );

  assert.equal(read_.ok && read_.item.status, 'returned');
  assert.equal(!unreadable.ok && unreadable.externalId, String(PAID.id));
});

test('ids above 2^53 and ids written as text are the same ids', () => {
  const digits = '9007199254740993';
  const large = JSON.stringify({ ...PAID, id: 'ID' });
  const asNumber = {
    order: parseLossless(large.replace('"ID"', digits)),
    forward: null,
    later: [],
  };
  const asText = { order: parseLossless(large.replace('ID', digits)), forward: null, later: [] };

  for (const parts of [asNumber, asText])
    assert.equal(toSourceOrder({ ...parts, missing: [], fetchedAt: FETCHED }).id, digits);
});

test('an old order lacks what came later', () => {
  const { gross_price: _, sale_fee: __, ...line } = LINE;
  const { pack_id: ___, taxes: ____, tags: _____, last_updated: ______, ...old } = PAID;

  const order = toSourceOrder({
    order: wire({ ...old, order_items: [line], date_created: '2021-03-02T10:00:00.000-0400' }),
    forward: null,
    later: [],
    missing: [],
    fetchedAt: FETCHED,
  });

  assert.equal(order.dateCreated.toString(), '2021-03-02T14:00:00Z');
  assert.deepEqual([order.subtotal, order.discountTotal, order.feesTotal], ['361', '39', null]);
  assert.deepEqual([order.packId, order.tags, order.taxTotal], [null, [], null]);
  assert.equal(order.changedAt?.toString(), '2026-11-15T13:10:00Z', 'the last change of a payment');
});

test('the flat shipment of old says the same', () => {
  const { logistic: _, destination: __, lead_time: ___, tracking_method: ____, ...flat } = SHIPMENT;
  const old = {
    ...flat,
    mode: 'me2',
    logistic_type: 'cross_docking',
    receiver_address: { receiver_name: 'Itzel Núñez Peña' },
    shipping_option: { name: 'Estándar a domicilio', cost: 49.9 },
    status_history: { date_shipped: '2026-11-15T20:00:00.000-04:00', date_delivered: null },
  };

  const order = toSourceOrder({
    order: wire(PAID),
    forward: wire(old),
    later: [],
    missing: [],
    fetchedAt: FETCHED,
  });

  assert.deepEqual(
    [order.status, order.buyerName, order.shippingTotal],
    ['shipped', 'Itzel Núñez Peña', '49.9'],
  );
  assert.deepEqual(
    { ...order.shipping, shippedAt: order.shipping?.shippedAt?.toString() },
    {
      carrier: null,
      trackingNumber: 'MX0000000001TG',
      method: 'cross_docking',
      status: 'shipped',
      shippedAt: '2026-11-16T00:00:00Z',
      deliveredAt: null,
    },
  );
});

test('what a 206 leaves out stays as it was', () => {
  const { keep } = read({ order: { buyer: {} }, missing: ['buyer', 'feedback'] });
  const named = read({ order: { buyer: {} }, forward: {}, missing: ['buyer', 'feedback'] });
  const unpaid = read({ order: { payments: null }, missing: ['payments'] });

  assert.deepEqual(keep, ['buyerName']);
  assert.deepEqual(
    [named.buyerName, named.keep],
    ['Itzel Núñez Peña', []],
    'the shipment has the name',
  );
  assert.deepEqual(unpaid.keep, [
    ...['paymentStatus', 'refundedTotal', 'refunds', 'status'],
    ...['orderDiscount', 'discountTotal', 'marketplaceDiscountTotal', 'tags'],
  ]);
});

test('the version is the largest change time of all parts', () => {
  const later = '2026-11-16T01:00:00.000-04:00';

  assert.equal(read({}).changedAt?.toString(), '2026-11-15T13:10:00Z');
  assert.equal(
    read({ forward: { last_updated: later } }).changedAt?.toString(),
    '2026-11-16T05:00:00Z',
  );
  assert.equal(
    read({
      forward: {},
      later: [{ type: 'return', status: 'shipped', last_updated: later }],
    }).changedAt?.toString(),
    '2026-11-16T05:00:00Z',
  );
});

test('an item names its variation and the SKU of the seller, the new field before the old', () => {
  const own = {
    ...LINE,
    item: { ...LINE.item, seller_sku: null, seller_custom_field: 'PLAYERA-VIEJA' },
  };

  const [item] = read({}).items;
  const [older] = read({ order: { order_items: [own] } }).items;

  assert.deepEqual(item, {
    id: 'MLM1900000001',
    sku: 'PLAYERA-M',
    title: 'Playera básica de algodón',
    variation: 'Talla: M',
    quantity: 2,
    cancelledQuantity: 0,
    quantityKnown: true,
    unitPrice: '180.5',
    listPrice: '200',
    subtotal: '361',
    currency: 'MXN',
  });
  assert.equal(older?.sku, 'PLAYERA-VIEJA');
});

test('an order that cannot be read says which field is wrong', () => {
  const faults: readonly (readonly [object, string])[] = [
    [{ date_created: 'ayer' }, 'date_created'],
    [{ total_amount: { texto: 'mucho' } }, 'total_amount'],
    [{ order_items: [LINE, { ...LINE, quantity: 'dos' }] }, 'order_items.1.quantity'],
    [{ status: null }, 'status'],
  ];

  for (const [order, path] of faults)
    assert.throws(
      () => read({ order }),
      (error: unknown) => error instanceof ZodError && error.issues[0]?.path.join('.') === path,
      path,
    );
});

test('a row has another name once it stands elsewhere in a search', () => {
  const pending = wire({ ...PAID, date_closed: null });

  assert.equal(rowKeyOf(wire(PAID)), rowKeyOf(wire({ ...PAID, tags: [] })));
  assert.notEqual(rowKeyOf(wire(PAID)), rowKeyOf(pending));
});

const VARIATIONS = {
  id: 'MLM1900000001',
  title: 'Playera básica de algodón',
  available_quantity: 12,
  seller_custom_field: null,
  variations: [
    {
      id: 176000000001,
      available_quantity: 5,
      inventory_id: 'TGMX10001',
      user_product_id: 'MLMU3000000001',
      attribute_combinations: [{ id: 'SIZE', name: 'Talla', value_name: 'M' }],
      attributes: [{ id: 'SELLER_SKU', value_name: 'PLAYERA-M' }],
    },
    {
      id: 176000000002,
      available_quantity: 1,
      inventory_id: null,
      user_product_id: 'MLMU3000000002',
      seller_custom_field: 'PLAYERA-G',
    },
  ],
};

test('stock is counted by variation, in the warehouse that has it', () => {
  const item = Item.parse(wire(VARIATIONS));
  const kept = new Map([['TGMX10001', { available_quantity: 7, not_available_quantity: 2 }]]);
  const placed = new Map([
    [
      'MLMU3000000002',
      PlacedStock.parse(
        wire({
          locations: [
            { type: 'seller_warehouse', store_id: '7001', quantity: 3 },
            { type: 'seller_warehouse', store_id: '7002', quantity: 6 },
            { type: 'meli_facility', quantity: 40 },
          ],
        }),
      ),
    ],
  ]);

  const levels = toStock(item, { kept, placed });
  const [, unplaced] = toStock(item, { kept, placed: new Map() });

  assert.deepEqual(
    levels.map(({ sku, title, warehouse, available, unavailable }) => [
      sku,
      title,
      warehouse,
      available,
      unavailable,
    ]),
    [
      ['PLAYERA-M', 'Playera básica de algodón (Talla: M)', 'marketplace', 7, 2],
      ['PLAYERA-G', 'Playera básica de algodón', 'seller', 9, 0],
    ],
  );
  assert.equal(unplaced?.available, 1, 'where there are no places the item’s own number counts');
});
