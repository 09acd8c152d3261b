import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { MARKETPLACES, type MovementKind } from '../src/connectors/contract.ts';
import { recordBalances, recordSettlements } from '../src/features/balances/index.ts';
import { createKey, SCOPES } from '../src/features/keys/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { changePlan } from '../src/features/organizations/index.ts';
import { newId } from '../src/platform/ids.ts';
import { add, decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { type Agent, anAgent } from './support/agents.ts';
import { anOrder, callApi } from './support/app.ts';
import { openGoogle } from './support/google/google.ts';
import { LOAD, rowsOf, scriptFor } from './support/google/sheet.ts';
import { workOff } from './support/market.ts';
import { callTool } from './support/mcp.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';
import { aPayout } from './support/settlement.ts';
import { recordsOf, sheetsOf } from './support/workbook.ts';

// One set of orders, drawn, and what each entrance says of it: to the cent.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const DAYS = { from: '2025-12-08', to: '2025-12-14' };
const ORDERS = 60;
const STATUSES = ['paid', 'shipped', 'delivered', 'cancelled', 'returned', 'refunded'] as const;
const FIGURES = ['total', 'fees_total', 'withheld_total', 'net_total', 'refunded_total'] as const;

type Figures = Readonly<Record<string, number | null>>;
/** As REST shows it, as far as it is compared. */
interface Told {
  readonly id: string;
  readonly status: string;
  readonly currency: string;
  readonly marketplace: string;
  readonly date_created: string;
  readonly total: number | null;
  readonly refunded_total: number | null;
  readonly items: readonly { readonly quantity: number; readonly cancelled_quantity: number }[];
  readonly channel_relations: { readonly tags: readonly string[] };
}

let team: Team;
let key = '';
let agent: Agent;
let orders: readonly Told[];

before(async () => {
  team = await openTeam(instance, folder);
  const { organizacion: organizationId } = team;
  const plan = { organizationId, plan: 'avanzado', quota: null } as const;
  await instance.app.database.write((handle) => changePlan(handle, instance.clock, plan));
  await instance.record(draw(), organizationId);
  const made = await instance.app.database
    .within(organizationId)
    .write((scope) => createKey(scope, 'operator', { name: 'a', scopes: ['orders:read'] }));
  key = made.key;
  agent = await anAgent(instance, { organizationId, scopes: SCOPES });
  orders = await Promise.all(ids().map((id) => rest(id)));
});

test('each order has the same money in REST, for agents, in the panel, and in every export', {
  tags: ['slow'],
}, async () => {
  const csv = csvOf((await exported('orders', 'csv')).toString());
  const [plain] = await sheetsOf(await exported('orders', 'xlsx'));
  const [readable] = await sheetsOf(await exported('orders', 'excel'));
  assert.ok(plain && readable);
  const rows = {
    csv: byId(csv, 'id', (row, name) => row[name] ?? ''),
    xlsx: byId(recordsOf(plain), 'id', (row, name) => row.get(name)?.text ?? ''),
    excel: byId(
      recordsOf(readable),
      'Orden',
      (row, name) => row.get(TITLES[name] ?? name)?.text ?? '',
    ),
  };
  for (const order of orders) {
    const told = figuresOf(order as unknown as Figures);
    const tool = await callTool(instance, agent, 'get_order', { id: order.id });
    const panel = await read(`orders.get?id=${order.id}`);
    const seen = {
      tool: figuresOf(tool.body.result.structuredContent.data),
      panel: figuresOf(panel.data),
      ...Object.fromEntries(
        Object.entries(rows).map(([name, of]) => [
          name,
          Object.fromEntries(FIGURES.map((one) => [one, cents(of(order.id, one))])),
        ]),
      ),
    };
    for (const [name, figures] of Object.entries(seen))
      assert.deepEqual(figures, told, `${name} ${order.id}`);
  }
});

test('each balance is the same in Saldos, for agents and in the exports', {
  tags: ['slow'],
}, async () => {
  const within = instance.app.database.within(team.organizacion);
  const connectionId = '019a0000-0000-7000-8000-000000000001';
  const taken = { asOf: instance.clock.now(), isDerived: false };
  for (const [service, accountId, purses] of [
    ['mercado_libre', '1', [{ currency: 'MXN', pending: '0.10' }, { currency: 'USD' }]],
    ['amazon', '2', [{ currency: 'MXN', pending: '123456789012.34' }]],
    ['zipnova', '3', [{ currency: 'MXN', balance: '-45.05', creditLimit: '500' }]],
  ] as const)
    await within.write((scope) =>
      recordBalances(
        scope,
        { service, accountId, connectionId },
        purses.map((given) => {
          const { currency, ...amounts } = given;
          const known = Object.entries(amounts).map(([name, of]) => [name, decimal(of)]);
          const usual = { purse: '', currency, available: decimal('1000.57'), pending: null };
          return { ...usual, ...taken, ...Object.fromEntries(known) };
        }),
        { announce: false },
      ),
    );
  const days = { from: '', to: '' };
  const csv = csvOf((await exported('balances', 'csv', days)).toString());
  const [plain] = await sheetsOf(await exported('balances', 'xlsx', days));
  const [readable] = await sheetsOf(await exported('balances', 'excel', days));
  const tool = await callTool(instance, agent, 'get_balances');
  const panel = await read('balances.list');
  assert.ok(plain && readable);
  const told = (rows: readonly Figures[]) =>
    rows
      .map((row) =>
        ['available', 'pending', 'balance', 'credit_limit'].map((name) => cents(row[name] ?? null)),
      )
      .map(String)
      .toSorted();

  const expected = told(panel.data);
  assert.equal(expected.length, 4);
  assert.deepEqual(told(tool.body.result.structuredContent.data), expected);
  assert.deepEqual(told(csv as never), expected);
  const flat = (sheet: typeof plain) =>
    recordsOf(sheet).map((row) =>
      Object.fromEntries([...row].map(([name, cell]) => [name, cell?.text ?? ''])),
    );
  assert.deepEqual(told(flat(plain) as never), expected);
  const names = {
    available: 'Disponible',
    pending: 'Por liberar',
    balance: 'Saldo prepagado',
    credit_limit: 'Límite de crédito',
  };
  const people = flat(readable).map((row) =>
    Object.fromEntries(Object.entries(names).map(([name, title]) => [name, row[title]])),
  );
  assert.deepEqual(told(people as never), expected);
});

test('each payout is the same opened in Pagos, for agents and in the files', {
  tags: ['slow'],
}, async () => {
  for (const [at, payout] of PAYOUTS.entries()) await pay(payout, at);
  const opened = [];
  for (const [account, id] of PAYOUTS) {
    const one = await read(`payouts.get?marketplace=shopify&account_id=${account}&id=${id}`);
    assert.equal(cents(one.difference), 0, `${account} ${id}`);
    const net = cents(one.payout.net);
    assert.equal(sumIn(one.data, 'net'), net, `${account} ${id}`);
    assert.equal(sumIn(one.sums, 'amount'), net, `${account} ${id}`);
    opened.push({ account, id, ...one });
  }
  const nets = opened.map(({ payout }) => cents(payout.net));
  assert.deepEqual(nets, [8447, -3668, 0, 504, 699]);

  const lines = opened.flatMap(({ id, payout, data }) =>
    data.map((row: Figures) => lineOf({ ...row, payout_id: id, currency: payout.currency })),
  );
  const people = (await flatSheetOf('payout_lines', 'excel')).map((row) =>
    Object.fromEntries(LINE.map(([name, title]) => [name, row[title] ?? ''])),
  );
  const files = {
    csv: csvOf((await exported('payout_lines', 'csv')).toString()),
    xlsx: await flatSheetOf('payout_lines', 'xlsx'),
    excel: people,
  };
  for (const [name, rows] of Object.entries(files))
    assert.deepEqual(rows.map(lineOf).toSorted(), lines.toSorted(), name);
  const payouts = csvOf((await exported('payouts', 'csv')).toString());
  assert.deepEqual(
    payouts.map((row) => [row.account_id, row.id, cents(row.net ?? ''), row.difference]),
    opened.map(({ account, id }, at) => [account, id, nets[at], '0']).toReversed(),
  );
  const asked = { marketplace: ['shopify'], include_carriers: false };
  const tool = await callTool(instance, agent, 'get_balances', asked);
  const last = (tool.body.result.structuredContent.data as Standing[]).map((row) => [
    ...[row.account_id, row.currency, row.last_payout.id, cents(row.last_payout.net)],
    ...[row.last_payout.difference, row.last_payout.order_ids.join(' ')],
  ]);
  assert.deepEqual(last.toSorted(), [
    ['S1', 'MXN', 'P-0', 0, 0, 'O-3'],
    ['S1', 'USD', 'P-3', 504, 0, 'O-1'],
    ['S2', 'MXN', 'P-1', 699, 0, 'O-1'],
  ]);
});

test('the spreadsheet has the totals, currencies and pieces of REST', async (t) => {
  const google = await openGoogle(t, { script: scriptFor(instance.url), clock: instance.clock });
  const run = await google.run(LOAD, { typed: [key] });
  assert.equal(run.error, null);
  const rows = await rowsOf(google, 'Órdenes');
  const told = orders.map(({ id, total, currency }) => [id, total ?? '', currency]);
  assert.deepEqual(
    rows.map((row) => [row.Orden, row.Total, row.Moneda]).toSorted(),
    told.toSorted(),
  );
});

for (const timezone of ['America/Tijuana', 'America/Cancun', 'America/Mexico_City'])
  test(`the sums of Ventas, of agents and of the orders agree, by day in ${timezone}`, async () => {
    const { visitor } = team.owner;
    const path = `/panel/api/${team.organizacion}/organization.change`;
    await visitor.ask(path, { name: 'Papelería Luna', timezone });
    const expected = sumsBy(({ date_created: at }) => localDay(at, timezone));
    const span = `from=${DAYS.from}&to=${DAYS.to}`;
    const ventas = await read(`sales.summary?${span}&group_by=day`);
    assert.deepEqual(groupsOf(ventas.groups), expected);
    for (const group_by of ['day', 'week', 'month', 'marketplace', 'product']) {
      const panel = await read(`sales.summary?${span}&group_by=${group_by}`);
      const given = { ...DAYS, group_by, timezone };
      const { body } = await callTool(instance, agent, 'get_sales_summary', given);
      const tool = body.result.structuredContent;
      assert.deepEqual(groupsOf(tool.data), groupsOf(panel.groups), group_by);
      assert.deepEqual(totalsOf(tool.totals), totalsOf(panel.totals), group_by);
      // Goods do not add up to totals.
      if (group_by === 'product') continue;
      assert.deepEqual(totalsOf(panel.totals), totalsOf(added(groupsOf(panel.groups))), group_by);
    }
    const [day = ''] = expected.map(({ key }) => key);
    const ofDay = orders.filter(({ date_created: at }) => localDay(at, timezone) === day);
    const file = csvOf((await exported('orders', 'csv', { from: day, to: day })).toString());
    assert.deepEqual(file.map(({ id }) => id).toSorted(), ofDay.map(({ id }) => id).toSorted());
    if (timezone !== 'America/Mexico_City') return;
    const csv = csvOf((await exported('sales', 'csv')).toString());
    assert.deepEqual(
      groupsOf(csv.map((row) => ({ ...row, key: row.day ?? '' })) as never),
      expected,
    );
  });

type Moved = readonly [kind: MovementKind, amount: string, order: string | null];
type Paid = readonly [account: string, id: string, currency: string, moved: readonly Moved[]];

const PAYOUTS: readonly Paid[] = [
  [
    ...(['S1', 'P-1', 'MXN'] as const),
    [
      ['sale', '100', 'O-1'],
      ['commission', '-13.37', 'O-1'],
      ['isr', '-2.16', 'O-1'],
    ],
  ],
  // The same order in another payout, of which more goes back than comes in.
  [
    ...(['S1', 'P-2', 'MXN'] as const),
    [
      ['refund', '-100', 'O-1'],
      ['commission', '13.37', 'O-1'],
      ['sale', '50', 'O-2'],
      ['advertising', '-0.05', null],
    ],
  ],
  [
    ...(['S1', 'P-0', 'MXN'] as const),
    [
      ['sale', '10.10', 'O-3'],
      ['refund', '-10.10', 'O-3'],
    ],
  ],
  [
    ...(['S1', 'P-3', 'USD'] as const),
    [
      ['sale', '5.05', 'O-1'],
      ['commission', '-0.01', 'O-1'],
    ],
  ],
  // The same ids in another account.
  [
    ...(['S2', 'P-1', 'MXN'] as const),
    [
      ['sale', '7.01', 'O-1'],
      ['other', '-0.02', null],
    ],
  ],
];

/** Stores a payout with its movements, and the balance that it left. */
async function pay([accountId, payoutId, currency, moved]: Paid, minutes: number): Promise<void> {
  const at = Temporal.Instant.from('2025-12-10T18:00:00Z').add({ minutes });
  const source = { marketplace: 'shopify', accountId, connectionId: newId() } as const;
  const movements = moved.map(([kind, amount, orderId], place) => ({
    ...{ key: `${payoutId} ${place}`, kind, amount: decimal(amount), currency, orderId, payoutId },
    ...{ at, nativeType: kind, isOpen: false },
  }));
  const ledger = { id: '1', report: 'r', covers: null, changedAt: null, opening: null };
  const net = add(...movements.map(({ amount }) => amount));
  const purse = { purse: '', currency, available: null, pending: null, asOf: at, isDerived: false };
  const of = { service: 'shopify', accountId, connectionId: source.connectionId } as const;
  await instance.app.database.within(team.organizacion).write(async (scope) => {
    const payout = { ...aPayout(payoutId, net, at), currency };
    await recordSettlements(scope, source, [payout], { announce: false });
    await recordLedgers(scope, source, [{ ...ledger, movements }]);
    await recordBalances(scope, of, [purse], { announce: false });
  });
}

function sumIn(rows: readonly Figures[], name: string): number {
  return rows.reduce((all, row) => all + (cents(row[name] ?? null) ?? 0), 0);
}

/** The columns of a line of a payout, and their titles in the Excel for people. */
const LINE = [
  ['payout_id', 'Pago'],
  ['currency', 'Moneda'],
  ['order_id', 'Orden'],
  ['sold', 'Venta'],
  ['refunded', 'Reembolso'],
  ['fees', 'Cargos'],
  ['withheld', 'Impuestos'],
  ['other', 'Otros'],
  ['net', 'Suma al pago'],
] as const;

/** Amounts in cents, texts as they are. */
function lineOf(row: Readonly<Record<string, string | number | null | undefined>>): string {
  return LINE.map(([name]) => {
    const value = row[name] ?? '';
    return value !== '' && Number.isFinite(Number(value)) ? cents(value) : value;
  }).join(' ');
}

interface Standing {
  readonly account_id: string;
  readonly currency: string;
  readonly last_payout: {
    readonly id: string;
    readonly net: number;
    readonly difference: number;
    readonly order_ids: readonly string[];
  };
}

async function flatSheetOf(what: string, format: string): Promise<Record<string, string>[]> {
  const [sheet] = await sheetsOf(await exported(what, format));
  assert.ok(sheet);
  return recordsOf(sheet).map((row) =>
    Object.fromEntries([...row].map(([name, cell]) => [name, cell?.text ?? ''])),
  );
}

interface Sums {
  readonly key: string;
  readonly currency: string;
  readonly orders: number | string;
  readonly units: number | string;
  readonly gross: number | string;
  readonly refunds: number | string;
  readonly net: number | string;
}

function groupsOf(groups: readonly Sums[]) {
  return groups
    .filter(({ orders: count }) => Number(count) > 0)
    .map(({ key, currency, orders: count, units, gross, refunds, net }) => ({
      ...{ key, currency, orders: Number(count), units: Number(units) },
      ...{ gross: cents(gross), refunds: cents(refunds), net: cents(net) },
    }))
    .toSorted((a, b) => (`${a.key} ${a.currency}` < `${b.key} ${b.currency}` ? -1 : 1));
}

function totalsOf(totals: readonly Omit<Sums, 'key'>[]) {
  return groupsOf(totals.map((one) => ({ ...one, key: '' })));
}

function added(groups: ReturnType<typeof groupsOf>) {
  return [...Map.groupBy(groups, ({ currency }) => currency)].map(([currency, own]) => {
    const sum = (of: (one: (typeof own)[number]) => number | null) =>
      own.reduce((all, one) => all + (of(one) ?? 0), 0);
    const [gross, refunds, net] = [
      sum((one) => one.gross),
      sum((one) => one.refunds),
      sum((one) => one.net),
    ];
    return {
      ...{ currency, orders: sum((one) => one.orders), units: sum((one) => one.units) },
      ...{ gross: gross / 100, refunds: refunds / 100, net: net / 100 },
    };
  });
}

/** What docs/sales.md says, of the orders as REST shows them. */
function sumsBy(keyOf: (order: Told) => string) {
  const sold = orders.filter(
    ({ status, total, channel_relations: { tags } }) =>
      !tags.includes('test_order') &&
      total !== null &&
      status !== 'cancelled' &&
      status !== 'refunded',
  );
  const groups = Map.groupBy(sold, (order) => `${keyOf(order)} ${order.currency}`);
  return groupsOf(
    [...groups].map(([name, own]) => {
      const [key = '', currency = ''] = name.split(' ');
      const gross = own.reduce((sum, { total }) => sum + (cents(total) ?? 0), 0);
      const refunds = own.reduce((sum, one) => sum + (cents(one.refunded_total) ?? 0), 0);
      const units = own
        .flatMap(({ items }) => items)
        .reduce((sum, one) => sum + one.quantity - one.cancelled_quantity, 0);
      return {
        ...{ key, currency, orders: own.length, units },
        ...{ gross: gross / 100, refunds: refunds / 100, net: (gross - refunds) / 100 },
      };
    }),
  );
}

const TITLES: Readonly<Record<string, string>> = {
  total: 'Total',
  fees_total: 'Comisiones',
  withheld_total: 'Retenciones',
  net_total: 'Neto para ti',
  refunded_total: 'Reembolsado',
};

function figuresOf(order: Figures) {
  return Object.fromEntries(FIGURES.map((name) => [name, cents(order[name] ?? null)]));
}

function cents(amount: number | string | null): number | null {
  return amount === null || amount === '' ? null : Math.round(Number(amount) * 100);
}

function byId<Row>(rows: readonly Row[], id: string, told: (row: Row, name: string) => string) {
  const known = new Map(rows.map((row) => [told(row, id), row]));
  return (of: string, name: string) => {
    const row = known.get(of);
    assert.ok(row, `${of} is missing`);
    return told(row, name);
  };
}

/** No cell of these files has a comma or a line break but in quotes. */
function csvOf(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .replace('\ufeff', '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...`${line},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*)),/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
      ),
    );
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}

async function exported(que: string, formato: string, { from, to } = DAYS): Promise<Buffer> {
  const page = '/cuenta/exportaciones';
  const formulario = newId();
  const { visitor } = team.owner;
  const form = { organizacion: team.organizacion, formulario, que, formato };
  await visitor.post(page, { ...form, desde: from, hasta: to });
  await workOff(instance);
  const file = await visitor.get(
    `${page}/archivo?organizacion=${team.organizacion}&exportacion=${formulario}`,
  );
  const answer = await fetch(new URL(new URL(file.to, instance.url).pathname, instance.url));
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

function localDay(at: string, timezone: string): string {
  return Temporal.Instant.from(at).toZonedDateTimeISO(timezone).toPlainDate().toString();
}

async function rest(id: string): Promise<Told> {
  const { status, body, text } = await callApi(instance.url, `/v1/orders/${id}`, {}, { key });
  assert.equal(status, 200, text);
  return body.data;
}

async function read(operation: string) {
  const path = `/panel/api/${team.organizacion}/${operation}`;
  const { status, text } = await team.owner.visitor.get(path);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

function ids(): string[] {
  return Array.from({ length: ORDERS }, (_, at) => `70000${at}`);
}

/** Drawn by a seed, so that a failure repeats. */
function draw() {
  let state = 20_251_210;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const first = Temporal.Instant.from('2025-12-09T12:00:00Z');
  return ids().map((id, at) => {
    const total = next(8) === 0 ? null : decimal((next(5_000_000) / 100).toFixed(2));
    const some = (most: number) => (next(3) === 0 ? null : decimal((next(most) / 100).toFixed(2)));
    const dateCreated = first.add({ minutes: next(3 * 24 * 60) });
    const refund = next(3) === 0 ? some(10_000) : null;
    return anOrder({
      ...{ id, total, dateCreated, dateClosed: null },
      marketplace: MARKETPLACES[at % MARKETPLACES.length] ?? 'amazon',
      status: STATUSES[next(STATUSES.length)] ?? 'paid',
      currency: next(3) === 0 ? 'USD' : 'MXN',
      shippingTotal: some(20_000),
      totalIncludes: { shipping: next(2) === 0, tax: true, orderDiscount: true },
      ...{ feesTotal: some(90_000), withheldTotal: some(20_000), netTotal: some(3_000_000) },
      refundedTotal: refund,
      refunds: refund ? [{ amount: refund, at: next(2) === 0 ? null : dateCreated }] : [],
      tags: next(10) === 0 ? ['test_order'] : [],
      items: anOrder().items.flatMap((item) =>
        Array.from({ length: 1 + next(3) }, () => {
          const quantity = 1 + next(4);
          const cancelledQuantity = next(4) === 0 ? next(quantity + 1) : 0;
          const unitPrice = decimal((next(90_000) / 100).toFixed(2));
          const sku = `SKU-${next(12)}`;
          return { ...item, quantity, cancelledQuantity, unitPrice, sku, subtotal: null };
        }),
      ),
    });
  });
}
