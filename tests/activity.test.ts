import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { noteXmlDownload } from '../src/features/cfdi/index.ts';
import { listKeys } from '../src/features/keys/index.ts';
import { addMember, type Role } from '../src/features/people/index.ts';
import { noteAct } from '../src/features/trail/index.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { runHere } from './support/command.ts';
import {
  joined,
  type Known,
  newcomer,
  openMailingInstance,
  openTeam,
  PASSWORD,
  type Team,
  withSecondFactor,
} from './support/people.ts';
import type { Ran } from './support/ran.ts';
import { mailsTo, tokenIn } from './support/visitor.ts';

// Who did what in an organisation, as it is kept and as its page shows it.
// Also runs on served PostgreSQL and Redis.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const { clock } = instance;
const PAGE = '/cuenta/actividad';

test('the page names exports as the page of exports does, also those of before', async () => {
  const { owner, organizacion } = await openShop();
  await instance.app.database.within(organizacion).write(async (scope) => {
    await noteAct(scope, 'house', 'export_requested', { label: 'orders csv' });
    await noteAct(scope, 'house', 'export_downloaded', { label: 'global_invoice excel' });
    await noteAct(scope, 'house', 'export_deleted', { label: 'gone parquet' });
  });

  const { text } = await owner.visitor.get(PAGE);

  assert.match(text, /Pidió una exportación: Órdenes, en CSV</);
  assert.match(text, /Descargó una exportación: Órdenes para la factura global, en Excel \(para/);
  assert.match(text, /Eliminó una exportación: gone, en parquet</);
});

test('what happens to keys is kept with who did it, when and from which address', async () => {
  const { owner, organizacion } = await openShop();
  const { visitor, personId, address } = owner;
  const before = (await actsOf(organizacion)).length;
  const madeAt = clock.now().toString();

  await makeKey(owner, { nombre: 'hoja' });
  const [{ id: first = '' } = {}] = await keysOf(organizacion);
  clock.advance({ minutes: 1 });
  await visitor.post('/cuenta/claves/regenerar', {
    formulario: newId(),
    clave: first,
    traslape: '24',
  });
  const second = (await keysOf(organizacion)).find(({ id }) => id !== first)?.id ?? '';
  await visitor.post('/cuenta/claves/revocar', { clave: second });
  await visitor.post('/cuenta/claves/revocar', { clave: second });

  const by = { done_by: 'person', person_id: personId, address, label: 'hoja', role: null };
  const at = Temporal.Instant.from(madeAt);
  const later = at.add({ minutes: 1 });
  assert.deepEqual((await actsOf(organizacion)).slice(before), [
    { act: 'api_key_made', subject: first, at, ...by },
    { act: 'api_key_regenerated', subject: second, at: later, ...by },
    { act: 'api_key_revoked', subject: second, at: later, ...by },
  ]);
  const [revoked = '', , made = ''] = entriesOf((await visitor.get(PAGE)).text);
  const day = inMexico(later);
  assert.match(
    revoked,
    new RegExp(
      `Revocó la clave de API «hoja».*Ana Robles \\(tú\\).*${day}, desde ${address}<`,
      's',
    ),
  );
  assert.match(made, /Creó la clave de API «hoja»/);
  assert.match(
    (await visitor.get('/cuenta/claves')).text,
    /Creada el \d+ \w+ 20\d\d por Ana Robles</,
  );
});

test('downloads of CFDI are shown with the folio, or with how many there were', async () => {
  const { owner, organizacion } = await openShop();
  const by = { personId: owner.personId, address: owner.address };
  const [folio, count] = ['5F0C8A34-9D1E-4B7A-8C52-000000000001', 12];
  await instance.app.database.within(organizacion).write(async (scope) => {
    await noteXmlDownload(scope, by, { folio });
    await noteXmlDownload(scope, by, { count });
  });

  const [archive = '', one = ''] = entriesOf((await owner.visitor.get(PAGE)).text);
  assert.match(archive, /Descargó 12 CFDI en un ZIP.*Ana Robles/s);
  assert.match(one, new RegExp(`Descargó el CFDI ${folio}.*Ana Robles`, 's'));
});

test('what an operator does is shown as the operator’s, without an address', async () => {
  const { owner, organizacion } = await openShop();

  const made = JSON.parse((await cli('create-key', '--organization', organizacion)).stdout);
  await cli('revoke-key', '--key-id', made.id);

  const { text } = await owner.visitor.get(PAGE);
  assert.deepEqual(
    (await actsOf(organizacion)).slice(-2).map(({ act, done_by, person_id, address }) => {
      return [act, done_by, person_id, address];
    }),
    [
      ['api_key_made', 'operator', null, null],
      ['api_key_revoked', 'operator', null, null],
    ],
  );
  assert.match(
    entriesOf(text)[0] ?? '',
    /Revocó la clave.*El operador de Tianguis, desde su terminal<\/p>\s*<p>[^<]*\d:\d\d\s[ap]\.m\.</s,
  );
  assert.match(
    (await owner.visitor.get('/cuenta/claves')).text,
    /Creada el [^<]* por el operador de Tianguis</,
  );
});

test('what cannot be kept in the trail is not done, and what is not done is not kept', async () => {
  const { owner, organizacion } = await openShop();
  const before = (await actsOf(organizacion)).length;

  await sql('alter table acts add constraint shut check (false) not valid');
  const broken = await makeKey(owner);
  const worker = newcomer(instance).email;
  const invited = await owner.visitor.post('/cuenta/miembros/invitar', {
    correo: worker,
    rol: 'member',
  });
  await sql('alter table acts drop constraint shut');
  const refused = await makeKey(owner, { vigencia: '31' });

  assert.deepEqual([broken.status, invited.status, refused.status], [500, 500, 400]);
  assert.deepEqual(await keysOf(organizacion), []);
  assert.match((await owner.visitor.get('/cuenta/miembros')).text, /No hay invitaciones abiertas/);
  assert.equal((await actsOf(organizacion)).length, before);
});

test('members, roles and invitations are listed from the first on, newest first', async () => {
  const { owner, organizacion } = await openTeam(instance, folder);
  const [guest, other] = [newcomer(instance), newcomer(instance)];
  const { visitor } = owner;
  const invite = (correo: string) =>
    visitor.post('/cuenta/miembros/invitar', { organizacion, correo, rol: 'member' });

  await invite(guest.email);
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  await guest.visitor.post('/invitacion', { token, nombre: 'Beto Luna', contrasena: PASSWORD });
  const persona = await idOf(guest.email);
  await visitor.post('/cuenta/miembros/rol', { organizacion, persona, rol: 'warehouse' });
  await invite(other.email);
  const { text } = await visitor.get('/cuenta/miembros');
  const invitacion = /name="invitacion" value="([^"]+)"/.exec(text)?.[1] ?? '';
  await visitor.post('/cuenta/invitaciones/retirar', { organizacion, invitacion });
  const page = await visitor.get(PAGE);

  assert.deepEqual(entriesOf(page.text).map(firstLines), [
    [`Retiró la invitación a ${other.email}`, 'Ana Robles (tú)'],
    [`Invitó a ${other.email} con el rol Miembro`, 'Ana Robles (tú)'],
    ['Cambió el rol de Beto Luna a Almacén', 'Ana Robles (tú)'],
    ['Se unió con el rol Miembro', 'Beto Luna'],
    [`Invitó a ${guest.email} con el rol Miembro`, 'Ana Robles (tú)'],
    ['Se unió con el rol Propietario', 'Ana Robles (tú)'],
  ]);
  assert.match(entriesOf(page.text)[3] ?? '', new RegExp(`desde ${guest.visitor.address}<`));
  assert.match((await visitor.get('/cuenta')).text, /href="\/cuenta\/actividad"/);
});

test('a former member is an id without a name, and so is the address that invited them', async () => {
  const { owner, organizacion } = await openTeam(instance, folder);
  const guest = newcomer(instance);
  await owner.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: guest.email,
    rol: 'admin',
  });
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  await guest.visitor.post('/invitacion', { token, nombre: 'Beto Luna', contrasena: PASSWORD });
  const persona = await idOf(guest.email);
  await withSecondFactor(guest.visitor);
  await makeKey({ visitor: guest.visitor, organizacion });
  const before = await owner.visitor.get(PAGE);

  await owner.visitor.post('/cuenta/miembros/quitar', { organizacion, persona });
  const { text } = await owner.visitor.get(PAGE);

  assert.match(before.text, new RegExp(`Beto Luna.*Invitó a ${guest.email}`, 's'));
  assert.doesNotMatch(text, new RegExp(`Beto|Luna|${guest.email}`));
  assert.deepEqual(entriesOf(text).map(firstLines).slice(0, 3), [
    ['Quitó a una persona que ya no está', 'Ana Robles (tú)'],
    ['Creó la clave de API «prueba»', 'Una persona que ya no está'],
    ['Activó su verificación en dos pasos', 'Una persona que ya no está'],
  ]);
  assert.ok((await actsOf(organizacion)).some(({ person_id }) => person_id === persona));
  assert.match(
    (await owner.visitor.get(`/cuenta/claves?organizacion=${organizacion}`)).text,
    /Creada el [^<]* por una persona que ya no está</,
  );
});

test('what a person does to their account is shown in each of their organisations only', {
  tags: ['slow'],
}, async () => {
  const [first, second, strange] = [
    await openTeam(instance, folder),
    await openTeam(instance, folder),
    await openTeam(instance, folder),
  ];
  const { owner: person, organizacion: own } = first;
  const { visitor } = person;
  await addMemberTo(second, person, 'warehouse');
  const before = await Promise.all([own, second.organizacion, strange.organizacion].map(actsOf));

  await withSecondFactor(visitor);
  await visitor.post('/cuenta/respaldo', { contrasena: 'no es esta' });
  await visitor.post('/cuenta/respaldo', { contrasena: PASSWORD });
  await visitor.post('/cuenta/segundo-paso/quitar', { contrasena: PASSWORD });
  const llave = await passkeyOf(person);
  await visitor.post('/cuenta/llaves/quitar', { contrasena: PASSWORD, llave });
  await visitor.post('/cuenta/contrasena', { contrasena: PASSWORD, nueva: 'tres tazas rojas' });
  const resetter = newcomer(instance).visitor;
  await resetter.post('/recuperar', { correo: person.email });
  const token = tokenIn(await mailsTo(folder, person.email, 7), '/restablecer');
  await resetter.post('/restablecer', { token, contrasena: 'otras tazas verdes' });
  const after = await Promise.all([own, second.organizacion, strange.organizacion].map(actsOf));

  const expected = [
    ['second_factor_added', person.address],
    ['backup_codes_renewed', person.address],
    ['second_factor_removed', person.address],
    ['passkey_removed', person.address],
    ['password_changed', person.address],
    ['password_reset', resetter.address],
  ];
  const fresh = after.map((acts, index) => acts.slice(before[index]?.length));
  assert.deepEqual(
    fresh.map((acts) => acts.map(({ act, address }) => [act, address])),
    [expected, expected, []],
  );
  assert.ok(fresh.flat().every(({ person_id }) => person_id === person.personId));
});

test('owners and administrators see it, others and strangers do not', {
  tags: ['slow'],
}, async () => {
  const team = await openTeam(instance, folder);
  const strange = await openTeam(instance, folder);
  await addKeyNamed(strange, 'ajena');
  const page = `${PAGE}?organizacion=${team.organizacion}`;
  const outcomes: Partial<Record<Role, number>> = {};

  for (const role of ['admin', 'member', 'supervisor', 'warehouse'] as const) {
    const { visitor } = await joined(instance, folder, team.organizacion, { by: team.owner, role });
    outcomes[role] = (await visitor.get(page)).status;
  }
  const foreign = await strange.owner.visitor.get(page);
  const own = await team.owner.visitor.get(page);
  const theirs = await strange.owner.visitor.get(PAGE);

  assert.deepEqual(outcomes, { admin: 200, member: 403, supervisor: 403, warehouse: 403 });
  assert.deepEqual([foreign.status, own.status], [404, 200]);
  assert.doesNotMatch(own.text, /ajena/);
  assert.match(theirs.text, /«ajena»/);
  assert.equal(
    (await newcomer(instance).visitor.get(PAGE)).to,
    `/entrar?volver=${encodeURIComponent(PAGE)}`,
  );
});

test('older acts are on pages of fifty, each of them once', async () => {
  const team = await openTeam(instance, folder);
  for (let count = 1; count <= 119; count++) await addKeyNamed(team, `número ${count}`);

  const seen: string[][] = [];
  for (let to = PAGE; to !== ''; ) {
    const { text } = await team.owner.visitor.get(to);
    seen.push(entriesOf(text).map((entry) => /«([^»]+)»/.exec(entry)?.[1] ?? 'registro'));
    to =
      /href="(\/cuenta\/actividad\?[^"]*antes=\d+)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ??
      '';
  }

  assert.deepEqual(
    seen.map((page) => page.length),
    [50, 50, 20],
  );
  const numbers = Array.from({ length: 119 }, (_, index) => `número ${119 - index}`);
  assert.deepEqual(seen.flat(), [...numbers, 'registro']);
});

test('no key, token, password or code is ever kept', async () => {
  const { owner, organizacion } = await openShop();
  const made = await makeKey(owner);
  const key = /id="clave-de-api">([^<]+)</.exec(made.text)?.[1] ?? 'no key was made';
  const guest = newcomer(instance);
  await owner.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: guest.email,
    rol: 'member',
  });
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  await owner.visitor.post('/cuenta/contrasena', {
    contrasena: PASSWORD,
    nueva: 'tres tazas rojas',
  });

  const kept = JSON.stringify(await actsOf(organizacion));
  const { text } = await owner.visitor.get(PAGE);

  assert.match(kept, /password_changed/);
  for (const secret of [key, key.slice(4, 20), key.slice(-6), token, 'tazas'])
    assert.equal(kept.includes(secret) || text.includes(secret), false, secret);
  assert.equal(kept.includes(guest.email), false);
});

// The last one: it leaves the clock a year ahead of the library's.
test('an act is kept for a year', async () => {
  const team = await openTeam(instance, folder);
  const kept = async () => (await actsOf(team.organizacion)).length;

  clock.advance({ hours: 24 * 365 });
  await runHousekeeping(instance.app.exchange);
  const onTheDay = await kept();
  clock.advance({ minutes: 1 });
  await runHousekeeping(instance.app.exchange);

  assert.deepEqual([onTheDay, await kept()], [1, 0]);
});

interface ActRow {
  readonly act: string;
  readonly at: Temporal.Instant;
  readonly done_by: string;
  readonly person_id: string | null;
  readonly address: string | null;
  readonly subject: string | null;
  readonly label: string | null;
  readonly role: string | null;
}

/** As the database has them, oldest first. */
async function actsOf(organizationId: string): Promise<ActRow[]> {
  const columns = 'act, at, done_by, person_id, address, subject, label, role';
  return (await sql(`select ${columns} from acts where organization_id = $1 order by seq`, [
    organizationId,
  ])) as unknown as ActRow[];
}

function sql(text: string, values: readonly unknown[] = []): Promise<object[]> {
  return instance.app.database.write((handle) => handle.sql(text, values));
}

/** An organisation whose owner has a second factor. */
async function openShop(): Promise<Team> {
  const team = await openTeam(instance, folder);
  await withSecondFactor(team.owner.visitor);
  return team;
}

function makeKey(
  { visitor, organizacion = '' }: { visitor: Known['visitor']; organizacion?: string },
  given: Record<string, string> = {},
) {
  const form = {
    formulario: newId(),
    nombre: 'prueba',
    permiso: 'orders:read',
    vigencia: '',
    ...given,
  };
  return visitor.post('/cuenta/claves', organizacion === '' ? form : { organizacion, ...form });
}

async function addKeyNamed({ organizacion }: Team, label: string): Promise<void> {
  await instance.app.database
    .within(organizacion)
    .write((scope) => noteAct(scope, 'operator', 'api_key_made', { label }));
}

async function addMemberTo(
  { owner, organizacion }: Team,
  person: Known,
  role: Role,
): Promise<void> {
  await instance.app.database
    .within(organizacion)
    .write((scope) => addMember(scope, owner, { personId: person.personId, role }));
}

function keysOf(organizationId: string) {
  return instance.app.database.within(organizationId).read(listKeys);
}

async function idOf(email: string): Promise<string> {
  const [row] = await sql('select id from people where email = $1', [email]);
  return (row as { id: string }).id;
}

/** A passkey such as a browser would have registered. */
async function passkeyOf({ personId }: Known): Promise<string> {
  const [row] = await sql(
    `insert into passkeys (id, person_id, public_key, credential_id, counter, device_type, backed_up)
     values (gen_random_uuid(), $1, 'x', gen_random_uuid(), 0, 'singleDevice', false) returning id`,
    [personId],
  );
  return (row as { id: string }).id;
}

/** The entries on the page. */
function entriesOf(text: string): string[] {
  const [list = ''] = /<ul class="cards">.*?<\/ul>/s.exec(text) ?? [];
  return list.split('<li>').slice(1);
}

/** What was done, and by whom. */
function firstLines(entry: string): string[] {
  return [...entry.matchAll(/<p>(?:<strong>)?([^<]*)/g)].slice(0, 2).map(([, line = '']) => line);
}

function inMexico(at: Temporal.Instant): string {
  return at
    .toZonedDateTimeISO('America/Mexico_City')
    .toLocaleString('es-MX', { dateStyle: 'medium', timeStyle: 'short' });
}

function cli(...args: string[]): Promise<Ran> {
  return runHere([...args, '--json'], instance.env);
}
