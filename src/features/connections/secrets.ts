import { randomBytes } from 'node:crypto';
import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { type Keyring, SealError, type SealedPlace, sameSecret, seal, unseal } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store-secrets.ts';

/** How long the former secret of an address works beside the new one. */
export const OVERLAP_HOURS = 24;
/** 256 bits. */
const SECRET_BYTES = 32;
/** An address has the current secret, and for a while the former one. */
const AT_ONCE = 2;

/** Whose address it is, once its secret was proved. */
export type SecretGate = (
  handle: Handle,
  address: { readonly publicId: string; readonly service: ServiceSlug; readonly secret: string },
  now: Instant,
) => Promise<string | null>;

/**
 * The secret in an organisation's address for a service, which calls it to tell what happened. It is made when it
 * is first asked for, and stays the same until it is rotated, though the account be disconnected.
 */
export async function webhookSecret(
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

/** A new secret; the former one works for a day more, one before that no longer. */
export async function rotateWebhookSecret(
  scope: WriteScope,
  keyring: Keyring,
  service: ServiceSlug,
): Promise<string> {
  const until = scope.clock.now().add({ hours: OVERLAP_HOURS });
  await store.endCurrentSecret(scope, service, until);
  return webhookSecret(scope, keyring, service);
}

export async function hasWebhookSecret(scope: ReadScope, service: ServiceSlug): Promise<boolean> {
  return (await store.currentSecret(scope, service)) !== undefined;
}

/**
 * Judges secrets in one and the same way, whether the organisation exists, has an address, or named the right
 * one: the same look-up, the same number of boxes opened, the same comparisons. Where secrets are missing, others
 * stand in that nobody knows, made exactly as those are.
 */
export function openSecretGate(keyring: Keyring): SecretGate {
  const decoys = Array.from({ length: AT_ONCE }, () => makeRow(keyring, newId()));
  return async (handle, { publicId, service, secret }, now) => {
    const rows = await store.secretsByAddress(handle, publicId, service, now);
    const tried: store.SecretRow[] = [];
    for (let at = 0; at < AT_ONCE; at++) tried.push((rows[at] ?? decoys[at]) as store.SecretRow);
    return judge(keyring, tried, secret);
  };
}

/** Every candidate is looked at, also after the right one. Throws SealError where one of our boxes does not open. */
export function judge(
  keyring: Keyring,
  candidates: readonly store.SecretRow[],
  given: string,
): string | null {
  let whose: string | null = null;
  let shut: SealError | null = null;
  for (const candidate of candidates) {
    try {
      const isSame = sameSecret(open(keyring, candidate), given);
      whose = isSame ? candidate.organization_id : whose;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      shut = error;
    }
  }
  // Nobody takes it, so it had better come again.
  if (whose === null && shut) throw shut;
  return whose;
}

function makeRow(keyring: Keyring, organizationId: string): store.SecretRow {
  const id = newId();
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const box = seal(keyring, placeOfSecret(organizationId, id), secret);
  return { organization_id: organizationId, id, secret: box };
}

export function placeOfSecret(organizationId: string, id: string): SealedPlace {
  return { organizationId, subjectId: id, field: 'webhook_secret' };
}

function open(keyring: Keyring, { organization_id, id, secret }: store.SecretRow): string {
  return unseal(keyring, placeOfSecret(organization_id, id), secret);
}
