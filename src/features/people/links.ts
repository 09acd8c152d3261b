import { hash, randomBytes } from 'node:crypto';
import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import * as personStore from './store-people.ts';
import * as factorStore from './store-second-factors.ts';
import * as verificationStore from './store-verifications.ts';

/** The purpose of a link by mail, which works once. */
type LinkKind = 'reset-password' | 'confirm-address';

/**
 * A token for a link to `/restablecer` or `/verificar-correo`. Stored as SHA-256, so the stored value
 * opens nothing.
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
  const personId = await personOfLink(handle, 'reset-password', token, now);
  if (personId === null) return null;
  const isFirst = !(await personStore.hasPassword(handle, personId));
  const passkeys = await factorStore.passkeysOf(handle, personId);
  return { isFirst, hasPasskeys: passkeys.length > 0 };
}

/** Null where the link does not work. */
export async function personOfLink(
  handle: Handle,
  kind: LinkKind,
  token: string,
  now: Instant,
): Promise<string | null> {
  const link = await verificationStore.verification(handle, identifierOf(kind, token));
  return link && Temporal.Instant.compare(link.expires_at, now) > 0 ? link.value : null;
}

/** Uses up a link. @returns false when it does not work */
export function takeLink(
  handle: WriteHandle,
  kind: LinkKind,
  token: string,
  now: Instant,
): Promise<boolean> {
  return verificationStore.takeVerification(handle, identifierOf(kind, token), now);
}

/** The key of a link's row. */
export function identifierOf(kind: LinkKind, token: string): string {
  return hash('sha256', `${kind}:${token}`, 'base64url');
}
