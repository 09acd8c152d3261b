import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import type { OrderStatus, Read, SourceOrder } from '../contract.ts';
import {
  invoicedIdOf,
  readCycle,
  readInvoice,
  readOffer,
  readOrder,
  readStoredOrder,
  toSourceOrder,
} from './wire.ts';

// Documents in the documented shape, with values of our own.

const FETCHED = Temporal.Instant.from('2026-11-16T18:00:00Z');

/** As it comes off the wire: every number still is its own text. */
function wire(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

const CONTEXT = { currency: null, fetchedAt: FETCHED };

/** An order as it is read, of one that was received and differs as given. */
function read(order: object = {}): SourceOrder {
  return toSourceOrder(wire({ ...RECEIVED, ...order }), CONTEXT);
}

function understood<Item>(found: Read<Item> | null): Item {
  assert.ok(found?.ok);
  return found.item;
}

const LINE = {
  cancelations: [],
  commission_fee: 82.5,
  fees: [{ amount: 15, code: 'armado' }],
  last_updated_date: '2026-11-12T09:30:00Z',
  offer_id: 40021,
  offer_sku: 'SILLA-01',
  order_line_id: 'MX_00021-A-1',
  order_line_index: 1,
  order_line_state: 'RECEIVED',
  price: 550,
  price_unit: 275,
  origin_unit_price: 300,
  product_shop_sku: '990021',
  product_sku: 'MKP21',
  product_title: 'Silla plegable para campamento',
  quantity: 2,
  received_date: '2026-11-12T09:30:00Z',
  refunds: [],
  shipped_date: '2026-11-10T16:00:00Z',
  shipping_price: 99,
  shipping_taxes: [{ amount: 13.66, code: 'IVA' }],
  taxes: [{ amount: 75.86, code: 'IVA', rate: 16 }],
  total_price: 664,
};

const REFUND = {
  amount: 275,
  created_date: '2026-11-13T08:00:00Z',
  fees: [{ amount: 7.5, code: 'armado' }],
  id: '1106',
  quantity: 1,
  shipping_amount: 49.5,
  shipping_taxes: [{ amount: 7.92, code: 'IVA' }],
  state: 'REFUNDED',
  taxes: [{ amount: 44, code: 'IVA' }],
  transaction_date: '2026-11-14T08:00:00.250Z',
};

const RECEIVED = {
  acceptance_decision_date: '2026-11-09T15:00:00Z',
  commercial_id: 'MX_00021',
  created_date: '2026-11-09T14:00:00Z',
  currency_iso_code: 'MXN',
  customer: { customer_id: 'C-1', firstname: 'Itzel', lastname: 'Núñez Peña', locale: 'es_MX' },
  customer_debited_date: '2026-11-09T15:01:02.345Z',
  fully_refunded: false,
  has_incident: false,
  has_invoice: true,
  last_updated_date: '2026-11-12T09:31:00.125Z',
  order_id: 'MX_00021-A',
  order_lines: [LINE],
  order_state: 'RECEIVED',
  order_tax_mode: 'TAX_INCLUDED',
  price: 550,
  promotions: { applied_promotions: [], total_deduced_amount: 12.5 },
  shipping_carrier_code: 'DHL',
  shipping_company: 'DHL Express',
  shipping_price: 99,
  shipping_tracking: 'MX0000000021TG',
  shipping_type_code: 'STD',
  shipping_type_label: 'Estándar',
  total_commission: 95.7,
  total_price: 664,
};

const STATES: readonly (readonly [string, OrderStatus])[] = [
  ['STAGING', 'pending'],
  ['WAITING_ACCEPTANCE', 'pending'],
  ['WAITING_DEBIT', 'pending'],
  ['WAITING_DEBIT_PAYMENT', 'pending'],
  ['SHIPPING', 'paid'],
  ['SHIPPED', 'shipped'],
  ['TO_COLLECT', 'shipped'],
  ['RECEIVED', 'delivered'],
  ['CLOSED', 'delivered'],
  ['REFUSED', 'cancelled'],
  ['CANCELED', 'cancelled'],
  ['REFUNDED', 'refunded'],
  ['WAITING_NEW_STATE', 'unknown'],
];

for (const [native, unified] of STATES)
  test(`an order that is ${native} is ${unified}`, () => {
    const order = read({
      order_state: native,
      order_lines: [{ ...LINE, order_line_state: native }],
    });

    assert.equal(order.status, unified);
    assert.equal(order.marketplaceStatus, native);
  });

const lines = (...states: string[]) =>
  states.map((order_line_state) => ({ ...LINE, order_line_state }));

const MIXED: readonly (readonly [string, object, OrderStatus])[] = [
  [
    'some lines are sent',
    { order_state: 'SHIPPING', order_lines: lines('SHIPPED', 'SHIPPING') },
    'partially_shipped',
  ],
  [
    'some lines arrived',
    { order_state: 'SHIPPING', order_lines: lines('RECEIVED', 'SHIPPING') },
    'partially_shipped',
  ],
  [
    'a sent line has an incident',
    { order_state: 'SHIPPING', order_lines: lines('INCIDENT_OPEN', 'SHIPPING') },
    'partially_shipped',
  ],
  [
    'some lines were cancelled',
    { order_state: 'SHIPPING', order_lines: lines('CANCELED', 'SHIPPING') },
    'paid',
  ],
  [
    'all lines are refunded',
    { order_state: 'RECEIVED', order_lines: lines('REFUNDED', 'REFUNDED') },
    'refunded',
  ],
  [
    'all that was not cancelled is refunded',
    { order_state: 'CLOSED', order_lines: lines('REFUNDED', 'CANCELED') },
    'refunded',
  ],
  [
    'some lines are refunded',
    { order_state: 'RECEIVED', order_lines: lines('REFUNDED', 'RECEIVED') },
    'delivered',
  ],
  [
    'it says that it is fully refunded',
    { order_state: 'CLOSED', fully_refunded: true },
    'refunded',
  ],
  [
    'it was refunded before it was sent',
    { order_state: 'SHIPPING', fully_refunded: true },
    'refunded',
  ],
  ['it was cancelled and refunded', { order_state: 'CANCELED', fully_refunded: true }, 'cancelled'],
  [
    'its state is new and it is refunded',
    { order_state: 'WAITING_NEW_STATE', fully_refunded: true },
    'unknown',
  ],
];

for (const [when, order, unified] of MIXED)
  test(`an order is ${unified} when ${when}`, () => {
    assert.equal(read(order).status, unified);
  });

test('an incident is an open claim, and leaves the status alone', () => {
  const order = read({ order_state: 'SHIPPED', order_lines: lines('INCIDENT_OPEN') });

  assert.equal(order.status, 'shipped');
  assert.deepEqual(order.tags, ['INCIDENT_OPEN', 'open_claim']);
  assert.deepEqual(read({ has_incident: true }).tags, ['INCIDENT_OPEN', 'open_claim']);
  assert.deepEqual(read().tags, []);
});

test('the total is the order’s own: with shipping and fees, which its lines’ prices lack', () => {
  const order = read();

  assert.equal(order.total, '664');
  assert.equal(order.subtotal, '550');
  assert.equal(order.shippingTotal, '99');
  assert.deepEqual([order.orderDiscount, order.discountTotal], ['0', '50']);
  assert.deepEqual(order.other, [{ name: 'armado', amount: '15' }]);
  assert.deepEqual(order.totalIncludes, { shipping: true, tax: true, orderDiscount: true });
  assert.equal(order.feesTotal, '95.7');
  assert.equal(order.taxTotal, '89.52');
  assert.equal(order.netTotal, null);
});

test('where the operator reports prices without taxes, these come on top and are not in the total', () => {
  const order = read({ order_tax_mode: 'TAX_EXCLUDED' });

  assert.deepEqual(
    [order.taxAdded, order.taxTotal, order.totalIncludes?.tax],
    ['89.52', '89.52', false],
  );
  assert.equal(read().taxAdded, '0');
});

test('an order without a currency is in that of its shop', () => {
  const row = wire({ ...RECEIVED, currency_iso_code: null });

  assert.equal(toSourceOrder(row, { ...CONTEXT, currency: 'MXN' }).currency, 'MXN');
  assert.throws(() => toSourceOrder(row, CONTEXT), /currency_iso_code/);
  const kept = readStoredOrder(JSON.stringify(row), FETCHED);
  assert.deepEqual(kept.ok && kept.item.keep, ['currency', 'items'], 'the stored one stays');
});

test('pieces that were cancelled stand apart from those that were ordered', () => {
  const cancelations = [{ quantity: 1, created_date: '2026-11-10T10:00:00Z', amount: 275 }];
  const [item] = read({ order_lines: [{ ...LINE, cancelations }] }).items;

  assert.deepEqual([item?.quantity, item?.cancelledQuantity, item?.subtotal], [2, 1, '550']);
});

const GONE_PIECES: readonly (readonly [string, object, number])[] = [
  ['was refused', { order_line_state: 'REFUSED' }, 2],
  ['was cancelled', { order_line_state: 'CANCELED' }, 2],
  ['was given back whole', { order_line_state: 'REFUNDED' }, 2],
  ['had a piece paid back', { refunds: [REFUND] }, 1],
  ['had money paid back, and no piece', { refunds: [{ ...REFUND, quantity: 0 }] }, 0],
  ['waits for a refund to be paid', { refunds: [{ ...REFUND, state: 'WAITING_REFUND' }] }, 0],
  [
    'had a piece cancelled and one paid back',
    { cancelations: [{ quantity: 1 }], refunds: [REFUND] },
    2,
  ],
  ['was paid back twice over', { refunds: [REFUND, REFUND, REFUND] }, 2],
];

for (const [what, line, gone] of GONE_PIECES)
  test(`of a line of two pieces that ${what}, ${gone} are not sold`, () => {
    const [item] = read({ order_lines: [{ ...LINE, ...line }] }).items;

    assert.deepEqual([item?.quantity, item?.cancelledQuantity], [2, gone]);
  });

test('refunds that cover the total make it refunded, whatever the order says of itself', () => {
  const refund = { ...REFUND, amount: 664, fees: [], shipping_amount: 0 };

  assert.equal(read({ order_lines: [{ ...LINE, refunds: [refund] }] }).status, 'refunded');
  assert.equal(read({ order_lines: [{ ...LINE, refunds: [REFUND] }] }).status, 'delivered');
});

test('amounts keep the decimals that they came with, as numbers and as text', () => {
  const document = JSON.stringify({ ...RECEIVED, shipping_price: '99.10', order_lines: [] });

  const order = toSourceOrder(
    parseLossless(document.replace('"total_price":664', '"total_price":664.00')),
    CONTEXT,
  );

  assert.equal(order.total, '664.00');
  assert.equal(order.shippingTotal, '99.10');
});

test('what an order does not say is null, never zero', () => {
  const { order_id, order_state, currency_iso_code, created_date } = RECEIVED;

  const order = read({
    ...Object.fromEntries(Object.keys(RECEIVED).map((name) => [name, null])),
    order_id,
    order_state,
    currency_iso_code,
    created_date,
  });

  for (const field of [
    'total',
    'subtotal',
    'discountTotal',
    'shippingTotal',
    'taxTotal',
    'feesTotal',
  ] as const)
    assert.equal(order[field], null, field);
  assert.equal(order.refundedTotal, null);
  assert.deepEqual([order.refunds, order.items, order.tags], [[], [], []]);
  assert.deepEqual([order.buyerName, order.shipping, order.packId], [null, null, null]);
  assert.deepEqual(
    [order.dateClosed, order.changedAt, order.fulfillmentStatus],
    [null, null, null],
  );
});

test('absent fields are read like null ones', () => {
  const { order_id, order_state, currency_iso_code, created_date } = RECEIVED;
  const bare = { order_id, order_state, currency_iso_code, created_date };

  const order = toSourceOrder(
    wire({ ...bare, order_lines: [{ quantity: 1, price_unit: 10 }] }),
    CONTEXT,
  );

  assert.equal(order.total, null);
  assert.deepEqual(order.items, [
    {
      id: null,
      sku: null,
      title: 'Sin título',
      variation: null,
      quantity: 1,
      cancelledQuantity: 0,
      quantityKnown: true,
      unitPrice: '10',
      listPrice: null,
      subtotal: '10',
      currency: 'MXN',
    },
  ]);
});

test('a line has the seller’s own SKU, and its price without shipping', () => {
  assert.deepEqual(read().items, [
    {
      id: 'MX_00021-A-1',
      sku: 'SILLA-01',
      title: 'Silla plegable para campamento',
      variation: null,
      quantity: 2,
      cancelledQuantity: 0,
      quantityKnown: true,
      unitPrice: '275',
      listPrice: '300',
      subtotal: '550',
      currency: 'MXN',
    },
  ]);
  assert.equal(read({ order_lines: [{ ...LINE, offer_sku: 40021 }] }).items[0]?.sku, '40021');
  assert.equal(read({ order_lines: [{ ...LINE, offer_sku: '' }] }).items[0]?.sku, '990021');
});

test('an order that is not in pesos stays in its currency', () => {
  const order = read({ currency_iso_code: 'NGN' });

  assert.deepEqual([order.currency, order.items[0]?.currency], ['NGN', 'NGN']);
});

test('a refund is goods, shipping and fees, when its payment was made', () => {
  const order = read({
    order_lines: [
      { ...LINE, refunds: [REFUND, { amount: 10, created_date: '2026-11-15T08:00:00Z' }] },
    ],
  });

  assert.deepEqual(
    order.refunds.map(({ amount, at }) => [amount, at?.toString()]),
    [
      ['332', '2026-11-14T08:00:00.25Z'],
      ['10', '2026-11-15T08:00:00Z'],
    ],
  );
  assert.equal(order.refundedTotal, '342');
  assert.equal(order.status, 'delivered');
});

for (const state of ['WAITING_REFUND', 'WAITING_REFUND_PAYMENT'])
  test(`a refund that is ${state} was not given back yet`, () => {
    const order = read({ order_lines: [{ ...LINE, refunds: [{ ...REFUND, state }] }] });

    assert.deepEqual([order.refundedTotal, order.refunds], [null, []]);
  });

const received = { ...LINE, received_date: '2026-11-12T09:30:00Z' };
const notReceived = { ...LINE, received_date: null };
const CLOSINGS: readonly (readonly [string, object, string | null])[] = [
  [
    'the last line was received',
    { order_lines: [received, { ...LINE, received_date: '2026-11-13T09:30:00Z' }] },
    '2026-11-13T09:30:00Z',
  ],
  [
    'it was received, though it was refunded later',
    { fully_refunded: true, order_lines: [{ ...received, refunds: [REFUND] }] },
    '2026-11-12T09:30:00Z',
  ],
  [
    'it was refunded, if it was not received',
    {
      order_state: 'SHIPPING',
      fully_refunded: true,
      order_lines: [{ ...notReceived, refunds: [REFUND] }],
    },
    '2026-11-14T08:00:00.25Z',
  ],
  [
    'it was refused',
    { order_state: 'REFUSED', order_lines: [notReceived] },
    '2026-11-09T15:00:00Z',
  ],
  [
    'its last line was cancelled',
    {
      order_state: 'CANCELED',
      order_lines: [{ ...notReceived, cancelations: [{ created_date: '2026-11-10T08:00:00Z' }] }],
    },
    '2026-11-10T08:00:00Z',
  ],
  [
    'nothing is reported: its last change is no closing date',
    { order_state: 'CLOSED', order_lines: [notReceived] },
    null,
  ],
];

for (const [when, order, at] of CLOSINGS)
  test(`an order was closed when ${when}`, () => {
    assert.equal(read(order).dateClosed?.toString() ?? null, at);
  });

test('an open order has no closing date, though some of it arrived', () => {
  assert.equal(
    read({ order_state: 'SHIPPED', order_lines: [received, notReceived] }).dateClosed,
    null,
  );
});

test('the newest change of an order or of one of its lines is its version', () => {
  assert.equal(read().changedAt?.toString(), '2026-11-12T09:31:00.125Z');

  const line = { ...LINE, last_updated_date: '2026-11-12T11:00:00Z' };
  assert.equal(read({ order_lines: [line] }).changedAt?.toString(), '2026-11-12T11:00:00Z');
});

test('times come with and without milliseconds', () => {
  const order = read({ created_date: '2026-11-09T14:00:00.007Z' });

  assert.equal(order.dateCreated.toString(), '2026-11-09T14:00:00.007Z');
});

test('a buyer without a name stays without one', () => {
  assert.deepEqual(read().buyerName, { given: 'Itzel', family: 'Núñez Peña' });
  const nameless = { customer_id: 'C-1', firstname: '', lastname: null };
  assert.deepEqual(read({ customer: nameless }).buyerName, { given: null, family: null });
});

test('a split purchase is named by its commercial id', () => {
  const [one, other] = [read(), read({ order_id: 'MX_00021-B' })];

  assert.deepEqual([one.id, other.id], ['MX_00021-A', 'MX_00021-B']);
  assert.deepEqual([one.packId, other.packId], ['MX_00021', 'MX_00021']);
});

test('the parcel has its carrier, its number and its dates', () => {
  const { shipping } = read();

  assert.deepEqual(
    {
      ...shipping,
      shippedAt: String(shipping?.shippedAt),
      deliveredAt: String(shipping?.deliveredAt),
    },
    {
      carrier: 'DHL Express',
      trackingNumber: 'MX0000000021TG',
      method: 'Estándar',
      status: null,
      shippedAt: '2026-11-10T16:00:00Z',
      deliveredAt: '2026-11-12T09:30:00Z',
    },
  );
});

test('the lines’ own states are the order’s fulfilment', () => {
  assert.equal(
    read({ order_lines: lines('SHIPPING', 'SHIPPED', 'SHIPPING') }).fulfillmentStatus,
    'SHIPPED,SHIPPING',
  );
});

test('an order that cannot be read is set aside under its id', () => {
  const found = readOrder(wire({ ...RECEIVED, total_price: { texto: 'mucho' } }), CONTEXT);

  assert.ok(!found.ok);
  assert.equal(found.externalId, 'MX_00021-A');
  assert.match(found.reason, /^total_price: /);
  assert.throws(() => read({ created_date: 'ayer' }), ZodError);
});

test('an order whose id is too long is set aside under what fits of it', () => {
  const found = readOrder(wire({ ...RECEIVED, order_id: 'A'.repeat(3_000) }), CONTEXT);

  assert.ok(!found.ok);
  assert.match(found.externalId ?? '', /^A{100,}/);
});

test('a row that is no order at all is set aside too', () => {
  for (const row of [null, 'texto', [], {}]) assert.equal(readOrder(row, CONTEXT).ok, false);
});

test('an offer is one number, whether buyers see it or not', () => {
  const offer = {
    active: false,
    offer_id: 2135,
    product_title: 'Botín',
    quantity: 7,
    shop_sku: 'B-10',
  };

  assert.deepEqual(understood(readOffer(wire(offer))), {
    itemId: '2135',
    variationId: '',
    warehouse: 'seller',
    sku: 'B-10',
    title: 'Botín',
    available: 7,
    unavailable: 0,
  });
});

test('an offer without a quantity is not an offer of nothing', () => {
  const found = readOffer(wire({ offer_id: 2135, shop_sku: 'B-10' }));

  assert.ok(!found.ok);
  assert.deepEqual([found.externalId, found.reason], ['2135', 'quantity: expected a whole number']);
});

const CYCLE = {
  amount_transferred_to_operator: 158.4,
  amount_transferred_to_seller: 841.6,
  currency_iso_code: 'MXN',
  date_created: '2026-11-10T06:00:00Z',
  id: '2f6c0a52-0000-4000-8000-000000000001',
  pay_out: { reference: 'SPEI-77', state: 'PAID' },
  summary: { total_payable_orders_incl_tax: 1000 },
};

test('a billing cycle has the sales, what the operator keeps and what the seller gets', () => {
  const settlement = understood(readCycle(wire(CYCLE)));

  assert.deepEqual(
    { ...settlement, to: settlement.to?.toString(), raw: undefined },
    {
      id: CYCLE.id,
      status: 'paid',
      marketplaceStatus: 'PAID',
      currency: 'MXN',
      gross: '1000',
      fees: '158.4',
      net: '841.6',
      from: null,
      to: '2026-11-10T06:00:00Z',
      paidAt: null,
      reference: 'SPEI-77',
      changedAt: null,
      raw: undefined,
    },
  );
});

const PAYOUTS = [
  [{ state: 'TO_PAY' }, 'pending', 'TO_PAY'],
  [{ state: 'FAILED' }, 'failed', 'FAILED'],
  [{ state: 'ALGO_NUEVO' }, 'pending', 'ALGO_NUEVO'],
  [null, 'pending', ''],
] as const;

for (const [pay_out, status, native] of PAYOUTS)
  test(`a payout that is ${native || 'not reported'} is ${status}`, () => {
    const settlement = understood(readCycle(wire({ ...CYCLE, pay_out })));

    assert.deepEqual([settlement.status, settlement.marketplaceStatus], [status, native]);
  });

const DOCUMENT = {
  date_uploaded: '2026-11-11T10:00:00Z',
  file_name: 'factura.XML',
  id: 2025,
  order_id: 'MX_00021-A',
  type: 'OTRO_TIPO',
};
const DOCUMENTS: readonly (readonly [object, boolean])[] = [
  [{}, true],
  [{ file_name: 'factura.pdf', type: 'CUSTOMER_INVOICE' }, true],
  [{ file_name: 'factura.pdf', type: undefined, type_code: 'cfdi-40' }, true],
  [{ file_name: null, type: 'CREDIT_NOTE' }, true],
  [{ file_name: 'guia.pdf', type: 'SYSTEM_DELIVERY_BILL' }, false],
  [{ file_name: 'guia.pdf', type: null }, false],
];

for (const [document, isInvoice] of DOCUMENTS)
  test(`${JSON.stringify(document)} ${isInvoice ? 'is' : 'is no'} tax invoice`, () => {
    const found = readInvoice(wire({ ...DOCUMENT, ...document }));

    assert.equal(found !== null, isInvoice);
    if (found) assert.deepEqual(understood(found).orderIds, ['MX_00021-A']);
  });

test('documents are asked for unless the order says that it has none', () => {
  assert.equal(invoicedIdOf(wire({ order_id: 'MX_00021-A', has_invoice: true })), 'MX_00021-A');
  assert.equal(invoicedIdOf(wire({ order_id: 'MX_00021-A' })), 'MX_00021-A');
  assert.equal(invoicedIdOf(wire({ order_id: 'MX_00021-A', has_invoice: false })), null);
});
