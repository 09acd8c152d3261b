import type * as store from './store.ts';

/**
 * `ok`: syncs. `delayed`: tries again by itself. `reauth_required`: the seller must connect again.
 * `error`: a person must look. `paused`: a person stopped its synchronisation for a while.
 */
export const CONNECTION_STATES = [
  'ok',
  'delayed',
  'reauth_required',
  'error',
  'paused',
  'disconnected',
] as const;

export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** The stored state is that of the access, which a pause hides. */
export function stateIn(row: Pick<store.ConnectionRow, 'state' | 'state_message' | 'paused_at'>): {
  readonly state: ConnectionState;
  readonly stateMessage: string | null;
} {
  return row.paused_at !== null && row.state !== 'disconnected'
    ? { state: 'paused', stateMessage: null }
    : { state: row.state as ConnectionState, stateMessage: row.state_message };
}
