import type { Marketplace } from '../../connectors/contract.ts';
import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { sha256 } from '../../platform/ids.ts';
import { type Keyring, type SealedPlace, seal, unsealOrNull } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** A seller who was sent to a consent page and has not come back yet. */
interface ConnectAttempt {
  readonly state: string;
  readonly marketplace: Marketplace;
  /** The PKCE verifier. */
  readonly verifier: string;
  /** The store whose page of consent it is, where there are many. */
  readonly store: string | null;
  readonly expiresAt: Instant;
}

export async function rememberAttempt(
  scope: WriteScope,
  keyring: Keyring,
  attempt: ConnectAttempt,
): Promise<void> {
  const hash = sha256(attempt.state);
  await store.insertAttempt(scope, {
    state_hash: hash,
    marketplace: attempt.marketplace,
    verifier: seal(keyring, placeOfVerifier(scope.organizationId, hash), attempt.verifier),
    store: attempt.store,
    expires_at: attempt.expiresAt.toString(),
  });
}

/** Takes an attempt, once. @returns null when it is unknown, was taken, is too old, or was tampered with. */
export async function takeAttempt(handle: WriteHandle, keyring: Keyring, state: string, now: Instant) {
  const hash = sha256(state);
  const row = await store.deleteAttempt(handle, hash);
  if (!row || Temporal.Instant.compare(row.expires_at, now) <= 0) return null;
  const verifier = unsealOrNull(keyring, placeOfVerifier(row.organization_id, hash), row.verifier);
  if (verifier === null) return null;
  const marketplace = row.marketplace as Marketplace;
  return { organizationId: row.organization_id, marketplace, verifier, store: row.store };
}

/** Removes attempts that nobody finished and rubbish that is no longer seen. */
export async function forgetStale(handle: WriteHandle, now: Instant): Promise<void> {
  await store.removeStale(handle, now, now.subtract({ hours: 24 * 90 }));
}

export function placeOfVerifier(organizationId: string, stateHash: string): SealedPlace {
  return { organizationId, subjectId: stateHash, field: 'verifier' };
}
