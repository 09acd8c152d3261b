import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { recordRefusal } from '../src/exchange/wire/refused-access.ts';
import { raiseAlert, resolveAlert } from '../src/features/alerts/index.ts';
import { disconnect, saveConnection } from '../src/features/connections/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { changePlan } from '../src/features/organizations/index.ts';
import { INSTANCE } from '../src/features/schedules/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import type { TestApp } from './support/app.ts';
import { openPanel } from './support/panel.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';
import { mailsTo } from './support/visitor.ts';

// A new problem is mailed to the members, and shown on Inicio.

const LETTER = /Esto requiere tu atención en la cuenta/;

interface Named {
  readonly kind: string;
  readonly account: string | null;
}

let instance: TestApp;
let folder: string;
let organizacion: string;
let owner: Known;
let member: Known;
let worker: Known;
const { read, write } = openPanel(() => organizacion);

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  ({ instance, folder } = opened);
  const team = await openTeam(instance, folder);
  ({ owner, organizacion } = team);
  member = await team.join('member');
  worker = await team.join('warehouse');
});

test('a broken connection is seen on Inicio and in the mailbox within two ticks', async () => {
  const id = await scope((one) =>
    saveConnection(one, instance.app.exchange.keyring, coppelAccount('2041', 'Tienda Coppel')),
  );
  for (let refusal = 0; refusal < 2; refusal++) {
    await scope((one) => recordRefusal(one, { id, service: 'coppel' }, 'access'));
    instance.clock.advance({ minutes: 5 });
  }
  for (let tick = 0; tick < 2; tick++) await instance.app.worker?.tick();

  const [account] = (await read(owner, 'connections.list', {})).data;
  assert.deepEqual([account.service, account.state], ['coppel', 'reauth_required']);
  const letter = await nextLetter(owner);
  assert.match(letter, /El acceso a tu cuenta de Coppel venció/);
  assert.match(
    letter,
    new RegExp(`Revísalo en Conexiones:\\s+\\S+/panel/${organizacion}/conexiones\\s`),
  );
  assert.match(letter, new RegExp(`/panel/${organizacion}\\s`));
  const forMember = await nextLetter(member);
  assert.match(forMember, /El acceso a tu cuenta de Coppel venció/);
  assert.ok(!forMember.includes('/conexiones'), 'a page that a member does not have');
  const [alert] = (await read(member, 'alerts.list', {})).data;
  assert.equal(alert.page, 'connections');
  assert.equal(await lettersTo(worker), 0, 'the warehouse sees no alerts');
});

test('of two accounts at one marketplace, the mail and Inicio say which one an alert is about', async () => {
  const [{ id }] = (await read(owner, 'connections.overview', {})).data;
  const other = await scope((one) =>
    saveConnection(one, instance.app.exchange.keyring, coppelAccount('2042', 'Coppel del Norte')),
  );
  later();
  const about = { kind: 'stream', subject: `${id}:products`, message: 'Artículos: no se leyeron.' };
  await scope((one) => raiseAlert(one, about));
  await instance.app.worker?.tick();
  assert.ok((await nextLetter(owner)).includes('- Tienda Coppel: Artículos: no se leyeron.'));
  const accounts = async () =>
    (await read(owner, 'alerts.list', {})).data.map((alert: Named) => [alert.kind, alert.account]);
  assert.deepEqual(await accounts(), [
    ['stream', 'Tienda Coppel'],
    ['connection', 'Tienda Coppel'],
  ]);
  await write(owner, 'alerts.settle', { kind: about.kind, subject: about.subject });
  assert.equal((await read(owner, 'alerts.resolved', {})).data[0].account, 'Tienda Coppel');
  await scope((one) => disconnect(one, other));
  assert.deepEqual(await accounts(), [['connection', null]], 'the only account needs no name');
});

test('one letter for all that begins; an alert that goes on is not mailed again, one that begins anew is', async () => {
  const trouble = (subject: string) => ({
    kind: 'trouble',
    subject,
    message: `Problema ${subject}.`,
  });
  later();
  for (const subject of ['a', 'b']) await scope((one) => raiseAlert(one, trouble(subject)));
  await instance.app.worker?.tick();
  const both = await nextLetter(owner);
  assert.ok(both.includes('Problema a.') && both.includes('Problema b.'), both);

  later();
  await scope((one) => raiseAlert(one, trouble('a')));
  await instance.app.worker?.tick();
  later();
  await scope((one) => raiseAlert(one, trouble('new')));
  await instance.app.worker?.tick();
  const other = await nextLetter(owner);
  assert.ok(other.includes('Problema new.') && !other.includes('Problema a.'), other);

  later();
  await scope((one) => resolveAlert(one, 'trouble', 'a'));
  await scope((one) => raiseAlert(one, trouble('a')));
  await instance.app.worker?.tick();
  const anew = await nextLetter(owner);
  assert.ok(anew.includes('Problema a.') && !anew.includes('Problema b.'), anew);

  await scope((one) => raiseAlert(one, trouble('c')));
  await instance.app.worker?.tick();
  later();
  await instance.app.worker?.tick();
  assert.match(await nextLetter(owner), /Problema c\./, 'it waited for a quarter of an hour');
});

test('an alert with a mail of its own that goes on holds no other letter up', async () => {
  const alert = { kind: 'own', subject: 'f', message: 'Con correo propio.' };
  const own = (one: WriteScope) => raiseAlert(one, alert, { hasOwnMail: true });
  await scope(own);
  later();
  await scope(own);
  await scope((one) => raiseAlert(one, { kind: 'trouble', subject: 'f', message: 'Otro más.' }));
  await instance.app.worker?.tick();
  const letter = await nextLetter(owner);
  assert.ok(letter.includes('Otro más.') && !letter.includes('Con correo propio.'), letter);
});

test('after a clock that was ahead is set right, an alert that begins, or begins anew, is mailed', async () => {
  const ahead = { kind: 'trouble', subject: 'g', message: 'Con el reloj adelantado.' };
  later();
  instance.clock.advance({ hours: 48 });
  await scope((one) => raiseAlert(one, ahead));
  await instance.app.worker?.tick();
  assert.match(await nextLetter(owner), /Con el reloj adelantado\./);
  await scope((one) => resolveAlert(one, ahead.kind, ahead.subject));
  instance.clock.advance({ hours: -48 });

  later();
  await scope((one) => raiseAlert(one, { kind: 'trouble', subject: 'h', message: 'Uno nuevo.' }));
  await instance.app.worker?.tick();
  assert.match(await nextLetter(owner), /Uno nuevo\./);

  later();
  await scope((one) => raiseAlert(one, ahead));
  await instance.app.worker?.tick();
  assert.match(await nextLetter(owner), /Con el reloj adelantado\./);
});

test('a person turns the letters off for themselves alone', async () => {
  assert.deepEqual(await read(member, 'alerts.mails', {}), { wanted: true });
  await write(member, 'alerts.set-mails', { wanted: false });
  assert.deepEqual(await read(member, 'alerts.mails', {}), { wanted: false });
  assert.deepEqual(await read(owner, 'alerts.mails', {}), { wanted: true });
  const before = await lettersTo(member);
  later();
  await scope((one) => raiseAlert(one, { kind: 'trouble', subject: 'd', message: 'Otro.' }));
  await instance.app.worker?.tick();
  await nextLetter(owner);
  assert.equal(await lettersTo(member), before, 'letters that the member turned off');
});

test('an alert of the installation is mailed to no seller, and holds nothing up', async () => {
  later();
  await instance.app.database
    .within(INSTANCE)
    .write((one) => raiseAlert(one, { kind: 'housekeeping', subject: 'x', message: 'No pudo.' }));
  for (let tick = 0; tick < 2; tick++) await instance.app.worker?.tick();
  await scope((one) => raiseAlert(one, { kind: 'trouble', subject: 'e', message: 'El último.' }));
  await instance.app.worker?.tick();
  assert.match(await nextLetter(owner), /El último\./);
});

test('a key that ends within two weeks is shown on Inicio', async () => {
  await instance.app.database.write((handle) =>
    changePlan(handle, instance.clock, {
      organizationId: organizacion,
      plan: 'avanzado',
      quota: null,
    }),
  );
  for (const [name, days] of [
    ['pronto', 30],
    ['lejos', 90],
  ] as const)
    await scope((one) => createKey(one, 'operator', { name, days }));
  assert.deepEqual((await read(owner, 'keys.ending', {})).data, [], 'a month ahead');
  // Sessions follow the machine's clock, so the key moves and not the clock.
  await instance.app.database.write((handle) =>
    handle.sql("update api_keys set expires_at = expires_at - interval '20 days'", []),
  );
  const { data } = await read(owner, 'keys.ending', {});
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ['pronto'],
  );
});

function coppelAccount(accountId: string, name: string) {
  return {
    service: 'coppel' as const,
    ...{ accountId, name, baseUrl: null },
    ...{ credentials: { api_key: 'clave' }, credentialsExpireAt: null },
  };
}

function scope<Result>(work: (one: WriteScope) => Promise<Result>): Promise<Result> {
  return instance.app.database.within(organizacion).write(work);
}

/** When the next letter may go. */
function later(): void {
  instance.clock.advance({ minutes: 16 });
}

const seen = new Map<string, number>();

/** The letter about alerts after those that were read; it is the only new one. */
async function nextLetter({ email }: Known): Promise<string> {
  const count = (seen.get(email) ?? 0) + 1;
  seen.set(email, count);
  const others = (await mailsTo(folder, email, 0)).filter((mail) => !LETTER.test(mail)).length;
  const mails = await mailsTo(folder, email, others + count);
  const letters = mails.filter((mail) => LETTER.test(mail));
  assert.equal(letters.length, count, 'letters to this person');
  return letters.at(-1) ?? '';
}

async function lettersTo({ email }: Known): Promise<number> {
  return (await mailsTo(folder, email, 0)).filter((mail) => LETTER.test(mail)).length;
}
