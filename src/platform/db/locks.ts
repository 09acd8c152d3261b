import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { fail } from '../failure.ts';
import { LOCK_KINDS, type LockKind } from './lock-kinds.ts';

/** What one holder has over all processes. */
export interface Lock {
  readonly kind: LockKind;
  readonly subject: string;
}

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
  /** Frees all locks and refuses those who wait. */
  close(): Promise<void>;
}

type LockMode = 'exclusive' | 'shared';

interface LocksOptions {
  readonly clock: Clock;
  /** Opens the connection for all locks. */
  readonly connect: () => Promise<pg.Client>;
  /** Makes a Failure of an error of the database, where it is one. */
  readonly translate: (error: unknown) => unknown;
}

/** The connection that all locks of this process are held on. */
interface Session {
  readonly client: pg.Client;
  readonly lost: AbortSignal;
  lose(cause: Error): void;
}

const TRY: Readonly<Record<LockMode, string>> = {
  exclusive: 'select pg_try_advisory_lock($1, hashtext($2)) as done',
  shared: 'select pg_try_advisory_lock_shared($1, hashtext($2)) as done',
};
const LEAVE: Readonly<Record<LockMode, string>> = {
  exclusive: 'select pg_advisory_unlock($1, hashtext($2)) as done',
  shared: 'select pg_advisory_unlock_shared($1, hashtext($2)) as done',
};
/** A lock of another process is tried again after this, then after twice as long, and so on. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
const BEAT_MS = 5_000;
/** A connection that does not answer for so long is given up. */
export const LOCK_ANSWER_MS = 10_000;

/**
 * Advisory locks of a session, all on one connection. The server never makes it wait: a wait for
 * one lock would hold up all the others. Within the process a line in memory decides, and a lock of
 * another process is polled.
 */
export function openLocks({ clock, connect, translate }: LocksOptions): Locks {
  /** By lock: ends when the last one in line has left. */
  const lines = new Map<string, Promise<void>>();
  const closing = new AbortController();
  let session: Promise<Session> | null = null;

  const forget = () => {
    session = null;
  };

  function currentSession(): Promise<Session> {
    session ??= openSession(connect, clock, forget).catch((error) => {
      forget();
      throw translate(error);
    });
    return session;
  }

  async function ask(on: Session, words: string, { kind, subject }: Lock): Promise<boolean> {
    try {
      const { rows } = await on.client.query<{ done: boolean }>(words, [LOCK_KINDS[kind], subject]);
      return rows[0]?.done === true;
    } catch (error) {
      on.lose(error as Error);
      throw translate(error);
    }
  }

  async function acquire(lock: Lock, mode: LockMode, waits: boolean): Promise<Session | null> {
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      if (closing.signal.aborted) throw fail('service_unavailable', { cause: CLOSED });
      const on = await currentSession();
      if (await ask(on, TRY[mode], lock)) return on;
      if (!waits) return null;
      await pause(wait, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  async function take(lock: Lock, mode: LockMode, waits: boolean): Promise<HeldLock | null> {
    const key = `${lock.kind} ${lock.subject}`;
    const before = lines.get(key);
    if (before && !waits) return null;
    const place = Promise.withResolvers<void>();
    lines.set(key, place.promise);
    const stepOut = () => {
      if (lines.get(key) === place.promise) lines.delete(key);
      place.resolve();
    };
    try {
      await before;
      const on = await acquire(lock, mode, waits);
      if (on) return heldOn(on, lock, mode, stepOut);
    } catch (error) {
      stepOut();
      throw error;
    }
    stepOut();
    return null;
  }

  function heldOn(on: Session, lock: Lock, mode: LockMode, stepOut: () => void): HeldLock {
    const { lost } = on;
    // A lost lock is free for others, of this process too, while its work still runs.
    if (lost.aborted) stepOut();
    lost.addEventListener('abort', stepOut, { once: true });
    return {
      lost,
      assertHeld() {
        if (lost.aborted) throw fail('service_unavailable', { cause: lost.reason });
      },
      async leave() {
        if (lost.aborted) return;
        // Where it cannot be freed by a statement, the end of the connection frees it.
        const isFreed = await ask(on, LEAVE[mode], lock).catch(() => true);
        if (!isFreed) on.lose(new Error('the lock was not held'));
        lost.removeEventListener('abort', stepOut);
        stepOut();
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
    async close() {
      closing.abort();
      const last = await session?.catch(() => null);
      last?.lose(CLOSED);
    },
  };
}

const CLOSED = new Error('the database is being closed');

async function openSession(
  connect: () => Promise<pg.Client>,
  clock: Clock,
  onLost: () => void,
): Promise<Session> {
  const client = await connect();
  const end = new AbortController();
  // A connection that was cut without a word is noticed by its silence.
  const stopBeating = clock.every(BEAT_MS, () => client.query('select 1').catch(lose));
  function lose(cause: Error): void {
    if (end.signal.aborted) return;
    stopBeating();
    onLost();
    end.abort(cause);
    client.end().catch(() => {});
    // The other side may be silent, and the locks of a closed connection are free.
    client.connection.stream.destroy();
  }
  client.once('end', () => lose(new Error('the connection that held the locks ended')));
  return { client, lost: end.signal, lose };
}
