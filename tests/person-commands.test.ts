import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { runHere } from './support/command.ts';
import {
  known as knownAt,
  newcomer,
  openMailingInstance,
  openTeam,
  PASSWORD,
  signIn,
} from './support/people.ts';
import { mailsTo, openVisitor } from './support/visitor.ts';

// What an operator does for a person who asks for a correction, or for the end of the account.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);

test('another address of a person ends the sessions, and both addresses are told', async () => {
  const { visitor, email } = await knownAt(instance, folder);
  const { email: fresh } = newcomer(instance);
  const had = await mailsTo(folder, email, 1);

  const { json, code } = await cli('change-person', '--email', email, '--new-email', fresh);

  assert.deepEqual([code, json.email], [0, fresh]);
  assert.equal((await visitor.get('/cuenta')).to, '/entrar');
  assert.equal((await signIn(openVisitor(instance.url), email)).status, 401);
  const again = openVisitor(instance.url);
  assert.equal((await signIn(again, fresh, PASSWORD)).to, '/panel');
  assert.match((await again.get('/cuenta/actividad')).text, /Cambió el correo o el nombre de/);
  const told = (await mailsTo(folder, email, had.length + 1)).at(-1) ?? '';
  assert.doesNotMatch(told, new RegExp(fresh));
  assert.match((await mailsTo(folder, fresh, 1)).at(-1) ?? '', /\/recuperar/);
});

test('a name is corrected without ending sessions; an address of another person is refused', async () => {
  const [one, other] = [await knownAt(instance, folder), await knownAt(instance, folder)];

  const named = await cli('change-person', '--email', one.email, '--name', 'Inés Robles');
  const taken = await cli('change-person', '--email', one.email, '--new-email', other.email);
  const nothing = await cli('change-person', '--email', one.email);

  assert.equal(named.json.name, 'Inés Robles');
  assert.equal((await one.visitor.get('/cuenta')).status, 200);
  assert.match(taken.stdout + taken.stderr, /Ya hay una cuenta con ese correo/);
  assert.deepEqual([taken.code === 0, nothing.code === 0], [false, false]);
});

test('the last owner is not erased, and the operator learns what to do first', async () => {
  const { visitor, email } = await knownAt(instance, folder);

  const { code, stdout, stderr } = await erase(email);

  assert.notEqual(code, 0);
  assert.match(stdout + stderr, /set-role.*erase-organization/);
  assert.equal((await visitor.get('/cuenta')).status, 200);
});

test('an erased person leaves no account, session, membership or invitation, and is told', async () => {
  const { owner, organizacion, join } = await openTeam(instance, folder);
  const member = await join('member');
  const { personId } = member;
  const own = 'delete from members where person_id = $1 and organization_id <> $2';
  await rows(own, [personId, organizacion]);
  const had = await mailsTo(folder, member.email, 1);

  const wrong = await cli('erase-person', '--email', member.email, '--confirm', owner.email);
  const { json, code } = await erase(member.email);

  assert.notEqual(wrong.code, 0);
  assert.deepEqual([code, json.user_id, json.organizations.length], [0, personId, 1]);
  assert.equal((await member.visitor.get('/cuenta')).to, '/entrar');
  assert.equal((await signIn(openVisitor(instance.url), member.email)).status, 401);
  assert.deepEqual(await left(personId, member.email), { rows: 0 });
  assert.match(
    (await mailsTo(folder, member.email, had.length + 1)).at(-1) ?? '',
    /Se elimin.* tu cuenta de Tianguis/,
  );
  assert.doesNotMatch((await owner.visitor.get('/cuenta/miembros')).text, new RegExp(member.email));
  const again = await erase(member.email);
  assert.match(again.stdout + again.stderr, /No existe una cuenta con ese correo/);
});

function cli(...args: string[]) {
  return runHere([...args, '--json'], instance.env);
}

function erase(email: string) {
  return cli('erase-person', '--email', email, '--confirm', email);
}

async function left(id: string, email: string): Promise<object | undefined> {
  const [row] = await rows(
    `select ((select count(*) from people where id = $1::uuid or email = $2)
           + (select count(*) from members where person_id = $1::uuid)
           + (select count(*) from sessions where person_id = $1::uuid)
           + (select count(*) from credentials where person_id = $1::uuid)
           + (select count(*) from invitations where email = $2)
           + (select count(*) from verifications where value = $1::uuid::text))::int as rows`,
    [id, email],
  );
  return row;
}

function rows(text: string, values: unknown[]): Promise<object[]> {
  return instance.app.database.write((handle) => handle.sql(text, values));
}
