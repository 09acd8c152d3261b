import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { raiseAlert } from '../src/features/alerts/index.ts';
import { recordBalances } from '../src/features/balances/index.ts';
import { recordBillingData, recordCfdis, recordInvoices } from '../src/features/cfdi/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { bodyOf } from './support/panel.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { waitingCfdis } from './support/waiting-cfdis.ts';

// What the screens of a seller's data are answered with, through the operations of the panel.

let instance: TestApp;
let organizacion: string;
let owner: Known;
let colleague: Known;

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion } = team);
  colleague = await team.join('warehouse');
  await instance.record([anOrder({ id: 'A-1' })], organizacion);
});

test('the box of the header finds an order, and the list without words has all', {
  tags: ['slow'],
}, async () => {
  const found = await read(owner, 'orders.list', { search: 'lucia' });
  assert.deepEqual([found.data.length, found.is_cut, found.is_complete], [1, false, true]);
  assert.equal((await read(owner, 'orders.list', { search: 'nadie' })).data.length, 0);
  assert.equal((await read(owner, 'orders.list', { search: ' ' })).data.length, 1);
  assert.deepEqual(await read(owner, 'orders.words', {}), {
    payment: ['approved'],
    fulfillment: [],
  });
});

test('an upload of CFDI beyond what may wait says so, and the same file is taken once there is room', {
  tags: ['slow'],
}, async () => {
  const waiting = waitingCfdis(instance, organizacion);
  const file = Buffer.from(aCfdi({ uuid: folioOf(901) })).toString('base64');
  const send = () => ask(owner, 'cfdis.upload', { name: 'una.xml', content: file }, 'write');
  const LIMITS = [
    [10_000, "''"],
    [1, `convert_to(repeat('0', ${128 * 1_024 * 1_024}), 'UTF8')`],
  ] as const;
  for (const [files, content] of LIMITS) {
    await waiting.add(files, content);
    const { status, body } = await send();
    assert.deepEqual(
      [status, body.error.code, body.error.message],
      [
        409,
        'cfdi_upload_limit_reached',
        'Hay muchos CFDI en espera de leerse. Espera unos minutos y sube este archivo de nuevo.',
      ],
    );
    await waiting.remove();
  }
  assert.equal((await send()).status, 202);
});

test('a view belongs to its person: a colleague neither sees nor removes it', async () => {
  const view = { place: 'orders', name: 'Por enviar' };
  await write(owner, 'views.save', { ...view, query: 'estado=paid' });
  await write(owner, 'views.save', { ...view, query: 'estado=ready_to_ship' });
  const saved = { data: [{ name: 'Por enviar', query: 'estado=ready_to_ship' }] };
  assert.deepEqual(await read(owner, 'views.list', { place: 'orders' }), saved);
  assert.deepEqual(await read(colleague, 'views.list', { place: 'orders' }), { data: [] });
  assert.deepEqual(await write(colleague, 'views.remove', view), { removed: false });
  assert.deepEqual(await read(owner, 'views.list', { place: 'orders' }), saved);
  assert.deepEqual(await write(owner, 'views.remove', view), { removed: true });
  assert.deepEqual(await read(owner, 'views.list', { place: 'orders' }), { data: [] });
});

test('what could not be read of an account is listed with its reason, and of no other account', async () => {
  const [one, other] = [newId(), newId()];
  for (const [id, account] of [
    [one, 'uno.mx'],
    [other, 'dos.mx'],
  ])
    await sql(
      `insert into connections (organization_id, id, service, account_id, name, state, created_at, updated_at)
       values ($1, $2, 'woocommerce', $3, 'Tienda', 'ok', now(), now())`,
      [organizacion, id, account],
    );
  for (const [id, connection, reason] of [
    ['1', one, 'items.0.sku: longer than 255 characters'],
    ['2', one, '(whole): larger than an answer may be'],
    ['3', one, '(whole): Invalid time value'],
    ['4', other, 'total: not a number'],
  ])
    await sql(
      `insert into unreadable_items (organization_id, connection_id, stream, digest, external_id, reason, box, first_seen_at, last_seen_at)
       values ($1, $2, 'orders', $3, $3, $4, '', '2026-11-20T01:00:00Z', '2026-11-20T04:00:00Z')`,
      [organizacion, connection, id, reason],
    );
  const { data, has_more } = await read(owner, 'connections.set-aside', { connection_id: one });
  const shown = data.map(({ id, field, is_too_large }: Record<string, unknown>) => [
    id,
    field,
    is_too_large,
  ]);
  assert.deepEqual(shown, [
    ['1', 'items.0.sku', false],
    ['2', null, true],
    ['3', null, false],
  ]);
  assert.deepEqual(
    [data[0].stream, data[0].last_at, has_more],
    ['Órdenes', '2026-11-20T04:00:00.000Z', false],
  );
  const refused = await ask(colleague, 'connections.set-aside', { connection_id: one }, 'read');
  assert.equal(refused.status, 403);
});

test('of views a person has fifty, with names', { tags: ['slow'] }, async () => {
  const save = (name: string) =>
    ask(colleague, 'views.save', { place: 'orders', name, query: 'estado=paid' }, 'write');
  for (let number = 0; number < 50; number++)
    assert.equal((await save(`Vista ${number}`)).status, 200);
  const refused = await save('Una más');
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'too_many_views']);
  assert.equal((await save('Vista 7')).status, 200, 'a known one is replaced');
  assert.equal((await save('  ')).body.error.param, 'name');
});

test('what has no invoice is added up to the cent, each currency apart', async () => {
  const sold = (id: string, day: string, total: string, currency = 'MXN') =>
    anOrder({
      ...{ id, currency, total: decimal(total) },
      dateCreated: Temporal.Instant.from(`${day}T18:00:00Z`),
    });
  await instance.record(
    [
      sold('U-1', '2026-08-10', '0.10'),
      sold('U-2', '2026-09-10', '0.20'),
      sold('U-3', '2026-09-11', '20', 'USD'),
    ],
    organizacion,
  );
  const to = '2026-09-30T00:00:00Z';
  const totalsFrom = async (from: string) =>
    (await read(owner, 'cfdis.uninvoiced-sums', { from, to })).totals;
  assert.deepEqual(await totalsFrom('2026-08-01T00:00:00Z'), [
    { currency: 'MXN', orders: 2, total: 0.3 },
    { currency: 'USD', orders: 1, total: 20 },
  ]);
  assert.deepEqual(await totalsFrom('2026-09-11T00:00:00Z'), [
    { currency: 'USD', orders: 1, total: 20 },
  ]);
});

test('the documents of an order are not those of another store’s order of the same number', async () => {
  const orderAt = (account_id: string) => ({
    ...{ marketplace: 'woocommerce', account_id, order_id: '1001' },
  });
  const source = (accountId: string) => ({ marketplace: 'woocommerce', accountId }) as const;
  const stored = ['a.mx', 'b.mx'].map((account) => anOrder({ ...source(account), id: '1001' }));
  await instance.record(stored, organizacion);
  const cfdi = readCfdi(Buffer.from(aCfdi({ uuid: folioOf(1001) })));
  const file = { id: 'F-1', fileName: 'f.pdf', xml: null, uuid: null, url: null, issuedAt: null };
  const { database, exchange } = instance.app;
  await database.within(organizacion).write(async (scope) => {
    await recordCfdis(scope, 'upload', [cfdi], [...exchange.orderListeners, exchange.announce]);
    const account = { ...source('a.mx'), connectionId: newId() };
    await recordInvoices(scope, account, [{ ...file, orderIds: ['1001'] }]);
  });
  await write(owner, 'cfdis.link', { ...orderAt('a.mx'), uuid: folioOf(1001), state: 'linked' });

  const documentsAt = async (account: string) => {
    const { data } = await read(owner, 'cfdis.of-order', orderAt(account));
    return data.map(({ id }: { id: string }) => id).sort();
  };
  assert.deepEqual(await documentsAt('a.mx'), [folioOf(1001), 'F-1']);
  assert.deepEqual(await documentsAt('b.mx'), []);
});

test('sales of a period stand beside the period before, each currency apart', async () => {
  const at = (day: string) => Temporal.Instant.from(`${day}T18:00:00Z`);
  const sold = (id: string, day: string, total: string, currency = 'MXN') =>
    anOrder({ id, dateCreated: at(day), total: decimal(total), currency });
  await instance.record(
    [
      sold('S-1', '2026-10-02', '100'),
      sold('S-2', '2026-10-03', '150.50'),
      sold('S-3', '2026-10-03', '20', 'USD'),
      sold('S-4', '2026-10-04', '300'),
    ],
    organizacion,
  );
  const period = { from: '2026-10-03', to: '2026-10-04' };
  const summary = await read(owner, 'sales.summary', { ...period, group_by: 'day' });
  assert.deepEqual(summary.before, { from: '2026-10-01', to: '2026-10-02' });
  type Total = { currency: string; gross: number; before: { gross: number }; change: number };
  assert.deepEqual(
    summary.totals.map(({ currency, gross, before: then, change }: Total) => [
      currency,
      gross,
      then.gross,
      change,
    ]),
    [
      ['MXN', 450.5, 100, 350.5],
      ['USD', 20, 0, null],
    ],
  );
  assert.deepEqual(
    summary.groups.map(({ key, currency, gross }: Total & { key: string }) => [
      key,
      currency,
      gross,
    ]),
    [
      ['2026-10-03', 'MXN', 150.5],
      ['2026-10-03', 'USD', 20],
      ['2026-10-04', 'MXN', 300],
    ],
  );
  const place = await read(owner, 'sales.summary', { ...period, group_by: 'marketplace' });
  type Group = { key: string; currency: string; gross: number; before: object | null };
  const compared = ({ key, currency, gross, before: then }: Group) => [key, currency, gross, then];
  const marketplace = anOrder().marketplace;
  assert.deepEqual(place.groups.map(compared), [
    [marketplace, 'MXN', 450.5, { gross: 100, change: 350.5 }],
    [marketplace, 'USD', 20, { gross: 0, change: null }],
  ]);
  const earlier = { from: '2026-10-06', to: '2026-10-07', group_by: 'marketplace' };
  const gone = await read(owner, 'sales.summary', earlier);
  assert.deepEqual(gone.groups.map(compared), [
    [marketplace, 'MXN', 0, { gross: 300, change: -100 }],
  ]);
  const product = await read(owner, 'sales.summary', { ...period, group_by: 'product' });
  const [best] = product.groups.map(({ before: then }: Group) => then);
  assert.deepEqual([typeof best.gross, best.change > 0], ['number', true]);
  assert.ok(summary.groups.every(({ before: then }: Group) => then === null));
  const beforeOf = async (from: string, to: string) => {
    const { before: then } = await read(owner, 'sales.summary', { from, to, group_by: 'day' });
    return `${then.from} ${then.to}`;
  };
  assert.equal(await beforeOf('2026-11-01', '2026-11-25'), '2026-10-01 2026-10-25');
  assert.equal(await beforeOf('2026-02-01', '2026-02-28'), '2026-01-01 2026-01-31');
  assert.equal(await beforeOf('2026-03-01', '2026-03-30'), '2026-02-01 2026-02-28');
  assert.equal(await beforeOf('2026-11-23', '2026-11-25'), '2026-11-16 2026-11-18');
  for (const [day, then] of [
    ['2026-11-25', '2026-11-18'],
    ['2026-11-01', '2026-10-25'],
    ['2026-11-23', '2026-11-16'],
  ] as const)
    assert.equal(await beforeOf(day, day), `${then} ${then}`, 'one day: the same weekday');
  assert.equal(await beforeOf('2026-10-01', '2026-11-01'), '2026-08-30 2026-09-30');
  const backwards = { from: '2026-10-04', to: '2026-10-03', group_by: 'day' };
  const refused = await ask(owner, 'sales.summary', backwards, 'read');
  assert.deepEqual([refused.status, refused.body.error.param], [400, 'from']);
});

test('a balance below its minimum is an alert until it is above it again', async () => {
  const have = (available: string, minutes: number) =>
    instance.app.database.within(organizacion).write((scope) =>
      recordBalances(
        scope,
        { service: 'zipnova', accountId: '77', connectionId: newId() },
        [
          {
            purse: '',
            currency: 'MXN',
            available: decimal(available),
            pending: null,
            balance: decimal(available),
            creditLimit: decimal('500'),
            asOf: instance.clock.now().add({ minutes }),
            isDerived: false,
          },
        ],
        { announce: false },
      ),
    );
  const alerts = async () =>
    (await read(owner, 'alerts.list', {})).data
      .filter(({ kind }: { kind: string }) => kind === 'low_balance')
      .map(({ message }: { message: string }) => message);
  await have('450.5', 0);
  const [purse] = (await read(owner, 'balances.list', {})).data;
  assert.deepEqual(
    [purse.is_carrier, purse.balance, purse.available, purse.credit_limit, purse.least],
    [true, 450.5, 450.5, 500, null],
  );
  await write(owner, 'balances.set-floor', { key: purse.key, least: '1,000' });
  assert.match(
    (await alerts())[0],
    /^El disponible \(saldo \+ crédito\) de Zipnova \(.*\) es de \$450\.50 MXN, menos de los \$1,000\.00 MXN/,
  );
  await have('1000', 1);
  assert.deepEqual(await alerts(), []);
  await have('999.99', 2);
  assert.equal((await alerts()).length, 1);
  await write(owner, 'balances.set-floor', { key: purse.key });
  assert.deepEqual(await alerts(), []);
  for (const least of ['0', '-5', 'mucho'])
    assert.equal(
      (await ask(owner, 'balances.set-floor', { key: purse.key, least }, 'write')).status,
      400,
    );
  const other = await ask(owner, 'balances.set-floor', { key: 'otra', least: '5' }, 'write');
  assert.equal(other.status, 404);
});

test('the data of a buyer’s invoice are for roles with money, and each view is in the trail', async () => {
  const order = { marketplace: 'mercado_libre', account_id: '468424240', order_id: 'A-1' } as const;
  const account = { marketplace: order.marketplace, accountId: order.account_id };
  const given = { ...{ name: 'Marta Núñez', rfc: 'NUMM800101AA1', regime: '612', cfdiUse: 'G03' } };
  const place = { street: null, neighborhood: null, city: null, state: null, zipcode: '06000' };
  const { database } = instance.app;
  await database
    .within(organizacion)
    .write((scope) =>
      recordBillingData(scope, account, [{ orderId: 'A-1', data: { ...given, ...place } }]),
    );

  const hasData = async (account_id: string) =>
    (await read(owner, 'cfdis.of-order', { ...order, account_id })).has_billing_data;
  assert.equal(await hasData(order.account_id), true);
  assert.equal(await hasData('otra'), false, 'another account has an order of the same number');
  const { cfdi_use, rfc, zipcode } = await write(owner, 'billing-data.view', order);
  assert.deepEqual([cfdi_use, rfc, zipcode], ['G03', 'NUMM800101AA1', '06000']);
  assert.equal((await ask(colleague, 'billing-data.view', order, 'write')).status, 403);
  const { text } = await owner.visitor.get(`/cuenta/actividad?organizacion=${organizacion}`);
  assert.match(text, /Vio los datos de facturación de la orden A-1/);
  assert.doesNotMatch(text, /NUMM800101AA1/);
});

test('a role without money is given neither balances nor sales', async () => {
  for (const name of ['balances.list', 'settlements.list', 'sales.today', 'cfdis.of-order']) {
    const order = { marketplace: 'mercado_libre', account_id: '468424240', order_id: 'A-1' };
    const input: Record<string, string> = name === 'cfdis.of-order' ? order : {};
    assert.equal((await ask(colleague, name, input, 'read')).status, 403, name);
  }
});

test('the fiscal profile is of a taxpayer whose RFC, person and regime agree', async () => {
  const change = async (given: object) => {
    const path = `/panel/api/${organizacion}/fiscal-profile.change`;
    const none = { rfcs: [], person: null, regime: null, has_border_vat: false };
    const { status, text } = await owner.visitor.ask(path, { ...none, ...given });
    return status === 200 ? 'ok' : JSON.parse(text).error.param;
  };
  for (const rfc of ['AAA019901AAA', 'AAA010101AAB', 'AA010101AAA', 'XAXX010101000', ''])
    assert.equal(await change({ rfcs: [rfc] }), 'rfcs', rfc);
  assert.equal(await change({ rfcs: ['AAA010101AAA'], person: 'natural' }), 'person');
  assert.equal(await change({ person: 'legal', regime: '612' }), 'regime');
  assert.equal(await change({ regime: '999' }), 'regime');
  const both = ['ñaa010101aaa ', 'CACX7605101P8', 'CACX7605101P8'];
  assert.equal(await change({ rfcs: both, person: 'natural', regime: '626' }), 'ok');
  const { regimes, version: _, ...profile } = await read(owner, 'fiscal-profile.read', {});
  assert.ok(regimes.length > 10);
  assert.deepEqual(profile, {
    ...{ rfcs: ['CACX7605101P8', 'ÑAA010101AAA'], person: 'natural', regime: '626' },
    has_border_vat: false,
  });
  const [act] = await sql(
    "select act from acts where organization_id = $1 and act like 'fiscal%'",
    [organizacion],
  );
  assert.deepEqual(act, { act: 'fiscal_profile_changed' });
  const path = `/panel/api/${organizacion}/fiscal-profile.read`;
  assert.equal((await colleague.visitor.get(path)).status, 403);
});

test('of more alerts than 200 the newest are listed, and it says that there are more', async () => {
  const raise = (kind: string, count: number) =>
    instance.app.database.within(organizacion).write(async (scope) => {
      for (let at = 0; at < count; at += 1)
        await raiseAlert(scope, { kind, subject: `${at}`, message: `Alerta ${at}` });
    });
  await raise('guide_unknown', 1);
  assert.equal((await read(owner, 'alerts.list', {})).has_more, false);
  instance.clock.advance({ minutes: 1 });
  await raise('unreadable_page', 201);

  const all = await read(owner, 'alerts.list', {});
  const ofWarehouse = await read(colleague, 'alerts.list', {});

  assert.deepEqual([all.data.length, all.has_more], [200, true]);
  assert.deepEqual(
    [ofWarehouse.data.map(({ kind }: { kind: string }) => kind), ofWarehouse.has_more],
    [['guide_unknown'], false],
    'the limit counts those of the role alone',
  );
});

async function ask(
  { visitor }: Known,
  name: string,
  input: Readonly<Record<string, string>>,
  kind: 'read' | 'write',
) {
  const path = `/panel/api/${organizacion}/${name}`;
  const answer =
    kind === 'write'
      ? await visitor.ask(path, input)
      : await visitor.get(`${path}?${new URLSearchParams(input)}`);
  return { status: answer.status, body: bodyOf(answer) };
}

async function read(of: Known, name: string, input: Readonly<Record<string, string>>) {
  const { status, body } = await ask(of, name, input, 'read');
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function write(of: Known, name: string, input: Readonly<Record<string, string>>) {
  const { status, body } = await ask(of, name, input, 'write');
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function sql(text: string, values: readonly (string | undefined)[]) {
  return instance.app.database.write((handle) => handle.sql(text, [...values]));
}
