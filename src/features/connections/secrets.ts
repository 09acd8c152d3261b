import { randomBytes } from 'node:crypto';
import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import { openAccessMemory } from '../../platform/db/access-memory.ts';
import type { Database, Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { type Notices, notice } from '../../platform/db/notices.ts';
import { newId, sha256 } from '../../platform/ids.ts';
import {
  type Keyring,
  type SealBinding,
  SealError,
  sameSecret,
  seal,
  unseal,
} from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store-secrets.ts';

/** How long a former secret of an address works beside the new one. */
export const OVERLAP_HOURS = 24;
/** 256 bits. */
const SECRET_BYTES = 32;

interface Address {
  readonly publicId: string;
  readonly service: ServiceSlug;
  readonly secret: string;
}

/** The owner of an address whose secret was proved. */
interface ProvedAddress {
  readonly organizationId: string;
  /** When a former secret ends; null for the current one. */
  readonly until: Instant | null;
}

type SecretCheck = (
  handle: Handle,
  address: Address,
  now: Instant,
) => Promise<ProvedAddress | null>;

/** Finds the organisation of a secret. */
export interface SecretVerifier {
  /** @returns the organisation; null = refused, for any reason. */
  ownerOf(address: Address): Promise<string | null>;
}

/**
 * The secret in the address at which a service sends an organisation's webhooks. It is made at its
 * first use, and stays the same until it is rotated, even when the account is disconnected.
 */
export async function addressSecretOf(
  scope: WriteScope,
  keyring: Keyring,
  service: ServiceSlug,
): Promise<string> {
  const known = await store.currentSecret(scope, service);
  if (known) return open(keyring, known);
  const made = makeRow(keyring, scope.organizationId);
  await store.insertSecret(scope, service, { ...made, createdAt: scope.clock.now() });
  return open(keyring, (await store.currentSecret(scope, service)) ?? made);
}

/**
 * A new secret. Each former one is valid for a day from its own rotation; where there are more of
 * them than `MOST_VALID` allows, the oldest and the newest ones stay.
 */
export async function rotateWebhookSecret(
  scope: WriteScope,
  keyring: Keyring,
  service: ServiceSlug,
): Promise<string> {
  const until = scope.clock.now().add({ hours: OVERLAP_HOURS });
  await store.endCurrentSecret(scope, service, until);
  await scope.rows(notice('access', scope.organizationId));
  return addressSecretOf(scope, keyring, service);
}

export async function hasWebhookSecret(scope: ReadScope, service: ServiceSlug): Promise<boolean> {
  return (await store.currentSecret(scope, service)) !== undefined;
}

/**
 * Verifies secrets with the same steps, whether the organisation exists, has an address, or sent
 * the right secret: the same look-up, the same number of boxes opened, the same comparisons.
 * Missing secrets are replaced by unknown ones, made in the same way.
 */
export function openSecretCheck(keyring: Keyring): SecretCheck {
  const decoys = Array.from({ length: store.MOST_VALID }, () => makeRow(keyring, newId()));
  return async (handle, { publicId, service, secret }, now) => {
    const rows = await store.secretsByAddress(handle, publicId, service, now);
    const tried: store.SecretRow[] = [];
    for (let at = 0; at < store.MOST_VALID; at++)
      tried.push((rows[at] ?? decoys[at]) as store.SecretRow);
    return judge(keyring, tried, secret);
  };
}

/**
 * Caches proved addresses by their SHA-256. All others take the full verification each time, so
 * that the time does not reveal to a stranger whether another caller was accepted.
 */
export function openSecretVerifier(
  database: Database,
  notices: Notices,
  clock: Clock,
  keyring: Keyring,
): SecretVerifier {
  const check = openSecretCheck(keyring);
  const memory = openAccessMemory<ProvedAddress>(notices, ({ organizationId }) => organizationId);
  return {
    async ownerOf(address) {
      const key = sha256(JSON.stringify([address.service, address.publicId, address.secret]));
      const proved = await memory.find(key, () =>
        database.read((handle) => check(handle, address, clock.now())),
      );
      if (proved?.until && Temporal.Instant.compare(proved.until, clock.now()) <= 0) return null;
      return proved?.organizationId ?? null;
    },
  };
}

/**
 * Compares every candidate, also after a match. Throws SealError where one of our boxes does not
 * open.
 */
export function judge(
  keyring: Keyring,
  candidates: readonly store.SecretRow[],
  given: string,
): ProvedAddress | null {
  let proved: ProvedAddress | null = null;
  let shut: SealError | null = null;
  for (const candidate of candidates) {
    try {
      const isSame = sameSecret(open(keyring, candidate), given);
      const address = { organizationId: candidate.organization_id, until: candidate.expires_at };
      proved = isSame ? address : proved;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      shut = error;
    }
  }
  // No connection accepts it, so the service should send it again.
  if (proved === null && shut) throw shut;
  return proved;
}

function makeRow(keyring: Keyring, organizationId: string): store.SecretRow {
  const id = newId();
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const box = seal(keyring, bindingOfSecret(organizationId, id), secret);
  return { organization_id: organizationId, id, secret: box, expires_at: null };
}

export function bindingOfSecret(organizationId: string, id: string): SealBinding {
  return { organizationId, subjectId: id, field: 'webhook_secret' };
}

function open(
  keyring: Keyring,
  { organization_id, id, secret }: Pick<store.SecretRow, 'organization_id' | 'id' | 'secret'>,
): string {
  return unseal(keyring, bindingOfSecret(organization_id, id), secret);
}
