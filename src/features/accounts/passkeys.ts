import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { PersonDoing } from '../trail/index.ts';
import { noteOwnAct } from './events.ts';
import * as store from './store.ts';

export interface Passkey {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: Instant | null;
}

/** Oldest first. */
export async function passkeysOf(handle: Handle, personId: string): Promise<Passkey[]> {
  const rows = await store.passkeysOf(handle, personId);
  return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }));
}

/** @returns false when the person has no such passkey */
export async function removePasskey(handle: WriteHandle, by: PersonDoing, id: string): Promise<boolean> {
  const isGone = await store.removePasskey(handle, by.personId, id);
  if (isGone) await noteOwnAct(handle, by, 'passkey_removed', id);
  return isGone;
}
