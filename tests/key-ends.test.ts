import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHousekeeping } from '../src/exchange/jobs/housekeeping.ts';
import { createKey, listKeys, regenerateKey, revokeKey } from '../src/features/keys/index.ts';
import { createOrganization } from '../src/features/organizations/index.ts';
import { addMember } from '../src/features/people/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { turnedClock } from './support/clock.ts';
import { joined, type Known, known, openMailingInstance } from './support/people.ts';
import { mailsTo } from './support/visitor.ts';

// Mails about keys that end soon. All people register first: the clock only goes on from there.

const clock = turnedClock(systemClock.now().toString());
const { instance, folder } = await openMailingInstance(WHOLE_FILE, clock);
const { database } = instance.app;
const owner = await known(instance, folder);
const organization = await anOrganization();
const admin = await joined(instance, folder, organization, { by: owner, role: 'admin' });
const worker = await joined(instance, folder, organization, { by: owner, role: 'warehouse' });

test('owners and administrators are notified 14 and 3 days before a key ends, once each', {
  tags: ['slow'],
}, async () => {
  const { id } = await makeKey('hoja', 30);
  const [{ lastFour = '', expiresAt = null } = {}] = await keysNow();
  const before = await mailed();
  const seen: [day: number, mails: number][] = [];

  for (let hours = 0; hours <= 24 * 31; hours += 12) {
    const reported = (await mailed()) - before;
    if (reported !== (seen.at(-1)?.[1] ?? 0)) seen.push([hours / 24 - 0.5, reported]);
    if (hours === 24 * 16) await instance.app.worker?.tick();
    else await housekeeping();
    if (hours === 24 * 16) await mailsTo(folder, owner.email, 2);
    clock.advance({ hours: 12 });
  }

  assert.deepEqual(seen, [
    [16, 2],
    [27, 4],
  ]);
  const [, first = '', second = ''] = await mailsTo(folder, owner.email, 3);
  assert.match(subjectOf(first), /^Una clave de API vence el \d+ \w+ 20\d\d$/);
  const ends = expiresAt && inMexico(expiresAt);
  const says = `clave de API «hoja» (tgs_…${lastFour}) de «Papelería Sol» vence el ${ends}, hora de la Ciudad de México`;
  for (const mail of [first, second]) assert.ok(mail.includes(says), mail);
  assert.match(first, new RegExp(`http://[^/]+/cuenta/claves\\?organizacion=${organization}`));
  assert.match((await mailsTo(folder, admin.email, 3))[2] ?? '', /regenérala antes/);
  assert.equal((await mailsTo(folder, worker.email, 1)).length, 1);
  assert.ok(id);
});

test('an instance that was down on the day sends it as soon as it is back, the nearest alone, and never after the end', {
  tags: ['slow'],
}, async () => {
  const back = async (daysLater: number) => {
    const before = await mailed();
    await makeKey(`${daysLater}`, 30);
    clock.advance({ hours: 24 * daysLater });
    await housekeeping();
    const first = ((await mailed()) - before) / 2;
    await housekeeping();
    clock.advance({ hours: 24 * (29 - daysLater) });
    await housekeeping();
    const all = ((await mailed()) - before) / 2;
    clock.advance({ hours: 24 * 2 });
    await housekeeping();
    assert.equal(((await mailed()) - before) / 2, all);
    return [first, all];
  };

  assert.deepEqual(await back(15), [0, 1], 'not yet on the fifteenth day; then only the nearest');
  assert.deepEqual(await back(20), [1, 2], 'late by four days');
  assert.deepEqual(await back(28), [1, 1], 'both days passed unsaid');
  const before = await mailed();
  await makeKey('over', 30);
  clock.advance({ hours: 24 * 30 });
  await housekeeping();
  assert.equal(await mailed(), before);
});

test('a key with less life than 14 days is announced at 3 days alone, and with less than those never', {
  tags: ['slow'],
}, async () => {
  const reported = async (hours: number) => {
    const before = await mailed();
    const { id } = await makeKey('corta', 30);
    await sql('update api_keys set expires_at = $2 where id = $1', [
      id,
      clock.now().add({ hours }).toString(),
    ]);
    const at: number[] = [];
    for (let passed = 0; passed < hours; passed += 12) {
      await housekeeping();
      for (let mails = at.length * 2; mails < (await mailed()) - before; mails += 2)
        at.push(passed);
      clock.advance({ hours: 12 });
    }
    return at;
  };

  assert.deepEqual(await reported(24 * 14), [0, 24 * 11]);
  assert.deepEqual(await reported(24 * 10), [24 * 7]);
  assert.deepEqual(await reported(24 * 2), []);
});

test('no mail is sent about a key that was replaced or revoked, or that never ends', {
  tags: ['slow'],
}, async () => {
  const before = await mailed();
  const replaced = await makeKey('vieja', 30);
  const revoked = await makeKey('revocada', 30);
  await makeKey('eterna');
  clock.advance({ hours: 24 * 10 });
  await within((scope) => regenerateKey(scope, 'operator', replaced.id, 168));
  await database.write((handle) => revokeKey(handle, 'operator', revoked.id));

  for (let day = 10; day < 20; day++) {
    await housekeeping();
    clock.advance({ hours: 24 });
  }
  const meanwhile = (await mailed()) - before;
  clock.advance({ hours: 24 * 7 });
  await housekeeping();

  assert.equal(meanwhile, 0);
  assert.equal((await mailed()) - before, 2, 'the one in its place, in its turn');
});

test('of several processes that look at once, one sends it', async () => {
  const before = await mailed();
  await makeKey('de todos', 30);
  clock.advance({ hours: 24 * 16 });

  await Promise.all(Array.from({ length: 6 }, housekeeping));

  assert.equal((await mailed()) - before, 2);
});

test('without a recipient, or with a suspended organisation, the mail waits until there is one in time', async () => {
  const [alone, suspended] = [await anOrganization(null), await anOrganization()];
  for (const id of [alone, suspended])
    await database
      .within(id)
      .write((scope) => createKey(scope, 'operator', { name: 'x', days: 30 }));
  await sql('update organizations set suspended_at = now() where id = $1', [suspended]);
  const before = await mailed();
  clock.advance({ hours: 24 * 16 });
  await housekeeping();
  const nobody = (await mailed()) - before;

  await join(alone, admin);
  await sql('update organizations set suspended_at = null where id = $1', [suspended]);
  clock.advance({ hours: 24 });
  await housekeeping();

  assert.deepEqual([nobody, (await mailed()) - before], [0, 2]);
});

/** One of the owner's, or without a person. */
async function anOrganization(of: Known | null = owner): Promise<string> {
  const { id } = await database.write((handle) =>
    createOrganization(handle, clock, { name: 'Papelería Sol', plan: 'intermedio' }),
  );
  if (of) await join(id, of);
  return id;
}

async function join(organizationId: string, { personId }: Known): Promise<void> {
  await database
    .within(organizationId)
    .write((scope) => addMember(scope, 'operator', { personId, role: 'owner' }));
}

function within<T>(work: Parameters<ReturnType<typeof database.within>['write']>[0]): Promise<T> {
  return database.within(organization).write(work) as Promise<T>;
}

function makeKey(name: string, days?: number): Promise<{ id: string }> {
  return within((scope) => createKey(scope, 'operator', { name, days }));
}

function keysNow() {
  return database.within(organization).read(listKeys);
}

async function housekeeping(): Promise<void> {
  await runHousekeeping(instance.app.exchange);
}

/** How many mails ever left, or wait for it. */
async function mailed(): Promise<number> {
  return (await sql(`select id from queue.job where name = 'mail'`)).length;
}

function sql(text: string, values: readonly unknown[] = []): Promise<object[]> {
  return database.write((handle) => handle.sql(text, values));
}

function inMexico(at: Temporal.Instant): string {
  return at
    .toZonedDateTimeISO('America/Mexico_City')
    .toLocaleString('es-MX', { dateStyle: 'medium', timeStyle: 'short' });
}

function subjectOf(mail: string): string {
  return /^Subject: (.*)$/m.exec(mail)?.[1] ?? '';
}
