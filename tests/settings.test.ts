import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { changePlan } from '../src/features/organizations/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { connectCarrier, startCarrier } from './support/paquetexpress.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';
import { mailsTo } from './support/visitor.ts';

// The settings of an organisation: its days, its plan, the end of its trial, its guides.

const SUPPORT = 'ayuda@papeleria.example';
const MIDNIGHT = systemClock.now().toZonedDateTimeISO('America/Mexico_City').startOfDay();
const HALF_PAST = MIDNIGHT.add({ minutes: 30 }).toInstant();
const { instance, folder } = await openMailingInstance(WHOLE_FILE, turnedClock(`${HALF_PAST}`), {
  SUPPORT_EMAIL: SUPPORT,
});
let team: Team;

before(async () => {
  team = await openTeam(instance, folder);
});

test('«hoy» is a day of the time zone of the organisation', async () => {
  // Tijuana still has the day before.
  const soldAt = MIDNIGHT.subtract({ minutes: 10 }).toInstant();
  const order = anOrder({ id: 'late', dateCreated: soldAt, dateClosed: soldAt });
  await instance.record([order], team.organizacion);
  const sold = async () => {
    const { day, totals } = (await read('sales.today')).today;
    return [day, totals.length];
  };

  assert.deepEqual(await sold(), [dayIn('America/Mexico_City').toString(), 0]);
  await change({ name: 'Papelería Luna', timezone: 'America/Tijuana' });
  assert.deepEqual(await sold(), [dayIn('America/Tijuana').toString(), 1]);
  const { organization } = await read('frame.read');
  assert.deepEqual(
    [organization.name, organization.timezone],
    ['Papelería Luna', 'America/Tijuana'],
  );
});

test('the data of an organization are not changed over those of a colleague', async () => {
  const { name, version } = (await read('frame.read')).organization;
  const zoned = (timezone: string) => write('organization.change', { name, timezone, version });
  assert.equal((await zoned('America/Hermosillo')).status, 200);
  const late = await zoned('America/Cancun');
  assert.deepEqual([late.status, JSON.parse(late.text).error.code], [409, 'changed_meanwhile']);
  assert.equal((await read('frame.read')).organization.timezone, 'America/Hermosillo');
});

test('a name or a time zone that cannot be is refused by its field', async () => {
  for (const [given, param] of [
    [{ name: '', timezone: 'America/Cancun' }, 'name'],
    [{ name: 'Ve a evil.example/x', timezone: 'America/Cancun' }, 'name'],
    [{ name: 'Papelería', timezone: 'Europe/Madrid' }, 'timezone'],
  ] as const) {
    const { status, text } = await write('organization.change', given);
    assert.deepEqual([status, JSON.parse(text).error.param], [400, param], text);
  }
});

test('the operator is mailed once that another plan is wanted, whatever is clicked', async () => {
  const note =
    'Vendemos en 6 tiendas.\r\n\r\nhttps://evil.example/pago\u2028Entra en www.evil.example\u202e o evil．example\u0007\nAquí termina su mensaje.';
  const wish = { plan: 'avanzado', note };
  const answers = await Promise.all([write('plan.request', wish), write('plan.request', wish)]);
  assert.deepEqual(answers.map(({ text }) => JSON.parse(text).outcome).sort(), ['already', 'sent']);
  const wishes = (count: number) => readFor('Piden cambiar al plan', count);
  const [mail = '', ...others] = await wishes(1);
  assert.deepEqual(others, []);
  for (const part of [team.organizacion, team.owner.email, 'plan Avanzado'])
    assert.ok(mail.includes(part), `${part} in ${mail}`);
  const quoted = mail.split('\n').filter((line) => line.startsWith('> '));
  assert.deepEqual(quoted, [
    '> Vendemos en 6 tiendas.',
    '> https[:]//evil[.]example/pago',
    '> Entra en www[.]evil[.]example o evil[.]example',
    '> Aquí termina su mensaje.',
  ]);
  assert.match(mail, /^Mensaje que escribió esa persona\. No lo escribió Tianguis/m);
  assert.doesNotMatch(mail, /href=|evil[.．]example|:\/\/evil|[\u2028\u202e]/);
  assert.equal((await read('plan.read')).requested.name, 'Avanzado');
  for (const [plan, outcome] of [
    ['basico', 'sent'],
    ['avanzado', 'already'],
    ['basico', 'already'],
  ] as const)
    assert.equal(JSON.parse((await write('plan.request', { plan })).text).outcome, outcome);
  assert.equal((await wishes(2)).length, 2);

  await instance.app.database.write((handle) =>
    changePlan(handle, instance.clock, {
      organizationId: team.organizacion,
      plan: 'avanzado',
      quota: null,
    }),
  );
  const plan = await read('plan.read');
  assert.deepEqual([plan.current, plan.requested], ['avanzado', null]);
  assert.equal((await read('connections.ways')).support_email, SUPPORT);
});

test('a wrong value of a guide names its field; the changes are in the trail', async () => {
  const wrong = await write('logistics.change', { guide: { product_id: '12' } });
  assert.equal(JSON.parse(wrong.text).error.param, 'settings.guide.product_id');
  const right = await write('logistics.change', { guide: { content: 'ALMOHADA' } });
  assert.equal(JSON.parse(right.text).guide.content, 'ALMOHADA');
  assert.equal((await read('logistics.read')).guide.content, 'ALMOHADA');

  const page = await team.owner.visitor.get('/cuenta/actividad');
  for (const sentence of [
    'Cambió los datos de la organización «Papelería Luna»',
    'Pidió cambiar al plan Avanzado',
    'Cambió el plan a Avanzado',
    'Cambió la configuración de logística',
  ])
    assert.ok(page.text.includes(sentence), sentence);
});

test('guides are made by a connected account of the carrier alone', async () => {
  const at = async (username: string, organization: string) =>
    connectCarrier(
      instance,
      organization,
      await startCarrier(WHOLE_FILE, instance.clock, { username }),
    );
  await at('TIENDA01', team.organizacion);
  await at('TIENDA02', team.organizacion);
  await at('AJENA', (await openTeam(instance, folder)).organizacion);
  const choose = (id: string | null, version?: string) =>
    write('logistics.change', { account: { id }, ...(version && { version }) });
  const { accounts, account, versions } = await read('logistics.read');
  assert.deepEqual(
    [account.id, accounts.map(({ id }: { id: string }) => id)],
    [null, ['TIENDA01', 'TIENDA02']],
  );
  for (const other of ['AJENA', 'NINGUNA']) {
    const { status, text } = await choose(other);
    assert.deepEqual(
      [status, JSON.parse(text).error.param],
      [400, 'settings.carrier_account_id'],
      text,
    );
  }
  assert.equal((await choose('TIENDA02', versions.account)).status, 200);
  assert.equal((await read('logistics.read')).account.id, 'TIENDA02');
  assert.equal((await choose('TIENDA01', versions.account)).status, 409);
  assert.equal((await choose(null)).status, 200);
  assert.equal((await read('logistics.read')).account.id, null);
});

test('settings of guides and of the SAT are not changed over those of a colleague', async () => {
  const { versions } = await read('logistics.read');
  const guide = (content: string, version: string) =>
    write('logistics.change', { guide: { content }, version });
  assert.equal((await guide('COBIJA', versions.guide)).status, 200);
  const late = await guide('COLCHA', versions.guide);
  assert.deepEqual([late.status, JSON.parse(late.text).error.code], [409, 'changed_meanwhile']);
  const now = await read('logistics.read');
  assert.equal(now.guide.content, 'COBIJA');
  assert.equal(now.versions.origin, versions.origin, 'the other part has a version of its own');

  const { version } = await read('fiscal-profile.read');
  const profile = (regime: string) =>
    write('fiscal-profile.change', {
      ...{ rfcs: [], person: null, regime, has_border_vat: false, version },
    });
  assert.equal((await profile('601')).status, 200);
  const second = await profile('626');
  assert.deepEqual([second.status, JSON.parse(second.text).error.code], [409, 'changed_meanwhile']);
  assert.equal((await read('fiscal-profile.read')).regime, '601');
});

test('after the trial everything can be read, and nothing changed but the wish for a plan', async () => {
  const trial = await openTeam(instance, folder);
  const { organizacion } = trial;
  const of = (name: string, body: object) =>
    trial.owner.visitor.ask(`/panel/api/${organizacion}/${name}`, body);
  const name = { name: 'Papelería Mar', timezone: 'America/Cancun' };
  assert.equal((await of('organization.change', name)).status, 200);
  await instance.app.database.write((handle) =>
    handle.sql('update organizations set trial_ends_at = $1 where id = $2', [
      instance.clock.now().toString(),
      organizacion,
    ]),
  );

  const refused = await of('organization.change', name);
  assert.deepEqual([refused.status, JSON.parse(refused.text).error?.code], [403, 'trial_ended']);
  const frame = await trial.owner.visitor.get(`/panel/api/${organizacion}/frame.read`);
  assert.equal(JSON.parse(frame.text).organization.is_trial_over, true);
  const orders = await trial.owner.visitor.get(`/panel/api/${organizacion}/orders.list`);
  assert.equal(orders.status, 200);
  assert.equal((await of('plan.request', { plan: 'basico' })).status, 200);
  const invited = await trial.owner.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: 'beto@tienda.example',
    rol: 'member',
  });
  assert.equal(invited.status, 403);
  assert.match(invited.text, /role="alert">Tu prueba terminó/);
  const members = await trial.owner.visitor.get(`/cuenta/miembros?organizacion=${organizacion}`);
  assert.doesNotMatch(members.text, /Enviar invitación|Cambiar rol/);
  assert.match(members.text, /Tu prueba terminó.*Ver los planes/);
});

function dayIn(timezone: string) {
  return instance.clock.now().toZonedDateTimeISO(timezone).toPlainDate();
}

/**
 * Waits for so many: mails are sent after the answer. Every mail carries the operator's address: it
 * is where an answer goes.
 */
async function readFor(subject: string, count: number): Promise<string[]> {
  const found = async () =>
    (await mailsTo(folder, SUPPORT, 1)).filter((mail) => mail.includes(subject));
  while ((await found()).length < count) await pause(50);
  return found();
}

async function read(name: string) {
  const answer = await team.owner.visitor.get(`/panel/api/${team.organizacion}/${name}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text);
}

function write(name: string, body: object) {
  return team.owner.visitor.ask(`/panel/api/${team.organizacion}/${name}`, body);
}

async function change(given: { name: string; timezone: string }): Promise<void> {
  const { status, text } = await write('organization.change', given);
  assert.equal(status, 200, text);
}
