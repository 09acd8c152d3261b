import type { ServiceSlug } from '../../carriers/contract.ts';
import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { sha256 } from '../../platform/ids.ts';
import { type Keyring, type SealBinding, seal, unsealOrNull } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import * as attemptStore from './store-consent-attempts.ts';

/** A seller who was sent to a consent page and has not returned yet. */
interface ConnectAttempt {
  readonly state: string;
  readonly marketplace: Marketplace;
  /** The PKCE verifier. */
  readonly verifier: string;
  /** The store that the consent page belongs to, where there are many. */
  readonly store: string | null;
  /** The person who began it; null = the operator, whose link any seller may follow. */
  readonly begunBy: string | null;
  /** The account that is connected again; null = whichever the seller chooses. */
  readonly accountId: string | null;
  readonly expiresAt: Instant;
}

export async function rememberAttempt(
  scope: WriteScope,
  keyring: Keyring,
  attempt: ConnectAttempt,
): Promise<void> {
  const { verifier, begunBy, accountId } = attempt;
  const hash = sha256(attempt.state);
  await attemptStore.insertAttempt(scope, {
    state_hash: hash,
    service: attempt.marketplace,
    verifier: seal(
      keyring,
      bindingOfVerifier(scope.organizationId, hash),
      JSON.stringify({ verifier, begunBy, accountId }),
    ),
    store: attempt.store,
    expires_at: attempt.expiresAt.toString(),
  });
}

/**
 * Takes an attempt, once. @returns null when it is unknown, was taken, is too old, or was tampered
 * with.
 */
export async function takeAttempt(
  handle: WriteHandle,
  keyring: Keyring,
  state: string,
  now: Instant,
) {
  const hash = sha256(state);
  const row = await attemptStore.deleteAttempt(handle, hash);
  if (!row || Temporal.Instant.compare(row.expires_at, now) <= 0) return null;
  const text = unsealOrNull(keyring, bindingOfVerifier(row.organization_id, hash), row.verifier);
  if (!text?.startsWith('{')) return null;
  const sealed = JSON.parse(text) as Pick<ConnectAttempt, 'verifier' | 'begunBy' | 'accountId'>;
  const marketplace = row.service as Marketplace;
  return { organizationId: row.organization_id, marketplace, store: row.store, ...sealed };
}

/** Credentials of an account that is not connected yet. */
export interface RenewedAttempt {
  readonly credentials: unknown;
  readonly expireAt: Instant | null;
}

const RENEWAL_DAYS = 7;

/**
 * Stores the result of a renewal for an account that is being connected: the typed credentials are
 * dead by then, and would be typed again.
 */
export async function rememberRenewal(
  scope: WriteScope,
  keyring: Keyring,
  service: ServiceSlug,
  typed: unknown,
  { credentials, expireAt }: RenewedAttempt,
): Promise<void> {
  const hash = hashOfTyped(scope, service, typed);
  const text = JSON.stringify({ credentials, expireAt: expireAt?.toString() ?? null });
  await attemptStore.replaceAttempt(scope, {
    state_hash: hash,
    service,
    verifier: seal(keyring, bindingOfVerifier(scope.organizationId, hash), text),
    store: null,
    expires_at: scope.clock
      .now()
      .add({ hours: 24 * RENEWAL_DAYS })
      .toString(),
  });
}

/** @returns the result of renewing typed credentials that were not connected; null = unknown */
export async function recallRenewal(
  scope: ReadScope,
  keyring: Keyring,
  service: ServiceSlug,
  typed: unknown,
): Promise<RenewedAttempt | null> {
  const hash = hashOfTyped(scope, service, typed);
  const row = await attemptStore.attempt(scope, hash);
  const text =
    row && unsealOrNull(keyring, bindingOfVerifier(scope.organizationId, hash), row.verifier);
  if (!text) return null;
  const { credentials, expireAt } = JSON.parse(text);
  return { credentials, expireAt: expireAt && Temporal.Instant.from(expireAt) };
}

/** Deletes them once they are the connection's. */
export async function forgetRenewal(
  scope: WriteScope,
  service: ServiceSlug,
  typed: unknown,
): Promise<void> {
  await attemptStore.removeAttempt(scope, hashOfTyped(scope, service, typed));
}

/**
 * Deletes an account's renewals, and with them all unproved ones at its service: their account is
 * unknown.
 */
export async function forgetRenewals(scope: WriteScope, service: ServiceSlug): Promise<void> {
  await attemptStore.removeAttempts(scope, service, RENEWED);
}

/** Separates renewals from attempts of sellers who were sent to a consent page. */
const RENEWED = 'renewed:';

function hashOfTyped({ organizationId }: ReadScope, service: ServiceSlug, typed: unknown): string {
  return RENEWED + sha256(JSON.stringify(['renewed', organizationId, service, typed]));
}

export function bindingOfVerifier(organizationId: string, stateHash: string): SealBinding {
  return { organizationId, subjectId: stateHash, field: 'verifier' };
}
