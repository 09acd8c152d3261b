import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decideLink } from '../src/features/cfdi/index.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { ACCOUNT, RFC } from './support/findings.ts';
import { openSeller } from './support/seller.ts';

// Invoices and orders that are linked to each other are compared as sums: what differs is one finding.

const BUYER = 'EMP010101AB1';
const PUBLIC = 'XAXX010101000';

async function openBooks(t: Pick<TestContext, 'after'>) {
  const seller = await openSeller(t);
  const { instance, inside, upload, find, open } = seller;
  const { orderListeners, announce } = instance.app.exchange;
  await seller.sell({ on: '2026-11-05' });
  await seller.pay('P-1', '2026-11-10');
  const dateCreated = Temporal.Instant.from('2026-11-05T18:00:00Z');
  return {
    ...seller,
    order: (number: number, total: string, given: Parameters<typeof anOrder>[0] = {}) =>
      instance.record([
        anOrder({ ...ACCOUNT, id: idOf(number), dateCreated, total: decimal(total), ...given }),
      ]),
    invoice: async (
      number: number,
      total: string,
      orders: readonly number[],
      given: Partial<Parameters<typeof aCfdi>[0]> = {},
    ) => {
      const uuid = folioOf(number);
      await upload(aCfdi({ uuid, total, issuer: RFC, receiver: BUYER, ...given }));
      const listeners = [...orderListeners, announce];
      for (const order of orders)
        await inside((scope) =>
          decideLink(scope, uuid, { ...ACCOUNT, id: idOf(order) }, 'linked', listeners),
        );
    },
    differs: async () => {
      await find();
      return (await open()).filter(([kind]) => kind === 'cfdi_total_differs');
    },
  };
}

function idOf(order: number): string {
  return `20000000000009${order}`;
}

function found(order: number, amount: number, expected: number) {
  return [['cfdi_total_differs', idOf(order), 'amazon', amount, expected]];
}

function relatedTo(relation: string, ...documents: readonly number[]): { readonly head: string } {
  const folios = documents.map((number) => `<cfdi:CfdiRelacionado UUID="${folioOf(number)}"/>`);
  return {
    head: `<cfdi:CfdiRelacionados TipoRelacion="${relation}">${folios.join('')}</cfdi:CfdiRelacionados>`,
  };
}

for (const [total, more] of [
  ['600.00', 0],
  ['600.01', 0.01],
  ['599.99', -0.01],
  ['700.00', 100],
  ['500.00', -100],
] as const)
  test(`one invoice of ${total} for three orders of 600.00 differs by ${more}`, async (t) => {
    const { order, invoice, differs, find } = await openBooks(t);
    for (const [number, each] of ['100.00', '200.00', '300.00'].entries())
      await order(number, each);
    await invoice(1, total, [2, 1, 0]);
    assert.deepEqual(await differs(), more === 0 ? [] : found(0, more, 600));
    assert.equal(await find(), 0);
  });

test('an invoice of a pack may be with the shipping that its orders do not have, once a pack', async (t) => {
  const { order, invoice, differs } = await openBooks(t);
  const pack = (id: string) => ({ packId: id, packShippingTotal: decimal('50.00') });
  for (const number of [0, 1]) await order(number, '100.00', pack('P1'));
  await order(2, '100.00', pack('P2'));
  await invoice(1, '400.00', [0, 1, 2]);
  assert.deepEqual(await differs(), []);
  await order(3, '100.00');
  await invoice(2, '350.00', [3]);
  assert.deepEqual(await differs(), found(3, 250, 100));
});

test('an order in three invoices and a credit note is right, whether it was refunded or not', async (t) => {
  const { order, invoice, differs } = await openBooks(t);
  await order(0, '1000.00');
  for (const [number, part] of ['600.00', '300.00', '200.00'].entries())
    await invoice(number, part, [0]);
  assert.deepEqual(await differs(), found(0, 100, 1000));
  await invoice(9, '100.00', [], { type: 'E', ...relatedTo('01', 1) });
  assert.deepEqual(await differs(), []);

  await order(1, '500.00', { refundedTotal: decimal('200.00') });
  await invoice(11, '500.00', [1]);
  await invoice(12, '200.00', [], { type: 'E', ...relatedTo('03', 11) });
  await order(2, '500.00', { refundedTotal: decimal('200.00') });
  await invoice(21, '300.00', [2]);
  assert.deepEqual(await differs(), [], 'refunded after, and before the invoice');

  await order(3, '500.00');
  await invoice(31, '510.00', [3]);
  await invoice(32, '9.99', [], { type: 'E', ...relatedTo('01', 31) });
  assert.deepEqual(await differs(), found(3, 0.01, 500));
});

test('a chain of invoices and orders is compared as a whole, and differs once', async (t) => {
  const { order, invoice, differs, find } = await openBooks(t);
  for (const number of [1, 2, 3]) await order(number, '100.00');
  await invoice(1, '150.00', [1, 2]);
  await invoice(2, '150.00', [2, 3]);
  assert.deepEqual(await differs(), []);
  await order(4, '100.00');
  await invoice(3, '101.00', [3, 4]);
  assert.deepEqual(await differs(), found(1, 1, 400));
  assert.equal(await find(), 0);

  for (const number of [5, 6, 7]) await order(number, '100.00');
  await invoice(5, '200.00', [5, 6]);
  await invoice(6, '100.00', [6, 7]);
  assert.deepEqual(await differs(), found(1, 1, 400), 'the second one has the rest');
});

test('a credit note for invoices of two orders connects them', async (t) => {
  const { order, invoice, differs } = await openBooks(t);
  for (const number of [1, 2]) {
    await order(number, '100.00');
    await invoice(number, '110.00', [number]);
  }
  assert.equal((await differs()).length, 2);
  await invoice(3, '20.00', [], { type: 'E', ...relatedTo('01', 1, 2) });
  assert.deepEqual(await differs(), []);
  await invoice(4, '80.00', []);
  await order(5, '100.00');
  await invoice(5, '120.00', [5]);
  assert.deepEqual(await differs(), found(5, 20, 100));
  await invoice(6, '50.00', [], { type: 'E', ...relatedTo('01', 4, 5) });
  assert.deepEqual(await differs(), [], 'how much of it is for the order is not known');
});

test('a credit note that replaces another one is for the invoice alone that it credits', async (t) => {
  const { order, invoice, differs } = await openBooks(t);
  await order(1, '100.00');
  await invoice(1, '130.00', [1]);
  await invoice(2, '30.00', [], { type: 'E', ...relatedTo('01', 1) });
  assert.deepEqual(await differs(), []);
  const head = relatedTo('04', 2).head + relatedTo('01', 1).head;
  await invoice(3, '20.00', [], { type: 'E', head });
  assert.deepEqual(await differs(), found(1, 10, 100));
});

test('an invoice to the public may be for other sales, too, but not for less than its orders', async (t) => {
  const { order, invoice, differs } = await openBooks(t);
  for (const number of [1, 2, 3]) await order(number, '100.00');
  await invoice(1, '900.00', [1, 2], { receiver: PUBLIC });
  assert.deepEqual(await differs(), []);
  await invoice(2, '299.99', [1, 2, 3], { receiver: PUBLIC });
  assert.deepEqual(await differs(), [], 'two invoices to the public');
  await order(4, '100.00');
  await order(5, '100.00');
  await invoice(3, '199.99', [4, 5], { receiver: PUBLIC });
  assert.deepEqual(await differs(), found(4, -0.01, 200));
});

test('a global invoice that names one stored order among other sales is right', async (t) => {
  const { order, upload, differs } = await openBooks(t);
  await order(1, '100.00');
  const global = aCfdi({ uuid: folioOf(1), total: '100.00', sku: idOf(1), issuer: RFC });
  const item = /<cfdi:Concepto .*?\/>/.exec(global)?.[0] as string;
  await upload(
    global
      .replace(item, item + item.replace(idOf(1), 'MOSTRADOR-77').replaceAll('100.00', '45.00'))
      .replace('SubTotal="100.00"', 'SubTotal="145.00"')
      .replace(' Total="100.00"', ' Total="145.00"'),
  );
  assert.deepEqual(await differs(), []);
});

test('an order that is invoiced twice is found where the SAT has confirmed both', async (t) => {
  const { inside, order, invoice, differs } = await openBooks(t);
  await order(1, '100.00');
  await invoice(1, '100.00', [1]);
  await invoice(2, '100.00', [1]);
  assert.deepEqual(await differs(), [], 'the first one may be cancelled');
  await inside((scope) =>
    scope.rows(scope.update('cfdis').set({ status: 'vigente' }).where('type', '=', 'ingreso')),
  );
  assert.deepEqual(await differs(), found(1, 100, 100));
});
