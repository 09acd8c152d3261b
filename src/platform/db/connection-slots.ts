import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { openFairSemaphore } from './fair-semaphore.ts';
import { WAIT_FOR_CONNECTION_MS } from './pools.ts';
import { unavailable } from './unavailable.ts';

/** Connections of a pool, shared fairly by tenants: an organisation never gets all of them. */
export interface ConnectionSlots {
  /**
   * @throws Overload where the queue is too long; Failure service_unavailable when none came free
   * in time; the signal's reason
   */
  acquire(tenant: string, signal?: AbortSignal): Promise<pg.PoolClient>;
  /** @throws Overload where the queue is too long for it now */
  requireRoom(tenant: string): void;
  /**
   * @param state `sound`: it may be handed to a waiter at once; `unsure`: the pool checks it first;
   * an Error: it is broken
   */
  release(tenant: string, client: pg.PoolClient, state: 'sound' | 'unsure' | Error): void;
}

export interface SlotLimits {
  /** At most as many as the pool has connections. */
  readonly slots: number;
  /** A request that would wait longer is refused at once; absent = all wait as long as any may. */
  readonly longestWaitMs?: number;
}

export function openSlots(
  pool: pg.Pool,
  clock: Clock,
  { slots, longestWaitMs = Number.POSITIVE_INFINITY }: SlotLimits,
): ConnectionSlots {
  const permits = openFairSemaphore<pg.PoolClient>(slots, {
    longestMs: longestWaitMs,
    timeoutMs: WAIT_FOR_CONNECTION_MS,
    refusal: () => unavailable(new Error('no connection came free in time')),
    now: () => clock.monotonic(),
  });
  return {
    async acquire(tenant, signal) {
      const handed = await permits.acquire(tenant, signal);
      if (handed) return handed;
      try {
        return await pool.connect();
      } catch (cause) {
        permits.release(tenant, null);
        throw unavailable(cause);
      }
    },
    requireRoom: (tenant) => permits.requireRoom(tenant),
    release(tenant, client, state) {
      const isHandedOff = permits.release(tenant, state === 'sound' ? client : null);
      if (!isHandedOff) client.release(state instanceof Error ? state : undefined);
    },
  };
}

/** @param onWaited gets the milliseconds until each connection, or its refusal */
export function measured(
  slots: ConnectionSlots,
  clock: Clock,
  onWaited: (milliseconds: number) => void,
): ConnectionSlots {
  return {
    ...slots,
    async acquire(tenant, signal) {
      const startedAt = clock.monotonic();
      try {
        return await slots.acquire(tenant, signal);
      } finally {
        onWaited(clock.monotonic() - startedAt);
      }
    },
  };
}
