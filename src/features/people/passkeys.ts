import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { PersonDoing } from '../trail/index.ts';
import { noteOwnAct } from './events.ts';
import * as factorStore from './store-second-factors.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: Instant | null;
  /** It works again once its owner used it, or another factor, beside the new password. */
  readonly isSuspended: boolean;
}

/** Oldest first. */
export async function passkeysOf(handle: Handle, personId: string): Promise<Passkey[]> {
  const rows = await factorStore.passkeysOf(handle, personId);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    isSuspended: row.suspended_at !== null,
  }));
}

/** Restores a suspended passkey. @returns false when the person has no such suspended passkey */
export async function restorePasskey(
  handle: WriteHandle,
  by: PersonDoing,
  id: string,
): Promise<boolean> {
  const isBack = await factorStore.restorePasskey(handle, by.personId, id);
  if (isBack) await noteOwnAct(handle, by, 'passkey_restored', id);
  return isBack;
}

/**
 * Whether a passkey opens a session. A suspended one does inside a session of its owner, which the
 * new password opened, and works again from then on.
 * @param credentialId as WebAuthn calls it
 */
export async function acceptPasskey(
  handle: WriteHandle,
  credentialId: string,
  inside: PersonDoing | null,
): Promise<boolean> {
  const suspended = await factorStore.suspendedPasskey(handle, credentialId);
  if (!suspended) return true;
  return inside !== null && restorePasskey(handle, inside, suspended.id);
}

/** @returns false when the person has no such passkey */
export async function removePasskey(
  handle: WriteHandle,
  by: PersonDoing,
  id: string,
): Promise<boolean> {
  const isGone = await factorStore.removePasskey(handle, by.personId, id);
  if (isGone) await noteOwnAct(handle, by, 'passkey_removed', id);
  return isGone;
}
