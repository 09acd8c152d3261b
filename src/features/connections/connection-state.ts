import type { WriteScope } from '../../platform/db/database.ts';
import type { ConnectionState } from './connection.ts';
import * as store from './store.ts';

/** A job of this connection did what it should. */
export function markWell(scope: WriteScope, id: string): Promise<void> {
  return store.updateWell(scope, id, scope.clock.now());
}

/**
 * What is wrong with it, in Spanish. Something that passes by itself does not hide what must be
 * looked at, and nothing hides a refused access. @returns false where something else stands
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
  return store.updateState(scope, id, from, values);
}

/** The trouble of a job is over: the connection is well if that is what its state told. */
export function markRecovered(scope: WriteScope, id: string): Promise<boolean> {
  const values = { state: 'ok', state_message: null, updated_at: scope.clock.now().toString() };
  return store.updateState(scope, id, ['delayed', 'error'], values);
}

/** @returns false when the account was disconnected meanwhile: that stands. */
export function setState(
  scope: WriteScope,
  id: string,
  state: ConnectionState,
  message: string | null,
): Promise<boolean> {
  const values = { state, state_message: message, updated_at: scope.clock.now().toString() };
  return store.updateConnected(scope, id, values);
}
