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

export type LockMode = 'exclusive' | 'shared';

export interface LockSessionOptions {
  readonly clock: Clock;
  /** Opens the connection for all locks. */
  readonly connect: () => Promise<pg.Client>;
  /** Makes a Failure of an error of the database, where it is one. */
  readonly translate: (error: unknown) => unknown;
}

/** The connection that all locks of this process are held on. */
export interface LockSession {
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

/** Takes and frees locks on the connection of this process, which is opened again after a loss. */
interface LockSessions {
  /**
   * Polls a lock that another process holds: the server never makes the connection wait.
   * @returns null when the lock is held and the caller does not wait
   */
  acquire(lock: Lock, mode: LockMode, waits: boolean): Promise<LockSession | null>;
  release(on: LockSession, lock: Lock, mode: LockMode): Promise<void>;
  /** Frees all locks and rejects the waiting calls. */
  close(): Promise<void>;
}

export function openLockSessions({ clock, connect, translate }: LockSessionOptions): LockSessions {
  const closing = new AbortController();
  let session: Promise<LockSession> | null = null;

  const forget = () => {
    session = null;
  };

  function currentSession(): Promise<LockSession> {
    session ??= openSession(connect, clock, forget).catch((error) => {
      forget();
      throw translate(error);
    });
    return session;
  }

  async function ask(on: LockSession, words: string, { kind, subject }: Lock): Promise<boolean> {
    try {
      const { rows } = await on.client.query<{ done: boolean }>(words, [LOCK_KINDS[kind], subject]);
      return rows[0]?.done === true;
    } catch (error) {
      on.lose(error as Error);
      throw translate(error);
    }
  }

  return {
    async acquire(lock, mode, waits) {
      for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
        if (closing.signal.aborted) throw fail('service_unavailable', { cause: CLOSED });
        const on = await currentSession();
        if (await ask(on, TRY[mode], lock)) return on;
        if (!waits) return null;
        await pause(wait, undefined, { signal: closing.signal }).catch(() => {});
      }
    },
    async release(on, lock, mode) {
      // Where it cannot be freed by a statement, the end of the connection frees it.
      const isFreed = await ask(on, LEAVE[mode], lock).catch(() => true);
      if (!isFreed) on.lose(new Error('the lock was not held'));
    },
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
): Promise<LockSession> {
  const client = await connect();
  const end = new AbortController();
  // A connection that ended without a FIN is detected by a statement without an answer.
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
