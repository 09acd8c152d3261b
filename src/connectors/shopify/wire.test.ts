import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { isStorableText, parseLossless } from '../../platform/json.ts';
import type { Call, OrderStatus, SourceOrder, WireAnswer } from '../contract.ts';
import { consent } from './consent.ts';
import { ShopifyCredentials } from './credentials.ts';
import { pace, verdict } from './graphql.ts';
import { notifications } from './notifications.ts';
import { readStored } from './orders.ts';
import { Balance, orderIdOf, toBalances, toSettlement, toSourceOrder, toStock } from './wire.ts';

// Documents in the documented shape, with values of our own.

const FETCHED = Temporal.Instant.from('2026-11-16T18:00:00Z');
const at = (text: string) => Temporal.Instant.from(text);

/** As it comes off the wire: every number still is its own text. */
function wire(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

function money(amount: string) {
  return {
    shopMoney: { amount, currencyCode: 'MXN' },
    presentmentMoney: { amount: '1.00', currencyCode: 'USD' },
  };
}

function allocation(amount: string, allocationMethod: string, targetSelection: string) {
  return {
    allocatedAmountSet: money(amount),
    discountApplication: { allocationMethod, targetSelection },
  };
}

const LINE = {
  id: 'gid://shopify/LineItem/7100000000001',
  title: 'Taza de barro',
  name: 'Taza de barro - Azul',
  sku: 'TAZA-AZUL',
  variantTitle: 'Azul',
  quantity: 3,
  currentQuantity: 2,
  originalUnitPriceSet: money('150.0'),
  discountAllocations: [
    allocation('30.15', 'EACH', 'ENTITLED'),
    allocation('30.00', 'ACROSS', 'ALL'),
  ],
};

const ORDER = {
  id: 'gid://shopify/Order/5100000000001',
  legacyResourceId: '5100000000001',
  name: '#2041',
  test: false,
  tags: ['regalo'],
  createdAt: '2026-11-10T15:00:00Z',
  updatedAt: '2026-11-12T10:00:00Z',
  closedAt: null,
  cancelledAt: null,
  displayFinancialStatus: 'PAID',
  displayFulfillmentStatus: 'UNFULFILLED',
  returnStatus: 'NO_RETURN',
  currencyCode: 'MXN',
  taxesIncluded: true,
  edited: false,
  totalPriceSet: money('488.85'),
  totalTaxSet: money('67.42'),
  totalTipReceivedSet: money('0.0'),
  dutiesIncluded: false,
  originalTotalDutiesSet: null,
  additionalFees: [],
  totalRefundedSet: money('129.95'),
  refunds: [
    { createdAt: null, processedAt: '2026-11-11T09:00:00Z', totalRefundedSet: money('129.95') },
    {
      createdAt: '2026-11-11T10:00:00Z',
      processedAt: '2026-11-11T10:00:00Z',
      totalRefundedSet: money('0.0'),
    },
  ],
  customer: {
    displayName: 'Rosa Elena Prado Luna',
    firstName: 'Rosa Elena',
    lastName: 'Prado Luna',
  },
  shippingAddress: { name: 'Oficina Prado', firstName: 'Oficina', lastName: 'Prado' },
  lineItems: { nodes: [LINE], pageInfo: { hasNextPage: false, endCursor: null } },
  shippingLines: {
    nodes: [{ title: 'Envío estándar', discountedPriceSet: money('99.0') }],
    pageInfo: { hasNextPage: false, endCursor: null },
  },
  fulfillments: [],
  localizedFields: { nodes: [{ key: 'TAX_CREDENTIAL_MX' }] },
};

const linesWith = (currentQuantity: number) => ({
  lineItems: { nodes: [{ ...LINE, currentQuantity }] },
});

const PARCEL = {
  status: 'SUCCESS',
  displayStatus: 'DELIVERED',
  inTransitAt: '2026-11-11T10:00:00Z',
  deliveredAt: '2026-11-12T09:00:00Z',
  trackingInfo: [{ company: 'Estafeta', number: 'MX55TG' }],
};

function read(given: object = {}, withheld: string[] = []): SourceOrder {
  const order = wire({ ...ORDER, ...given });
  return toSourceOrder({ order, withheld: new Set(withheld) }, FETCHED);
}

test('an order is read field by field, in the money of the shop', () => {
  const { raw, ...order } = read();

  assert.deepEqual(order, {
    id: '5100000000001',
    status: 'paid',
    marketplaceStatus: 'PAID/UNFULFILLED',
    paymentStatus: 'PAID',
    fulfillmentStatus: 'UNFULFILLED',
    currency: 'MXN',
    total: '488.85',
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    subtotal: '419.85',
    orderDiscount: '30',
    discountTotal: '60.15',
    marketplaceDiscountTotal: null,
    shippingTotal: '99',
    packShippingTotal: null,
    taxTotal: '67.42',
    taxAdded: '0',
    other: [],
    feesTotal: null,
    withheldTotal: null,
    netTotal: null,
    refundedTotal: '129.95',
    refunds: [{ amount: '129.95', at: at('2026-11-11T09:00:00Z') }],
    buyerName: { given: 'Rosa Elena', family: 'Prado Luna' },
    dateCreated: at('2026-11-10T15:00:00Z'),
    dateClosed: null,
    items: [
      {
        id: '7100000000001',
        sku: 'TAZA-AZUL',
        title: 'Taza de barro - Azul',
        variation: 'Azul',
        quantity: 3,
        cancelledQuantity: 1,
        quantityKnown: true,
        unitPrice: '139.95',
        listPrice: '150.0',
        subtotal: '419.85',
        currency: 'MXN',
      },
    ],
    unpriced: [],
    shipping: {
      carrier: null,
      trackingNumber: null,
      method: 'Envío estándar',
      status: null,
      shippedAt: null,
      deliveredAt: null,
    },
    invoiceRequired: true,
    packId: '#2041',
    tags: ['regalo'],
    changedAt: at('2026-11-12T10:00:00Z'),
    fetchedAt: FETCHED,
    keep: [],
  });
  assert.match(raw ?? '', /"amount":"488\.85"/);
});

test('each pair of native statuses has one meaning', () => {
  const shipped = {
    displayFulfillmentStatus: 'FULFILLED',
    fulfillments: [{ ...PARCEL, displayStatus: 'IN_TRANSIT' }],
  };
  const delivered = { displayFulfillmentStatus: 'FULFILLED', fulfillments: [PARCEL] };
  const table: readonly (readonly [object, OrderStatus])[] = [
    [{ displayFinancialStatus: 'PENDING' }, 'pending'],
    [{ displayFinancialStatus: 'AUTHORIZED' }, 'pending'],
    [{ displayFinancialStatus: 'PARTIALLY_PAID' }, 'pending'],
    [{ displayFinancialStatus: null }, 'pending'],
    [{ displayFinancialStatus: 'PENDING', displayFulfillmentStatus: 'IN_PROGRESS' }, 'pending'],
    [{}, 'paid'],
    [{ displayFulfillmentStatus: 'ON_HOLD' }, 'paid'],
    [{ displayFulfillmentStatus: 'SCHEDULED' }, 'paid'],
    [{ displayFulfillmentStatus: 'OPEN' }, 'paid'],
    [{ displayFulfillmentStatus: 'REQUEST_DECLINED' }, 'paid'],
    [{ displayFulfillmentStatus: 'RESTOCKED' }, 'paid'],
    [{ displayFulfillmentStatus: 'FULFILLMENT_NOT_REQUIRED' }, 'paid'],
    [{ displayFinancialStatus: 'PARTIALLY_REFUNDED' }, 'paid'],
    [{ displayFulfillmentStatus: 'IN_PROGRESS' }, 'ready_to_ship'],
    [{ displayFulfillmentStatus: 'PENDING_FULFILLMENT' }, 'ready_to_ship'],
    [
      { displayFulfillmentStatus: 'PARTIALLY_FULFILLED', fulfillments: [PARCEL] },
      'partially_shipped',
    ],
    [shipped, 'shipped'],
    [{ ...shipped, displayFinancialStatus: 'PENDING' }, 'shipped'],
    [{ ...delivered, fulfillments: [] }, 'shipped'],
    [delivered, 'delivered'],
    [{ ...delivered, fulfillments: [{ ...PARCEL, displayStatus: 'PICKED_UP' }] }, 'delivered'],
    [
      { ...delivered, fulfillments: [PARCEL, { ...PARCEL, displayStatus: 'IN_TRANSIT' }] },
      'shipped',
    ],
    [
      {
        ...delivered,
        fulfillments: [PARCEL, { ...PARCEL, status: 'CANCELLED', displayStatus: 'CANCELED' }],
      },
      'delivered',
    ],
    [{ ...delivered, displayFinancialStatus: 'PARTIALLY_REFUNDED' }, 'delivered'],
    [{ ...delivered, displayFinancialStatus: 'REFUNDED' }, 'refunded'],
    [{ ...delivered, returnStatus: 'IN_PROGRESS' }, 'delivered'],
    [{ ...delivered, ...linesWith(3), returnStatus: 'RETURNED' }, 'returned'],
    [{ ...delivered, ...linesWith(0), returnStatus: 'RETURNED' }, 'returned'],
    [
      {
        ...delivered,
        ...linesWith(0),
        returnStatus: 'INSPECTION_COMPLETE',
        displayFinancialStatus: 'REFUNDED',
      },
      'returned',
    ],
    [{ displayFinancialStatus: 'VOIDED' }, 'cancelled'],
    [{ displayFinancialStatus: 'EXPIRED' }, 'cancelled'],
    [{ cancelledAt: '2026-11-11T00:00:00Z', displayFinancialStatus: 'REFUNDED' }, 'cancelled'],
    [{ cancelledAt: '2026-11-11T00:00:00Z', displayFinancialStatus: 'LOANED' }, 'cancelled'],
    [{ displayFinancialStatus: 'LOANED' }, 'unknown'],
    [{ displayFulfillmentStatus: 'BEAMED' }, 'unknown'],
    [{ returnStatus: 'SWAPPED' }, 'unknown'],
  ];

  for (const [given, status] of table)
    assert.equal(read(given).status, status, JSON.stringify(given));
});

test('an order of which some pieces came back is no returned one', () => {
  const delivered = { displayFulfillmentStatus: 'FULFILLED', fulfillments: [PARCEL] };
  const partly = { ...delivered, displayFinancialStatus: 'PARTIALLY_REFUNDED' };
  const nodes = [
    { ...LINE, quantity: 1, currentQuantity: 0 },
    { ...LINE, quantity: 1, currentQuantity: 1 },
  ];

  for (const returnStatus of ['RETURNED', 'INSPECTION_COMPLETE']) {
    const order = read({ ...partly, ...linesWith(2), returnStatus });
    assert.equal(order.status, 'delivered', returnStatus);
    assert.equal(order.items[0]?.cancelledQuantity, 1);
    assert.equal(order.dateClosed?.toString(), PARCEL.deliveredAt);
  }
  const otherLine = { ...partly, lineItems: { nodes }, returnStatus: 'RETURNED' };
  assert.equal(read(otherLine).status, 'delivered');
  assert.equal(read({ ...otherLine, displayFinancialStatus: 'REFUNDED' }).status, 'refunded');
});

test('a return is open from the request until it is closed, and unknown without the permission', () => {
  const tagsOf = (returnStatus: string) => read({ tags: [], returnStatus }).tags;

  assert.deepEqual(tagsOf('RETURN_REQUESTED'), ['open_return']);
  assert.deepEqual(tagsOf('IN_PROGRESS'), ['open_return']);
  for (const over of ['NO_RETURN', 'RETURN_FAILED', 'RETURNED', 'INSPECTION_COMPLETE'])
    assert.deepEqual(tagsOf(over), [], over);
  assert.deepEqual(read({ returnStatus: null }, ['returnStatus']).keep, ['tags']);
});

test('the native status names the return too, once there is one', () => {
  assert.equal(
    read({ returnStatus: 'RETURN_REQUESTED' }).marketplaceStatus,
    'PAID/UNFULFILLED/RETURN_REQUESTED',
  );
  assert.equal(read({ displayFinancialStatus: null }).marketplaceStatus, 'UNFULFILLED');
});

test('an order is closed when it first became final, not when the store put it away', () => {
  const closedAt = '2026-11-15T00:00:00Z';
  const cancelledAt = '2026-11-13T00:00:00Z';
  const delivered = '2026-11-12T09:00:00Z';
  const sent = { displayFulfillmentStatus: 'FULFILLED', closedAt };
  const refunded = {
    displayFinancialStatus: 'REFUNDED',
    refunds: [
      { createdAt: '2026-11-13T10:00:00Z', totalRefundedSet: money('400.00') },
      { createdAt: '2026-11-14T10:00:00Z', totalRefundedSet: money('88.85') },
    ],
  };
  const cases: readonly (readonly [object, string | null])[] = [
    [{ ...sent, fulfillments: [{ ...PARCEL, displayStatus: 'IN_TRANSIT' }] }, null],
    [{ ...sent, fulfillments: [PARCEL] }, delivered],
    [{ ...sent, fulfillments: [PARCEL, { ...PARCEL, deliveredAt: null }] }, null],
    [{ cancelledAt, closedAt }, cancelledAt],
    [{ displayFinancialStatus: 'VOIDED', closedAt }, null],
    [
      { cancelledAt, displayFulfillmentStatus: 'PARTIALLY_FULFILLED', fulfillments: [PARCEL] },
      cancelledAt,
    ],
    [refunded, '2026-11-14T10:00:00Z'],
    [{ ...refunded, ...sent, fulfillments: [PARCEL] }, delivered],
    [{ displayFinancialStatus: 'REFUNDED', closedAt }, null],
    [{ ...sent, fulfillments: [PARCEL], returnStatus: 'RETURNED' }, delivered],
    [{ returnStatus: 'RETURNED', closedAt }, null],
  ];

  for (const [given, closed] of cases)
    assert.equal(read(given).dateClosed?.toString() ?? null, closed, JSON.stringify(given));
});

const moneyOf = (given: object) => {
  const { total, subtotal, orderDiscount, shippingTotal, taxAdded, other } = read(given);
  const named = other.map(({ name, amount }) => `${name} ${amount}`);
  return [total, subtotal, orderDiscount, shippingTotal, taxAdded, ...named];
};

test('tax that is not inside the prices is added to them', () => {
  assert.deepEqual(moneyOf({ taxesIncluded: false, totalPriceSet: money('556.27') }), [
    '556.27',
    '419.85',
    '30',
    '99',
    '67.42',
  ]);
});

test('a tip, duties and fees are named parts of the total; the line of a tip is no goods', () => {
  const tip = {
    id: 'gid://shopify/LineItem/2',
    title: 'Tip',
    sku: null,
    variantTitle: null,
    quantity: 1,
    currentQuantity: 1,
    originalUnitPriceSet: money('20.00'),
    discountAllocations: [],
  };
  const given = {
    totalPriceSet: money('601.85'),
    totalTipReceivedSet: money('20.00'),
    originalTotalDutiesSet: money('88.00'),
    additionalFees: [{ name: 'Bolsa', price: money('5.00') }],
  };
  const figures = ['601.85', '419.85', '30', '99', '0', 'tip 20.00', 'duties 88.00', 'Bolsa 5.00'];

  assert.deepEqual(moneyOf(given), figures);
  assert.deepEqual(moneyOf({ ...given, lineItems: { nodes: [LINE, tip] } }), figures);
  assert.deepEqual(moneyOf({ ...given, dutiesIncluded: true }).slice(5), [
    'tip 20.00',
    'Bolsa 5.00',
  ]);
});

test('a discount is of the order only where it is spread across all of its lines', () => {
  const spread = (method: string, selection: string) => {
    const line = { ...LINE, discountAllocations: [allocation('30.00', method, selection)] };
    const { orderDiscount, items } = read({ lineItems: { nodes: [line] } });
    return [orderDiscount, items[0]?.unitPrice];
  };

  assert.deepEqual(spread('ACROSS', 'ALL'), ['30', '150']);
  for (const [method, selection] of [
    ['EACH', 'ALL'],
    ['ACROSS', 'ENTITLED'],
    ['ONE', 'EXPLICIT'],
  ] as const)
    assert.deepEqual(spread(method, selection), ['0', '140'], `${method} ${selection}`);
});

test('a price that does not divide evenly leaves the money of its line exact', () => {
  const line = {
    ...LINE,
    originalUnitPriceSet: money('100.00'),
    discountAllocations: [allocation('100.00', 'EACH', 'ENTITLED')],
  };

  const [item] = read({ lineItems: { nodes: [line] } }).items;

  assert.deepEqual([item?.unitPrice, item?.subtotal], ['66.666667', '200']);
});

test('what an edit removed makes a new total, and what was given back does not', () => {
  const sales = (actionType: string, amount: string) => ({
    nodes: [{ actionType, totalAmount: money(amount) }],
    pageInfo: { hasNextPage: false, endCursor: null },
  });
  const agreements = {
    nodes: [
      { reason: 'ORDER', sales: sales('ORDER', '488.85') },
      { reason: 'ORDER_EDIT', sales: sales('RETURN', '-129.95') },
      { reason: 'REFUND', sales: sales('RETURN', '-129.95') },
    ],
    pageInfo: { hasNextPage: false, endCursor: null },
  };
  const endless = {
    ...agreements,
    nodes: [
      {
        reason: 'ORDER_EDIT',
        sales: { nodes: [], pageInfo: { hasNextPage: true, endCursor: 'x' } },
      },
    ],
  };

  const figures = ['358.9', '419.85', '30', '99', '0', 'removed_by_edit -129.95'];
  assert.deepEqual(moneyOf({ edited: true, agreements }), figures);
  const [, ...parts] = figures;
  assert.deepEqual(
    moneyOf({ edited: true, agreements, totalPriceSet: money('358.90') }),
    ['358.90', ...parts],
    'a total that is the new one already',
  );
  assert.throws(() => read({ agreements: endless }), /its end was not to be had/);
});

test('an order of which nothing is left keeps its total and its pieces', () => {
  const gone = { lineItems: { nodes: [{ ...LINE, currentQuantity: 0 }] } };

  const order = read({
    ...gone,
    cancelledAt: '2026-11-13T00:00:00Z',
    displayFinancialStatus: 'REFUNDED',
  });

  assert.deepEqual(
    [order.total, order.items[0]?.quantity, order.items[0]?.cancelledQuantity],
    ['488.85', 3, 3],
  );
  assert.deepEqual(order.keep, []);
});

test('a number as SKU is a text, an empty one is none, and what has no name is untitled', () => {
  const named = (given: object) => {
    const [item] = read({ lineItems: { nodes: [{ ...LINE, ...given }] } }).items;
    return [item?.sku, item?.title];
  };

  assert.deepEqual(named({ sku: 7501 }), ['7501', 'Taza de barro - Azul']);
  assert.deepEqual(named({ sku: '' }), [null, 'Taza de barro - Azul']);
  assert.deepEqual(named({ name: null, title: 'Taza' }), ['TAZA-AZUL', 'Taza']);
  assert.deepEqual(named({ name: null, title: null, sku: null }), [null, 'Sin título']);
});

test('half an emoji in a field that is not used costs no order, and its document can be kept', () => {
  const order = read({ note: 'para \ud83d' });

  assert.equal(order.id, ORDER.legacyResourceId);
  assert.ok(isStorableText(order.raw ?? ''));
});

test('a currency is one of ISO 4217, else that of the total', () => {
  assert.equal(read({ currencyCode: 'mxn' }).currency, 'MXN');
  assert.equal(read({ currencyCode: '' }).currency, 'MXN');
  assert.throws(() => read({ currencyCode: 'string', totalPriceSet: null }), /expected a currency/);
});

test('what is kept of an order is read again as the same order, withheld fields included', () => {
  const bare = { customer: null, shippingAddress: null };
  for (const order of [read(), read(bare, ['orders', 'customer'])])
    assert.deepEqual(readStored(order.raw ?? '', FETCHED), { ok: true, item: order });
  assert.equal(readStored('null', FETCHED).ok, false);
});

test('a document that was kept before discounts were kept apart says no more than it did', () => {
  const { discountAllocations: _, ...line } = LINE;
  const { taxesIncluded: __, shippingLines: ___, ...rest } = ORDER;
  const price = { discountedUnitPriceAfterAllDiscountsSet: money('129.95') };
  const before = {
    ...rest,
    totalShippingPriceSet: money('99.0'),
    lineItems: { nodes: [{ ...line, ...price }] },
  };

  const kept = readStored(JSON.stringify(before), FETCHED);

  assert.ok(kept.ok);
  const { items, orderDiscount, shippingTotal, taxAdded } = kept.item;
  assert.deepEqual(
    [items[0]?.unitPrice, items[0]?.subtotal, orderDiscount, shippingTotal, taxAdded],
    ['129.95', '389.85', '0', '99.0', null],
  );
});

test('a buyer without a name has none: an address or a telephone number is not one', () => {
  const nameOf = (customer: object | null, shippingAddress: object | null = null) =>
    read({ customer, shippingAddress }).buyerName;

  assert.equal(nameOf(null), null);
  assert.equal(nameOf(null, { name: 'Iván Solís' }), 'Iván Solís');
  assert.deepEqual(nameOf(null, { firstName: 'Iván', lastName: null, name: 'Iván' }), {
    given: 'Iván',
    family: null,
  });
  assert.equal(nameOf({ displayName: 'ivan@example.com' }, { name: 'Iván Solís' }), 'Iván Solís');
  assert.equal(nameOf({ displayName: '+52 55 1234 5678' }), null);
  assert.equal(nameOf({ displayName: 77, firstName: { a: 1 } }), null, 'rubbish costs no order');
});

test('what a missing permission withholds stays as it was stored', () => {
  const bare = { customer: null, shippingAddress: null, refunds: null, fulfillments: null };

  assert.deepEqual(read(bare, ['orders', 'nodes', 'customer']).keep, ['buyerName']);
  assert.deepEqual(read(bare, ['refunds', 'fulfillments']).keep, ['refunds', 'shipping']);
  assert.deepEqual(read({}, ['customer']).keep, [], 'the address names the buyer all the same');
  assert.deepEqual(read({ lineItems: null }).keep, [
    'items',
    'subtotal',
    'orderDiscount',
    'discountTotal',
  ]);
});

test('an order reports what it has of its parcels, dead ones left out', () => {
  const dead = {
    ...PARCEL,
    status: 'CANCELLED',
    trackingInfo: [{ company: 'Nadie', number: '0' }],
  };
  const second = { ...PARCEL, inTransitAt: '2026-11-11T08:00:00Z', trackingInfo: [] };

  const sent = { displayFulfillmentStatus: 'FULFILLED', shippingLines: null };
  const { shipping } = read({ ...sent, fulfillments: [dead, second, PARCEL] });

  assert.deepEqual(shipping, {
    carrier: 'Estafeta',
    trackingNumber: 'MX55TG',
    method: null,
    status: 'DELIVERED',
    shippedAt: at('2026-11-11T08:00:00Z'),
    deliveredAt: at('2026-11-12T09:00:00Z'),
  });
  assert.equal(read({ ...sent, fulfillments: [dead] }).shipping, null);
});

test('an order with only what is always there can be read', () => {
  const order = toSourceOrder(
    {
      order: wire({
        id: 'gid://shopify/Order/51',
        createdAt: '2026-11-10T15:00:00Z',
        totalPriceSet: { shopMoney: { amount: 12.5, currencyCode: 'MXN' } },
        lineItems: {
          nodes: [
            { id: 'gid://shopify/LineItem/1', quantity: 1, originalUnitPriceSet: money('12.5') },
          ],
        },
      }),
      withheld: new Set(),
    },
    FETCHED,
  );

  assert.deepEqual(
    [
      order.id,
      order.status,
      order.total,
      order.currency,
      order.refundedTotal,
      order.invoiceRequired,
    ],
    ['51', 'pending', '12.5', 'MXN', null, null],
  );
  assert.equal(order.items[0]?.quantity, 1);
});

test('test orders carry a tag, so that reports can leave them out', () => {
  assert.deepEqual(read({ test: true }).tags, ['regalo', 'test_order']);
});

test('what cannot be read says why, and which order it was', () => {
  const faults: readonly (readonly [object, RegExp])[] = [
    [{ totalPriceSet: money('mucho') }, /^totalPriceSet\.shopMoney\.amount: expected an amount/],
    [{ createdAt: 'ayer' }, /^createdAt: expected a time/],
    [
      { lineItems: { nodes: [{ ...LINE, quantity: null, currentQuantity: null }] } },
      /^lineItems\.nodes\.0: expected a quantity/,
    ],
    [
      { lineItems: { nodes: [], pageInfo: { hasNextPage: true, endCursor: 'x' } } },
      /^lineItems: its end/,
    ],
  ];

  for (const [given, reason] of faults)
    assert.throws(
      () => read(given),
      (error) => {
        assert.ok(error instanceof ZodError);
        const [issue] = error.issues;
        assert.match(`${issue?.path.join('.')}: ${issue?.message}`, reason);
        return true;
      },
    );
  assert.equal(orderIdOf(wire({ ...ORDER, createdAt: 'ayer' })), '5100000000001');
  assert.equal(orderIdOf(wire({ id: 'gid://shopify/Order/77' })), '77');
  assert.equal(orderIdOf(wire([])), null);
});

test('stock is that of all places, and what is not for sale is apart', () => {
  const level = (available: number, onHand: number) => ({
    location: { id: 'gid://shopify/Location/1' },
    quantities: [
      { name: 'available', quantity: available },
      { name: 'on_hand', quantity: onHand },
    ],
  });
  const item = {
    id: 'gid://shopify/InventoryItem/9200000000001',
    sku: 'TAZA-AZUL',
    tracked: true,
    variants: { nodes: [{ displayName: 'Taza de barro - Azul' }] },
    inventoryLevels: {
      nodes: [level(8, 12), level(-1, 0)],
      pageInfo: { hasNextPage: false, endCursor: null },
    },
  };

  assert.deepEqual(toStock(wire(item)), {
    itemId: '9200000000001',
    variationId: '',
    warehouse: 'seller',
    sku: 'TAZA-AZUL',
    title: 'Taza de barro - Azul',
    available: 7,
    unavailable: 5,
  });
  assert.equal(toStock(wire({ ...item, tracked: false })).available, null, 'it is not tracked');
  assert.equal(
    toStock(wire({ ...item, variants: null, variant: { displayName: 'Taza' } })).title,
    'Taza',
  );
  assert.equal(toStock(wire({ ...item, variants: null, sku: '' })).title, '9200000000001');
});

test('a shop without Shopify Payments has no balance, which is not a balance of zero', () => {
  const none = Balance.parse(wire({ shopifyPaymentsAccount: null }));
  const some = Balance.parse(
    wire({ shopifyPaymentsAccount: { balance: [{ amount: '53.99', currencyCode: 'MXN' }] } }),
  );

  assert.deepEqual(toBalances(none, FETCHED), []);
  assert.deepEqual(toBalances(some, FETCHED), [
    {
      purse: '',
      currency: 'MXN',
      available: '53.99',
      pending: null,
      asOf: FETCHED,
      isDerived: false,
    },
  ]);
});

test('a payout adds up: what was earned less the fees is what the seller gets', () => {
  const sum = (amount: string) => ({ amount });
  const payout = {
    legacyResourceId: '620000001',
    issuedAt: '2026-11-12T00:00:00Z',
    status: 'PAID',
    transactionType: 'DEPOSIT',
    externalTraceId: 'SPEI1',
    net: { amount: '96.10', currencyCode: 'MXN' },
    summary: {
      chargesGross: sum('110.00'),
      chargesFee: sum('4.00'),
      refundsFeeGross: sum('-10.00'),
      refundsFee: sum('-0.10'),
    },
  };
  const { raw, ...settlement } = toSettlement(wire(payout));

  assert.deepEqual(settlement, {
    id: '620000001',
    status: 'paid',
    marketplaceStatus: 'PAID',
    currency: 'MXN',
    gross: '100',
    fees: '3.9',
    net: '96.10',
    from: null,
    to: null,
    paidAt: at('2026-11-12T00:00:00Z'),
    reference: 'SPEI1',
    changedAt: at('2026-11-12T00:00:00Z'),
  });
  assert.match(raw, /620000001/);
  const statuses = {
    SCHEDULED: 'expected',
    IN_TRANSIT: 'pending',
    FAILED: 'failed',
    CANCELED: 'cancelled',
  };
  for (const [status, ours] of Object.entries(statuses)) {
    const other = toSettlement(wire({ ...payout, status, summary: null }));
    assert.deepEqual(
      [other.status, other.paidAt, other.gross, other.fees],
      [ours, null, null, null],
    );
  }
  assert.equal(toSettlement(wire({ ...payout, transactionType: 'WITHDRAWAL' })).net, '-96.1');
  assert.throws(() => toSettlement(wire({ ...payout, status: 'LOST' })), /unknown: LOST/);
});

function answer(body: unknown, status = 200): WireAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: {}, body: text, fetchedAt: FETCHED };
}

test('errors are in the body, under HTTP 200', () => {
  const failed = (code: string, data?: unknown) =>
    answer({ errors: [{ message: 'no', extensions: { code } }], data });

  assert.equal(verdict(failed('THROTTLED')), 'retry');
  assert.equal(verdict(failed('INTERNAL_SERVER_ERROR', { orders: null })), 'retry');
  assert.equal(verdict(failed('ACCESS_DENIED', null)), 'forbid');
  assert.equal(
    verdict(failed('ACCESS_DENIED', { shopifyPaymentsAccount: null })),
    null,
    'the rest is good',
  );
  assert.equal(verdict(failed('SHOP_INACTIVE')), 'refuse');
  assert.equal(verdict(failed('undefinedField')), 'refuse');
  assert.equal(verdict(failed('MAX_COST_EXCEEDED')), null, 'less is asked for');
  assert.equal(verdict(answer({ data: {} })), null);
  assert.equal(verdict(answer({ access_token: 'x' })), null);
  assert.equal(
    verdict(answer({ errors: '[API] Invalid API key' }, 401)),
    null,
    'the status decides',
  );
});

test('the next query waits until the bucket holds what one like this costs', () => {
  const cost = (requested: number, currentlyAvailable: number, restoreRate = 100) =>
    answer({
      data: {},
      extensions: {
        cost: {
          requestedQueryCost: requested,
          throttleStatus: { currentlyAvailable, restoreRate },
        },
      },
    });

  assert.equal(pace(cost(202, 118)), 840);
  assert.equal(pace(cost(72, 1976)), 0);
  assert.equal(pace(cost(72, 0, 0)), 0);
  assert.equal(pace(answer({ data: {} })), 0);
  assert.equal(pace(answer('<html>')), 0);
});

type WebhookSecrets = Parameters<typeof notifications.verify>[2];
const NO_APPLICATION: WebhookSecrets = { application: null, secret: '' };

test('a push is signed over its raw body', () => {
  const application = { clientId: 'x', clientSecret: 'hush' };
  const headers = { 'x-shopify-hmac-sha256': 'VnKUjZsLuN5iZWjn5EntcBVCF9kMN43LglzCE1/GSeY=' };
  const push = { headers, text: '{"id":1}', body: null };
  const credentials = { shop: 'a.myshopify.com', access_token: 'x' };
  const verify = (given: object, secrets: WebhookSecrets = { application, secret: '' }) =>
    notifications.verify({ ...push, ...given }, credentials, secrets);

  assert.equal(verify({}), true);
  assert.equal(notifications.verifyPrivacy?.(push, { application, secret: '' }), true);
  assert.equal(verify({ text: '{"id": 1}' }), false);
  assert.equal(verify({ headers: {} }), false);
  assert.equal(verify({}, NO_APPLICATION), false);
  assert.equal(
    notifications.verify(push, { ...credentials, client_secret: 'hush' }, NO_APPLICATION),
    true,
  );
});

test('a push only says what to ask for', () => {
  const notificationsOf = (topic: string, body: object) =>
    notifications.notificationsIn({
      headers: { 'x-shopify-topic': topic },
      text: '',
      body: wire(body),
    });
  const order = [{ stream: 'orders', id: '5100000000001' }];

  assert.deepEqual(
    notificationsOf('orders/updated', { id: 5100000000001, total_price: '1.00' }),
    order,
  );
  assert.deepEqual(notificationsOf('orders/delete', { id: 5100000000001 }), order);
  assert.deepEqual(
    notificationsOf('orders/edited', { order_edit: { id: 1, order_id: 5100000000001 } }),
    order,
  );
  assert.deepEqual(notificationsOf('refunds/create', { id: 1, order_id: 5100000000001 }), order);
  assert.deepEqual(
    notificationsOf('fulfillments/update', { id: 1, order_id: 5100000000001 }),
    order,
  );
  assert.deepEqual(
    notificationsOf('returns/update', { id: 1, order: { id: 5100000000001 } }),
    order,
  );
  assert.deepEqual(
    notificationsOf('inventory_levels/update', {
      inventory_item_id: 92,
      location_id: 1,
      available: 3,
    }),
    [{ stream: 'inventory', id: '92' }],
  );
  assert.deepEqual(
    notificationsOf('customers/redact', { customer: { id: 1 }, orders_to_redact: [51, 52] }),
    [{ forget: 'buyer', orderIds: ['51', '52'] }],
  );
  assert.deepEqual(notificationsOf('customers/data_request', { orders_requested: [51] }), [
    { show: 'buyer', orderIds: ['51'] },
  ]);
  assert.deepEqual(notificationsOf('shop/redact', { shop_id: 1, shop_domain: 'a.myshopify.com' }), [
    { forget: 'account' },
  ]);
  assert.deepEqual(notificationsOf('app/uninstalled', { id: 1 }), []);
  assert.deepEqual(
    notifications.notificationsIn({
      headers: { 'x-shopify-topic': 'orders/create' },
      text: '',
      body: null,
    }),
    [],
  );
  const of = (domain?: string) =>
    notifications.account({
      headers: domain ? { 'x-shopify-shop-domain': domain } : {},
      text: '',
      body: null,
    });
  assert.deepEqual([of('A.myshopify.com'), of()], ['a.myshopify.com', null]);
});

test('a store is what ends in myshopify.com, however it is typed', () => {
  const typed: readonly (readonly [string, string | null])[] = [
    ['mi-tienda', 'mi-tienda.myshopify.com'],
    [' Mi-Tienda.myshopify.com ', 'mi-tienda.myshopify.com'],
    ['https://mi-tienda.myshopify.com/admin', 'mi-tienda.myshopify.com'],
    ['https://admin.shopify.com/store/mi-tienda/orders?x=1', 'mi-tienda.myshopify.com'],
    ['mi-tienda.com', null],
    ['mi-tienda.myshopify.com.evil.example', null],
    ['evil.example/#.myshopify.com', null],
    ['-tienda', null],
    ['a@b', null],
    ['', null],
  ];

  for (const [text, store] of typed) assert.equal(consent.store?.(text), store, text);
  assert.throws(() => ShopifyCredentials.parse({ shop: 'evil.example', access_token: 'x' }));
  assert.throws(() => ShopifyCredentials.parse({ shop: 'a.myshopify.com' }), /access_token/);
});

test('what comes back from the page of consent must be signed, and of the store that was asked', async () => {
  const application = { clientId: 'client', clientSecret: 'hush' };
  const answered = {
    code: 'c0de',
    host: 'YWRtaW4uc2hvcGlmeQ==',
    shop: 'a.myshopify.com',
    state: 's',
    timestamp: '1',
  };
  const asked: unknown[] = [];
  const call = {
    request: async (request: unknown) => {
      asked.push(request);
      return answer({
        access_token: 'shpat_1',
        expires_in: 3600,
        refresh_token: 'shprt_1',
        scope: 'read_orders',
      });
    },
  } as unknown as Call<null>;
  const exchange = (given: Record<string, string>, store = 'a.myshopify.com') =>
    consent.exchange(call, {
      application,
      redirectUri: 'https://x',
      answer: given,
      verifier: '',
      store,
    });
  const signed = (text: string) => createHmac('sha256', 'hush').update(text).digest('hex');
  const plain = Object.entries(answered).map(([name, value]) => `${name}=${value}`);
  const hmac = signed(plain.join('&'));

  const renewed = await exchange({ ...answered, hmac });
  await exchange({ ...answered, hmac: signed(plain.join('&').replaceAll('==', '%3D%3D')) });
  for (const forged of [
    { ...answered, hmac: signed('x') },
    { ...answered, code: 'other', hmac },
    answered,
  ])
    await assert.rejects(exchange(forged), ZodError);
  await assert.rejects(exchange({ ...answered, hmac }, 'b.myshopify.com'), ZodError);

  assert.deepEqual(renewed, {
    credentials: { shop: 'a.myshopify.com', access_token: 'shpat_1', refresh_token: 'shprt_1' },
    secondsToLive: 3600,
  });
  assert.equal(asked.length, 2, 'nothing is asked with a forged answer');
  assert.deepEqual(asked[0], {
    method: 'POST',
    host: 'https://a.myshopify.com',
    path: '/admin/oauth/access_token',
    body: { form: { client_id: 'client', client_secret: 'hush', code: 'c0de', expiring: '1' } },
    anonymous: true,
  });
});
