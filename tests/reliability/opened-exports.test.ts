import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { changeOrganization } from '../../src/features/organizations/index.ts';
import { decimal } from '../../src/platform/money.ts';
import { anOrder, openApp } from '../support/app.ts';
import { runHere } from '../support/command.ts';
import { reportFigure } from './support/profile.ts';

// Exports as LibreOffice reads them; its package is libreoffice-calc-nogui.

const OFFICE = 'soffice';
const isMissing = spawnSync(OFFICE, ['--version']).error !== undefined;
const FORMULAS = ['=1+1', '+52 55 1234', '-5+2', '@SUM(A1)', '\t=1', '＝1', ' =2+2'];
/** Excel and LibreOffice round numbers of more than fifteen digits. */
const LONG_ID = '2000003508419013';
const ROWS = 300;
const OPTIONS: Readonly<Record<string, string[]>> = {
  // Comma, quote, UTF-8, from line 1, no formats of columns, any language, quoted = text.
  csv: ['--infilter=CSV:44,34,76,1,,0,true'],
  xlsx: [],
};

test('LibreOffice finds no formula, each row, numbers as numbers and long ids as texts', {
  skip: isMissing && 'LibreOffice is missing: apt-get install libreoffice-calc-nogui',
}, async (t) => {
  const instance = await openApp(t);
  const folder = await aFolder(t);
  const items = FORMULAS.flatMap((title) => anOrder().items.map((item) => ({ ...item, title })));
  const orders = Array.from({ length: ROWS - 1 }, (_, at) => anOrder({ id: `A-${at}`, items }));
  const last = anOrder({ id: LONG_ID, items, total: decimal('1234.50'), buyerName: '=cmd' });
  await instance.record([...orders, last]);

  for (const format of Object.keys(OPTIONS)) {
    const orderRows = await opened('orders', format);
    const itemRows = await opened('items', format);

    assert.deepEqual([orderRows.length, itemRows.length], [ROWS + 1, ROWS * FORMULAS.length + 1]);
    assert.deepEqual(
      [...orderRows, ...itemRows].flat().filter(({ formula }) => formula),
      [],
    );
    const order = orderRows.find((row) => row.some(({ text }) => text === LONG_ID)) ?? [];
    const column = (name: string) => orderRows[0]?.findIndex(({ text }) => text === name) ?? -1;
    assert.equal(order[column('id')]?.type, 'string');
    assert.deepEqual(order[column('total')], { type: 'float', value: '1234.5', text: '1234.5' });
    reportFigure(
      t,
      `LibreOffice reads ${orderRows.length + itemRows.length} rows of ${format}, 0 formulas`,
    );
  }

  async function opened(what: string, format: string): Promise<Cell[][]> {
    const file = join(folder, `${what}.${format}`);
    const reported = await runHere(
      [
        'export',
        '--organization',
        instance.organization.id,
        '--what',
        what,
        '--format',
        format,
      ].concat(['--out', file, '--json']),
      instance.env,
    );
    assert.equal(reported.code, 0, reported.stderr);
    return readByOffice(file, folder, OPTIONS[format] ?? []);
  }
});

test('LibreOffice reads the Excel for people: dates of the time zone, amounts, ids and no formula', {
  skip: isMissing && 'LibreOffice is missing: apt-get install libreoffice-calc-nogui',
}, async (t) => {
  const instance = await openApp(t);
  const folder = await aFolder(t);
  const { database } = instance.app;
  const { id } = instance.organization;
  const place = { name: 'Papelería Sol', timezone: 'America/Tijuana' } as const;
  await database.within(id).write((scope) => changeOrganization(scope, 'operator', place));
  const items = FORMULAS.flatMap((title) => anOrder().items.map((item) => ({ ...item, title })));
  const dateCreated = Temporal.Instant.from('2026-11-15T07:30:20Z');
  await instance.record([
    anOrder({ id: LONG_ID, items, dateCreated, total: decimal('1234.50'), buyerName: '=cmd' }),
  ]);

  const file = join(folder, 'orders.xlsx');
  const which = ['--organization', id, '--what', 'orders', '--format', 'excel'];
  const reported = await runHere(['export', ...which, '--out', file, '--json'], instance.env);
  assert.equal(reported.code, 0, reported.stderr);
  const [head = [], order = [], ...others] = await readByOffice(file, folder, []);
  const cellAt = (title: string) => order[head.findIndex(({ text }) => text === title)];

  assert.deepEqual(others, []);
  assert.deepEqual(
    [...head, ...order].filter(({ formula }) => formula),
    [],
  );
  assert.deepEqual(
    [cellAt('Fecha')?.type, cellAt('Fecha')?.date, cellAt('Fecha')?.text],
    ['date', '2026-11-14T23:30:20', '14/11/2026 23:30'],
  );
  assert.deepEqual([cellAt('Orden')?.type, cellAt('Orden')?.text], ['string', LONG_ID]);
  assert.deepEqual(
    [cellAt('Total')?.type, cellAt('Total')?.value, cellAt('Total')?.text],
    ['float', '1234.5', '1,234.50'],
  );
  const titles = head.filter(({ text }) => text !== '');
  reportFigure(t, `LibreOffice reads ${titles.length} columns of an order, 0 formulas`);
});

interface Cell {
  readonly type: string | undefined;
  readonly value: string | undefined;
  readonly date?: string;
  readonly text: string;
  readonly formula?: string;
}

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-office-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The cells of the first sheet, by its form as one XML document. */
async function readByOffice(file: string, folder: string, options: string[]): Promise<Cell[][]> {
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const to = ['--convert-to', 'fods', '--outdir', folder, file];
  await promisify(execFile)(OFFICE, [profile, '--headless', ...options, ...to]);
  const xml = await readFile(file.replace(/\.\w+$/, '.fods'), 'utf8');
  const [, sheet = ''] = /<table:table [^>]*>(.*?)<\/table:table>/s.exec(xml) ?? [];
  return [...sheet.matchAll(/<table:table-row([^>]*)>(.*?)<\/table:table-row>/gs)]
    .flatMap(([, attributes = '', row = '']) => repeated(attributes, 'rows', cellsOf(row)))
    .filter((row) => row.some(({ text }) => text !== ''));
}

function cellsOf(row: string): Cell[] {
  const cells = row.matchAll(/<table:table-cell\b([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs);
  return [...cells].flatMap(([, attributes = '', content = '']) => {
    const formula = attributeOf(attributes, 'table:formula');
    const date = attributeOf(attributes, 'office:date-value');
    const cell = {
      type: attributeOf(attributes, 'office:value-type'),
      value: attributeOf(attributes, 'office:value'),
      text: textOf(content),
      ...(date === undefined ? {} : { date }),
      ...(formula === undefined ? {} : { formula }),
    };
    return repeated(attributes, 'columns', cell);
  });
}

function textOf(content: string): string {
  const lines = content.matchAll(/<text:p>(.*?)<\/text:p>/gs);
  return [...lines].map(([, line = '']) => line.replace(/<[^>]*>/g, '')).join('\n');
}

function repeated<T>(attributes: string, what: string, one: T): T[] {
  const times = Number(attributeOf(attributes, `table:number-${what}-repeated`) ?? 1);
  // The empty rest of a sheet is one cell, repeated to its edge.
  return Array.from({ length: Math.min(times, ROWS * FORMULAS.length) }, () => one);
}

function attributeOf(attributes: string, name: string): string | undefined {
  return new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
}
