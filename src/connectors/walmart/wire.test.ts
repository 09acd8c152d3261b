import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { parseInstant } from '../../platform/time.ts';
import { OrderPage, ordersOfReturn, Return, readItemPage, toSourceOrder } from './wire.ts';

const FETCHED = Temporal.Instant.from('2026-11-20T12:00:00Z');

const STATUSES: readonly [string, string][] = [
  ['OnHold', 'paid'],
  ['Created', 'paid'],
  ['Acknowledged', 'paid'],
  ['SentForFulfillment', 'paid'],
  ['Shipped', 'shipped'],
  ['Delivered', 'delivered'],
  ['Cancelled', 'cancelled'],
  ['Refund', 'refunded'],
  ['Teletransportado', 'unknown'],
];

for (const [word, expected] of STATUSES)
  test(`lines that are all ${word} make an order ${expected}, in both shapes`, () => {
    const statuses = [legacy({ lines: [{ status: word }, { status: word }] }), global({ status: word })].map(
      (document) => read(document).status,
    );

    assert.deepEqual(statuses, [expected, expected]);
  });

const MIXED: readonly [readonly string[], string][] = [
  [['Shipped', 'Created'], 'partially_shipped'],
  [['Delivered', 'Acknowledged'], 'partially_shipped'],
  [['Delivered', 'Shipped'], 'shipped'],
  [['Cancelled', 'Delivered'], 'delivered'],
  [['Cancelled', 'Created'], 'paid'],
  [['Cancelled', 'Teletransportado'], 'unknown'],
];

for (const [words, expected] of MIXED)
  test(`lines that are ${words.join(' and ')} make an order ${expected}`, () => {
    const order = read(legacy({ lines: words.map((status) => ({ status })) }));

    assert.equal(order.status, expected);
    assert.equal(order.marketplaceStatus, words.join(', '));
  });

test('an order without a number of its own is kept and shipped by Walmart', () => {
  const { purchaseOrderId: _, ...kept } = legacy({ lines: [{ status: 'Shipped' }] });

  const order = read(kept);

  assert.deepEqual([order.id, order.tags], ['900100', ['fulfilled_by_marketplace']]);
  assert.deepEqual(read(legacy({ lines: [{ status: 'Shipped' }] })).tags, []);
});

test('one line may be in two statuses, by its pieces', () => {
  const document = legacy({ lines: [{ status: 'Shipped', quantity: '3' }] });
  document.orderLines[0]?.orderLineStatus.push(lineStatus('Acknowledged', '1'), lineStatus('Created', '0'));

  const order = read(document);

  assert.equal(order.status, 'partially_shipped');
  assert.equal(order.marketplaceStatus, 'Shipped, Acknowledged');
});

test('a cancelled line keeps its place with no pieces, and its money does not count', () => {
  const order = read(
    legacy({ lines: [{ status: 'Shipped' }, { status: 'Cancelled', quantity: '0' }], total: '116.5' }),
  );

  assert.deepEqual(
    order.items.map(({ quantity }) => quantity),
    [1, 0],
  );
  assert.equal(order.total, '116.5');
  assert.equal(order.subtotal, '116.5');
  assert.equal(order.feesTotal, '12.3');
  // 10 and its VAT; the cancelled line's shipping is not paid.
  assert.equal(order.shippingTotal, '11.6');
  assert.equal(order.discountTotal, '5');
});

test('the Mexican price holds the VAT, and the total neither shipping nor discounts', () => {
  const order = read(legacy({ lines: [{ status: 'Created', quantity: '2' }], total: '233' }));

  assert.equal(order.items[0]?.unitPrice, '116.5');
  assert.equal(order.total, '233');
  assert.equal(order.subtotal, '233');
  assert.equal(order.taxTotal, '17.67');
});

test('the global shape has no total: charges and their taxes are it', () => {
  const order = read(global({ status: 'Created', quantity: '3', price: '100', tax: '16.05' }));

  assert.equal(order.total, '116.05');
  assert.equal(order.items[0]?.unitPrice, '33.333333');
  assert.equal(order.taxTotal, '16.05');
  assert.equal(order.dateCreated.toString(), '2026-11-01T10:00:00.123Z');
});

test('an order that Walmart fulfils is known by the id of the buyer', () => {
  const { purchaseOrderId, ...document } = legacy({ lines: [{ status: 'Shipped' }] });

  assert.equal(read({ purchaseOrderId, ...document }).id, 'P700');
  assert.equal(read(document).id, '900100');
});

test('an order of the old shape cannot tell its refunds, the new one can', () => {
  assert.deepEqual(read(legacy({ lines: [{ status: 'Delivered' }] })).keep, ['refundedTotal', 'refunds']);

  const order = read(global({ status: 'Delivered', refund: '-116.05' }));
  assert.deepEqual(order.keep, []);
  assert.equal(order.refundedTotal, '116.05');
  assert.equal(order.status, 'refunded');
});

test('the generic RFC asks for no invoice', () => {
  const document = legacy({ lines: [{ status: 'Created' }] });

  assert.equal(read(document).invoiceRequired, false);
  assert.equal(read({ ...document, rfc: 'ABC010203AB9' }).invoiceRequired, true);
  assert.equal(read({ ...document, rfc: undefined }).invoiceRequired, null);
});

const RETURNS: readonly [string, object, string, string | null][] = [
  ['on its way', { status: 'Initiated', parcel: 'IN_TRANSIT' }, 'delivered', null],
  ['there again', { status: 'Initiated', parcel: 'DELIVERED' }, 'returned', null],
  ['there and paid back', { status: 'Completed', parcel: 'DELIVERED' }, 'returned', '116.5'],
  ['paid back without goods', { status: 'Completed' }, 'refunded', '116.5'],
  ['paid back in part', { status: 'Completed', amount: '20' }, 'delivered', '20'],
  ['called off', { status: 'Cancelled', parcel: 'DELIVERED' }, 'delivered', null],
  ['of another order', { status: 'Completed', order: 'P999' }, 'delivered', null],
];

for (const [name, given, status, refunded] of RETURNS)
  test(`a return that is ${name} makes a delivered order ${status}`, () => {
    const order = read(legacy({ lines: [{ status: 'Delivered' }] }), [aReturn(given)]);

    assert.equal(order.status, status);
    assert.equal(order.refundedTotal, refunded);
    assert.deepEqual(order.keep, []);
  });

test('a return is news while it is under way, and once it ended since the last look', () => {
  const since = parseInstant('2026-11-10T00:00:00Z');
  const ended = (statusTime: string) => document({ status: 'Completed', statusTime });

  assert.deepEqual(ordersOfReturn(document({ status: 'Initiated' }), since), ['P700']);
  assert.deepEqual(ordersOfReturn(ended('2026-11-11T00:00:00.000-06:00'), since), ['P700']);
  assert.deepEqual(ordersOfReturn(ended('2026-11-01T00:00:00.000-06:00'), since), []);
});

test('what documents may leave out is null, and what an order cannot lack is named', () => {
  const order = read({
    customerOrderId: '1',
    orderDate: '2026-11-01T04:00:00.000-06:00',
    orderLines: [
      {
        item: { unitPrice: { amount: 10 } },
        orderLineQuantity: { amount: 1 },
        orderLineStatus: { status: 'Created' },
      },
    ],
  });
  assert.deepEqual([order.buyerName, order.shipping, order.feesTotal, order.total], [null, null, null, '10']);

  assert.throws(
    () => read({ ...legacy({ lines: [] }), orderDate: 'ayer' }),
    (error) => error instanceof ZodError && error.issues[0]?.path.join('.') === 'orderDate',
  );
});

test('pages of both shapes are told apart by their content', () => {
  const [old, fresh] = [
    { meta: { totalCount: 1, limit: 10, nextCursorMark: 'AoJ4' }, order: [{ a: 1 }] },
    { list: { meta: { totalCount: 1, nextCursor: '?limit=10&soIndex=1' }, elements: { order: [{ a: 1 }] } } },
  ].map((page) => OrderPage.parse(exactly(page)));

  assert.deepEqual([old?.shape, old?.rows.length, old?.meta?.nextCursorMark], ['legacy', 1, 'AoJ4']);
  assert.deepEqual(
    [fresh?.shape, fresh?.rows.length, fresh?.meta?.nextCursor],
    ['global', 1, '?limit=10&soIndex=1'],
  );
});

test('items are read from JSON, and from the XML that Mexico documents', () => {
  const xml = `<?xml version="1.0"?><ns2:ItemResponses xmlns:ns2="http://walmart.com/"><ns2:ItemResponse>
    <ns2:sku>TAZA-1</ns2:sku><ns2:productName>Taza 3&quot; &amp; plato &#241;</ns2:productName>
    </ns2:ItemResponse><ns2:ItemResponse><ns2:sku>TAZA-2</ns2:sku></ns2:ItemResponse></ns2:ItemResponses>`;

  assert.deepEqual(readItemPage(xml).ItemResponse, [
    { sku: 'TAZA-1', productName: 'Taza 3" & plato ñ' },
    { sku: 'TAZA-2', productName: null },
  ]);
  assert.equal(readItemPage('{"ItemResponse":[{"sku":"A"}],"totalItems":1}').totalItems, 1);
  assert.throws(() => readItemPage('<html><body>mantenimiento</body></html>'), ZodError);
});

test('an answer that is no page is not taken for an empty one', () => {
  assert.equal(OrderPage.safeParse(exactly({ errors: [{ code: 'SYSTEM_ERROR' }] })).success, false);
  assert.deepEqual(OrderPage.parse(exactly({ meta: { totalCount: 0 } })).rows, []);
  assert.deepEqual(OrderPage.parse(exactly({ order: [] })).rows, []);
});

function read(order: object, returns: readonly Return[] | null = null) {
  return toSourceOrder(exactly(order), returns, FETCHED);
}

function exactly(value: object): unknown {
  return parseLossless(JSON.stringify(value));
}

function legacy({
  lines,
  total = '116.5',
}: {
  lines: readonly { status: string; quantity?: string }[];
  total?: string;
}) {
  return {
    purchaseOrderId: 'P700',
    customerOrderId: '900100',
    orderDate: '2026-11-01T04:00:00.000-06:00',
    shippingInfo: { postalAddress: { name: 'Lucía Ramírez Ortega' } },
    orderLines: lines.map(({ status, quantity = '1' }) => ({
      item: {
        productName: 'Taza',
        sku: 'TAZA',
        unitPrice: mxn('116.5'),
        unitPriceWithoutTax: mxn('100.43'),
        commission: mxn('12.3'),
      },
      charges: [
        {
          chargeType: 'SHIPPING',
          chargeAmount: mxn('10'),
          tax: [{ taxName: 'SHIP_IVA_TAX', taxAmount: mxn('1.6') }],
        },
        { chargeType: 'DISCOUNT', chargeName: 'COUPON_DISC', chargeAmount: mxn('-5') },
        { chargeType: 'PRODUCT', tax: [{ taxName: 'IVA_TAX', taxAmount: mxn('16.07') }] },
      ],
      orderLineQuantity: { unitOfMeasurement: 'EACH', amount: quantity },
      orderLineStatus: [lineStatus(status, '1')],
    })),
    orderTotal: mxn(total),
    rfc: 'XAXX010101000',
  };
}

function global({
  status,
  quantity = '1',
  price = '100',
  tax = '16.05',
  refund,
}: {
  status: string;
  quantity?: string;
  price?: string;
  tax?: string;
  refund?: string;
}) {
  const money = (amount: string) => ({ currency: 'MXN', amount: Number(amount) });
  return {
    purchaseOrderId: '1700',
    customerOrderId: '900100',
    orderDate: millis('2026-11-01T10:00:00.123Z'),
    orderLines: {
      orderLine: [
        {
          item: { productName: 'Taza', sku: 'TAZA' },
          charges: {
            charge: [
              {
                chargeType: 'PRODUCT',
                chargeAmount: money(price),
                tax: { taxName: 'Tax1', taxAmount: money(tax) },
              },
            ],
          },
          orderLineQuantity: { amount: quantity },
          statusDate: millis('2026-11-02T10:00:00Z'),
          orderLineStatuses: { orderLineStatus: [{ status, statusQuantity: { amount: quantity } }] },
          ...(refund && {
            refund: { refundCharges: { refundCharge: [{ charge: { chargeAmount: money(refund) } }] } },
          }),
        },
      ],
    },
  };
}

function lineStatus(status: string, pieces: string) {
  return {
    status,
    statusCode: '1',
    statusDate: '2026-11-02T04:00:00.000-06:00',
    statusQuantity: { amount: pieces },
  };
}

function aReturn(given: object): Return {
  return Return.parse(exactly(document(given)));
}

function document(given: {
  status?: string;
  parcel?: string;
  amount?: string;
  order?: string;
  statusTime?: string;
}) {
  return {
    returnOrderId: 'R1',
    customerOrderId: '900100',
    returnOrderDate: '2026-11-05T04:00:00.000-06:00',
    returnOrderLines: [
      {
        purchaseOrderId: given.order ?? 'P700',
        quantity: { amount: '1' },
        status: given.status,
        statusTime: given.statusTime ?? '2026-11-06T04:00:00.000-06:00',
        refundAmount: mxn(given.amount ?? '116.5'),
      },
    ],
    ...(given.parcel && { returnOrderShipments: [{ shipmentNo: '1', status: given.parcel }] }),
  };
}

function mxn(amount: string) {
  return { currency: 'MXN', amount };
}

function millis(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds;
}
