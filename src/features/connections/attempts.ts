import type { Marketplace } from '../../connectors/contract.ts';
import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { sha256 } from '../../platform/ids.ts';
import { type Keyring, seal, unseal } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/** A seller who was sent to a consent page and has not come back yet. */
export interface ConnectAttempt {
  readonly state: string;
  readonly marketplace: Marketplace;
  /** The PKCE verifier. */
  readonly verifier: string;
  /** The store whose page of consent it is, where there are many. */
  readonly store: string | null;
  readonly expiresAt: Instant;
}

const FIELD = 'verifier';

export async function rememberAttempt(
  scope: WriteScope,
  keyring: Keyring,
  attempt: ConnectAttempt,
): Promise<void> {
  const hash = sha256(attempt.state);
  await store.insertAttempt(scope, {
    state_hash: hash,
    marketplace: attempt.marketplace,
    verifier: seal(
      keyring,
      { organizationId: scope.organizationId, subjectId: hash, field: FIELD },
      attempt.verifier,
    ),
    store: attempt.store,
    expires_at: attempt.expiresAt.toString(),
  });
}

/** Takes an attempt, once. @returns null when it is unknown, was taken, or is too old. */
export async function takeAttempt(handle: WriteHandle, keyring: Keyring, state: string, now: Instant) {
  const hash = sha256(state);
  const row = await store.deleteAttempt(handle, hash);
  if (!row || Temporal.Instant.compare(row.expires_at, now) <= 0) return null;
  const verifier = unseal(
    keyring,
    { organizationId: row.organization_id, subjectId: hash, field: FIELD },
    row.verifier,
  );
  const marketplace = row.marketplace as Marketplace;
  return { organizationId: row.organization_id, marketplace, verifier, store: row.store };
}

/** Removes attempts that nobody finished and rubbish that is no longer seen. */
export async function forgetStale(handle: WriteHandle, now: Instant): Promise<void> {
  await store.removeStale(handle, now, now.subtract({ hours: 24 * 90 }));
}
