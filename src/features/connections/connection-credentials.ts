import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { WriteScope } from '../../platform/db/database.ts';
import { type Keyring, seal, unseal, unsealOrNull } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import { fromRow, type SealedConnection } from './connection.ts';
import * as store from './store.ts';

/** The longest duration of a renewal, its repetitions included. */
const RENEWAL_MINUTES = 3;

/**
 * Marks that a renewal of these credentials began, before the first request.
 * @returns whether another one may still be under way: its process lost its lock, or died
 */
export async function beginRenewal(
  scope: WriteScope,
  id: string,
): Promise<{ isContested: boolean }> {
  const row = await store.lockedById(scope, id);
  const now = scope.clock.now();
  const over = row?.renewing_since?.add({ minutes: RENEWAL_MINUTES });
  const isContested = over !== undefined && Temporal.Instant.compare(now, over) < 0;
  if (!isContested) await store.update(scope, id, { renewing_since: now.toString() });
  return { isContested };
}

/** A renewal was refused: none is under way. */
export async function endRenewal(scope: WriteScope, id: string): Promise<void> {
  await store.update(scope, id, { renewing_since: null });
}

interface RenewedCredentials {
  /** The credentials that the renewal replaced. */
  readonly stale: unknown;
  readonly fresh: unknown;
  readonly expireAt: Instant | null;
}

/**
 * Replaces credentials after a renewal, unless the seller connected anew or disconnected in the
 * meantime.
 * @returns the stored credentials; null = none, the account was disconnected
 */
export async function saveCredentials(
  scope: WriteScope,
  keyring: Keyring,
  id: string,
  { stale, fresh, expireAt }: RenewedCredentials,
): Promise<unknown> {
  const row = await store.lockedById(scope, id);
  const kept = row ? openCredentials(keyring, fromRow(scope.organizationId, row)) : null;
  if (kept === null || !isDeepStrictEqual(kept, stale)) return kept;
  await store.update(scope, id, {
    credentials: sealCredentials(scope, keyring, id, fresh),
    credentials_expire_at: expireAt?.toString() ?? null,
    renewing_since: null,
    updated_at: scope.clock.now().toString(),
  });
  return fresh;
}

/**
 * Unseals credentials.
 * @returns null when the connection was disconnected
 * @throws SealError when the box was altered or moved
 */
export function openCredentials(keyring: Keyring, connection: SealedConnection): unknown {
  if (connection.box === null) return null;
  const binding = bindingOf(connection.organizationId, connection.id, 'credentials');
  return JSON.parse(unseal(keyring, binding, connection.box));
}

/**
 * Unseals the secret that proves that a webhook belongs to this connection.
 * @throws SealError when the box was altered or moved
 */
export function subscriptionSecretOf(
  keyring: Keyring,
  { organizationId, id, pushBox }: SealedConnection,
): string {
  if (pushBox === null) throw new Error(`connection ${id} has no secret for pushes`);
  return unseal(keyring, bindingOf(organizationId, id, 'push_secret'), pushBox);
}

export function bindingOf(organizationId: string, connectionId: string, field: store.SealedField) {
  return { organizationId, subjectId: connectionId, field };
}

export function sealCredentials(
  scope: WriteScope,
  keyring: Keyring,
  id: string,
  credentials: unknown,
): string {
  return seal(
    keyring,
    bindingOf(scope.organizationId, id, 'credentials'),
    JSON.stringify(credentials),
  );
}

/**
 * These fields of the stored credentials; none where the account was disconnected or the box does
 * not open.
 */
export function storedFields(
  scope: WriteScope,
  keyring: Keyring,
  { id, credentials }: Pick<store.ConnectionRow, 'id' | 'credentials'>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (credentials === null || names.length === 0) return {};
  const text = unsealOrNull(
    keyring,
    bindingOf(scope.organizationId, id, 'credentials'),
    credentials,
  );
  const stored = Object.entries(text === null ? {} : JSON.parse(text));
  return Object.fromEntries(stored.filter(([name]) => names.includes(name)));
}

/**
 * The stored box, unless it does not open: then the secret is lost, and the account gets another
 * one.
 */
export function pushBoxOf(
  scope: WriteScope,
  keyring: Keyring,
  id: string,
  known: string | null,
): string {
  const binding = bindingOf(scope.organizationId, id, 'push_secret');
  if (known !== null && unsealOrNull(keyring, binding, known) !== null) return known;
  return seal(keyring, binding, newSecret());
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
