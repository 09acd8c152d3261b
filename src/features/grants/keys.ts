import { generateKeyPairSync, randomBytes, type webcrypto } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import type { Retention } from '../../platform/db/retention.ts';
import { newId } from '../../platform/ids.ts';
import { NO_ORGANIZATION } from '../../platform/no-organization.ts';
import {
  isCurrent,
  type Keyring,
  type SealBinding,
  seal,
  unsealOrNull,
} from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store-keys.ts';

/** The keys of the authorization server: the first of each signs, all of them verify or decrypt. */
export interface ServerKeys {
  readonly signing: readonly SigningKey[];
  readonly cookies: readonly string[];
}

/** A private key of ES256, as a JWK. */
type SigningKey = webcrypto.JsonWebKey & {
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
};

interface KeyPair {
  readonly madeAt: Instant;
  readonly signing: SigningKey;
  readonly cookie: string;
}

const LIVES_HOURS = 24 * 90;
/**
 * Every process has loaded a new key by then; until it signs, the processes can already verify with
 * it.
 */
const SIGNS_AFTER_HOURS = 2;
/** No signature lives longer than an hour. */
const KEPT_AFTERWARDS_HOURS = 24;

/** The current keys; makes the first, and a new one every ninety days, one process at a time. */
export async function serverKeys(
  database: Database,
  keyring: Keyring,
  clock: Clock,
): Promise<ServerKeys> {
  const known = opened(keyring, await database.read(store.allKeys));
  const pairs = isDue(known, clock.now()) ? await renew(database, keyring, clock) : known;
  const signsSince = clock.now().subtract({ hours: SIGNS_AFTER_HOURS });
  const signer =
    pairs.find(({ madeAt }) => Temporal.Instant.compare(madeAt, signsSince) <= 0) ?? pairs.at(-1);
  const ordered = [...pairs].sort((a, b) => Number(b === signer) - Number(a === signer));
  return {
    signing: ordered.map(({ signing }) => signing),
    cookies: ordered.map(({ cookie }) => cookie),
  };
}

/** Removes keys whose signatures have all expired. */
export const KEYS_RETENTION: Retention = {
  table: 'oauth_keys',
  keepDays: 0,
  async remove(handle, now, limit) {
    const rows = await store.allKeys(handle);
    const over = rows.filter((_, index) => isOver(rows[index - 1], now)).slice(0, limit);
    await store.removeKeys(
      handle,
      over.map(({ id }) => id),
    );
    return over.length;
  },
};

/** Reseals with the current key of the instance the boxes of the previous one. */
export async function resealKeys(
  database: Database,
  keyring: Keyring,
): Promise<{ resealed: number; unopened: number }> {
  const counts = { resealed: 0, unopened: 0 };
  await database.write(async (handle) => {
    counts.resealed = 0;
    counts.unopened = 0;
    for (const { id, box } of await store.allKeys(handle)) {
      if (isCurrent(keyring, box)) continue;
      const text = unsealOrNull(keyring, bindingOf(id), box);
      if (text === null) counts.unopened++;
      else if (await store.replaceKeyBox(handle, id, box, seal(keyring, bindingOf(id), text)))
        counts.resealed++;
    }
  });
  return counts;
}

function renew(database: Database, keyring: Keyring, clock: Clock): Promise<KeyPair[]> {
  return database.write(async (handle) => {
    await store.lockKeys(handle);
    const now = clock.now();
    if (isDue(opened(keyring, await store.allKeys(handle)), now))
      await insertPair(handle, keyring, now);
    return opened(keyring, await store.allKeys(handle));
  });
}

async function insertPair(handle: WriteHandle, keyring: Keyring, now: Instant): Promise<void> {
  const id = newId();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signing = { ...privateKey.export({ format: 'jwk' }), kid: id, alg: 'ES256', use: 'sig' };
  const text = JSON.stringify({ signing, cookie: randomBytes(32).toString('base64url') });
  await store.insertKey(handle, { id, box: seal(keyring, bindingOf(id), text), made_at: now });
}

function isDue([newest]: readonly KeyPair[], now: Instant): boolean {
  const since = now.subtract({ hours: LIVES_HOURS });
  return !newest || Temporal.Instant.compare(newest.madeAt, since) <= 0;
}

/** Whether its successor has been signing for so long that all its signatures have expired. */
function isOver(successor: store.KeyRow | undefined, now: Instant): boolean {
  if (!successor) return false;
  const end = successor.made_at.add({ hours: SIGNS_AFTER_HOURS + KEPT_AFTERWARDS_HOURS });
  return Temporal.Instant.compare(end, now) <= 0;
}

/** A key that no key of the instance opens counts as lost; its signatures live for minutes. */
function opened(keyring: Keyring, rows: readonly store.KeyRow[]): KeyPair[] {
  return rows.flatMap(({ id, box, made_at: madeAt }) => {
    const text = unsealOrNull(keyring, bindingOf(id), box);
    return text === null ? [] : [{ madeAt, ...(JSON.parse(text) as Omit<KeyPair, 'madeAt'>) }];
  });
}

function bindingOf(id: string): SealBinding {
  return { organizationId: NO_ORGANIZATION, subjectId: id, field: 'oauth' };
}
