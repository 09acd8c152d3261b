import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLossless } from '../../platform/json.ts';
import type { SourceOrder } from '../contract.ts';
import { readOne } from '../read-rows.ts';
import { readStored } from './orders.ts';
import { isOwnStock, toFbaStock, toOwnStock, toSourceOrder } from './wire.ts';
import {
  isPaidOut,
  refundedOrders,
  toBalance,
  toExpected,
  toRefunds,
  toSettlement,
} from './wire-finances.ts';

const FETCHED_AT = Temporal.Instant.from('2026-11-20T12:00:00Z');

const mxn = (amount: string) => ({ amount, currencyCode: 'MXN' });

/** Two boxes of tea sent by the seller, as the search answers them. */
const TEA = {
  orderId: '701-4471235-9938201',
  orderAliases: [{ aliasId: 'TE-88', aliasType: 'SELLER_ORDER_ID' }],
  createdTime: '2026-11-12T16:20:31Z',
  lastUpdatedTime: '2026-11-13T09:05:00Z',
  programs: ['PRIME'],
  associatedOrders: [
    { orderId: '701-4471235-9938100', associationType: 'REPLACEMENT_ORIGINAL_ID' },
  ],
  salesChannel: {
    channelName: 'AMAZON',
    marketplaceId: 'A1AM78C64UM0Y8',
    marketplaceName: 'Amazon.com.mx',
  },
  buyer: { buyerName: 'Rosa Elena Tapia Cruz', buyerEmail: 'x@marketplace.amazon.com.mx' },
  recipient: {
    deliveryAddress: { name: 'Portería del edificio', city: 'Puebla', countryCode: 'MX' },
  },
  proceeds: {
    grandTotal: mxn('407.50'),
    breakdowns: [
      { type: 'ITEM', subtotal: mxn('398.00') },
      { type: 'SHIPPING', subtotal: mxn('49.50') },
      { type: 'DISCOUNT', subtotal: mxn('-40.00') },
      { type: 'TAX', subtotal: mxn('0.00') },
    ],
  },
  fulfillment: {
    fulfillmentStatus: 'SHIPPED',
    fulfilledBy: 'MERCHANT',
    fulfillmentServiceLevel: 'STANDARD',
  },
  orderItems: [
    {
      orderItemId: '55012345678901',
      quantityOrdered: 2,
      product: {
        asin: 'B0TEALEAF1',
        title: 'Té negro 250 g',
        sellerSku: 'TE-NEGRO',
        price: { unitPrice: mxn('199.00') },
      },
      proceeds: {
        proceedsTotal: mxn('407.50'),
        breakdowns: [{ type: 'ITEM', subtotal: mxn('398.00') }],
      },
      fulfillment: { quantityFulfilled: 2, quantityUnfulfilled: 0 },
    },
  ],
  packages: [
    {
      packageReferenceId: '1',
      packageStatus: { status: 'IN_TRANSIT', detailedStatus: 'OUT_FOR_DELIVERY' },
      carrier: 'Estafeta',
      shipTime: '2026-11-13T09:00:00Z',
      shippingService: 'Terrestre',
      trackingNumber: 'MX0099887766',
    },
  ],
};

test('an order is read field by field', () => {
  const { raw, ...order } = read(TEA);

  assert.deepEqual(order, {
    id: '701-4471235-9938201',
    status: 'shipped',
    marketplaceStatus: 'SHIPPED',
    paymentStatus: null,
    fulfillmentStatus: 'IN_TRANSIT/OUT_FOR_DELIVERY',
    currency: 'MXN',
    total: '407.50',
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    subtotal: '398',
    orderDiscount: '40',
    discountTotal: '40',
    marketplaceDiscountTotal: null,
    shippingTotal: '49.50',
    packShippingTotal: null,
    taxTotal: '0.00',
    taxAdded: '0',
    other: [],
    feesTotal: null,
    withheldTotal: null,
    netTotal: null,
    refundedTotal: null,
    refunds: [],
    buyerName: 'Rosa Elena Tapia Cruz',
    dateCreated: Temporal.Instant.from('2026-11-12T16:20:31Z'),
    dateClosed: null,
    items: [
      {
        id: 'B0TEALEAF1',
        sku: 'TE-NEGRO',
        title: 'Té negro 250 g',
        variation: null,
        quantity: 2,
        cancelledQuantity: 0,
        quantityKnown: true,
        unitPrice: '199.00',
        listPrice: '199.00',
        subtotal: '398.00',
        currency: 'MXN',
      },
    ],
    unpriced: [],
    shipping: {
      carrier: 'Estafeta',
      trackingNumber: 'MX0099887766',
      method: 'Terrestre',
      status: 'IN_TRANSIT',
      shippedAt: Temporal.Instant.from('2026-11-13T09:00:00Z'),
      deliveredAt: null,
    },
    invoiceRequired: null,
    packId: null,
    tags: ['PRIME', 'REPLACEMENT_ORIGINAL_ID:701-4471235-9938100'],
    changedAt: Temporal.Instant.from('2026-11-13T09:05:00Z'),
    fetchedAt: FETCHED_AT,
    keep: ['refundedTotal', 'refunds', 'dateClosed'],
  });
  assert.deepEqual(JSON.parse(raw ?? ''), { order: TEA });
  assert.deepEqual(readStored(raw ?? '', FETCHED_AT), { ok: true, item: { ...order, raw } });
});

for (const [native, packages, status] of [
  ['PENDING_AVAILABILITY', [], 'pending'],
  ['PENDING', [], 'pending'],
  ['UNSHIPPED', [], 'paid'],
  ['UNSHIPPED', ['PENDING'], 'paid'],
  ['PARTIALLY_SHIPPED', ['DELIVERED'], 'partially_shipped'],
  ['SHIPPED', [], 'shipped'],
  ['SHIPPED', ['IN_TRANSIT'], 'shipped'],
  ['SHIPPED', ['SHIPPED', 'DELIVERED'], 'shipped'],
  ['SHIPPED', ['DELIVERED', 'DELIVERED'], 'delivered'],
  ['SHIPPED', ['CANCELLED', 'DELIVERED'], 'delivered'],
  ['SHIPPED', ['CANCELLED'], 'shipped'],
  ['SHIPPED', ['UNDELIVERABLE'], 'returned'],
  ['SHIPPED', ['DELIVERED', 'UNDELIVERABLE'], 'shipped'],
  ['CANCELLED', ['DELIVERED'], 'cancelled'],
  ['UNFULFILLABLE', [], 'cancelled'],
  ['TELEPORTED', [], 'unknown'],
] as const) {
  test(`${native} with packages ${packages.join(', ') || 'that are not reported'} is ${status}`, () => {
    const order = read({
      ...TEA,
      fulfillment: { fulfillmentStatus: native },
      packages: packages.map((one) => ({
        packageReferenceId: one,
        packageStatus: { status: one },
      })),
    });

    assert.deepEqual([order.status, order.marketplaceStatus], [status, native]);
  });
}

test('a pending order has no amounts, and what an earlier answer said of them stays', () => {
  const { proceeds: _, ...unpaid } = TEA;
  const [line] = TEA.orderItems;

  const order = read({
    ...unpaid,
    fulfillment: { fulfillmentStatus: 'PENDING' },
    orderItems: [
      { ...line, product: { asin: 'B0TEALEAF1', title: 'Té negro 250 g' }, proceeds: null },
    ],
  });

  assert.deepEqual(
    [order.total, order.subtotal, order.shippingTotal, order.items, order.currency],
    [null, null, null, [], 'MXN'],
  );
  assert.deepEqual(
    order.unpriced.map(({ title, quantity }) => [title, quantity]),
    [['Té negro 250 g', 2]],
  );
  for (const field of [
    'total',
    'subtotal',
    'discountTotal',
    'shippingTotal',
    'taxTotal',
    'items',
    'refunds',
  ])
    assert.ok(order.keep.includes(field as keyof SourceOrder), field);
});

test('without the buyer the receiver is named, and without both the name that is known stays', () => {
  const { buyer: _, ...anonymous } = TEA;
  const { recipient: __, ...nobody } = anonymous;

  assert.equal(read(anonymous).buyerName, 'Portería del edificio');
  assert.equal(read(nobody).buyerName, null);
  assert.ok(read(nobody).keep.includes('buyerName'));
});

test('an order that is picked up is not named after the store', () => {
  const { buyer, ...anonymous } = TEA;
  const programs = ['IN_STORE_PICK_UP'];
  const old = {
    AmazonOrderId: '702-1112223-4445556',
    PurchaseDate: '2026-03-02T10:00:00Z',
    LastUpdateDate: '2026-03-04T11:30:00Z',
    OrderStatus: 'Shipped',
    ShippingAddress: { Name: 'Tienda Centro' },
  };

  assert.equal(read({ ...anonymous, programs }).buyerName, null);
  assert.equal(read({ ...TEA, programs }).buyerName, buyer.buyerName);
  assert.deepEqual(
    [read({ ...old, IsISPU: 'true' }).buyerName, read(old).buyerName],
    [null, 'Tienda Centro'],
  );
});

test('an order without its data sets is still an order, and one without a status is asked for again', () => {
  const { orderId, createdTime, lastUpdatedTime, orderItems } = TEA;
  const bare = { orderId, createdTime, lastUpdatedTime, orderItems: [], programs: null };

  const order = read({ ...bare, fulfillment: { fulfillmentStatus: 'UNSHIPPED' } });

  assert.deepEqual([order.status, order.total, order.shipping], ['paid', null, null]);
  assert.equal(read({ ...bare, orderItems, fulfillment: TEA.fulfillment }).currency, 'MXN');
  for (const fulfillment of [
    undefined,
    null,
    {},
    { fulfillmentStatus: null },
    { fulfillmentStatus: '' },
  ])
    assert.match(reasonFor({ ...bare, fulfillment }) ?? '', /^fulfillment/);
});

test('amounts and quantities may be numbers or texts', () => {
  const text = JSON.stringify(TEA)
    .replaceAll('"407.50"', '407.50')
    .replace('"quantityOrdered":2', '"quantityOrdered":"2"');

  const order = toSourceOrder({ order: parseLossless(text), refunds: null, fetchedAt: FETCHED_AT });

  assert.deepEqual([order.total, order.items[0]?.quantity], ['407.50', 2]);
});

test('a row without an id or a time is set aside with the reason', () => {
  assert.match(reasonFor({ ...TEA, orderId: null }) ?? '', /^orderId: /);
  assert.match(reasonFor({ ...TEA, lastUpdatedTime: 'ayer' }) ?? '', /^lastUpdatedTime: /);
  assert.match(
    reasonFor({ ...TEA, proceeds: { grandTotal: mxn('mucho') } }) ?? '',
    /^proceeds\.grandTotal\.amount: /,
  );
});

test('an order of the older generation is the same order', () => {
  const order = read({
    AmazonOrderId: '702-1112223-4445556',
    PurchaseDate: '2026-03-02T10:00:00Z',
    LastUpdateDate: '2026-03-04T11:30:00Z',
    OrderStatus: 'InvoiceUnconfirmed',
    FulfillmentChannel: 'MFN',
    OrderTotal: { CurrencyCode: 'MXN', Amount: '88.00' },
    MarketplaceId: 'A1AM78C64UM0Y8',
    ShipmentServiceLevelCategory: 'Expedited',
    IsPrime: 'true',
    IsBusinessOrder: false,
    BuyerInfo: { BuyerName: 'Tomás Ruiz' },
    ShippingAddress: { Name: 'Tomás Ruiz' },
  });

  assert.deepEqual(
    [order.id, order.status, order.marketplaceStatus, order.total, order.currency],
    ['702-1112223-4445556', 'shipped', 'InvoiceUnconfirmed', '88.00', 'MXN'],
  );
  assert.deepEqual(
    [order.buyerName, order.tags, order.items, order.shipping?.method],
    ['Tomás Ruiz', ['PRIME'], [], 'Expedited'],
  );
  assert.equal(order.changedAt?.toString(), '2026-03-04T11:30:00Z');
});

test('what Amazon keeps and ships itself has a tag, in both generations', () => {
  const kept = { ...TEA, fulfillment: { ...TEA.fulfillment, fulfilledBy: 'AMAZON' } };
  const old = {
    AmazonOrderId: '702-1112223-4445556',
    PurchaseDate: '2026-03-02T10:00:00Z',
    LastUpdateDate: '2026-03-04T11:30:00Z',
    OrderStatus: 'Unshipped',
    MarketplaceId: 'A1AM78C64UM0Y8',
  };

  const reported = [
    kept,
    { ...old, FulfillmentChannel: 'AFN' },
    { ...old, FulfillmentChannel: 'MFN' },
  ].map((document) => read(document).tags.includes('fulfilled_by_marketplace'));

  assert.deepEqual(reported, [true, true, false]);
});

const REFUNDED_AT = Temporal.Instant.from('2026-11-18T03:04:05.678Z');

for (const [amounts, status, refunded] of [
  [['407.5'], 'refunded', '407.5'],
  [['200', '207.5'], 'refunded', '407.5'],
  [['200'], 'shipped', '200'],
  [[], 'shipped', null],
] as const) {
  test(`refunds of ${amounts.join(' and ') || 'nothing'} leave an order of 407.50 ${status}`, () => {
    const order = read(
      TEA,
      amounts.map((amount) => refundOf(amount)),
    );

    assert.deepEqual([order.status, order.refundedTotal], [status, refunded]);
    assert.deepEqual(
      order.refunds.map(({ amount }) => amount),
      amounts,
    );
    assert.equal(order.keep.includes('refunds'), amounts.length === 0);
    assert.deepEqual(
      order.changedAt,
      amounts.length > 0 ? REFUNDED_AT : Temporal.Instant.from(TEA.lastUpdatedTime),
    );
    assert.deepEqual(readStored(order.raw ?? '', FETCHED_AT), { ok: true, item: order });
  });
}

test('a refund in full closes what was not delivered, when it came to cover the total; other refunds give no time', () => {
  const [first, second, third] = [
    ['200', 17],
    ['207.5', 18],
    ['10', 19],
  ].map(([amount, day]) =>
    refundOf(String(amount), { postedDate: `2026-11-${day}T03:04:05.678Z` }),
  );
  const delivered = { ...TEA, packages: [{ packageStatus: { status: 'DELIVERED' } }] };
  const cancelled = { ...TEA, fulfillment: { fulfillmentStatus: 'CANCELLED' } };

  const closings = [
    read(TEA, [third, second, first]),
    read(TEA, [first]),
    read(delivered, [first, second]),
    read(delivered),
    read(cancelled),
  ].map(({ status, dateClosed, keep }) => [
    status,
    dateClosed?.toString(),
    keep.includes('dateClosed'),
  ]);

  assert.deepEqual(closings, [
    ['refunded', '2026-11-18T03:04:05.678Z', false],
    ['shipped', undefined, true],
    ['refunded', undefined, true],
    ['delivered', undefined, true],
    ['cancelled', undefined, true],
  ]);
});

test('a refund does not outweigh being cancelled, and one in another currency does not count', () => {
  const inDollars = refundOf('407.5', {
    totalAmount: { currencyAmount: -407.5, currencyCode: 'USD' },
  });
  const cancelled = { ...TEA, fulfillment: { fulfillmentStatus: 'CANCELLED' } };

  assert.equal(read(cancelled, [refundOf('407.5')]).status, 'cancelled');
  assert.deepEqual(
    [read(TEA, [inDollars]).status, read(TEA, [inDollars]).refundedTotal],
    ['shipped', null],
  );
});

const row = (type: string, amount: string, more: object = {}) => ({
  type,
  subtotal: mxn(amount),
  ...more,
});
const off = (subtype: string, amount: string) => ({
  detailedBreakdowns: [{ subtype, value: mxn(amount) }],
});

/** An order of two pieces at 100.00, with these rows of its own and of its line. */
function priced(total: string, own: readonly object[] | null, ofLine: readonly object[] | null) {
  const [line] = TEA.orderItems;
  return read({
    ...TEA,
    proceeds: { grandTotal: mxn(total), ...(own && { breakdowns: own }) },
    orderItems: [
      {
        ...line,
        product: { ...line?.product, price: { unitPrice: mxn('100.00') } },
        proceeds: ofLine && { breakdowns: ofLine },
      },
    ],
  });
}

function figuresOf({ items: [item], ...order }: SourceOrder) {
  const figure = (amount: string | null | undefined) => (amount == null ? null : Number(amount));
  return {
    unit: figure(item?.unitPrice),
    list: figure(item?.listPrice),
    line: figure(item?.subtotal),
    discount: figure(order.orderDiscount),
    shipping: figure(order.shippingTotal),
    tax: figure(order.taxTotal),
    added: figure(order.taxAdded),
    other: Object.fromEntries(order.other.map(({ name, amount }) => [name, Number(amount)])),
  };
}

const PLAIN = {
  unit: 100,
  list: 100,
  line: 200,
  discount: 0,
  shipping: null,
  tax: null,
  added: 0,
  other: {},
};
const ITEM = row('ITEM', '200.00');
const TAX = row('TAX', '27.59');

for (const [name, order, figures] of [
  [
    'tax is added where the total needs it',
    priced('227.59', [ITEM, TAX], [ITEM, TAX]),
    { tax: 27.59, added: 27.59 },
  ],
  [
    'tax is inside where the total holds without it',
    priced('200.00', [ITEM, TAX], [ITEM, TAX]),
    { tax: 27.59 },
  ],
  [
    'a total that neither gives is left unexplained',
    priced('300.00', [ITEM, TAX], null),
    { list: null, tax: 27.59, added: 27.59 },
  ],
  [
    'rows of the lines alone are summed',
    priced('249.50', null, [ITEM, row('SHIPPING', '49.50'), TAX]),
    { shipping: 49.5, tax: 27.59 },
  ],
  [
    'rows of one type are summed',
    priced('150.00', null, [ITEM, row('DISCOUNT', '-30.00'), row('DISCOUNT', '-20.00')]),
    { unit: 75, line: 150 },
  ],
  [
    'a discount may be reported without its sign',
    priced('180.00', null, [ITEM, row('DISCOUNT', '20.00')]),
    { unit: 90, line: 180 },
  ],
  [
    'a discount that no line has is the order’s',
    priced('170.00', [ITEM, row('DISCOUNT', '-30.00')], [ITEM, row('DISCOUNT', '-10.00')]),
    { unit: 95, line: 190, discount: 20 },
  ],
  [
    'a discount on shipping is none of the line’s',
    priced('200.00', null, [
      ITEM,
      row('SHIPPING', '49.50'),
      row('DISCOUNT', '-49.50', off('SHIPPING', '-49.50')),
    ]),
    { shipping: 0 },
  ],
  [
    'wrap, fees and tips have their names',
    priced(
      '245.00',
      [
        ITEM,
        row('GIFT_WRAP', '30.00'),
        row('COD_FEE', '10.00'),
        row('DELIVERY_TIP', '5.00', { status: 'FINALIZED' }),
      ],
      [ITEM],
    ),
    { other: { GIFT_WRAP: 30, COD_FEE: 10, DELIVERY_TIP: 5 } },
  ],
  [
    'a tip that is still being charged is in no total',
    priced('200.00', [ITEM, row('DELIVERY_TIP', '5.00', { status: 'PENDING' })], [ITEM]),
    {},
  ],
  [
    'without rows only the price is known',
    priced('200.00', null, null),
    { list: null, discount: null },
  ],
] as const)
  test(name, () => assert.deepEqual(figuresOf(order), { ...PLAIN, ...figures }));

for (const [name, total, price, quantity] of [
  ['withheld', null, null, 0],
  ['zeroed', mxn('0.00'), { unitPrice: mxn('0.00') }, 0],
  ['zeroed, but for the pieces', mxn('0'), { unitPrice: mxn('0') }, 2],
] as const)
  test(`a cancelled order whose amounts are ${name} keeps those that it had`, () => {
    const [line] = TEA.orderItems;
    const order = read({
      ...TEA,
      fulfillment: { fulfillmentStatus: 'CANCELLED' },
      proceeds: { grandTotal: total },
      orderItems: [
        {
          ...line,
          quantityOrdered: quantity,
          product: { ...line?.product, price },
          proceeds: null,
        },
      ],
    });

    assert.deepEqual([order.total, order.items], [null, []]);
    for (const field of ['total', 'items', 'subtotal', 'shippingTotal'] as const)
      assert.ok(order.keep.includes(field), field);
    assert.deepEqual(
      order.unpriced.map(({ quantityKnown, cancelledQuantity }) => [
        quantityKnown,
        cancelledQuantity,
      ]),
      [[quantity > 0, quantity]],
    );
  });

test('pieces that are neither sent nor to be sent were cancelled', () => {
  const [line] = TEA.orderItems;
  const cancelledOf = (quantityFulfilled: number, quantityUnfulfilled: number) =>
    read({
      ...TEA,
      orderItems: [{ ...line, fulfillment: { quantityFulfilled, quantityUnfulfilled } }],
    }).items[0]?.cancelledQuantity;

  assert.deepEqual([cancelledOf(2, 0), cancelledOf(1, 1), cancelledOf(1, 0)], [0, 0, 1]);
});

test('an order whose payment is open has no cancelled pieces, though none is to be sent yet', () => {
  const orderItems = TEA.orderItems.map((line) => ({
    ...line,
    fulfillment: { quantityFulfilled: 0, quantityUnfulfilled: 0 },
  }));

  for (const fulfillmentStatus of ['PENDING', 'PENDING_AVAILABILITY']) {
    const fulfillment = { ...TEA.fulfillment, fulfillmentStatus };
    const { status, items } = read({ ...TEA, fulfillment, orderItems });
    assert.deepEqual([status, items[0]?.quantity, items[0]?.cancelledQuantity], ['pending', 2, 0]);
  }
});

test('money is computed from the pieces as they were reported, before they are rounded up', () => {
  const [line] = TEA.orderItems;
  const order = read({
    ...TEA,
    orderItems: [{ ...line, quantityOrdered: '1.5', proceeds: null }],
  });

  assert.deepEqual([order.items[0]?.quantity, order.items[0]?.subtotal], [2, '298.5']);
});

test('a currency that is none is the marketplace’s', () => {
  const inNone = JSON.parse(JSON.stringify(TEA).replaceAll('"MXN"', '""'));

  assert.equal(read(inNone).currency, 'MXN');
  assert.equal(
    read({ ...inNone, salesChannel: { marketplaceId: 'ATVPDKIKX0DER' } }).currency,
    'USD',
  );
});

const money = (currencyAmount: number) => ({ currencyAmount, currencyCode: 'MXN' });
const related = (relatedIdentifierName: string, relatedIdentifierValue: string) => ({
  relatedIdentifierName,
  relatedIdentifierValue,
});
const REFUND = {
  relatedIdentifiers: [related('REFUND_ID', 'r-1'), related('ORDER_ID', TEA.orderId)],
  transactionType: 'Refund',
  transactionId: 't-1',
  transactionStatus: 'RELEASED',
  postedDate: '2026-11-18T03:04:05.678Z',
  totalAmount: money(-340.25),
};
const SALES_AND_FEES = [
  {
    breakdownType: 'Sales',
    breakdownAmount: money(-407.5),
    breakdowns: [{ breakdownType: 'Tax', breakdownAmount: money(-50) }],
  },
  { breakdownType: 'Expenses', breakdownAmount: money(67.25), breakdowns: null },
];

for (const [what, parts] of [
  ['of the whole', { breakdowns: SALES_AND_FEES, items: [{ breakdowns: SALES_AND_FEES }] }],
  ['of the whole, as an object around the list', { breakdowns: { breakdowns: SALES_AND_FEES } }],
  [
    'of the items only',
    {
      breakdowns: null,
      items: [
        {
          breakdowns: [
            { breakdownType: 'ProductCharges', breakdownAmount: money(-358), breakdowns: null },
            { breakdownType: 'Shipping', breakdownAmount: money(-49.5), breakdowns: null },
            { breakdownType: 'AmazonFees', breakdownAmount: money(67.25), breakdowns: null },
          ],
        },
      ],
    },
  ],
] as const) {
  test(`the buyer’s refund is apart from the fees, where the parts are ${what}`, () => {
    const [refund] = toRefunds(lossless([{ ...REFUND, ...parts }]));

    assert.equal(Number(refund?.amount), 407.5);
    assert.equal(refund?.at?.toString(), '2026-11-18T03:04:05.678Z');
  });
}

test('a refund whose parts are not reported is its total', () => {
  assert.equal(toRefunds(lossless([REFUND]))[0]?.amount, '340.25');
});

test('money that was held back and then released counts once', () => {
  const deferred = { ...REFUND, transactionStatus: 'DEFERRED_RELEASED' };
  const release = {
    ...REFUND,
    transactionId: 't-2',
    relatedIdentifiers: [...REFUND.relatedIdentifiers, related('DEFERRED_TRANSACTION_ID', 't-1')],
  };

  assert.equal(toRefunds(lossless([deferred, release])).length, 1);
  assert.equal(toRefunds(lossless([release])).length, 1, 'the held one is no longer shown');
  assert.equal(toRefunds(lossless([{ ...REFUND, transactionStatus: 'DEFERRED' }])).length, 1);
});

test('only refunds of orders name orders to be read again, each once', () => {
  const rows = [
    REFUND,
    { ...REFUND, transactionId: 't-9' },
    {
      ...REFUND,
      transactionType: 'Shipment',
      relatedIdentifiers: [related('ORDER_ID', '701-0000000-0000001')],
    },
    { ...REFUND, relatedIdentifiers: null },
    { transactionType: 'Refund', totalAmount: 'ilegible' },
  ];

  assert.deepEqual(refundedOrders(lossless(rows)), [TEA.orderId]);
});

test('a balance is the tree’s two branches, and their parts are not added again', () => {
  const tree = {
    partnerMetadata: {
      partnerId: 'A2X',
      accountType: 'Standard Orders',
      marketplaceId: 'A1AM78C64UM0Y8',
    },
    balanceType: 'TOTAL',
    amount: money(1500.25),
    lastUpdatedTime: '2026-11-19T10:30:00-06:00',
    balances: [
      { balanceType: 'AVAILABLE', amount: money(-99.75) },
      {
        balanceType: 'RESERVED',
        amount: money(1600),
        balances: [
          { balanceType: 'DEFERRED', amount: money(1100) },
          { balanceType: 'ACCOUNT_LEVEL_RESERVE', amount: money(500) },
        ],
      },
    ],
  };
  const [row] = lossless([tree]);
  const [bare] = lossless([{ balanceType: 'AVAILABLE', amount: money(7) }]);

  assert.deepEqual(toBalance(row, FETCHED_AT), {
    purse: 'Standard Orders',
    currency: 'MXN',
    available: '-99.75',
    pending: '1600',
    asOf: Temporal.Instant.from('2026-11-19T16:30:00Z'),
    isDerived: false,
  });
  assert.deepEqual(toBalance(bare, FETCHED_AT), {
    purse: '',
    currency: 'MXN',
    available: '7',
    pending: null,
    asOf: FETCHED_AT,
    isDerived: false,
  });
});

const PAYOUT = {
  id: '9001',
  currentStatus: 'PAID',
  statusHistory: [
    { status: 'STARTED', lastUpdatedDate: '2026-11-02T00:00:00Z' },
    { status: 'PAID', lastUpdatedDate: '2026-11-04T12:00:00Z' },
  ],
  amount: money(8120.4),
  traceId: 'TG4411',
  creationDate: '2026-11-02T00:00:00Z',
  period: { startDate: '2026-10-19T00:00:00Z', endDate: '2026-11-02T00:00:00Z' },
  relatedIdentifiers: [related('SETTLEMENT_ID', 's-77')],
};

test('a payout is a settlement with its bank reference', () => {
  const [row] = lossless([PAYOUT]);
  const { raw, ...settlement } = toSettlement(row);

  assert.deepEqual(settlement, {
    id: 's-77',
    status: 'paid',
    marketplaceStatus: 'PAID',
    currency: 'MXN',
    gross: null,
    fees: null,
    net: '8120.4',
    from: Temporal.Instant.from('2026-10-19T00:00:00Z'),
    to: Temporal.Instant.from('2026-11-02T00:00:00Z'),
    paidAt: Temporal.Instant.from('2026-11-04T12:00:00Z'),
    reference: 'TG4411',
    changedAt: Temporal.Instant.from('2026-11-04T12:00:00Z'),
  });
  assert.equal(JSON.parse(raw).id, '9001');
});

test('what is expected becomes what is paid, under one id', () => {
  const { currentStatus: _, statusHistory: __, id: ___, ...expected } = PAYOUT;
  const [row] = lossless([
    { ...expected, status: 'SCHEDULED', scheduledDate: '2026-11-16T00:00:00Z' },
  ]);

  const { id, status, net, paidAt } = toExpected(row);

  assert.deepEqual([id, status, net, paidAt], ['s-77', 'expected', '8120.4', null]);
});

for (const [native, status] of [
  ['STARTED', 'pending'],
  ['IN_TRANSIT', 'pending'],
  ['PAID', 'paid'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'cancelled'],
  ['A_NEW_ONE', 'pending'],
] as const) {
  test(`a payout that is ${native} is ${status}`, () => {
    const [row] = lossless([{ ...PAYOUT, currentStatus: native }]);

    assert.equal(toSettlement(row).status, status);
  });
}

test('a period without a payout is no settlement', () => {
  assert.equal(isPaidOut({ id: '9002', currentStatus: 'NO_PAYOUT' }), false);
  assert.equal(isPaidOut({ status: 'NO_PAYOUT_EXPECTED' }), false);
  assert.equal(isPaidOut(PAYOUT), true);
  assert.equal(isPaidOut('ilegible'), true);
});

test('stock that Amazon keeps is what can be sent, and what is there but cannot', () => {
  const [row] = lossless([
    {
      asin: 'B0TEALEAF1',
      fnSku: 'X001',
      sellerSku: 'TE-NEGRO',
      condition: 'NewItem',
      productName: 'Té negro 250 g',
      totalQuantity: 61,
      inventoryDetails: {
        fulfillableQuantity: 40,
        inboundShippedQuantity: 12,
        reservedQuantity: { totalReservedQuantity: 5, fcProcessingQuantity: 5 },
        researchingQuantity: { totalResearchingQuantity: 1, researchingQuantityBreakdown: [] },
        unfulfillableQuantity: { totalUnfulfillableQuantity: 3 },
      },
    },
  ]);

  assert.deepEqual(toFbaStock(row), {
    itemId: 'B0TEALEAF1',
    variationId: 'TE-NEGRO',
    warehouse: 'marketplace',
    sku: 'TE-NEGRO',
    title: 'Té negro 250 g',
    available: 40,
    unavailable: 9,
  });
  assert.throws(() => toFbaStock({ sellerSku: 'TE-NEGRO', totalQuantity: 61 }), /inventoryDetails/);
});

test('stock that the seller keeps comes from the listings; what Amazon keeps is not reported twice', () => {
  const [own, fba] = lossless([
    {
      sku: 'TE-VERDE',
      summaries: [
        { marketplaceId: 'ATVPDKIKX0DER', asin: 'B0TEALEAF2', itemName: 'Green tea' },
        { marketplaceId: 'A1AM78C64UM0Y8', asin: 'B0TEALEAF2', itemName: 'Té verde' },
      ],
      fulfillmentAvailability: [{ fulfillmentChannelCode: 'DEFAULT', quantity: 17 }],
    },
    { sku: 'TE-NEGRO', fulfillmentAvailability: [{ fulfillmentChannelCode: 'AMAZON_NA' }] },
  ]);

  assert.deepEqual(toOwnStock(own), {
    itemId: 'B0TEALEAF2',
    variationId: 'TE-VERDE',
    warehouse: 'seller',
    sku: 'TE-VERDE',
    title: 'Té verde',
    available: 17,
    unavailable: 0,
  });
  assert.deepEqual([isOwnStock(own), isOwnStock(fba), isOwnStock({ sku: 7 })], [true, false, true]);
});

function read(order: unknown, refunds: readonly unknown[] | null = null): SourceOrder {
  const rows = refunds && lossless(refunds);
  return toSourceOrder({ order: lossless([order])[0], refunds: rows, fetchedAt: FETCHED_AT });
}

function refundOf(amount: string, more: object = {}) {
  return { ...REFUND, transactionId: amount, totalAmount: money(-Number(amount)), ...more };
}

/** Why a row is set aside. */
function reasonFor(row: object): string | null {
  const found = readOne(row, () => read(row));
  return found.ok ? null : found.reason;
}

/** As the wire brings it: every number is its own text. */
function lossless(rows: readonly unknown[]): unknown[] {
  return parseLossless(JSON.stringify(rows)) as unknown[];
}
