import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { add, addKnown, subtract, ZERO } from '../../platform/money.ts';
import { formatMillis } from '../../platform/time.ts';
import type { OrderStatus, SourceOrder } from '../contract.ts';
import { isOurFilter, OUR_FILTER } from './feed.ts';
import { notifications } from './notifications.ts';
import {
  isIncomplete,
  readInvoices,
  readStored,
  Sku,
  SkuStock,
  toSourceOrder,
  toStock,
  WORKFLOW,
} from './wire.ts';

// Documents in the documented shape, with values of our own.

const FETCHED = Temporal.Instant.from('2026-11-16T18:00:00Z');

/** An order as it is read, of one that differs as given. */
function read(more: object = {}): SourceOrder {
  return toSourceOrder(wire({ ...ORDER, ...more }), FETCHED);
}

/** As it comes off the wire: every number still is its own text. */
function wire(document: object): unknown {
  return parseLossless(JSON.stringify(document));
}

const ITEM = {
  uniqueId: 'A1B2C3D4E5F60718293A4B5C6D7E8F90',
  id: '4711',
  productId: '47',
  refId: 'TAZA-AZUL',
  sellerSku: '4711',
  name: 'Taza azul de barro',
  quantity: 3,
  price: 14_000,
  listPrice: 15_000,
  unitMultiplier: 1.0,
  sellingPrice: 12_995,
  priceDefinition: {
    sellingPrices: [{ value: 12_995, quantity: 3 }],
    calculatedSellingPrice: 12_995,
    total: 38_985,
    reason: null,
  },
};

const ORDER = {
  orderId: '1530000000042-01',
  sequence: '500042',
  orderGroup: '1460000000040',
  status: 'ready-for-handling',
  value: 48_885,
  totals: [
    { id: 'Items', name: 'Artículos', value: 42_000 },
    { id: 'Discounts', name: 'Descuentos', value: -3_015 },
    { id: 'Shipping', name: 'Envío', value: 9_900 },
    { id: 'Tax', name: 'Impuestos', value: 0 },
  ],
  creationDate: '2026-11-15T15:09:43.8999581+00:00',
  lastChange: '2026-11-15T16:46:11.7010747+00:00',
  authorizedDate: '2026-11-15T15:46:11.7010747+00:00',
  storePreferencesData: { countryCode: 'MEX', currencyCode: 'MXN' },
  clientProfileData: { email: 'x@ct.vtex.com.br', firstName: 'Itzel', lastName: 'Núñez Peña' },
  items: [ITEM],
  packageAttachment: { packages: [] },
  shippingData: {
    logisticsInfo: [
      {
        selectedSla: 'Exprés',
        deliveryCompany: 'Mensajería',
        deliveryIds: [{ courierName: 'Redpack' }],
      },
    ],
  },
};

const PARCEL = {
  type: 'Output',
  courier: 'Estafeta',
  invoiceNumber: 'F42',
  invoiceValue: 48_885,
  invoiceUrl: 'https://facturas.example/42.pdf',
  invoiceKey: '0f8fad5b-d9cb-469f-a165-70867728950e',
  embeddedInvoice: '<cfdi:Comprobante Version="4.0"/>',
  issuanceDate: '2026-11-16T10:10:20.5322681+00:00',
  trackingNumber: 'MX0000000042TG',
  courierStatus: null,
  restitutions: null,
};

const DELIVERED = {
  status: 'ok',
  finished: true,
  deliveredDate: '2026-11-16T15:00:00.5322681+00:00',
  data: [],
};

function parcels(...packages: object[]) {
  return { packageAttachment: { packages } };
}

function returned(value: number) {
  return {
    ...PARCEL,
    type: 'Input',
    invoiceNumber: 'N42',
    restitutions: { Refund: { value, items: [] } },
  };
}

const CURRENCY_MISSING = 'storePreferencesData.currencyCode: expected a currency';

const STATUSES: Readonly<Partial<Record<OrderStatus, readonly string[]>>> = {
  pending: [
    'order-created',
    'on-order-completed',
    'on-order-completed-ffm',
    'order-accepted',
    'payment-pending',
    'waiting-for-authorization',
    'waiting-for-manual-authorization',
    'waiting-for-fulfillment',
    'waiting-ffmt-authorization',
    'waiting-for-mkt-authorization',
    'waiting-for-order-authorization',
    'waiting-for-seller-confirmation',
    'waiting-for-sellers-confirmation',
    'waiting-for-seller-decision',
    'window-to-change-payment',
    'window-to-change-seller',
    'approve-payment',
  ],
  paid: [
    'payment-approved',
    'authorize-fulfillment',
    'window-to-cancel',
    'ready-for-handling',
    'start-handling',
    'handling',
    'waiting-seller-handling',
    'ready-for-invoicing',
    'invoice',
    'invoice-after-cancellation-deny',
  ],
  ready_to_ship: ['invoiced'],
  cancelled: ['payment-denied', 'cancel', 'canceled', 'replaced'],
  unknown: ['order-create-error', 'order-creation-error', 'algo-nuevo'],
};

for (const [unified, natives] of Object.entries(STATUSES))
  for (const native of natives)
    test(`an order that is «${native}» is ${unified}`, () => {
      const order = read({ status: native });

      assert.deepEqual([order.status, order.marketplaceStatus, order.keep], [unified, native, []]);
    });

const PARCELS: readonly (readonly [string, OrderStatus, object[]])[] = [
  ['no parcel', 'ready_to_ship', []],
  ['no tracking number', 'ready_to_ship', [{ ...PARCEL, trackingNumber: null }]],
  ['an empty tracking number', 'ready_to_ship', [{ ...PARCEL, trackingNumber: '' }]],
  ['a tracking number', 'shipped', [PARCEL]],
  ['one parcel of two at the buyer', 'shipped', [PARCEL, { ...PARCEL, courierStatus: DELIVERED }]],
  ['all parcels at the buyer', 'delivered', [{ ...PARCEL, courierStatus: DELIVERED }]],
  [
    'only a date of delivery',
    'delivered',
    [{ ...PARCEL, courierStatus: { ...DELIVERED, finished: false } }],
  ],
  ['a parcel whose type is not said', 'shipped', [{ ...PARCEL, type: null }]],
  ['only what came back', 'ready_to_ship', [{ ...returned(100), courierStatus: DELIVERED }]],
  [
    'all of the money given back',
    'refunded',
    [{ ...PARCEL, courierStatus: DELIVERED }, returned(48_885)],
  ],
  ['the money given back in two parts', 'refunded', [PARCEL, returned(40_000), returned(8_885)]],
];

for (const [what, unified, packages] of PARCELS)
  test(`an invoiced order with ${what} is ${unified}`, () => {
    assert.equal(read({ status: 'invoiced', ...parcels(...packages) }).status, unified);
  });

test('a cancelled order stays cancelled, whatever was sent or given back', () => {
  const order = read({ status: 'canceled', ...parcels(PARCEL, returned(48_885)) });

  assert.equal(order.status, 'cancelled');
  assert.equal(order.refundedTotal, '488.85');
});

for (const native of ['request-cancel', 'cancellation-requested'])
  test(`«${native}» leaves a known order as it was, and a new one as it shows`, () => {
    const shown = (more: object) => read({ status: native, ...more });

    assert.deepEqual(shown({}).keep, ['status']);
    assert.equal(shown({}).status, 'paid');
    assert.equal(shown({ authorizedDate: null }).status, 'pending');
    assert.equal(shown(parcels(PARCEL)).status, 'shipped');
  });

test('amounts are hundredths, and the parts of an order give its total', () => {
  const order = read();

  assert.deepEqual(
    [
      order.total,
      order.subtotal,
      order.orderDiscount,
      order.shippingTotal,
      order.taxAdded,
      order.other,
    ],
    ['488.85', '389.85', '0', '99', '0', []],
  );
  assert.deepEqual(order.totalIncludes, { shipping: true, tax: true, orderDiscount: true });
  assert.deepEqual(
    [
      order.feesTotal,
      order.netTotal,
      order.refundedTotal,
      order.marketplaceDiscountTotal,
      order.currency,
    ],
    [null, null, null, null, 'MXN'],
  );
  assert.equal(checkOf(order), '0');
});

test('what an order does not say is null and not nothing', () => {
  const order = read({
    totals: null,
    value: null,
    authorizedDate: null,
    lastChange: null,
    orderGroup: null,
  });

  assert.deepEqual(
    [
      order.total,
      order.orderDiscount,
      order.shippingTotal,
      order.taxAdded,
      order.dateClosed,
      order.changedAt,
    ],
    [null, null, null, null, null, null],
  );
  assert.deepEqual([order.packId, order.other], [null, []]);
});

/** The total less all of its parts. */
function checkOf({
  total,
  subtotal,
  orderDiscount,
  shippingTotal,
  taxAdded,
  other,
}: SourceOrder): string {
  const parts = [subtotal, shippingTotal, taxAdded, ...other.map(({ amount }) => amount)];
  return add(subtract(total ?? ZERO, addKnown(parts) ?? ZERO), orderDiscount ?? ZERO);
}

function totals(of: Readonly<Record<string, number>>): object {
  const value = Object.values(of).reduce((sum, part) => sum + part, 0);
  return { value, totals: Object.entries(of).map(([id, value]) => ({ id, name: id, value })) };
}

const USUAL = { Items: 42_000, Discounts: -3_015, Shipping: 9_900, Tax: 0 };

test('discounts that no line has are of the order', () => {
  const order = read(totals({ ...USUAL, Discounts: -5_015 }));

  assert.deepEqual([order.orderDiscount, order.discountTotal], ['20', '80.15']);
  assert.equal(checkOf(order), '0');
});

test('taxes and totals of other names are read, and zero ones are not', () => {
  const order = read(totals({ ...USUAL, Tax: 1_600, CustomTax: 400, Interest: 1_250, Otro: 0 }));

  assert.deepEqual([order.taxTotal, order.taxAdded], ['20', '20']);
  assert.deepEqual(order.other, [{ name: 'Interest', amount: '12.50' }]);
  assert.equal(checkOf(order), '0');
  assert.deepEqual([read().taxTotal, read().taxAdded], [null, '0']);
});

const CHANGE = {
  reason: 'Sin existencias',
  discountValue: 0,
  incrementValue: 0,
  itemsAdded: [],
  itemsRemoved: [],
  receipt: {
    date: '2026-11-15T16:46:11.7010747+00:00',
    orderId: '1530000000042-01',
    receipt: 'r-1',
  },
};
const REMOVED = {
  id: '4711',
  name: 'Taza azul de barro',
  quantity: 1,
  price: 12_995,
  unitMultiplier: null,
};
const BAG = { id: '9', name: 'Bolsa de regalo', quantity: 2, price: 1_250, unitMultiplier: null };

function changed(value: number, ...changesData: object[]): object {
  return {
    ...totals({ ...USUAL, Change: value }),
    changesAttachment: { id: 'changeAttachment', changesData },
  };
}

function piecesOf({ items }: SourceOrder): (readonly [string | null, number, number])[] {
  return items.map(({ sku, quantity, cancelledQuantity }) => [sku, quantity, cancelledQuantity]);
}

test('pieces that a change removed are cancelled, and the change is part of the new total', () => {
  const order = read(
    changed(-12_995, { ...CHANGE, discountValue: 12_995, itemsRemoved: [REMOVED] }),
  );

  assert.deepEqual(piecesOf(order), [['TAZA-AZUL', 3, 1]]);
  assert.deepEqual([order.total, order.subtotal], ['358.90', '389.85']);
  assert.deepEqual(order.other, [{ name: 'Change', amount: '-129.95' }]);
  assert.equal(checkOf(order), '0');
});

test('a removed piece is found by the seller’s own id, and no line loses more than it has', () => {
  const items = [
    { ...ITEM, id: '88', quantity: 1 },
    { ...ITEM, id: '88', sellerSku: '4711', quantity: 1 },
    { ...ITEM, id: '90', sellerSku: '90' },
  ];
  const itemsRemoved = [{ ...REMOVED, quantity: 5 }];
  const order = read({ ...changed(-100, { ...CHANGE, itemsRemoved }), items });

  assert.deepEqual(
    piecesOf(order).map(([, , cancelled]) => cancelled),
    [1, 1, 0],
  );
});

test('what a change added is a line, and what was removed of that later is cancelled', () => {
  const order = read(
    changed(
      1_250,
      { ...CHANGE, incrementValue: 2_500, itemsAdded: [BAG] },
      { ...CHANGE, discountValue: 1_250, itemsRemoved: [{ ...BAG, quantity: 1 }] },
    ),
  );

  assert.deepEqual(piecesOf(order), [
    ['TAZA-AZUL', 3, 0],
    ['9', 2, 1],
  ]);
  assert.deepEqual([order.subtotal, order.items[1]?.title], ['414.85', 'Bolsa de regalo']);
  assert.deepEqual(order.other, [{ name: 'Change', amount: '-12.5' }]);
  assert.equal(checkOf(order), '0');
});

test('a change of the price alone is named', () => {
  const order = read(changed(-500, { ...CHANGE, discountValue: 500 }));

  assert.deepEqual(order.other, [{ name: 'Change', amount: '-5' }]);
  assert.equal(checkOf(order), '0');
});

test('pieces that came back with a credit note are counted', () => {
  const back = {
    ...returned(12_995),
    items: [
      { itemIndex: 0, quantity: 1 },
      { itemIndex: 7, quantity: 1 },
    ],
  };
  const sent = { ...PARCEL, items: [{ itemIndex: 0, quantity: 3 }] };

  assert.deepEqual(piecesOf(read({ status: 'invoiced', ...parcels(sent, back) })), [
    ['TAZA-AZUL', 3, 1],
  ]);
});

const PRICES: readonly (readonly [string, object, string, string, string])[] = [
  ['the line’s total by its pieces', {}, '129.95', '389.85', '150.00'],
  [
    'the selling price where nothing else is said',
    { priceDefinition: null },
    '129.95',
    '389.85',
    '150.00',
  ],
  [
    'the price where there is no selling price',
    { sellingPrice: null, priceDefinition: null },
    '140.00',
    '420',
    '150.00',
  ],
  ['nothing for a gift', { sellingPrice: 0, priceDefinition: null }, '0.00', '0', '150.00'],
  [
    'the mean of several prices',
    {
      quantity: 2,
      priceDefinition: { sellingPrices: [{ value: 1_000 }, { value: 1_010 }], total: 2_010 },
    },
    '10.05',
    '20.10',
    '150.00',
  ],
  [
    'six decimals where the mean does not end',
    { priceDefinition: { sellingPrices: [{ value: 333 }, { value: 334 }], total: 1_000 } },
    '3.333333',
    '10.00',
    '150.00',
  ],
  [
    'a piece of the unit in which it is priced',
    {
      price: 199,
      listPrice: 210,
      unitMultiplier: 0.3,
      sellingPrice: 59,
      priceDefinition: { total: 179 },
    },
    '0.596667',
    '1.79',
    '0.63',
  ],
];

for (const [what, more, unitPrice, subtotal, listPrice] of PRICES)
  test(`a piece costs ${what}`, () => {
    const [item] = read({ items: [{ ...ITEM, ...more }] }).items;

    assert.deepEqual(
      [item?.unitPrice, item?.subtotal, item?.listPrice],
      [unitPrice, subtotal, listPrice],
    );
  });

const LIST_PRICES: readonly (readonly [object, string | null])[] = [
  [{ listPrice: 13_000 }, '140.00'],
  [{ listPrice: null }, '140.00'],
  [{ listPrice: 'mucho' }, '140.00'],
  [{ price: 10_000, listPrice: 9_000 }, null],
  [{ price: null, listPrice: 15_000 }, null],
];

for (const [more, listPrice] of LIST_PRICES)
  test(`a line sold at 129.95 with ${JSON.stringify(more)} has the list price ${listPrice}`, () => {
    assert.equal(read({ items: [{ ...ITEM, ...more }] }).items[0]?.listPrice, listPrice);
  });

test('goods by weight: what is rounded line by line is no discount of the order', () => {
  const cheese = {
    ...ITEM,
    quantity: '1.5',
    price: 19_990,
    listPrice: 19_990,
    unitMultiplier: 0.333,
    sellingPrice: 5_990,
    priceDefinition: { sellingPrices: [], total: 8_986 },
  };
  const weighed = {
    items: [cheese],
    ...totals({ Items: 9_986, Discounts: -1_000, Shipping: 0, Tax: 0 }),
  };
  const order = read({ ...weighed, roundingError: -1 });

  assert.deepEqual(
    [order.items[0]?.quantity, order.subtotal, order.orderDiscount],
    [2, '89.86', '0'],
  );
  assert.equal(checkOf(order), '0');
  assert.equal(read({ ...weighed, roundingError: 0 }).orderDiscount, '0.01');
});

test('an item is its SKU, by the seller’s own name where there is one', () => {
  const [item, bare] = read({
    items: [ITEM, { ...ITEM, refId: null, name: null, quantity: '0.5', sellerSku: 4712 }],
  }).items;

  assert.deepEqual(
    [item?.id, item?.sku, item?.title, item?.quantity],
    ['4711', 'TAZA-AZUL', ITEM.name, 3],
  );
  const [nameless] = read({ items: [{ ...ITEM, refId: null, sellerSku: null, name: ' ' }] }).items;

  assert.deepEqual([bare?.sku, bare?.title, bare?.quantity], ['4712', '4712', 1]);
  assert.deepEqual([nameless?.sku, nameless?.title], [null, 'Sin título']);
});

test('times with seven digits are cut, the buyer is the profile’s, the pack is the group', () => {
  const order = read();

  assert.equal(formatMillis(order.dateCreated), '2026-11-15T15:09:43.899Z');
  assert.equal(order.changedAt && formatMillis(order.changedAt), '2026-11-15T16:46:11.701Z');
  assert.deepEqual(
    [order.buyerName, order.packId],
    [{ given: 'Itzel', family: 'Núñez Peña' }, '1460000000040'],
  );
});

test('a date of the year 1 is none, and one without an offset is UTC', () => {
  const at = (deliveredDate: unknown) => {
    const courierStatus = { status: '', finished: null, deliveredDate };
    const { status, shipping } = read({
      status: 'invoiced',
      ...parcels({ ...PARCEL, courierStatus }),
    });
    return [status, shipping?.deliveredAt?.toString() ?? null];
  };

  assert.deepEqual(at('0001-01-01T00:00:00'), ['shipped', null]);
  assert.deepEqual(at(''), ['shipped', null]);
  assert.deepEqual(at('2026-11-16T15:00:00'), ['delivered', '2026-11-16T15:00:00Z']);
});

const CANCELLED = {
  status: 'canceled',
  cancellationData: { CancellationDate: '2026-11-16T09:14:41.3695207Z' },
};
const BACK = { ...returned(48_885), issuanceDate: '2026-11-20T10:00:00+00:00' };

const CLOSINGS: readonly (readonly [string, object, string | null])[] = [
  ['is paid', {}, null],
  ['is on its way', { status: 'invoiced', ...parcels(PARCEL) }, null],
  [
    'is delivered in part',
    { status: 'invoiced', ...parcels(PARCEL, { ...PARCEL, courierStatus: DELIVERED }) },
    null,
  ],
  ['is cancelled', CANCELLED, '2026-11-16T09:14:41.369Z'],
  ['is cancelled at a time that is not reported', { status: 'canceled' }, null],
  [
    'is delivered',
    { status: 'invoiced', ...parcels({ ...PARCEL, courierStatus: DELIVERED }) },
    '2026-11-16T15:00:00.532Z',
  ],
  [
    'is delivered at a time that is not reported',
    {
      status: 'invoiced',
      ...parcels({ ...PARCEL, courierStatus: { ...DELIVERED, deliveredDate: null } }, BACK),
    },
    null,
  ],
  [
    'is delivered and given back',
    { status: 'invoiced', ...parcels({ ...PARCEL, courierStatus: DELIVERED }, BACK) },
    '2026-11-16T15:00:00.532Z',
  ],
  ['is refunded', { status: 'invoiced', ...parcels(PARCEL, BACK) }, '2026-11-20T10:00:00.000Z'],
];

for (const [what, more, closed] of CLOSINGS)
  test(`an order that ${what} closed at ${closed}`, () => {
    const { dateClosed } = read(more);

    assert.equal(dateClosed && formatMillis(dateClosed), closed);
  });

test('a fault in an unused field costs no order', () => {
  const order = read({
    clientProfileData: 'nadie',
    shippingData: [],
    cancellationData: 7,
    packageAttachment: { packages: [{ ...PARCEL, type: 7, items: 'todos' }] },
  });

  assert.deepEqual(
    [order.buyerName, order.status, order.shipping?.carrier],
    [null, 'paid', 'Estafeta'],
  );
});

for (const [reported, currency] of [
  ['mxn', 'MXN'],
  ['', null],
  ['string', null],
] as const)
  test(`an order in ${JSON.stringify(reported)} is ${currency ? `in ${currency}` : 'set aside'}`, () => {
    const kept = readStored(
      JSON.stringify({ ...ORDER, storePreferencesData: { currencyCode: reported } }),
      FETCHED,
    );

    assert.equal(kept.ok ? kept.item.currency : kept.reason, currency ?? CURRENCY_MISSING);
  });

test('what is kept of an order is read again as the same order', () => {
  for (const more of [{}, CANCELLED, changed(-500, CHANGE), parcels(PARCEL, returned(100))]) {
    const order = read(more);
    assert.deepEqual(readStored(order.raw ?? '', FETCHED), { ok: true, item: order });
  }
  assert.equal(readStored('null', FETCHED).ok, false);
});

test('a masked buyer is read as none, and a known one stays', () => {
  const masked = read({ clientProfileData: { firstName: 'I****', lastName: 'N****' } });
  const absent = read({ clientProfileData: null });

  assert.deepEqual([masked.buyerName, masked.keep], [null, ['buyerName']]);
  assert.deepEqual([absent.buyerName, absent.keep], [null, []]);
});

test('the parcel reports how it travels, and before there is one the plan does', () => {
  const planned = read().shipping;
  const sent = read(
    parcels({ ...PARCEL, trackingNumber: null }, { ...PARCEL, courierStatus: DELIVERED }),
  ).shipping;
  const delivered = read(parcels({ ...PARCEL, courierStatus: DELIVERED })).shipping;

  assert.deepEqual(
    [planned?.carrier, planned?.method, planned?.trackingNumber],
    ['Redpack', 'Exprés', null],
  );
  assert.deepEqual(
    [sent?.carrier, sent?.trackingNumber, sent?.deliveredAt],
    ['Estafeta', 'MX0000000042TG', null],
  );
  assert.equal(
    delivered?.deliveredAt && formatMillis(delivered.deliveredAt),
    '2026-11-16T15:00:00.532Z',
  );
  assert.equal(read({ shippingData: null }).shipping, null);
});

test('refunded money is the sum of the credit notes', () => {
  const { refunds, refundedTotal, status } = read(
    parcels(returned(1_000), returned(0), returned(550)),
  );

  assert.deepEqual(
    refunds.map(({ amount, at }) => [amount, at && formatMillis(at)]),
    [
      ['10.00', '2026-11-16T10:10:20.532Z'],
      ['5.50', '2026-11-16T10:10:20.532Z'],
    ],
  );
  assert.deepEqual([refundedTotal, status], ['15.5', 'paid']);
});

test('an order without a status is incomplete, and anything else is not', () => {
  assert.equal(isIncomplete(wire({ ...ORDER, status: null })), true);
  assert.equal(isIncomplete(wire({ ...ORDER, status: '' })), true);
  assert.equal(isIncomplete(wire({ orderId: 'v1-01' })), true);
  assert.equal(isIncomplete(wire(ORDER)), false);
  assert.equal(isIncomplete(wire({ ...ORDER, status: 7 })), false);
  assert.equal(isIncomplete(null), false);
});

test('an order with a wrong field names it', () => {
  for (const [more, path] of [
    [{ value: { texto: 'mucho' } }, 'value'],
    [{ creationDate: 'ayer' }, 'creationDate'],
    [
      { items: [{ ...ITEM, price: null, sellingPrice: null, priceDefinition: null }] },
      'items.0.sellingPrice',
    ],
  ] as const)
    assert.throws(
      () => read(more),
      (error) => error instanceof ZodError && error.issues[0]?.path.join('.') === path,
    );
});

test('every parcel with an invoice in any form is one', () => {
  const bare = { ...PARCEL, invoiceKey: 'CFe352011', invoiceUrl: '', embeddedInvoice: '' };
  const brazilian = { ...bare, invoiceNumber: null, embeddedInvoice: ' <?xml version="1.0"?><a/>' };
  const odd = { ...PARCEL, courierStatus: 'roto' };
  const [first, second, broken, ...none] = readInvoices(
    'v1-01',
    wire(parcels(PARCEL, brazilian, bare, odd)),
  );

  assert.deepEqual(first?.ok && { ...first.item, issuedAt: first.item.issuedAt?.toString() }, {
    id: 'v1-01:F42',
    orderIds: ['v1-01'],
    fileName: null,
    uuid: PARCEL.invoiceKey,
    xml: Buffer.from(PARCEL.embeddedInvoice),
    url: PARCEL.invoiceUrl,
    issuedAt: '2026-11-16T10:10:20.532268Z',
  });
  assert.deepEqual(second?.ok && [second.item.id, second.item.uuid, second.item.url], [
    'v1-01:2',
    null,
    null,
  ]);
  assert.deepEqual(broken && !broken.ok && [broken.externalId, broken.reason.split(':')[0]], [
    'v1-01:4',
    'courierStatus',
  ]);
  assert.deepEqual(none, []);
  assert.deepEqual(readInvoices('v1-01', null), []);
});

test('stock is the sum of all warehouses, and without limit in one is without limit', () => {
  const row = {
    warehouseId: '1',
    totalQuantity: 7,
    reservedQuantity: 2,
    hasUnlimitedQuantity: false,
  };
  const levels = (...balance: object[]) => SkuStock.parse(wire({ skuId: '10', balance }));
  const sku = Sku.parse(wire({ NameComplete: 'Taza azul', AlternateIds: { RefId: 'TAZA' } }));

  const sum = toStock('10', levels(row, { ...row, totalQuantity: 3, reservedQuantity: null }), sku);
  const unlimited = toStock('10', levels(row, { ...row, hasUnlimitedQuantity: true }), null);

  assert.deepEqual(
    [sum.available, sum.unavailable, sum.sku, sum.title],
    [8, 2, 'TAZA', 'Taza azul'],
  );
  assert.deepEqual([unlimited.available, unlimited.sku, unlimited.title], [null, null, '10']);
  assert.equal(toStock('10', levels(), null).available, 0);
});

test('a configuration of ours is known by its filter; a change of these words makes old ones foreign', () => {
  const config = (filter: object) => ({ filter, queue: { visibilityTimeoutInSeconds: 240 } });
  const { status } = OUR_FILTER;

  assert.deepEqual([WORKFLOW.length, WORKFLOW.join('').length], [36, 691]);
  assert.equal(
    isOurFilter(config({ ...OUR_FILTER, status: status.toReversed(), expression: null })),
    true,
  );
  assert.equal(isOurFilter(config({ ...OUR_FILTER, status: status.slice(1) })), false);
  assert.equal(isOurFilter(config({ ...OUR_FILTER, status: [...status.slice(1), 'otro'] })), false);
  assert.equal(isOurFilter(config({ type: 'FromOrders', expression: 'value > 0' })), false);
  assert.equal(isOurFilter(null), false);
});

const CREDENTIALS = {
  account: 'mitienda',
  app_key: 'vtexappkey-mitienda-ABC',
  app_token: 'TOKEN',
  environment: 'vtexcommercestable',
};

test('a push is genuine with our secret, for its own account; it names the order to read again', () => {
  const notice = {
    Domain: 'Fulfillment',
    OrderId: 'v52-01',
    State: 'handling',
    Origin: { Account: 'mitienda', Key: CREDENTIALS.app_key },
  };
  const push = (body: object, secret?: string) => ({
    headers: secret === undefined ? {} : { 'x-tianguis-secret': secret },
    text: JSON.stringify(body),
    body: wire(body),
  });
  const verify = (body: object, given?: string, secret = 'nuestro') =>
    notifications.verify(push(body, given), CREDENTIALS, { application: null, secret });

  assert.equal(verify(notice, 'nuestro'), true);
  assert.equal(verify(notice, 'otro'), false);
  assert.equal(verify(notice), false);
  assert.equal(verify(notice, '', ''), false);
  assert.equal(verify({ ...notice, Origin: { Account: 'otra' } }, 'nuestro'), false);
  assert.equal(verify({ hookConfig: 'ping' }, 'nuestro'), true);
  assert.equal(notifications.account(push(notice)), 'mitienda');
  assert.deepEqual(notifications.notificationsIn(push(notice)), [
    { stream: 'orders', id: 'v52-01' },
  ]);
  assert.deepEqual(notifications.notificationsIn(push({ hookConfig: 'ping' })), []);
});
