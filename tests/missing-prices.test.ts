import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AMOUNTS, type ReportedLine, sourceOrder } from '../src/connectors/contract.ts';
import type { Order } from '../src/features/orders/index.ts';
import { type Decimal, decimal } from '../src/platform/money.ts';
import { openShop, WHOLE_FILE } from './spec/support/shop.ts';
import { openApp } from './support/app.ts';

// An order keeps its money when its source zeroes it, whatever version arrives first.

const instance = await openApp(WHOLE_FILE);
const ID = 'P100';

const PAID = version(10, {
  total: decimal('150.00'),
  lines: [line('TAZA', '100.00'), line('PLATO', '50.00')],
});
const CANCELLED = version(11, {
  status: 'cancelled',
  keep: AMOUNTS,
  lines: [emptied('TAZA'), emptied('PLATO')],
});
/** One of two lines was cancelled; the rest is given. */
const IN_PART = version(11, {
  total: decimal('100.00'),
  keep: AMOUNTS,
  lines: [line('TAZA', '100.00'), emptied('PLATO')],
});
/** The total was zeroed, and the lines were not. */
const WITHOUT_TOTAL = version(11, {
  status: 'cancelled',
  keep: AMOUNTS,
  lines: [
    { ...line('TAZA', '100.00'), cancelled: decimal('1') },
    { ...line('PLATO', '50.00'), cancelled: decimal('1') },
  ],
});

/** The amounts are less than before, and nothing of it is zero. */
const LESS_SHIPPING = version(11, {
  total: decimal('150.00'),
  shippingTotal: decimal('10.00'),
  keep: [...AMOUNTS, 'items'],
  lines: [line('TAZA', '100.00'), { ...line('PLATO', '40.00'), cancelled: decimal('1') }],
});
const WITH_SHIPPING = version(10, {
  total: decimal('150.00'),
  shippingTotal: decimal('20.00'),
  lines: [line('TAZA', '100.00'), line('PLATO', '50.00')],
});

const WHOLE = { total: 150, subtotal: 150, check: 'ok' };

for (const [name, versions, lines] of [
  ['cancelled', [PAID, CANCELLED], ['TAZA 1 −1 100', 'PLATO 1 −1 50']],
  ['cancelled in part', [PAID, IN_PART], ['TAZA 1 −0 100', 'PLATO 1 −1 50']],
  ['left without a total', [PAID, WITHOUT_TOTAL], ['TAZA 1 −1 100', 'PLATO 1 −1 50']],
  [
    'cancelled in part, with less shipping',
    [WITH_SHIPPING, LESS_SHIPPING],
    ['TAZA 1 −0 100', 'PLATO 1 −1 50'],
  ],
] as const)
  for (const order of ['0 1', '1 0', '0 1 1', '1 0 1', '1 1 0', '1 0 0'])
    test(`an order that was ${name} keeps its money and its lines when its versions arrive as ${order}`, async () => {
      const shown = await shownAfter(
        order.split(' ').map((index) => versions[Number(index)] as Order),
      );

      const shipping = versions[0].shippingTotal && Number(versions[0].shippingTotal);
      assert.deepEqual(shown, { ...WHOLE, shipping, status: versions[1].status, lines });
    });

test('an order that is first seen with its money zeroed has none', async () => {
  assert.deepEqual(await shownAfter([CANCELLED]), {
    total: null,
    subtotal: null,
    check: null,
    shipping: null,
    status: 'cancelled',
    lines: [],
  });
  assert.deepEqual(await shownAfter([IN_PART]), {
    total: 100,
    subtotal: 100,
    check: 'ok',
    shipping: null,
    status: 'paid',
    lines: ['TAZA 1 −0 100'],
  });
});

test('an older version without a total fills nothing', async () => {
  const pending = version(9, { status: 'pending', keep: AMOUNTS, lines: [] });

  assert.equal((await shownAfter([CANCELLED, pending])).total, null);
  assert.equal((await shownAfter([CANCELLED, pending, PAID])).total, 150);
});

async function shownAfter(versions: readonly Order[]) {
  const shop = await openShop(instance);
  // A fetch that began later is not what makes a version newer.
  for (const [index, given] of versions.entries())
    await shop.record({ ...given, fetchedAt: given.fetchedAt.add({ minutes: index }) });
  const { data } = (await shop.get(`/v1/orders/${ID}`)).body;
  return {
    total: data.total,
    subtotal: data.subtotal,
    check: data.money_check,
    shipping: data.shipping_total,
    status: data.status,
    lines: data.items.map(
      // biome-ignore lint/suspicious/noExplicitAny: as the API gave them
      ({ sku, quantity, cancelled_quantity, unit_price }: any) =>
        `${sku} ${quantity} −${cancelled_quantity} ${unit_price}`,
    ),
  };
}

function version(
  hour: number,
  reported: { lines: readonly ReportedLine[] } & Partial<
    Pick<Order, 'status' | 'total' | 'shippingTotal' | 'keep'>
  >,
): Order {
  const at = Temporal.Instant.from(`2026-11-15T${String(hour).padStart(2, '0')}:00:00Z`);
  const order = sourceOrder({
    id: ID,
    status: 'paid',
    marketplaceStatus: 'x',
    currency: 'MXN',
    total: null,
    totalIncludes: { shipping: false, tax: true, orderDiscount: false },
    dateCreated: Temporal.Instant.from('2026-11-15T08:00:00Z'),
    changedAt: at,
    fetchedAt: at,
    raw: null,
    ...reported,
  });
  return { ...order, marketplace: 'walmart', accountId: 'one', connectionId: null };
}

function line(sku: string, unitPrice: string): ReportedLine {
  return { id: sku, sku, title: sku, quantity: decimal('1'), unitPrice: decimal(unitPrice) };
}

function emptied(sku: string): ReportedLine {
  const one = '1' as Decimal;
  return { id: sku, sku, title: sku, quantity: one, cancelled: one, unitPrice: null };
}
