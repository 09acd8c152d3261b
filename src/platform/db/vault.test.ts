import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { systemClock } from '../clock.ts';
import { newId } from '../ids.ts';
import { type Keyring, SealError, seal, unsealOrNull } from '../seal.ts';
import { dataKeyBindingOf, type KeyRow, openVaults, type Vaults } from './vault.ts';

// The rows of data keys are in memory here; tests/sealed-documents.test.ts has them in a database.

const KEYRING: Keyring = { current: randomBytes(32), previous: null };
const PLACE = ['documents', '1'];
const CONTENT = Buffer.from('Calle Falsa 123');
/** Of the memory of a process. */
const MOST_REMEMBERED = 10_000;

test('the first write makes one key, under the lock of its organisation; a commit makes it known', async () => {
  const rows = new Rows();
  const vaults = openVaults(KEYRING);
  const first = await vaults.findOrMake(rows.scope('uno'));
  assert.deepEqual(rows.asked, ['vault.keys', 'vault.lock', 'vault.keys', 'vault.add-key']);
  const box = first.seal(PLACE, CONTENT);
  assert.deepEqual(first.open(PLACE, box), CONTENT);

  await vaults.findOrMake(rows.scope('uno'));
  assert.deepEqual(rows.asked.slice(4), ['vault.keys'], 'not known before the commit');
  assert.equal(rows.of('uno').length, 1);
  rows.commit();
  const again = await vaults.findOrMake(rows.scope('uno'));
  const read = await vaults.find(rows.scope('uno'));
  assert.equal(rows.asked.length, 5, 'known after it: nothing is asked');
  for (const vault of [again, read]) assert.deepEqual(vault.open(PLACE, box), CONTENT);
});

test('a key that another process makes while this one waits for the lock is used', async () => {
  const rows = new Rows();
  rows.onLock = () => rows.add('uno', KEYRING);
  const made = await openVaults(KEYRING).findOrMake(rows.scope('uno'));
  assert.equal(rows.asked.includes('vault.add-key'), false);
  const other = await openVaults(KEYRING).find(rows.scope('uno'));
  assert.deepEqual(other.open(PLACE, made.seal(PLACE, CONTENT)), CONTENT);
});

test('a reader remembers a key, and where there is none looks again', async () => {
  const rows = new Rows();
  const vaults = openVaults(KEYRING);
  const empty = await vaults.find(rows.scope('uno'));
  assert.throws(() => empty.seal(PLACE, CONTENT), SealError);
  assert.throws(() => empty.digest(PLACE, CONTENT), SealError);
  rows.add('uno', KEYRING);
  const box = (await vaults.find(rows.scope('uno'))).seal(PLACE, CONTENT);
  const known = await vaults.find(rows.scope('uno'));
  assert.deepEqual(known.open(PLACE, box), CONTENT);
  assert.equal(rows.asked.length, 2);
});

test('so many vaults are remembered, and the one that was used longest ago is forgotten first', {
  tags: ['slow'],
}, async () => {
  const rows = new Rows();
  const vaults = openVaults(KEYRING);
  const names = Array.from({ length: MOST_REMEMBERED }, (_, at) => `${at}`);
  for (const name of names) rows.add(name, KEYRING);
  for (const name of names) await vaults.find(rows.scope(name));
  assert.equal(await asksFor(vaults, rows, '0'), false, 'all of them are known');

  rows.add('una más', KEYRING);
  await vaults.find(rows.scope('una más'));
  assert.equal(await asksFor(vaults, rows, '0'), false, 'used a moment ago');
  assert.equal(await asksFor(vaults, rows, '2'), false);
  assert.equal(await asksFor(vaults, rows, 'una más'), false);
  assert.equal(await asksFor(vaults, rows, '1'), true, 'the oldest one was forgotten');
});

test('a box opens with its binding and organisation alone, also with an older key; a flipped bit opens nowhere', async () => {
  const rows = new Rows();
  rows.add('uno', KEYRING);
  const former = await openVaults(KEYRING).find(rows.scope('uno'));
  const old = former.seal(PLACE, CONTENT);
  rows.add('uno', KEYRING);
  rows.add('dos', KEYRING);
  const vault = await openVaults(KEYRING).find(rows.scope('uno'));
  assert.deepEqual(vault.open(PLACE, old), CONTENT);
  const box = vault.seal(PLACE, CONTENT);
  assert.throws(() => former.open(PLACE, box), SealError, 'the newest key seals');
  assert.throws(() => vault.open(['documents', '2'], box));
  const other = await openVaults(KEYRING).find(rows.scope('dos'));
  assert.throws(() => other.open(PLACE, box), SealError);
  for (let at = 0; at < box.length; at++) {
    const flipped = Buffer.from(box);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    assert.throws(() => vault.open(PLACE, flipped), `byte ${at}`);
  }
});

test('digests are equal for equal contents of one binding, and tell bindings, contents and keys apart', async () => {
  const rows = new Rows();
  for (const name of ['uno', 'dos']) rows.add(name, KEYRING);
  const [one, same, other] = await Promise.all(
    ['uno', 'uno', 'dos'].map((name) => openVaults(KEYRING).find(rows.scope(name))),
  );
  const digest = one?.digest(PLACE, CONTENT);
  assert.equal(digest?.length, 32);
  assert.deepEqual(same?.digest(PLACE, CONTENT), digest);
  for (const differing of [
    one?.digest(['documents', '2'], CONTENT),
    one?.digest(PLACE, Buffer.from('Calle Falsa 124')),
    other?.digest(PLACE, CONTENT),
  ])
    assert.notDeepEqual(differing, digest);
});

test('without a master key, or with another one, nothing opens; a write makes a new key then', async () => {
  const rows = new Rows();
  const vault = await openVaults(KEYRING).findOrMake(rows.scope('uno'));
  const box = vault.seal(PLACE, CONTENT);
  const without = openVaults(null);
  const blind = await without.find(rows.scope('uno'));
  assert.throws(() => blind.open(PLACE, box), SealError);
  await assert.rejects(without.findOrMake(rows.scope('uno')), SealError);

  const stranger: Keyring = { current: randomBytes(32), previous: null };
  const anew = await openVaults(stranger).findOrMake(rows.scope('uno'));
  assert.equal(rows.of('uno').length, 2);
  assert.throws(() => anew.open(PLACE, box), SealError);
  assert.deepEqual(anew.open(PLACE, anew.seal(PLACE, CONTENT)), CONTENT);
  const [stored] = rows.of('uno');
  const binding = dataKeyBindingOf('uno', stored?.id ?? '');
  assert.equal(
    Buffer.from(unsealOrNull(KEYRING, binding, stored?.box ?? '') ?? '', 'base64').length,
    32,
  );
});

async function asksFor(vaults: Vaults, rows: Rows, name: string): Promise<boolean> {
  const before = rows.asked.length;
  await vaults.find(rows.scope(name));
  return rows.asked.length > before;
}

/** The table of data keys, and what is asked of it. */
class Rows {
  readonly #keys = new Map<string, KeyRow[]>();
  /** Names of statements. */
  readonly asked: string[] = [];
  onLock: () => void = () => {};
  #committing: (() => void)[] = [];

  of(organizationId: string): readonly KeyRow[] {
    return this.#keys.get(organizationId) ?? [];
  }

  add(organizationId: string, keyring: Keyring): void {
    const id = newId();
    const key = randomBytes(32).toString('base64');
    this.#insert(organizationId, [id, seal(keyring, dataKeyBindingOf(organizationId, id), key)]);
  }

  scope(organizationId: string): Parameters<Vaults['findOrMake']>[0] {
    return {
      organizationId,
      clock: systemClock,
      afterCommit: (work) => void this.#committing.push(work),
      prepared: async <Row>({ name }: { name: string }, values: readonly unknown[]) => {
        this.asked.push(name);
        if (name === 'vault.lock') this.onLock();
        if (name === 'vault.add-key') this.#insert(organizationId, values);
        if (name !== 'vault.keys') return [];
        return this.of(organizationId) as Row[];
      },
    };
  }

  commit(): void {
    for (const work of this.#committing) work();
    this.#committing = [];
  }

  #insert(organization_id: string, [id, box]: readonly unknown[]): void {
    const row = { organization_id, id: String(id), box: String(box) };
    this.#keys.set(organization_id, [...this.of(organization_id), row]);
  }
}
