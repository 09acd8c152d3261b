import { hash, randomBytes } from 'node:crypto';
import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import * as personStore from './store-people.ts';
import * as factorStore from './store-second-factors.ts';
import * as verificationStore from './store-verifications.ts';

/**
 * The purpose of a link by mail, which works once. better-auth reads `reset-password` under the
 * same name.
 */
type LinkKind = 'reset-password' | 'confirm-address';

/**
 * A token for a link to `/restablecer` or `/verificar-correo`. Stored as better-auth stores its
 * own: as SHA-256, so the stored value opens nothing.
 */
export async function makeLink(
  handle: WriteHandle,
  kind: LinkKind,
  given: { personId: string; at: Instant; life: Temporal.DurationLike },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await verificationStore.insertVerification(handle, {
    id: newId(),
    identifier: identifierOf(kind, token),
    value: given.personId,
    at: given.at,
    expiresAt: given.at.add(given.life),
  });
  return token;
}

/** What a link to choose a password finds. */
export interface Recovery {
  /** The person had no password. */
  readonly isFirst: boolean;
  /** Choosing another password suspends them. */
  readonly hasPasskeys: boolean;
}

/** Null where the link does not work. */
export async function recoveryOf(
  handle: Handle,
  token: string,
  now: Instant,
): Promise<Recovery | null> {
  const identifier = identifierOf('reset-password', token);
  const link = await verificationStore.verification(handle, identifier);
  if (!link || Temporal.Instant.compare(link.expires_at, now) <= 0) return null;
  const personId = link.value;
  const isFirst = !(await personStore.hasPassword(handle, personId));
  const passkeys = await factorStore.passkeysOf(handle, personId);
  return { isFirst, hasPasskeys: passkeys.length > 0 };
}

/** The key of a link's row. */
export function identifierOf(kind: LinkKind, token: string): string {
  return hash('sha256', `${kind}:${token}`, 'base64url');
}
