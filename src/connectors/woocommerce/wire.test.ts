import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import type { OrderStatus, SourceItem, SourceOrder } from '../contract.ts';
import { WooCommerceCredentials } from './credentials.ts';
import {
  fromStored,
  isDraft,
  isGone,
  refundedIdOf,
  toSourceOrder,
  unchangedSince,
  vanishedOrder,
} from './wire.ts';
import { isVariable, ownsStock, toProductStock, toVariationStock } from './wire-stock.ts';

// Documents in the documented shape, with values of our own.

const FETCHED = Temporal.Instant.from('2026-11-16T18:00:00Z');

/** As it comes off the wire: every number still is its own text. */
function wire(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

const LINE = {
  id: 411,
  name: 'Mochila escolar reforzada - Vino',
  product_id: 93,
  variation_id: 97,
  quantity: 2,
  tax_class: '',
  subtotal: '700.00',
  subtotal_tax: '112.00',
  total: '630.00',
  total_tax: '100.80',
  taxes: [{ id: 7, total: '100.8', subtotal: '112' }],
  meta_data: [
    { id: 2095, key: 'pa_color', value: 'vino', display_key: 'Color', display_value: 'Vino' },
    { id: 2096, key: 'talla', value: 'Única' },
    { id: 2097, key: '_reducida', value: '2' },
    {
      id: 2098,
      key: 'regalo',
      value: { para: 'Itzel' },
      display_key: 'regalo',
      display_value: ['Itzel'],
    },
  ],
  sku: 'MOCHILA-VINO',
  price: 315,
};

const ORDER = {
  id: 1727,
  parent_id: 0,
  number: 'A-0099',
  order_key: 'wc_order_prueba',
  created_via: 'checkout',
  version: '9.4.2',
  status: 'processing',
  currency: 'MXN',
  date_created: '2026-11-10T09:30:00',
  date_created_gmt: '2026-11-10T15:30:00',
  date_modified: '2026-11-12T10:00:05',
  date_modified_gmt: '2026-11-12T16:00:05',
  discount_total: '70.00',
  discount_tax: '11.20',
  shipping_total: '99.00',
  shipping_tax: '0.00',
  cart_tax: '100.80',
  total: '829.80',
  total_tax: '100.80',
  prices_include_tax: true,
  customer_id: 0,
  billing: { first_name: 'Itzel', last_name: 'Muñoz Peña', company: '', email: '', phone: '' },
  shipping: { first_name: 'Itzel', last_name: 'Muñoz Peña' },
  payment_method: 'bacs',
  payment_method_title: 'Transferencia',
  transaction_id: '',
  date_paid: null,
  date_paid_gmt: null,
  date_completed: null,
  date_completed_gmt: null,
  meta_data: [{ id: 9, key: '_algo', value: 'x' }],
  line_items: [LINE],
  tax_lines: [],
  shipping_lines: [{ id: 8, method_title: 'Tarifa plana', method_id: 'flat_rate', total: '99.00' }],
  fee_lines: [],
  coupon_lines: [],
  refunds: [] as object[],
};

const REFUND = { id: 1730, reason: 'Roto', total: '-100.00' };
const REFUNDED_AT = Temporal.Instant.from('2026-11-14T12:00:00Z');
/** As the list of refunds has it. */
const LISTED_REFUND = {
  id: 1730,
  date_created_gmt: '2026-11-14T12:00:00',
  amount: '100.00',
  line_items: [
    {
      id: 9,
      quantity: -1,
      total: '-315.00',
      meta_data: [{ id: 1, key: '_refunded_item_id', value: '411' }],
    },
  ],
};

/** An order as it is read, with what differs from the one above. */
function read(
  order: object = {},
  statuses: Record<string, OrderStatus> = {},
  refunds: readonly object[] = [],
): SourceOrder {
  const listed = refunds.map(wire);
  return toSourceOrder(wire({ ...ORDER, ...order }), {
    statuses,
    refunds: listed,
    fetchedAt: FETCHED,
  });
}

function readLine(line: object): SourceItem {
  const [item] = read({ line_items: [{ ...LINE, ...line }] }).items;
  assert.ok(item);
  return item;
}

test('an order is read field by field', () => {
  const { raw, ...order } = read();

  assert.deepEqual(order, {
    id: '1727',
    status: 'paid',
    marketplaceStatus: 'processing',
    paymentStatus: null,
    fulfillmentStatus: null,
    currency: 'MXN',
    total: '829.80',
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    subtotal: '730.8',
    orderDiscount: '0',
    discountTotal: '81.2',
    marketplaceDiscountTotal: null,
    shippingTotal: '99',
    packShippingTotal: null,
    taxTotal: '100.80',
    taxAdded: '0',
    other: [],
    feesTotal: null,
    withheldTotal: null,
    netTotal: null,
    refundedTotal: null,
    refunds: [],
    buyerName: { given: 'Itzel', family: 'Muñoz Peña' },
    dateCreated: Temporal.Instant.from('2026-11-10T15:30:00Z'),
    dateClosed: null,
    items: [
      {
        id: '411',
        sku: 'MOCHILA-VINO',
        title: 'Mochila escolar reforzada - Vino',
        variation: 'Color: Vino, talla: Única',
        quantity: 2,
        cancelledQuantity: 0,
        quantityKnown: true,
        unitPrice: '365.4',
        listPrice: '406',
        subtotal: '730.8',
        currency: 'MXN',
      },
    ],
    unpriced: [],
    shipping: {
      carrier: null,
      trackingNumber: null,
      method: 'Tarifa plana',
      status: null,
      shippedAt: null,
      deliveredAt: null,
    },
    invoiceRequired: null,
    packId: null,
    tags: [],
    changedAt: Temporal.Instant.from('2026-11-12T16:00:05Z'),
    fetchedAt: FETCHED,
    keep: [],
  });
  assert.equal(JSON.parse(raw ?? '').order.number, 'A-0099');
});

const STATUSES: readonly (readonly [string, OrderStatus])[] = [
  ['pending', 'pending'],
  ['on-hold', 'pending'],
  ['failed', 'pending'],
  ['processing', 'paid'],
  ['shipped', 'shipped'],
  ['wc-shipped', 'shipped'],
  ['enviado', 'shipped'],
  ['partial-shipped', 'partially_shipped'],
  ['completed', 'delivered'],
  ['cancelled', 'cancelled'],
  ['trash', 'cancelled'],
  ['refunded', 'refunded'],
  ['en-bodega', 'unknown'],
  ['constructor', 'unknown'],
  ['', 'unknown'],
];

for (const [native, status] of STATUSES)
  test(`«${native}» is ${status}, and stays to be seen`, () => {
    const order = read({ status: native });

    assert.equal(order.status, status);
    assert.equal(order.marketplaceStatus, native);
  });

test('a seller says what statuses of plugins mean, and what others mean to them', () => {
  const { statuses } = WooCommerceCredentials.parse({
    url: 'tienda.example.mx',
    consumer_key: 'ck_1',
    consumer_secret: 'cs_1',
    statuses: { 'wc-en-bodega': 'ready_to_ship', 'on-hold': 'paid' },
  });

  assert.equal(read({ status: 'en-bodega' }, statuses).status, 'ready_to_ship');
  assert.equal(read({ status: 'wc-en-bodega' }, statuses).status, 'ready_to_ship');
  assert.equal(read({ status: 'on-hold' }, statuses).status, 'paid');
  assert.equal(read({ status: 'otro' }, statuses).status, 'unknown');
});

test('where completed means shipped, its time is that of the dispatch, and closes nothing', () => {
  const statuses = { completed: 'shipped', entregado: 'delivered' } as const;
  const at = Temporal.Instant.from('2026-11-12T16:00:05Z');
  const times = (status: string) => {
    const { shipping, dateClosed } = read(
      { status, date_completed_gmt: '2026-11-12T16:00:05' },
      statuses,
    );
    return [shipping?.shippedAt, shipping?.deliveredAt, dateClosed];
  };

  assert.deepEqual(times('completed'), [at, null, null]);
  assert.deepEqual(times('entregado'), [at, null, null]);
});

test('refunds are negative texts without a date, which their own list has', () => {
  const refunds = [{ id: 1731, refund: '', total: '-19.90' }, REFUND];
  const order = read({ refunds }, {}, [LISTED_REFUND]);

  assert.deepEqual(order.refunds, [
    { amount: '19.90', at: null },
    { amount: '100.00', at: REFUNDED_AT },
  ]);
  assert.equal(order.refundedTotal, '119.9');
  assert.equal(order.status, 'paid');
  assert.ok(order.changedAt?.equals(REFUNDED_AT));
  const [item] = order.items;
  assert.deepEqual(
    [item?.quantity, item?.cancelledQuantity],
    [2, 1],
    'pieces that were taken back stand apart',
  );
});

const FULLY_REFUNDED: readonly (readonly [string, OrderStatus])[] = [
  ['completed', 'refunded'],
  ['processing', 'refunded'],
  ['refunded', 'refunded'],
  ['cancelled', 'cancelled'],
  ['en-bodega', 'unknown'],
];

for (const [native, status] of FULLY_REFUNDED)
  test(`«${native}» of which all was given back is ${status}`, () => {
    assert.equal(
      read({ status: native, refunds: [{ ...REFUND, total: '-829.80' }] }).status,
      status,
    );
  });

test('an order that cost nothing is not refunded by giving back nothing', () => {
  const order = read({
    status: 'completed',
    total: '0.00',
    refunds: [{ ...REFUND, total: '0.00' }],
  });

  assert.equal(order.status, 'delivered');
});

const PRICES: readonly (readonly [string, object, string, number])[] = [
  ['after the discount', { total: '500.00' }, '250', 2],
  ['a share that ends', { total: '10.00', quantity: 4 }, '2.5', 4],
  ['a share that does not', { total: '10.00', quantity: 3 }, '3.333333', 3],
  ['by weight', { total: '45.00', quantity: 1.5 }, '30', 2],
  ['a quantity as text', { total: '45.00', quantity: '0.75' }, '60', 1],
  ['given away', { total: '0', quantity: 1 }, '0', 1],
  ['none of it', { total: '0.00', quantity: 0, price: 12.5 }, '12.5', 0],
  ['without a total', { total: '', price: 12.5 }, '12.5', 2],
];

for (const [name, line, unitPrice, quantity] of PRICES)
  test(`the price of one: ${name}`, () => {
    const item = readLine({ ...line, total_tax: '0.00' });

    assert.deepEqual([item.unitPrice, item.quantity], [unitPrice, quantity]);
  });

test('a shop whose prices have no tax adds it; one whose prices have it shows everything with it', () => {
  const fee_lines = [{ id: 5, name: 'Envoltura', total: '20.00', total_tax: '3.20' }];
  const shipping = { shipping_total: '99.00', shipping_tax: '15.84' };
  const money = (prices_include_tax: boolean) => {
    const order = read({ prices_include_tax, fee_lines, ...shipping, total_tax: '119.84' });
    const { subtotal, shippingTotal, taxTotal, taxAdded, other } = order;
    return [
      order.items[0]?.unitPrice,
      subtotal,
      shippingTotal,
      taxTotal,
      taxAdded,
      other[0]?.amount,
    ];
  };

  assert.deepEqual(money(true), ['365.4', '730.8', '114.84', '119.84', '0', '23.2']);
  assert.deepEqual(money(false), ['315.00', '630', '99.00', '119.84', '119.84', '20.00']);
});

test('money of goods by weight is computed from the weight, and only the pieces are rounded up', () => {
  const item = readLine({ quantity: 1.5, total: '45.01', total_tax: '0.00' });

  assert.deepEqual([item.quantity, item.subtotal], [2, '45.01']);
});

for (const [html, shown] of [
  ['Taza &ndash; azul', 'Taza – azul'],
  ['Caf&eacute; &amp; pan', 'Café & pan'],
  ['Cinta 3&#8243; <b>roja</b>', 'Cinta 3″ roja'],
  ['&#x1F33A; flor', '🌺 flor'],
  ['5 < 7 &fulano; &#0;&#xD800;', '5 < 7 &fulano;'],
] as const)
  test(`the title ${html} is shown as ${shown}`, () => {
    assert.equal(readLine({ name: html }).title, shown);
  });

test('an order is read again from the document that was kept of it, refunds included', () => {
  const order = read({ refunds: [REFUND], status: 'completed' }, {}, [LISTED_REFUND]);
  const later = Temporal.Instant.from('2026-12-01T00:00:00Z');

  assert.deepEqual(fromStored(order.raw ?? '', later), { ...order, fetchedAt: later });
  assert.equal(fromStored(JSON.stringify(ORDER), later).total, '829.80', 'as it was kept before');
});

test('an order is read again with the seller’s own words for statuses', () => {
  const later = Temporal.Instant.from('2026-12-01T00:00:00Z');
  const completed = { status: 'completed', date_completed_gmt: '2026-11-12T16:00:05' };
  const own = read(completed, { completed: 'shipped' });

  assert.equal(fromStored(own.raw ?? '', later).status, 'shipped');
  assert.equal(fromStored(own.raw ?? '', later).dateClosed, null);
  const former = JSON.stringify({ order: { ...ORDER, ...completed }, refunds: [] });
  const { keep, dateClosed } = fromStored(former, later);
  assert.deepEqual([keep, dateClosed], [['status', 'dateClosed'], null], 'they were not kept');
});

test('a number keeps the digits that it was written with', () => {
  const row = parseLossless(JSON.stringify({ ...ORDER }).replace('"829.80"', '829.80'));

  const order = toSourceOrder(row, { statuses: {}, refunds: [], fetchedAt: FETCHED });

  assert.equal(order.total, '829.80');
});

test('a line without variation has none, and one without a SKU has none', () => {
  const item = readLine({ variation_id: 0, sku: '' });

  assert.deepEqual([item.variation, item.sku], [null, null]);
  assert.equal(readLine({ meta_data: [] }).variation, null);
});

test('whatever plugins make of their data, it costs no order and hides none of the rest', () => {
  const color = { id: 1, key: 'pa_color', value: 'vino' };
  const tracking = {
    id: 9,
    key: '_wc_shipment_tracking_items',
    value: [{ tracking_number: '77120034' }],
  };

  for (const meta_data of [{ 0: [], 2: color }, [[], null, {}, color], { 21: color }])
    assert.equal(readLine({ meta_data }).variation, 'color: vino');
  for (const meta_data of ['', false, 'a:1:{}', 7, null])
    assert.equal(readLine({ meta_data }).variation, null);
  assert.equal(read({ meta_data: { 3: tracking, 5: [] } }).shipping?.trackingNumber, '77120034');
  assert.equal(read({ billing: [] }).buyerName, null);
});

test('parcels stand where the shop’s shipment plugin keeps them', () => {
  const parcel = {
    tracking_provider: 'estafeta',
    custom_tracking_provider: '',
    tracking_number: '77120034',
  };
  const found = read({
    meta_data: [{ id: 1, key: '_wc_shipment_tracking_items', value: [parcel] }],
  });
  const strange = read({
    meta_data: [{ id: 1, key: '_wc_shipment_tracking_items', value: 'a:1:{}' }],
  });

  assert.equal(found.shipping?.carrier, 'estafeta');
  assert.equal(found.shipping?.trackingNumber, '77120034');
  assert.equal(strange.shipping?.trackingNumber, null);
});

test('an order is closed when it was completed, else when all was given back; its last change is no closing date', () => {
  const completed = { date_completed_gmt: '2026-11-13T11:00:00' };
  const refunds = [{ ...REFUND, total: '-829.80' }];
  const closed = (order: object, listed: readonly object[] = []) =>
    read(order, {}, listed).dateClosed?.toString();

  assert.equal(closed({ status: 'completed', ...completed }), '2026-11-13T11:00:00Z');
  assert.equal(
    closed({ status: 'completed', ...completed, refunds }, [LISTED_REFUND]),
    '2026-11-13T11:00:00Z',
  );
  assert.equal(closed({ status: 'refunded', refunds }, [LISTED_REFUND]), REFUNDED_AT.toString());
  assert.equal(closed({ status: 'cancelled' }), undefined);
  assert.equal(closed({ status: 'processing', ...completed }), undefined);
});

test('what is null, absent or empty is not invented', () => {
  const { id, status, currency, date_created_gmt } = ORDER;
  const bare = toSourceOrder(wire({ id, status, currency, date_created_gmt }), {
    statuses: {},
    refunds: [],
    fetchedAt: FETCHED,
  });
  const empty = read({
    total: '',
    billing: { first_name: '', last_name: '' },
    line_items: null,
    shipping_lines: [],
    date_modified_gmt: '0000-00-00T00:00:00',
    parent_id: 1700,
  });

  assert.deepEqual(
    [bare.total, bare.subtotal, bare.buyerName, bare.shipping],
    [null, null, null, null],
  );
  assert.deepEqual([bare.items, bare.changedAt, bare.packId], [[], null, null]);
  assert.deepEqual([empty.total, empty.shipping, empty.changedAt], [null, null, null]);
  assert.deepEqual(empty.buyerName, { given: null, family: null });
  assert.equal(empty.packId, '1700');
});

const UNREADABLE: readonly (readonly [object, string])[] = [
  [{ id: null }, 'id'],
  [{ total: { texto: 'mucho' } }, 'total'],
  [{ date_created_gmt: null }, 'date_created_gmt'],
  [{ date_created_gmt: 'ayer' }, 'date_created_gmt'],
  [{ line_items: [{ ...LINE, quantity: 'dos' }] }, 'line_items.0.quantity'],
];

for (const [order, path] of UNREADABLE)
  test(`an order with ${JSON.stringify(order).slice(0, 40)} cannot be read`, () => {
    assert.throws(
      () => read(order),
      (error) => error instanceof ZodError && error.issues[0]?.path.join('.') === path,
    );
  });

test('a cart at the checkout is no order, and only what was given back has refunds to ask for', () => {
  assert.equal(isDraft(wire({ status: 'checkout-draft' })), true);
  assert.equal(isDraft(wire({ status: 'auto-draft' })), true);
  assert.equal(isDraft(wire(ORDER)), false);
  assert.equal(refundedIdOf(wire(ORDER)), null);
  assert.equal(refundedIdOf(wire({ ...ORDER, refunds: [REFUND] })), '1727');
});

test('of an order that vanished only the end is known', () => {
  const order = vanishedOrder('1727', FETCHED);

  assert.deepEqual(
    [order.status, order.marketplaceStatus, order.changedAt],
    ['cancelled', 'deleted', null],
  );
  const reported = [
    'id',
    'status',
    'marketplaceStatus',
    'dateClosed',
    'changedAt',
    'fetchedAt',
    'keep',
    'raw',
    'unpriced',
  ];
  assert.deepEqual([...reported, ...order.keep].sort(), Object.keys(read()).sort());
});

const GONE: readonly (readonly [number, string, boolean])[] = [
  [404, '{"code":"woocommerce_rest_shop_order_invalid_id","message":"Invalid ID."}', true],
  [404, '{"code":"woocommerce_rest_term_invalid","message":"Resource doesn\'t exist."}', true],
  [404, '{"code":"rest_no_route","message":"No route was found"}', false],
  [404, '<html>Página no encontrada</html>', false],
  [400, '{"code":"woocommerce_rest_shop_order_invalid_id"}', false],
];

for (const [status, body, gone] of GONE)
  test(`${status} with ${body.slice(0, 48)} says ${gone ? 'that it is gone' : 'nothing about the order'}`, () => {
    assert.equal(isGone({ status, body, headers: {}, fetchedAt: FETCHED }), gone);
  });

test('a change in the second of the window is no sign of a store that ignores it', () => {
  const from = Temporal.Instant.from('2026-11-12T16:00:05.700Z');

  assert.equal(unchangedSince(wire(ORDER), from), false);
  assert.equal(
    unchangedSince(wire({ ...ORDER, date_modified_gmt: '2026-11-12T16:00:04' }), from),
    true,
  );
  assert.equal(unchangedSince(wire({ ...ORDER, date_modified_gmt: null }), from), false);
});

const PRODUCT = {
  id: 93,
  name: 'Mochila escolar reforzada',
  type: 'simple',
  status: 'publish',
  sku: 'MOCHILA',
  manage_stock: true as unknown,
  stock_quantity: 12 as unknown,
  stock_status: 'instock',
  backorders: 'no',
  parent_id: 0,
  variations: [],
};

const AVAILABLE: readonly (readonly [string, object, number | null])[] = [
  ['counted', {}, 12],
  ['by weight', { stock_quantity: 2.75 }, 2],
  ['as text', { stock_quantity: '7' }, 7],
  ['on backorder', { stock_quantity: -3, stock_status: 'onbackorder' }, 0],
  ['not counted, there', { manage_stock: false, stock_quantity: null }, null],
  [
    'not counted, sold out',
    { manage_stock: false, stock_quantity: null, stock_status: 'outofstock' },
    0,
  ],
  [
    'not counted, on backorder',
    { manage_stock: false, stock_quantity: null, stock_status: 'onbackorder' },
    0,
  ],
  ['counted once, not any more', { manage_stock: false, stock_quantity: 4 }, null],
  ['a draft', { status: 'draft' }, 0],
];

for (const [name, product, available] of AVAILABLE)
  test(`stock of a product: ${name}`, () => {
    assert.equal(toProductStock(wire({ ...PRODUCT, ...product })).available, available);
  });

const VARIATION = {
  id: 97,
  sku: 'MOCHILA-VINO',
  status: true as unknown,
  manage_stock: true as unknown,
  stock_quantity: 5 as unknown,
  stock_status: 'instock',
  attributes: [{ id: 6, name: 'Color', option: 'Vino' }],
};

const OF_VARIATIONS: readonly (readonly [string, object, object, number | null])[] = [
  ['its own', {}, {}, 5],
  ['its product’s', { manage_stock: 'parent', stock_quantity: 12 }, {}, 12],
  ['its product’s, and only said there', { manage_stock: 'parent', stock_quantity: null }, {}, 12],
  ['not counted', { manage_stock: false, stock_quantity: null }, {}, null],
  ['hidden', { status: false }, {}, 0],
  ['of a hidden product', {}, { status: 'draft' }, 0],
];

for (const [name, variation, product, available] of OF_VARIATIONS)
  test(`stock of a variation: ${name}`, () => {
    const level = toVariationStock(
      wire({ ...VARIATION, ...variation }),
      wire({ ...PRODUCT, ...product }),
    );

    assert.deepEqual(level, {
      itemId: '93',
      variationId: '97',
      warehouse: 'seller',
      sku: 'MOCHILA-VINO',
      title: 'Mochila escolar reforzada - Vino',
      available,
      unavailable: 0,
    });
  });

test('a variation that is asked for alone stands under its product', () => {
  const level = toProductStock(wire({ ...PRODUCT, id: 97, type: 'variation', parent_id: 93 }));

  assert.deepEqual([level.itemId, level.variationId], ['93', '97']);
});

test('what is sold by others or as a set has no stock, and a variable product has it below', () => {
  assert.deepEqual(
    ['simple', 'external', 'grouped', 'variable', 'variable-subscription'].map((type) => {
      const row = wire({ ...PRODUCT, type });
      return [type, ownsStock(row), isVariable(row)];
    }),
    [
      ['simple', true, false],
      ['external', false, false],
      ['grouped', false, false],
      ['variable', true, true],
      ['variable-subscription', true, true],
    ],
  );
});
