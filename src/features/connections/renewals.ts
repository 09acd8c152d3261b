import { isDeepStrictEqual } from 'node:util';
import type { WriteScope } from '../../platform/db/database.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import { fromRow } from './connection.ts';
import { openCredentials, sealCredentials } from './connection-credentials.ts';
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
