import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey, listKeys, stateOf } from '../src/features/keys/index.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { letIn } from './support/agents.ts';
import { runHere } from './support/command.ts';
import {
  joined,
  newcomer,
  openMailingInstance,
  openTeam,
  PASSWORD,
  type Team,
  withSecondFactor,
} from './support/people.ts';
import { mailsTo, tokenIn } from './support/visitor.ts';

// What members of a suspended organisation see, and what they can still do.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const { database } = instance.app;

test('the pages say that it is suspended, what that means, and whom to ask', async () => {
  const team = await openTeam(instance, folder);
  const { owner, organizacion } = team;
  const before = await owner.visitor.get('/cuenta');
  await suspend(team);

  const pages = [
    '/cuenta',
    '/cuenta/miembros',
    '/cuenta/claves',
    '/cuenta/agentes',
    '/cuenta/actividad',
  ];
  for (const page of pages) {
    const { status, text } = await owner.visitor.get(page);
    assert.equal(status, 200, page);
    assert.match(
      text,
      /role="alert">«Papelería Sol» está suspendida: sus claves de API.*pide ayuda a quien administra.*puedes revocar/,
      page,
    );
  }
  const worker = await joined(instance, folder, organizacion, { by: owner, role: 'warehouse' });
  const theirs = await worker.visitor.get(`/cuenta/miembros?organizacion=${organizacion}`);
  const agents = await owner.visitor.get('/cuenta/agentes');
  await suspend(team, false);

  assert.doesNotMatch(agents.text, /Para conectar/);
  assert.doesNotMatch(before.text, /suspendida/);
  assert.match(
    theirs.text,
    /está suspendida.*puedes desconectar tus agentes y salir de la organización\.</,
  );
  assert.doesNotMatch(theirs.text, /revocar claves/);
  assert.doesNotMatch((await owner.visitor.get('/cuenta/claves')).text, /suspendida/);
});

test('nothing new is made there: no key, no other one in its place, no invitation', async () => {
  const team = await openTeam(instance, folder);
  const { owner, organizacion } = team;
  const { visitor } = owner;
  await withSecondFactor(visitor);
  const id = await makeKey(team);
  const guest = newcomer(instance);
  await visitor.post('/cuenta/miembros/invitar', { correo: guest.email, rol: 'member' });
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  const invitacion = idIn((await visitor.get('/cuenta/miembros')).text, 'invitacion');
  const worker = await joined(instance, folder, organizacion, { by: owner, role: 'warehouse' });
  await suspend(team);

  const [keys, members] = [
    await visitor.get('/cuenta/claves'),
    await visitor.get('/cuenta/miembros'),
  ];
  const formulario = newId();
  const key = { organizacion, formulario, nombre: 'otra', permiso: 'orders:read', vigencia: '' };
  const refused = [
    await visitor.post('/cuenta/claves', key),
    await visitor.get(`/cuenta/claves/regenerar?clave=${id}`),
    await visitor.post('/cuenta/claves/regenerar', { formulario, clave: id, traslape: '24' }),
    await visitor.post('/cuenta/miembros/invitar', {
      correo: newcomer(instance).email,
      rol: 'member',
    }),
    await visitor.post('/cuenta/invitaciones/reenviar', { invitacion }),
    await visitor.post('/cuenta/miembros/rol', { persona: worker.personId, rol: 'admin' }),
  ];
  const account = { nombre: 'Beto', contrasena: PASSWORD };
  const joining = await guest.visitor.post('/invitacion', { token, ...account });

  assert.doesNotMatch(keys.text, /Crear la clave|\/regenerar/);
  assert.doesNotMatch(members.text, /Enviar invitación|reenviar|Cambiar rol/);
  assert.match(members.text, /action="\/cuenta\/invitaciones\/retirar"/);
  assert.deepEqual(
    refused.map(({ status, text }) => [
      status,
      /role="alert">La organización está suspendida\./.test(text),
    ]),
    refused.map(() => [403, true]),
  );
  assert.equal((await keysOf(team)).length, 1);
  assert.equal(joining.status, 403, joining.text);
  await suspend(team, false);
  assert.equal(
    (await guest.visitor.post('/invitacion', { token, ...account })).to,
    `/panel/${organizacion}`,
  );
});

test('keys are revoked, agents disconnected, invitations taken back and members removed all the same', async () => {
  const team = await openTeam(instance, folder);
  const { owner, organizacion } = team;
  const { visitor } = owner;
  const worker = await joined(instance, folder, organizacion, { by: owner, role: 'warehouse' });
  const clave = await makeKey(team);
  await visitor.post('/cuenta/miembros/invitar', {
    correo: newcomer(instance).email,
    rol: 'member',
  });
  const { grantId } = await database.write((handle) =>
    letIn(handle.sql, { organizationId: organizacion, audience: 'x', now: instance.clock.now() }),
  );
  await suspend(team);
  const page = await visitor.get('/cuenta/miembros');

  const done = [
    await visitor.post('/cuenta/claves/revocar', { clave }),
    await visitor.post('/cuenta/agentes', { organizacion, agente: grantId }),
    await visitor.post('/cuenta/invitaciones/retirar', {
      invitacion: idIn(page.text, 'invitacion'),
    }),
    await visitor.post('/cuenta/miembros/quitar', { persona: worker.personId }),
  ];

  assert.deepEqual(
    done.map(({ status, to }) => [status, /aviso=(\w+)/.exec(to)?.[1]]),
    [
      [303, 'revocada'],
      [303, 'desconectado'],
      [303, 'retirada'],
      [303, 'quitada'],
    ],
  );
  const [key] = await keysOf(team);
  assert.equal(key && stateOf(key, instance.clock.now()), 'revoked');
});

test('a member of other organisations goes on there, and everybody can sign out', async () => {
  const team = await openTeam(instance, folder);
  const { organizacion } = team;
  const person = await joined(instance, folder, organizacion, { by: team.owner, role: 'admin' });
  await suspend(team);

  const asked = await person.visitor.get('/cuenta/claves');
  // Both were joined at one instant, so either may be first.
  const links = [...asked.text.matchAll(/<a href="([^"]+)">Papelería Sol<\/a> \(([^)]+)\)/g)].sort(
    ([, , a = ''], [, , b = '']) => b.localeCompare(a),
  );
  const chosen = await Promise.all(links.map(([, to = '']) => person.visitor.get(to)));
  const out = await person.visitor.post('/cuenta/salir');

  assert.deepEqual(
    links.map(([, , words]) => words),
    ['Propietario', 'Administrador; suspendida'],
  );
  assert.deepEqual(
    chosen.map(({ text }) => /está suspendida/.test(text)),
    [false, true],
  );
  assert.match(chosen[1]?.text ?? '', / aria-current="true">[^<]+<\/a> <span class="frame-role">A/);
  assert.equal(out.to, '/entrar?aviso=salida');
  assert.equal((await person.visitor.get('/cuenta')).to, '/entrar');
});

test('the trail says when the operator suspended it and when that ended, each once', async () => {
  const { owner, organizacion } = await openTeam(instance, folder);
  for (const command of ['suspend', 'suspend', 'resume', 'resume'])
    await runHere([command, '--organization', organizacion], instance.env);

  const { text } = await owner.visitor.get('/cuenta/actividad');
  const entries = text.match(/<strong>(Suspendió|Reactivó) la organización<\/strong>/g) ?? [];
  assert.deepEqual(
    entries.map((entry) => /Suspendió|Reactivó/.exec(entry)?.[0]),
    ['Reactivó', 'Suspendió'],
  );
  assert.match(text, /Suspendió la organización<\/strong><\/p>\s*<p>El operador de Tianguis/);
});

async function suspend({ organizacion }: Team, isSuspended = true): Promise<void> {
  await database.write((handle) =>
    handle.sql('update organizations set suspended_at = $2 where id = $1', [
      organizacion,
      isSuspended ? instance.clock.now().toString() : null,
    ]),
  );
}

async function makeKey({ organizacion }: Team): Promise<string> {
  const made = await database
    .within(organizacion)
    .write((scope) => createKey(scope, 'operator', { name: 'prueba' }));
  return made.id;
}

function keysOf({ organizacion }: Team) {
  return database.within(organizacion).read(listKeys);
}

function idIn(text: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
}
