import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { getMigrations } from 'better-auth/db/migration';
import { encode } from 'uqr';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { createKey } from '../src/features/keys/index.ts';
import { openAuth } from '../src/features/people/auth.ts';
import {
  ACTIONS,
  acceptInvitation,
  addMember,
  changeRole,
  invite,
  may,
  membershipsOf,
  membersOf,
  openInvitations,
  type People,
  passwordFault,
  ROLES,
  removeMember,
  resealSecondFactors,
  revokeInvitation,
  scopesFor,
} from '../src/features/people/index.ts';
import { verifyPassword } from '../src/features/people/passwords.ts';
import { sendConfirmation } from '../src/features/people/sign-up.ts';
import { personByEmail } from '../src/features/people/store-people.ts';
import { systemClock } from '../src/platform/clock.ts';
import { composeMail } from '../src/platform/compose-mail.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { openPlainPool } from '../src/platform/db/plain-pool.ts';
import { FAILURES, type FailureCode } from '../src/platform/failures.ts';
import { newId } from '../src/platform/ids.ts';
import { createLog } from '../src/platform/log.ts';
import { openPostbox } from '../src/platform/mail.ts';
import { runCommand } from './reliability/support/commands.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { logInto } from './support/log.ts';
import { startMailServer } from './support/mail-server.ts';
import {
  confirm,
  type Known,
  known as knownAt,
  newcomer as newcomerAt,
  openMailingInstance,
  PASSWORD,
  register,
  signIn,
  withSecondFactor,
} from './support/people.ts';
import { addressOf, freshDatabase, someoneWaits } from './support/server.ts';
import { codeOf, mailsTo, openVisitor, tokenIn, type Visitor } from './support/visitor.ts';

// People who sign in, through the pages and their mails. better-auth's own time is the machine's:
// so the clock starts there.

const { instance, dataDir, folder } = await openMailingInstance(WHOLE_FILE);
const { clock } = instance;
const people = instance.app.people as People;

test('a person who mistyped the address corrects it in the form, and one without a mail asks for another', async () => {
  const { visitor, email } = newcomer();
  const asked = await register(visitor, email);
  assert.match(asked.text, /href="\/recuperar">pide otro enlace/);
  const hidden = [...asked.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  assert.ok(!('contrasena' in fields));
  const again = await visitor.post('/registro', fields);
  assert.match(again.text, new RegExp(`name="correo"[^>]*value="${email}"`));
  assert.match(again.text, /value="Papelería Sol"/);
  assert.equal((await mailsTo(folder, email, 1)).length, 1, 'to correct sends nothing');
  await visitor.post('/recuperar', { correo: email });
  const mails = await mailsTo(folder, email, 2);
  assert.ok(tokenIn(mails.slice(1), '/verificar-correo'));
});

test('a person who registers confirms the address and owns an organisation on Demo', async () => {
  const { visitor, email } = newcomer();

  const asked = await register(visitor, email);
  assert.match(asked.text, /Revisa tu correo/);
  const early = await signIn(visitor, email);
  assert.deepEqual([early.status, /abre antes el enlace/.test(early.text)], [401, true]);
  const token = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');
  const page = await visitor.get(`/verificar-correo?token=${token}`);
  assert.match(page.text, /Confirma que <strong>[^<]+<\/strong> es tu correo/);
  assert.ok(!page.text.includes('name="contrasena"'));
  const elsewhere = await openVisitor(instance.url).get(`/verificar-correo?token=${token}`);
  assert.match(elsewhere.text, /Escribe la contraseña/);
  assert.ok(elsewhere.text.includes(`autocomplete="username" value="${email}"`));
  const done = await visitor.post('/verificar-correo', { token });
  assert.equal(done.to, '/panel');

  const account = await visitor.get('/cuenta');
  assert.match(account.text, /Papelería Sol: Propietario/);
  const [row] = await rows(
    `select plan, trial_ends_at - organizations.created_at = '14 days' as fortnight from organizations
       join members on organization_id = organizations.id join people on people.id = person_id where email = $1`,
    [email],
  );
  assert.deepEqual(row, { plan: 'demo', fortnight: true });
});

test('registering twice makes one person with one organisation, and looks the same', async () => {
  const { visitor, email } = newcomer();

  const answers = await Promise.all([
    register(visitor, email),
    register(openVisitor(instance.url), email),
  ]);
  const later = await register(visitor, email);

  assert.deepEqual(
    [...answers, later].map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(answers[0]?.text, later.text);
  await mailsTo(folder, email, 3);
  const found = await rows(
    'select organization_id from people join members on person_id = people.id where email = $1',
    [email],
  );
  assert.equal(found.length, 1);
});

test('registering a confirmed address reveals nothing; its owner is notified', async () => {
  const owner = await known();

  const asked = await register(openVisitor(instance.url), owner.email);
  const fresh = await register(openVisitor(instance.url), newcomer().email);

  assert.equal(
    asked.text.replaceAll(owner.email, ''),
    fresh.text.replace(/persona\d+@tienda.example/g, ''),
  );
  const mails = await mailsTo(folder, owner.email, 2);
  assert.match(mails.at(-1) ?? '', /ya tiene una cuenta/);
});

test('weak passwords are refused with what would be right; long phrases of any kind are taken', () => {
  const about = { email: 'guadalupe@tienda.example', name: 'Guadalupe Ñandú' };
  const weak = [
    'corta',
    'contraseña123',
    'Password12345',
    '123456789012',
    'aaaaaaaaaaaa',
    'guadalupe2026',
    'Ñandú-2026-Guadalupe',
    // Of the list of usual passwords.
    'finalfantasy',
    'JustinBieber',
    // Walks over a keyboard, repetitions, and usual words beside each other.
    '1qaz2wsx3edc',
    'qweasdzxc123',
    'poiuytrewq09',
    'hola1hola1hola1',
    'Mexico Bienvenidos 2026!',
    'x'.repeat(129),
    // 136 units of text, and as many are counted at sign-in.
    '🦊🐻🐼🐨'.repeat(17),
  ];
  const good = [
    '🦊🐻🐼🐨'.repeat(16),
    'cuatro tazas azules',
    'mi tianguis abre el lunes',
    '739105826417',
    'ñandú y 🐙 bailan',
    `${'ab cd '.repeat(21)}`,
  ];

  assert.deepEqual(
    weak.filter((password) => passwordFault(password, about) === null),
    [],
  );
  assert.deepEqual(
    good.filter((password) => passwordFault(password, about) !== null),
    [],
  );
});

test('an address that could never sign in is not registered', async () => {
  const refused = ['peña', 'ventas&pagos', 'tienda/sur', '.ana', 'ana..robles', 'an\u200ba'];
  const taken = ["ana.o'neil", 'ana+tienda', 'ana_robles'];

  const statuses = new Map<string, number>();
  for (const name of [...refused, ...taken])
    statuses.set(
      name,
      (await register(openVisitor(instance.url), `${name}@tienda.example`)).status,
    );

  assert.deepEqual([...statuses.values()], [...refused.map(() => 400), ...taken.map(() => 200)]);
  for (const name of taken)
    assert.equal((await signIn(openVisitor(instance.url), `${name}@tienda.example`)).status, 401);
});

test('an address gets no more than five mails in a quarter of an hour', async () => {
  const owner = await known();

  const answers = [];
  for (let turn = 0; turn < 7; turn++)
    answers.push(await register(openVisitor(instance.url), owner.email));
  await openVisitor(instance.url).post('/recuperar', { correo: owner.email });
  clock.advance({ minutes: 16 });
  await openVisitor(instance.url).post('/recuperar', { correo: owner.email });

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const mails = await mailsTo(folder, owner.email, 6);
  assert.deepEqual(
    [mails.length, /Elige una contraseña nueva/.test(mails.at(-1) ?? '')],
    [6, true],
  );
});

test('mails that strangers had sent to an address do not keep its owner from registering', async () => {
  const { visitor, email } = newcomer();
  for (let turn = 0; turn < 6; turn++)
    await openVisitor(instance.url).post('/recuperar', { correo: email });

  await register(visitor, email);
  await confirm(visitor, email, folder);

  assert.equal((await signIn(visitor, email)).to, '/panel');
});

test('a stranger’s text is in no mail to another person', async () => {
  const { visitor, email } = newcomer();
  const strange = {
    nombre: 'Gana premios',
    organizacion: 'Más premios',
    correo: email,
    contrasena: PASSWORD,
  };
  const linked = { ...strange, organizacion: 'Entra en https://premios.example/entrar' };

  const refused = await visitor.post('/registro', linked);
  await visitor.post('/registro', strange);
  await visitor.post('/registro', strange);
  await mailsTo(folder, email, 2);
  await visitor.post('/recuperar', { correo: email });

  assert.deepEqual([refused.status, /direcciones de internet/.test(refused.text)], [400, true]);
  const mails = await mailsTo(folder, email, 3);
  assert.deepEqual(
    mails.map((mail) => mail.includes('premios')),
    [false, false, false],
  );
});

test('a flood of passwords is refused in part, and what was taken is done', async () => {
  const hash = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
  const flood = () =>
    Array.from({ length: 400 }, () => verifyPassword({ hash, password: PASSWORD }));

  const done = await Promise.allSettled(flood());
  const later = await verifyPassword({ hash, password: PASSWORD });

  const refused = done.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
  assert.deepEqual([refused.length, new Set(refused)], [298, new Set(['service_unavailable'])]);
  assert.equal(later, false);
});

test('what no browser sends is refused, and is no fault of ours', async () => {
  const { visitor } = await known();
  const nul = 'a\0b';
  const forms: [path: string, form: Record<string, string>][] = [
    ['/registro', { nombre: 'Ana', correo: `${nul}@tienda.example`, contrasena: PASSWORD }],
    ['/restablecer', { token: nul, contrasena: PASSWORD }],
    ['/cuenta/llaves/quitar', { llave: nul, contrasena: PASSWORD }],
  ];

  const statuses = [];
  for (const [path, form] of forms) statuses.push((await visitor.post(path, form)).status);
  const byScript = await fetch(`${instance.url}/api/auth/passkey/verify-authentication`, {
    method: 'POST',
    body: '{"response":{"id":"a\\u0000"}}',
    headers: { origin: new URL(instance.url).origin },
  });

  assert.deepEqual([...statuses, byScript.status], [400, 400, 400, 400]);
});

test('passwords are kept as Argon2id with 19 MiB and two passes', async (t) => {
  const env = { DATA_DIR: dataDir, TRUSTED_PROXIES: '127.0.0.1' };
  const database = await freshDatabase();
  const strict = await openApp(t, { clock, env, database, fullPasswordCost: true });
  await register(newcomerAt(strict).visitor, 'guadalupe@tienda.example');
  await mailsTo(folder, 'guadalupe@tienda.example', 1);

  const [row] = await strict.app.database.write((handle) =>
    handle.sql('select password from credentials', []),
  );

  assert.match(
    String((row as { password: string }).password),
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
  );
});

test('a page says only its own words, whatever its address asks it to say', {
  tags: ['slow'],
}, async () => {
  const [{ visitor }, stranger] = [await known(), newcomer()];
  const pages = ['/cuenta', '/cuenta/miembros', '/cuenta/claves', '/cuenta/agentes'];

  for (const word of ['constructor', '__proto__', 'no such word'])
    for (const page of ['/entrar', ...pages]) {
      const reader = page === '/entrar' ? stranger.visitor : visitor;
      const { status, text } = await reader.get(`${page}?aviso=${encodeURIComponent(word)}`);
      assert.deepEqual([status, /role="status">[^<]/.test(text)], [200, false], `${page} ${word}`);
    }
});

test('an unknown address and a wrong password get the same answer', async () => {
  const { email } = await known();

  const wrong = await signIn(openVisitor(instance.url), email, 'no es esta contraseña');
  const unknown = await signIn(
    openVisitor(instance.url),
    'nadie@tienda.example',
    'no es esta contraseña',
  );

  assert.deepEqual([wrong.status, unknown.status], [401, 401]);
  assert.equal(wrong.text.replace(email, ''), unknown.text.replace('nadie@tienda.example', ''));
});

test('a browser that signed in before stays welcome while strangers guess', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  await visitor.post('/cuenta/salir');

  const guesses = [];
  for (let guess = 0; guess < 11; guess++)
    guesses.push(await signIn(openVisitor(instance.url), email, `intento número ${guess}`));
  const strangerWithIt = await signIn(openVisitor(instance.url), email);
  const owner = await signIn(visitor, email);

  assert.deepEqual(
    guesses.map(({ status }) => status),
    [...Array(10).fill(401), 429],
  );
  assert.equal(strangerWithIt.status, 429);
  assert.ok(Number(strangerWithIt.headers.get('retry-after')) > 0);
  assert.equal(owner.to, '/panel');
});

test('an address that tries too often is put off; a mail is confirmed there all the same', {
  tags: ['slow'],
}, async () => {
  const address = '198.51.100.7';
  const stranger = openVisitor(instance.url, { address });

  const statuses = [];
  for (let attempt = 0; attempt < 31; attempt++)
    statuses.push(
      (await signIn(stranger, `nadie${attempt}@tienda.example`, 'lo que sea que sea')).status,
    );

  assert.deepEqual([statuses[29], statuses[30]], [401, 429]);
  const { email } = newcomer();
  await register(stranger, email);
  assert.equal((await confirm(stranger, email, folder)).to, '/entrar?aviso=confirmado');
  assert.equal((await signIn(openVisitor(instance.url), email)).to, '/panel');
});

test('a forgotten password is chosen anew once, and ends every session', async () => {
  const { visitor, email } = await known();
  const elsewhere = openVisitor(instance.url);
  const asked = await elsewhere.post('/recuperar', { correo: email });
  const nobody = await elsewhere.post('/recuperar', { correo: 'nadie@tienda.example' });
  assert.equal(asked.text, nobody.text);
  const former = tokenIn(await mailsTo(folder, email, 2), '/restablecer');
  await elsewhere.post('/recuperar', { correo: email });
  const token = tokenIn(await mailsTo(folder, email, 3), '/restablecer');

  const weak = await elsewhere.post('/restablecer', { token, contrasena: 'corta' });
  const done = await elsewhere.post('/restablecer', { token, contrasena: 'otras tazas verdes' });
  const again = [token, former].map((used) =>
    elsewhere.post('/restablecer', { token: used, contrasena: 'y otras más grandes' }),
  );

  assert.deepEqual([weak.status, done.to], [400, '/entrar?aviso=contrasena']);
  assert.deepEqual(
    (await Promise.all(again)).map(({ status }) => status),
    [400, 400],
  );
  assert.equal((await visitor.get('/cuenta')).to, '/entrar');
  assert.equal((await signIn(elsewhere, email)).status, 401);
  assert.equal((await signIn(elsewhere, email, 'otras tazas verdes')).to, '/panel');
  const reported = (await mailsTo(folder, email, 4)).at(-1) ?? '';
  assert.match(reported, /Se eligió una contraseña nueva.*\/cuenta\/agentes/s);
  const page = await openVisitor(instance.url).get(done.to);
  assert.match(page.text, /role="status">.*href="\/cuenta\/agentes".*siguen sirviendo/s);
  assert.doesNotMatch(page.text, /llaves de acceso/);
});

test('a link to choose a password that has ended shows no form, and the way to another one', async () => {
  const { email } = await known();
  const visitor = openVisitor(instance.url);
  await visitor.post('/recuperar', { correo: email });
  const token = tokenIn(await mailsTo(folder, email, 2), '/restablecer');
  const open = await visitor.get(`/restablecer?token=${token}`);
  await rows(
    `update verifications set expires_at = created_at
      where value = (select id::text from people where email = $1)`,
    [email],
  );

  const ended = [
    await visitor.get(`/restablecer?token=${token}`),
    await visitor.get('/restablecer?token=otro'),
    await visitor.post('/restablecer', { token, contrasena: 'otras tazas verdes' }),
  ];

  assert.match(open.text, /<form method="post" action="\/restablecer">/);
  for (const { status, text } of ended) {
    assert.equal(status, 400);
    assert.match(text, /<h1>El enlace ya no sirve<\/h1>.*href="\/recuperar">Pedir otro enlace/s);
    assert.doesNotMatch(text, /<form/);
  }
});

test('with the second factor on, a password alone opens nothing; a code counts once', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  const { key } = await withSecondFactor(visitor);
  await visitor.post('/cuenta/salir');

  assert.equal(
    (await signIn(visitor, email, PASSWORD, '/cuenta?x=1')).to,
    '/entrar/segundo-paso?volver=%2Fcuenta%3Fx%3D1',
  );
  assert.equal((await visitor.get('/cuenta')).to, '/entrar');
  const wrong = await visitor.post('/entrar/segundo-paso', { codigo: '000000' });
  // That of the next half minute is good already, and was not used to turn it on.
  const code = codeOf(key, Date.now() + 30_000);
  const right = await visitor.post('/entrar/segundo-paso', { codigo: code, volver: '/cuenta?x=1' });
  assert.deepEqual([wrong.status, right.to], [401, '/cuenta?x=1']);

  const thief = openVisitor(instance.url);
  await signIn(thief, email);
  const replayed = await thief.post('/entrar/segundo-paso', { codigo: code });
  assert.deepEqual([replayed.status, (await thief.get('/cuenta')).to], [401, '/entrar']);
  assert.match(replayed.text, /El código no es correcto, o ya se usó/);
  // Of the three that are good now, one at least was not used.
  const fresh = [];
  for (const seconds of [-30, 0, 30])
    fresh.push(
      await thief.post('/entrar/segundo-paso', {
        codigo: codeOf(key, Date.now() + seconds * 1000),
      }),
    );
  assert.ok(
    fresh.some(({ to }) => to === '/panel'),
    'a code that was used before ended the second step',
  );
});

test('backup codes are shown once, to copy and as a file', async () => {
  const { visitor, email } = await known();

  const { text } = await visitor.post('/cuenta/segundo-paso', { contrasena: PASSWORD });

  const codes = [...text.matchAll(/<li>([a-z0-9-]{19})<\/li>/g)].map(([, code]) => code);
  const [, file = ''] = /href="data:text\/plain;charset=utf-8,([^"]+)" download/.exec(text) ?? [];
  const lines = decodeURIComponent(file.replaceAll('&#39;', "'")).split('\n');
  assert.ok(lines[0]?.includes(email));
  assert.deepEqual(
    lines.filter((line) => /^[a-z0-9-]{19}$/.test(line)),
    codes,
  );
  assert.match(text, /data-copies="codigos"/);
});

test('the page of the second factor leads on to what needed it, and asks whoever is signed out', async () => {
  const { visitor } = await known();
  const page = '/cuenta/segundo-paso?volver=%2Fcuenta%2Fclaves';

  const wrong = await visitor.post('/cuenta/segundo-paso', {
    contrasena: 'otra contraseña',
    volver: '/cuenta/claves',
  });
  const { text } = await visitor.post('/cuenta/segundo-paso', {
    contrasena: PASSWORD,
    volver: '/cuenta/claves',
  });
  const key = /id="clave">([A-Z2-7 ]+)</.exec(text)?.[1] ?? '';
  const done = await visitor.post('/cuenta/segundo-paso/confirmar', {
    codigo: codeOf(key),
    volver: '/cuenta/claves',
  });

  assert.match(wrong.text, /La contraseña no es correcta.*value="\/cuenta\/claves"/s);
  assert.equal(done.to, '/cuenta/claves');
  assert.equal((await visitor.get(page)).to, '/cuenta#segundo-paso');
  assert.equal(
    (await openVisitor(instance.url).get(page)).to,
    `/entrar?volver=${encodeURIComponent(page)}`,
  );
});

test('the key of a second factor is also a code for cameras, with what it is for those who do not see it', async () => {
  const { visitor, email } = await known();

  const { text } = await visitor.post('/cuenta/segundo-paso', { contrasena: PASSWORD });

  const key = /id="clave">([A-Z2-7 ]+)</.exec(text)?.[1]?.replaceAll(' ', '');
  const uri = /href="(otpauth:[^"]+)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? '';
  assert.equal(new URL(uri).searchParams.get('secret'), key);
  assert.match(decodeURIComponent(uri), new RegExp(`^otpauth://totp/Tianguis:${email}\\?`));
  assert.match(
    text,
    /<svg [^>]*role="img" aria-label="Código QR con la clave que está escrita debajo"/,
  );
  assert.deepEqual(modulesOf(text), encode(uri, { ecc: 'M', border: 4 }).data);
});

test('a backup code signs in once, and only its hash is kept', async () => {
  const { visitor, email } = await known();
  const { backupCodes } = await withSecondFactor(visitor);
  const [first = ''] = backupCodes;
  const [row] = await rows(
    'select backup_codes from second_factors join people on people.id = person_id where email = $1',
    [email],
  );
  assert.equal(backupCodes.length, 10);
  assert.doesNotMatch(JSON.stringify(row), new RegExp(first));

  const other = openVisitor(instance.url);
  await signIn(other, email);
  const typed = first.replaceAll('-', ' ').toUpperCase();
  assert.equal((await other.post('/entrar/segundo-paso', { respaldo: typed })).to, '/panel');
  const third = openVisitor(instance.url);
  await signIn(third, email);
  assert.equal((await third.post('/entrar/segundo-paso', { respaldo: first })).status, 401);
});

test('new backup codes end the former ones, and the owner is notified', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  const { backupCodes } = await withSecondFactor(visitor);

  const page = await visitor.post('/cuenta/respaldo', { contrasena: PASSWORD });
  await visitor.post('/cuenta/salir');
  await signIn(visitor, email);
  const former = await visitor.post('/entrar/segundo-paso', { respaldo: backupCodes[0] as string });
  const [fresh = ''] =
    /[a-z0-9]{4}(?:-[a-z0-9]{4}){3}/.exec(page.text.split('<main')[1] ?? '') ?? [];
  const entered = await visitor.post('/entrar/segundo-paso', { respaldo: fresh });

  assert.deepEqual([former.status, entered.to], [401, '/panel']);
  assert.match((await mailsTo(folder, email, 3)).at(-1) ?? '', /códigos de respaldo nuevos/);
});

test('keys and credentials wait for a second factor', async () => {
  const { visitor } = await known();
  const without = await people.signedIn(headersOf(visitor));
  assert.ok(without);
  assert.throws(() => people.requireSecondFactor(without), failure('second_factor_required'));

  await withSecondFactor(visitor);

  const person = await people.signedIn(headersOf(visitor));
  assert.equal(person?.hasSecondFactor, true);
  people.requireSecondFactor(person);
});

test('a second factor survives the rotation of the master key, and so does a session', {
  tags: ['slow'],
}, async (t) => {
  const at = { clock, env: { DATA_DIR: dataDir }, database: await freshDatabase() };
  const before = await openApp(t, at);
  const { visitor, email } = await known(before);
  const { key } = await withSecondFactor(visitor);
  await before.app.close();
  const keys = {
    MASTER_KEY: randomBytes(32).toString('base64'),
    MASTER_KEY_PREVIOUS: before.env.MASTER_KEY as string,
  };
  const both = await openApp(t, { ...at, env: { ...at.env, ...keys } });
  const there = openVisitor(both.url, { cookies: visitor.cookies });

  assert.equal((await there.get('/cuenta')).status, 200);
  assert.deepEqual(await resealSecondFactors(both.app.database, both.app.exchange.keyring), {
    resealed: 1,
    unopened: 0,
  });
  await both.app.close();
  const after = await openApp(t, { ...at, env: { ...at.env, MASTER_KEY: keys.MASTER_KEY } });
  const later = openVisitor(after.url);
  await signIn(later, email);
  const answer = await later.post('/entrar/segundo-paso', {
    codigo: codeOf(key, Date.now() + 30_000),
  });
  assert.equal(answer.to, '/panel');
});

test('what was asked for by mail before a rotation arrives after it, with the new master key alone', {
  tags: ['slow'],
}, async (t) => {
  const at = { clock, database: await freshDatabase() };
  // Nothing works on jobs here.
  const env = { DATA_DIR: dataDir, ROLE: 'api', REDIS_URL: 'redis://127.0.0.1:1' };
  const before = await openApp(t, { ...at, env });
  const { visitor, email } = newcomerAt(before);
  await register(visitor, email);
  const guest = newcomerAt(before).email;
  const { database, exchange } = before.app;
  const postbox = openPostbox(exchange.queue, exchange.keyring);
  await database.write((handle) => postbox.put(handle, composeMail(guest, 'Hola', ['Hola'])));
  await before.app.close();
  const rotating = {
    MASTER_KEY: randomBytes(32).toString('base64'),
    MASTER_KEY_PREVIOUS: before.env.MASTER_KEY as string,
  };

  const done = await runCommand<object>({ ...before.env, ...rotating }, ['rotate-secrets']);

  assert.deepEqual(done, { resealed: 2 });
  await openApp(t, { ...at, env: { DATA_DIR: dataDir, MASTER_KEY: rotating.MASTER_KEY } });
  tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');
  assert.equal((await mailsTo(folder, guest, 1)).length, 1);
});

test('signing in makes a new session; the cookie is for this site and no script', async () => {
  const { visitor, email } = newcomer();
  await register(visitor, email);
  await confirm(visitor, email, folder);
  visitor.cookies.set('tianguis.session_token', 'planted.by-somebody');

  const answer = await signIn(visitor, email);

  const [cookie = ''] = answer.headers
    .getSetCookie()
    .filter((line) => line.startsWith('tianguis.session_token='));
  assert.doesNotMatch(cookie, /planted/);
  for (const flag of [/; HttpOnly/i, /; SameSite=Lax/i, /; Path=\//i]) assert.match(cookie, flag);
  const planted = openVisitor(instance.url);
  planted.cookies.set('tianguis.session_token', 'planted.by-somebody');
  assert.equal((await planted.get('/cuenta')).to, '/entrar');
});

test('over https cookies are Secure and say so in their names', async (t) => {
  const origin = 'https://panel.example.com';
  const env = { DATA_DIR: dataDir, PUBLIC_URL: origin };
  const secure = await openApp(t, { clock, env, database: await freshDatabase() });
  const { visitor, email } = await known(secure, origin);
  await visitor.post('/cuenta/salir');
  visitor.cookies.clear();

  const answer = await signIn(visitor, email);

  const lines = answer.headers.getSetCookie();
  assert.deepEqual(lines.map((line) => line.split('=', 1)[0]).sort(), [
    '__Host-tianguis.device',
    '__Host-tianguis.session_token',
  ]);
  for (const line of lines) {
    assert.match(line, /; Path=\/(;|$)/i);
    assert.match(line, /; Secure/i);
    assert.doesNotMatch(line, /; Domain/i);
  }
});

test('a form from elsewhere is refused', async () => {
  const { visitor, email } = await known();

  for (const origin of ['https://evil.example', 'null', instance.url.replace('http:', 'https:')]) {
    const answer = await visitor.post('/cuenta/salir', {}, { origin });
    assert.deepEqual(
      [answer.status, /no aceptamos solicitudes desde otros sitios/.test(answer.text)],
      [403, true],
      origin,
    );
  }
  const login = await openVisitor(instance.url).post(
    '/entrar',
    { correo: email, contrasena: PASSWORD },
    { origin: 'https://evil.example' },
  );
  assert.deepEqual([login.status, login.headers.getSetCookie()], [403, []]);
  assert.equal((await visitor.get('/cuenta')).status, 200);
});

test('volver leads to paths of this instance only', async () => {
  const { visitor, email } = await known();
  const elsewhere = [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'cuenta',
    '',
  ];

  for (const volver of elsewhere) {
    const asked = await visitor.get(`/entrar?volver=${encodeURIComponent(volver)}`);
    assert.equal(asked.to, '/panel', JSON.stringify(volver));
  }
  await visitor.post('/cuenta/salir');
  assert.equal((await signIn(visitor, email, PASSWORD, '//evil.example')).to, '/panel');
  assert.equal(
    (await visitor.get('/entrar?volver=%2Finteraccion%2Fa1%3Fx%3Dy')).to,
    '/interaccion/a1?x=y',
  );
});

test('pages carry no script of others, and what was typed comes back as text', async () => {
  const visitor = openVisitor(instance.url);
  const typed = '"><script>alert(1)</script>';

  const page = await visitor.post('/registro', {
    nombre: typed,
    correo: typed,
    contrasena: PASSWORD,
  });

  assert.equal(page.status, 400);
  assert.doesNotMatch(page.text, /<script>alert/);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
});

test('the library answers nothing but the ceremonies of passkeys', async () => {
  const { visitor } = await known();

  for (const path of [
    'get-session',
    'sign-up/email',
    'sign-in/email',
    'update-user',
    'delete-user',
    'list-sessions',
    'two-factor/disable',
    'ok',
  ]) {
    const answer = await visitor.post(`/api/auth/${path}`);
    assert.deepEqual([answer.status, JSON.parse(answer.text).error.code], [404, 'not_found'], path);
  }
  const options = await visitor.get('/api/auth/passkey/generate-authenticate-options');
  assert.equal(JSON.parse(options.text).data.rpId, 'localhost');
  const big = await visitor.post('/api/auth/passkey/verify-authentication', {
    x: 'x'.repeat(70_000),
  });
  assert.equal(big.status, 413);
});

test('signing out everywhere ends the other browsers, too', async () => {
  const { visitor, email } = await known();
  const other = openVisitor(instance.url);
  await signIn(other, email);

  const left = await visitor.post('/cuenta/salir-de-todo');

  assert.equal(left.to, '/entrar?aviso=salida');
  assert.match(left.headers.get('clear-site-data') ?? '', /storage/);
  assert.equal((await other.get('/cuenta')).to, '/entrar');
});

test('the account lists its sessions and ends one, with the password', {
  tags: ['slow'],
}, async () => {
  const { visitor, email } = await known();
  const other = openVisitor(instance.url);
  const windows = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36' };
  await other.post('/entrar', { correo: email, contrasena: PASSWORD }, windows);
  const stranger = await known();

  const { text } = await visitor.get('/cuenta');
  const [, link = ''] = /href="(\/cuenta\/sesiones\/cerrar[^"]+)"/.exec(text) ?? [];
  const asked = await visitor.get(link);
  const sesion = new URL(link, instance.url).searchParams.get('sesion') ?? '';
  const end = ({ visitor: by }: Pick<Known, 'visitor'>, contrasena: string) =>
    by.post('/cuenta/sesiones/cerrar', { sesion, contrasena });
  const refused = [await end({ visitor }, 'no es esta contraseña'), await end(stranger, PASSWORD)];
  const still = await other.get('/cuenta');
  const done = await end({ visitor }, PASSWORD);

  assert.match(text, /\(este dispositivo\)/);
  assert.match(text, /Chrome en Windows\s*<p>Iniciada el \d.*Último uso: /s);
  assert.match(asked.text, /<h1>¿Cerrar la sesión de Chrome en Windows\?<\/h1>/);
  assert.deepEqual(
    refused.map(({ status }) => status),
    [400, 404],
  );
  assert.equal(still.status, 200);
  assert.match((await visitor.get(done.to)).text, /role="status">La sesión quedó cerrada/);
  assert.equal((await other.get('/cuenta')).to, '/entrar');
  assert.equal((await visitor.get(link)).status, 404);
});

test('a password is changed by who knows it, and the other sessions end', async () => {
  const { visitor, email } = await known();
  const other = openVisitor(instance.url);
  await signIn(other, email);

  const refused = await visitor.post('/cuenta/contrasena', {
    contrasena: 'no es esta contraseña',
    nueva: 'tres tazas rojas',
  });
  const done = await visitor.post('/cuenta/contrasena', {
    contrasena: PASSWORD,
    nueva: 'tres tazas rojas',
  });

  assert.deepEqual([refused.status, done.to], [400, '/cuenta?aviso=contrasena']);
  const account = await visitor.get(done.to);
  assert.match(
    account.text,
    /role="status">.*href="\/cuenta\/agentes".*href="#llaves".*siguen sirviendo/s,
  );
  assert.equal((await other.get('/cuenta')).to, '/entrar');
  const reported = (await mailsTo(folder, email, 2)).at(-1) ?? '';
  assert.match(reported, /Cambió la contraseña.*\/cuenta\/agentes.*\/cuenta#llaves/s);
});

test('a password that was changed ends links and second steps of the former one', async () => {
  const { visitor, email } = await known();
  const { backupCodes } = await withSecondFactor(visitor);
  const thief = openVisitor(instance.url);
  await signIn(thief, email);
  await thief.post('/recuperar', { correo: email });
  const link = tokenIn(await mailsTo(folder, email, 3), '/restablecer');

  await visitor.post('/cuenta/contrasena', { contrasena: PASSWORD, nueva: 'tres tazas rojas' });

  const step = await thief.post('/entrar/segundo-paso', { respaldo: backupCodes[0] as string });
  const chosen = await thief.post('/restablecer', {
    token: link,
    contrasena: 'la clave de un extraño',
  });
  assert.deepEqual([step.status, chosen.status], [401, 400]);
});

test('from the account one gets to the agents that are connected', async () => {
  const { visitor } = await known();

  const account = await visitor.get('/cuenta');
  const agents = await visitor.get(
    /href="([^"]+)">Agentes conectados/.exec(account.text)?.[1] ?? '/',
  );
  const sent = await visitor.post('/cuenta/agentes', { organizacion: 'otra', agente: 'nadie' });

  assert.equal(agents.status, 200);
  assert.match(agents.text, /href="\/cuenta"/);
  assert.match(agents.text, /<h1>Agentes conectados.*Papelería Sol.*No hay agentes conectados/s);
  assert.match(agents.text, /servidor MCP: <code id="[^"]+">http:[^<]+\/mcp<\/code> <p><button/);
  assert.match(sent.text, /No hay un agente tuyo con ese nombre/);
});

test('an invitation by mail makes a member, once, and only of the invited address', async () => {
  const owner = await known();
  const scope = await organizationOf(owner.email);
  const guest = newcomer();
  const { token } = await invited(scope, owner, guest.email, 'warehouse');

  const stranger = await known();
  const foreign = await stranger.visitor.post('/invitacion', { token });
  assert.deepEqual([foreign.status, foreign.text.includes(guest.email)], [410, true]);
  const page = await guest.visitor.get(`/invitacion?token=${token}`);
  assert.match(page.text, /Papelería Sol.*con el rol Almacén/s);
  const accepted = await guest.visitor.post('/invitacion', {
    token,
    nombre: 'Beto',
    contrasena: PASSWORD,
  });
  const again = await guest.visitor.post('/invitacion', { token });

  assert.deepEqual([accepted.to, again.to], Array(2).fill(`/panel/${scope.organizationId}`));
  const members = await scope((it) => membersOf(it));
  assert.deepEqual(Object.fromEntries(members.map(({ email, role }) => [email, role])), {
    [owner.email]: 'owner',
    [guest.email]: 'warehouse',
  });
});

test('an invitation ends after seven days, when it is taken back, and when another one is sent', async () => {
  const owner = await known();
  const scope = await organizationOf(owner.email);
  const guest = await known();
  const accept = (token: string) => guest.visitor.post('/invitacion', { token });

  const first = await invited(scope, owner, guest.email, 'member');
  const second = await invited(scope, owner, guest.email, 'member');
  assert.equal((await accept(first.token)).status, 410);
  await scope((it) => revokeInvitation(it, owner, second.id));
  assert.equal((await accept(second.token)).status, 410);
  const third = await invited(scope, owner, guest.email, 'member');
  const inAWeek = clock.now().add({ hours: 7 * 24 });
  await assert.rejects(
    instance.app.database.write((handle) =>
      acceptInvitation(handle, third.token, { ...guest, id: guest.personId }, inAWeek),
    ),
    failure('invitation_not_valid'),
  );
  assert.equal((await scope((it) => openInvitations(it))).length, 1);
  assert.equal((await accept(third.token)).to, `/panel/${scope.organizationId}`);
});

test('an invitation is worth nothing once its sender may no longer invite', async () => {
  const owner = await known();
  const admin = await known();
  const guest = await known();
  const scope = await organizationOf(owner.email);
  await scope((it) => addMember(it, owner, { personId: admin.personId, role: 'admin' }));
  const { token } = await invited(scope, admin, guest.email, 'member');

  await scope((it) => changeRole(it, owner, { personId: admin.personId, role: 'member' }));
  const whileMember = await guest.visitor.post('/invitacion', { token });
  await scope((it) => removeMember(it, owner, admin.personId));
  const afterwards = await guest.visitor.get(`/invitacion?token=${token}`);

  assert.deepEqual([whileMember.status, afterwards.status], [410, 410]);
});

test('roles are given and taken by those who may; an owner is always left', async () => {
  const owner = await known();
  const admin = await known();
  const third = await known();
  const scope = await organizationOf(owner.email);
  await scope((it) => addMember(it, owner, { personId: admin.personId, role: 'admin' }));

  const refusals: [FailureCode, (it: WriteScope) => Promise<unknown>][] = [
    [
      'insufficient_role',
      (it) => changeRole(it, admin, { personId: owner.personId, role: 'member' }),
    ],
    [
      'insufficient_role',
      (it) => changeRole(it, admin, { personId: admin.personId, role: 'owner' }),
    ],
    ['insufficient_role', (it) => invite(it, admin, { email: 'x@tienda.example', role: 'owner' })],
    [
      'insufficient_role',
      (it) => addMember(it, third, { personId: third.personId, role: 'member' }),
    ],
    ['insufficient_role', (it) => removeMember(it, third, admin.personId)],
    ['already_member', (it) => addMember(it, owner, { personId: admin.personId, role: 'member' })],
    ['last_owner', (it) => changeRole(it, owner, { personId: owner.personId, role: 'member' })],
    ['last_owner', (it) => removeMember(it, owner, owner.personId)],
    ['not_found', (it) => removeMember(it, owner, third.personId)],
  ];
  for (const [code, act] of refusals)
    await assert.rejects(scope(act), failure(code), act.toString());

  await scope((it) => changeRole(it, owner, { personId: admin.personId, role: 'owner' }));
  const goings = await Promise.allSettled(
    [owner, admin].map((leaver) => scope((it) => removeMember(it, leaver, leaver.personId))),
  );
  assert.deepEqual(goings.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a removed member keeps the session and may do nothing there', async () => {
  const owner = await known();
  const member = await known();
  const scope = await organizationOf(owner.email);
  await scope((it) => addMember(it, owner, { personId: member.personId, role: 'admin' }));

  await scope((it) => removeMember(it, owner, member.personId));

  assert.equal((await member.visitor.get('/cuenta')).status, 200);
  await assert.rejects(
    scope((it) => invite(it, member, { email: 'x@tienda.example', role: 'member' })),
    failure('insufficient_role'),
  );
  const left = await instance.app.database.read((handle) => membershipsOf(handle, member.personId));
  assert.ok(left.every(({ organizationId }) => organizationId !== scope.organizationId));
});

test('every role may do what the table says, and agents get no more than their person sees', () => {
  const table = Object.fromEntries(
    ROLES.map((role) => [role, ACTIONS.filter((action) => !may(role, action))]),
  );
  assert.deepEqual(table.owner, []);
  assert.deepEqual(table.admin, ['manage_plan', 'manage_owners']);
  assert.deepEqual(scopesFor('member'), scopesFor('owner'));
  for (const role of ['supervisor', 'warehouse'] as const) {
    assert.deepEqual(scopesFor(role), ['orders:read', 'inventory:read', 'shipments:read']);
    assert.ok(
      !may(role, 'read_money') && !may(role, 'manage_keys') && !may(role, 'manage_members'),
    );
  }
  assert.deepEqual(
    ROLES.filter((role) => may(role, 'set_in_transit')),
    ['owner', 'admin', 'supervisor'],
  );
});

test('mails are files that only their owner reads', async () => {
  await known();

  const [name = ''] = await readdir(folder);
  const [file, dir] = await Promise.all([stat(join(folder, name)), stat(folder)]);

  assert.deepEqual([file.mode & 0o777, dir.mode & 0o777], [0o600, 0o700]);
});

test('the tables are those that the library expects, and it would say so if one were not', async (t) => {
  const address = addressOf(await freshDatabase());
  const pool = openPlainPool(address, (error) => assert.fail(error));
  t.after(() => pool.end());
  const wanted = async () => {
    const { options } = openAuth({
      pool,
      keyring: instance.app.exchange.keyring,
      publicUrl: instance.url,
      log: createLog('silent'),
      hashPassword: async () => '',
      useCode: async () => true,
      now: () => clock.now(),
      isPasskeyKnown: async () => false,
      onFailure() {},
      acceptPasskey: async () => true,
    });
    const { toBeCreated, toBeAdded } = await getMigrations(options);
    const names = toBeAdded.map(({ table, fields }) => `${table}: ${Object.keys(fields)}`);
    return [...toBeCreated.map(({ table }) => table), ...names];
  };

  assert.deepEqual(await wanted(), []);
  await pool.query('drop table verifications; alter table passkeys drop column aaguid');
  assert.deepEqual(await wanted(), ['verifications', 'passkeys: aaguid']);
});

test('a mail that cannot be sent is sent once the server takes it', {
  tags: ['slow'],
}, async (t) => {
  const server = await startMailServer(t, { refusals: 1 });
  const env = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, DATA_DIR: dataDir };
  const sending = await openApp(t, { clock, env, database: await freshDatabase() });
  const { visitor, email } = newcomer(sending);

  await register(visitor, email);

  const mail = await server.taken;
  assert.equal(server.refused(), 1);
  const token = tokenIn([mail], '/verificar-correo');
  await visitor.post('/verificar-correo', { token, contrasena: PASSWORD });
  assert.equal((await signIn(visitor, email)).to, '/panel');
});

test('a mail that the server refuses for good is given up at once; the log has its number and no address', async (t) => {
  const { sending, server, lines } = await sendingTo(t, ['550 5.1.1']);
  const { visitor, email } = newcomer(sending);

  await register(visitor, email);
  const output = await mailJob(sending);
  await register(visitor, email);
  await server.taken;

  assert.deepEqual(
    [server.refused(), output],
    [1, { refused: { status: 550, command: 'RCPT TO' } }],
  );
  const reported = lines.filter((line) => line.includes('mail refused for good'));
  assert.equal(reported.length, 1);
  assert.match(reported[0] ?? '', /"level":"error".*"mail":"[0-9a-f-]{36}","status":550/);
  assert.deepEqual(
    lines.filter((line) => line.includes(email)),
    [],
  );
});

test('a mail that the server cannot take now is sent again, and the log has no address', {
  tags: ['slow'],
}, async (t) => {
  const { sending, server, lines } = await sendingTo(t, ['450 4.2.1']);
  const { visitor, email } = newcomer(sending);

  await register(visitor, email);
  const mail = await server.taken;

  assert.match(mail, new RegExp(`To: ${email}`));
  assert.equal(server.refused(), 1);
  assert.equal(
    lines.filter((line) => line.includes('the mail server answered 450 to RCPT TO')).length,
    1,
  );
  assert.deepEqual(
    lines.filter((line) => line.includes(email)),
    [],
  );
});

test('an unconfirmed registration is forgotten after seven days, with its empty organisation', {
  tags: ['slow'],
}, async (t) => {
  const own = turnedClock(systemClock.now().toString());
  const at = await openApp(t, {
    clock: own,
    env: { DATA_DIR: dataDir },
    database: await freshDatabase(),
  });
  const confirmed = await known(at);
  const [idle, busy, again] = [newcomer(at), newcomer(at), newcomer(at)];
  for (const { visitor, email } of [idle, busy, again]) {
    await register(visitor, email);
    await mailsTo(folder, email, 1);
  }
  const organizations = await rows(
    `select email, organization_id from members join people on people.id = person_id order by email`,
    [],
    at,
  );
  const [theirs] = organizations.filter((row) => (row as { email: string }).email === busy.email);
  const { organization_id: withKey } = theirs as { organization_id: string };
  await at.app.database
    .within(withKey)
    .write((scope) => createKey(scope, 'operator', { name: 'x' }));
  const left = async () =>
    (await rows('select email from people order by created_at, email', [], at)).map(
      (row) => (row as { email: string }).email,
    );

  own.advance({ hours: 7 * 24 });
  await runHousekeeping(at.app.exchange);
  const onTheDay = await left();
  // Gets a link that is good for a day.
  await register(again.visitor, again.email);
  await mailsTo(folder, again.email, 2);
  own.advance({ minutes: 1 });
  await runHousekeeping(at.app.exchange);
  const after = await left();
  own.advance({ hours: 24 });
  await runHousekeeping(at.app.exchange);

  assert.equal(onTheDay.length, 4);
  assert.deepEqual(after, [confirmed.email, again.email]);
  assert.deepEqual(await left(), [confirmed.email]);
  const standing = await rows('select id from organizations', [], at);
  // The instance's own, that of who confirmed, and the one with a key.
  assert.equal(standing.length, 3);
  assert.ok(standing.some((row) => (row as { id: string }).id === withKey));
  assert.equal((await register(idle.visitor, idle.email)).status, 200);
  await mailsTo(folder, idle.email, 2);
  assert.deepEqual(await left(), [confirmed.email, idle.email]);
});

test('a person who registers again while the housekeeping looks keeps the account and the link', {
  tags: ['slow'],
}, async (t) => {
  const own = turnedClock(systemClock.now().toString());
  const at = await openApp(t, {
    clock: own,
    env: { DATA_DIR: dataDir },
    database: await freshDatabase(),
  });
  const { database, exchange } = at.app;
  const { visitor, email } = newcomer(at);
  await register(visitor, email);
  await mailsTo(folder, email, 1);
  own.advance({ hours: 8 * 24 });

  const isLocked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const again = database.write(async (handle) => {
    await handle.sql('select 1 from people where email = $1 for update', [email]);
    isLocked.resolve();
    await mayEnd.promise;
    const { id } = (await personByEmail(handle, email)) as { id: string };
    await sendConfirmation({ ...exchange, clock: own }, handle, { id, email });
  });
  await isLocked.promise;
  const looking = runHousekeeping(exchange);
  await Promise.race([looking, someoneWaits(database)]);
  mayEnd.resolve();
  await Promise.all([again, looking]);

  const token = tokenIn(await mailsTo(folder, email, 2), '/verificar-correo');
  const done = await visitor.post('/verificar-correo', { token, contrasena: PASSWORD });
  assert.equal(done.to, '/panel');
});

test('an invitation is forgotten 90 days after its end', { tags: ['slow'] }, async (t) => {
  const own = turnedClock(systemClock.now().toString());
  const at = await openApp(t, { clock: own, database: await freshDatabase() });
  const scope = at.app.database.within(at.organization.id);
  await scope.write((it) => invite(it, 'operator', { email: newcomer(at).email, role: 'member' }));
  const kept = async () => (await rows('select id from invitations', [], at)).length;

  own.advance({ hours: 24 * (7 + 90) });
  await runHousekeeping(at.app.exchange);
  const onTheDay = await kept();
  own.advance({ minutes: 1 });
  await runHousekeeping(at.app.exchange);

  assert.deepEqual([onTheDay, await kept()], [1, 0]);
});

test('the log has the events of a person’s credentials, by ids alone', {
  tags: ['slow'],
}, async (t) => {
  const lines: string[] = [];
  const log = logInto(lines);
  const env = { DATA_DIR: dataDir };
  const at = await openApp(t, { clock, env, database: await freshDatabase(), log });
  const { visitor, email, personId } = await known(at);
  const [stranger, guest] = [openVisitor(at.url), newcomer(at)];

  await signIn(stranger, email, 'no es esta contraseña');
  await signIn(stranger, 'nadie@tienda.example', 'no es esta contraseña');
  const { backupCodes } = await withSecondFactor(visitor);
  await signIn(stranger, email);
  await stranger.post('/entrar/segundo-paso', { codigo: '000000' });
  await stranger.post('/entrar/segundo-paso', { respaldo: backupCodes[0] as string });
  const made = await visitor.post('/cuenta/claves', {
    formulario: newId(),
    nombre: 'x',
    permiso: 'orders:read',
    vigencia: '',
  });
  await visitor.post('/cuenta/miembros/invitar', { correo: guest.email, rol: 'member' });
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  await guest.visitor.post('/invitacion', { token, nombre: 'Beto', contrasena: PASSWORD });
  const guestId = await idOf(guest.email, at);
  await visitor.post('/cuenta/miembros/rol', { persona: guestId, rol: 'warehouse' });
  await visitor.post('/cuenta/miembros/quitar', { persona: guestId });
  await visitor.post('/cuenta/contrasena', { contrasena: PASSWORD, nueva: 'tres tazas rojas' });
  await stranger.post('/recuperar', { correo: email });
  const reset = tokenIn(await mailsTo(folder, email, 4), '/restablecer');
  await stranger.post('/restablecer', { token: reset, contrasena: 'otras tazas verdes' });

  const events = lines
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'account event');
  assert.deepEqual(
    events.map(({ event, person, role }) => [event, person, ...(role ? [role] : [])]),
    [
      ['signed_in', personId],
      ['sign_in_failed', personId],
      ['sign_in_failed', null],
      ['second_factor_added', personId],
      ['second_step_asked', personId],
      ['second_step_failed', personId],
      ['signed_in', personId],
      ['api_key_made', personId],
      ['invitation_sent', personId, 'member'],
      ['member_added', guestId, 'member'],
      ['signed_in', guestId],
      ['role_changed', personId, 'warehouse'],
      ['member_removed', personId],
      ['password_changed', personId],
      ['password_reset', personId],
    ],
  );
  assert.equal(events.find(({ event }) => event === 'member_removed').subject, guestId);
  const key = /id="clave-de-api">([^<]+)</.exec(made.text)?.[1] ?? 'no key was made';
  const unsaid = [email, guest.email, 'nadie@', 'tazas', token, reset, backupCodes[0] ?? '', key];
  assert.deepEqual(
    lines.filter((line) => unsaid.some((secret) => line.includes(secret))),
    [],
  );
});

// The last one: it leaves the clock a fortnight ahead of the library's.
test('a session ends after twelve idle hours, and after fourteen days in any case', {
  tags: ['slow'],
}, async () => {
  const idle = await known();
  const busy = await known();

  clock.advance({ hours: 11 });
  assert.equal((await busy.visitor.get('/cuenta')).status, 200);
  clock.advance({ hours: 2 });
  assert.equal((await idle.visitor.get('/cuenta')).to, '/entrar');
  for (let turn = 0; turn < 30; turn++) {
    assert.equal((await busy.visitor.get('/cuenta')).status, 200);
    clock.advance({ hours: 11 });
  }
  assert.equal((await busy.visitor.get('/cuenta')).to, '/entrar');
});

/** Acts in one organisation. */
interface Organisation {
  <T>(work: (scope: WriteScope) => Promise<T>): Promise<T>;
  readonly organizationId: string;
}

function newcomer(at: TestApp = instance) {
  return newcomerAt(at);
}

function known(at: TestApp = instance, origin = at.url): Promise<Known> {
  return knownAt(at, folder, origin);
}

async function organizationOf(email: string): Promise<Organisation> {
  const [row] = await rows(
    'select organization_id from members join people on people.id = person_id where email = $1',
    [email],
  );
  const { organization_id: organizationId } = row as { organization_id: string };
  return Object.assign(
    <T>(work: (scope: WriteScope) => Promise<T>) =>
      instance.app.database.within(organizationId).write(work),
    { organizationId },
  );
}

async function invited(
  scope: Organisation,
  by: Known,
  email: string,
  role: 'member' | 'warehouse',
) {
  const before = (await mailsTo(folder, email, 0)).length;
  const form = { organizacion: scope.organizationId, correo: email, rol: role };
  assert.match((await by.visitor.post('/cuenta/miembros/invitar', form)).to, /aviso=invitada/);
  const token = tokenIn(await mailsTo(folder, email, before + 1), '/invitacion');
  const [open] = await scope((it) => openInvitations(it));
  return { id: open?.id ?? '', token };
}

/** The dark and light squares of a page's only picture, quiet zone and all. */
function modulesOf(text: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(text)?.[1]);
  const modules = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, length] of text.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    modules[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  return modules;
}

/** An instance that sends its mails to a server which refuses the first recipients. */
async function sendingTo(t: TestContext, recipients: string[]) {
  const server = await startMailServer(t, { recipients });
  const lines: string[] = [];
  const sending = await openApp(t, {
    clock,
    env: { SMTP_URL: `smtp://127.0.0.1:${server.port}`, DATA_DIR: dataDir },
    database: await freshDatabase(),
    log: logInto(lines),
  });
  return { sending, server, lines };
}

/** What came of the only mail, once it is done. */
async function mailJob(at: TestApp): Promise<unknown> {
  const done = `select output from queue.job where name = 'mail' and state = 'completed'`;
  let output: unknown = null;
  await soon(async () => {
    const [job] = (await rows(done, [], at)) as { output: unknown }[];
    assert.ok(job, 'the mail is still under way');
    output = job.output;
  }, 30_000);
  return output;
}

async function idOf(email: string, at: TestApp): Promise<string> {
  const [row] = await rows('select id from people where email = $1', [email], at);
  return (row as { id: string }).id;
}

function headersOf(visitor: Visitor) {
  return { cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
}

function failure(code: FailureCode) {
  return { name: 'Failure', code, status: FAILURES[code].status };
}

function rows(text: string, values: unknown[] = [], at: TestApp = instance): Promise<object[]> {
  return at.app.database.write((handle) => handle.sql(text, values));
}
