import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLossless } from '../../platform/json.ts';
import type { SourceOrder } from '../contract.ts';
import { readOne } from '../kit.ts';
import { isOwnStock, type Refund, toFbaStock, toOwnStock, toSourceOrder } from './wire.ts';
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
  associatedOrders: [{ orderId: '701-4471235-9938100', associationType: 'REPLACEMENT_ORIGINAL_ID' }],
  salesChannel: { channelName: 'AMAZON', marketplaceId: 'A1AM78C64UM0Y8', marketplaceName: 'Amazon.com.mx' },
  buyer: { buyerName: 'Rosa Elena Tapia Cruz', buyerEmail: 'x@marketplace.amazon.com.mx' },
  recipient: { deliveryAddress: { name: 'Portería del edificio', city: 'Puebla', countryCode: 'MX' } },
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
    subtotal: '398.00',
    discountTotal: '40.00',
    shippingTotal: '49.50',
    taxTotal: '0.00',
    feesTotal: null,
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
        unitPrice: '199.00',
        subtotal: '398.00',
        currency: 'MXN',
      },
    ],
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
    keep: ['refundedTotal', 'refunds'],
  });
  assert.deepEqual(JSON.parse(raw ?? ''), { order: TEA });
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
  test(`${native} with packages ${packages.join(', ') || 'that nobody tells'} is ${status}`, () => {
    const order = read({
      ...TEA,
      fulfillment: { fulfillmentStatus: native },
      packages: packages.map((one) => ({ packageReferenceId: one, packageStatus: { status: one } })),
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
    orderItems: [{ ...line, product: { asin: 'B0TEALEAF1', title: 'Té negro 250 g' }, proceeds: null }],
  });

  assert.deepEqual(
    [order.total, order.subtotal, order.shippingTotal, order.items, order.currency],
    [null, null, null, [], 'MXN'],
  );
  assert.deepEqual(order.keep, [
    'total',
    'subtotal',
    'discountTotal',
    'shippingTotal',
    'taxTotal',
    'items',
    'refundedTotal',
    'refunds',
  ]);
});

test('without the buyer the receiver is named, and without both the name that is known stays', () => {
  const { buyer: _, ...anonymous } = TEA;
  const { recipient: __, ...nobody } = anonymous;

  assert.equal(read(anonymous).buyerName, 'Portería del edificio');
  assert.equal(read(nobody).buyerName, null);
  assert.ok(read(nobody).keep.includes('buyerName'));
});

test('an order without its data sets is still an order', () => {
  const { orderId, createdTime, lastUpdatedTime, orderItems } = TEA;

  const order = read({ orderId, createdTime, lastUpdatedTime, orderItems: [], programs: null });

  assert.deepEqual([order.status, order.marketplaceStatus, order.shipping], ['unknown', '', null]);
  assert.ok(order.keep.includes('status') && order.keep.includes('marketplaceStatus'));
  assert.equal(read({ orderId, createdTime, lastUpdatedTime, orderItems }).currency, 'MXN');
});

test('amounts and quantities may be numbers or texts', () => {
  const text = JSON.stringify(TEA)
    .replaceAll('"407.50"', '407.50')
    .replace('"quantityOrdered":2', '"quantityOrdered":"2"');

  const order = toSourceOrder({ order: parseLossless(text), refunds: null, fetchedAt: FETCHED_AT });

  assert.deepEqual([order.total, order.items[0]?.quantity], ['407.50', 2]);
});

test('a row without an id or a time is set aside with the reason', () => {
  const reasonFor = (row: object) => {
    const found = readOne(row, () => read(row));
    return found.ok ? null : found.reason;
  };

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

test('what Amazon keeps and ships itself is told by a tag, in both generations', () => {
  const kept = { ...TEA, fulfillment: { ...TEA.fulfillment, fulfilledBy: 'AMAZON' } };
  const old = {
    AmazonOrderId: '702-1112223-4445556',
    PurchaseDate: '2026-03-02T10:00:00Z',
    LastUpdateDate: '2026-03-04T11:30:00Z',
    OrderStatus: 'Unshipped',
    MarketplaceId: 'A1AM78C64UM0Y8',
  };

  const told = [kept, { ...old, FulfillmentChannel: 'AFN' }, { ...old, FulfillmentChannel: 'MFN' }].map(
    (document) => read(document).tags.includes('fulfilled_by_marketplace'),
  );

  assert.deepEqual(told, [true, true, false]);
});

for (const [amounts, status, refunded] of [
  [['407.50'], 'refunded', '407.5'],
  [['200.00', '207.50'], 'refunded', '407.5'],
  [['200.00'], 'shipped', '200'],
  [[], 'shipped', null],
] as const) {
  test(`refunds of ${amounts.join(' and ') || 'nothing'} leave an order of 407.50 ${status}`, () => {
    const at = Temporal.Instant.from('2026-11-18T00:00:00Z');

    const order = read(TEA, amounts.map((amount) => ({ amount, currency: 'MXN', at })) as never);

    assert.deepEqual([order.status, order.refundedTotal], [status, refunded]);
    assert.deepEqual(
      order.refunds.map(({ amount }) => amount),
      amounts,
    );
    assert.equal(order.keep.includes('refunds'), amounts.length === 0);
    assert.deepEqual(order.changedAt, amounts.length > 0 ? at : Temporal.Instant.from(TEA.lastUpdatedTime));
  });
}

test('a refund does not outweigh being cancelled, and one in another currency does not count', () => {
  const refund = (currency: string) => [{ amount: '407.50', currency, at: null }] as never;

  assert.equal(
    read({ ...TEA, fulfillment: { fulfillmentStatus: 'CANCELLED' } }, refund('MXN')).status,
    'cancelled',
  );
  assert.deepEqual(
    [read(TEA, refund('USD')).status, read(TEA, refund('USD')).refundedTotal],
    ['shipped', null],
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
  test(`what the buyer got back is told apart from the fees, where the parts are told ${what}`, () => {
    const [refund] = toRefunds(lossless([{ ...REFUND, ...parts }]));

    assert.equal(Number(refund?.amount), 407.5);
    assert.equal(refund?.at?.toString(), '2026-11-18T03:04:05.678Z');
  });
}

test('a refund whose parts are not told is its total', () => {
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
    partnerMetadata: { partnerId: 'A2X', accountType: 'Standard Orders', marketplaceId: 'A1AM78C64UM0Y8' },
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
  const [row] = lossless([{ ...expected, status: 'SCHEDULED', scheduledDate: '2026-11-16T00:00:00Z' }]);

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

test('stock that the seller keeps comes from the listings; what Amazon keeps is not told twice', () => {
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

function read(order: unknown, refunds: readonly Refund[] | null = null): SourceOrder {
  return toSourceOrder({ order: lossless([order])[0], refunds, fetchedAt: FETCHED_AT });
}

/** As the wire brings it: every number is its own text. */
function lossless(rows: readonly unknown[]): unknown[] {
  return parseLossless(JSON.stringify(rows)) as unknown[];
}
