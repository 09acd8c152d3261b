import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal } from '../../platform/money.ts';
import type { PublicOrder } from '../orders/index.ts';
import { addOrder, emptySums, type Sums } from './sums.ts';

type Item = PublicOrder['items'][number];

const AT = Temporal.Instant.from('2026-11-16T18:00:00Z');
const LATER = Temporal.Instant.from('2026-11-20T05:59:59Z');

test('an order counts at its day in the books, with its pieces and its money', () => {
  const sums = sumsOf(order({ items: [item({}), item({ sku: 'B', quantity: 3 })] }));
  const [day] = sums.days.values();
  assert.deepEqual(day, {
    day: '2026-11-16',
    marketplace: 'mercado_libre',
    accountId: 'a1',
    storefront: '',
    currency: 'MXN',
    status: 'paid',
    orders: 1,
    ordersWithoutTotal: 0,
    units: 5,
    gross: '500',
    refunds: '0',
    undatedRefunds: '0',
  });
  assert.deepEqual(productsOf(sums), [
    ['A', 1, 2, '200'],
    ['B', 1, 3, '200'],
  ]);
});

test('a day ends at midnight of Mexico City, not of Greenwich', () => {
  const days = ['2026-11-17T05:59:59.999Z', '2026-11-17T06:00:00Z', '2026-11-17T05:45:00Z'].map(
    (at) => dayOf(sumsOf(order({ dateCreated: Temporal.Instant.from(at) })))?.day,
  );
  assert.deepEqual(days, ['2026-11-16', '2026-11-17', '2026-11-16']);
});

test('what is subtracted leaves nothing of an order', () => {
  const one = order({ refunds: [refund('30', LATER)], items: [item({ quantity: 3 })] });
  const sums = sumsOf(one, order({ items: [] }));
  addOrder(sums, one, -1);
  const day = dayOf(sums);
  assert.deepEqual([day?.orders, day?.units, day?.gross, day?.refunds], [1, 0, '500', '0']);
  assert.deepEqual(productsOf(sums), [['A', 0, 0, '0']]);
  assert.deepEqual(
    [...sums.refunds.values()].map(({ refunds, amount }) => [refunds, amount]),
    [[0, '0']],
  );
});

test('an order without a total is counted apart, and its goods are not sold', () => {
  const sums = sumsOf(order({ total: null }), order({ total: null }));
  const day = dayOf(sums);
  assert.deepEqual([day?.orders, day?.ordersWithoutTotal, day?.units, day?.gross], [0, 2, 0, '0']);
  assert.equal(sums.products.size, 0);
});

test('cancelled and refunded orders have a sum of their status, and no products', () => {
  for (const status of ['cancelled', 'refunded'] as const) {
    const sums = sumsOf(order({ status }));
    assert.deepEqual([dayOf(sums)?.status, dayOf(sums)?.orders], [status, 1]);
    assert.equal(sums.products.size, 0);
  }
});

test('test sales count nowhere', () => {
  const sums = sumsOf(order({ tags: ['test_order'], refunds: [refund('30', LATER)] }));
  assert.deepEqual([sums.days.size, sums.products.size, sums.refunds.size], [0, 0, 0]);
});

test('cancelled pieces are not sold, at the price of one', () => {
  const cases: [Partial<Item>, units: number, gross: string][] = [
    [{ quantity: 3, cancelledQuantity: 1, subtotal: decimal('300.00') }, 2, '200'],
    [{ quantity: 3, cancelledQuantity: 1, subtotal: null }, 2, '200'],
    [{ quantity: 3, cancelledQuantity: 3, subtotal: decimal('300.00') }, 0, '0'],
    [{ quantity: 3, cancelledQuantity: 4, subtotal: decimal('300.00') }, 0, '0'],
    [{ quantity: 0, cancelledQuantity: 0, subtotal: decimal('80') }, 0, '80'],
    [{ quantity: 3, cancelledQuantity: 0, subtotal: null }, 3, '300'],
  ];
  for (const [given, units, gross] of cases) {
    const sums = sumsOf(order({ items: [item(given)] }));
    assert.deepEqual(productsOf(sums), [['A', 1, units, gross]], JSON.stringify(given));
  }
});

test('a product of two lines is in one order; without a SKU its id or its title names it', () => {
  const lines = [item({}), item({}), item({ sku: '', id: 'I' }), item({ sku: '', id: '' })];
  const sums = sumsOf(order({ items: lines }), order({ items: [item({})] }));
  assert.deepEqual(
    productsOf(sums).map(([name, orders, units]) => [name, orders, units]),
    [
      ['A', 2, 6],
      ['I', 1, 2],
      ['Taza', 1, 2],
    ],
  );
  const long = sumsOf(order({ items: [item({ sku: '', id: '', title: 'x'.repeat(600) })] }));
  assert.equal([...long.products.values()][0]?.product.length, 500);
});

test('refunds are those of the source, and the part without a date belongs to no day', () => {
  const cases: [
    refunds: PublicOrder['refunds'],
    total: string | null,
    all: string,
    undated: string,
  ][] = [
    [[], null, '0', '0'],
    [[], '50', '50', '50'],
    [[refund('30', LATER), refund('20', null)], null, '50', '20'],
    [[refund('30', LATER)], '50', '50', '20'],
    [[refund('30', LATER)], '30', '30', '0'],
    [[refund('30', LATER)], '10', '10', '0'],
  ];
  for (const [refunds, total, all, undated] of cases) {
    const refundedTotal = total === null ? null : decimal(total);
    const sums = sumsOf(order({ refunds, refundedTotal }));
    const day = dayOf(sums);
    assert.deepEqual([day?.refunds, day?.undatedRefunds], [all, undated], `${total}`);
    const dated = refunds.filter(({ at }) => at !== null);
    assert.deepEqual(
      [...sums.refunds.values()].map((sum) => [sum.day, sum.refunds, sum.amount]),
      dated.length > 0 ? [['2026-11-19', 1, '30']] : [],
    );
  }
});

test('sums of different currencies, accounts and shops of origin never meet', () => {
  const sums = sumsOf(
    order({}),
    order({ currency: 'USD' }),
    order({ accountId: 'a2' }),
    order({ marketplace: 'walmart' }),
    order({ status: 'shipped' }),
  );
  assert.equal(sums.days.size, 5);
  assert.ok([...sums.days.values()].every(({ orders }) => orders === 1));
});

function sumsOf(...orders: readonly PublicOrder[]): Sums {
  const sums = emptySums();
  for (const one of orders) addOrder(sums, one, 1);
  return sums;
}

function dayOf({ days }: Sums) {
  return [...days.values()][0];
}

function productsOf({ products }: Sums) {
  return [...products.values()].map(({ product, orders, units, gross }) => [
    product,
    orders,
    units,
    gross,
  ]);
}

/** The fields that sums read. */
function order(given: Partial<PublicOrder>): PublicOrder {
  return {
    dateCreated: AT,
    marketplace: 'mercado_libre',
    accountId: 'a1',
    currency: 'MXN',
    status: 'paid',
    tags: [],
    total: decimal('500.00'),
    items: [item({})],
    refunds: [],
    refundedTotal: null,
    ...given,
  } as PublicOrder;
}

function item(given: Partial<Item>): Item {
  return {
    id: 'I',
    sku: 'A',
    title: 'Taza',
    quantity: 2,
    cancelledQuantity: 0,
    currency: 'MXN',
    unitPrice: decimal('100.00'),
    subtotal: decimal('200.00'),
    ...given,
  } as Item;
}

function refund(amount: string, at: Temporal.Instant | null): PublicOrder['refunds'][number] {
  return { amount: decimal(amount), at } as PublicOrder['refunds'][number];
}
