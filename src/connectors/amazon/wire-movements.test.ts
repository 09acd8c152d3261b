import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLossless } from '../../platform/json.ts';
import { readTransactions } from './wire-movements.ts';

const money = (amount: number) => ({ currencyCode: 'MXN', currencyAmount: amount });
const part = (type: string, amount: number, breakdowns: object[] | null = null) => ({
  breakdownType: type,
  breakdownAmount: money(amount),
  breakdowns,
});

/** The kinds of the movements of a sale of 500.00 with one more part, by their amounts. */
function kindsWith(more: object, amount: number): Record<string, number> {
  const transaction = {
    transactionId: 't-1',
    transactionType: 'Shipment',
    transactionStatus: 'RELEASED',
    relatedIdentifiers: [{ relatedIdentifierName: 'ORDER_ID', relatedIdentifierValue: 'o-1' }],
    postedDate: '2026-11-18T03:04:05.678Z',
    totalAmount: money(500 + amount),
    breakdowns: [part('Sales', 500), more],
  };
  const [read] = readTransactions([parseLossless(JSON.stringify(transaction))]);
  assert.ok(read?.ok && 'movements' in read.item);
  return Object.fromEntries(read.item.movements.map(({ kind, amount: of }) => [kind, Number(of)]));
}

for (const [name, kind] of [
  ['MarketplaceFacilitatorVAT-Principal', 'iva'],
  ['MarketplaceFacilitatorVAT-Shipping', 'iva'],
  ['MarketplaceFacilitatorTax-Principal', 'withheld'],
  ['MarketplaceFacilitatorTax-Shipping', 'withheld'],
  ['MarketplaceFacilitatorTax-Giftwrap', 'withheld'],
  ['MarketplaceFacilitatorTax-Other', 'withheld'],
  ['LowValueGoodsTax-Principal', 'withheld'],
  ['TaxWithheld', 'withheld'],
  ['ISRWithholding', 'isr'],
  ['IncomeTaxWithheld', 'isr'],
  ['IVAWithheld', 'iva'],
] as const)
  test(`${name} is a tax withheld (${kind}), alone and inside the taxes of an item`, () => {
    assert.deepEqual(kindsWith(part(name, -40), -40), { sale: 500, [kind]: -40 });
    const inside = part('Tax', 40, [part('OurPriceTax', 80), part(name, -40)]);
    assert.deepEqual(kindsWith(inside, 40), { sale: 580, [kind]: -40 });
  });

test('a tax that the buyer pays is part of the sale', () => {
  assert.deepEqual(kindsWith(part('Tax', 80), 80), { sale: 580 });
});
