import type pg from 'pg';
import { WAIT_FOR_CONNECTION_MS } from './pools.ts';
import { openTurns } from './turns.ts';
import { unavailable } from './unavailable.ts';

/**
 * Connections of a pool, shared fairly by those who ask: an organisation never gets all of them.
 */
export interface Places {
  /** @throws Failure service_unavailable when none came free in time; the signal's reason */
  take(party: string, signal?: AbortSignal): Promise<pg.PoolClient>;
  /**
   * @param state `sound`: the next one may have it at once; `unsure`: the pool looks first; an
   * Error: it is broken
   */
  leave(party: string, client: pg.PoolClient, state: 'sound' | 'unsure' | Error): void;
}

/** @param places at most as many as the pool has connections */
export function openPlaces(pool: pg.Pool, places: number): Places {
  const turns = openTurns<pg.PoolClient>(places, WAIT_FOR_CONNECTION_MS, () =>
    unavailable(new Error('no connection came free in time')),
  );
  return {
    async take(party, signal) {
      const handed = await turns.take(party, signal);
      if (handed) return handed;
      try {
        return await pool.connect();
      } catch (cause) {
        turns.leave(party, null);
        throw unavailable(cause);
      }
    },
    leave(party, client, state) {
      // From hand to hand while others wait.
      const isHandedOn = turns.leave(party, state === 'sound' ? client : null);
      if (!isHandedOn) client.release(state instanceof Error ? state : undefined);
    },
  };
}
