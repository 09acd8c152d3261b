import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { formatMillis } from '../../platform/time.ts';
import type { OrderStatus, SourceOrder } from '../contract.ts';
import { isOurFilter, OUR_FILTER } from './feed.ts';
import { notifications } from './notifications.ts';
import { isIncomplete, readInvoices, Sku, SkuStock, toSourceOrder, toStock, WORKFLOW } from './wire.ts';

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
  price: 12_995,
  listPrice: 14_000,
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
    { id: 'Change', name: 'Cambios', value: 1 },
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
      { selectedSla: 'Exprés', deliveryCompany: 'Mensajería', deliveryIds: [{ courierName: 'Redpack' }] },
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
  return { ...PARCEL, type: 'Input', invoiceNumber: 'N42', restitutions: { Refund: { value, items: [] } } };
}

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
  unknown: ['order-create-error', 'order-creation-error', 'algo-nuevo', ''],
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
  ['only a date of delivery', 'delivered', [{ ...PARCEL, courierStatus: { ...DELIVERED, finished: false } }]],
  ['a parcel whose type is not said', 'shipped', [{ ...PARCEL, type: null }]],
  ['only what came back', 'ready_to_ship', [{ ...returned(100), courierStatus: DELIVERED }]],
  ['all of the money given back', 'refunded', [{ ...PARCEL, courierStatus: DELIVERED }, returned(48_885)]],
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
  test(`«${native}» leaves an order what it was, and one that nobody knew what it shows`, () => {
    const shown = (more: object) => read({ status: native, ...more });

    assert.deepEqual(shown({}).keep, ['status']);
    assert.equal(shown({}).status, 'paid');
    assert.equal(shown({ authorizedDate: null }).status, 'pending');
    assert.equal(shown(parcels(PARCEL)).status, 'shipped');
  });

test('amounts are hundredths, and what is taken off is told as a positive number', () => {
  const order = read();

  assert.deepEqual(
    [order.total, order.subtotal, order.discountTotal, order.shippingTotal, order.taxTotal],
    ['488.85', '420.00', '30.15', '99.00', '0.00'],
  );
  assert.deepEqual(
    [order.feesTotal, order.netTotal, order.refundedTotal, order.currency],
    [null, null, null, 'MXN'],
  );
});

test('what an order does not say is null and not nothing', () => {
  const order = read({ totals: null, value: null, authorizedDate: null, lastChange: null, orderGroup: null });

  assert.deepEqual(
    [
      order.total,
      order.subtotal,
      order.discountTotal,
      order.shippingTotal,
      order.dateClosed,
      order.changedAt,
    ],
    [null, null, null, null, null, null],
  );
  assert.equal(order.packId, null);
});

const UNIT_PRICES: readonly (readonly [string, object, string, string | null])[] = [
  ['the selling price', {}, '129.95', '389.85'],
  ['the selling price where nothing else is said', { priceDefinition: null }, '129.95', null],
  [
    'the price where there is no selling price',
    { sellingPrice: null, priceDefinition: null },
    '129.95',
    null,
  ],
  ['nothing for a gift', { sellingPrice: 0, priceDefinition: null }, '0.00', null],
  [
    'the mean of several prices',
    { quantity: 2, priceDefinition: { sellingPrices: [{ value: 1_000 }, { value: 1_010 }], total: 2_010 } },
    '10.05',
    '20.10',
  ],
  [
    'six decimals where the mean does not end',
    { priceDefinition: { sellingPrices: [{ value: 333 }, { value: 334 }], total: 1_000 } },
    '3.333333',
    '10.00',
  ],
];

for (const [what, more, unitPrice, subtotal] of UNIT_PRICES)
  test(`a piece costs ${what}`, () => {
    const [item] = read({ items: [{ ...ITEM, ...more }] }).items;

    assert.deepEqual([item?.unitPrice, item?.subtotal], [unitPrice, subtotal]);
  });

test('an item is its SKU, by the seller’s own name where there is one', () => {
  const [item, bare] = read({ items: [ITEM, { ...ITEM, refId: null, name: null, quantity: '0.5' }] }).items;

  assert.deepEqual([item?.id, item?.sku, item?.title, item?.quantity], ['4711', 'TAZA-AZUL', ITEM.name, 3]);
  assert.deepEqual([bare?.sku, bare?.title, bare?.quantity], ['4711', '4711', 1]);
});

test('times with seven digits are cut, the buyer is the profile’s, the pack is the group', () => {
  const order = read();

  assert.equal(formatMillis(order.dateCreated), '2026-11-15T15:09:43.899Z');
  assert.equal(order.dateClosed && formatMillis(order.dateClosed), '2026-11-15T15:46:11.701Z');
  assert.equal(order.changedAt && formatMillis(order.changedAt), '2026-11-15T16:46:11.701Z');
  assert.deepEqual([order.buyerName, order.packId], ['Itzel Núñez Peña', '1460000000040']);
});

test('a date of the year 1 is none, and one without an offset is UTC', () => {
  const at = (deliveredDate: unknown) => {
    const courierStatus = { status: '', finished: null, deliveredDate };
    const { status, shipping } = read({ status: 'invoiced', ...parcels({ ...PARCEL, courierStatus }) });
    return [status, shipping?.deliveredAt?.toString() ?? null];
  };

  assert.deepEqual(at('0001-01-01T00:00:00'), ['shipped', null]);
  assert.deepEqual(at(''), ['shipped', null]);
  assert.deepEqual(at('2026-11-16T15:00:00'), ['delivered', '2026-11-16T15:00:00Z']);
});

test('a masked buyer is nobody, and who was known stays', () => {
  const masked = read({ clientProfileData: { firstName: 'I****', lastName: 'N****' } });
  const absent = read({ clientProfileData: null });

  assert.deepEqual([masked.buyerName, masked.keep], [null, ['buyerName']]);
  assert.deepEqual([absent.buyerName, absent.keep], [null, []]);
});

test('the parcel tells how it travels, and before there is one the plan does', () => {
  const planned = read().shipping;
  const sent = read(
    parcels({ ...PARCEL, trackingNumber: null }, { ...PARCEL, courierStatus: DELIVERED }),
  ).shipping;
  const delivered = read(parcels({ ...PARCEL, courierStatus: DELIVERED })).shipping;

  assert.deepEqual([planned?.carrier, planned?.method, planned?.trackingNumber], ['Redpack', 'Exprés', null]);
  assert.deepEqual(
    [sent?.carrier, sent?.trackingNumber, sent?.deliveredAt],
    ['Estafeta', 'MX0000000042TG', null],
  );
  assert.equal(delivered?.deliveredAt && formatMillis(delivered.deliveredAt), '2026-11-16T15:00:00.532Z');
  assert.equal(read({ shippingData: null }).shipping, null);
});

test('money that was given back is told by each invoice that came in', () => {
  const { refunds, refundedTotal, status } = read(parcels(returned(1_000), returned(0), returned(550)));

  assert.deepEqual(
    refunds.map(({ amount, at }) => [amount, at && formatMillis(at)]),
    [
      ['10.00', '2026-11-16T10:10:20.532Z'],
      ['5.50', '2026-11-16T10:10:20.532Z'],
    ],
  );
  assert.deepEqual([refundedTotal, status], ['15.50', 'paid']);
});

test('an order without a status is incomplete, and anything else is not', () => {
  assert.equal(isIncomplete(wire({ ...ORDER, status: null })), true);
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
  const odd = { ...PARCEL, type: 7 };
  const [first, second, broken, ...none] = readInvoices('v1-01', wire(parcels(PARCEL, brazilian, bare, odd)));

  assert.deepEqual(first?.ok && { ...first.item, issuedAt: first.item.issuedAt?.toString() }, {
    id: 'v1-01:F42',
    orderIds: ['v1-01'],
    fileName: null,
    uuid: PARCEL.invoiceKey,
    xml: PARCEL.embeddedInvoice,
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
    'type',
  ]);
  assert.deepEqual(none, []);
  assert.deepEqual(readInvoices('v1-01', null), []);
});

test('stock is the sum of all warehouses, and without limit in one is without limit', () => {
  const row = { warehouseId: '1', totalQuantity: 7, reservedQuantity: 2, hasUnlimitedQuantity: false };
  const levels = (...balance: object[]) => SkuStock.parse(wire({ skuId: '10', balance }));
  const sku = Sku.parse(wire({ NameComplete: 'Taza azul', AlternateIds: { RefId: 'TAZA' } }));

  const sum = toStock('10', levels(row, { ...row, totalQuantity: 3, reservedQuantity: null }), sku);
  const unlimited = toStock('10', levels(row, { ...row, hasUnlimitedQuantity: true }), null);

  assert.deepEqual([sum.available, sum.unavailable, sum.sku, sum.title], [8, 2, 'TAZA', 'Taza azul']);
  assert.deepEqual([unlimited.available, unlimited.sku, unlimited.title], [null, null, '10']);
  assert.equal(toStock('10', levels(), null).available, 0);
});

test('a configuration of ours is known by its filter; a change of these words makes old ones foreign', () => {
  const config = (filter: object) => ({ filter, queue: { visibilityTimeoutInSeconds: 240 } });
  const { status } = OUR_FILTER;

  assert.deepEqual([WORKFLOW.length, WORKFLOW.join('').length], [36, 691]);
  assert.equal(isOurFilter(config({ ...OUR_FILTER, status: status.toReversed(), expression: null })), true);
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
  assert.deepEqual(notifications.hints(push(notice)), [{ stream: 'orders', id: 'v52-01' }]);
  assert.deepEqual(notifications.hints(push({ hookConfig: 'ping' })), []);
});
