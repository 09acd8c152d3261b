import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Marketplace, SourceMovement } from '../src/connectors/contract.ts';
import { recordCfdis } from '../src/features/cfdi/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { changeOrganization, type TIMEZONES } from '../src/features/organizations/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { aCertificate, folioOf } from './support/cfdi-files.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';
import { readCfdi } from './support/read-cfdi.ts';

// What a marketplace's sum of withheld taxes is made of, as the panel reads it.

const OCTOBER = '2026-10';
const { instance, folder } = await openMailingInstance(WHOLE_FILE);
let team: Team;

before(async () => {
  team = await openTeam(instance, folder);
  await moveTo('America/Mexico_City');
  await withhold('amazon', 'A1', [
    // The last hour of October in Mexico is in November by UTC.
    ['a1', 'isr', '-5.00', '2026-11-01T05:30:00Z', 'O-1'],
    ['a2', 'iva', '-16.08', '2026-10-02T00:00:00Z', 'O-1'],
    // November in Mexico City, and the last hour of October in Tijuana.
    ['a3', 'isr', '-9.99', '2026-11-01T06:30:00Z', 'O-1'],
    ['a4', 'commission', '-70.00', '2026-10-02T00:00:00Z', 'O-1'],
    ['a5', 'withheld', '-3.10', '2026-10-10T00:00:00Z', null, 'TaxA'],
    ['a6', 'withheld', '0.10', '2026-10-11T00:00:00Z', null, 'TaxA'],
    ['a7', 'withheld', '-0.40', '2026-10-10T00:00:00Z', null, 'TaxB'],
    ['c1', 'isr', '-7.00', '2026-10-09T00:00:00Z', 'O-2'],
    ['c2', 'isr', '-2.00', '2026-10-07T00:00:00Z', 'O-3'],
    // The first instant of October in Mexico City, and the one before.
    ['a8', 'iva', '-1.11', '2026-10-01T06:00:00Z', 'O-4'],
    ['a9', 'iva', '-1.13', '2026-10-01T05:59:59.999999Z', 'O-4'],
  ]);
  // Told otherwise later: another amount and time, and another month.
  await withhold('amazon', 'A1', [
    ['c1', 'isr', '-7.50', '2026-10-06T00:00:00Z', 'O-2'],
    ['c2', 'isr', '-2.00', '2026-11-07T00:00:00Z', 'O-3'],
  ]);
  await withhold('amazon', 'A2', [['b1', 'isr', '-1.25', '2026-10-15T00:00:00Z', 'O-1']]);
  await withhold('amazon', 'A3', [['u1', 'isr', '-99', '2026-10-15T00:00:00Z', 'O-1']], 'USD');
  await withhold('mercado_libre', 'M1', [
    ['m1', 'isr', '-2.50', '2026-10-15T00:00:00Z', 'O-1'],
    ['m2', 'iva', '-8.00', '2026-10-15T00:00:00Z', 'O-1'],
    ['m3', 'iva', '-0.30', '2026-09-15T00:00:00Z', 'O-9'],
  ]);
  // A tax that became the other one: the sum of the month is 0.
  await withhold('walmart', 'W1', [
    ['w1', 'isr', '-4.00', '2026-09-15T00:00:00Z', 'O-1'],
    ['w2', 'iva', '4.00', '2026-09-15T00:00:00Z', 'O-1'],
  ]);
  const months = aCertificate({ uuid: folioOf(7) }).replace('MesIni="10"', 'MesIni="09"');
  await instance.app.database
    .within(team.organizacion)
    .write((scope) => recordCfdis(scope, 'upload', [readCfdi(Buffer.from(months))], []));
});

test('a line has the taxes of an order in an account, without what was taken back', async () => {
  assert.deepEqual(shown(await linesOf(OCTOBER, 'amazon')), [
    ['A1', null, 'TaxA', 0, 0, 3, '2026-10-11T00:00:00.000Z'],
    ['A1', null, 'TaxB', 0, 0, 0.4, '2026-10-10T00:00:00.000Z'],
    ['A1', 'O-1', null, 5, 16.08, 0, '2026-11-01T05:30:00.000Z'],
    ['A1', 'O-2', null, 7.5, 0, 0, '2026-10-06T00:00:00.000Z'],
    ['A1', 'O-4', null, 0, 1.11, 0, '2026-10-01T06:00:00.000Z'],
    ['A2', 'O-1', null, 1.25, 0, 0, '2026-10-15T00:00:00.000Z'],
  ]);
  assert.deepEqual(shown(await linesOf('2026-09', 'walmart')), [
    ['W1', 'O-1', null, 4, -4, 0, '2026-09-15T00:00:00.000Z'],
  ]);
});

for (const [timezone, count] of [
  ['America/Mexico_City', 9],
  ['America/Tijuana', 9],
  // All that Amazon withheld in September is in October there.
  ['America/Cancun', 8],
] as const)
  test(`the lines of each marketplace and period add up to its sums in ${timezone}`, async () => {
    await moveTo(timezone);
    const { data } = await read('withheld.list');
    const periods = (data as Period[]).map(({ period }) => period);
    assert.deepEqual(periods, ['2026-11', OCTOBER, '2026-09/2026-10', '2026-09']);
    let sums = 0;
    for (const { period, ledger } of data as Period[])
      for (const { marketplace, ...sum } of ledger) {
        const lines = await linesOf(period, marketplace);
        assert.deepEqual(added(lines), inCents(sum), `${period} ${marketplace}`);
        sums += 1;
      }
    assert.equal(sums, count);
    await moveTo('America/Mexico_City');
  });

test('pages have each line once, whatever their length, and new movements double none', async () => {
  const whole = await linesOf('2026-09/2026-10', 'amazon');
  for (const limit of [1, 2, 5])
    assert.deepEqual(await linesOf('2026-09/2026-10', 'amazon', limit), whole, `by ${limit}`);

  const query = { period: OCTOBER, marketplace: 'mercado_libre', limit: '1' };
  await withhold('mercado_libre', 'M2', [['n1', 'isr', '-1', '2026-10-20T00:00:00Z', 'O-5']]);
  const first = await read('withheld.lines', query);
  await withhold('mercado_libre', 'M1', [['n2', 'isr', '-1', '2026-10-20T00:00:00Z', 'O-0']]);
  const rest = await read('withheld.lines', { ...query, cursor: first.next_cursor });
  assert.deepEqual(
    [...first.data, ...rest.data].map(({ account_id, order_id }: Line) => [account_id, order_id]),
    [
      ['M1', 'O-1'],
      ['M2', 'O-5'],
    ],
  );
  assert.equal(rest.next_cursor, null);
  const other = { ...query, marketplace: 'amazon', cursor: first.next_cursor };
  assert.deepEqual(await refused(team.owner, other), [
    400,
    'invalid_cursor',
    'El cursor se hizo con otros filtros. Repite los mismos u omítelos.',
  ]);
});

test('what is no period is refused', async () => {
  for (const period of ['2026-13', '2026-1', '2026-10/', '2026-10/2026-09', '0000-01', 'octubre'])
    assert.deepEqual(
      await refused(team.owner, { period, marketplace: 'amazon' }),
      [
        400,
        'invalid_request',
        'El parámetro period debe ser un mes, como 2026-10, o el primero y el último de varios, como 2026-10/2026-12.',
      ],
      period,
    );
});

test('a role that does not see money and another organisation get nothing', async () => {
  const worker = await team.join('warehouse');
  const [status, code, message] = await refused(worker, {
    ...{ period: OCTOBER, marketplace: 'amazon' },
  });
  assert.deepEqual([status, code], [403, 'insufficient_role']);
  assert.match(String(message), /^Tu rol/);
  const stranger = await openTeam(instance, folder);
  const { data } = await read(
    'withheld.lines',
    { period: OCTOBER, marketplace: 'amazon' },
    stranger,
  );
  assert.deepEqual(data, []);
});

// Arrangement

interface Taxes {
  readonly isr: number;
  readonly iva: number;
  readonly unnamed: number;
}
interface Line extends Taxes {
  readonly account_id: string;
  readonly order_id: string | null;
  readonly native_type: string | null;
  readonly total: number;
  readonly last_at: string;
}
interface Period {
  readonly period: string;
  readonly ledger: readonly (Taxes & { readonly marketplace: Marketplace })[];
}
type Moved = readonly [
  key: string,
  kind: SourceMovement['kind'],
  amount: string,
  at: string,
  orderId: string | null,
  nativeType?: string,
];

function withhold(
  marketplace: Marketplace,
  accountId: string,
  moved: readonly Moved[],
  currency = 'MXN',
) {
  const movements = moved.map(([key, kind, amount, at, orderId, nativeType = kind]) => ({
    ...{ key, kind, amount: decimal(amount), currency, at: Temporal.Instant.from(at) },
    ...{ nativeType, orderId, payoutId: null, isOpen: false },
  }));
  const ledger = { id: '1', report: 'transactions', covers: null, changedAt: null, opening: null };
  const source = { marketplace, accountId, connectionId: newId() };
  return instance.app.database
    .within(team.organizacion)
    .write((scope) => recordLedgers(scope, source, [{ ...ledger, movements }]));
}

function moveTo(timezone: (typeof TIMEZONES)[number]) {
  return instance.app.database
    .within(team.organizacion)
    .write((scope) => changeOrganization(scope, 'operator', { name: 'Norte', timezone }));
}

async function read(name: string, query: Record<string, string> = {}, of = team) {
  const path = `/panel/api/${of.organizacion}/${name}?${new URLSearchParams(query)}`;
  const { status, text } = await of.owner.visitor.get(path);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function refused({ visitor }: Team['owner'], query: Record<string, string>) {
  const path = `/panel/api/${team.organizacion}/withheld.lines?${new URLSearchParams(query)}`;
  const { status, text } = await visitor.get(path);
  const { code, message } = JSON.parse(text).error;
  return [status, code, message];
}

async function linesOf(period: string, marketplace: string, limit = 100): Promise<Line[]> {
  const lines: Line[] = [];
  let cursor: string | null = null;
  do {
    const page = await read('withheld.lines', {
      ...{ period, marketplace, limit: String(limit) },
      ...(cursor !== null && { cursor }),
    });
    assert.ok(page.data.length <= limit);
    lines.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return lines;
}

function shown(lines: readonly Line[]) {
  return lines.map((line) => {
    assert.equal(cents(line.total), cents(line.isr) + cents(line.iva) + cents(line.unnamed));
    const { account_id, order_id, native_type, isr, iva, unnamed, last_at } = line;
    return [account_id, order_id, native_type, isr, iva, unnamed, last_at];
  });
}

function added(lines: readonly Taxes[]): Taxes {
  const of = (tax: keyof Taxes) => lines.reduce((sum, line) => sum + cents(line[tax]), 0);
  return { isr: of('isr'), iva: of('iva'), unnamed: of('unnamed') };
}

function inCents({ isr, iva, unnamed }: Taxes): Taxes {
  return { isr: cents(isr), iva: cents(iva), unnamed: cents(unnamed) };
}

function cents(amount: number): number {
  return Math.round(amount * 100);
}
