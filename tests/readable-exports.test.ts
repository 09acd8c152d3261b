import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CARRIERS, SHIPMENT_CATEGORIES } from '../src/carriers/contract.ts';
import { MARKETPLACES, ORDER_STATUSES } from '../src/connectors/contract.ts';
import { recordSettlements } from '../src/features/balances/index.ts';
import { EXPORTS, type Exported, TITLES } from '../src/features/exports/index.ts';
import { aboutRows } from '../src/features/exports/readable/about.ts';
import type { Reader } from '../src/features/exports/readable/column.ts';
import { lookOf } from '../src/features/exports/readable/look.ts';
import { WHOLE } from '../src/features/exports/terms.ts';
import { openWorkbook } from '../src/features/exports/workbook.ts';
import { FINDING_KINDS, FINDING_STATES } from '../src/features/findings/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { changeOrganization, changePlan } from '../src/features/organizations/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { fillShop } from './agents/shop.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, callApi, openApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { query, workOff } from './support/market.ts';
import { joined, openMailingInstance, openTeam } from './support/people.ts';
import { parcel, related, shipments } from './support/read-rows.ts';
import { freshDatabase } from './support/server.ts';
import { aPayout } from './support/settlement.ts';
import { recordsOf, type SheetCell, sheetsOf } from './support/workbook.ts';

// Exports for people: a workbook in Spanish, whose amounts and dates Excel reckons with.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const PAGE = '/cuenta/exportaciones';
const HOSTILE = ['=1+1', '+52 55', '@SUM(A1)', '\t=1', '＝1', '<b>"&_x0041_', '["a",{"b":1}]'];

test('the page offers it first; moments are of the time zone of the organisation, days too where it is late', {
  tags: ['slow'],
}, async () => {
  const { team, order } = await aTeam('America/Tijuana');
  // 23:30 of the 14th in Tijuana, and the 15th in Mexico City and in UTC.
  await order({
    id: '2000003508419013',
    dateCreated: Temporal.Instant.from('2026-11-15T07:30:20Z'),
  });
  const { visitor } = team.owner;
  const offered = (await visitor.get(PAGE)).text;
  const { headers, body } = await byPage(team, visitor, { que: 'orders' });
  const [sheet, about] = await sheetsOf(body);
  assert.ok(sheet && about);
  const [row] = recordsOf(sheet);

  assert.match(
    offered,
    /<option value="excel" selected>Excel \(para leer y sumar\)<\/option>\s*<option value="xlsx">/,
  );
  assert.match(
    headers.get('content-disposition') ?? '',
    /filename="tianguis-ordenes-2026-11-14-2026-11-15\.xlsx"/,
  );
  assert.deepEqual(row?.get('Fecha'), {
    text: daysOf('2026-11-14T23:30:20'),
    isNumber: true,
    format: 'dd/mm/yyyy hh:mm',
    isBold: false,
  });
  assert.deepEqual(row?.get('Orden'), aText('2000003508419013', '@'));
  assert.deepEqual(factsOf(about.rows), [
    ['Organización', 'Papelería Sol'],
    ['Contenido', 'Órdenes'],
    [
      'Periodo',
      'Del 14 de noviembre de 2026 al 15 de noviembre de 2026. Los días son los de tu zona horaria.',
    ],
    ['Datos al', about.rows[3]?.[1]?.text],
    ['Zona horaria', 'Noroeste (Tijuana). Es la de todas las horas.'],
    ['Filas', '1 orden'],
  ]);
  assert.equal(about.rows[3]?.[1]?.format, 'dd/mm/yyyy hh:mm');
});

test('a period has the days of the screens, in the time zone of the organisation; those of sales are of the books', {
  tags: ['slow'],
}, async () => {
  const { team, order } = await aTeam('America/Tijuana');
  // 23:30 of the 14th in Tijuana, and the 15th in Mexico City.
  await order({ id: '1', dateCreated: Temporal.Instant.from('2026-11-15T07:30:20Z') });
  const days = { desde: '2026-11-14', hasta: '2026-11-14', formato: 'ndjson' };
  const rows: Record<string, number> = {};
  for (const que of ['orders', 'items', 'uninvoiced', 'global_invoice', 'sales']) {
    const { body } = await byPage(team, team.owner.visitor, { ...days, que });
    rows[que] = body.toString().split('\n').filter(Boolean).length;
  }
  assert.deepEqual(rows, { orders: 1, items: 1, uninvoiced: 1, global_invoice: 1, sales: 0 });
});

test('a payout whose day came without a time is of that day, and its cell has no time', {
  tags: ['slow'],
}, async () => {
  const { team, within } = await aTeam('America/Tijuana');
  const source = { marketplace: 'shopify', accountId: 'S', connectionId: newId() } as const;
  const payouts = [
    aPayout('DAY', '10', Temporal.Instant.from('2026-11-15T00:00:00Z')),
    // 17:00 of the 14th in Tijuana.
    aPayout('MOMENT', '20', Temporal.Instant.from('2026-11-15T01:00:00Z')),
  ];
  await instance.app.database
    .within(within)
    .write((scope) => recordSettlements(scope, source, payouts, { announce: false }));
  const of = async (day: string) => {
    const form = { que: 'payouts', desde: day, hasta: day };
    const [sheet] = await sheetsOf((await byPage(team, team.owner.visitor, form)).body);
    assert.ok(sheet);
    return recordsOf(sheet).map((row) => [row.get('Pago')?.text, row.get('Depositado')]);
  };
  const [earlier, later] = [await of('2026-11-14'), await of('2026-11-15')];

  const moment = { text: daysOf('2026-11-14T17:00:00'), format: 'dd/mm/yyyy hh:mm' };
  assert.deepEqual(earlier, [['MOMENT', { ...moment, isNumber: true, isBold: false }]]);
  const day = { text: daysOf('2026-11-15T00:00:00'), format: 'dd/mm/yyyy' };
  assert.deepEqual(later, [['DAY', { ...day, isNumber: true, isBold: false }]]);
});

test('an order is a row that an accountant reads: money, items and names in the order in which they are looked for', async () => {
  const { team, order } = await aTeam('America/Mexico_City');
  const [item] = anOrder().items;
  assert.ok(item);
  await order({
    id: 'A-1',
    status: 'delivered',
    total: decimal('1234.50'),
    feesTotal: decimal('185.18'),
    items: [
      { ...item, title: 'Mochila azul', sku: 'SKU-1', quantity: 2 },
      { ...item, title: 'Taza', sku: null, quantity: 1 },
    ],
  });
  const [sheet] = await sheetsOf((await byPage(team, team.owner.visitor, { que: 'orders' })).body);
  assert.ok(sheet);
  const [row] = recordsOf(sheet);
  const titles = sheet.rows[0]?.map(({ text }) => text) ?? [];

  assert.equal(sheet.name, 'Órdenes');
  assert.deepEqual(titles.slice(0, 9), [
    ...['Fecha', 'Marketplace', 'Cuenta', 'Orden', 'Estado', 'Comprador', 'Productos', 'Piezas'],
    'Total',
  ]);
  assert.deepEqual(
    ['Marketplace', 'Estado', 'Comprador', 'Productos', 'Moneda'].map((one) => row?.get(one)?.text),
    ['Mercado Libre', 'Entregada', 'Lucía R.', '2 × Mochila azul (SKU-1) · 1 × Taza', 'MXN'],
  );
  assert.deepEqual(row?.get('Total'), aNumber('1234.50', '#,##0.00'));
  assert.deepEqual(row?.get('Comisiones'), aNumber('185.18', '#,##0.00'));
  assert.deepEqual(row?.get('Piezas'), aNumber('3', '#,##0'));
  assert.deepEqual(row?.get('Neto para ti'), aText('', ''));
});

test('its titles are bold and stay in view, with filters over all rows, and each is explained', async () => {
  const { team, order } = await aTeam('America/Mexico_City');
  await order({ id: 'A-1' });
  const [sheet, about] = await sheetsOf(
    (await byPage(team, team.owner.visitor, { que: 'items' })).body,
  );
  assert.ok(sheet && about);
  const titles = sheet.rows[0] ?? [];

  assert.ok(titles.every(({ isBold }) => isBold));
  assert.match(sheet.xml, /<pane ySplit="1" topLeftCell="A2"[^>]* state="frozen"\/>/);
  assert.match(sheet.xml, /<autoFilter ref="A1:P2"\/>/);
  assert.equal(sheet.xml.match(/<col /g)?.length, titles.length);
  assert.deepEqual(
    [sheet.name, about.name],
    ['Artículos de las órdenes', 'Acerca de este archivo'],
  );
  const explained = about.rows.slice(
    about.rows.findIndex(([cell]) => cell?.text === 'Columna') + 1,
  );
  assert.deepEqual(
    explained.map(([cell]) => cell?.text),
    titles.map(({ text }) => text),
  );
  assert.ok(explained.every(([, means]) => /^\p{Lu}.*\.$/u.test(means?.text ?? '')));
});

test('no cell of any kind of rows holds a code, JSON or a time as programs write it', {
  tags: ['slow'],
}, async (t) => {
  const shop = await openApp(t, {
    plan: 'avanzado',
    database: await freshDatabase(),
    clock: turnedClock('2026-11-17T00:00:00Z'),
  });
  await fillShop(shop);
  await shop.record([
    ...ORDER_STATUSES.map((status) =>
      anOrder({ id: `S-${status.length}-${status.at(0)}`, status }),
    ),
    anOrder({ id: 'I-1', accountId: 'import' }),
    ...MARKETPLACES.map((marketplace) => anOrder({ id: `M-${marketplace.length}`, marketplace })),
  ]);
  await shipments(
    shop,
    'paquetexpress',
    SHIPMENT_CATEGORIES.map((category, at) =>
      parcel(`P${at}`, { category, relations: [related('2000000000000001')] }),
    ),
  );
  for (const [at, kind] of FINDING_KINDS.entries())
    await query(
      shop,
      `insert into findings (organization_id, id, marketplace, account_id, kind, subject, state,
         amount, currency, since, found_at, changed_at)
       values ($1, $2, $3, '', $4, '2026-10', $5, 232.10, 'MXN', $6, $6, $6)`,
      [
        ...[shop.organization.id, newId(), at % 2 === 0 ? '' : 'amazon', kind],
        ...[FINDING_STATES[at % 3], '2026-11-01T00:00:00Z'],
      ],
    );

  const kinds = Object.keys(EXPORTS) as Exported[];
  const scopes = new Set(kinds.map((what) => EXPORTS[what].scope));
  const { key } = await shop.app.database
    .within(shop.organization.id)
    .write((scope) =>
      createKey(scope, 'operator', { name: 'Todo', scopes: ['exports:write', ...scopes] }),
    );
  const rows: Partial<Record<Exported, number>> = {};
  for (const what of kinds) {
    const sheets = await sheetsOf(await byApi(shop, key, what));
    rows[what] = (sheets[0]?.rows.length ?? 0) - 1;
    const texts = sheets.flatMap((sheet) => sheet.rows.flat()).filter((cell) => !cell.isNumber);
    const faults = texts.filter(({ text }) => isForPrograms(text));
    assert.deepEqual(
      faults.map(({ text }) => `${what}: ${text}`),
      [],
    );
    assert.equal(sheets[0]?.name, TITLES[what]);
  }

  assert.ok(
    Object.values(rows).every((count) => count > 0),
    JSON.stringify(rows),
  );
});

test('what is hostile is text: no formula, no markup, each character as it came', async () => {
  const { team, order } = await aTeam('America/Mexico_City');
  const [item] = anOrder().items;
  assert.ok(item);
  await order({ id: 'A-1', items: HOSTILE.map((title) => ({ ...item, title, sku: title })) });

  for (const que of ['items', 'orders']) {
    const { body } = await byPage(team, team.owner.visitor, { que });
    const [sheet] = await sheetsOf(body);
    assert.ok(sheet);
    assert.doesNotMatch(sheet.xml, /<f[ >]|<b>/);
    const records = recordsOf(sheet);
    if (que === 'items')
      assert.deepEqual(
        records.map((row) => [row.get('Producto')?.text, row.get('SKU')?.text]),
        HOSTILE.map((title) => [title, title]),
      );
    else
      assert.equal(
        records[0]?.get('Productos')?.text,
        HOSTILE.map((title) => `2 × ${title} (${title})`).join(' · '),
      );
  }
});

test('a role that does not see earnings reads none, nor what a shipment costs, in any format', {
  tags: ['slow'],
}, async () => {
  const { team, order, within } = await aTeam('America/Mexico_City');
  await order({ id: 'A-1', feesTotal: decimal('10') });
  await shipments(
    { ...instance, organization: { ...instance.organization, id: within } },
    'zipnova',
    [parcel('S-1', { cost: decimal('129.42') })],
  );
  const { visitor } = await joined(instance, folder, team.organizacion, {
    by: team.owner,
    role: 'warehouse',
  });

  const seen = [];
  for (const by of [team.owner.visitor, visitor])
    for (const que of ['orders', 'shipments'])
      for (const formato of ['excel', 'xlsx']) {
        const sheets = await sheetsOf((await byPage(team, by, { que, formato })).body);
        const titles = sheets[0]?.rows[0]?.map(({ text }) => text) ?? [];
        const money = ['Comisiones', 'Retenciones', 'Neto para ti', 'Costo', 'fees_total', 'cost'];
        const told = sheets
          .flatMap(({ rows }) => rows.flat())
          .some(({ text }) => text === '129.42');
        seen.push([que, formato, titles.filter((title) => money.includes(title)).length, told]);
      }

  const lines = await Promise.all(
    [team.owner.visitor, visitor].map(async (by) => {
      const { body } = await byPage(team, by, { que: 'shipments', formato: 'ndjson' });
      return JSON.parse(body.toString());
    }),
  );

  assert.deepEqual(
    lines.map(({ id, cost }) => [id, cost]),
    [
      ['S-1', 129.42],
      ['S-1', undefined],
    ],
  );
  assert.deepEqual(seen, [
    ['orders', 'excel', 3, false],
    ['orders', 'xlsx', 1, false],
    ['shipments', 'excel', 1, true],
    ['shipments', 'xlsx', 1, true],
    ['orders', 'excel', 0, false],
    ['orders', 'xlsx', 0, false],
    ['shipments', 'excel', 0, false],
    ['shipments', 'xlsx', 0, false],
  ]);
});

test('the command writes it as well, with the same bytes each time', {
  tags: ['slow'],
}, async (t) => {
  const { team, order } = await aTeam('America/Mexico_City');
  const out = await mkdtemp(join(tmpdir(), 'tianguis-readable-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  await order({ id: 'A-1' });
  const written = async (name: string) => {
    const file = join(out, name);
    const which = ['--organization', team.organizacion, '--what', 'orders', '--format', 'excel'];
    const { code, stderr } = await runHere(['export', ...which, '--out', file], instance.env);
    assert.equal(code, 0, stderr);
    return readFile(file);
  };

  assert.deepEqual(await written('first.xlsx'), await written('second.xlsx'));
});

test('a text longer than a cell of Excel takes is cut, and the last sheet says so', async () => {
  const { team, order } = await aTeam('America/Mexico_City');
  const items = anOrder().items.flatMap((item) =>
    Array.from({ length: 400 }, (_, at) => ({ ...item, title: `${at} ${'taza '.repeat(20)}` })),
  );
  await order({ id: 'A-1', items });
  await order({ id: 'A-2' });
  const { body } = await byPage(team, team.owner.visitor, { que: 'orders' });
  const [sheet, about] = await sheetsOf(body);
  assert.ok(sheet && about);

  const longest = sheet.rows.flat().map(({ text }) => text.length);
  assert.equal(Math.max(...longest), 32_767);
  assert.ok(sheet.rows.flat().some(({ text }) => text.endsWith('…')));
  assert.deepEqual(factsOf(about.rows).at(-1), [
    'Celdas recortadas',
    '1. Excel admite hasta 32,767 caracteres en una celda: las más largas terminan en «…». En CSV vienen completas.',
  ]);
});

test('the last sheet says on how many sheets the rows are', () => {
  const reader = { organization: 'Luna', timezone: 'America/Tijuana' } as unknown as Reader;
  const about = (sheets: number) =>
    aboutRows({
      ...{
        what: 'orders',
        terms: WHOLE,
        asOf: '2026-11-15T12:00:00Z',
        columns: [],
        cut: 0,
        sheets,
      },
      ...{ rows: 1_048_576, reader: { ...reader, serialOf: () => '46341.5' } },
    });
  const rowsIn = (rows: ReturnType<typeof about>) => {
    const [, cell] = rows.find(([name]) => name && 'text' in name && name.text === 'Filas') ?? [];
    return cell && 'text' in cell ? cell.text : null;
  };

  assert.deepEqual(
    [rowsIn(about(1)), rowsIn(about(2))],
    ['1,048,576 órdenes', '1,048,576 órdenes, en 2 hojas, porque en una no caben'],
  );
});

test('beyond the rows of a sheet it goes on in another, whose name Excel takes', async () => {
  const bytes: Buffer[] = [];
  const name = TITLES.global_invoice;
  const look = lookOf([{ width: 10 }]);
  const workbook = openWorkbook(
    name,
    [{ text: 'Orden', form: 'head' }],
    async (part) => bytes.push(part),
    {
      ...{ look, mostRows: 3 },
    },
  );
  await workbook.addRows(Array.from({ length: 5 }, (_, at) => [{ text: `A-${at}` }]));
  await workbook.end();
  const sheets = await sheetsOf(Buffer.concat(bytes));

  assert.deepEqual(
    sheets.map((sheet) => [sheet.name, sheet.rows.length, /ref="(.*?)"/.exec(sheet.xml)?.[1]]),
    [
      [name, 3, 'A1:A3'],
      [`${name.slice(0, 29)} 2`, 3, 'A1:A3'],
      [`${name.slice(0, 29)} 3`, 2, 'A1:A2'],
    ],
  );
  assert.ok(sheets.every((sheet) => sheet.name.length <= 31));
});

async function aTeam(timezone: 'America/Tijuana' | 'America/Mexico_City') {
  const team = await openTeam(instance, folder);
  const { organizacion } = team;
  const plan = { organizationId: organizacion, plan: 'basico', quota: null } as const;
  await instance.app.database.write((handle) => changePlan(handle, instance.clock, plan));
  await instance.app.database
    .within(organizacion)
    .write((scope) => changeOrganization(scope, 'operator', { name: 'Papelería Sol', timezone }));
  const order = (given: Parameters<typeof anOrder>[0]) =>
    instance.record([anOrder(given)], organizacion);
  return { team, order, within: organizacion };
}

async function byPage(
  { organizacion }: { organizacion: string },
  visitor: Awaited<ReturnType<typeof openTeam>>['owner']['visitor'],
  form: Record<string, string>,
) {
  const id = newId();
  const usual = { formato: 'excel', desde: '', hasta: '' };
  const days = form.que === 'orders' && !form.formato ? DAYS : {};
  await visitor.post(PAGE, { organizacion, formulario: id, ...usual, ...days, ...form });
  await workOff(instance);
  const { to } = await visitor.get(
    `${PAGE}/archivo?organizacion=${organizacion}&exportacion=${id}`,
  );
  return download(instance.url, to);
}

const DAYS = { desde: '2026-11-14', hasta: '2026-11-15' };

async function byApi(
  shop: Awaited<ReturnType<typeof openApp>>,
  key: string,
  what: Exported,
): Promise<Buffer> {
  const asked = await callApi(
    shop.url,
    '/manage/v1/exports',
    {},
    {
      key,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ what, format: 'excel' }),
    },
  );
  assert.equal(asked.status, 202, asked.text);
  await workOff(shop);
  const { body } = await callApi(shop.url, `/manage/v1/exports/${asked.body.data.id}`, {}, { key });
  assert.deepEqual([body.data.state, body.data.format], ['done', 'excel']);
  return (await download(shop.url, body.data.file.url)).body;
}

async function download(base: string, url: string) {
  const { pathname } = new URL(url, base);
  const answer = await fetch(new URL(pathname, base));
  assert.equal(answer.status, 200);
  return { headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

const CODES: readonly string[] = [
  'import',
  ...[...ORDER_STATUSES, ...MARKETPLACES, ...CARRIERS, ...SHIPMENT_CATEGORIES],
  ...[...FINDING_KINDS, ...FINDING_STATES],
];

function isForPrograms(text: string): boolean {
  const isCode = CODES.includes(text) || /^[a-z]+(_[a-z]+)+$/.test(text);
  return isCode || /^[[{]|\d{4}-\d{2}-\d{2}|\b(true|false|null|undefined)\b|\[object/.test(text);
}

/** Days since the one that Excel counts as 0. */
function daysOf(local: string): string {
  const from = Temporal.PlainDateTime.from('1899-12-30');
  const seconds = from.until(local, { largestUnit: 'second' }).total('second');
  return (seconds / 86_400).toFixed(10).replace(/\.?0+$/, '');
}

function factsOf(rows: readonly (readonly SheetCell[])[]): (string | undefined)[][] {
  const end = rows.findIndex((row) => row.length === 0);
  return rows.slice(0, end).map((row) => row.map(({ text }) => text));
}

function aText(text: string, format: string): SheetCell {
  return { text, isNumber: false, format, isBold: false };
}

function aNumber(text: string, format: string): SheetCell {
  return { text, isNumber: true, format, isBold: false };
}
