import { fail } from '../failure.ts';
import {
  type Lock,
  type LockMode,
  type LockSession,
  type LockSessionOptions,
  openLockSessions,
} from './lock-session.ts';

export type { Lock };

/**
 * @throws Failure service_unavailable where the lock was lost with its connection: another process
 * may hold it.
 */
export type AssertHeld = () => void;

type Work<T> = (assertHeld: AssertHeld) => Promise<T>;

export interface HeldLock {
  readonly assertHeld: AssertHeld;
  /** Aborts when the lock is lost with its connection. */
  readonly lost: AbortSignal;
  leave(): Promise<void>;
}

export interface Locks {
  /** Waits for the lock and holds it until `work` ends. A process that dies frees its locks. */
  holding<T>(lock: Lock, work: Work<T>): Promise<T>;
  /** @returns null when the lock is held already */
  holdingIfFree<T>(lock: Lock, work: Work<T>): Promise<T | null>;
  /**
   * Takes a lock that lasts until it is left, or lost. Processes may share it; inside of one it has
   * one holder.
   * @returns null when the lock is held already
   */
  takeIfFree(lock: Lock, mode: LockMode): Promise<HeldLock | null>;
  /** Frees all locks and rejects the waiting calls. */
  close(): Promise<void>;
}

/**
 * Advisory locks of a session, all on one connection. The server never makes it wait: a wait for
 * one lock would hold up all the others. Within the process a queue in memory decides, and a lock of
 * another process is polled.
 */
export function openLocks(options: LockSessionOptions): Locks {
  const sessions = openLockSessions(options);
  /** By lock: ends when the last one in its queue has left. */
  const tails = new Map<string, Promise<void>>();

  async function take(lock: Lock, mode: LockMode, waits: boolean): Promise<HeldLock | null> {
    const key = `${lock.kind} ${lock.subject}`;
    const before = tails.get(key);
    if (before && !waits) return null;
    const own = Promise.withResolvers<void>();
    tails.set(key, own.promise);
    const leaveQueue = () => {
      if (tails.get(key) === own.promise) tails.delete(key);
      own.resolve();
    };
    try {
      await before;
      const on = await sessions.acquire(lock, mode, waits);
      if (on) return heldOn(on, lock, mode, leaveQueue);
    } catch (error) {
      leaveQueue();
      throw error;
    }
    leaveQueue();
    return null;
  }

  function heldOn(on: LockSession, lock: Lock, mode: LockMode, leaveQueue: () => void): HeldLock {
    const { lost } = on;
    // A lost lock is free for others, of this process too, while its work still runs.
    if (lost.aborted) leaveQueue();
    lost.addEventListener('abort', leaveQueue, { once: true });
    return {
      lost,
      assertHeld() {
        if (lost.aborted) throw fail('service_unavailable', { cause: lost.reason });
      },
      async leave() {
        if (lost.aborted) return;
        await sessions.release(on, lock, mode);
        lost.removeEventListener('abort', leaveQueue);
        leaveQueue();
      },
    };
  }

  async function under<T>(lock: Lock, waits: boolean, work: Work<T>): Promise<T | null> {
    const held = await take(lock, 'exclusive', waits);
    if (!held) return null;
    try {
      return await work(held.assertHeld);
    } finally {
      await held.leave();
    }
  }

  return {
    holding: async (lock, work) =>
      (await under(lock, true, work)) as Awaited<ReturnType<typeof work>>,
    holdingIfFree: (lock, work) => under(lock, false, work),
    takeIfFree: (lock, mode) => take(lock, mode, false),
    close: sessions.close,
  };
}
