import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZodError } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { parseInstant } from '../../platform/time.ts';
import { AMOUNTS, type SourceOrder } from '../contract.ts';
import { readStored } from './read-order.ts';
import { OrderPage, ordersOfReturn, readItemPage, toSourceOrder } from './wire.ts';

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
    const statuses = [
      legacy({ lines: [{ status: word }, { status: word }] }),
      global({ status: word }),
    ].map((document) => read(document).status);

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

test('the global shape names who ships an order', () => {
  const tagsOf = (shipNode: unknown) => read({ ...global({ status: 'Shipped' }), shipNode }).tags;

  for (const node of [{ type: 'WFSFulfilled' }, [{ type: 'WFSFulfilled', id: '7' }]])
    assert.deepEqual(tagsOf(node), ['fulfilled_by_marketplace']);
  for (const node of [
    { type: 'SellerFulfilled' },
    [{ type: '3PLFulfilled' }],
    [],
    null,
    'x',
    { type: 7 },
  ])
    assert.deepEqual(tagsOf(node), []);
});

test('an order without a number of its own is kept and shipped by Walmart', () => {
  const { purchaseOrderId: _, ...kept } = legacy({ lines: [{ status: 'Shipped' }] });

  const order = read(kept);

  assert.deepEqual([order.id, order.tags], ['900100', ['fulfilled_by_marketplace']]);
  assert.deepEqual(read(legacy({ lines: [{ status: 'Shipped' }] })).tags, []);
});

test('one line may be in two statuses, by its pieces', () => {
  const document = legacy({ lines: [{ status: 'Shipped', quantity: '3' }] });
  document.orderLines[0]?.orderLineStatus.push(
    lineStatus('Acknowledged', '1'),
    lineStatus('Created', '0'),
  );

  const order = read(document);

  assert.equal(order.status, 'partially_shipped');
  assert.equal(order.marketplaceStatus, 'Shipped, Acknowledged');
});

test('the Mexican price holds the VAT, and the total neither shipping nor a coupon', () => {
  const order = read(legacy({ lines: [{ status: 'Created', quantity: '2' }], total: '233' }));

  assert.deepEqual(figuresOf(order), {
    total: 233,
    unit: 116.5,
    list: null,
    line: 233,
    // 10 and its VAT.
    shipping: 11.6,
    // 5 for each piece, without its VAT.
    coupon: 11.6,
    tax: 32.14,
    added: 0,
    fees: 24.6,
  });
  assert.deepEqual(order.totalIncludes, { shipping: false, tax: true, orderDiscount: false });
});

test('a coupon whose VAT is not known stays as it is, and a discount on shipping is none', () => {
  const document = legacy({ lines: [{ status: 'Created' }] });
  const [line] = document.orderLines;
  Object.assign(line?.item ?? {}, { unitPriceWithoutTax: undefined });
  line?.charges.push({
    chargeType: 'DISCOUNT',
    chargeName: 'SHIP_DISC',
    chargeAmount: mxn('-11.6'),
  });

  const { coupon, shipping } = figuresOf(read(document));

  assert.deepEqual([coupon, shipping], [5, 0]);
});

test('of an order that was cancelled in part the total is that of all its pieces, and what was reported before stays', () => {
  const line = legacy({
    lines: [{ status: 'Shipped' }, { status: 'Cancelled', quantity: '0' }],
    total: '116.5',
  });
  const pieces = legacy({ lines: [{ status: 'Shipped', quantity: '2' }], total: '233' });
  pieces.orderLines[0]?.orderLineStatus.splice(
    0,
    1,
    lineStatus('Shipped', '2'),
    lineStatus('Cancelled', '1'),
  );

  for (const [document, lines, total] of [
    [
      line,
      [
        [1, 0],
        [1, 1],
      ],
      '233',
    ],
    [pieces, [[3, 1]], '349.5'],
  ] as const) {
    const order = read(document, []);

    assert.equal(order.status, 'shipped');
    assert.equal(order.total, total);
    assert.deepEqual(
      order.items.map(({ quantity, cancelledQuantity }) => [quantity, cancelledQuantity]),
      lines,
    );
    assert.deepEqual(order.keep, [...AMOUNTS, 'items']);
  }
});

test('an order that was cancelled wholly is worth what it was, and not nothing', () => {
  const cancelled = [{ status: 'Cancelled', quantity: '0' }];
  const [flat, fresh] = [
    read(legacy({ lines: cancelled, total: '0' }), []),
    read(global({ status: 'Cancelled', price: '0', tax: '0' })),
  ] as const;

  for (const order of [flat, fresh]) {
    assert.deepEqual([order.status, order.total, order.feesTotal], ['cancelled', null, null]);
    assert.deepEqual(order.keep.slice(0, AMOUNTS.length), AMOUNTS);
  }
  assert.deepEqual(
    flat.items.map(({ quantity, cancelledQuantity, unitPrice }) => [
      quantity,
      cancelledQuantity,
      unitPrice,
    ]),
    [[1, 1, '116.5']],
  );
  assert.deepEqual(
    [
      fresh.items,
      fresh.unpriced.map(({ quantity, cancelledQuantity }) => [quantity, cancelledQuantity]),
    ],
    [[], [[1, 1]]],
  );
});

test('the global shape has no total: the charges for the product and their taxes are it', () => {
  const shipping = charge('SHIPPING', 'Shipping', '85.34', '13.66');
  const order = read(
    global({ status: 'Created', quantity: '3', price: '300', tax: '48', more: [shipping] }),
  );

  assert.deepEqual(figuresOf(order), {
    total: 348,
    unit: 116,
    list: null,
    line: 348,
    shipping: 99,
    coupon: null,
    tax: 61.66,
    added: 0,
    fees: null,
  });
  assert.equal(order.dateCreated.toString(), '2026-11-01T10:00:00.123Z');
});

test('a subscriber’s discount is a line’s own, and charges of another kind have their names', () => {
  const more = [
    charge('PRODUCT', 'SubscriptionDiscount', '-10', '-1.6'),
    charge('FEE', 'Bolsa', '2', '0.32'),
  ];
  const order = read(global({ status: 'Created', price: '100', tax: '16', more }));

  const { total, unit, list, line } = figuresOf(order);

  assert.deepEqual([total, unit, list, line], [106.72, 104.4, 116, 104.4]);
  assert.deepEqual(order.other, [{ name: 'Bolsa', amount: '2.32' }]);
});

test('cancelled pieces of a line do not keep an order from being refunded or returned', () => {
  const document = global({
    status: 'Delivered',
    quantity: '3',
    price: '300',
    tax: '48',
    refund: '232',
  });
  const [line] = document.orderLines.orderLine;
  line?.orderLineStatuses.orderLineStatus.splice(
    0,
    1,
    { status: 'Delivered', statusQuantity: { amount: '2' } },
    { status: 'Cancelled', statusQuantity: { amount: '1' } },
  );
  const flat = legacy({ lines: [{ status: 'Delivered', quantity: '2' }], total: '233' });
  flat.orderLines[0]?.orderLineStatus.splice(
    0,
    1,
    lineStatus('Delivered', '2'),
    lineStatus('Cancelled', '1'),
  );

  const [fresh, old] = [
    read(document),
    read(flat, [aReturn({ status: 'Initiated', parcel: 'DELIVERED', pieces: '2' })]),
  ];

  assert.deepEqual([fresh.status, fresh.total], ['refunded', '348']);
  assert.deepEqual(
    [old.status, old.items[0]?.quantity, old.items[0]?.cancelledQuantity],
    ['returned', 3, 3],
  );
});

test('money is computed from the pieces as they were reported, before they are rounded up', () => {
  const order = read(legacy({ lines: [{ status: 'Created', quantity: '1.5' }], total: '174.75' }));

  assert.deepEqual(
    [order.items[0]?.quantity, order.items[0]?.subtotal, order.total],
    [2, '174.75', '174.75'],
  );
});

test('a currency that is none is the Mexican one, and a line without a title is named', () => {
  const document = JSON.parse(
    JSON.stringify(legacy({ lines: [{ status: 'Created' }] })).replaceAll('"MXN"', '"string"'),
  );
  document.orderLines[0].item = { unitPrice: mxn('1') };

  assert.deepEqual(
    [read(document).currency, read(document).items[0]?.title],
    ['MXN', 'Sin título'],
  );
});

test('an order that Walmart fulfils is known by the id of the buyer', () => {
  const { purchaseOrderId, ...document } = legacy({ lines: [{ status: 'Shipped' }] });

  assert.equal(read({ purchaseOrderId, ...document }).id, 'P700');
  assert.equal(read(document).id, '900100');
});

test('an order of the old shape has no refunds, one of the new shape does', () => {
  const kept = read(legacy({ lines: [{ status: 'Delivered' }] })).keep;
  assert.deepEqual(kept, ['refundedTotal', 'refunds', 'dateClosed', 'tags']);

  const order = read(global({ status: 'Delivered', refund: '-116.05' }));
  assert.equal(order.refundedTotal, '116.05');
  assert.equal(order.status, 'refunded');
});

test('a global line has one time, which a refund takes: those of before stay', () => {
  const [delivered, refunded] = [{}, { refund: '50' }].map((given) => {
    const { dateClosed, keep } = read(global({ status: 'Delivered', ...given }));
    return [dateClosed?.toString(), keep];
  });

  assert.deepEqual(delivered, ['2026-11-02T10:00:00Z', []]);
  assert.deepEqual(refunded, [undefined, ['dateClosed', 'shipping']]);
});

test('a flat order that was paid back before it arrived was closed then', () => {
  const order = legacy({ lines: [{ status: 'Delivered' }] });
  const closed = (statusTime: string) =>
    read(order, [aReturn({ status: 'Completed', statusTime })]).dateClosed?.toString();

  assert.equal(closed('2026-11-01T12:00:00.000-06:00'), '2026-11-01T18:00:00Z');
  assert.equal(closed('2026-11-06T12:00:00.000-06:00'), '2026-11-02T10:00:00Z');
});

test('a stored order is read again as it was', () => {
  const documents = [
    read(legacy({ lines: [{ status: 'Delivered' }] }), [aReturn({ status: 'Completed' })]),
    read(legacy({ lines: [{ status: 'Delivered' }] }), []),
    read(legacy({ lines: [{ status: 'Delivered' }] })),
    read(global({ status: 'Cancelled' })),
  ];

  for (const order of documents)
    assert.deepEqual(readStored(order.raw ?? '', FETCHED), { ok: true, item: order });
  assert.equal(readStored('null', FETCHED).ok, false);
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
    assert.equal(order.items[0]?.cancelledQuantity, status === 'returned' ? 1 : 0);
    assert.deepEqual(
      order.tags,
      name === 'on its way' || name === 'there again' ? ['open_return'] : [],
    );
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
  assert.deepEqual(
    [order.buyerName, order.shipping, order.feesTotal, order.total],
    [null, null, null, '10'],
  );

  assert.throws(
    () => read({ ...legacy({ lines: [] }), orderDate: 'ayer' }),
    (error) => error instanceof ZodError && error.issues[0]?.path.join('.') === 'orderDate',
  );
});

test('pages of both shapes are recognised by their content', () => {
  const [old, fresh] = [
    { meta: { totalCount: 1, limit: 10, nextCursorMark: 'AoJ4' }, order: [{ a: 1 }] },
    {
      list: {
        meta: { totalCount: 1, nextCursor: '?limit=10&soIndex=1' },
        elements: { order: [{ a: 1 }] },
      },
    },
  ].map((page) => OrderPage.parse(exactly(page)));

  assert.deepEqual(
    [old?.shape, old?.rows.length, old?.meta?.nextCursorMark],
    ['legacy', 1, 'AoJ4'],
  );
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

function read(order: object, returns: readonly unknown[] | null = null) {
  return toSourceOrder(exactly(order), returns, FETCHED);
}

function figuresOf({ items: [item], ...order }: SourceOrder) {
  const figure = (amount: string | null | undefined) => (amount == null ? null : Number(amount));
  return {
    total: figure(order.total),
    unit: figure(item?.unitPrice),
    list: figure(item?.listPrice),
    line: figure(item?.subtotal),
    shipping: figure(order.shippingTotal),
    coupon: figure(order.orderDiscount),
    tax: figure(order.taxTotal),
    added: figure(order.taxAdded),
    fees: figure(order.feesTotal),
  };
}

function exactly(value: object): unknown {
  return parseLossless(JSON.stringify(value));
}

interface LegacyCharge {
  readonly chargeType: string;
  readonly chargeName?: string;
  readonly chargeAmount?: object;
  readonly tax?: readonly object[];
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
    orderLines: lines.map(({ status, quantity = '1' }, index) => ({
      primeLineNumber: String(index + 1),
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
        {
          chargeType: 'DISCOUNT',
          chargeName: 'COUPON_DISC',
          chargeAmount: mxn(`-${5 * Number(quantity)}`),
        },
        {
          chargeType: 'PRODUCT',
          tax: [{ taxName: 'IVA_TAX', taxAmount: mxn((15.27 * Number(quantity)).toFixed(2)) }],
        },
      ] as LegacyCharge[],
      orderLineQuantity: { unitOfMeasurement: 'EACH', amount: quantity },
      orderLineStatus: [lineStatus(status, Number(quantity) > 1 ? quantity : '1')],
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
  more = [],
}: {
  status: string;
  quantity?: string;
  price?: string;
  tax?: string;
  refund?: string;
  more?: readonly object[];
}) {
  return {
    purchaseOrderId: '1700',
    customerOrderId: '900100',
    orderDate: millis('2026-11-01T10:00:00.123Z'),
    orderLines: {
      orderLine: [
        {
          item: { productName: 'Taza', sku: 'TAZA' },
          charges: { charge: [charge('PRODUCT', 'ItemPrice', price, tax), ...more] },
          orderLineQuantity: { amount: quantity },
          statusDate: millis('2026-11-02T10:00:00Z'),
          orderLineStatuses: {
            orderLineStatus: [{ status, statusQuantity: { amount: quantity } }],
          },
          ...(refund && {
            refund: {
              refundCharges: { refundCharge: [{ charge: { chargeAmount: money(refund) } }] },
            },
          }),
        },
      ],
    },
  };
}

function charge(chargeType: string, chargeName: string, amount: string, tax: string) {
  const taxName = chargeType === 'SHIPPING' ? 'Tax2' : 'Tax1';
  return {
    chargeType,
    chargeName,
    chargeAmount: money(amount),
    tax: { taxName, taxAmount: money(tax) },
  };
}

/** As the global documents write it. */
function money(amount: string) {
  return { currency: 'MXN', amount: Number(amount) };
}

function lineStatus(status: string, pieces: string) {
  return {
    status,
    statusCode: '1',
    statusDate: '2026-11-02T04:00:00.000-06:00',
    statusQuantity: { amount: pieces },
  };
}

function aReturn(given: object): unknown {
  return exactly(document(given));
}

function document(given: {
  status?: string;
  parcel?: string;
  amount?: string;
  order?: string;
  statusTime?: string;
  pieces?: string;
}) {
  return {
    returnOrderId: 'R1',
    customerOrderId: '900100',
    returnOrderDate: '2026-11-05T04:00:00.000-06:00',
    returnOrderLines: [
      {
        purchaseOrderId: given.order ?? 'P700',
        purchaseOrderLineNumber: '1',
        primeLineNumber: '7',
        quantity: { amount: given.pieces ?? '1' },
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
