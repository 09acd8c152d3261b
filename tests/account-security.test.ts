import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { makeUser, signUpJob } from '../src/features/people/index.ts';
import {
  hashPassword,
  verifyPassword,
  withKnownAccountPriority,
} from '../src/features/people/passwords.ts';
import { newId, sha256 } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openAgent } from './support/agent-client.ts';
import { openApp } from './support/app.ts';
import { openAuthenticator } from './support/authenticator.ts';
import { runHere } from './support/command.ts';
import { logInto } from './support/log.ts';
import {
  known as knownAt,
  newcomer,
  ORGANIZATION_NAME,
  openMailingInstance,
  PASSWORD,
  register,
  signIn,
  withSecondFactor,
} from './support/people.ts';
import { createHook } from './support/resources-untracked.ts';
import { freshDatabase } from './support/server.ts';
import { codeOf, mailsTo, openVisitor, tokenIn, type Visitor } from './support/visitor.ts';

// What an attacker gains who knows the password alone, holds a stolen session, or registered an
// address first.

const { instance, dataDir, folder } = await openMailingInstance(WHOLE_FILE);
const { clock } = instance;
const KEYS = '/cuenta/claves';
const STRANGER = {
  nombre: 'Extraño',
  organizacion: 'Tienda del Extraño',
  contrasena: 'la clave de un extraño',
};

test('a password alone makes no key where the second factor is a passkey: the page asks for it, and goes on', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const thief = openVisitor(instance.url);
  await signIn(thief, email);

  const made = await makeKey(thief);
  const page = await thief.get(KEYS);
  const asked = await thief.get(made.to);

  assert.deepEqual(
    [made.status, /^\/cuenta\/confirmar\?volver=%2Fcuenta%2Fclaves/.test(made.to)],
    [303, true],
  );
  assert.match(page.text, /href="\/cuenta\/confirmar\?volver=[^"]+">confirma que eres tú/);
  assert.match(asked.text, /data-passkey="enter" data-next="\/cuenta\/claves\?organizacion=/);
  assert.equal(await keysOf(email), 0);
  const entered = await passkey.enter(thief);
  assert.deepEqual([entered.status, (await makeKey(thief)).status], [200, 200]);
  assert.equal(await keysOf(email), 1);
});

test('a password alone lets no one in where there is a second factor: invitations and roles wait for it', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const thief = openVisitor(instance.url);
  await signIn(thief, email);
  const organizacion = await organizationOf(email);
  const own = newcomer(instance).email;
  const invite = () =>
    thief.post('/cuenta/miembros/invitar', { organizacion, correo: own, rol: 'owner' });

  const invited = await invite();
  const promoted = await thief.post('/cuenta/miembros/rol', {
    organizacion,
    persona: newId(),
    rol: 'owner',
  });
  const again = await thief.post('/cuenta/invitaciones/reenviar', {
    organizacion,
    invitacion: newId(),
  });
  const page = await thief.get('/cuenta/miembros');

  for (const { status, to } of [invited, promoted, again])
    assert.deepEqual(
      [status, to.startsWith('/cuenta/confirmar?volver=%2Fcuenta%2Fmiembros')],
      [303, true],
    );
  assert.match(page.text, /href="\/cuenta\/confirmar\?volver=[^"]+">confirma que eres tú/);
  assert.deepEqual(await rows('select from invitations where email = $1', [own]), []);
  await passkey.enter(thief);
  assert.match((await invite()).to, /aviso=invitada/);
});

test('a password alone connects no agent where there is a second factor', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const thief = openVisitor(instance.url);
  await signIn(thief, email);
  const agent = await openAgent({ url: instance.url, resource: `${instance.url}/mcp` });
  const { to: consent } = await thief.get(agent.authorizeUrl({ resource: null }));

  assert.match(consent, /^\/oauth/, consent);
  const shown = await thief.get(consent);
  const given = await thief.post(consent, {
    organizacion: await organizationOf(email),
    decision: 'permitir',
    permiso: 'orders:read',
  });

  const confirming = `/cuenta/confirmar?volver=${encodeURIComponent(new URL(consent, instance.url).pathname)}`;
  assert.deepEqual([shown.status, shown.to], [303, confirming]);
  assert.deepEqual([given.status, given.to], [303, confirming]);
  await passkey.enter(thief);
  const page = await thief.get(consent);
  assert.equal(page.status, 200);
  assert.match(page.text, /Agente de prueba/);
});

test('a session that was opened with a passkey makes keys at once, and takes the place of the one before', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const before = new Map(visitor.cookies);
  clock.advance({ minutes: 6 });

  await passkey.enter(visitor);

  const former = openVisitor(instance.url, { cookies: before });
  assert.equal((await former.get('/cuenta')).to, '/entrar');
  assert.equal((await makeKey(visitor)).status, 200);
  const fresh = openVisitor(instance.url);
  await passkey.enter(fresh);
  assert.equal((await makeKey(fresh)).status, 200);
  assert.deepEqual(await openedBy(email), ['passkey', 'passkey']);
});

test('each way in is written at its session', async () => {
  const { visitor, email } = await known();
  assert.deepEqual(await openedBy(email), ['password']);
  const { key, backupCodes } = await withSecondFactor(visitor);
  const [withCode, withBackup] = [openVisitor(instance.url), openVisitor(instance.url)];
  await signIn(withCode, email);
  await withCode.post('/entrar/segundo-paso', { codigo: codeOf(key, Date.now() + 30_000) });
  await signIn(withBackup, email);
  await withBackup.post('/entrar/segundo-paso', { respaldo: backupCodes[0] as string });

  assert.deepEqual((await openedBy(email)).sort(), ['backup_code', 'code', 'code']);
});

test('a password that was changed inside a session carries on what the session proved, and no more', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const other = openVisitor(instance.url);
  await signIn(other, email);

  await other.post('/cuenta/contrasena', { contrasena: PASSWORD, nueva: 'tres tazas rojas' });

  assert.match((await makeKey(other)).to, /^\/cuenta\/confirmar/);
  await passkey.enter(other);
  await other.post('/cuenta/contrasena', { contrasena: 'tres tazas rojas', nueva: PASSWORD });
  assert.equal((await makeKey(other)).status, 200);
});

test('a code opens the way back to where one came from, counts once, and guesses are few', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  const { key } = await withSecondFactor(visitor);
  await instance.app.database.write((handle) =>
    handle.sql('update sessions set factor_used_at = null', []),
  );
  const back = '/cuenta/claves?organizacion=';
  const code = codeOf(key, Date.now() + 30_000);
  const give = (codigo: string) => visitor.post('/cuenta/confirmar', { codigo, volver: back });

  const first = await makeKey(visitor);
  const wrong = await give('000000');
  const right = await give(code);
  const again = await give(code);

  assert.match(first.to, /^\/cuenta\/confirmar/);
  assert.deepEqual([wrong.status, right.to, again.status], [400, back, 400]);
  assert.equal((await makeKey(visitor)).status, 200);
  const guesses = [];
  for (let guess = 0; guess < 8; guess++) guesses.push((await give('000000')).status);
  assert.deepEqual(guesses, [...Array(7).fill(400), 429]);
  assert.equal(await keysOf(email), 1);
});

test('the password that opened the session adds a passkey for five minutes', async () => {
  const { visitor, email } = await known();
  const offered = await visitor.get('/cuenta/segundo-paso');
  clock.advance({ minutes: 6 });
  const later = await visitor.get('/cuenta/segundo-paso');
  const late = await openAuthenticator(instance.url).register(visitor);
  await signIn(visitor, email);
  const added = await openAuthenticator(instance.url).register(visitor);

  assert.match(offered.text, /data-passkey="add" data-next="\/cuenta\?aviso=llave"/);
  assert.doesNotMatch(later.text, /data-passkey/);
  assert.deepEqual([late.status, added.status], [403, 200]);
  assert.equal(await passkeysOf(email), 1);
});

test('a stolen session adds no passkey, and a password alone none where there is a second factor', async () => {
  const { visitor, email } = await known();
  clock.advance({ minutes: 6 });
  const stolen = openVisitor(instance.url, { cookies: visitor.cookies });

  const without = await openAuthenticator(instance.url).register(stolen);
  const wrong = await stolen.post('/cuenta/llaves/agregar', {
    contrasena: 'no es esta contraseña',
  });
  const still = await openAuthenticator(instance.url).register(stolen);
  assert.deepEqual([without.status, wrong.status, still.status], [403, 400, 403]);
  assert.equal(JSON.parse(without.text).error.code, 'confirmation_required');

  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const thief = openVisitor(instance.url);
  await signIn(thief, email);
  const detour = await thief.post('/cuenta/llaves/agregar', { contrasena: PASSWORD });
  const refused = await openAuthenticator(instance.url).register(thief);
  assert.deepEqual(
    [detour.to, refused.status],
    ['/cuenta/confirmar?volver=%2Fcuenta%3Faviso%3Dconfirmado', 403],
  );
  assert.equal(await passkeysOf(email), 1);
});

test('a confirmation that is minutes old is repeated before a passkey is added', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  await visitor.post('/cuenta/llaves/agregar', { contrasena: PASSWORD });

  clock.advance({ minutes: 6 });

  assert.equal((await openAuthenticator(instance.url).register(visitor)).status, 403);
  assert.equal((await visitor.get('/cuenta/llaves/agregar')).to, '/cuenta#llaves');
  await passkey.enter(visitor);
  assert.equal(
    (await visitor.post('/cuenta/llaves/agregar', { contrasena: PASSWORD })).to,
    '/cuenta/llaves/agregar',
  );
  assert.equal((await openAuthenticator(instance.url).register(visitor)).status, 200);
  assert.equal(await passkeysOf(email), 2);
});

test('a password alone neither removes a passkey nor puts an app with codes beside it', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const thief = openVisitor(instance.url);
  await signIn(thief, email);
  const [, llave = ''] =
    /name="llave" value="([^"]+)"/.exec((await thief.get('/cuenta')).text) ?? [];

  const removed = await thief.post('/cuenta/llaves/quitar', { llave, contrasena: PASSWORD });
  const begun = await thief.post('/cuenta/segundo-paso', { contrasena: PASSWORD });
  const ended = await thief.post('/cuenta/segundo-paso/confirmar', { codigo: '000000' });

  const asks = (path: string) => `/cuenta/confirmar?volver=${encodeURIComponent(path)}`;
  const asksToEnrol = asks('/cuenta/segundo-paso');
  assert.deepEqual(
    [removed.to, begun.to, ended.to],
    [asks('/cuenta?aviso=confirmado'), asksToEnrol, asksToEnrol],
  );
  assert.equal(await passkeysOf(email), 1);
  await passkey.enter(thief);
  const done = await thief.post('/cuenta/llaves/quitar', { llave, contrasena: PASSWORD });
  assert.equal(done.to, '/cuenta?aviso=sin-llave');
});

test('a registration does not survive a later one: its link, password, name and organisation end', async () => {
  const { visitor, email } = newcomer(instance);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const strange = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');

  await register(visitor, email);
  const own = tokenIn(await mailsTo(folder, email, 2), '/verificar-correo');
  const former = await visitor.get(`/verificar-correo?token=${strange}`);
  const ended = await visitor.post('/verificar-correo', {
    token: strange,
    contrasena: STRANGER.contrasena,
  });
  const done = await visitor.post('/verificar-correo', { token: own, contrasena: PASSWORD });

  assert.deepEqual([former.status, ended.status, done.to], [400, 400, '/panel']);
  assert.equal((await signIn(openVisitor(instance.url), email, STRANGER.contrasena)).status, 401);
  assert.equal((await signIn(visitor, email)).to, '/panel');
  await showsOwn(visitor);
});

test('a registration whose job runs after that of a later one replaces nothing', async () => {
  const { visitor, email } = newcomer(instance);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const earlier = (await sealedJobs('sign-up')).at(-1);
  await mailsTo(folder, email, 1);
  clock.advance({ seconds: 1 });
  await register(visitor, email);
  const token = tokenIn(await mailsTo(folder, email, 2), '/verificar-correo');

  await signUpJob.work(instance.app.exchange, earlier);

  const done = await visitor.post('/verificar-correo', { token, contrasena: PASSWORD });
  assert.equal(done.to, '/panel');
  await signIn(visitor, email);
  await showsOwn(visitor);
});

test('the mail of a stranger’s registration confirms nothing without its password, and lets its reader choose anew', async () => {
  const { visitor, email } = newcomer(instance);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const token = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');

  const bare = await visitor.post('/verificar-correo', { token });
  const wrong = await visitor.post('/verificar-correo', { token, contrasena: PASSWORD });
  const early = await signIn(openVisitor(instance.url), email, STRANGER.contrasena);
  const weak = await visitor.post('/verificar-correo', {
    token,
    nombre: 'Ana Robles',
    nueva: 'corta',
  });
  const chosen = { token, nombre: 'Ana Robles', organizacion: ORGANIZATION_NAME, nueva: PASSWORD };
  const done = await visitor.post('/verificar-correo', chosen);
  const again = await visitor.post('/verificar-correo', chosen);

  assert.deepEqual([bare.status, wrong.status, early.status, weak.status], [400, 400, 401, 400]);
  assert.match(wrong.text, /no es la contraseña de este registro.*<details open>/s);
  assert.deepEqual([done.to, again.status], ['/panel', 400]);
  assert.equal((await signIn(openVisitor(instance.url), email, STRANGER.contrasena)).status, 401);
  assert.equal((await signIn(visitor, email)).to, '/panel');
  await showsOwn(visitor);
});

test('a registration by a process whose clock is ahead keeps nothing from its address’s owner', async () => {
  const chosen = { nombre: 'Ana Robles', organizacion: ORGANIZATION_NAME, nueva: PASSWORD };
  const { visitor, email } = newcomer(instance);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const token = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');
  await madeAhead(email);
  const done = await visitor.post('/verificar-correo', { token, ...chosen });

  const made = newcomer(instance);
  await registerAs(openVisitor(instance.url), made.email, STRANGER);
  await mailsTo(folder, made.email, 1);
  await madeAhead(made.email);
  await instance.app.database
    .within(instance.organization.id)
    .write((scope) => makeUser(scope, { email: made.email, role: 'member' }));

  assert.equal(done.to, '/panel');
  await showsOwn(visitor);
  assert.equal((await signIn(visitor, email)).to, '/panel');
  for (const address of [email, made.email]) {
    const stranger = await signIn(openVisitor(instance.url), address, STRANGER.contrasena);
    assert.equal(stranger.status, 401);
  }
});

test('the browser of a registration confirms no later one of the same address by a press', async () => {
  const { visitor, email } = newcomer(instance);
  await register(visitor, email);
  const own = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const strange = tokenIn(await mailsTo(folder, email, 2), '/verificar-correo');

  const pressed = [
    await visitor.post('/verificar-correo', { token: own }),
    await visitor.post('/verificar-correo', { token: strange }),
  ];

  assert.deepEqual(
    pressed.map(({ status, to }) => [status, to]),
    [
      [400, ''],
      [400, ''],
    ],
  );
  const page = await visitor.get(`/verificar-correo?token=${strange}`);
  assert.match(page.text, /Escribe la contraseña/);
});

test('a person who registers an address after its owner leaves the owner a way to choose anew', async () => {
  const { visitor, email } = newcomer(instance);
  await register(visitor, email);
  await mailsTo(folder, email, 1);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const token = tokenIn(await mailsTo(folder, email, 2), '/verificar-correo');

  const chosen = { token, nombre: 'Ana Robles', organizacion: ORGANIZATION_NAME, nueva: PASSWORD };
  assert.equal((await visitor.post('/verificar-correo', chosen)).to, '/panel');

  assert.equal((await signIn(openVisitor(instance.url), email, STRANGER.contrasena)).status, 401);
  assert.equal((await signIn(visitor, email)).to, '/panel');
  await showsOwn(visitor);
});

test('a forgotten password of an unconfirmed registration is answered with its confirmation', async () => {
  const { visitor, email } = newcomer(instance);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  await mailsTo(folder, email, 1);

  await visitor.post('/recuperar', { correo: email });

  const last = (await mailsTo(folder, email, 2)).at(-1) ?? '';
  assert.match(last, /Confirma tu correo/);
  assert.doesNotMatch(last, /restablecer/);
});

test('a link of an operator for an address that a stranger registered keeps nothing of the stranger', async () => {
  const { visitor, email } = newcomer(instance);
  await registerAs(openVisitor(instance.url), email, STRANGER);
  const strange = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');

  const { token } = await instance.app.database
    .within(instance.organization.id)
    .write((scope) => makeUser(scope, { email, role: 'member' }));
  const confirmed = await visitor.post('/verificar-correo', {
    token: strange,
    contrasena: STRANGER.contrasena,
  });
  const entered = await signIn(openVisitor(instance.url), email, STRANGER.contrasena);
  await visitor.post('/restablecer', { token, contrasena: PASSWORD });

  assert.deepEqual([confirmed.status, entered.status], [400, 401]);
  assert.equal((await signIn(visitor, email)).to, '/panel');
  assert.doesNotMatch((await visitor.get('/cuenta')).text, /Extraño/);
});

test('a first password is called one: on its pages, in the mail and in the trail', async () => {
  const { visitor, email } = newcomer(instance);
  const { organization } = instance;
  const { token } = await instance.app.database
    .within(organization.id)
    .write((scope) => makeUser(scope, { email, role: 'owner' }));

  const asks = await visitor.get(`/restablecer?token=${token}`);
  const done = await visitor.post('/restablecer', { token, contrasena: PASSWORD });
  const entrance = await visitor.get(done.to);
  const [mail = ''] = await mailsTo(folder, email, 1);
  await signIn(visitor, email);
  const trail = await visitor.get(`/cuenta/actividad?organizacion=${organization.id}`);

  for (const text of [asks.text, entrance.text, mail])
    assert.doesNotMatch(text, /llaves? de acceso (quedan|quedaron)|Cambió|sesión en todos|nueva/);
  assert.match(entrance.text, /role="status">Tu contraseña quedó guardada\. Ya puedes entrar/);
  assert.match(mail, /Ya tienes contraseña en Tianguis/);
  assert.match(trail.text, /Eligió su primera contraseña/);
  assert.doesNotMatch(trail.text, /Eligió otra contraseña/);
});

test('passkeys are told apart by their device and their day, and the account says that one counts', async () => {
  const { visitor, email } = await known();
  const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36';
  const before = await visitor.get('/cuenta');

  await visitor.post('/cuenta/llaves/agregar', { contrasena: PASSWORD });
  const offered = await visitor.get('/cuenta/llaves/agregar', { 'user-agent': agent });
  const unknown = await visitor.get('/cuenta/llaves/agregar', { 'user-agent': 'otro' });
  await addPasskey(visitor, openAuthenticator(instance.url));
  const account = await visitor.get('/cuenta');
  const members = await visitor.get('/cuenta/miembros');

  assert.match(offered.text, /id="passkey-name"[^>]* value="Chrome en Windows"/);
  assert.match(unknown.text, /id="passkey-name"[^>]* value="Este dispositivo"/);
  assert.match(before.text, /Activar la verificación en dos pasos/);
  assert.match(account.text, /<p>Agregada el \d+ \w+ 20\d\d<\/p>/);
  assert.match(account.text, /llave de acceso<\/a> cuenta como verificación en dos pasos/);
  assert.doesNotMatch(account.text, /Activar la verificación/);
  assert.ok(members.text.includes(email));
  assert.match(members.text, /Verificación en dos pasos: llave de acceso</);
});

test('a password chosen by mail ends sessions and suspends passkeys, until one is used beside the new one', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const owner = openVisitor(instance.url);
  await owner.post('/recuperar', { correo: email });
  const token = tokenIn(await mailsTo(folder, email, 3), '/restablecer');
  await owner.post('/restablecer', { token, contrasena: 'otras tazas verdes' });

  const former = await visitor.get('/cuenta');
  const thief = openVisitor(instance.url);
  const entered = await passkey.enter(thief);
  assert.deepEqual(
    [former.to, entered.status, (await thief.get('/cuenta')).to],
    ['/entrar', 401, '/entrar'],
  );
  assert.match(JSON.parse(entered.text).error.message, /suspendida/);
  assert.match(
    (await mailsTo(folder, email, 4)).at(-1) ?? '',
    /llaves de acceso quedaron suspendidas/,
  );

  await signIn(owner, email, 'otras tazas verdes');
  const page = await owner.get('/cuenta');
  const [, llave = ''] = /name="llave" value="([^"]+)"/.exec(page.text) ?? [];
  const asked = await owner.post('/cuenta/llaves/activar', {
    llave,
    contrasena: 'otras tazas verdes',
  });
  const way = await owner.get(asked.to);
  const used = await passkey.enter(owner);
  const after = await owner.get('/cuenta');

  assert.match(page.text, /quedaron suspendidas.*\(suspendida\)/s);
  assert.equal(asked.to, '/cuenta/confirmar?volver=%2Fcuenta%3Faviso%3Dconfirmado');
  assert.match(way.text, /vuelve a servir.*data-passkey="enter"/s);
  assert.equal(used.status, 200);
  assert.doesNotMatch(after.text, /suspendida/);
  assert.equal((await makeKey(owner)).status, 200);
  assert.equal((await passkey.enter(thief)).status, 200);
});

test('a mail alone takes over no account that had a passkey alone: the passkey is asked for beside the new password', async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  const thief = openVisitor(instance.url);
  await thief.post('/recuperar', { correo: email });
  const token = tokenIn(await mailsTo(folder, email, 3), '/restablecer');
  const contrasena = 'la clave de un extraño';
  await thief.post('/restablecer', { token, contrasena });
  await signIn(thief, email, contrasena);
  const [, llave = ''] =
    /name="llave" value="([^"]+)"/.exec((await thief.get('/cuenta')).text) ?? [];
  const { email: own } = newcomer(instance);

  const answers = [
    await thief.post('/cuenta/segundo-paso', { contrasena }),
    await thief.post('/cuenta/segundo-paso/confirmar', { codigo: '000000' }),
    await thief.post('/cuenta/llaves/agregar', { contrasena }),
    await thief.post('/cuenta/llaves/activar', { llave, contrasena }),
    await thief.post('/cuenta/llaves/quitar', { llave, contrasena }),
    await thief.post('/cuenta/miembros/invitar', { correo: own, rol: 'owner' }),
    await makeKey(thief),
  ];

  for (const { to } of answers) assert.match(to, /^\/cuenta\/confirmar/);
  assert.equal((await openAuthenticator(instance.url).register(thief)).status, 403);
  assert.equal((await passkey.enter((await known()).visitor)).status, 401);
  assert.match((await thief.get('/cuenta')).text, /\(suspendida\)/);
  assert.equal(await keysOf(email), 0);
});

test('a passkey counts only where its device verified its user, when it is added and when it is used', async () => {
  const { visitor, email } = await known();
  const [passkey, careless] = [openAuthenticator(instance.url), openAuthenticator(instance.url)];
  careless.verifyUser(false);
  await addPasskey(visitor, passkey);

  const added = await careless.register(visitor);
  const again = await passkey.register(visitor);
  passkey.verifyUser(false);
  const entered = await passkey.enter(openVisitor(instance.url));
  passkey.verifyUser(true);

  assert.deepEqual([added.status, again.status, entered.status], [401, 400, 401]);
  assert.equal(await passkeysOf(email), 1);
  for (const { text } of [added, entered])
    assert.match(text, /Tu dispositivo debe pedirte huella, rostro o PIN/);
  assert.equal((await passkey.enter(openVisitor(instance.url))).status, 200);
});

test('a person who lost every factor asks the operator, whose command removes them, ends the sessions and tells by mail', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  const passkey = openAuthenticator(instance.url);
  await addPasskey(visitor, passkey);
  await passkey.enter(visitor);
  await withSecondFactor(visitor);
  const had = await mailsTo(folder, email, 3);
  const organization = await organizationOf(email);
  const args = ['remove-factors', '--organization', organization, '--email', email, '--json'];

  const { json } = await runHere(args, instance.env);

  assert.deepEqual([json.email, json.factors_removed], [email, true]);
  assert.equal((await visitor.get('/cuenta')).to, '/entrar');
  assert.equal((await passkey.enter(openVisitor(instance.url))).status, 401);
  const mails = await mailsTo(folder, email, had.length + 1);
  assert.match(mails.at(-1) ?? '', /quit.*la verificaci.*n en dos pasos/s);
  const fresh = openVisitor(instance.url);
  assert.equal((await signIn(fresh, email)).to, '/panel');
  assert.match((await fresh.get('/cuenta/actividad')).text, /El operador de Tianguis/);
  await makeKey(fresh);
  assert.equal(await keysOf(email), 0);
});

test('after registering, signing in reveals nothing of the address’s former owner', async () => {
  const confirmed = await known();
  const [unconfirmed, unknown] = [newcomer(instance), newcomer(instance)];
  await registerAs(openVisitor(instance.url), unconfirmed.email, STRANGER);
  await mailsTo(folder, unconfirmed.email, 1);

  const answers = [];
  for (const { email } of [confirmed, unconfirmed, unknown]) {
    if (email !== unknown.email) await registerAs(openVisitor(instance.url), email, STRANGER);
    const { status, text } = await signIn(openVisitor(instance.url), email, STRANGER.contrasena);
    answers.push([status, text.replaceAll(email, '')]);
  }

  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
});

test('an unknown, unconfirmed or confirmed address, and one with passkeys alone, get the same answers after the same hashes', async (t) => {
  const ways = {
    signIn: (visitor: Visitor, email: string) => signIn(visitor, email, STRANGER.contrasena),
    recovery: (visitor: Visitor, correo: string) => visitor.post('/recuperar', { correo }),
    signUp: (visitor: Visitor, email: string) => registerAs(visitor, email, STRANGER),
  };
  const [unconfirmed, unknown] = [newcomer(instance), newcomer(instance)];
  await registerAs(openVisitor(instance.url), unconfirmed.email, STRANGER);
  const [confirmed, withoutPassword] = [await known(), await known()];
  await addPasskey(withoutPassword.visitor, openAuthenticator(instance.url));
  await rows('delete from credentials where person_id = $1', [withoutPassword.personId]);
  const hashes = countHashes(t);

  for (const [way, ask] of Object.entries(ways)) {
    const answers = [];
    for (const { email } of [unknown, unconfirmed, confirmed, withoutPassword]) {
      const before = hashes.made;
      const queued = (await sealedJobs('recover', 'sign-up')).length;
      const { status, to, text } = await ask(openVisitor(instance.url), email);
      answers.push({
        status,
        to,
        text: text.replaceAll(email, ''),
        hashes: hashes.made - before,
        jobs: (await sealedJobs('recover', 'sign-up')).length - queued,
      });
    }
    const [first] = answers;
    for (const answer of answers) assert.deepEqual(answer, first, way);
    assert.equal(first?.hashes, way === 'recovery' ? 0 : 1, way);
    assert.equal(first?.jobs, way === 'signIn' ? 0 : 1, way);
  }
});

/** The Argon2 that this process calculates, as Node reports it. */
function countHashes(t: TestContext): { readonly made: number } {
  const count = { made: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') count.made++;
    },
  });
  hook.enable();
  t.after(() => hook.disable());
  return count;
}

test('a forgotten password is looked up by the job, not by the request', async () => {
  const { email } = await known();
  const before = await sealedJobs('recover');

  const asked = await openVisitor(instance.url).post('/recuperar', { correo: email });
  const nobody = await openVisitor(instance.url).post('/recuperar', {
    correo: 'nadie@tienda.example',
  });

  const made = (await sealedJobs('recover')).slice(before.length);
  assert.equal(asked.text, nobody.text);
  assert.deepEqual(
    made.map((data) => Object.keys(data).sort()),
    [
      ['box', 'ticket'],
      ['box', 'ticket'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(made), /tienda/);
});

function known() {
  return knownAt(instance, folder);
}

/** As the page does: the password, then the ceremony. */
async function addPasskey(
  visitor: Visitor,
  passkey: ReturnType<typeof openAuthenticator>,
): Promise<void> {
  const asked = await visitor.post('/cuenta/llaves/agregar', { contrasena: PASSWORD });
  assert.equal(asked.to, '/cuenta/llaves/agregar');
  assert.match((await visitor.get(asked.to)).text, /data-passkey="add"/);
  const done = await passkey.register(visitor);
  assert.equal(done.status, 200, done.text);
}

function makeKey(visitor: Visitor) {
  const form = { formulario: newId(), nombre: 'Hoja', permiso: 'orders:read', vigencia: '' };
  return visitor.post(KEYS, form);
}

test('an invitation carries no words of its sender, and a mail leaves out a name with an address in it', async () => {
  const { visitor, email } = await known();
  const guest = newcomer(instance).email;
  const strange = 'URGENTE: entra en premios.example';
  await rows('update people set name = $2 where email = $1', [email, strange]);
  await rows(
    `update organizations set name = $2
      where id = (select organization_id from members join people on people.id = person_id where email = $1)`,
    [email, strange],
  );

  await visitor.post('/cuenta/miembros/invitar', { correo: guest, rol: 'member' });
  await visitor.post('/cuenta/contrasena', { contrasena: PASSWORD, nueva: 'tres tazas rojas' });

  const [invitation = ''] = await mailsTo(folder, guest, 1);
  const own = (await mailsTo(folder, email, 2)).at(-1) ?? '';
  assert.match(invitation, new RegExp(`${email} te invitó a su organización`));
  assert.match(own, /Hola:/);
  assert.doesNotMatch(invitation + own, /URGENTE|premios/);
});

test('a session’s row opens nothing: it has the hash of what is in the cookie', async () => {
  const { visitor, email } = await known();
  const token =
    decodeURIComponent(visitor.cookies.get('tianguis.session_token') ?? '').split('.')[0] ?? '';
  const stored = () =>
    rows('select token from sessions join people on people.id = person_id where email = $1', [
      email,
    ]);

  assert.deepEqual(await stored(), [{ token: sha256(token) }]);
  await visitor.post('/cuenta/contrasena', { contrasena: PASSWORD, nueva: 'tres tazas rojas' });
  assert.equal((await visitor.get('/cuenta')).status, 200);
  assert.equal((await stored()).length, 1);
  await visitor.post('/cuenta/salir');
  assert.deepEqual(await stored(), []);
});

test('a flood of strangers shuts out strangers alone, and fills no log', {
  tags: ['slow'],
}, async (t) => {
  const lines: string[] = [];
  const at = await openApp(t, {
    clock,
    env: { DATA_DIR: dataDir },
    database: await freshDatabase(),
    log: logInto(lines),
  });
  const { visitor, email } = await knownAt(at, folder);
  await visitor.post('/cuenta/salir');
  const flood = floodOfPasswords();

  const refused = [];
  for (let turn = 0; turn < 3; turn++) refused.push(await signIn(openVisitor(at.url), email));
  const owner = await signIn(visitor, email);
  await flood.end();

  assert.deepEqual(
    refused.map(({ status, headers }) => [status, headers.get('retry-after')]),
    Array(3).fill([503, '5']),
  );
  assert.equal(owner.to, '/panel');
  const reported = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    reported
      .filter(({ message }) => /sign-ins refused/.test(message))
      .map(({ level, count }) => [level, count]),
    [['warn', 1]],
  );
  assert.deepEqual(
    reported.filter(({ level }) => level === 'error'),
    [],
  );
});

test('a signed-in person confirms with the password during a flood, also in a browser without its mark', {
  tags: ['slow'],
}, async () => {
  const { visitor } = await known();
  visitor.cookies.delete('tianguis.device');
  const flood = floodOfPasswords();

  const asked = await visitor.post('/cuenta/llaves/agregar', { contrasena: PASSWORD });
  const wrong = await visitor.post('/cuenta/llaves/agregar', { contrasena: 'otra clave larga' });
  const changed = await visitor.post('/cuenta/contrasena', {
    contrasena: PASSWORD,
    nueva: 'tres tazas rojas',
  });
  await flood.end();

  assert.deepEqual(
    [asked.to, wrong.status, changed.to],
    ['/cuenta/llaves/agregar', 400, '/cuenta?aviso=contrasena'],
  );
});

test('five attempts of one account wait at most, from however many known browsers; another account enters', {
  tags: ['slow'],
}, async () => {
  const [one, other] = [await known(), await known()];
  for (const { visitor } of [one, other]) await visitor.post('/cuenta/salir');
  const busy = Promise.all([hashForSeconds(), hashForSeconds()]);

  const attempts = Array.from({ length: 8 }, () =>
    signIn(openVisitor(instance.url, { cookies: one.visitor.cookies }), one.email),
  );
  const entered = await signIn(other.visitor, other.email);
  const answers = await Promise.all(attempts);
  await busy;

  const refused = answers.filter(({ to }) => to !== '/panel');
  assert.deepEqual(
    refused.map(({ status, headers }) => [status, headers.get('retry-after')]),
    Array(3).fill([503, '5']),
  );
  assert.equal(entered.to, '/panel');
});

test('a full queue of hashes leaves the link to choose a password usable, and a flood of strangers does not stop it', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  await visitor.post('/recuperar', { correo: email });
  const token = tokenIn(await mailsTo(folder, email, 2), '/restablecer');
  const choose = () =>
    openVisitor(instance.url).post('/restablecer', { token, contrasena: 'tres tazas rojas' });
  const busy = Promise.all([hashForSeconds(), hashForSeconds()]);
  const waiting = Array.from({ length: 5 }, () =>
    withKnownAccountPriority(email, () => hashPassword(PASSWORD)),
  );

  const refused = await choose();
  await Promise.all([busy, ...waiting]);
  const flood = floodOfPasswords();
  const chosen = await choose();
  await flood.end();

  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  assert.equal(chosen.to, '/entrar?aviso=contrasena');
});

/** Takes one of the two places of hashes, for longer than the attempts need to come. */
function hashForSeconds(): Promise<string> {
  return hashPassword(PASSWORD, { memory: 19_456, passes: 60, parallelism: 1 });
}

/** Keeps the line of strangers full until it is ended. */
function floodOfPasswords(): { end(): Promise<void> } {
  const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  let isOver = false;
  const one = async () => {
    // The line is full already: what was refused comes again.
    while (!isOver) await verifyPassword({ hash, password: PASSWORD }).catch(() => pause(1));
  };
  const all = Array.from({ length: 110 }, one);
  return {
    async end() {
      isOver = true;
      await Promise.all(all);
    },
  };
}

function registerAs(visitor: Visitor, correo: string, chosen: typeof STRANGER) {
  return visitor.post('/registro', { correo, ...chosen });
}

function madeAhead(email: string) {
  const ahead = "update people set updated_at = updated_at + interval '2 minutes' where email = $1";
  return rows(ahead, [email]);
}

/** Nothing of the stranger's is left, and what the owner chose is there. */
async function showsOwn(visitor: Visitor): Promise<void> {
  const { text } = await visitor.get('/cuenta');
  assert.match(text, new RegExp(`Ana Robles.*${ORGANIZATION_NAME}`, 's'));
  assert.doesNotMatch(text, /Extraño/);
}

/** What the jobs were given that these requests enqueued. */
async function sealedJobs(...names: string[]): Promise<object[]> {
  const found = await rows(
    'select data from queue.job where name = any($1) order by created_on, id',
    [names],
  );
  return found.map((row) => (row as { data: object }).data);
}

async function keysOf(email: string): Promise<number> {
  const found = await rows(
    `select from api_keys join members using (organization_id) join people on people.id = person_id where email = $1`,
    [email],
  );
  return found.length;
}

async function organizationOf(email: string): Promise<string> {
  const [row] = await rows(
    'select organization_id as id from members join people on people.id = person_id where email = $1',
    [email],
  );
  return (row as { id: string }).id;
}

async function passkeysOf(email: string): Promise<number> {
  return (
    await rows('select from passkeys join people on people.id = person_id where email = $1', [
      email,
    ])
  ).length;
}

async function openedBy(email: string): Promise<string[]> {
  const found = await rows(
    'select opened_by from sessions join people on people.id = person_id where email = $1 order by sessions.created_at',
    [email],
  );
  return found.map((row) => (row as { opened_by: string }).opened_by);
}

function rows(text: string, values: unknown[] = []): Promise<object[]> {
  return instance.app.database.write((handle) => handle.sql(text, values));
}
