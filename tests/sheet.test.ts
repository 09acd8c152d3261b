import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { aLine, LOAD, openSheet, recordMany, rowsOf } from './support/google/sheet.ts';

// The template for Google Sheets, run as it is pasted, over an emulation of Google's services that
// asks a running app.

const instance = await openApp(WHOLE_FILE);
const LATER = Temporal.Instant.from('2026-11-15T13:00:00Z');

test('2,000 orders arrive whole in the sheet at a quota of 500 a minute, and the next run fetches the changes alone', {
  tags: ['slow'],
}, async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 2_000);
  // Another program of the organisation has used most of the minute.
  await Promise.all(Array.from({ length: 490 }, () => shop.get('/v1/me')));

  const first = await google.run(LOAD, { typed: [shop.key] });
  const orders = await rowsOf(google, 'Órdenes');
  await shop.record(
    anOrder({ id: '7', status: 'shipped', changedAt: LATER }),
    anOrder({ id: '2001' }),
  );
  const second = await google.run(LOAD);
  const after = await rowsOf(google, 'Órdenes');

  assert.deepEqual([first.error, first.stopped], [null, null]);
  assert.match(first.shown.at(-1) ?? '', /Todo al día: 2000 órdenes nuevas y 0 cambiadas/);
  assert.ok(first.fetched.some(([, status]) => status === 429));
  assert.ok(first.milliseconds > 50_000, 'it waited for the next minute');
  assert.equal(new Set(orders.map(({ Orden }) => Orden)).size, 2_000);
  assert.equal(orders.length, 2_000);
  assert.equal((await rowsOf(google, 'Artículos')).length, 2_002);
  assert.equal(second.fetched.length, 2);
  assert.match(second.shown.at(-1) ?? '', /1 órdenes nuevas y 1 cambiadas/);
  assert.deepEqual(
    after.filter(({ Orden }) => Orden === '7').map(({ Estado }) => Estado),
    ['Enviada'],
  );
  assert.equal(after.length, 2_001);
});

test('a poll without changes writes nothing and fetches one empty page', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 3);
  await google.run(LOAD, { typed: [shop.key] });

  const { fetched, shown } = await google.run(LOAD);

  assert.deepEqual(
    fetched.map(([url]) => new URL(url).pathname),
    ['/v1/me', '/v1/orders'],
  );
  assert.match(shown.at(-1) ?? '', /0 órdenes nuevas y 0 cambiadas/);
});

test('identifiers stay texts, money is a number beside its currency, and times are those of Mexico City', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await shop.record(
    anOrder({
      id: '200000000000000123',
      accountId: '0012345678901234567',
      total: decimal('1259.90'),
    }),
    anOrder({
      id: '0007',
      currency: 'USD',
      dateCreated: Temporal.Instant.from('2022-07-01T02:30:00Z'),
    }),
  );
  await google.run(LOAD, { typed: [shop.key] });

  const { rows, formats } = await google.tab('Órdenes');
  const [header = [], ...lines] = rows;
  const kinds = lines[0]?.map(({ kind }) => kind);

  assert.deepEqual(
    header.map(({ value }) => value),
    [
      'Marketplace',
      'Cuenta',
      'Orden',
      'Estado',
      'Total',
      'Moneda',
      'Comprador',
      'Creada',
      'Cerrada',
      'Piezas',
      'Último cambio (UTC)',
    ],
  );
  assert.deepEqual(kinds, [
    'text',
    'text',
    'text',
    'text',
    'number',
    'text',
    'text',
    'number',
    'number',
    'number',
    'text',
  ]);
  assert.deepEqual(
    lines[0]?.slice(0, 7).map(({ value }) => value),
    [
      'mercado_libre',
      '0012345678901234567',
      '200000000000000123',
      'Pagada',
      1259.9,
      'MXN',
      'Lucía R.',
    ],
  );
  assert.equal(formats[1]?.[7], 'dd/mm/yyyy hh:mm');
  assert.equal(wallTime(lines[0]?.[7]?.value), '2026-11-15T06:00');
  assert.deepEqual(
    lines[1]?.slice(2, 6).map(({ value }) => value),
    ['0007', 'Pagada', 259.9, 'USD'],
  );
  // In the summer of 2022 Mexico City had its last daylight saving time.
  assert.equal(wallTime(lines[1]?.[7]?.value), '2022-06-30T21:30');
});

test('what a source does not report is an empty cell, and not 0', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await shop.record(anOrder({ total: null, buyerName: null, dateClosed: null }));

  await google.run(LOAD, { typed: [shop.key] });

  const { rows } = await google.tab('Órdenes');
  assert.deepEqual(
    [4, 6, 8].map((column) => rows[1]?.[column]?.kind),
    ['blank', 'blank', 'blank'],
  );
});

test('pieces that the marketplace no longer reports are an empty cell, in the order too', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  const gone = { ...aLine(), quantity: 0, quantityKnown: false };
  await shop.record(
    anOrder({ id: '1', status: 'cancelled', items: [gone, aLine()] }),
    anOrder({ id: '2', items: [aLine(), aLine()] }),
  );

  await google.run(LOAD, { typed: [shop.key] });

  const pieces = async (tab: string) =>
    (await rowsOf(google, tab)).map(({ Orden, Piezas }) => [Orden, Piezas]);
  const { quantity } = aLine();
  assert.deepEqual(await pieces('Órdenes'), [
    ['1', ''],
    ['2', 2 * quantity],
  ]);
  assert.deepEqual(await pieces('Artículos'), [
    ['1', ''],
    ['1', quantity],
    ['2', quantity],
    ['2', quantity],
  ]);
});

test('a text that begins like a formula is text in its cell, and its order is still found again', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  const texts = ['=1+1', '+1', '-2', '@SUM(1)', '\t=1', "'quoted", '2026-01-02', '1,5', 'TRUE'];
  await shop.record(
    ...texts.map((title) =>
      anOrder({ id: title.trim(), items: [aLine({ title, sku: title.trim() })] }),
    ),
  );

  await google.run(LOAD, { typed: [shop.key] });
  const { rows } = await google.tab('Artículos');
  await shop.record(
    ...texts.map((title) => anOrder({ id: title.trim(), status: 'shipped', changedAt: LATER })),
  );
  await google.run(LOAD);

  const cells = rows.flat();
  assert.equal(cells.filter(({ kind }) => ['formula', 'date', 'boolean'].includes(kind)).length, 0);
  assert.deepEqual(
    rows
      .slice(1)
      .map((row) => [row[4]?.kind, row[4]?.value])
      .toSorted(),
    texts.map((value) => ['text', value]).toSorted(),
  );
  assert.equal((await rowsOf(google, 'Órdenes')).length, texts.length);
});

test('an order that loses a product loses its row, and one that gains a product gains one', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  const lines = ['A', 'B', 'C'].map((title) => aLine({ title }));
  const products = async () =>
    (await rowsOf(google, 'Artículos')).map(({ Orden, Producto }) => `${Orden}${Producto}`);
  await shop.record(
    anOrder({ id: '1', items: lines }),
    anOrder({ id: '2', items: lines.slice(0, 1) }),
  );
  await google.run(LOAD, { typed: [shop.key] });
  const before = await products();

  await shop.record(anOrder({ id: '1', items: lines.slice(1, 2), changedAt: LATER }));
  await shop.record(anOrder({ id: '2', items: lines, changedAt: LATER }));
  await google.run(LOAD);

  assert.deepEqual(before.toSorted(), ['1A', '1B', '1C', '2A']);
  assert.deepEqual((await products()).toSorted(), ['1B', '2A', '2B', '2C']);
});

test('two accounts with the same order number have a row each', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await shop.record(
    anOrder({ id: '1001', accountId: 'norte' }),
    anOrder({ id: '1001', accountId: 'sur' }),
    anOrder({ id: '1001', marketplace: 'woocommerce', accountId: 'sur' }),
  );

  await google.run(LOAD, { typed: [shop.key] });
  await google.run('empezarDeNuevo', { agrees: true });

  assert.deepEqual(
    (await rowsOf(google, 'Órdenes'))
      .map(({ Marketplace, Cuenta }) => `${Marketplace} ${Cuenta}`)
      .toSorted(),
    ['mercado_libre norte', 'mercado_libre sur', 'woocommerce sur'],
  );
});

test('a sheet that was left alone for two years gets every change', async (t) => {
  const { shop, google } = await openSheet(t, instance);
  await recordMany(shop, 120);
  await google.run(LOAD, { typed: [shop.key] });
  instance.clock.advance({ hours: 2 * 365 * 24 });
  await recordMany(shop, 130, 5);

  const { shown } = await google.run(LOAD);

  assert.match(shown.at(-1) ?? '', /10 órdenes nuevas y 120 cambiadas/);
  assert.ok((await rowsOf(google, 'Órdenes')).every(({ Piezas }) => Number(Piezas) >= 5));
});

/** What the clock on the wall shows, of the number that a sheet keeps a time as. */
function wallTime(days: unknown): string {
  return new Date(Math.round((Number(days) - 25_569) * 86_400_000)).toISOString().slice(0, 16);
}
