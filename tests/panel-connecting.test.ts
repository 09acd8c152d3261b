import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Mirakl, startMirakl } from '../simulators/mirakl/index.ts';
import { startWooCommerce, type WooCommerce } from '../simulators/woocommerce/index.ts';
import { findService, SERVICES } from '../src/carriers/registry.ts';
import { connect } from '../src/exchange/connect/connect.ts';
import { faultsOfForm } from '../src/exchange/connect/typed-credentials.ts';
import {
  connectionById,
  openCredentials,
  type SealedConnection,
  saveConnection,
} from '../src/features/connections/index.ts';
import { changePlan, setSuspended } from '../src/features/organizations/index.ts';
import { addMember, changeRole, type Role } from '../src/features/people/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import type { ReadScope } from '../src/platform/db/database.ts';
import { SITE_PAGES } from '../src/platform/site-pages.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import type { TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { type Market, openMarket } from './support/market.ts';
import { bodyOf } from './support/panel.ts';
import { type Known, known, openMailingInstance } from './support/people.ts';
import { freshDatabase } from './support/server.ts';
import { openVisitor } from './support/visitor.ts';

// From the panel to an account that is connected: consent pages and typed forms.

let market: Market;
let shop: WooCommerce;
let mirakl: Mirakl;
let instance: TestApp;
let person: Known;
let stranger: Known;
let organizacion: string;

before(async () => {
  const clock = turnedClock(systemClock.now().toString());
  market = await openMarket(WHOLE_FILE, clock);
  shop = await startWooCommerce({ now: () => clock.now().epochMilliseconds });
  WHOLE_FILE.after(shop.close);
  mirakl = await startMirakl({ now: () => clock.now().epochMilliseconds });
  WHOLE_FILE.after(mirakl.close);
  const { PUBLIC_URL: _, ...markets } = market.env;
  // tests/panel.test.ts tries the second factor.
  const env = {
    ...markets,
    WOOCOMMERCE_BASE_URL: shop.url,
    LIVERPOOL_BASE_URL: mirakl.url,
    SECOND_FACTOR: 'deferred',
  };
  const opened = await openMailingInstance(WHOLE_FILE, clock, env);
  instance = opened.instance;
  market.application.redirectUri = `${instance.app.exchange.publicUrl}/connect/mercado_libre`;
  person = await known(instance, opened.folder);
  stranger = await known(instance, opened.folder);
  organizacion = await organizationOf(person);
  await instance.app.database.write((handle) =>
    changePlan(handle, clock, { organizationId: organizacion, plan: 'avanzado', quota: null }),
  );
});

test('every form has exactly fields of the credentials, and says all that is missing at once', () => {
  for (const service of SERVICES) {
    const { form, credentials } = findService(service)?.auth ?? {};
    if (!form) continue;
    const names = form.fields.map(({ name }) => name);
    const required = form.fields.filter(({ isOptional }) => !isOptional);
    assert.deepEqual(
      faultsOfForm(service, {})
        .map(({ field }) => field)
        .toSorted(),
      (required.length > 0 ? required.map(({ name }) => name) : names.slice(0, 1)).toSorted(),
      service,
    );
    for (const { hint, label } of form.fields)
      assert.ok(hint.length > 5 && label.length > 2, service);
    const settings = form.settings ?? [];
    const odd = Object.fromEntries([...names, ...settings].map((name) => [name, '\u0000']));
    const unknown = credentials
      ?.safeParse(odd)
      .error?.issues.filter(({ code }) => code === 'unrecognized_keys');
    assert.deepEqual(unknown ?? [], [], `${service}: a field that the credentials do not have`);
  }
});

test('faults of a form stand beside their fields, and nothing is sent anywhere', async () => {
  const fields = { url: 'http://no', consumer_key: 'sin prefijo', consumer_secret: '' };
  const { data, status } = await write('connections.connect', { service: 'woocommerce', fields });
  assert.equal(status, 200);
  assert.equal(data.connected, null);
  assert.deepEqual(data.faults.map(({ field }: { field: string }) => field).toSorted(), [
    'consumer_key',
    'consumer_secret',
    'url',
  ]);
  const hidden = await write('connections.connect', {
    service: 'woocommerce',
    fields: { ...fields, permalinks: 'false' },
  });
  assert.equal(hidden.data.connected, null);
});

test('the form of a connected account has its fields filled in, but for secrets', async () => {
  const credentials = { store_id: '1234', access_token: 'secreto-1', client_secret: 'secreto-2' };
  const id = await instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'tiendanube', accountId: '1234', name: 'Outlet', credentials },
      ...{ baseUrl: null, credentialsExpireAt: null },
    }),
  );
  const known = () => read(`connections.known-fields?connection_id=${id}`);

  assert.deepEqual(await known(), { fields: { store_id: '1234' } });
  await write('connections.disconnect', { connection_id: id });
  assert.deepEqual(await known(), { fields: {} });
});

test('an account keeps the name that a person gave it when it is connected again', async () => {
  const credentials = { store_id: '77', access_token: 'secreto-1', client_secret: 'secreto-2' };
  const connectAgain = () =>
    instance.app.database.within(organizacion).write((scope) =>
      saveConnection(scope, instance.app.exchange.keyring, {
        ...{ service: 'tiendanube', accountId: '77', name: 'Tienda 77', credentials },
        ...{ baseUrl: null, credentialsExpireAt: null },
      }),
    );
  const connection_id = await connectAgain();
  const rename = (name: string) => write('connections.rename', { connection_id, name });
  const names = async () =>
    (await read('connections.overview')).data
      .filter(({ id }: { id: string }) => id === connection_id)
      .map(({ name }: { name: string }) => name);

  assert.equal((await rename('  Outlet norte ')).status, 200);
  assert.deepEqual(await names(), ['Outlet norte']);
  assert.match(
    (await person.visitor.get(SITE_PAGES.activity.path)).text,
    /Cambió el nombre de una cuenta a Tiendanube: Outlet norte/,
  );
  await connectAgain();
  assert.deepEqual(await names(), ['Outlet norte']);

  for (const name of [' ', 'x'.repeat(61), 'Outlet\nnorte']) {
    const refused = await rename(name);
    assert.deepEqual([refused.status, refused.data.error.param], [400, 'name'], name);
  }
  await write('connections.disconnect', { connection_id });
  assert.equal((await rename('Outlet cerrado')).status, 200);
  assert.deepEqual(await names(), ['Outlet cerrado']);
});

test('a person who gives permission comes back to Conexiones, and the trail says who connected', async () => {
  const back = await consented(person);
  const answer = await person.visitor.get(back);

  assert.equal(answer.to, `/panel/${organizacion}/conexiones?conectada=mercado_libre`);
  const { data } = await read('connections.overview');
  const [account] = data;
  assert.equal(account.service, 'mercado_libre');
  assert.equal(account.state, 'ok');
  const { text } = await person.visitor.get(SITE_PAGES.activity.path);
  assert.match(text, /Conectó la cuenta Mercado Libre: /);

  for (const [is_paused, state, act] of [
    [true, 'paused', /Puso en pausa la cuenta Mercado Libre: /],
    [false, 'ok', /Reanudó la cuenta Mercado Libre: /],
  ] as const) {
    const paused = await write('connections.pause', { connection_id: account.id, is_paused });
    assert.deepEqual([paused.status, paused.data], [200, { is_paused }]);
    assert.equal((await read('connections.overview')).data[0].state, state);
    assert.match((await person.visitor.get(SITE_PAGES.activity.path)).text, act);
  }

  const gone = await write('connections.disconnect', { connection_id: account.id });
  assert.equal(gone.status, 200);
  assert.equal((await read('connections.overview')).data[0].state, 'disconnected');
  assert.match((await person.visitor.get(SITE_PAGES.activity.path)).text, /Desconectó la cuenta/);
  const late = await write('connections.sync-soon', { connection_id: account.id });
  assert.equal(late.status, 404);
});

test('a consent that another person began connects nothing', async () => {
  for (const visitor of [stranger.visitor, openVisitor(instance.url)]) {
    const before = (await read('connections.overview')).data.length;
    const refused = await visitor.get(await consented(person));
    assert.equal(refused.status, 400);
    assert.match(refused.text, /la inició otra persona/);
    assert.equal((await read('connections.overview')).data.length, before);
  }
});

test('a member who lost the right meanwhile connects nothing, as all of a suspended organisation', async () => {
  const { database } = instance.app;
  const connected = async () => (await read('connections.overview')).data.length;
  const before = await connected();
  const set = (role: Role) =>
    database
      .within(organizacion)
      .write((scope) => changeRole(scope, 'operator', { personId: person.personId, role }));
  const suspend = (isSuspended: boolean) =>
    database.write((handle) => setSuspended(handle, instance.clock, organizacion, isSuspended));
  await database
    .within(organizacion)
    .write((scope) => addMember(scope, 'operator', { personId: stranger.personId, role: 'owner' }));

  const asMember = await consented(person);
  await set('member');
  const demoted = await person.visitor.get(asMember);
  await set('owner');
  const atSuspended = await consented(person);
  await suspend(true);
  const suspended = await person.visitor.get(atSuspended);
  await suspend(false);

  assert.deepEqual([demoted.status, suspended.status], [403, 403]);
  assert.equal(await connected(), before);
});

test('an account of Liverpool may be at another portal, and its form says so', async () => {
  const { data: ways } = await read('connections.ways');
  const { form } = ways.find(({ service }: { service: string }) => service === 'liverpool');
  const host = form.fields.find(({ name }: { name: string }) => name === 'host');
  assert.deepEqual([host.label, host.is_optional], ['Dirección del portal', true]);
  assert.match(form.help, /es posible que las cuentas nuevas/);
  const { api_key } = mirakl.credentials();
  const connectAt = (typed: string) =>
    write('connections.connect', { service: 'liverpool', fields: { api_key, host: typed } });

  const { data: refused } = await connectAt('http://liverpool.example');
  assert.deepEqual(
    refused.faults.map(({ field }: { field: string }) => field),
    ['host'],
  );
  const { data } = await connectAt('https://otro-portal.mirakl.net/mmp/shop');
  const { fields } = await read(`connections.known-fields?connection_id=${data.connected?.id}`);
  assert.equal(fields.host, 'otro-portal.mirakl.net');
});

test('a portal that answers after the time of the request connects nothing', {
  tags: ['slow'],
}, async (t) => {
  const slow = createServer(async (request, response) => {
    await pause(1_500);
    const { authorization = '' } = request.headers;
    const answer = await fetch(`${mirakl.url}${request.url}`, { headers: { authorization } });
    const headers = { 'content-type': 'application/json' };
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, '127.0.0.1');
  t.after(() => slow.close());
  await once(slow, 'listening');
  const { port } = slow.address() as { port: number };
  const env = {
    REQUEST_TIMEOUT_SECONDS: '1',
    SECOND_FACTOR: 'deferred',
    LIVERPOOL_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const database = await freshDatabase();
  const own = await openMailingInstance(t, undefined, env, { database });
  const { visitor, ...owner } = await known(own.instance, own.folder);
  const [row] = await own.instance.app.database.write((handle) =>
    handle.sql('select organization_id from members where person_id = $1', [owner.personId]),
  );
  const panel = `/panel/api/${(row as { organization_id: string }).organization_id}`;
  const fields = { api_key: mirakl.credentials().api_key, host: '' };

  const asked = { service: 'liverpool', fields };
  const { status } = await visitor.ask(`${panel}/connections.connect`, asked);
  assert.ok(status >= 500, `${status}`);
  await pause(2_000);
  assert.deepEqual(bodyOf(await visitor.get(`${panel}/connections.list`)).data, []);
});

test('an account that is connected again keeps the settings that the form does not show', async () => {
  const settings = { statuses: { 'en-bodega': 'ready_to_ship' } };
  const file = { ...shop.credentials(), ...settings };
  const wanted = { organizationId: organizacion, service: 'woocommerce', baseUrl: null } as const;
  const { connectionId } = await connect(instance.app.exchange, { ...wanted, credentials: file });
  const stored = async () => {
    const { database, keyring } = instance.app.exchange;
    const read = (scope: ReadScope) => connectionById(scope, connectionId);
    const connection = await database.within(organizacion).read(read);
    return openCredentials(keyring, connection as SealedConnection) as Record<string, unknown>;
  };
  const connectWithForm = async () => {
    shop.revoke();
    const { statuses: _, ...fields } = shop.credentials();
    const { data } = await write('connections.connect', { service: 'woocommerce', fields });
    assert.equal(data.connected?.id, connectionId);
    assert.equal((await stored()).consumer_secret, fields.consumer_secret);
  };

  await connectWithForm();
  assert.deepEqual((await stored()).statuses, settings.statuses);

  await connect(instance.app.exchange, {
    ...wanted,
    credentials: { ...file, ...shop.credentials(), statuses: {} },
  });
  assert.deepEqual((await stored()).statuses, {}, 'a file says all there is');

  await connect(instance.app.exchange, {
    ...wanted,
    credentials: { ...shop.credentials(), ...settings },
  });
  await write('connections.disconnect', { connection_id: connectionId });
  await connectWithForm();
  assert.deepEqual((await stored()).statuses, {}, 'with the credentials the settings are gone');
});

test('an account is connected again by an access to itself, and by no other', async () => {
  const seller = market.newSeller();
  await person.visitor.get(await consented(person, { seller }));
  const all = async (): Promise<{ service: string; account_id: string; name: string }[]> =>
    (await read('connections.overview')).data;
  const before = await all();
  const store = before.find(({ service }) => service === 'woocommerce');
  const account_id = String(seller.id);
  const other = market.newSeller();
  const { statuses: _, ...fields } = shop.credentials();

  const page = await person.visitor.get(await consented(person, { seller: other, account_id }));
  const typed = await write('connections.connect', {
    service: 'woocommerce',
    fields,
    account_id: 'otra-tienda.example',
  });

  assert.equal(page.status, 400);
  assert.match(page.text, new RegExp(`${other.id}.*${seller.nickname} \\(${seller.id}\\)`));
  assert.equal(typed.status, 400);
  assert.match(typed.data.error.message, /no se conectó nada.*otra-tienda\.example/);
  assert.deepEqual(await all(), before);
  const again = await consented(person, { seller, account_id });
  assert.equal((await person.visitor.get(again)).status, 303);
  const own = { service: 'woocommerce', fields, account_id: store?.account_id };
  assert.equal((await write('connections.connect', own)).data.connected?.name, store?.name);
});

/** Begins in the panel and agrees at the marketplace. @returns where the browser is sent back */
async function consented(
  { visitor }: Known,
  { seller = market.newSeller(), account_id = null as string | null } = {},
): Promise<string> {
  const begun = await visitor.ask(`/panel/api/${organizacion}/connections.begin-consent`, {
    marketplace: 'mercado_libre',
    account_id,
  });
  const { address } = JSON.parse(begun.text);
  const page = new URL(address);
  page.searchParams.set('simulate_user', String(seller.id));
  page.searchParams.set('simulate_consent', 'grant');
  const { headers } = await fetch(page, { redirect: 'manual' });
  const { pathname, search } = new URL(headers.get('location') ?? '');
  return pathname + search;
}

async function write(name: string, input: object) {
  const answer = await person.visitor.ask(`/panel/api/${organizacion}/${name}`, input);
  return { status: answer.status, data: bodyOf(answer) };
}

async function read(name: string) {
  return bodyOf(await person.visitor.get(`/panel/api/${organizacion}/${name}`));
}

async function organizationOf({ personId }: Known): Promise<string> {
  const [row] = await instance.app.database.write((handle) =>
    handle.sql('select organization_id from members where person_id = $1', [personId]),
  );
  return (row as { organization_id: string }).organization_id;
}
