import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLossless } from '../../platform/json.ts';
import { readTable } from '../table.ts';
import { FiscalDocuments, invoicedPackOf, toInvoice } from './wire.ts';
import { closingBalanceOf, isPayout, toComing, toPayout } from './wire-money.ts';

const HEADER =
  'DATE,SOURCE_ID,RECORD_TYPE,DESCRIPTION,NET_CREDIT_AMOUNT,NET_DEBIT_AMOUNT,MP_FEE_AMOUNT';
const OPENING = '2026-11-01T00:00:00.000-04:00,,initial_available_balance,,1000.10,0.00,0.00';

/** Rows after the opening balance of 1000.10, and the closing balance. */
const REPORTS: readonly [what: string, rows: string[], closing: string | null][] = [
  ['nothing moved', [], '1000.1'],
  ['a sale was released', [',1,release,payment,86.93,0.00,-13.00'], '1087.03'],
  ['money was taken out', [',2,release,withdrawal,0.00,500.00,-3.00'], '500.1'],
  [
    'a claim blocked money and let it go again',
    [',3,block,dispute,0.00,99.99,0.00', ',3,unblock,dispute,99.99,0.00,0.00'],
    '1000.1',
  ],
  [
    'rows sum up what was before',
    [
      ',1,release,payment,10.00,0.00,0.00',
      ',,available_balance,,1010.10,0.00,0.00',
      ',,subtotal,,1010.10,0.00,0.00',
      ',,total,,1010.10,0.00,0.00',
    ],
    '1010.1',
  ],
  ['more went out than there was', [',4,release,chargeback,0.00,1000.11,0.00'], '-0.01'],
];

for (const [what, rows, closing] of REPORTS)
  test(`a report in which ${what} ends with ${closing}`, () => {
    assert.equal(closingBalanceOf(readTable([HEADER, OPENING, ...rows].join('\n'))), closing);
  });

test('a report whose columns have Spanish, Portuguese or English names is read by their codes', () => {
  for (const [date, type] of [
    ['Fecha de liquidación', 'Tipo de registro'],
    ['Data da liberação', 'Tipo de registro'],
    ['Release date', 'Registry type'],
  ] as const) {
    const names = HEADER.replace('DATE', `${date} (DATE)`)
      .replace('RECORD_TYPE', `${type} (RECORD_TYPE)`)
      .replace('NET_CREDIT_AMOUNT', 'x (NET_CREDIT_AMOUNT)');
    const text = [names, OPENING, ',1,release,payment,86.93,0.00,-13.00'].join('\n');
    assert.equal(closingBalanceOf(readTable(text.replaceAll(',', ';'))), '1087.03', date);
  }
});

test('a report without an opening balance reports no balance', () => {
  assert.equal(closingBalanceOf(readTable(`${HEADER}\n,1,release,payment,10.00,0.00,0.00`)), null);
  assert.equal(closingBalanceOf(readTable('')), null);
});

test('a report that is cut off, or has columns of its own, is no balance at all', () => {
  assert.throws(() => closingBalanceOf(readTable(`${HEADER}\n${OPENING}\n,1,release,payment`)));
  assert.throws(() => closingBalanceOf(readTable('FECHA;TIPO\n2026-11-01;release')));
});

test('a withdrawal is a settlement, less the fee that Mercado Pago keeps', () => {
  const [row] = readTable(
    `${HEADER}\n2026-11-02T15:36:10.000-04:00,9000001,release,withdrawal,0.00,813.45,-3.00`,
  );

  assert.equal(isPayout(row ?? {}), true);
  const { id, status, gross, fees, net, paidAt, currency } = toPayout(row);
  assert.deepEqual(
    [id, status, gross, fees, net, paidAt?.toString(), currency],
    ['9000001', 'paid', '813.45', '3', '810.45', '2026-11-02T19:36:10Z', 'MXN'],
  );
});

test('sales, reserves for a withdrawal and sums are no settlements', () => {
  for (const [RECORD_TYPE, DESCRIPTION] of [
    ['release', 'payment'],
    ['reserve_for_payout', 'withdrawal'],
    ['total', ''],
  ] as const)
    assert.equal(isPayout({ RECORD_TYPE, DESCRIPTION }), false, `${RECORD_TYPE} ${DESCRIPTION}`);
});

const AS_OF = Temporal.Instant.from('2026-11-16T18:00:00Z');
const PAYMENT = {
  id: 90000000001,
  status: 'approved',
  collector_id: 468424240,
  currency_id: 'MXN',
  money_release_date: '2026-11-30T10:00:00.000-04:00',
  transaction_details: { net_received_amount: 225.96 },
};

const PAYMENTS: readonly [what: string, change: object, amount: string | null][] = [
  ['is approved and held', {}, '225.96'],
  ['is free already', { money_release_date: '2026-11-16T14:00:00.000-04:00' }, null],
  ['was refunded', { status: 'refunded' }, null],
  ['was made by the seller', { collector_id: 1 }, null],
  ['names no seller', { collector_id: null }, '225.96'],
  ['has no day of release', { money_release_date: null }, null],
  ['has no net amount', { transaction_details: null }, null],
];

for (const [what, change, amount] of PAYMENTS)
  test(`a payment that ${what} brings ${amount ?? 'nothing'}`, () => {
    const row = parseLossless(JSON.stringify({ ...PAYMENT, ...change }));
    assert.equal(toComing(row, '468424240', AS_OF)?.amount ?? null, amount);
  });

test('the documents of a pack are listed in an object, or as they are', () => {
  const documents = [{ id: '1_a' }];
  assert.deepEqual(FiscalDocuments.parse({ pack_id: 1, fiscal_documents: documents }), documents);
  assert.deepEqual(FiscalDocuments.parse(documents), documents);
  assert.deepEqual(FiscalDocuments.parse({ fiscal_documents: null }), []);
});

test('XML is known by its type, or by its name', () => {
  const isXml = (document: object) => toInvoice({ id: '1_a', ...document }, ['7']).isXml;
  assert.equal(isXml({ file_type: 'text/xml', filename: 'f' }), true);
  assert.equal(isXml({ file_type: null, filename: 'F.XML' }), true);
  assert.equal(isXml({ file_type: 'application/pdf', filename: 'f.pdf' }), false);
  assert.equal(isXml({}), false);
});

test('an order without a pack is its own pack, and a cancelled one has no documents', () => {
  const order = { id: 20, pack_id: null, status: 'paid' };
  const packOf = (change: object) =>
    invoicedPackOf(parseLossless(JSON.stringify({ ...order, ...change })));
  assert.deepEqual(packOf({}), { id: '20', isPack: false });
  assert.deepEqual(packOf({ pack_id: 31 }), { id: '31', isPack: true });
  assert.equal(packOf({ status: 'cancelled' }), null);
  assert.equal(invoicedPackOf('rubbish'), null);
});
