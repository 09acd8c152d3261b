import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MANAGE } from '../src/entrances/rest/manage/manage.ts';
import { V1 } from '../src/entrances/rest/v1.ts';
import { EXPORTS } from '../src/features/exports/index.ts';
import { listKeys } from '../src/features/keys/index.ts';
import { changeOrganization, changePlan } from '../src/features/organizations/index.ts';
import { changeRole, type Role } from '../src/features/people/index.ts';
import type { Plan } from '../src/features/plans/index.ts';
import { isApiKey } from '../src/platform/api-key.ts';
import { newId } from '../src/platform/ids.ts';
import { momentIn } from '../src/platform/time.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { callApi, openApp, type TestApp } from './support/app.ts';
import {
  joined,
  openMailingInstance,
  openTeam,
  type Team,
  withSecondFactor,
} from './support/people.ts';
import { freshDatabase } from './support/server.ts';
import type { PageAnswer } from './support/visitor.ts';

// API keys on their page.

const { instance, dataDir, folder } = await openMailingInstance(WHOLE_FILE);
const { clock } = instance;
const PAGE = '/cuenta/claves';

test('a key is shown once, works, and is listed with what it may read', async () => {
  const { owner, organizacion } = await openShop();

  const made = await make(
    { owner, organizacion },
    { nombre: ' Hoja de ventas ', permiso: 'sales:read' },
  );
  const key = keyIn(made);
  const called = await callApi(instance.url, '/v1/me', {}, { key });
  const page = await owner.visitor.get(PAGE);

  assert.deepEqual(
    [made.status, made.headers.get('cache-control'), isApiKey(key)],
    [200, 'no-store', true],
  );
  assert.match(made.text, /no se vuelve a mostrar/);
  assert.match(
    made.text,
    new RegExp(
      `no puede leer órdenes.*curl -H "Authorization: Bearer ${key}" "http[^"?]+/v1/me"`,
      's',
    ),
  );
  assert.deepEqual([called.status, called.body.data.key.name], [200, 'Hoja de ventas']);
  assert.equal(page.text.includes(key.slice(4, -4)), false);
  assert.match(
    page.text,
    new RegExp(`Hoja de ventas.*tgs_…${key.slice(-4)}.*Permisos: Ventas<`, 's'),
  );
  assert.match(page.text, /1 de 10 claves activas.*Creada el \d+ \w+ 20\d\d.*Activa; no vence/s);
  assert.match((await owner.visitor.get('/cuenta')).text, /href="\/cuenta\/claves"/);
});

test('the first call that comes with a key gives orders, and the quickstart is beside it', async () => {
  const { text } = await make(await openShop());

  const [, header = '', call = ''] = /curl -H "([^"]+)" "([^"]+)"/.exec(text) ?? [];
  const answer = await fetch(call, { headers: { authorization: header.split(': ')[1] ?? '' } });
  const { data } = (await answer.json()) as { data: unknown };
  assert.deepEqual([answer.status, data], [200, []]);
  assert.ok(call.endsWith('/v1/orders?limit=5'), call);
  assert.match(text, /<a href="\/docs\/guia">Guía rápida/);
});

test('only permissions that an operation or an export needs are offered', async () => {
  const team = await openShop('experto');
  const operations = [...V1.operations, ...MANAGE.operations].flatMap(({ scope }) => scope ?? []);
  const ofExports = Object.values(EXPORTS).map(({ scope }) => scope);

  const { text } = await team.owner.visitor.get(PAGE);

  const offered = [...text.matchAll(/name="permiso" value="([^"]+)"/g)].map(([, scope]) => scope);
  assert.deepEqual(offered.toSorted(), [...new Set([...operations, ...ofExports])].toSorted());
});

test('a plan without the API lets keys be made, and says what it lacks', async () => {
  const team = await openShop('basico');

  const page = await team.owner.visitor.get(PAGE);
  const made = await make(team);
  const key = keyIn(made);
  const before = await callApi(instance.url, '/v1/me', {}, { key });
  await setPlan(team, 'intermedio');

  assert.match(page.text, /Tu plan Básico no incluye la API: las claves que crees servirán cuando/);
  assert.match(made.text, /Tu plan Básico no incluye la API.*\/ajustes">Ver los planes<\/a>/);
  assert.doesNotMatch(made.text, /curl/, 'a call that this plan refuses');
  assert.deepEqual([before.status, before.body.error.code], [403, 'plan_does_not_include_api']);
  await soon(async () =>
    assert.equal((await callApi(instance.url, '/v1/me', {}, { key })).status, 200),
  );
});

test('without a second factor the page says where to get one, and no key is made', async () => {
  const team = await openTeam(instance, folder);

  const page = await team.owner.visitor.get(PAGE);
  const made = await make(team);

  const [, way = ''] = /href="([^"]+)">verificación en dos pasos/.exec(page.text) ?? [];
  const { text } = await team.owner.visitor.get(way.replaceAll('&#38;', '&'));
  assert.match(text, /name="volver" value="\/cuenta\/claves\?organizacion=/);
  assert.doesNotMatch(page.text, /<form method="post" action="(?!\/cuenta\/salir")/);
  assert.match((await team.owner.visitor.get('/cuenta')).text, /id="segundo-paso".*id="llaves"/s);
  assert.deepEqual(
    [made.status, /role="alert">Falta la verificación/.test(made.text)],
    [403, true],
  );
  assert.equal((await keysOf(team)).length, 0);
});

test('a machine of one’s own may put the second factor off', async (t) => {
  const own = await openApp(t, {
    clock,
    env: { DATA_DIR: dataDir, SECOND_FACTOR: 'deferred' },
    database: await freshDatabase(),
  });
  const team = await openTeam(own, folder);

  const made = await make(team);

  assert.ok(isApiKey(keyIn(made)));
});

test('only owners and administrators see and make keys', { tags: ['slow'] }, async () => {
  const team = await openShop();
  const made = await make(team);
  const [key] = await keysOf(team);
  const outcomes: Partial<Record<Role, number[]>> = {};

  for (const role of ['admin', 'member', 'supervisor', 'warehouse'] as const) {
    const { visitor } = await joined(instance, folder, team.organizacion, { by: team.owner, role });
    await withSecondFactor(visitor);
    const form = { organizacion: team.organizacion, clave: key?.id ?? '', formulario: newId() };
    const answers = [
      await visitor.get(`${PAGE}?organizacion=${team.organizacion}`),
      await visitor.post(PAGE, { ...form, nombre: role, permiso: 'orders:read', vigencia: '' }),
    ];
    if (role !== 'admin') answers.push(await visitor.post('/cuenta/claves/revocar', form));
    outcomes[role] = answers.map(({ status }) => status);
  }

  const refused = [403, 403, 403];
  assert.deepEqual(outcomes, {
    admin: [200, 200],
    member: refused,
    supervisor: refused,
    warehouse: refused,
  });
  assert.equal((await callApi(instance.url, '/v1/me', {}, { key: keyIn(made) })).status, 200);
});

test('a role that is taken away while a key is being made counts', async () => {
  const team = await openShop();
  const { owner, organizacion } = team;
  const admin = await team.join('admin');
  await withSecondFactor(admin.visitor);
  const given = { personId: admin.personId, role: 'member' } as const;

  const { promise: asked, resolve: ask } = Promise.withResolvers<Promise<PageAnswer>>();
  await instance.app.database.within(organizacion).write(async (scope) => {
    await changeRole(scope, owner, given);
    ask(make({ owner: admin, organizacion }));
    // It has seen the page's role by now, and waits for this transaction.
    await soon(async () => assert.equal(await waiting(), 1));
  });
  const answer = await asked;

  assert.equal(answer.status, 403);
  assert.deepEqual(await keysOf(team), []);
});

test('the eleventh active key is refused, and one more is made once one is revoked', async () => {
  const team = await openShop();
  for (let count = 1; count <= 10; count++) await make(team, { nombre: `clave ${count}` });

  const refused = await make(team, { nombre: 'la undécima' });
  const [first] = await keysOf(team);
  await team.owner.visitor.post('/cuenta/claves/revocar', { clave: first?.id ?? '' });
  const made = await make(team, { nombre: 'la undécima' });

  assert.equal(refused.status, 409);
  assert.match(
    refused.text,
    /role="alert">Llegaste al máximo de claves activas de tu plan\. Revoca una/,
  );
  assert.match(refused.text, /value="la undécima"/);
  assert.equal(made.status, 200);
});

test('a key that is asked for while the plan goes down counts by the new plan', async () => {
  const team = await openShop('experto');
  for (let count = 1; count <= 10; count++) await make(team, { nombre: `clave ${count}` });
  const { organizacion: organizationId } = team;

  const { promise: asked, resolve: ask } = Promise.withResolvers<Promise<PageAnswer>>();
  await instance.app.database.write(async (handle) => {
    await changePlan(handle, clock, { organizationId, plan: 'avanzado', quota: null });
    ask(make(team, { nombre: 'la undécima' }));
    // It has seen the page's plan by now, and waits for this transaction.
    await soon(async () => assert.equal(await waiting(), 1));
  });
  const refused = await asked.then((answer) => answer);

  assert.equal(refused.status, 409);
  assert.equal((await keysOf(team)).length, 10);
});

test('a regenerated key takes the place of the former one, which works for the overlap that was chosen', async () => {
  const team = await openShop();
  const former = keyIn(
    await make(team, { nombre: 'almacén', permiso: 'inventory:read', vigencia: '90' }),
  );
  const [{ id } = { id: '' }] = await keysOf(team);
  const { visitor } = team.owner;
  const status = async (key: string) => (await callApi(instance.url, '/v1/me', {}, { key })).status;

  const asked = await visitor.get(`/cuenta/claves/regenerar?clave=${id}`);
  const made = await visitor.post('/cuenta/claves/regenerar', {
    clave: id,
    traslape: '1',
    formulario: newId(),
  });
  const page = await visitor.get(PAGE);
  const twice = await visitor.post('/cuenta/claves/regenerar', {
    clave: id,
    traslape: '1',
    formulario: newId(),
  });
  const during = [await status(former), await status(keyIn(made))];
  clock.advance({ hours: 1 });

  assert.match(asked.text, /<h1>Regenerar «almacén».*<option value="24" selected>24 horas más/s);
  assert.deepEqual(during, [200, 200]);
  assert.match(page.text, /1 de 10 claves activas.*Reemplazada por otra; sirve hasta el/s);
  assert.equal(twice.status, 404);
  await soon(async () =>
    assert.deepEqual([await status(former), await status(keyIn(made))], [401, 200]),
  );
  assert.match((await visitor.get(PAGE)).text, /Claves que ya no sirven \(1\).*Venció el/s);
});

test('revoking takes two steps, and then the key is refused', async () => {
  const team = await openShop();
  const key = keyIn(await make(team));
  const { visitor } = team.owner;
  const page = await visitor.get(PAGE);
  const link = /href="(\/cuenta\/claves\/revocar[^"]+)"/
    .exec(page.text)?.[1]
    ?.replaceAll('&#38;', '&');

  const asked = await visitor.get(link ?? '/');
  const still = await callApi(instance.url, '/v1/me', {}, { key });
  const [{ id } = { id: '' }] = await keysOf(team);
  const done = await visitor.post('/cuenta/claves/revocar', { clave: id });
  const twice = await visitor.post('/cuenta/claves/revocar', { clave: id });

  assert.match(asked.text, /<h1>¿Revocar «prueba»\?<\/h1>.*No se puede deshacer/s);
  assert.equal(still.status, 200);
  assert.match(
    (await visitor.get(done.to)).text,
    /role="status">La clave quedó revocada.*Revocada el/s,
  );
  assert.equal(twice.status, 404);
  await soon(async () => {
    const { status, body } = await callApi(instance.url, '/v1/me', {}, { key });
    assert.deepEqual([status, body.error.code], [401, 'api_key_revoked']);
  });
});

test('the page with a key that is loaded again makes no second one, and says that it is there', async () => {
  const team = await openShop();
  const { visitor } = team.owner;
  const form = formIn((await visitor.get(PAGE)).text, PAGE);
  const filled = { ...form, nombre: 'hoja', permiso: 'orders:read', vigencia: '' };

  const [one, other] = await Promise.all([visitor.post(PAGE, filled), visitor.post(PAGE, filled)]);
  const again = await visitor.post(PAGE, { ...filled, nombre: 'otro nombre' });
  const [{ id = '', lastFour = '' } = {}, ...more] = await keysOf(team);
  const key = keyIn(one) || keyIn(other);

  assert.deepEqual([one.status, other.status].toSorted(), [200, 409]);
  assert.deepEqual([again.status, more], [409, []]);
  assert.match(
    again.text,
    /<h1>Esa clave ya quedó creada.*«hoja» ya quedó creada, y se mostró una sola vez/s,
  );
  assert.match(again.text, new RegExp(`tgs_…${lastFour}`));
  assert.equal(again.text.includes(key.slice(4, -4)), false);
  assert.equal((await callApi(instance.url, '/v1/me', {}, { key })).status, 200);

  const to = '/cuenta/claves/regenerar';
  const renewal = formIn((await visitor.get(`${to}?clave=${id}`)).text, to);
  const fresh = await visitor.post(to, { ...renewal, traslape: '24' });
  const reloaded = await visitor.post(to, { ...renewal, traslape: '24' });
  assert.deepEqual([fresh.status, reloaded.status, (await keysOf(team)).length], [200, 409, 2]);
  assert.match(reloaded.text, new RegExp(`ya quedó creada.*tgs_…${keyIn(fresh).slice(-4)}<`, 's'));
});

test('each page has a form of its own; one that made no key may come again, and without one none is made', async () => {
  const team = await openShop();
  const { visitor } = team.owner;
  const [first, second] = [
    formIn((await visitor.get(PAGE)).text, PAGE),
    formIn((await visitor.get(PAGE)).text, PAGE),
  ];
  const filled = { nombre: 'hoja', permiso: 'orders:read', vigencia: '' };

  const refused = await visitor.post(PAGE, { ...first, ...filled, nombre: '' });
  const made = [
    await visitor.post(PAGE, { ...first, ...filled }),
    await visitor.post(PAGE, { ...second, ...filled }),
  ];
  const without = [
    await visitor.post(PAGE, { organizacion: team.organizacion, ...filled }),
    await visitor.post(PAGE, { ...first, ...filled, formulario: 'x' }),
  ];
  const other = await openShop();
  const elsewhere = await make(other, { formulario: first.formulario ?? '' });

  assert.equal(refused.status, 400);
  assert.deepEqual(
    made.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(
    without.map(({ status, text }) => [
      status,
      /role="alert">El formulario llegó incompleto/.test(text),
    ]),
    [
      [400, true],
      [400, true],
    ],
  );
  assert.equal(elsewhere.status, 200, 'a form of one organisation is nothing to another');
  assert.equal((await keysOf(team)).length, 2);
});

test('what a key cannot be is said, and no key is made', async () => {
  const team = await openShop();

  const refused = [
    await make(team, { nombre: '' }),
    await make(team, { nombre: 'x'.repeat(61) }),
    await make(team, { permiso: '' }),
    await make(team, { permiso: 'orders:write' }),
    await make(team, { vigencia: '31' }),
    await make(team, { vigencia: 'siempre' }),
  ];

  assert.deepEqual(
    refused.map(({ status, text }) => [status, /role="alert"/.test(text)]),
    refused.map(() => [400, true]),
  );
  assert.equal((await keysOf(team)).length, 0);
});

test('a form that is refused comes back as it was filled in, with what is wrong beside its field', async () => {
  const team = await openShop();
  const typed = { nombre: 'Bodega', vigencia: '30' };

  const unnamed = await make(team, { ...typed, nombre: '', permiso: 'sales:read' });
  const empty = await make(team, { ...typed, permiso: '' });

  assert.match(unnamed.text, /id="nombre-fault">El nombre.*<input id="nombre"[^>]* aria-invalid/s);
  for (const { text } of [unnamed, empty]) {
    assert.match(text, /<option value="30" selected>/);
    assert.equal(text.match(/role="alert"/g)?.length, 1);
  }
  const checked = [...unnamed.text.matchAll(/name="permiso" value="([^"]+)" checked/g)];
  assert.deepEqual(
    checked.map(([, scope]) => scope),
    ['sales:read'],
  );
  assert.match(empty.text, /id="permiso-fault">Marca al menos un permiso/);
  assert.match(empty.text, /<input id="nombre"[^>]* value="Bodega"/);
  assert.doesNotMatch(empty.text, / checked>/);
});

test('the page has the hours of the panel: those of the time zone of the organisation', async () => {
  const team = await openShop();
  const within = instance.app.database.within(team.organizacion);
  await within.write((scope) =>
    changeOrganization(scope, 'operator', { name: 'Norte', timezone: 'America/Tijuana' }),
  );
  await make(team, { vigencia: '30' });
  const [key] = await keysOf(team);
  assert.ok(key?.expiresAt);

  const { text } = await team.owner.visitor.get(PAGE);

  const ends = (zone: string) => momentIn(zone, key.expiresAt as Temporal.Instant);
  assert.ok(text.includes(`vence el ${ends('America/Tijuana')}`), text);
  assert.equal(text.includes(ends('America/Mexico_City')), false);
});

test('the keys of another organisation cannot be reached', async () => {
  const [team, other] = [await openShop(), await openShop()];
  const key = keyIn(await make(other));
  const [{ id } = { id: '' }] = await keysOf(other);
  const { visitor } = team.owner;

  const answers = [
    await visitor.get(`/cuenta/claves/revocar?clave=${id}`),
    await visitor.post('/cuenta/claves/revocar', { clave: id }),
    await visitor.post('/cuenta/claves/regenerar', {
      clave: id,
      traslape: '0',
      formulario: newId(),
    }),
    await visitor.post('/cuenta/claves/revocar', { clave: id, organizacion: other.organizacion }),
    await visitor.post('/cuenta/claves/revocar', { clave: 'ninguna' }),
  ];

  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 404),
  );
  assert.equal((await callApi(instance.url, '/v1/me', {}, { key })).status, 200);
});

test('a key unused for 90 days is marked', async () => {
  const team = await openShop();
  await make(team);
  const [{ id } = { id: '' }] = await keysOf(team);
  const isMarked = async (made: number, used: number | null) => {
    const ago = (days: number | null) => days && clock.now().subtract({ hours: 24 * days });
    await instance.app.database.write((handle) =>
      handle.sql('update api_keys set created_at = $2, last_used_at = $3 where id = $1', [
        id,
        String(ago(made)),
        ago(used)?.toString() ?? null,
      ]),
    );
    return /Nadie la usa desde hace 90 días/.test((await team.owner.visitor.get(PAGE)).text);
  };

  assert.deepEqual(
    [
      await isMarked(89, null),
      await isMarked(90, null),
      await isMarked(200, 89),
      await isMarked(200, 90),
    ],
    [false, true, false, true],
  );
});

/** An organisation whose owner has a second factor. */
async function openShop(plan: Plan = 'intermedio'): Promise<Team> {
  const team = await openTeam(instance, folder);
  await withSecondFactor(team.owner.visitor);
  await setPlan(team, plan);
  return team;
}

async function setPlan({ organizacion }: Pick<Team, 'organizacion'>, plan: Plan): Promise<void> {
  const change = { organizationId: organizacion, plan, quota: null };
  await instance.app.database.write((handle) => changePlan(handle, clock, change));
}

function make(
  { owner, organizacion }: Pick<Team, 'owner' | 'organizacion'>,
  given: Record<string, string> = {},
): Promise<PageAnswer> {
  const usual = {
    organizacion,
    formulario: newId(),
    nombre: 'prueba',
    permiso: 'orders:read',
    vigencia: '',
  };
  const form = Object.entries({ ...usual, ...given }).filter(
    ([name, value]) => name !== 'permiso' || value,
  );
  return owner.visitor.post(PAGE, Object.fromEntries(form));
}

/** How many transactions wait for another one. */
async function waiting(): Promise<number> {
  const rows = await instance.app.database.write((handle) =>
    handle.sql(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    ),
  );
  return rows.length;
}

/** The hidden fields of the page's form that is sent there. */
function formIn(text: string, to: string): Record<string, string> {
  const [form = ''] =
    new RegExp(`<form method="post" action="${to}">.*?</form>`, 's').exec(text) ?? [];
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)">/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

function keyIn({ text }: PageAnswer): string {
  return /id="clave-de-api">([^<]+)</.exec(text)?.[1] ?? '';
}

function keysOf({ organizacion }: Pick<Team, 'organizacion'>, at: TestApp = instance) {
  return at.app.database.within(organizacion).read(listKeys);
}
