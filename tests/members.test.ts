import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Action,
  acceptInvitation,
  changeRole,
  invite,
  makeUser,
  may,
  membersOf,
  ROLE_SENTENCES,
  ROLES,
  type Role,
} from '../src/features/people/index.ts';
import { insertPerson, personByEmail } from '../src/features/people/store-people.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { runHere } from './support/command.ts';
import {
  joined as joinedAt,
  type Known,
  newcomer,
  openMailingInstance,
  PASSWORD,
  signIn,
  type Team,
  openTeam as teamAt,
  withSecondFactor,
} from './support/people.ts';
import { someoneWaits } from './support/server.ts';
import { mailsTo, openVisitor, tokenIn } from './support/visitor.ts';

// Who belongs to an organisation, and who is invited, on their page.
// Also runs on served PostgreSQL and Redis.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
const { clock } = instance;
const PAGE = '/cuenta/miembros';

test('a person who manages members sees the members, in which role, since when and with which second factor', async () => {
  const { owner, organizacion } = await openTeam();
  const second = await joined(organizacion, owner, 'warehouse');
  await withSecondFactor(second.visitor);

  const { status, text } = await owner.visitor.get(PAGE);

  assert.equal(status, 200);
  const [first = '', other = ''] = cardsOf(text);
  assert.match(first, /Ana Robles<\/strong> \(tú\)/);
  assert.match(first, /Propietario, desde el \d+ \w+ 20\d\d.*Verificación en dos pasos: no/s);
  assert.match(
    other,
    new RegExp(`${second.email}.*Almacén.*Verificación en dos pasos: aplicación<`, 's'),
  );
  assert.match((await owner.visitor.get('/cuenta')).text, /href="\/cuenta\/miembros"/);
});

test('what is said of a role names the orders and the sales that it sees', () => {
  const named = (what: RegExp) => ROLES.filter((role) => what.test(ROLE_SENTENCES[role]));
  const withRight = (action: Action, ...but: Role[]) =>
    ROLES.filter((role) => may(role, action) && !but.includes(role));
  // Of these two it says what they manage.
  assert.deepEqual(named(/ve (las )?órdenes/i), withRight('read_orders', 'owner', 'admin'));
  assert.deepEqual(named(/pero no .*reportes de ventas/), ['supervisor', 'warehouse']);
  assert.deepEqual(
    ROLES.filter((role) => !may(role, 'read_sales')),
    ['supervisor', 'warehouse'],
  );
});

test('a member who does not manage members sees the list alone, and their forms are refused', async () => {
  const { owner, organizacion } = await openTeam();
  const worker = await joined(organizacion, owner, 'warehouse');
  await owner.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: newcomer(instance).email,
    rol: 'member',
  });

  const page = await worker.visitor.get(`${PAGE}?organizacion=${organizacion}`);
  const sent = await worker.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: 'x@tienda.example',
    rol: 'member',
  });
  const taken = await worker.visitor.post('/cuenta/miembros/rol', {
    organizacion,
    persona: owner.personId,
    rol: 'member',
  });
  const removal = await worker.visitor.get(
    `/cuenta/miembros/quitar?organizacion=${organizacion}&persona=${owner.personId}`,
  );

  assert.deepEqual([page.status, cardsOf(page.text).length], [200, 2]);
  assert.doesNotMatch(
    page.text,
    /<form method="post" action="(?!\/cuenta\/salir")|Verificación en dos pasos|Invitaciones abiertas/,
  );
  assert.deepEqual([sent.status, taken.status], [403, 403]);
  assert.match(sent.text, /role="alert">Tu rol en la organización no permite esta acción/);
  assert.match(
    removal.text,
    /role="alert">Tu rol en la organización no permite quitar a esa persona/,
  );
  assert.deepEqual(await rolesIn(organizacion), {
    [owner.email]: 'owner',
    [worker.email]: 'warehouse',
  });
});

test('an administrator gives every role but that of an owner, whom only owners touch', async () => {
  const { owner, organizacion } = await openTeam();
  const admin = await joined(organizacion, owner, 'admin');
  const worker = await joined(organizacion, owner, 'warehouse');
  const give = (persona: string, rol: string) =>
    admin.visitor.post('/cuenta/miembros/rol', { organizacion, persona, rol });

  const page = await admin.visitor.get(`${PAGE}?organizacion=${organizacion}`);
  const [ownersCard = ''] = cardsOf(page.text);
  const given = await give(worker.personId, 'supervisor');
  const refused = [
    await give(worker.personId, 'owner'),
    await give(owner.personId, 'member'),
    await give(worker.personId, 'king'),
    await give('nobody', 'member'),
  ];

  assert.doesNotMatch(page.text, /<option value="owner"/);
  assert.doesNotMatch(ownersCard, /<form|quitar/);
  assert.equal(
    given.to,
    `${PAGE}?organizacion=${organizacion}&aviso=rol&persona=${worker.personId}`,
  );
  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 400, 400],
  );
  assert.deepEqual(await rolesIn(organizacion), {
    [owner.email]: 'owner',
    [admin.email]: 'admin',
    [worker.email]: 'supervisor',
  });
});

test('removing a member takes two steps, and the first changes nothing', async () => {
  const { owner, organizacion } = await openTeam();
  const worker = await joined(organizacion, owner, 'warehouse');
  const page = await owner.visitor.get(`${PAGE}?organizacion=${organizacion}`);
  const [link = ''] = linksTo(page.text, '/cuenta/miembros/quitar').slice(-1);

  const asked = await owner.visitor.get(link);
  const still = await rolesIn(organizacion);
  const done = await owner.visitor.post('/cuenta/miembros/quitar', {
    organizacion,
    persona: worker.personId,
  });
  const again = await owner.visitor.post('/cuenta/miembros/quitar', {
    organizacion,
    persona: worker.personId,
  });

  assert.match(
    asked.text,
    /<h1>¿Quitar a Ana Robles\?<\/h1>.*sus agentes de ahí quedarán desconectados/s,
  );
  assert.deepEqual(still, { [owner.email]: 'owner', [worker.email]: 'warehouse' });
  assert.match((await owner.visitor.get(done.to)).text, /role="status">La persona ya no pertenece/);
  assert.deepEqual(await rolesIn(organizacion), { [owner.email]: 'owner' });
  assert.deepEqual([again.status, /Esa persona no pertenece/.test(again.text)], [404, true]);
});

test('everybody may leave, but the last owner', async () => {
  const { owner, organizacion } = await openTeam();
  const worker = await joined(organizacion, owner, 'warehouse');
  const leave = ({ visitor, personId }: Known) =>
    visitor.post('/cuenta/miembros/quitar', { organizacion, persona: personId });

  const last = await leave(owner);
  const left = await leave(worker);

  assert.deepEqual([last.status, /Nombra a otra primero/.test(last.text)], [409, true]);
  assert.match(
    (await worker.visitor.get(left.to)).text,
    /role="status">Ya no perteneces a esa organización/,
  );
  assert.deepEqual(await rolesIn(organizacion), { [owner.email]: 'owner' });
});

test('an invitation goes out by mail, is listed until it is accepted, and can be sent again', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const form = { organizacion, correo: ` ${guest.email.toUpperCase()} `, rol: 'supervisor' };

  const sent = await owner.visitor.post('/cuenta/miembros/invitar', form);
  const page = await owner.visitor.get(sent.to);
  const first = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  const again = await owner.visitor.post('/cuenta/invitaciones/reenviar', {
    organizacion,
    invitacion: idIn(page.text),
  });
  const mails = await mailsTo(folder, guest.email, 2);
  const accept = (token: string) =>
    guest.visitor.post('/invitacion', { token, nombre: 'Beto', contrasena: PASSWORD });
  const former = await accept(first);
  const fresh = await accept(tokenIn(mails, '/invitacion'));

  assert.match(page.text, new RegExp(`role="status">Invitamos a ${guest.email}`));
  assert.match(
    page.text,
    new RegExp(`${guest.email}.*Rol: Supervisor de almacén. Invitación de Ana Robles`, 's'),
  );
  assert.match(mails[1] ?? '', new RegExp(`${owner.email} te invitó a su organización`));
  assert.match(again.to, /aviso=invitada/);
  assert.deepEqual([former.status, fresh.to], [410, `/panel/${organizacion}`]);
  assert.match(former.text, /o hay una más reciente en tu correo/);
  assert.equal((await rolesIn(organizacion))[guest.email], 'supervisor');
  const afterwards = (await owner.visitor.get(sent.to)).text;
  assert.match(afterwards, /No hay invitaciones abiertas/);
  assert.doesNotMatch(afterwards, /Invitamos a/, 'the person has joined since');
  assert.match(afterwards, /Qué puede hacer cada rol/);
});

test('«Enviar de nuevo» that is pressed twice sends one mail, and says so both times', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance).email;
  const form = { organizacion, correo: guest, rol: 'member' };
  const { to } = await owner.visitor.post('/cuenta/miembros/invitar', form);
  const [, inputs = ''] = /reenviar">(.*?)<button/s.exec((await owner.visitor.get(to)).text) ?? [];
  const pairs = inputs.matchAll(/name="([^"]+)" value="([^"]+)"/g);
  const hidden = Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
  const press = () => owner.visitor.post('/cuenta/invitaciones/reenviar', hidden);

  const twice = await Promise.all([press(), press()]);
  const late = await press();

  for (const answer of [...twice, late]) assert.match(answer.to, /aviso=invitada/, answer.text);
  assert.equal((await mailsTo(folder, guest, 2)).length, 2);
  const { text } = await owner.visitor.get(PAGE);
  await owner.visitor.post('/cuenta/invitaciones/retirar', {
    organizacion,
    invitacion: idIn(text),
  });
  assert.equal((await press()).status, 404);
});

test('an invitation is sent again also by a form with the id of one that ended', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance).email;
  const form = { organizacion, correo: guest, rol: 'member' };
  await owner.visitor.post('/cuenta/miembros/invitar', form);
  const ended = idIn((await owner.visitor.get(PAGE)).text);
  await owner.visitor.post('/cuenta/invitaciones/retirar', { organizacion, invitacion: ended });
  await owner.visitor.post('/cuenta/miembros/invitar', form);
  const invitacion = idIn((await owner.visitor.get(PAGE)).text);

  const again = await owner.visitor.post('/cuenta/invitaciones/reenviar', {
    organizacion,
    invitacion,
    formulario: ended,
  });

  assert.match(again.to, /aviso=invitada/, again.text);
  await mailsTo(folder, guest, 3);
});

test('a form of an invitation that comes twice sends one mail; with another address it sends another', async () => {
  const { owner, organizacion } = await openTeam();
  const [guest, other] = [newcomer(instance).email, newcomer(instance).email];
  const [, formulario = ''] =
    /invitar">.*?name="formulario" value="([^"]+)"/s.exec((await owner.visitor.get(PAGE)).text) ??
    [];
  const send = (correo: string) =>
    owner.visitor.post('/cuenta/miembros/invitar', {
      organizacion,
      formulario,
      correo,
      rol: 'member',
    });

  const twice = await Promise.all([send(guest), send(guest)]);
  const changed = await send(other);
  const token = tokenIn(await mailsTo(folder, guest, 1), '/invitacion');
  await mailsTo(folder, other, 1);

  for (const { to } of [...twice, changed]) assert.match(to, /aviso=invitada/);
  assert.equal((await mailsTo(folder, guest, 1)).length, 1);
  assert.equal((await openVisitor(instance.url).get(`/invitacion?token=${token}`)).status, 200);
  assert.equal(
    cardsOf((await owner.visitor.get(PAGE)).text.split('Invitaciones abiertas')[1] ?? '').length,
    2,
  );
});

test('a form whose invitation ended sends nothing and says so; what it shows then invites anew', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const form = { organizacion, correo: guest.email, rol: 'member', formulario: newId() };
  const send = (formulario = form.formulario) =>
    owner.visitor.post('/cuenta/miembros/invitar', { ...form, formulario });
  await send();
  await owner.visitor.post('/cuenta/invitaciones/reenviar', {
    organizacion,
    invitacion: form.formulario,
  });

  const open = await owner.visitor.get((await send()).to);
  const invitacion = idIn(open.text);
  await owner.visitor.post('/cuenta/invitaciones/retirar', { organizacion, invitacion });
  const ended = await send();
  const mailed = (await mailsTo(folder, guest.email, 2)).length;
  const anew = await send(/invitar">.*?name="formulario" value="([^"]+)"/s.exec(ended.text)?.[1]);
  await mailsTo(folder, guest.email, 3);

  assert.match(open.text, new RegExp(`role="status">Invitamos a ${guest.email}`));
  assert.equal(ended.status, 404);
  assert.match(ended.text, /role="alert">Esa invitación ya terminó: [^<]*No enviamos nada\./);
  assert.match(ended.text, new RegExp(`value="${guest.email}"`));
  assert.equal(mailed, 2);
  assert.match(anew.to, /aviso=invitada/);
});

test('a form whose invitation was accepted says that the person is a member', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const form = { organizacion, correo: guest.email, rol: 'member', formulario: newId() };
  const send = () => owner.visitor.post('/cuenta/miembros/invitar', form);
  await send();
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  await guest.visitor.post('/invitacion', { token, nombre: 'Beto', contrasena: PASSWORD });

  const { status, text } = await send();

  assert.equal(status, 409);
  assert.match(text, /role="alert">La persona ya pertenece a la organización\./);
});

test('an invitation with a weak password comes back with the name, and is accepted with a good one', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const form = { organizacion, correo: guest.email, rol: 'member' };
  await owner.visitor.post('/cuenta/miembros/invitar', form);
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');
  const accept = (contrasena: string) =>
    guest.visitor.post('/invitacion', { token, nombre: 'Beto Luna', contrasena });

  const weak = await accept('corta');
  const fresh = await accept(PASSWORD);

  assert.equal(weak.status, 400);
  assert.match(weak.text, /<input id="nombre"[^>]* value="Beto Luna"/);
  assert.match(weak.text, /id="contrasena-fault">[^<]+.*<input id="contrasena"[^>]* value=""/s);
  assert.equal(weak.text.match(/role="alert"/g)?.length, 1);
  assert.equal(fresh.to, `/panel/${organizacion}`);
});

test('an invitation that was taken back cannot be accepted, nor taken back twice', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const sent = await owner.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: guest.email,
    rol: 'member',
  });
  const invitacion = idIn((await owner.visitor.get(sent.to)).text);
  const token = tokenIn(await mailsTo(folder, guest.email, 1), '/invitacion');

  const taken = await owner.visitor.post('/cuenta/invitaciones/retirar', {
    organizacion,
    invitacion,
  });
  const twice = await owner.visitor.post('/cuenta/invitaciones/retirar', {
    organizacion,
    invitacion,
  });

  assert.match(taken.to, /aviso=retirada/);
  assert.deepEqual([twice.status, /ya no está abierta/.test(twice.text)], [404, true]);
  assert.equal((await guest.visitor.get(`/invitacion?token=${token}`)).status, 410);
});

test('an invitation whose sender may no longer invite is shown as invalid', async () => {
  const { owner, organizacion } = await openTeam();
  const admin = await joined(organizacion, owner, 'admin');
  await admin.visitor.post('/cuenta/miembros/invitar', {
    organizacion,
    correo: newcomer(instance).email,
    rol: 'member',
  });
  const scope = instance.app.database.within(organizacion);
  const before = await owner.visitor.get(PAGE);

  await scope.write((it) => changeRole(it, owner, { personId: admin.personId, role: 'member' }));

  assert.doesNotMatch(before.text, /Ya no se puede aceptar/);
  assert.match(
    (await owner.visitor.get(PAGE)).text,
    /Ya no se puede aceptar: quien invitó perdió el permiso/,
  );
});

test('an invitation ends with the membership of its sender', async () => {
  const { owner, organizacion } = await openTeam();
  const admin = await joined(organizacion, owner, 'admin');
  const token = await invitedBy(admin, organizacion);
  await owner.visitor.post('/cuenta/miembros/quitar', { organizacion, persona: admin.personId });
  assert.match((await owner.visitor.get(PAGE)).text, /No hay invitaciones abiertas/);
  assert.equal((await newcomer(instance).visitor.get(`/invitacion?token=${token}`)).status, 410);
});

test('an invitation does not become an operator’s when its sender is erased', async () => {
  const { owner, organizacion } = await openTeam();
  const admin = await joined(organizacion, owner, 'admin');
  const token = await invitedBy(admin, organizacion);
  const { database } = instance.app;
  // As a former release left it: the membership is gone, the invitation is not.
  const [own] = await database.write((handle) =>
    handle.sql(
      `with gone as (delete from members where person_id = $1 and organization_id = $2)
       select o.id, o.name from organizations o join members m on m.organization_id = o.id
        where m.person_id = $1 and o.id <> $2`,
      [admin.personId, organizacion],
    ),
  );
  const { id, name } = own as { id: string; name: string };
  await runHere(['erase-organization', '--organization', id, '--confirm', name], instance.env);
  const people = await database.write((handle) =>
    handle.sql('select id from people where id = $1', [admin.personId]),
  );
  assert.deepEqual(people, []);
  assert.equal((await newcomer(instance).visitor.get(`/invitacion?token=${token}`)).status, 410);
});

test('an invitation accepted while its sender loses the right to invite gives no membership', async () => {
  const { owner, organizacion } = await openTeam();
  const admin = await joined(organizacion, owner, 'admin');
  const friend = newcomer(instance);
  const { database } = instance.app;
  const scope = database.within(organizacion);
  const { token } = await scope.write((it) =>
    invite(it, admin, { email: friend.email, role: 'admin' }),
  );
  const friendId = newId();
  await database.write((handle) =>
    insertPerson(handle, {
      id: friendId,
      name: 'Amiga',
      email: friend.email,
      isVerified: true,
      at: clock.now(),
    }),
  );
  const isLowered = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();

  const lowering = scope.write(async (it) => {
    await changeRole(it, owner, { personId: admin.personId, role: 'member' });
    isLowered.resolve();
    await end.promise;
  });
  await isLowered.promise;
  const person = { id: friendId, email: friend.email, address: null };
  const accepting = database.write((handle) =>
    acceptInvitation(handle, token, person, clock.now()),
  );
  const refused = assert.rejects(accepting, { code: 'invitation_not_valid' });
  await someoneWaits(database);
  end.resolve();
  await lowering;
  await refused;

  const members = await scope.read(membersOf);
  assert.deepEqual(
    members.map(({ personId }) => personId),
    [owner.personId, admin.personId],
  );
});

test('an invitation that was accepted leads its person in: a form that comes twice, and the link later', async () => {
  const { owner, organizacion } = await openTeam();
  const [guest, colleague] = [newcomer(instance), await openTeam()];
  const home = `/panel/${organizacion}`;
  const account = { nombre: 'Beto Luna', contrasena: PASSWORD };
  const token = await invitedAs(owner, organizacion, guest.email);
  const theirs = await invitedAs(owner, organizacion, colleague.owner.email);
  const twice = <T>(work: () => Promise<T>) => Promise.all([work(), work()]);

  const made = await twice(() => guest.visitor.post('/invitacion', { token, ...account }));
  const accepted = await twice(() =>
    colleague.owner.visitor.post('/invitacion', { token: theirs }),
  );
  const link = `/invitacion?token=${token}`;
  const later = await guest.visitor.get(link);
  const elsewhere = openVisitor(instance.url);
  const signedOut = await elsewhere.get(link);
  const stranger = await owner.visitor.get(link);
  const { [guest.email]: role } = await rolesIn(organizacion);
  await owner.visitor.post('/cuenta/miembros/quitar', {
    organizacion,
    persona: await idOf(guest.email),
  });

  assert.deepEqual(
    [...made, ...accepted, later].map(({ to }) => to),
    Array(5).fill(home),
  );
  assert.equal(signedOut.to, `/entrar?volver=${encodeURIComponent(home)}&aviso=miembro`);
  assert.match((await elsewhere.get(signedOut.to)).text, /role="status">Ya perteneces a la org/);
  assert.equal(role, 'member');
  assert.deepEqual([stranger.status, (await guest.visitor.get(link)).status], [410, 410]);
});

test('an invitation that is accepted after the session ended asks its person to sign in', async () => {
  const { owner, organizacion } = await openTeam();
  const { visitor, email } = (await openTeam()).owner;
  const token = await invitedAs(owner, organizacion, email);
  const link = `/invitacion?token=${token}`;
  const open = await visitor.get(link);
  await visitor.post('/cuenta/salir');

  const asked = await visitor.post('/invitacion', { token });
  const page = await visitor.get(asked.to);
  const entered = await signIn(visitor, email, PASSWORD, link);
  const accepted = await visitor.post('/invitacion', { token });

  assert.match(open.text, /<button>Aceptar la invitación/);
  assert.equal(asked.to, `/entrar?volver=${encodeURIComponent(link)}&aviso=sesion`);
  assert.match(page.text, /role="status">Tu sesión había terminado/);
  assert.deepEqual([entered.to, accepted.to], [link, `/panel/${organizacion}`]);
});

test('an invitation ends when its person becomes a member otherwise, and its link leads them in', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = (await openTeam()).owner;
  const token = await invitedAs(owner, organizacion, guest.email);
  const scope = instance.app.database.within(organizacion);

  await scope.write((it) => makeUser(it, { email: guest.email, role: 'warehouse' }));
  const members = await owner.visitor.get(PAGE);
  const accepted = await guest.visitor.post('/invitacion', { token });
  await owner.visitor.post('/cuenta/miembros/quitar', { organizacion, persona: guest.personId });
  const afterwards = await guest.visitor.post('/invitacion', { token });

  assert.match(members.text, /No hay invitaciones abiertas/);
  assert.equal(accepted.to, `/panel/${organizacion}`);
  assert.equal(afterwards.status, 410);
});

test('an invitation takes an unconfirmed registration of its address over, and keeps nothing of it', async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  await openVisitor(instance.url).post('/registro', {
    nombre: 'Un Extraño',
    organizacion: 'Tienda extraña',
    correo: guest.email,
    contrasena: 'otras tazas verdes',
  });
  const strange = tokenIn(await mailsTo(folder, guest.email, 1), '/verificar-correo');
  const token = await invitedAs(owner, organizacion, guest.email);

  const page = await guest.visitor.get(`/invitacion?token=${token}`);
  const account = { nombre: 'Beto Luna', contrasena: PASSWORD };
  const accepted = await guest.visitor.post('/invitacion', { token, ...account });
  const confirmed = await openVisitor(instance.url).get(`/verificar-correo?token=${strange}`);
  const own = await guest.visitor.get('/cuenta');

  assert.match(page.text, /Crea tu cuenta para/);
  assert.equal(accepted.to, `/panel/${organizacion}`);
  assert.equal(confirmed.status, 400);
  assert.match(own.text, /Beto Luna: Propietario/);
  assert.doesNotMatch(own.text, /extra(ño|ña)/i);
  const before = await signIn(openVisitor(instance.url), guest.email, 'otras tazas verdes');
  assert.equal(before.status, 401);
});

test('an account that an invitation made stays where no session opens: its person signs in', {
  tags: ['slow'],
}, async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const token = await invitedAs(owner, organizacion, guest.email);
  for (let attempt = 0; attempt < 31; attempt++)
    await signIn(guest.visitor, `nadie${attempt}@tienda.example`, 'lo que sea que sea');

  const account = { nombre: 'Beto Luna', contrasena: PASSWORD };
  const made = await guest.visitor.post('/invitacion', { token, ...account });

  assert.equal(
    made.to,
    `/entrar?volver=${encodeURIComponent(`/panel/${organizacion}`)}&aviso=miembro`,
  );
  assert.equal((await signIn(openVisitor(instance.url), guest.email)).to, '/panel');
});

test('what cannot be invited comes back with what is wrong, and what was typed as text', async () => {
  const { owner, organizacion } = await openTeam();
  const invite = (correo: string) =>
    owner.visitor.post('/cuenta/miembros/invitar', { organizacion, correo, rol: 'member' });

  const strange = await invite('"><script>alert(1)</script>');
  const member = await invite(owner.email);

  assert.deepEqual([strange.status, member.status], [400, 409]);
  assert.match(strange.text, /role="alert">Escribe un correo válido/);
  assert.match(strange.text, /value="&#34;&#62;&#60;script&#62;alert\(1\)/);
  assert.match(member.text, /role="alert">La persona ya pertenece a la organización/);
});

test('invitations are limited per sender, and to five per address', {
  tags: ['slow'],
}, async () => {
  const { owner, organizacion } = await openTeam();
  const guest = newcomer(instance);
  const invite = (correo: string) =>
    owner.visitor.post('/cuenta/miembros/invitar', { organizacion, correo, rol: 'member' });

  const same = [];
  for (let turn = 0; turn < 6; turn++) same.push((await invite(guest.email)).status);
  const others = [];
  for (let turn = 0; turn < 15; turn++)
    others.push((await invite(newcomer(instance).email)).status);

  assert.deepEqual(same, [303, 303, 303, 303, 303, 429]);
  assert.deepEqual(others, [...Array(14).fill(303), 429]);
});

test('organisations of one name are told apart by the role, else by when they were made', async () => {
  const { owner, organizacion } = await openTeam();
  const { visitor, personId: persona } = await joined(organizacion, owner, 'warehouse');
  const shown = async () => {
    const { text } = await visitor.get(`/panel/api/${organizacion}/frame.read`);
    const { organizations } = JSON.parse(text) as { organizations: { role_name: string }[] };
    return organizations.map(({ role_name }) => role_name).sort();
  };

  const different = await shown();
  await owner.visitor.post('/cuenta/miembros/rol', { organizacion, persona, rol: 'owner' });
  const alike = await shown();
  const page = await visitor.get(`${PAGE}?organizacion=${organizacion}`);

  assert.deepEqual(different, ['Almacén', 'Propietario']);
  assert.equal(alike.length, 2);
  for (const role of alike) assert.match(role, /^Propietario, creada el \d+ \S+ 20\d\d, /);
  assert.match(page.text, /<span class="frame-role">Propietario, creada el /);
});

test('a member of several organisations chooses one; that of others is not theirs', async () => {
  const { owner, organizacion } = await openTeam();
  const worker = await joined(organizacion, owner, 'warehouse');
  const stranger = await openTeam();

  const asked = await worker.visitor.get(PAGE);
  const chosen = await worker.visitor.get(
    linksTo(asked.text, PAGE).find((to) => to.includes(organizacion)) ?? '',
  );
  const foreign = [
    await worker.visitor.get(`${PAGE}?organizacion=${stranger.organizacion}`),
    await worker.visitor.post('/cuenta/miembros/quitar', {
      organizacion: stranger.organizacion,
      persona: stranger.owner.personId,
    }),
  ];
  const nobody = await openVisitor(instance.url).get(`${PAGE}?organizacion=${organizacion}`);

  assert.match(asked.text, /<h1>¿De qué organización\?<\/h1>.*\(Almacén\)/s);
  assert.match(
    chosen.text,
    / aria-current="true">[^<]+<\/a> <span class="frame-role">Almacén<\/span>/,
  );
  assert.doesNotMatch(chosen.text, /Tu rol|Volver a mi cuenta/);
  assert.deepEqual(
    foreign.map(({ status }) => status),
    [404, 404],
  );
  assert.equal(
    nobody.to,
    `/entrar?volver=${encodeURIComponent(`${PAGE}?organizacion=${organizacion}`)}`,
  );
});

function openTeam(): Promise<Team> {
  // Lists are in the order of joining.
  clock.advance({ seconds: 1 });
  return teamAt(instance, folder);
}

async function joined(organizacion: string, by: Known, role: Role): Promise<Known> {
  clock.advance({ seconds: 1 });
  return joinedAt(instance, folder, organizacion, { by, role });
}

/** @returns the token of an invitation as an administrator */
function invitedBy(by: Known, organizacion: string): Promise<string> {
  return invitedAs(by, organizacion, newcomer(instance).email, 'admin');
}

/** @returns the token of the mail */
async function invitedAs(
  { visitor }: Known,
  organizacion: string,
  correo: string,
  rol: Role = 'member',
): Promise<string> {
  const before = (await mailsTo(folder, correo, 0)).length;
  await visitor.post('/cuenta/miembros/invitar', { organizacion, correo, rol });
  return tokenIn(await mailsTo(folder, correo, before + 1), '/invitacion');
}

async function idOf(email: string): Promise<string> {
  const person = await instance.app.database.read((handle) => personByEmail(handle, email));
  return person?.id ?? '';
}

async function rolesIn(organizacion: string): Promise<Record<string, Role>> {
  const members = await instance.app.database.within(organizacion).read(membersOf);
  return Object.fromEntries(members.map(({ email, role }) => [email, role]));
}

/** The entries of the first list on a page. */
function cardsOf(text: string): string[] {
  const [list = ''] = /<ul class="cards">.*?<\/ul>/s.exec(text) ?? [];
  return list.split('<li>').slice(1);
}

function linksTo(text: string, path: string): string[] {
  return [...text.matchAll(/href="([^"]+)"/g)]
    .map(([, to = '']) => to.replaceAll('&#38;', '&'))
    .filter((to) => to.startsWith(`${path}?`));
}

function idIn(text: string): string {
  return /name="invitacion" value="([^"]+)"/.exec(text)?.[1] ?? '';
}
