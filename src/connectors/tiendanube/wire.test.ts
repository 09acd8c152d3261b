import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import type { OrderStatus, SourceOrder, SourceStock, Webhook } from '../contract.ts';
import { TiendanubeCredentials } from './credentials.ts';
import { notifications, privacyTopicOf } from './notifications.ts';
import { readStored } from './orders.ts';
import { hasCurrency, readProduct, Store, toSourceOrder } from './wire.ts';

// Documents in the documented shape, with values of our own.

const FETCHED = Temporal.Instant.from('2026-11-16T18:00:00Z');

/** As it comes off the wire: every number still is its own text. */
function wire(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

/** An order as it is read, of one that was paid and differs as given. */
function read(order: object = {}): SourceOrder {
  return toSourceOrder({ order: wire({ ...PAID, ...order }), storeCurrency: null }, FETCHED);
}

const LINE = {
  id: 990_001,
  name: 'Lámpara de buró (Verde, Chica)',
  price: '349.50',
  product_id: 70_001,
  quantity: '2',
  variant_id: '80001',
  variant_values: ['Verde', 'Chica'],
  sku: 'LAMP-VC',
};

const PAID = {
  id: 612_345_678,
  store_id: '271828',
  billing_name: 'Itzel Núñez Peña',
  shipping_cost_owner: '120.00',
  shipping_cost_customer: '99.00',
  subtotal: '699.00',
  discount: '50.00',
  total: '748.00',
  total_usd: '41.20',
  currency: 'MXN',
  shipping: 'estafeta',
  shipping_option: 'Terrestre',
  shipping_tracking_number: null,
  storefront: 'mobile',
  created_at: '2026-11-09T14:00:00+0000',
  updated_at: '2026-11-09T14:05:30+0000',
  completed_at: { date: '2026-11-09 14:00:00.000000', timezone_type: 3, timezone: 'UTC' },
  next_action: 'waiting_packing',
  customer: { id: 55, name: 'Itzel Núñez', email: 'itzel@example.com', identification: null },
  products: [LINE],
  number: 1_042,
  cancelled_at: null,
  closed_at: null,
  status: 'open',
  payment_status: 'paid',
  shipping_status: 'unpacked',
  shipped_at: null,
  paid_at: '2026-11-09T14:05:30+0000',
};

const STATUSES: readonly (readonly [object, OrderStatus])[] = [
  [{ payment_status: 'pending' }, 'pending'],
  [{ payment_status: 'authorized' }, 'pending'],
  [{ payment_status: 'partially_paid' }, 'pending'],
  [{ payment_status: 'pending', next_action: 'waiting_shipment' }, 'pending'],
  [{ shipping_status: 'unpacked' }, 'paid'],
  [{ shipping_status: 'unfulfilled' }, 'paid'],
  [{ shipping_status: 'unshipped' }, 'paid'],
  [{ shipping_status: null }, 'paid'],
  [{ payment_status: 'partially_refunded' }, 'paid'],
  [{ next_action: 'waiting_shipment' }, 'ready_to_ship'],
  [{ next_action: 'waiting_pickup', shipping_status: 'unfulfilled' }, 'ready_to_ship'],
  [{ next_action: 'waiting_client_pickup', shipping_status: 'unfulfilled' }, 'ready_to_ship'],
  [{ shipping_status: 'packed' }, 'ready_to_ship'],
  [{ shipping_status: 'packed', payment_status: 'pending' }, 'pending'],
  [{ shipping_status: 'partially_packed' }, 'paid'],
  [
    {
      shipping_status: 'unshipped',
      next_action: undefined,
      fulfillment_orders: [{ status: 'PACKED' }],
    },
    'ready_to_ship',
  ],
  [{ shipping_status: 'partially_fulfilled' }, 'partially_shipped'],
  [{ shipping_status: 'shipped' }, 'shipped'],
  [{ shipping_status: 'fulfilled' }, 'shipped'],
  [{ shipping_status: 'fulfilled', payment_status: 'pending' }, 'shipped'],
  [{ shipping_status: 'fulfilled', payment_status: 'partially_refunded' }, 'shipped'],
  [{ shipping_status: 'delivered' }, 'delivered'],
  [{ shipping_status: 'fulfilled', fulfillments: [{ status: 'DELIVERED' }] }, 'delivered'],
  [
    {
      shipping_status: 'fulfilled',
      fulfillment_orders: [{ status: 'DELIVERED' }, { status: 'CANCELLED' }],
    },
    'delivered',
  ],
  [
    {
      shipping_status: 'fulfilled',
      fulfillments: [{ status: 'DELIVERED' }, { status: 'DISPATCHED' }],
    },
    'shipped',
  ],
  [{ shipping_status: 'fulfilled', fulfillments: ['01FHZX'] }, 'shipped'],
  [{ shipping_status: null, fulfillment_orders: [{ status: 'DISPATCHED' }] }, 'shipped'],
  [
    {
      shipping_status: null,
      fulfillment_orders: [{ status: 'NOT_DELIVERED' }, { status: 'DELIVERED' }],
    },
    'shipped',
  ],
  [
    { shipping_status: null, fulfillment_orders: [{ status: 'DISPATCHED' }, { status: 'PACKED' }] },
    'partially_shipped',
  ],
  [
    { shipping_status: null, fulfillment_orders: [{ status: 'READY_FOR_PICKUP' }] },
    'ready_to_ship',
  ],
  [{ payment_status: 'refunded' }, 'refunded'],
  [{ payment_status: 'refunded', shipping_status: 'delivered' }, 'refunded'],
  [{ payment_status: 'voided' }, 'cancelled'],
  [{ payment_status: 'abandoned' }, 'cancelled'],
  [{ status: 'cancelled' }, 'cancelled'],
  [{ status: 'cancelled', payment_status: 'refunded', shipping_status: 'shipped' }, 'cancelled'],
  [{ status: 'closed' }, 'paid'],
  [{ status: 'closed', shipping_status: 'shipped' }, 'shipped'],
  [
    { status: 'closed', payment_status: null, shipping_status: null, shipped_at: PAID.created_at },
    'delivered',
  ],
];

for (const [order, unified] of STATUSES)
  test(`an order with ${JSON.stringify(order)} is ${unified}`, () => {
    const found = read(order);

    assert.equal(found.status, unified);
    assert.equal(found.marketplaceStatus, { ...PAID, ...order }.status);
    assert.deepEqual(found.keep, []);
  });

const NEW_WORDS: readonly (readonly [object, string])[] = [
  [{ status: 'teleported' }, 'teleported'],
  [{ payment_status: 'in_orbit' }, 'open/in_orbit/unpacked'],
  [{ shipping_status: 'in_orbit' }, 'open/paid/in_orbit'],
  [{ payment_status: null }, 'open/unpacked'],
];

for (const [order, native] of NEW_WORDS)
  test(`the statuses of ${JSON.stringify(order)} are unknown, and reported as ${native}`, () => {
    const { status, marketplaceStatus } = read(order);

    assert.deepEqual([status, marketplaceStatus], ['unknown', native]);
  });

test('an archived order without further facts keeps the status that it had', () => {
  const order = read({ status: 'closed', payment_status: null, shipping_status: null });

  assert.deepEqual(order.keep, ['status']);
});

test('the total is what the buyer pays: goods and shipping, less the discount', () => {
  const order = read();

  assert.equal(order.total, '748.00');
  assert.deepEqual(order.totalIncludes, { shipping: true, tax: true, orderDiscount: true });
  assert.deepEqual(
    [order.subtotal, order.orderDiscount, order.shippingTotal],
    ['699', '50.00', '99.00'],
  );
  assert.deepEqual(
    [order.taxTotal, order.taxAdded, order.feesTotal, order.netTotal],
    [null, null, null, null],
  );
});

const DISCOUNTS: readonly (readonly [object, string | null])[] = [
  [{ discount: '60.00', discount_coupon: '0.00', discount_gateway: '60.00' }, '60.00'],
  [{ discount: '35.00', discount_coupon: '20.00', discount_gateway: '15.00' }, '35.00'],
  [{ discount: '0.00', promotional_discount: { total_discount_amount: '0.00' } }, '0.00'],
  [
    {
      discount: null,
      discount_coupon: '20.00',
      discount_gateway: '15.00',
      promotional_discount: { total_discount_amount: '4.50' },
    },
    '39.5',
  ],
  [{ discount: null, promotional_discount: [] }, null],
];

for (const [order, discount] of DISCOUNTS)
  test(`the discount of an order with ${JSON.stringify(order)} is ${discount}`, () => {
    assert.equal(read(order).orderDiscount, discount);
  });

const FORMER_PRICES = [
  ['466.00', '466.00'] as const,
  ['349.50', '349.50'] as const,
  // Below what was paid: typed by a seller who meant something else.
  ['37.77', null] as const,
  [null, null] as const,
  ['', null] as const,
];

for (const [compare_at_price, listPrice] of FORMER_PRICES)
  test(`a line sold at 349.50 whose former price is ${JSON.stringify(compare_at_price)} has the list price ${listPrice}`, () => {
    const order = read({ discount: '0.00', products: [{ ...LINE, compare_at_price }] });

    assert.deepEqual([order.items[0]?.unitPrice, order.items[0]?.listPrice], ['349.50', listPrice]);
    const discount = listPrice === '466.00' ? '233' : '0';
    assert.equal(order.discountTotal, listPrice === null ? null : discount);
  });

test('goods by weight: the quantity is rounded up, the money is not', () => {
  const order = read({ products: [{ ...LINE, price: '80.00', quantity: '1.250' }] });

  assert.deepEqual(
    [order.items[0]?.quantity, order.items[0]?.subtotal, order.subtotal],
    [2, '100', '100'],
  );
});

const CURRENCIES: readonly (readonly [unknown, string | null, string])[] = [
  ['MXN', null, 'MXN'],
  ['mxn', null, 'MXN'],
  ['', 'MXN', 'MXN'],
  ['string', 'ARS', 'ARS'],
];

for (const [reported, ofStore, currency] of CURRENCIES)
  test(`an order in ${JSON.stringify(reported)} of a store in ${ofStore} is one in ${currency}`, () => {
    const row = wire({ ...PAID, currency: reported });

    const order = toSourceOrder({ order: row, storeCurrency: ofStore }, FETCHED);

    assert.equal(hasCurrency(row), ofStore === null);
    assert.deepEqual([order.currency, order.items[0]?.currency], [currency, currency]);
    assert.deepEqual(readStored(order.raw ?? '', FETCHED), { ok: true, item: order });
  });

const PARCEL = {
  id: '01HXPARCEL',
  status: 'DISPATCHED',
  shipping: {
    carrier: { name: 'Estafeta', id: '7' },
    option: { name: 'Terrestre' },
    merchant_cost: { value: 120, currency: 'MXN' },
    consumer_cost: { value: 60.5, currency: 'MXN' },
  },
  tracking_info: { url: null, code: 'MX000111' },
  fulfilled_at: '2026-11-10T08:00:00+00:00',
};
const DATED = {
  shipping: undefined,
  shipping_option: undefined,
  shipping_tracking_number: undefined,
  shipping_cost_owner: undefined,
  shipping_cost_customer: undefined,
  shipped_at: undefined,
  next_action: undefined,
};

test('dated versions report shipping by the parcel, and what the buyer pays for each', () => {
  const second = { ...PARCEL, id: '01HXOTHER', fulfilled_at: '2026-11-11T08:00:00+00:00' };
  const dropped = { ...PARCEL, id: '01HXDROPPED', status: 'CANCELLED' };

  const order = read({
    ...DATED,
    fulfillment_orders: [dropped, second, PARCEL],
    shipping_status: 'shipped',
  });
  const cancelled = read({ ...DATED, fulfillment_orders: [dropped], status: 'cancelled' });
  const unasked = read({ ...DATED, fulfillments: ['01HXPARCEL'] });

  assert.equal(order.shippingTotal, '121');
  assert.deepEqual(
    { ...order.shipping, shippedAt: order.shipping?.shippedAt?.toString() },
    {
      carrier: 'Estafeta',
      trackingNumber: 'MX000111',
      method: 'Terrestre',
      status: 'shipped',
      shippedAt: '2026-11-10T08:00:00Z',
      deliveredAt: null,
    },
  );
  assert.equal(cancelled.shippingTotal, '60.5', 'what was bought stays what was bought');
  assert.equal(unasked.shippingTotal, null);
});

test('old documents call the total a price', () => {
  assert.equal(read({ total: undefined, price: '58.00' }).total, '58.00');
  assert.equal(read({ total: undefined }).total, null);
});

test('a refund in full is the total; a partial one has no amount', () => {
  const whole = read({ payment_status: 'refunded' });
  const part = read({ payment_status: 'partially_refunded' });

  assert.deepEqual(
    [whole.refundedTotal, whole.refunds],
    ['748.00', [{ amount: '748.00', at: null }]],
  );
  assert.deepEqual([part.refundedTotal, part.refunds], [null, []]);
  assert.equal(read().refundedTotal, null);
});

const QUANTITIES = [['2', 2] as const, [2, 2] as const, ['1.000', 1] as const];

for (const [quantity, count] of QUANTITIES)
  test(`a quantity may be ${JSON.stringify(quantity)}`, () => {
    const [item] = read({ products: [{ ...LINE, quantity }] }).items;

    assert.deepEqual(
      [item?.quantity, item?.unitPrice, item?.variation],
      [count, '349.50', 'Verde, Chica'],
    );
    assert.equal(Number(item?.subtotal), 349.5 * count);
  });

test('a line of old documents has neither id nor name', () => {
  const [item] = read({ products: [{ product_id: 70_001, price: '19.00', quantity: 2 }] }).items;

  assert.deepEqual(
    [item?.id, item?.title, item?.sku, item?.variation, item?.listPrice],
    ['70001', 'Sin título', null, null, null],
  );
});

const TIMES = ['2026-11-09T14:00:00+0000', '2026-11-09T11:00:00-03:00', '2026-11-09T11:00:00-0300'];

for (const time of TIMES)
  test(`${time} is read with its offset`, () => {
    const { dateCreated, changedAt, dateClosed } = read({
      status: 'cancelled',
      created_at: time,
      updated_at: time,
      cancelled_at: time,
    });

    for (const at of [dateCreated, changedAt, dateClosed])
      assert.equal(at?.toString(), '2026-11-09T14:00:00Z');
  });

test('a time that never was is none, and costs no order', () => {
  const never = '-0001-11-30T00:00:00+0000';

  const order = read({ closed_at: never, cancelled_at: '', shipped_at: never, updated_at: never });

  assert.deepEqual(
    [order.dateClosed, order.shipping?.shippedAt, order.changedAt],
    [null, null, null],
  );
});

test('an order that was archived is not closed by that, open or not; one that was cancelled is', () => {
  const [closed_at, cancelled_at] = ['2026-11-12T10:00:00+0000', '2026-11-11T10:00:00+0000'];

  assert.equal(read({ closed_at }).dateClosed, null);
  assert.equal(
    read({ closed_at, status: 'closed', shipping_status: 'delivered' }).dateClosed,
    null,
  );
  assert.equal(
    read({ closed_at, cancelled_at, status: 'cancelled' }).dateClosed?.toString(),
    '2026-11-11T10:00:00Z',
  );
  assert.equal(read({ payment_status: 'voided' }).dateClosed, null);
});

const NAMES: readonly (readonly [object, string | null])[] = [
  [{}, 'Itzel Núñez'],
  [{ customer: null }, 'Itzel Núñez Peña'],
  [{ customer: undefined }, 'Itzel Núñez Peña'],
  [{ customer: [] }, 'Itzel Núñez Peña'],
  [{ customer: { name: ' ' } }, 'Itzel Núñez Peña'],
  [{ customer: null, billing_name: null, contact_name: 'Ana Ruiz' }, 'Ana Ruiz'],
  [{ customer: null, billing_name: null }, null],
];

for (const [order, name] of NAMES)
  test(`with ${JSON.stringify(order)} the buyer is ${name}`, () => {
    assert.equal(read(order).buyerName, name);
  });

test('an order says from which storefront it came', () => {
  assert.deepEqual(read({ storefront: 'meli' }).tags, ['storefront:meli']);
  assert.deepEqual(read({ storefront: null }).tags, []);
});

test('what an order does not say is null, never zero', () => {
  const { id, currency, created_at } = PAID;

  const order = read({
    ...Object.fromEntries(Object.keys(PAID).map((name) => [name, null])),
    id,
    currency,
    created_at,
    status: 'cancelled',
  });

  const silent = [
    order.total,
    order.subtotal,
    order.discountTotal,
    order.shippingTotal,
    order.refundedTotal,
  ];
  assert.deepEqual(silent, [null, null, null, null, null]);
  assert.deepEqual(
    [order.buyerName, order.changedAt, order.shipping, order.items],
    [null, null, null, []],
  );
});

const UNREADABLE: readonly (readonly [object, string])[] = [
  [{ id: null }, 'id'],
  [{ currency: 'string' }, 'currency'],
  [{ created_at: 'ayer' }, 'created_at'],
  [{ total: { texto: 'mucho' } }, 'total'],
  [{ products: [{ ...LINE, price: null }] }, 'products.0.price'],
  [{ products: [{ ...LINE, quantity: 'dos' }] }, 'products.0.quantity'],
];

for (const [order, path] of UNREADABLE)
  test(`an order with ${JSON.stringify(order)} is refused for its ${path}`, () => {
    assert.throws(
      () => read(order),
      (error) => error instanceof ZodError && error.issues[0]?.path.join('.') === path,
    );
  });

// Inventory

const VARIANT = {
  id: 80_001,
  product_id: 70_001,
  sku: 'LAMP-VC',
  stock: 7,
  stock_management: true,
  values: [{ es: 'Verde', pt: 'Verde escuro' }, { es: 'Chica' }],
};

function stockOf(variant: object, product: object = {}): SourceStock[] {
  const document = {
    id: 70_001,
    name: { en: 'Lamp', es: 'Lámpara' },
    variants: [variant],
    ...product,
  };
  return readProduct(wire(document)).map((one) => (one.ok ? one.item : assert.fail(one.reason)));
}

test('every variant of a product is a level of stock', () => {
  const levels = stockOf({}, { variants: [VARIANT, { ...VARIANT, id: 80_002, values: [] }] });

  assert.deepEqual(
    levels.map(({ itemId, variationId, title, sku }) => [itemId, variationId, title, sku]),
    [
      ['70001', '80001', 'Lámpara (Verde, Chica)', 'LAMP-VC'],
      ['70001', '80002', 'Lámpara', 'LAMP-VC'],
    ],
  );
});

const STOCKS: readonly (readonly [object, number | null])[] = [
  [{ stock: 7 }, 7],
  [{ stock: '7' }, 7],
  [{ stock: 0 }, 0],
  [{ stock: null }, null],
  [{ stock: 7, stock_management: false }, null],
  [
    {
      stock: undefined,
      inventory_levels: [
        { location_id: 'A', stock: 3 },
        { location_id: 'B', stock: 4 },
      ],
    },
    7,
  ],
  [{ stock: null, inventory_levels: [{ location_id: 'A', stock: null }] }, null],
];

for (const [variant, available] of STOCKS)
  test(`of ${JSON.stringify(variant)} ${available ?? 'any number'} can be sold`, () => {
    assert.equal(stockOf({ ...VARIANT, ...variant })[0]?.available, available);
  });

test('a product that cannot be read goes by its own id', () => {
  const [found] = readProduct(wire({ id: 70_001, variants: [{ ...VARIANT, stock: 'pocos' }] }));

  assert.ok(found && !found.ok);
  assert.equal(found.externalId, '70001');
});

test('a store is called by its Spanish name, or by any that it has', () => {
  const nameOf = (name: unknown) => Store.parse(wire({ id: 1, name })).name;

  assert.equal(nameOf({ en: 'Shop', es: 'Tienda' }), 'Tienda');
  assert.equal(nameOf({ es: '', pt: 'Loja' }), 'Loja');
  assert.equal(nameOf('Tienda'), 'Tienda');
  assert.equal(nameOf({}), null);
});

// Pushes

const SECRET = 'secreto-de-la-aplicacion';
const OURS = TiendanubeCredentials.parse({ store_id: 271_828, access_token: 'token' });
const SECRETS = { application: { clientId: '4321', clientSecret: SECRET }, secret: '' };

function pushOf(body: object, signature?: string): Webhook {
  const text = JSON.stringify(body);
  const signed = signature ?? createHmac('sha256', SECRET).update(text).digest('hex');
  return { text, body: parseLossless(text), headers: { 'x-linkedstore-hmac-sha256': signed } };
}

const PUSHED = { store_id: 271_828, event: 'order/paid', id: 612_345_678 };

test('a push is signed in hexadecimal with the secret of the application', () => {
  // {"store_id":271828,"event":"order/paid","id":612345678}
  const known = '86a7cefd371da68aec41c1c496289075acd08d12df7024a58b6ca38adc47430c';

  assert.equal(notifications.verify(pushOf(PUSHED, known), OURS, SECRETS), true);
  assert.equal(notifications.verify(pushOf(PUSHED, known.toUpperCase()), OURS, SECRETS), true);
  for (const wrong of ['', 'x', known.replace(/^./, '0'), `${known}00`])
    assert.equal(notifications.verify(pushOf(PUSHED, wrong), OURS, SECRETS), false, wrong);
  assert.equal(notifications.verify({ ...pushOf(PUSHED), headers: {} }, OURS, SECRETS), false);
});

test('a push is taken for its own store only, and with the secret of its own application', () => {
  const typed = { ...OURS, client_secret: 'otro-secreto' };

  assert.equal(notifications.account(pushOf(PUSHED)), '271828');
  assert.equal(notifications.account(pushOf({ hola: 1 })), null);
  assert.equal(notifications.verify(pushOf({ ...PUSHED, store_id: 3 }), OURS, SECRETS), false);
  assert.equal(notifications.verify(pushOf(PUSHED), typed, SECRETS), false);
  assert.equal(
    notifications.verify(pushOf(PUSHED), OURS, { application: null, secret: '' }),
    false,
  );
});

const NOTIFICATIONS: readonly (readonly [object, object[]])[] = [
  [PUSHED, [{ stream: 'orders', id: '612345678' }]],
  [{ ...PUSHED, event: 'order/edited' }, [{ stream: 'orders', id: '612345678' }]],
  [{ ...PUSHED, event: 'product/updated', id: 70_001 }, [{ stream: 'inventory', id: '70001' }]],
  [{ ...PUSHED, event: 'category/updated' }, []],
  [{ ...PUSHED, event: 'app/uninstalled' }, []],
  [
    { store_id: 271_828, order_id: 612_345_678, fulfillment_id: '01F', status: 'DELIVERED' },
    [{ stream: 'orders', id: '612345678' }],
  ],
];

for (const [body, named] of NOTIFICATIONS)
  test(`the push ${JSON.stringify(body)} notifies ${JSON.stringify(named)}`, () => {
    assert.deepEqual(notifications.notificationsIn(pushOf(body)), named);
  });

const CUSTOMER = { id: 5, email: 'itzel@example.com', phone: null, identification: null };
const PRIVACY: readonly (readonly [object, string | null, readonly object[]])[] = [
  [{ store_id: 271_828 }, 'store/redact', [{ forget: 'account' }]],
  [
    { store_id: 271_828, customer: CUSTOMER, orders_to_redact: [612_345_678] },
    'customers/redact',
    [{ forget: 'buyer', orderIds: ['612345678'] }],
  ],
  [
    { store_id: 271_828, customer: CUSTOMER, orders_requested: [9], data_request: { id: 4 } },
    'customers/data_request',
    [{ show: 'buyer', orderIds: ['9'] }],
  ],
  [
    { store_id: 271_828, event: 'customers/redact', id: 5 },
    'customers/redact',
    [{ forget: 'buyer', orderIds: [] }],
  ],
  [{ store_id: 271_828, event: 'app/uninstalled' }, null, []],
  [{ hola: 1 }, null, []],
];

for (const [body, topic, named] of PRIVACY)
  test(`the push ${JSON.stringify(body)} is ${topic ?? 'not about personal data'}`, () => {
    assert.equal(privacyTopicOf(pushOf(body).body), topic);
    assert.deepEqual(notifications.notificationsIn(pushOf(body)), named);
  });
