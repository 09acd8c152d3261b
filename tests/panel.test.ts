import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { Requirement } from '../src/entrances/navigation.ts';
import { findOperation, TABLE } from '../src/entrances/panel/contract.ts';
import type { AnyOperation } from '../src/entrances/panel/operation.ts';
import { checkOrdersJob } from '../src/exchange/jobs/check-orders.ts';
import { recordBalances, recordSettlements } from '../src/features/balances/index.ts';
import { keepUpload, recordBillingData, recordCfdis } from '../src/features/cfdi/index.ts';
import { packFile } from '../src/features/cfdi/upload/files.ts';
import { saveConnection } from '../src/features/connections/index.ts';
import { recordLedgers } from '../src/features/ledger/index.ts';
import { changePlan, lockOrganization } from '../src/features/organizations/index.ts';
import { addMember, may, ROLES, type Role } from '../src/features/people/index.ts';
import { PLANS, type Plan, type PlanTerms } from '../src/features/plans/index.ts';
import { recordShipments } from '../src/features/shipments/index.ts';
import { setTracking } from '../src/features/warehouse/index.ts';
import { newId } from '../src/platform/ids.ts';
import { decimal } from '../src/platform/money.ts';
import { SITE_PAGES } from '../src/platform/site-pages.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder, type TestApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { movementsOf } from './support/findings.ts';
import { type Known, known, openMailingInstance, withSecondFactor } from './support/people.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { parcel } from './support/read-rows.ts';
import { aPayout } from './support/settlement.ts';
import { openVisitor } from './support/visitor.ts';
import { OPERATOR } from './support/warehouse.ts';

// What the panel may ask, of whom, and on which plan: from the table of operations itself.

const MERCADO = { marketplace: 'mercado_libre', accountId: '468424240' } as const;
const BILLING = {
  ...{ name: null, rfc: 'AAA010101AAA', regime: null, cfdiUse: null, street: null },
  ...{ neighborhood: null, city: null, state: null, zipcode: null },
};
/** On a busy machine too. */
const LONGEST_WAIT_MS = 20_000;
const PURSE = JSON.stringify(['mercado_libre', '468424240', '', 'MXN']);

const ORDER = { marketplace: 'mercado_libre', account_id: '468424240', order_id: 'A-1' };

/** The input that each operation is tried with; an operation without one fails the test. */
const INPUTS: Record<string, Readonly<Record<string, unknown>>> = {
  'alerts.list': {},
  'alerts.mails': {},
  'alerts.resolved': {},
  'alerts.set-mails': { wanted: true },
  'alerts.settle': { kind: 'trouble', subject: 'none' },
  'alerts.reopen': { kind: 'trouble', subject: 'none', settled_at: '2026-11-20T18:00:00.000Z' },
  'balances.list': {},
  'balances.set-floor': { key: PURSE, least: '500' },
  'billing-data.view': ORDER,
  'cfdis.of-order': ORDER,
  'cfdis.get': { uuid: folioOf(1) },
  'cfdis.link': { ...ORDER, uuid: folioOf(1), state: 'linked' },
  'cfdis.list': { limit: '1' },
  'cfdis.uninvoiced': { limit: '1' },
  'cfdis.uninvoiced-sums': { kind: 'public' },
  'cfdis.upload': { name: 'a.xml', content: 'PGEvPg==' },
  'cfdis.upload-progress': {},
  'cfdis.archive': {},
  'cfdis.xml': { uuid: folioOf(1) },
  'clock.read': {},
  'connections.begin-consent': { marketplace: 'mercado_libre' },
  'connections.connect': { service: 'woocommerce', fields: {} },
  'connections.event-address': { carrier: 'paquetexpress', rotate: true },
  'connections.imports': {},
  'connections.list': {},
  'connections.overview': {},
  'connections.ways': {},
  'findings.list': { limit: '1' },
  'figures.read': { span: 'week' },
  'fiscal-profile.change': { rfcs: [], person: null, regime: null, has_border_vat: false },
  'fiscal-profile.read': {},
  'frame.read': {},
  'lines.list': { limit: '1' },
  'inventory.get': { sku: 'TAZA-AZUL' },
  'inventory.list': { limit: '1' },
  'keys.ending': {},
  'logistics.change': {},
  'logistics.read': {},
  'orders.get': { id: 'A-1' },
  'orders.list': { limit: '1' },
  'orders.open': {},
  'orders.words': {},
  'sales.summary': { from: '2026-11-01', to: '2026-11-30', group_by: 'week' },
  'organization.change': { name: 'Papelería Sol', timezone: 'America/Tijuana' },
  'payouts.get': { marketplace: 'mercado_libre', account_id: '468424240', id: 'P-1' },
  'plan.read': {},
  'plan.request': { plan: 'experto', note: 'Por favor' },
  'products.add-equivalence': { marketplace: 'amazon', code: 'AZ-1', sku: 'TAZA-AZUL' },
  'products.change': { sku: 'TAZA-AZUL', weight_kg: '0.45' },
  'products.remove-equivalence': { marketplace: 'amazon', code: 'AZ-1', sku: 'TAZA-AZUL' },
  'sales.today': {},
  'samples.make': {},
  'samples.remove': {},
  'settlements.list': { limit: '1' },
  'shipments.get': { carrier: 'paquetexpress', account_id: '77', id: '605' },
  'shipments.list': { limit: '1' },
  'shipments.orphans': { limit: '1' },
  'shipments.of-order': ORDER,
  'usage.meter': {},
  'usage.read': { span: 'day', caller_id: 'key' },
  'views.list': { place: 'orders' },
  'views.remove': { place: 'orders', name: 'Por enviar' },
  'views.save': { place: 'orders', name: 'Por enviar', query: 'estado=ready_to_ship' },
  'warehouse.count': {},
  'withheld.lines': { period: '2026-10', marketplace: 'mercado_libre' },
  'withheld.list': {},
};

/** What an operation changes, as it was, so that the next role may change it too. */
const FIRST: Record<string, () => Promise<unknown>> = {
  'guides.settle': () => setAttempt('unknown'),
  'lines.transfer': () => setLine('staged'),
  'lines.undo-transfer': () => setLine('transferred'),
};

let instance: TestApp;
let folder: string;
let organizacion: string;
let person: Known;

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE, undefined, {
    MERCADO_LIBRE_CLIENT_ID: '1',
    MERCADO_LIBRE_CLIENT_SECRET: 's',
  });
  instance = opened.instance;
  folder = opened.folder;
  person = await known(instance, opened.folder);
  await withSecondFactor(person.visitor);
  const [row] = await instance.app.database.write((handle) =>
    handle.sql('select organization_id from members where person_id = $1', [person.personId]),
  );
  organizacion = (row as { organization_id: string }).organization_id;
  await instance.record([anOrder({ id: 'A-1' })], organizacion);
  await instance.app.database.within(organizacion).write((scope) =>
    recordBalances(
      scope,
      { service: 'mercado_libre', accountId: '468424240', connectionId: newId() },
      [
        {
          purse: '',
          currency: 'MXN',
          available: decimal('900'),
          pending: null,
          asOf: instance.clock.now(),
          isDerived: false,
        },
      ],
      { announce: false },
    ),
  );
  await instance.app.database
    .within(organizacion)
    .write((scope) =>
      recordSettlements(
        scope,
        { ...MERCADO, connectionId: newId() },
        [aPayout('P-1', '900', instance.clock.now())],
        { announce: false },
      ),
    );
  const finding = await aFinding();
  INPUTS['findings.get'] = { id: finding };
  INPUTS['findings.explain'] = { id: finding, note: 'Ajuste de septiembre' };
  INPUTS['connections.disconnect'] = { connection_id: await connected('1') };
  INPUTS['connections.pause'] = { connection_id: await connected('3'), is_paused: true };
  INPUTS['connections.rename'] = { connection_id: await connected('3'), name: 'Outlet norte' };
  INPUTS['connections.known-fields'] = { connection_id: await connected('4') };
  INPUTS['connections.runs'] = { connection_id: await connected('4') };
  INPUTS['connections.set-aside'] = { connection_id: await connected('4') };
  INPUTS['connections.check-orders'] = { connection_id: await connected('4'), days: 7 };
  const check = await person.visitor.ask(
    `/panel/api/${organizacion}/connections.check-orders`,
    INPUTS['connections.check-orders'],
  );
  INPUTS['connections.check-result'] = { job_id: JSON.parse(check.text).job_id };
  INPUTS['connections.sync-soon'] = { connection_id: await connected('2') };
  const xml = Buffer.from(aCfdi({ uuid: folioOf(1) }));
  INPUTS['cfdis.upload-progress'] = await instance.app.database
    .within(organizacion)
    .write(async (scope) => {
      await recordCfdis(scope, 'upload', [readCfdi(xml)], []);
      await recordBillingData(scope, MERCADO, [{ orderId: 'A-1', data: BILLING }]);
      return { id: await keepUpload(scope, [packFile('a.xml', xml)]) };
    });
  await instance.app.database
    .within(organizacion)
    .write((scope) =>
      recordShipments(
        scope,
        { carrier: 'paquetexpress', accountId: '77', connectionId: newId() },
        [parcel('605')],
        { announce: false, listeners: [] },
      ),
    );
  Object.assign(INPUTS, await warehouseInputs());
});

beforeEach(() => setPlan('avanzado'));

test('every operation is tried, and answers as its schema says', { tags: ['slow'] }, async () => {
  assert.deepEqual(Object.keys(INPUTS).sort(), Object.keys(TABLE).sort());
  for (const [name, operation] of Object.entries(TABLE)) {
    const { status, headers, text } = await call(name);
    assert.equal(status, statusOf(operation), `${name}: ${text}`);
    const body = JSON.parse(text);
    assert.deepEqual(operation.output.safeParse(body).error?.issues, undefined, name);
    assert.deepEqual(body.meta, { request_id: headers.get('x-request-id') }, name);
  }
});

test('no value that a read is given can fail it: a character that is no text is refused at its field', {
  tags: ['slow'],
}, async () => {
  for (const [name, operation] of Object.entries(TABLE)) {
    if (operation.kind === 'write') continue;
    for (const field of Object.keys(INPUTS[name] ?? {})) {
      const odd = new URLSearchParams(INPUTS[name] as Record<string, string>);
      odd.set(field, 'a\0b');
      const { status } = await person.visitor.get(`/panel/api/${organizacion}/${name}?${odd}`);
      assert.ok(status === 400 || status === 404, `${name} ${field}: ${status}`);
    }
  }
});

test('every operation × role × plan: the allowed are answered, all others refused', {
  tags: ['slow'],
}, async () => {
  for (const plan of Object.keys(PLANS) as Plan[]) {
    await setPlan(plan);
    for (const role of ROLES) {
      await setRole(role);
      const offered = JSON.parse((await call('frame.read')).text).operations;
      const allowed = Object.entries(TABLE).filter(([, one]) => mayCall(one, role, plan));
      const names = allowed.map(([name]) => name);
      assert.deepEqual(offered.sort(), names.sort(), `${role} ${plan}`);
      for (const [name, operation] of tried(role, plan)) {
        const { status, text } = await call(name);
        const expected = mayCall(operation, role, plan) ? statusOf(operation) : 403;
        assert.equal(status, expected, `${name} ${role} ${plan}: ${text}`);
      }
    }
  }
  await setRole('owner');
});

test('after the trial only the changes that are still open are offered', async () => {
  await setPlan('demo');
  const endTrialIn = (minutes: number) =>
    instance.app.database.write((handle) =>
      handle.sql('update organizations set trial_ends_at = $2 where id = $1', [
        organizacion,
        instance.clock.now().add({ minutes }).toString(),
      ]),
    );
  const changes = async () =>
    JSON.parse((await call('frame.read')).text).operations.filter(
      (name: string) => findOperation(name)?.kind === 'write',
    );
  await endTrialIn(1);
  const before = await changes();
  await endTrialIn(-1);
  const after = await changes();

  const isOpen = (name: string) => {
    const operation = findOperation(name);
    return operation?.kind === 'write' && operation.isOpenAfterTrial === true;
  };
  assert.deepEqual(after, before.filter(isOpen));
  assert.ok(after.includes('plan.request') && before.includes('organization.change'));
  assert.ok(after.includes('billing-data.view'), 'what a buyer gave for an invoice is read');
});

test('credentials and secrets are changed only in a session that used its second factor', {
  tags: ['slow'],
}, async () => {
  const ofCredentials = Object.keys(TABLE).filter((name) => needsSecondFactor(name));
  assert.deepEqual(ofCredentials, [
    'connections.begin-consent',
    'connections.connect',
    'connections.disconnect',
    'connections.event-address',
  ]);
  const refusals = async () => {
    const refused: string[] = [];
    for (const [name, operation] of Object.entries(TABLE)) {
      const { status, text } = await call(name);
      if (status === statusOf(operation)) continue;
      const { code, details } = JSON.parse(text).error;
      refused.push(`${name} ${status} ${code} ${details.page}`);
    }
    return refused;
  };
  const each = (end: string) => ofCredentials.map((name) => `${name} 403 ${end}`);
  const lackIn = async () => JSON.parse((await call('connections.ways')).text).factor_lack;

  await useFactorAt(null);
  assert.equal(await lackIn(), 'not_used');
  assert.deepEqual(await refusals(), each('confirmation_required /cuenta/confirmar'));
  await useFactorAt(instance.clock.now().toString());
  assert.equal(await lackIn(), null);
  assert.deepEqual(await refusals(), []);
  const stranger = await known(instance, folder);
  await instance.app.database
    .within(organizacion)
    .write((scope) => addMember(scope, 'operator', { personId: stranger.personId, role: 'owner' }));
  const path = `/panel/api/${organizacion}/connections.event-address`;
  const none = await stranger.visitor.ask(path, { carrier: 'paquetexpress' });
  const { code, details } = JSON.parse(none.text).error;
  assert.deepEqual(
    [none.status, code, details.page],
    [403, 'second_factor_required', '/cuenta/segundo-paso'],
  );
});

test('a change whose person loses the right while it is under way is refused, whichever it is', {
  tags: ['slow'],
}, async () => {
  INPUTS['connections.disconnect'] = { connection_id: await connected('3') };
  // It calls its service before it writes; tests/panel-connecting.test.ts tries the same with a consent.
  const { 'connections.connect': _, ...others } = TABLE;
  for (const [name, { kind, action }] of Object.entries(others)) {
    if (kind !== 'write') continue;
    const lower = ROLES.find((role) => action !== null && !may(role, action)) ?? null;
    const { status, text } = await whileRoleChanges(lower, () => call(name));
    assert.equal(status, action === null ? 404 : 403, `${name} as ${lower}: ${text}`);
  }
});

test('money of the seller is left out for roles that do not see it', async () => {
  const ledger = {
    ...{ id: 'L-1', report: 'release_report', covers: null, changedAt: null, opening: null },
    movements: movementsOf('A-1', { on: '2026-03-02' }, instance.clock.now()),
  };
  await instance.app.database
    .within(organizacion)
    .write((scope) => recordLedgers(scope, { ...MERCADO, connectionId: newId() }, [ledger]));
  await setRole('warehouse');
  const hidden = JSON.parse((await call('orders.get')).text);
  await setRole('owner');
  const whole = JSON.parse((await call('orders.get')).text);
  assert.ok('net_total' in whole.data && 'fees_total' in whole.data);
  assert.ok(!('net_total' in hidden.data) && !('fees_total' in hidden.data));
  assert.deepEqual([hidden.ledger, whole.ledger], [null, LEDGER]);
});

/** Of one sale, as `movementsOf` has it. */
const LEDGER = {
  sums: [
    { kind: 'commission', amount: -30 },
    { kind: 'isr', amount: -5 },
    { kind: 'iva', amount: -16 },
    { kind: 'sale', amount: 232 },
  ],
  sold: 232,
  net: 181,
};

test('a link to the XML of a CFDI ends with the role that asked for it', async () => {
  await setRole('owner');
  const { url } = JSON.parse((await call('cfdis.xml')).text);
  const statuses: number[] = [];
  for (const role of ['owner', 'warehouse', 'supervisor', 'member'] as const) {
    await setRole(role);
    statuses.push((await fetch(url)).status);
  }
  await setRole('owner');

  assert.deepEqual(statuses, [200, 404, 404, 200]);
});

test('a link to the ZIP of CFDI holds what the filters find, and ends with the role that asked for it', async () => {
  await setRole('owner');
  const holds = async (type: string) => {
    const { url } = JSON.parse((await call('cfdis.archive', { type })).text);
    return (await (await fetch(url)).text()).includes(`${folioOf(1)}.xml`);
  };
  assert.deepEqual([await holds('ingreso'), await holds('egreso')], [true, false]);

  const { url } = JSON.parse((await call('cfdis.archive')).text);
  await setRole('warehouse');
  const refused = [(await call('cfdis.archive')).status, (await fetch(url)).status];
  await setRole('owner');
  assert.deepEqual(refused, [403, 404]);
});

test('a month that is checked begins at its first midnight in the time zone of the organisation', async () => {
  const { connection_id } = INPUTS['connections.check-orders'] as { connection_id: string };
  const { exchange } = instance.app;
  const frame = await person.visitor.get(`/panel/api/${organizacion}/frame.read`);
  const first = exchange.clock
    .now()
    .toZonedDateTimeISO(JSON.parse(frame.text).organization.timezone)
    .with({ day: 1 })
    .startOfDay();
  for (const [month, begins] of [
    ['this', first],
    ['last', first.subtract({ months: 1 })],
  ] as const) {
    const path = `/panel/api/${organizacion}/connections.check-orders`;
    const { text } = await person.visitor.ask(path, { connection_id, month });
    const job = await exchange.queue.result(checkOrdersJob, JSON.parse(text).job_id);
    assert.ok(job);
    const { since } = job.payload as { since: string };
    assert.ok(Temporal.Instant.from(since).equals(begins.toInstant()), `${month}: ${since}`);
  }
});

test('writes are taken from our own pages by POST alone', async () => {
  const path = `/panel/api/${organizacion}/alerts.settle`;
  assert.equal((await person.visitor.get(path)).status, 405);
  const stranger = openVisitor(instance.url, {
    origin: 'https://evil.example',
    cookies: person.visitor.cookies,
  });
  const refused = await stranger.ask(path, { kind: 'trouble', subject: 'none' });
  assert.equal(refused.status, 403, `a stranger posted: ${refused.text}`);
  assert.equal(codeOf(refused.text), 'origin_not_allowed');
  const odd = await person.visitor.ask(path, { kind: 'trouble', subjet: 'none' });
  assert.deepEqual([odd.status, codeOf(odd.text)], [400, 'invalid_request']);
});

test('another organisation, an ended session and an unknown operation have answers of their own', async () => {
  const elsewhere = instance.organization.id;
  const theirs = await person.visitor.get(`/panel/api/${elsewhere}/orders.list`);
  assert.deepEqual([theirs.status, codeOf(theirs.text)], [404, 'not_found']);
  const nobody = openVisitor(instance.url);
  const out = await nobody.get(`/panel/api/${organizacion}/orders.list`);
  assert.deepEqual([out.status, codeOf(out.text)], [401, 'session_required']);
  const none = await person.visitor.get(`/panel/api/${organizacion}/orders.burn`);
  assert.deepEqual([none.status, codeOf(none.text)], [404, 'not_found']);
  const wrong = await person.visitor.get(`/panel/api/${organizacion}/orders.list?limit=500`);
  assert.equal(JSON.parse(wrong.text).error.param, 'limit');
});

test('a parameter that the operation does not have is refused, of writes too, and nothing is written', async () => {
  for (const name of ['orders.list?limt=5', 'alerts.set-mails?kinds=all']) {
    const path = `/panel/api/${organizacion}/${name}`;
    const isWrite = name.startsWith('alerts.');
    const { status, text } = await (isWrite
      ? person.visitor.ask(path, INPUTS['alerts.set-mails'] ?? {})
      : person.visitor.get(path));
    assert.deepEqual([status, codeOf(text)], [400, 'invalid_request'], text);
  }
});

test('a page that asks by itself does not keep its session alive', async () => {
  const seen = async () => {
    const [row] = await instance.app.database.write((handle) =>
      handle.sql('select max(last_seen_at) as at from sessions where person_id = $1', [
        person.personId,
      ]),
    );
    return String((row as { at: unknown }).at);
  };
  await call('orders.list');
  const former = await seen();
  instance.clock.advance({ minutes: 5 });
  await call('clock.read');
  await person.visitor.get(`/panel/api/${organizacion}/orders.list`, { 'x-unattended': '1' });
  await person.visitor.get('/cuenta/exportaciones', { 'x-unattended': '1' });
  assert.equal(await seen(), former);
  await call('orders.list');
  assert.notEqual(await seen(), former);
});

test('/ leads to the panel or to sign-in, and the organisation is remembered', async () => {
  const asPage = { accept: 'text/html' };
  assert.equal((await openVisitor(instance.url).get('/', asPage)).to, SITE_PAGES.signIn.path);
  assert.equal((await person.visitor.get('/', asPage)).to, '/panel');
  assert.equal((await person.visitor.get('/')).status, 404, 'programs get no page');
  assert.equal((await person.visitor.get('/panel/ordenes')).to, `/panel/${organizacion}/ordenes`);
  const out = await openVisitor(instance.url).get(`/panel/${organizacion}/ordenes?estado=paid`);
  assert.equal(
    out.to,
    `/entrar?volver=${encodeURIComponent(`/panel/${organizacion}/ordenes?estado=paid`)}`,
  );
  const page = await person.visitor.get(`/panel/${organizacion}`);
  assert.equal(page.status, 200, page.text);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/);
  assert.equal(person.visitor.cookies.get('tianguis_organizacion'), organizacion);
  const [, script = ''] = /src="(\/panel\/assets\/[^"]+)"/.exec(page.text) ?? [];
  const file = await person.visitor.get(script, { 'accept-encoding': 'br' });
  assert.match(file.headers.get('cache-control') ?? '', /immutable/);
  assert.equal(file.headers.get('content-encoding'), 'br');
});

test('the search of a page finds orders, and a CFDI by its folio', async () => {
  const find = async (text: string) => {
    const search = new URLSearchParams({ texto: text });
    return (await person.visitor.get(`/panel/${organizacion}/buscar?${search}`)).to;
  };
  const page = await person.visitor.get('/cuenta', { accept: 'text/html' });
  assert.match(page.text, /action="\/panel\/[^"/]+\/buscar"><input name="texto"/);
  const folio = '0c1f6f1a-3d53-4a5b-8f4e-0b9a6d6c7e11';
  const home = `/panel/${organizacion}`;
  assert.equal(await find(' A-1 & B '), `${home}/ordenes?buscar=A-1+%26+B`);
  assert.equal(await find(''), `${home}/ordenes`);
  assert.equal(await find(folio), `${home}/facturas?folio=${folio.toUpperCase()}`);
});

test('an unknown address is a page for browsers and JSON for programs', async () => {
  const visitor = openVisitor(instance.url);
  const page = await visitor.get('/nada', { accept: 'text/html' });
  assert.equal(page.status, 404);
  assert.match(page.text, /<h1>No existe esa página<\/h1>/);
  const json = await visitor.get('/nada', { accept: 'application/json' });
  assert.deepEqual([json.status, codeOf(json.text)], [404, 'not_found']);
});

/** Where the plan does not matter, other roles than the owner try one with the API, one without. */
function tried(role: Role, plan: Plan) {
  const isWhole = role === 'owner' || plan === 'basico' || plan === 'avanzado';
  return Object.entries(TABLE).filter(([, { capability }]) => isWhole || capability !== null);
}

/** What a job does is not done yet. */
function statusOf(operation: AnyOperation): number {
  return operation.kind === 'write' && operation.isJob ? 202 : 200;
}

/** From the tables of roles and plans alone. */
function mayCall({ action, capability }: Requirement, role: Role, plan: Plan): boolean {
  const { api, webhooks }: PlanTerms = PLANS[plan];
  const included = { api, webhooks: webhooks !== 'none' };
  return (action === null || may(role, action)) && (capability === null || included[capability]);
}

async function call(name: string, input = INPUTS[name] ?? {}) {
  await FIRST[name]?.();
  const path = `/panel/api/${organizacion}/${name}`;
  return findOperation(name)?.kind === 'write'
    ? person.visitor.ask(path, input)
    : person.visitor.get(`${path}?${new URLSearchParams(input as Record<string, string>)}`);
}

/** A line with a guide, and one whose attempt has no answer. */
async function warehouseInputs(): Promise<typeof INPUTS> {
  await instance.record([anOrder({ id: 'A-2' })], organizacion);
  const lineOf = async (number: string) => {
    const { text } = await person.visitor.get(
      `/panel/api/${organizacion}/lines.list?number=${number}`,
    );
    return String(JSON.parse(text).data[0].line_id);
  };
  const [line_id, lost] = [await lineOf('A-1'), await lineOf('A-2')];
  await instance.app.database
    .within(organizacion)
    .write((scope) =>
      setTracking(scope, OPERATOR, line_id, { trackingNumber: '9001', carrier: 'Estafeta' }),
    );
  const settle = { attempt_id: await attemptOf(lost, 'unknown') };
  const guide = { attempt_id: await attemptOf(line_id, 'ok') };
  const { text } = await person.visitor.get(
    `/panel/api/${organizacion}/lines.get?line_id=${line_id}`,
  );
  const request = { line_ids: [lost], idempotency_key: 'clic' };
  const asked = await person.visitor.ask(`/panel/api/${organizacion}/guides.request`, request);
  const set = await person.visitor.ask(`/panel/api/${organizacion}/lines.set-in-transit`, {
    line_id,
  });
  return {
    'guides.batch': { batch_id: JSON.parse(asked.text).batch_id },
    'guides.batches': {},
    'guides.cancel': guide,
    'guides.labels': guide,
    'guides.plan': { line_ids: lost },
    'guides.request': request,
    'guides.settle': settle,
    'lines.edit': { line_id, version: JSON.parse(text).data.version },
    'lines.get': { line_id },
    'lines.set-in-transit': { line_id },
    'lines.transfer': { line_id },
    'lines.transfer-all': { line_ids: [line_id] },
    'lines.undo-transfer': { line_id },
    'warehouse.job': { kind: 'in_transit', job_id: JSON.parse(set.text).job_id },
  };
}

async function attemptOf(lineId: string, state: 'ok' | 'unknown'): Promise<string> {
  const id = newId();
  const at = instance.clock.now().toString();
  const tracking = state === 'ok' ? '9001' : null;
  const text = `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state,
      carrier, tracking_number, currency, zpl, pdf_base64, queued_at)
    values ($1, $2, $3, $2, $4, $5, 'paquetexpress', $6, 'MXN', '^XA', 'JVBERi0=', $7)`;
  const values = [organizacion, id, lineId, `REF-${state}`, state, tracking, at];
  await instance.app.database.write((handle) => handle.sql(text, values));
  return id;
}

function setAttempt(state: string) {
  return instance.app.database.write((handle) =>
    handle.sql("update guide_attempts set state = $1 where reference = 'REF-unknown'", [state]),
  );
}

function setLine(state: string) {
  return instance.app.database.write((handle) =>
    handle.sql("update warehouse_lines set state = $1 where tracking_number = '9001'", [state]),
  );
}

/** An account at a marketplace that is given no webhooks: disconnecting it makes no call. */
function connected(accountId: string): Promise<string> {
  return instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      service: 'coppel',
      accountId,
      name: `Tienda ${accountId}`,
      baseUrl: null,
      credentials: { api_key: 'clave' },
      credentialsExpireAt: null,
    }),
  );
}

function needsSecondFactor(name: string): boolean {
  const operation = findOperation(name);
  return operation?.kind === 'write' && operation.needsSecondFactor === true;
}

async function useFactorAt(at: string | null): Promise<void> {
  await instance.app.database.write((handle) =>
    handle.sql('update sessions set factor_used_at = $1 where person_id = $2', [
      at,
      person.personId,
    ]),
  );
}

async function setPlan(plan: Plan): Promise<void> {
  await instance.app.database.write((handle) =>
    changePlan(handle, instance.clock, { organizationId: organizacion, plan, quota: null }),
  );
}

/** The change of the role is committed only once the call waits for it. @param role null = none */
async function whileRoleChanges<T>(role: Role | null, work: () => Promise<T>): Promise<T> {
  const { database } = instance.app;
  const settled: unknown[] = [];
  const ids = [organizacion, person.personId];
  const called = await database.within(organizacion).write(async (scope) => {
    await lockOrganization(scope);
    const change =
      role === null
        ? 'delete from members where organization_id = $1 and person_id = $2'
        : 'update members set role = $3 where organization_id = $1 and person_id = $2';
    await scope.handle.sql(change, role === null ? ids : [...ids, role]);
    const answer = work().finally(() => settled.push(true));
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await soon(async () => {
      const rows = await scope.handle.sql(waiting, []);
      assert.ok(rows.length + settled.length > 0);
    }, LONGEST_WAIT_MS);
    return { answer };
  });
  const answer = await called.answer;
  await database.within(organizacion).write(async (scope) => {
    if (role === null)
      await addMember(scope, 'operator', { personId: person.personId, role: 'owner' });
  });
  await setRole('owner');
  return answer;
}

async function setRole(role: Role): Promise<void> {
  await instance.app.database.write((handle) =>
    handle.sql('update members set role = $1 where person_id = $2', [role, person.personId]),
  );
}

function codeOf(text: string): string {
  return JSON.parse(text).error.code;
}

async function aFinding(): Promise<string> {
  const id = newId();
  await instance.app.database.write((handle) =>
    handle.sql(
      `insert into findings (organization_id, id, marketplace, account_id, kind, subject, state, amount, currency, since, found_at, changed_at)
       values ($1, $2, 'amazon', 'A', 'order_unpaid', '702-1', 'open', 232, 'MXN', now(), now(), now())`,
      [organizacion, id],
    ),
  );
  return id;
}
