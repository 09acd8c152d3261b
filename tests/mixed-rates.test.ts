import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MovementKind } from '../src/connectors/contract.ts';
import { decimal } from '../src/platform/money.ts';
import { anOrder } from './support/app.ts';
import { ACCOUNT, openLedger } from './support/findings.ts';

// Orders with goods at 16 % and at 0 % IVA: what is due of each, to the cent.

interface Sale {
  readonly movements: readonly (readonly [MovementKind, string])[];
  readonly lines?: number;
  /** The IVA of the order, where its marketplace tells it. */
  readonly tax?: string;
}

/** @returns the orders with a finding of withheld taxes, by their place, with amount and expected */
async function foundOf(t: Parameters<typeof openLedger>[0], sales: readonly Sale[]) {
  const { instance, move, find, all } = await openLedger(t);
  const at = Temporal.Instant.from('2026-11-02T18:00:00Z');
  const idOf = (place: number) => `702-${String(place).padStart(7, '0')}`;
  const [item] = anOrder().items;
  assert.ok(item);
  for (const [place, { movements, lines = 1, tax }] of sales.entries()) {
    const id = idOf(place);
    await instance.record([
      anOrder({
        ...{ ...ACCOUNT, id, status: 'paid', total: decimal('232.00'), dateCreated: at },
        items: Array.from({ length: lines }, () => item),
        taxTotal: tax === undefined ? null : decimal(tax),
      }),
    ]);
    await move(
      movements.map(([kind, amount]) => ({
        ...{ kind, amount: decimal(amount), currency: 'MXN', at, nativeType: kind },
        ...{ key: `${id} ${kind}`, orderId: id, payoutId: null, isOpen: false },
      })),
    );
  }
  await find();
  const places = new Map(sales.map((_, place) => [idOf(place), place]));
  return (await all())
    .filter(({ kind }) => kind === 'withheld_differs')
    .map((one) => [places.get(one.subject), Number(one.amount), Number(one.expected)])
    .sort();
}

const SOLD = ['sale', '232.00'] as const;

test('taxes of an order with lines at 16 % and at 0 % follow its IVA', async (t) => {
  const of = (isr: string, iva: string): Sale['movements'] => [SOLD, ['isr', isr], ['iva', iva]];
  const found = await foundOf(t, [
    // 116.00 with IVA and 116.00 without: of 216.00 and of 16.00.
    { movements: of('-5.40', '-8.00'), lines: 2, tax: '16.00' },
    { movements: of('-5.40', '-8.00'), tax: '16.00' },
    { movements: of('-5.40', '-7.00'), lines: 2, tax: '16.00' },
    { movements: of('-5.00', '-16.00'), lines: 2, tax: '32.00' },
    // The marketplace does not tell the IVA.
    { movements: of('-5.40', '-8.00'), lines: 2 },
    { movements: of('-5.00', '-8.00'), lines: 2 },
    { movements: of('-5.40', '-8.00') },
    { movements: of('-4.80', '-20.00'), lines: 2 },
  ]);
  assert.deepEqual(found, [
    [2, -1, 13.4],
    [5, -8, 21],
    [6, -7.6, 21],
    [7, 3.8, 21],
  ]);
});

test('goods at 0 % that are sent with IVA are as two lines', async (t) => {
  const goods = [
    ['sale', '203.00'],
    ['shipping', '29.00'],
  ] as const;
  const found = await foundOf(t, [
    { movements: [...goods, ['isr', '-5.70'], ['iva', '-2.00']] },
    { movements: [...goods, ['isr', '-5.00'], ['iva', '-2.00']] },
  ]);
  assert.deepEqual(found, [[1, -14, 21]]);
});

test('taxes without a name are between those of all lines and of none', async (t) => {
  const of = (withheld: string): Sale['movements'] => [SOLD, ['withheld', withheld]];
  const found = await foundOf(t, [
    { movements: [SOLD, ['isr', '-5.00'], ['iva', '-16.00']] },
    { movements: of('-13.40'), lines: 2 },
    { movements: of('-13.40'), lines: 2, tax: '8.00' },
    { movements: of('-13.40') },
    { movements: of('-22.00'), lines: 2 },
    { movements: of('-5.00'), lines: 2 },
  ]);
  assert.deepEqual(found, [
    [2, 3.8, 9.6],
    [3, -7.6, 21],
    [4, 1, 21],
    [5, -16, 21],
  ]);
});

test('taxes beyond IVA, as IEPS, say nothing about the rate of the lines', async (t) => {
  const of = (isr: string, iva: string): Sale['movements'] => [SOLD, ['isr', isr], ['iva', iva]];
  const found = await foundOf(t, [
    { movements: of('-5.00', '-16.00'), tax: '45.00' },
    { movements: of('-5.80', '0.00'), tax: '17.19' },
    { movements: of('-5.00', '-10.00'), tax: '45.00' },
  ]);
  assert.deepEqual(found, [[2, -6, 21]]);
});
