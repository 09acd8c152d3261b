import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import type { SourceMovement } from '../src/connectors/contract.ts';
import { getBalancesTool } from '../src/entrances/mcp/tools/get-balances.ts';
import { listShipmentsTool } from '../src/entrances/mcp/tools/list-shipments.ts';
import { recordBalances, recordSettlements } from '../src/features/balances/index.ts';
import type { Exported } from '../src/features/exports/exports.ts';
import type { FormatName } from '../src/features/exports/formats.ts';
import { type ExportTerms, WHOLE as WHOLE_TERMS } from '../src/features/exports/terms.ts';
import { openWorkbook } from '../src/features/exports/workbook.ts';
import { writeExport } from '../src/features/exports/write-export.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { changeOrganization } from '../src/features/organizations/index.ts';
import { recordShipments } from '../src/features/shipments/index.ts';
import { keepSnapshot, letGo, shareSnapshot } from '../src/platform/db/snapshot-keeper.ts';
import { decimal } from '../src/platform/money.ts';
import { eventually } from './reliability/support/processes.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, openApp } from './support/app.ts';
import { untickedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { parcel } from './support/read-rows.ts';
import { call } from './support/reading.ts';
import { atDatabase, ownDatabase } from './support/server.ts';
import { aPayout } from './support/settlement.ts';

// What an organisation has, written to files by `export`.
// Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE, { clock: untickedClock });
const folder = await mkdtemp(join(tmpdir(), 'tianguis-exports-'));
WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true }));

const SOURCE = {
  carrier: 'zipnova',
  accountId: '77',
  connectionId: '019a0000-0000-7000-8000-000000000001',
} as const;
const PURSE = {
  service: 'mercado_libre',
  accountId: '468424240',
  connectionId: SOURCE.connectionId,
} as const;
const TITLES = ['=1+1', '+52 55', '-5', '@SUM(A1)', '\t=1', '＝1', 'Taza "azul", 2\nlíneas'];
const items = TITLES.flatMap((title) =>
  anOrder().items.map((item) => ({ ...item, title, unitPrice: decimal('12345678901234.10') })),
);

await instance.record([
  anOrder({ id: 'A-1', items, total: decimal('0.10'), buyerName: 'Ñandú Pérez' }),
  anOrder({ id: 'A-2', status: 'cancelled', total: null }),
]);
await instance.record([anOrder({ id: 'A-2', status: 'paid', total: decimal('5') })]);
await instance.app.database.within(instance.organization.id).write(async (scope) => {
  const balance = { purse: '', currency: 'MXN', available: decimal('10.50'), pending: null };
  const taken = { asOf: instance.clock.now(), isDerived: false };
  await recordBalances(scope, PURSE, [{ ...balance, ...taken }], { announce: false });
  await recordShipments(scope, SOURCE, [parcel('S-1', { trackingNumber: '=2+2', packages: [] })], {
    announce: false,
    listeners: [],
  });
});

test('ndjson has each order as the API shows it, as of the instant that the API returns', {
  tags: ['slow'],
}, async () => {
  const { reported, text, file } = await exported('orders', 'ndjson');
  const { body } = await instance.api('/v1/orders');
  const details = await Promise.all(
    ['A-1', 'A-2'].map(async (id) => (await instance.api(`/v1/orders/${id}`)).body.data),
  );

  assert.deepEqual(linesOf(text), details);
  assert.deepEqual(reported, {
    rows: 2,
    bytes: Buffer.byteLength(text),
    as_of: body.meta.as_of,
  });
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('csv has a column for each value, and neither a formula nor a rounded amount', {
  tags: ['slow'],
}, async () => {
  const { reported, text } = await exported('items', 'csv');
  const [head, ...rows] = tableOf(text);

  assert.ok(text.startsWith('\ufeff'));
  assert.deepEqual(head?.slice(0, 7), [
    'marketplace',
    'account_id',
    'order_id',
    'order_status',
    'date_created',
    'currency',
    'line',
  ]);
  const own = rows.map((row) => Object.fromEntries(row.map((cell, at) => [head?.[at], cell])));
  assert.deepEqual(
    own.filter((row) => row.order_id === 'A-1').map((row) => row['item.title']),
    ["'=1+1", "'+52 55", "'-5", "'@SUM(A1)", "'\t=1", "'＝1", TITLES.at(-1)],
  );
  assert.equal(own[0]?.['item.unit_price'], '12345678901234.10');
  assert.equal(own[0]?.line, '1');
  assert.ok(text.includes(',"468424240",'), 'an id of digits is quoted');
  assert.equal(reported.rows, rows.length);
  assert.ok(rows.every((row) => row.length === head?.length));
});

test('csv leaves what is not known empty, and shows lists as they are in the API', async () => {
  const { text } = await exported('orders', 'csv');
  const [head = [], ...rows] = tableOf(text);
  const cellOf = (row: string[] | undefined, name: string) => row?.[head.indexOf(name)];

  assert.equal(cellOf(rows[0], 'total'), '0.10');
  assert.equal(cellOf(rows[0], 'buyer_name'), 'Ñandú P.');
  assert.equal(cellOf(rows[0], 'pack.id'), '');
  const { data } = (await instance.api('/v1/orders/A-2')).body;
  assert.deepEqual(JSON.parse(cellOf(rows[1], 'status_history') ?? ''), data.status_history);
});

test('xlsx has the cells of csv, and no formula among them', async () => {
  const { reported, file } = await exported('items', 'xlsx');
  const sheet = partOf(await readFile(file), 'xl/worksheets/sheet1.xml');
  const table = tableOf((await exported('items', 'csv')).text);

  assert.equal(reported.rows, table.length - 1);
  assert.doesNotMatch(sheet, /<f[ >]/);
  const rows = [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row = '']) => cellsOf(row));
  const bare = table.map((row) => row.map((cell) => cell.replace(/^'/, '')));
  assert.deepEqual(
    rows.map((row) => row.map(({ text }) => text)),
    bare,
  );
  const title = rows[0]?.findIndex(({ text }) => text === 'item.title') ?? -1;
  assert.deepEqual(
    rows.slice(1, 8).map((row) => row[title]?.style),
    ['1', '1', '1', '1', '1', '1', undefined],
  );
  const kinds = rows[1]?.flatMap(({ kind, text }) => (text === '1' ? [kind] : []));
  assert.equal(kinds?.[0], 'number');
});

test('a workbook is the same each time, and goes on in another sheet', async () => {
  const [first, again] = [await aWorkbook(), await aWorkbook()];

  assert.deepEqual(first, again);
  const sheets = ['sheet1', 'sheet2'].map((name) => partOf(first, `xl/worksheets/${name}.xml`));
  assert.deepEqual(
    sheets.map((sheet) => [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row]) => row)),
    [
      [HEAD, '<c><v>0.10</v></c>', aText('12345678901234.10')],
      [HEAD, aText('a_x005F_x0041_ &amp; &lt;b&gt;_x0000_\n_x000D_')],
    ],
  );
  assert.match(partOf(first, 'xl/workbook.xml'), /"orders".*"orders 2"/);
});

test('the styles of a workbook are as ECMA-376 has them, which readers of programs hold to', async () => {
  const styles = partOf(await aWorkbook(), 'xl/styles.xml');

  const fills = [...styles.matchAll(/<fill>(.*?)<\/fill>/g)].map(([, fill]) => fill);
  assert.doesNotMatch(styles, /<fill\/>/);
  assert.deepEqual(fills, [
    '<patternFill patternType="none"/>',
    '<patternFill patternType="gray125"/>',
  ]);
  for (const [, group = '', count, inner = ''] of styles.matchAll(
    /<(\w+) count="(\d+)">(.*?)<\/\1>/g,
  ))
    assert.equal(
      inner.match(/<(font|fill|border|xf|cellStyle)[ />]/g)?.length,
      Number(count),
      group,
    );
});

test('a workbook that cannot be written is refused, and not waited for', async () => {
  const full = new Error('full');
  const workbook = openWorkbook('orders', [], () => Promise.reject(full));
  const rows = Array.from({ length: 50_000 }, () => [{ text: randomUUID() }]);
  await assert.rejects(async () => {
    await workbook.addRows(rows);
    await workbook.end();
  }, full);
});

test('sales, balances and shipments are what agents are shown', { tags: ['slow'] }, async () => {
  const all = await call(instance, listShipmentsTool, { fields: 'full' });
  const purses = await call(instance, getBalancesTool, {});
  const [shipments, balances, sales] = [
    await exported('shipments', 'ndjson'),
    await exported('balances', 'ndjson'),
    await exported('sales', 'ndjson'),
  ];

  assert.equal(all.data.length, 1);
  assert.deepEqual(linesOf(shipments.text), all.data);
  // An export has the balances, and payouts are a list of their own.
  const shown = purses.data.map(({ missing: _, last_payout: __, ...purse }) => purse);
  assert.deepEqual(linesOf(balances.text), shown);
  const [day, ...others] = linesOf(sales.text) as Record<string, unknown>[];
  assert.deepEqual(others, []);
  assert.deepEqual([day?.day, day?.currency, day?.orders, day?.gross], [DAY, 'MXN', 2, 5.1]);
});

test('findings of every state and withheld taxes are exported', { tags: ['slow'] }, async () => {
  const { organization } = await instance.tenant();
  const add = (state: string, subject: string) =>
    instance.app.database.write((handle) =>
      handle.sql(
        `insert into findings (organization_id, id, marketplace, account_id, kind, subject, state, amount, currency, since, found_at, changed_at, note)
         values ($1, $2, 'amazon', 'A', 'order_unpaid', $3, $4, 232.10, 'MXN', $5, $5, $5, '=1+1')`,
        [organization.id, randomUUID(), subject, state, '2026-11-01T00:00:00Z'],
      ),
    );
  for (const [index, state] of ['open', 'explained', 'resolved'].entries())
    await add(state, `702-${index}`);
  for (let count = 0; count < 100; count++) await add('open', `703-${count}`);

  const findings = await exported('findings', 'ndjson', organization.id);
  const rows = linesOf(findings.text) as Record<string, unknown>[];
  assert.equal(new Set(rows.map(({ subject }) => subject)).size, 103);
  assert.deepEqual([rows[0]?.amount, rows[0]?.expected, rows[0]?.note], [232.1, null, '=1+1']);
  const states = Map.groupBy(rows, ({ state }) => state);
  assert.deepEqual([states.get('explained')?.length, states.get('resolved')?.length], [1, 1]);
  const csv = await exported('findings', 'csv', organization.id);
  assert.doesNotMatch(csv.text, /(^|,)=1/m);
  const withheld = await exported('withheld', 'ndjson', organization.id);
  assert.deepEqual(linesOf(withheld.text), []);
});

test('orders without a CFDI are exported from the first one on, page by page', async () => {
  const { organization } = await instance.tenant();
  const orders = Array.from({ length: 101 }, (_, at) =>
    anOrder({
      ...{ id: idOf(at), status: 'paid', total: decimal('5') },
      dateCreated: Temporal.Instant.from('2020-01-01T00:00:00Z').add({ hours: at }),
    }),
  );
  await instance.record(orders, organization.id);
  for (const what of ['uninvoiced', 'global_invoice']) {
    const { text } = await exported(what, 'ndjson', organization.id);
    assert.deepEqual(
      linesOf(text).map((row) => (row as { order_id: string }).order_id),
      orders.map(({ id }) => id).reverse(),
      what,
    );
  }
});

test('withheld taxes are exported by the months of the organisation, as its page shows them', async () => {
  const { organization } = await instance.tenant();
  const source = { marketplace: 'amazon', accountId: 'A1', connectionId: randomUUID() } as const;
  const ledger = { id: '1', report: 'transactions', covers: null, changedAt: null, opening: null };
  const isr: SourceMovement = {
    ...{ key: '1', kind: 'isr', amount: decimal('-5.00'), currency: 'MXN', nativeType: 'ISR' },
    // 23:30 of the last day of October in Tijuana, and November in Mexico City.
    ...{ at: Temporal.Instant.from('2026-11-01T06:30:00Z'), orderId: null, payoutId: null },
    isOpen: false,
  };
  await instance.app.database.within(organization.id).write(async (scope) => {
    await changeOrganization(scope, 'operator', { name: 'Norte', timezone: 'America/Tijuana' });
    await recordLedgers(scope, source, [{ ...ledger, movements: [isr] }]);
  });
  const { text } = await exported('withheld', 'ndjson', organization.id);
  assert.deepEqual(
    linesOf(text).map((row) => (row as { period: string }).period),
    ['2026-10'],
  );
});

test('what withheld taxes are made of is exported: of some days and one marketplace, or all', {
  tags: ['slow'],
}, async () => {
  const { organization } = await instance.tenant();
  const ledger = { id: '1', report: 'transactions', covers: null, changedAt: null, opening: null };
  const isr = (orderId: string, at = '2026-10-10T18:00:00Z'): SourceMovement => ({
    ...{ key: orderId, kind: 'isr', amount: decimal('-0.10'), currency: 'MXN', nativeType: 'ISR' },
    ...{ at: Temporal.Instant.from(at), orderId, payoutId: null, isOpen: false },
  });
  const orders = Array.from({ length: 1_001 }, (_, at) => isr(idOf(at)));
  // 23:30 of the last day of October in Mexico City, and the next hour.
  const edges = [isr('last', '2026-11-01T05:30:00Z'), isr('next', '2026-11-01T06:30:00Z')];
  await instance.app.database.within(organization.id).write(async (scope) => {
    for (const [marketplace, movements] of [
      ['amazon', orders],
      ['walmart', edges],
    ] as const) {
      const source = { marketplace, accountId: 'A1', connectionId: randomUUID() };
      await recordLedgers(scope, source, [{ ...ledger, movements }]);
    }
  });
  const rowsOf = async (given: object) => {
    const terms = { ...WHOLE_TERMS, ...given };
    const name = 'withheld-lines.ndjson';
    const { text } = await write(organization.id, name, () => {}, {
      what: 'withheld_lines',
      terms,
    });
    return linesOf(text) as Record<string, unknown>[];
  };

  const all = await rowsOf({});
  assert.equal(new Set(all.map(({ order_id }) => order_id)).size, 1_003);
  assert.equal(all.length, 1_003);
  const days = { from: '2026-10-01', to: '2026-10-31' };
  assert.deepEqual(await rowsOf({ ...days, marketplace: 'walmart' }), [
    {
      ...{ marketplace: 'walmart', account_id: 'A1', order_id: 'last', native_type: null },
      ...{ last_at: '2026-11-01T05:30:00.000Z', isr: 0.1, iva: 0, unnamed: 0, total: 0.1 },
    },
  ]);
  assert.equal((await rowsOf(days)).length, 1_002);
});

test('payouts and what each is made of are exported, and add up to the cent', {
  tags: ['slow'],
}, async () => {
  const { organization } = await instance.tenant();
  const source = { marketplace: 'shopify', accountId: 'S', connectionId: randomUUID() } as const;
  const paidAt = Temporal.Instant.from('2026-11-10T18:00:00Z');
  const moved = (key: string, kind: SourceMovement['kind'], amount: string, orderId: string) => ({
    ...{ key, kind, amount: decimal(amount), currency: 'MXN', nativeType: '=1+1', at: paidAt },
    ...{ orderId: orderId || null, payoutId: 'P-1', isOpen: false },
  });
  const orders = Array.from({ length: 1_001 }, (_, at) =>
    moved(`o${at}`, 'sale', '1.10', idOf(at)),
  );
  const fees = [moved('f0', 'commission', '-0.35', idOf(0)), moved('f1', 'other_fee', '-2', '')];
  const ledger = { id: '1', report: 'balance', covers: null, changedAt: null, opening: null };
  const payout = (id: string, net: string, at: string) =>
    aPayout(id, net, Temporal.Instant.from(at));
  await instance.app.database.within(organization.id).write(async (scope) => {
    await changeOrganization(scope, 'operator', { name: 'Sur', timezone: 'America/Tijuana' });
    const payouts = [
      payout('P-1', '1098.75', paidAt.toString()),
      // 23:30 in Tijuana.
      payout('P-0', '10', '2026-11-10T07:30:00Z'),
    ];
    await recordSettlements(scope, source, payouts, { announce: false });
    await recordLedgers(scope, source, [{ ...ledger, movements: [...orders, ...fees] }]);
  });

  const payouts = await exported('payouts', 'ndjson', organization.id);
  const lines = await exported('payout_lines', 'ndjson', organization.id);
  const csv = await exported('payout_lines', 'csv', organization.id);
  const terms = { ...WHOLE_TERMS, from: '2026-11-10' };
  const later = await write(organization.id, 'later.csv', () => {}, { what: 'payouts', terms });

  assert.deepEqual(
    linesOf(payouts.text).map((row) => {
      const { id, net, difference } = row as Record<string, unknown>;
      return [id, net, difference];
    }),
    [
      ['P-1', 1098.75, 0],
      ['P-0', 10, null],
    ],
  );
  const rows = linesOf(lines.text) as Record<string, unknown>[];
  assert.equal(rows.length, 1_002);
  const { paid_at: _, ...first } = rows[0] ?? {};
  assert.deepEqual(first, {
    ...{ marketplace: 'shopify', account_id: 'S', payout_id: 'P-1', currency: 'MXN' },
    ...{ order_id: null, kind: 'other_fee', native_type: '=1+1' },
    ...{ sold: 0, refunded: 0, fees: 2, withheld: 0, other: 0, net: -2 },
  });
  const cents = rows.map(({ net }) => Math.round(Number(net) * 100));
  assert.equal(
    cents.reduce((sum, net) => sum + net, 0),
    109_875,
  );
  assert.equal(new Set(rows.map(({ order_id }) => order_id)).size, 1_002);
  assert.doesNotMatch(csv.text, /(^|,)"?=1/m);
  assert.match(later.text, /P-1/);
  assert.doesNotMatch(later.text, /P-0/);
});

test('another organisation gives nothing of this one', async () => {
  const { organization } = await instance.tenant();
  const { reported, text } = await exported('orders', 'ndjson', organization.id);
  assert.deepEqual([reported.rows, reported.bytes, text], [0, 0, '']);
});

test('what changes while a file is written is not in it', { tags: ['slow'] }, async () => {
  const many = await manyOrders();
  let changed = false;
  const first = await write(many, 'moment.ndjson', async () => {
    if (changed) return;
    changed = true;
    const last = anOrder({ id: idOf(MANY - 1), status: 'cancelled' });
    await instance.record([last, anOrder({ id: 'Z-NEW' })], many);
  });
  const second = await write(many, 'later.ndjson', () => {});

  assert.equal(changed, true);
  assert.equal(first.rows, MANY);
  assert.equal((linesOf(first.text).at(-1) as { status: string }).status, 'paid');
  assert.equal(second.rows, MANY + 1);
  assert.ok(second.asOf > first.asOf);
});

test('an export that was cut off goes on, and has the bytes of one that was not', {
  tags: ['slow'],
}, async () => {
  const many = await manyOrders();
  const whole = await write(many, 'whole.csv', () => {});
  await cutOff(many, 'cut.csv');
  assert.deepEqual(await filesLike('cut.csv'), ['cut.csv.part', 'cut.csv.part.json']);

  const seen: number[] = [];
  const again = await write(many, 'cut.csv', (rows) => void seen.push(rows));

  assert.ok((seen[0] ?? 0) > 2_000, `began anew: ${seen[0]}`);
  assert.deepEqual(again, whole);
  assert.deepEqual(await filesLike('cut.csv'), ['cut.csv']);
});

test('after changes a cut export has the bytes of its first moment, also twice cut', {
  tags: ['slow'],
}, async () => {
  const many = await manyOrders();
  for (const format of ['csv', 'xlsx', 'excel']) {
    const whole = await write(many, `first.${format}`, () => {});
    for (const status of ['cancelled', 'delivered'] as const) {
      await cutOff(many, `stale.${format}`);
      const changed = [0, MANY - 1].map((at) => anOrder({ id: idOf(at), status }));
      await instance.record(changed, many);
    }

    assert.deepEqual(await write(many, `stale.${format}`, () => {}), whole);
    assert.notDeepEqual(await write(many, `fresh.${format}`, () => {}), whole);
  }
  await snapshotsAre(0);
});

test('a cut export begins anew where its moment is no longer kept', {
  tags: ['slow'],
}, async () => {
  const many = await manyOrders();
  await cutOff(many, 'gone.csv');
  await instance.record([anOrder({ id: idOf(0), status: 'cancelled' })], many);
  await snapshotsAre(1);
  await onKeepers('pg_terminate_backend(pid, 5000)');

  const again = await write(many, 'gone.csv', () => {});
  assert.deepEqual(again, await write(many, 'anew.csv', () => {}));
});

test('a snapshot ends with its export also where its keeper has not begun to sleep yet', async () => {
  const database = await ownDatabase();
  await atDatabase(database, (keeper) =>
    atDatabase(database, async (reader) => {
      const ended = Promise.withResolvers<unknown>();
      const inTime = pause(5_000, null, { ref: false });
      const isCancelled = assert.rejects(Promise.race([ended.promise, inTime]), { code: '57014' });
      const query = (text: string) => {
        if (!text.startsWith('do')) return keeper.query(text);
        const late = pause(200).then(() => keeper.query(text));
        ended.resolve(late);
        return late;
      };
      const snapshot = await keepSnapshot(Object.assign(Object.create(keeper), { query }));
      assert.ok(await shareSnapshot(reader, snapshot, 'begin isolation level repeatable read'));

      await letGo(reader, snapshot);

      await isCancelled;
    }),
  );
});

test('what cannot be written is reported in words', async () => {
  const held = join(folder, 'held.csv');
  const lock = { kind: 'export', subject: held } as const;
  const refused = await instance.app.database.locks.holding(lock, () => run('orders', 'csv', held));
  const others = [
    await run('stars', 'csv', join(folder, 'a')),
    await run('orders', 'pdf', join(folder, 'a')),
    await run('orders', 'csv', join(folder, 'none', 'a')),
    await run('orders', 'csv', folder),
  ];

  const reported = [refused, ...others].map(({ json }) => json.error.message);
  assert.deepEqual(reported, [
    'Otra exportación está escribiendo ese archivo.',
    '--what debe ser uno de: orders, items, sales, balances, shipments, payouts, payout_lines, findings, withheld, withheld_lines, uninvoiced, global_invoice.',
    '--format debe ser uno de: ndjson, csv, xlsx, excel.',
    `No existe la carpeta ${join(folder, 'none')}.`,
    `${folder} es una carpeta; indica un archivo.`,
  ]);
});

const DAY = '2026-11-15';
/** Some pages more than are between two notes. */
const MANY = 2_600;

function idOf(at: number): string {
  return `M-${String(at).padStart(5, '0')}`;
}

/** A new organisation with so many orders. */
async function manyOrders(): Promise<string> {
  const { organization } = await instance.tenant();
  const orders = Array.from({ length: MANY }, (_, at) => anOrder({ id: idOf(at) }));
  for (let at = 0; at < MANY; at += 650)
    await instance.record(orders.slice(at, at + 650), organization.id);
  return organization.id;
}

async function write(
  organizationId: string,
  name: string,
  onProgress: (rows: number) => Promise<void> | void,
  { what = 'orders', terms = WHOLE_TERMS }: { what?: Exported; terms?: ExportTerms } = {},
) {
  const { database } = instance.app;
  const format = name.slice(name.lastIndexOf('.') + 1) as FormatName;
  const file = join(folder, name);
  const result = await writeExport(
    { database, clock: instance.clock, onProgress },
    { organizationId, what, format, terms, to: { file } },
  );
  return { ...result, text: await readFile(file, 'latin1') };
}

async function cutOff(organizationId: string, name: string): Promise<void> {
  const cut = new Error('cut');
  const cutting = write(organizationId, name, (rows) => {
    if (rows > 2_000) throw cut;
  });
  await assert.rejects(cutting, cut);
}

/** How many snapshots the database keeps. */
/** A connection ends a moment after it was ordered to. */
async function snapshotsAre(count: number): Promise<void> {
  const areKept = async () => (await onKeepers('pid')).length === count;
  assert.ok(await eventually(areKept, 60_000), `${(await onKeepers('pid')).length} snapshots`);
}

function onKeepers(expression: string): Promise<unknown[]> {
  return instance.app.database.write((handle) =>
    handle.sql(
      `select ${expression} from pg_stat_activity
        where datname = current_database() and query like 'do %pg_sleep%' and state = 'active'`,
      [],
    ),
  );
}

async function filesLike(name: string): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.startsWith(name)).sort();
}

function run(what: string, format: string, out: string, id = instance.organization.id) {
  const args = ['export', '--organization', id, '--what', what, '--format', format, '--out', out];
  return runHere([...args, '--json'], instance.env);
}

async function exported(what: string, format: string, id = instance.organization.id) {
  const file = join(folder, `${id}-${what}.${format}`);
  const { code, json, stderr } = await run(what, format, file, id);
  assert.equal(code, 0, JSON.stringify(json) + stderr);
  const text = await readFile(file, 'utf8');
  assert.equal(json.bytes, (await stat(file)).size);
  return { reported: json, text, file };
}

function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Reads a table by the letter of RFC 4180. */
function tableOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text
    .replace('\ufeff', '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const HEAD = aText('n');

function aText(text: string): string {
  return `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** Of three rows, with room for two in a sheet. */
async function aWorkbook(): Promise<Buffer> {
  const bytes: Buffer[] = [];
  const workbook = openWorkbook('orders', [{ text: 'n' }], async (part) => bytes.push(part), {
    mostRows: 3,
  });
  await workbook.addRows([[{ number: '0.10' }], [{ number: '12345678901234.10' }]]);
  await workbook.addRows([[{ text: 'a_x0041_ & <b>\0\n\r' }]]);
  await workbook.end();
  return Buffer.concat(bytes);
}

/** What a part of an archive holds, by the archive's directory. */
function partOf(archive: Buffer, name: string): string {
  for (
    let at = archive.indexOf('PK\x01\x02');
    at !== -1;
    at = archive.indexOf('PK\x01\x02', at + 4)
  ) {
    const length = archive.readUInt16LE(at + 28);
    if (archive.toString('utf8', at + 46, at + 46 + length) !== name) continue;
    const [size, start] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 42)];
    const from = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
    return inflateRawSync(archive.subarray(from, from + size)).toString('utf8');
  }
  throw new Error(`no ${name}`);
}

function cellsOf(row: string) {
  const plain = (xml: string) =>
    xml
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
  const cells = row.matchAll(
    /<c\/>|<c><v>(.*?)<\/v><\/c>|<c t="inlineStr"(?: s="(\d)")?><is><t[^>]*>(.*?)<\/t><\/is><\/c>/gs,
  );
  return [...cells].map(([, number, style, text = '']) => ({
    kind: number === undefined ? 'text' : 'number',
    text: number ?? plain(text),
    style,
  }));
}
