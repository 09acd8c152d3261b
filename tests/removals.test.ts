import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { forgetConnection } from '../src/exchange/connect/disconnect.ts';
import {
  type ConnectedAccount,
  forgetAccount,
  forgetBuyer,
} from '../src/exchange/webhooks/privacy.ts';
import { saveConnection } from '../src/features/connections/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { addMember, removeMember } from '../src/features/people/index.ts';
import { readJournal } from '../src/features/removals/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { newId } from '../src/platform/ids.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder, callApi, openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import { runHere } from './support/command.ts';
import { query } from './support/market.ts';

// What was erased, forgotten or revoked after a backup stays so after its restore.

const KEY = randomBytes(32);
const MASTER_KEY = KEY.toString('base64');
const KEYRING = { current: KEY, previous: null };

test('a restore with the journal brings back nothing that was removed after its backup', {
  tags: ['slow'],
}, async (t) => {
  const { own, folder, file, journal } = await openOrigin(t);
  const things = await fill(own);
  await member(own, 'leaver', 'member');
  const doomed = await own.tenant();
  await own.record([anOrder({ id: 'B-1' })], doomed.organization.id);
  assert.equal((await cli(own, 'backup', file)).code, 0);

  await removeAll(own, things);
  const leaver = ['--email', 'leaver@tienda.example', '--confirm', 'leaver@tienda.example'];
  assert.equal((await cli(own, 'erase-person', ...leaver)).code, 0);
  await cli(own, 'erase-organization', ...['--organization', doomed.organization.id], ...NAMED);
  assert.deepEqual(
    (await readJournal(KEYRING, createReadStream(journal))).map(({ kind }) => kind).toSorted(),
    ['api_key', 'buyers', 'connection', 'member', 'member', 'organization', 'person'],
  );

  const dataDir = join(folder, 'restored');
  const { code, stdout } = await restore(dataDir, file, '--removals', journal);
  assert.equal(code, 0, stdout);
  assert.deepEqual(JSON.parse(stdout).removals, { repeated: 7, refused: [] });
  const target = await openRestored(t, dataDir, own);
  assert.deepEqual(await query(target, "select from people where name = 'leaver'"), []);
  assert.equal(await statusOf(target, things.key), 401);
  assert.equal(await statusOf(target, doomed.key), 401);
  assert.equal(await statusOf(target, own.key), 200);
  assert.deepEqual(await stateOf(target, own, things), {
    members: 0,
    connection: 'disconnected',
    credentials: null,
    erased: 1,
    ordersOfErased: 0,
  });
  await target.record([anOrder({ id: 'A-2', buyerName: 'Olvidada Dos' })], own.organization.id);
  assert.deepEqual(await buyersOf(target, own.key), { 'A-1': null, 'A-2': null, 'A-3': 'Ana P.' });
  const kept = await readJournal(KEYRING, createReadStream(join(dataDir, 'removals.tianguis')));
  assert.ok(kept.some(({ kind }) => kind === 'organization'));
});

test('an account whose seller uninstalled us stays disconnected, and its buyers forgotten', {
  tags: ['slow'],
}, async (t) => {
  const { own, folder, file, journal } = await openOrigin(t);
  const things = await fill(own);
  const account = { marketplace: 'woocommerce', accountId: 'otra' } as const;
  await own.record([anOrder({ ...account, id: 'W-1', buyerName: 'Olvidada Tres' })]);
  assert.equal((await cli(own, 'backup', file)).code, 0);
  await forgetAccount(own.app.exchange, { ...things.account, ...account, id: things.connectionId });
  await own.app.worker?.tick();
  const kinds = (await readJournal(KEYRING, createReadStream(journal))).map(({ kind }) => kind);
  assert.ok(kinds.includes('account'), kinds.join());

  const dataDir = join(folder, 'restored');
  const { code, stdout } = await restore(dataDir, file, '--removals', journal);

  assert.equal(code, 0, stdout);
  assert.deepEqual(JSON.parse(stdout).removals.refused, []);
  const target = await openRestored(t, dataDir, own);
  assert.deepEqual(await buyersOf(target, own.key), {
    'A-1': 'Olvidada U.',
    'A-3': 'Ana P.',
    'W-1': null,
  });
  const { connection, credentials } = await stateOf(target, own, things);
  assert.deepEqual([connection, credentials], ['disconnected', null]);
});

test('while the journal cannot be written there is an alert, and later it lacks nothing', {
  tags: ['slow'],
}, async (t) => {
  const { own, journal } = await openOrigin(t);
  const things = await fill(own);
  const open = () =>
    query(
      own,
      "select message from alerts where kind = 'removals_unwritten' and resolved_at is null",
    );
  await mkdir(`${journal}.part`);
  await forgetConnection(own.app.exchange, own.organization.id, things.connectionId);

  await assert.rejects(own.app.worker?.tick() ?? Promise.resolve(), { code: 'EISDIR' });
  const [alert] = await open();
  assert.match(String(alert?.message), /No se pudo escribir .*removals\.tianguis\. .*restauración/);
  const revoked = await cli(own, 'revoke-key', '--key-id', things.keyId);
  assert.notEqual(revoked.code, 0, 'a command does not say that it is done');

  await rm(`${journal}.part`, { recursive: true });
  await own.app.worker?.tick();
  assert.deepEqual(await open(), []);
  assert.deepEqual(
    (await readJournal(KEYRING, createReadStream(journal))).map(({ kind }) => kind).toSorted(),
    ['api_key', 'connection'],
  );
});

test('a journal that was lost is written again, as is that of a backup after its restore', {
  tags: ['slow'],
}, async (t) => {
  const { own, folder, file, journal } = await openOrigin(t);
  const things = await fill(own);
  await own.app.worker?.tick();
  await assert.rejects(readFile(journal), { code: 'ENOENT' });
  await forgetConnection(own.app.exchange, own.organization.id, things.connectionId);
  await own.app.worker?.tick();
  await rm(journal);
  await own.app.worker?.tick();
  const kindsIn = async (path: string) =>
    (await readJournal(KEYRING, createReadStream(path))).map(({ kind }) => kind);
  assert.deepEqual(await kindsIn(journal), ['connection']);

  await cli(own, 'backup', file);
  const dataDir = join(folder, 'restored');
  assert.equal((await restore(dataDir, file)).code, 0);
  const target = await openRestored(t, dataDir, own);
  await target.app.worker?.tick();
  assert.deepEqual(await kindsIn(join(dataDir, 'removals.tianguis')), ['connection']);
});

test('after a rotation of the master key the journal opens with the new key alone', {
  tags: ['slow'],
}, async (t) => {
  const { own, journal } = await openOrigin(t);
  const things = await fill(own);
  await forgetConnection(own.app.exchange, own.organization.id, things.connectionId);
  await own.app.worker?.tick();
  const fresh = randomBytes(32);
  const keys = { MASTER_KEY: fresh.toString('base64'), MASTER_KEY_PREVIOUS: MASTER_KEY };

  const { code, stdout } = await runHere(['rotate-secrets', '--json'], { ...own.env, ...keys });

  assert.equal(code, 0, stdout);
  const kept = await readJournal({ current: fresh, previous: null }, createReadStream(journal));
  assert.deepEqual(
    kept.map(({ kind }) => kind),
    ['connection'],
  );
});

test('a restore without the journal names what is there again', { tags: ['slow'] }, async (t) => {
  const { own, folder, file, journal } = await openOrigin(t);
  const things = await fill(own);
  await cli(own, 'backup', file);
  await removeAll(own, things);

  const dataDir = join(folder, 'restored');
  const env = { MASTER_KEY, DATA_DIR: dataDir };
  const { stdout, code } = await runHere(['restore', file], env);

  assert.equal(code, 0);
  assert.match(stdout, /Sin --removals, lo que se eliminó, olvidó o revocó después de la copia/);
  const target = await openRestored(t, dataDir, own);
  assert.equal(await statusOf(target, things.key), 200);
  assert.ok((await readFile(journal)).length > 0);
});

test('a removal that the restored state does not allow is named, and the others are repeated', {
  tags: ['slow'],
}, async (t) => {
  const { own, folder, file, journal } = await openOrigin(t);
  const things = await fill(own);
  const first = await member(own, 'primera', 'owner');
  await cli(own, 'backup', file);
  // Another owner came after the backup: only then could the first one leave.
  await member(own, 'segunda', 'owner');
  await own.app.database
    .within(own.organization.id)
    .write((scope) => removeMember(scope, 'operator', first));
  await removeAll(own, things);

  const { code, stdout } = await restore(join(folder, 'restored'), file, '--removals', journal);

  assert.notEqual(code, 0);
  const { removals } = JSON.parse(stdout);
  assert.equal(removals.repeated, 4);
  assert.deepEqual(
    removals.refused.map(({ kind, subject }: { kind: string; subject: object }) => [kind, subject]),
    [['member', { person_id: first }]],
  );
});

test('a journal that is cut, altered, of another key or none is refused before anything is made', {
  tags: ['slow'],
}, async (t) => {
  const { own, folder, file, journal } = await openOrigin(t);
  await removeAll(own, await fill(own));
  await cli(own, 'backup', file);
  const whole = await readFile(journal);
  assert.equal(whole.includes('A-1'), false, 'ids of orders are in clear');
  const said: string[] = [];
  const altered = Buffer.from(whole);
  altered[whole.length - 20] = (altered[whole.length - 20] ?? 0) ^ 1;
  for (const content of [whole.subarray(0, -1), altered, await readFile(file)]) {
    await writeFile(join(folder, 'wrong'), content);
    const { code, stdout } = await restore(
      join(folder, 'not-made'),
      file,
      ...['--removals', join(folder, 'wrong')],
    );
    assert.notEqual(code, 0);
    said.push(JSON.parse(stdout).error.message);
  }
  await assert.rejects(readFile(join(folder, 'not-made')), { code: 'ENOENT' });
  assert.ok(said.every((message) => /no es una bitácora completa/.test(message)));
});

const NAMED = ['--confirm', 'Tienda de prueba'];

interface Things {
  readonly key: string;
  readonly keyId: string;
  readonly personId: string;
  readonly connectionId: string;
  readonly account: ConnectedAccount;
}

async function openOrigin(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'removals-'));
  // As root the database runs as another user, who needs access.
  await chmod(folder, 0o711);
  WHOLE_FILE.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const dataDir = join(folder, 'data');
  const own = await openApp(t, {
    clock: turnedClock(systemClock.now().toString()),
    env: { MASTER_KEY, DATA_DIR: dataDir, DATABASE_URL: '' },
  });
  const journal = join(dataDir, 'removals.tianguis');
  return { own, folder, file: join(folder, 'backup.tianguis'), journal };
}

async function fill(own: TestApp): Promise<Things> {
  const { id: organizationId } = own.organization;
  const organization = own.app.database.within(organizationId);
  await own.record([
    anOrder({ id: 'A-1', buyerName: 'Olvidada Uno' }),
    anOrder({ id: 'A-3', buyerName: 'Ana Paz' }),
  ]);
  const { id: keyId, key } = await organization.write((scope) =>
    createKey(scope, 'operator', { name: 'por revocar' }),
  );
  const connectionId = await organization.write((scope) =>
    saveConnection(scope, own.app.exchange.keyring, {
      service: 'woocommerce',
      accountId: 'otra',
      name: 'Otra',
      baseUrl: null,
      credentials: { consumer_key: 'a', consumer_secret: 'b' },
      credentialsExpireAt: null,
    }),
  );
  const { marketplace, accountId } = anOrder();
  const account = { id: newId(), organizationId, marketplace, accountId };
  return { key, keyId, personId: await member(own, 'sale', 'member'), connectionId, account };
}

async function member(own: TestApp, name: string, role: 'owner' | 'member'): Promise<string> {
  const id = newId();
  await query(
    own,
    'insert into people (id, name, email, created_at, updated_at) values ($1, $2, $3, now(), now())',
    [id, name, `${name}@tienda.example`],
  );
  await own.app.database
    .within(own.organization.id)
    .write((scope) => addMember(scope, 'operator', { personId: id, role }));
  return id;
}

/** By the service and by a command; the journal has all of it then. */
async function removeAll(own: TestApp, things: Things): Promise<void> {
  const { exchange, database } = own.app;
  const { id } = own.organization;
  await database.within(id).write((scope) => removeMember(scope, 'operator', things.personId));
  await forgetConnection(exchange, id, things.connectionId);
  await forgetBuyer(exchange, things.account, ['A-1', 'A-2']);
  const journal = exchange.removalsFile ?? '';
  await own.app.worker?.tick();
  const kinds = (await readJournal(KEYRING, createReadStream(journal))).map(({ kind }) => kind);
  assert.ok(kinds.includes('buyers') && kinds.includes('connection'));
  const revoked = await cli(own, 'revoke-key', '--key-id', things.keyId);
  assert.equal(revoked.code, 0, revoked.stdout);
}

async function openRestored(t: TestContext, dataDir: string, own: TestApp): Promise<TestApp> {
  const target = await openApp(t, {
    clock: own.clock,
    env: { MASTER_KEY, DATA_DIR: dataDir, DATABASE_URL: '' },
  });
  return { ...target, organization: own.organization };
}

function restore(dataDir: string, file: string, ...more: string[]) {
  return runHere(['restore', file, ...more, '--json'], { MASTER_KEY, DATA_DIR: dataDir });
}

function cli({ env }: TestApp, ...words: string[]) {
  return runHere([...words, '--json'], env);
}

async function statusOf(own: TestApp, key: string): Promise<number> {
  return (await callApi(own.url, '/v1/orders', {}, { key })).status;
}

async function stateOf(target: TestApp, { organization }: TestApp, things: Things) {
  const [row] = await query(
    target,
    `select (select count(*)::int from members where person_id = $1) as members,
            c.state as connection, c.credentials,
            (select count(*)::int from erasures where ended_at is not null) as erased,
            (select count(*)::int from orders where id = 'B-1') as "ordersOfErased"
       from connections c where c.organization_id = $2 and c.id = $3`,
    [things.personId, organization.id, things.connectionId],
  );
  return { ...row };
}

async function buyersOf(target: TestApp, key: string): Promise<Record<string, string | null>> {
  const { body } = await callApi(target.url, '/v1/orders', { limit: 100 }, { key });
  return Object.fromEntries(
    body.data.map(({ id, buyer_name }: { id: string; buyer_name: string | null }) => [
      id,
      buyer_name,
    ]),
  );
}
