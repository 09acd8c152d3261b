import type { WriteScope } from '../../platform/db/database.ts';
import { announcingState } from './announce-state.ts';
import * as store from './store.ts';

/**
 * Pauses the synchronisation of a connected account, or resumes it.
 * @returns whether that changed anything
 */
export async function setPaused(
  scope: WriteScope,
  id: string,
  isPaused: boolean,
): Promise<boolean> {
  const row = await store.lockedById(scope, id);
  if (!row || row.state === 'disconnected' || (row.paused_at !== null) === isPaused) return false;
  const paused_at = isPaused ? scope.clock.now().toString() : null;
  await announcingState(scope, id, () => store.update(scope, id, { paused_at }));
  return true;
}

/**
 * Whether the troubles of an account concern its seller: it is connected, and not paused. It stays
 * so until the transaction ends.
 */
export async function isSynced(scope: WriteScope, id: string): Promise<boolean> {
  const row = await store.lockedById(scope, id);
  return row !== undefined && row.state !== 'disconnected' && row.paused_at === null;
}
