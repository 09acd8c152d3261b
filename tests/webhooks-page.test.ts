import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { type Order, recordOrders } from '../src/features/orders/index.ts';
import { changePlan } from '../src/features/organizations/index.ts';
import type { Role } from '../src/features/people/index.ts';
import type { Plan } from '../src/features/plans/index.ts';
import { actsBefore } from '../src/features/trail/index.ts';
import { LOGGED_TYPES, listEndpoints, signedHeaders } from '../src/features/webhooks-out/index.ts';
import { newSecret, verifierOf } from '../src/features/webhooks-out/signing.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { anOrder } from './support/app.ts';
import { openEndpoint, type TestEndpoint } from './support/endpoint.ts';
import { query, workOff } from './support/market.ts';
import {
  joined,
  openMailingInstance,
  openTeam,
  type Team,
  withSecondFactor,
} from './support/people.ts';
import { mailsTo, type PageAnswer } from './support/visitor.ts';

// Endpoints, their attempts and the event log on their pages.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const PAGE = '/cuenta/webhooks';
const URL_GIVEN = 'https://tienda.example/hooks/abc';

test('an endpoint is made with its filters, its secret is shown once, and a form that comes again makes no second one', async () => {
  const team = await openShop('avanzado');
  const form = { formulario: newId(), direccion: URL_GIVEN, tipo: 'order.created', ritmo: '60' };

  const made = await post(team, '/nuevo', { ...form, cuentas: '11, 22', marketplace: 'amazon' });
  const again = await post(team, '/nuevo', { ...form, cuentas: '11, 22', marketplace: 'amazon' });
  const list = await team.owner.visitor.get(PAGE);

  const [endpoint, ...others] = await endpointsOf(team);
  assert.equal(made.status, 200);
  assert.match(secretIn(made), /^whsec_.{40,}/);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  assert.equal(secretIn(again), secretIn(made));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [
      endpoint?.url,
      endpoint?.types,
      endpoint?.marketplaces,
      endpoint?.accountIds,
      endpoint?.ratePerMinute,
    ],
    [URL_GIVEN, ['order.created'], ['amazon'], ['11', '22'], 60],
  );
  assert.equal(list.text.includes(secretIn(made)), false);
  assert.match(list.text, /1 de 5 endpoints activos.*tienda\.example\/hooks\/abc.*>Activo</s);
});

test('what is wrong is said beside what was typed', async () => {
  const team = await openShop('avanzado');

  const answers = await Promise.all([
    post(team, '/nuevo', { formulario: newId(), direccion: 'http://tienda.example/', ritmo: '7' }),
    post(team, '/nuevo', {
      formulario: newId(),
      direccion: URL_GIVEN,
      encabezados: 'sin dos puntos',
    }),
    post(team, '/nuevo', { formulario: newId(), direccion: URL_GIVEN, ritmo: 'mucho' }),
    post(team, '/nuevo', { direccion: URL_GIVEN }),
  ]);

  assert.deepEqual(
    answers.map(({ status }) => status),
    [400, 400, 400, 400],
  );
  assert.match(
    answers[0]?.text ?? '',
    /empiece con https.*value="http:\/\/tienda\.example\/".*value="7"/s,
  );
  assert.match(answers[1]?.text ?? '', /un encabezado por línea.*sin dos puntos<\/textarea>/s);
  assert.match(answers[2]?.text ?? '', /El ritmo va de 1 a/);
  assert.match(answers[3]?.text ?? '', /formulario llegó incompleto/);
  assert.deepEqual(await endpointsOf(team), []);
});

test('an endpoint with headers goes to another server with others or without', async () => {
  const team = await openShop('avanzado');
  const form = { formulario: newId(), direccion: URL_GIVEN };
  await post(team, '/nuevo', { ...form, encabezados: 'Authorization: Bearer s' });
  const [{ id: endpoint } = { id: '' }] = await endpointsOf(team);
  const direccion = 'https://otra.example/';

  const refused = await post(team, '/cambiar', { endpoint, direccion });
  const dropped = await post(team, '/cambiar', { endpoint, direccion, 'sin-encabezados': '1' });

  assert.equal(refused.status, 400);
  assert.match(refused.text, /otro servidor.*<details open>.*Quitar los encabezados que tiene/s);
  assert.equal(noteOf(dropped), 'cambiado');
});

test('a test event, its attempt with status, time and answer, and a resend are on the page of the endpoint', {
  tags: ['slow'],
}, async (t) => {
  const { team, id, endpoint } = await served(t);
  endpoint.answer = (response) => response.writeHead(500).end('no <b>hoy</b>');

  const sent = await post(team, '/probar', { endpoint: id });
  await workOff(instance);
  const page = await pageOf(team, id);
  endpoint.answer = (response) => response.writeHead(200).end('ok');
  const evento = endpoint.deliveries[0]?.id ?? '';
  instance.clock.advance({ seconds: 1 });
  const resent = await post(team, '/reenviar', { endpoint: id, evento });
  await workOff(instance);
  const all = await post(team, '/reenviar', { endpoint: id, horas: '24' });
  const after = await pageOf(team, id);
  const event = await team.owner.visitor.get(`${PAGE}/evento?endpoint=${id}&evento=${evento}`);

  assert.deepEqual(
    [sent.status, noteOf(sent), noteOf(resent), noteOf(all)],
    [303, 'prueba', 'reenviado', 'ninguno'],
  );
  assert.match(
    page.text,
    /Rechazado<\/span> HTTP 500 · \d+ ms.*webhook\.test.*Intento 1.*no &#60;b&#62;hoy/s,
  );
  assert.deepEqual(
    endpoint.deliveries.map((one) => one.id),
    [evento, evento],
  );
  assert.match(after.text, /Entregado<\/span> HTTP 200.*Rechazado/s);
  assert.match(event.text, new RegExp(`webhook\\.test.*${evento}`, 's'));
});

test('an endpoint is changed, disabled, enabled, rotated and deleted, and the trail names the person', async (t) => {
  const { team, id, endpoint } = await served(t);
  const formulario = newId();

  const changed = await post(team, '/cambiar', {
    endpoint: id,
    direccion: endpoint.url,
    tipo: 'guide.failed',
  });
  const off = await post(team, '/estado', { endpoint: id, estado: 'inactivo' });
  const refused = await post(team, '/probar', { endpoint: id });
  const on = await post(team, '/estado', { endpoint: id, estado: 'activo' });
  const asks = await team.owner.visitor.get(`${PAGE}/rotar?endpoint=${id}`);
  const rotated = await post(team, '/rotar', { endpoint: id, formulario });
  const again = await post(team, '/rotar', { endpoint: id, formulario });
  const [kept] = await endpointsOf(team);
  const removed = await post(team, '/eliminar', { endpoint: id });

  assert.deepEqual([changed, off, on].map(noteOf), ['cambiado', 'inactivo', 'activo']);
  assert.deepEqual(
    [kept?.types, kept?.url, kept?.isOperatorTrusted],
    [['guide.failed'], endpoint.url, true],
  );
  assert.deepEqual([refused.status, /está desactivado/.test(refused.text)], [409, true]);
  assert.match(asks.text, /sigue firmando durante 24 horas/);
  assert.match(secretIn(rotated), /^whsec_/);
  assert.equal(secretIn(again), secretIn(rotated));
  assert.equal(noteOf(removed), 'eliminado');
  assert.deepEqual(await endpointsOf(team), []);
  const acts = await within(team).read((scope) => actsBefore(scope, null, 6));
  assert.deepEqual(acts.map(({ act }) => act).toReversed(), [
    'webhook_endpoint_made',
    'webhook_endpoint_changed',
    'webhook_endpoint_disabled',
    'webhook_endpoint_enabled',
    'webhook_secret_rotated',
    'webhook_endpoint_deleted',
  ]);
  const { personId, address } = team.owner;
  assert.deepEqual(acts[0]?.by, { personId, address });
});

test('after a downgrade a place that an endpoint leaves is for a new one, or for one that the plan disabled', async () => {
  const team = await openShop('experto');
  const make = () => post(team, '/nuevo', { formulario: newId(), direccion: URL_GIVEN });
  for (let count = 0; count < 7; count++) await make();
  await setPlan(team, 'avanzado');
  const [first, second, ...others] = (await endpointsOf(team)).map(({ id }) => id);
  const last = others.at(-1) ?? '';
  const set = (endpoint = '', estado: string) => post(team, '/estado', { endpoint, estado });

  const full = await set(last, 'activo');
  await set(first, 'inactivo');
  const made = await make();
  await set(second, 'inactivo');
  const shown = await pageOf(team, last);
  const enabled = await set(last, 'activo');
  const list = await team.owner.visitor.get(PAGE);
  const more = await make();

  assert.match(secretIn(made), /^whsec_/);
  assert.match(shown.text, />Activar</);
  assert.equal(noteOf(enabled), 'activo');
  assert.match(list.text, /5 de 5 endpoints activos/);
  for (const { status, text } of [full, more])
    assert.deepEqual([status, /Desactiva otro antes/.test(text)], [409, true]);
});

test('a plan without endpoints keeps all of them for 30 days, in which a higher one leaves each as it was', {
  tags: ['slow'],
}, async () => {
  const team = await openShop('avanzado');
  for (let count = 0; count < 2; count++)
    await post(team, '/nuevo', { formulario: newId(), direccion: URL_GIVEN });
  const stop = async (at: number) => {
    const endpoint = (await endpointsOf(team))[at]?.id ?? '';
    return post(team, '/estado', { endpoint, estado: 'inactivo' });
  };
  const states = async () => (await endpointsOf(team)).map(({ state }) => state);
  const pass = async (days: number) => {
    const text = `update webhook_endpoints set disabled_at = disabled_at - $2 * interval '1 day'
                   where organization_id = $1`;
    await query(instance, text, [team.organizacion, days]);
    await runHousekeeping(instance.app.exchange);
  };

  await stop(0);
  await pass(40);
  await setPlan(team, 'intermedio');
  const shown = await pageOf(team, (await endpointsOf(team))[1]?.id ?? '');
  await stop(1);
  await pass(29);
  const without = await states();
  await setPlan(team, 'avanzado');
  const again = await states();
  await setPlan(team, 'basico');
  await pass(31);

  assert.doesNotMatch(shown.text, />Desactivar</);
  assert.deepEqual(without, ['disabled_by_plan', 'disabled_by_plan']);
  assert.deepEqual(again, ['disabled', 'enabled']);
  assert.deepEqual(await states(), []);
});

test('a mail about an endpoint says what to do, with the address where it is done', {
  tags: ['slow'],
}, async (t) => {
  const { team, id, endpoint } = await served(t);
  const set = (columns: string) =>
    query(instance, `update webhook_endpoints set ${columns} where id = $1`, [id]);
  const fail = async () => {
    await change(team, [anOrder({ id: newId() })]);
    await query(instance, 'update webhook_deliveries set tries = 7 where endpoint_id = $1', [id]);
    await workOff(instance);
  };
  const [kept] = await query(instance, 'select secret_box from webhook_endpoints where id = $1', [
    id,
  ]);

  await set(`secret_box = 'rubbish'`);
  await fail();
  await query(
    instance,
    'update webhook_endpoints set secret_box = $2, paused_until = null where id = $1',
    [id, kept?.secret_box],
  );
  endpoint.answer = (response) => response.writeHead(500).end();
  await fail();
  endpoint.answer = (response) => response.writeHead(410).end();
  await fail();

  let mails: string[] = [];
  await soon(async () => {
    const all = await mailsTo(folder, team.owner.email, 0);
    mails = all.filter((mail) => /endpoint de webhooks/.test(mail));
    assert.equal(mails.length, 3);
  });
  for (const words of [/Rota el secreto aquí/, /lo envías de nuevo/, /actívalo aquí/]) {
    const [mail = '', ...others] = mails.filter((one) => words.test(one));
    const link = /\/cuenta\/webhooks\/endpoint\?\S+/.exec(mail)?.[0] ?? '';
    assert.deepEqual(others, []);
    assert.match((await team.owner.visitor.get(link)).text, /<h1>Endpoint de 127\.0\.0\.1/);
  }
});

test('Intermedio reads the log of seven days and makes no endpoint; a plan without webhooks says what has them', async () => {
  const team = await openShop('intermedio');
  await change(team, [anOrder({ id: '2000000001' })]);
  await query(
    instance,
    `update events set logged_at = logged_at - interval '8 days', type = 'order.updated' where organization_id = $1`,
    [team.organizacion],
  );
  await change(team, [anOrder({ id: '2000000002' })]);

  const list = await team.owner.visitor.get(PAGE);
  const log = await team.owner.visitor.get(`${PAGE}/eventos`);
  const none = await team.owner.visitor.get(`${PAGE}/eventos?tipo=guide.failed`);
  const made = await post(team, '/nuevo', { formulario: newId(), direccion: URL_GIVEN });
  await setPlan(team, 'basico');
  const basic = await team.owner.visitor.get(PAGE);
  const closed = await team.owner.visitor.get(`${PAGE}/eventos`);

  assert.match(list.text, /Tu plan Intermedio incluye el registro/);
  const plans = `href="/panel/${team.organizacion}/ajustes">Ver los planes`;
  for (const page of [list, basic]) assert.ok(page.text.includes(plans), plans);
  assert.doesNotMatch(list.text, /Crear un endpoint/);
  assert.match(log.text, /order\.created.*2000000002.*&#34;total&#34;: 259\.90,/s);
  assert.doesNotMatch(log.text, /2000000001/);
  assert.match(none.text, /No hay eventos de ese tipo/);
  assert.deepEqual([made.status, /no incluye webhooks/.test(made.text)], [403, true]);
  assert.match(basic.text, /Tu plan Básico no incluye webhooks/);
  assert.equal(closed.status, 403);
  assert.match(closed.text, /Intermedio o superior incluye el registro de eventos/);
});

test('the event of an attempt is shown as far back as the log of the plan', async (t) => {
  const { team, id } = await served(t);
  await post(team, '/probar', { endpoint: id });
  await workOff(instance);
  const link = /href="([^"]+evento=[^"]+)"/.exec((await pageOf(team, id)).text)?.[1] ?? '';
  const event = link.replaceAll('&#38;', '&');
  await query(
    instance,
    `update events set logged_at = logged_at - interval '8 days' where organization_id = $1`,
    [team.organizacion],
  );

  const statuses: Record<string, number> = {};
  for (const plan of ['avanzado', 'intermedio', 'basico'] as const) {
    await setPlan(team, plan);
    statuses[plan] = (await team.owner.visitor.get(event)).status;
  }
  const { text } = await pageOf(team, id);

  assert.deepEqual(statuses, { avanzado: 200, intermedio: 404, basico: 403 });
  assert.match(text, /webhook\.test/);
  assert.doesNotMatch(text, /evento=/);
});

test('the log is read back page by page', async () => {
  const team = await openShop('avanzado');
  await change(
    team,
    Array.from({ length: 30 }, (_, at) => anOrder({ id: `${3_000 + at}` })),
  );

  const first = await team.owner.visitor.get(`${PAGE}/eventos`);
  const older = /href="([^"]+)">Ver los anteriores/.exec(first.text)?.[1]?.replaceAll('&#38;', '&');
  const second = await team.owner.visitor.get(older ?? '');

  const one = await team.owner.visitor.get(`${PAGE}/eventos?objeto=3007`);
  const no = await team.owner.visitor.get(`${PAGE}/eventos?objeto=4000`);

  const idsOf = ({ text }: PageAnswer) => [...text.matchAll(/· (30\d\d)</g)].map(([, id]) => id);
  assert.deepEqual(
    [...idsOf(first), ...idsOf(second)].toSorted(),
    Array.from({ length: 30 }, (_, at) => `${3_000 + at}`),
  );
  assert.deepEqual([idsOf(first).length, idsOf(second).length], [25, 5]);
  assert.deepEqual(idsOf(one), ['3007']);
  assert.match(one.text, /name="objeto"[^>]*value="3007"/);
  assert.match(no.text, /No hay eventos con ese identificador/);
});

test('only roles that manage keys come in, and only with a second factor is a secret made', async () => {
  const team = await openShop('avanzado');
  const outcomes: Partial<Record<Role, number[]>> = {};
  for (const role of ['admin', 'member', 'warehouse'] as const) {
    const { visitor } = await joined(instance, folder, team.organizacion, { by: team.owner, role });
    const form = { organizacion: team.organizacion, formulario: newId(), direccion: URL_GIVEN };
    const pages = [PAGE, `${PAGE}/eventos`].map((path) =>
      visitor.get(`${path}?organizacion=${team.organizacion}`),
    );
    const answers = [...(await Promise.all(pages)), await visitor.post(`${PAGE}/nuevo`, form)];
    outcomes[role] = answers.map(({ status }) => status);
  }

  assert.deepEqual(outcomes, {
    admin: [200, 200, 403],
    member: [403, 403, 403],
    warehouse: [403, 403, 403],
  });
  assert.deepEqual(await endpointsOf(team), []);
});

test('an endpoint of another organisation is not found, whatever is asked of it', async (t) => {
  const { id } = await served(t);
  const other = await openShop('avanzado');

  const answers = [
    await pageOf(other, id),
    ...(await Promise.all(
      ['/probar', '/estado', '/rotar', '/eliminar', '/cambiar', '/reenviar'].map((path) =>
        post(other, path, { endpoint: id, formulario: newId(), direccion: URL_GIVEN, horas: '24' }),
      ),
    )),
  ];

  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(7).fill(404),
  );
});

test('a suspended organisation stops and removes endpoints, makes none, and reads no event', async (t) => {
  const { team, id } = await served(t);
  await query(instance, 'update organizations set suspended_at = now() where id = $1', [
    team.organizacion,
  ]);

  const made = await post(team, '/nuevo', { formulario: newId(), direccion: URL_GIVEN });
  const sent = await post(team, '/probar', { endpoint: id });
  const log = await team.owner.visitor.get(`${PAGE}/eventos`);
  const event = await team.owner.visitor.get(`${PAGE}/evento?endpoint=${id}&evento=evt_1`);
  const off = await post(team, '/estado', { endpoint: id, estado: 'inactivo' });
  const removed = await post(team, '/eliminar', { endpoint: id });

  assert.deepEqual(
    [made, sent, log, event, off, removed].map(({ status }) => status),
    [403, 403, 403, 403, 303, 303],
  );
});

test('a form that a session did not outlive leads to the endpoint after the sign-in, and says that nothing was done', async (t) => {
  const { team, id } = await served(t);
  const { organizacion, owner } = team;
  const ofOne = `${PAGE}/endpoint?organizacion=${organizacion}&endpoint=${id}`;
  const { status } = await owner.visitor.get(ofOne);
  await owner.visitor.post('/cuenta/salir');
  const led: Record<string, string | null> = {};
  for (const path of ['probar', 'estado', 'reenviar', 'rotar', 'cambiar', 'eliminar'].map(
    (name) => `webhooks/${name}`,
  ))
    led[path] = backOf(await post(team, `/${path.slice(9)}`, { endpoint: id, horas: '24' }));
  for (const path of ['webhooks/nuevo', 'claves', 'claves/revocar', 'miembros/invitar'])
    led[path] = backOf(await owner.visitor.post(`/cuenta/${path}`, { organizacion }));
  led.contrasena = backOf(await owner.visitor.post('/cuenta/contrasena', { nueva: 'x' }));
  led.agentes = backOf(await owner.visitor.post('/cuenta/agentes', { todos: 'mios' }));
  const { to } = await post(team, '/probar', { endpoint: id });
  const { text } = await owner.visitor.get(to);

  const inOrganization = `organizacion=${organizacion}`;
  assert.deepEqual(led, {
    ...Object.fromEntries(
      ['probar', 'estado', 'reenviar', 'rotar', 'cambiar', 'eliminar'].map((name) => [
        `webhooks/${name}`,
        ofOne,
      ]),
    ),
    'webhooks/nuevo': `${PAGE}/nuevo?${inOrganization}`,
    claves: `/cuenta/claves?${inOrganization}`,
    'claves/revocar': `/cuenta/claves?${inOrganization}`,
    'miembros/invitar': `/cuenta/miembros?${inOrganization}`,
    contrasena: '/cuenta',
    agentes: '/cuenta/agentes',
  });
  assert.equal(status, 200);
  assert.match(text, /role="status">Tu sesión había terminado, así que no se hizo nada/);
  assert.equal((await endpointsOf(team)).length, 1);
});

test('the page of types has a sample of each', async () => {
  const team = await openShop('avanzado');

  const { text } = await team.owner.visitor.get(`${PAGE}/tipos`);

  const samples = [...text.matchAll(/<pre><code>([^<]*)<\/code>/g)].map(([, one = '']) =>
    JSON.parse(unescaped(one)),
  );
  assert.deepEqual(
    samples.map(({ type }) => type),
    [...LOGGED_TYPES],
  );
  assert.ok(
    samples.every(({ data, sequence }) => typeof data === 'object' && typeof sequence === 'string'),
  );
});

test('the page says after which times a delivery is tried again', async () => {
  const team = await openShop('avanzado');

  const { text } = await team.owner.visitor.get(`${PAGE}/firma`);

  assert.match(
    text,
    /se intenta hasta 7 veces más: después de 5 segundos, 5 minutos, 30 minutos, 2 horas, 5 horas, 10 horas y 10 horas\./,
  );
});

test('the code of the page verifies a signature in Node and in Python, both secrets after a rotation, and refuses what was altered or hostile', async (t) => {
  const team = await openShop('avanzado');
  const { text } = await team.owner.visitor.get(`${PAGE}/firma`);
  const verify = await verifiersOf(t, text, ['codigo-node', 'codigo-python']);
  const secrets = ['whsec_bnVldm8=', 'whsec_YW50ZXJpb3I='];

  const { inNode, inPython } = await verify(casesOf(secrets, secrets, 'whsec_b3Rybw=='));

  assert.deepEqual(inNode, VERDICTS);
  assert.deepEqual(inPython, VERDICTS);
});

test('who chooses ed25519 is given a public key, and the code of the page verifies with it', {
  skip: spawnSync('python3', ['-c', 'import cryptography']).status !== 0 && 'no cryptography',
}, async (t) => {
  const team = await openShop('avanzado');
  const form = { direccion: URL_GIVEN, firma: 'ed25519' };
  const made = await post(team, '/nuevo', { ...form, formulario: newId() });
  const other = await post(team, '/nuevo', { ...form, formulario: newId() });
  const [, link = ''] = /href="([^"]+)">cómo verificar la firma/.exec(made.text) ?? [];
  const { text } = await team.owner.visitor.get(unescaped(link));
  const verify = await verifiersOf(t, text, ['codigo-node-ed25519', 'codigo-python-ed25519']);
  const secrets = [newSecret('ed25519'), newSecret('ed25519')];

  const { inNode, inPython } = await verify(
    casesOf(secrets, secrets.map(verifierOf), secretIn(other)),
  );

  assert.match(made.text, /<h1>Guarda la clave pública de tu endpoint/);
  assert.match(secretIn(made), /^whpk_/);
  assert.match(link, /#ed25519$/);
  assert.ok(text.includes('<h2 id="ed25519">'));
  assert.deepEqual(inNode, VERDICTS);
  assert.deepEqual(inPython, VERDICTS);
});

type Case = readonly [verifier: string, headers: Readonly<Record<string, string>>, body: string];

/** Of the cases below, in their order. */
const VERDICTS = [true, true, ...Array(9).fill(false)];

function casesOf(
  secrets: readonly string[],
  [newer = '', older = '']: readonly string[],
  foreign: string,
): Case[] {
  const body = '{"id":"evt_1","data":{"title":"Cañón"}}';
  const epochSeconds = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders(secrets, { id: 'evt_1', epochSeconds, body });
  const late = signedHeaders(secrets, { id: 'evt_1', epochSeconds: epochSeconds - 600, body });
  return [
    [newer, headers, body],
    [older, headers, body],
    [foreign, headers, body],
    [newer, headers, body.replace('evt_1', 'evt_2')],
    [newer, late, body],
    [newer, {}, body],
    // As servers hand over bytes that are no text.
    [newer, { ...headers, 'webhook-signature': 'v1,ñandú v1a,ñ v1a,=== v1' }, body],
    [newer, { ...headers, 'webhook-timestamp': '²' }, body],
    [newer, { ...headers, 'webhook-timestamp': '٣' }, body],
    [newer, { ...headers, 'webhook-timestamp': '9'.repeat(5_000) }, body],
    [newer, { ...headers, 'webhook-id': 'ñ\ud800' }, body],
  ];
}

/** What the page's code says of each case. */
async function verifiersOf(
  t: Pick<TestContext, 'after'>,
  page: string,
  [nodeId, pythonId]: readonly [string, string],
) {
  const codeOf = (id: string) =>
    unescaped(new RegExp(`<textarea id="${id}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? '');
  const place = await mkdtemp(join(tmpdir(), 'tianguis-firma-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  const module = join(place, 'verificar.mjs');
  await writeFile(module, codeOf(nodeId));
  await writeFile(join(place, 'verificar.py'), codeOf(pythonId));
  const { esDeTianguis } = await import(pathToFileURL(module).href);
  const script = `import json,sys
from verificar import es_de_tianguis
print(json.dumps([es_de_tianguis(s, h, b.encode()) for s, h, b in json.load(sys.stdin)]))`;
  return async (cases: readonly Case[]) => {
    const python = spawnSync('python3', ['-c', script], {
      cwd: place,
      input: JSON.stringify(cases),
      encoding: 'utf8',
    });
    return {
      inNode: cases.map((one) => esDeTianguis(...one)),
      inPython: JSON.parse(python.stdout || JSON.stringify(`${python.error} ${python.stderr}`)),
    };
  };
}

async function openShop(plan: Plan): Promise<Team> {
  const team = await openTeam(instance, folder);
  await withSecondFactor(team.owner.visitor);
  await setPlan(team, plan);
  return team;
}

/** With an endpoint on this machine, which only an operator may name. */
async function served(
  t: Parameters<typeof openEndpoint>[0],
): Promise<{ team: Team; id: string; endpoint: TestEndpoint }> {
  const team = await openShop('avanzado');
  const endpoint = await openEndpoint(t);
  await post(team, '/nuevo', { formulario: newId(), direccion: URL_GIVEN });
  const [made] = await endpointsOf(team);
  const id = made?.id ?? '';
  await query(
    instance,
    'update webhook_endpoints set url = $2, is_operator_trusted = true where id = $1',
    [id, endpoint.url],
  );
  return { team, id, endpoint };
}

function post(team: Team, path: string, form: Record<string, string>): Promise<PageAnswer> {
  return team.owner.visitor.post(`${PAGE}${path}`, { organizacion: team.organizacion, ...form });
}

function pageOf({ owner, organizacion }: Team, id: string): Promise<PageAnswer> {
  return owner.visitor.get(`${PAGE}/endpoint?organizacion=${organizacion}&endpoint=${id}`);
}

function within({ organizacion }: Team) {
  return instance.app.database.within(organizacion);
}

function endpointsOf(team: Team) {
  return within(team).read(listEndpoints);
}

function change(team: Team, orders: readonly Order[]) {
  const { orderListeners, announce } = instance.app.exchange;
  return within(team).write((scope) => recordOrders(scope, orders, [...orderListeners, announce]));
}

function setPlan({ organizacion }: Team, plan: Plan) {
  return instance.app.database.write((handle) =>
    changePlan(handle, instance.clock, { organizationId: organizacion, plan, quota: null }),
  );
}

function secretIn({ text }: PageAnswer): string {
  return /id="secreto">([^<]+)</.exec(text)?.[1] ?? '';
}

function noteOf({ to }: PageAnswer): string | null {
  return new URL(to, 'http://x').searchParams.get('aviso');
}

/** Where the sign-in leads back to, where it says that nothing was done. */
function backOf({ to }: PageAnswer): string | null {
  const { pathname, searchParams } = new URL(to, 'http://x');
  const isSaid = pathname === '/entrar' && searchParams.get('aviso') === 'sesion';
  return isSaid ? searchParams.get('volver') : to;
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
