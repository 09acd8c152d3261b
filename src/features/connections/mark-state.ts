import type { WriteScope } from '../../platform/db/database.ts';
import { announcingState } from './announce-state.ts';
import type { ConnectionState } from './states.ts';
import * as store from './store.ts';

/** Records the success of a job of this connection. */
export async function markWell(scope: WriteScope, id: string): Promise<void> {
  const well = () => store.updateWell(scope, id, scope.clock.now());
  // Most jobs succeed at a connection that is well: nothing changes.
  const isWell = (await store.byId(scope, id))?.state === 'ok';
  return isWell ? well() : announcingState(scope, id, well);
}

/**
 * Records what is wrong, in Spanish. A problem that ends by itself does not replace one that a
 * person must look at, and none replaces a refused access.
 * @returns false where another problem remains recorded
 */
export function markTrouble(
  scope: WriteScope,
  id: string,
  state: ConnectionState,
  message: string,
): Promise<boolean> {
  const from: readonly ConnectionState[] =
    state === 'delayed' ? ['ok', 'delayed'] : ['ok', 'delayed', 'error'];
  const values = { state, state_message: message, updated_at: scope.clock.now().toString() };
  return announcingState(scope, id, () => store.updateState(scope, id, from, values));
}

/** Ends the problem of a job: the connection is well if its state reported that problem. */
export function markRecovered(scope: WriteScope, id: string): Promise<boolean> {
  const values = { state: 'ok', state_message: null, updated_at: scope.clock.now().toString() };
  return announcingState(scope, id, () =>
    store.updateState(scope, id, ['delayed', 'error'], values),
  );
}

/** @returns false when the account was disconnected meanwhile; its state then stays. */
export function setState(
  scope: WriteScope,
  id: string,
  state: ConnectionState,
  message: string | null,
): Promise<boolean> {
  const values = { state, state_message: message, updated_at: scope.clock.now().toString() };
  return announcingState(scope, id, () => store.updateConnected(scope, id, values));
}
