import type pg from 'pg';
import { fail } from '../failure.ts';

/** What only one may hold over all processes: the number of its kind, and which one of that kind. */
export interface Lock {
  readonly kind: number;
  readonly subject: string;
}

/** @throws Failure service_unavailable where the lock went with its connection: by now somebody else may hold it. */
export type AssertHeld = () => void;

type Work<T> = (assertHeld: AssertHeld) => Promise<T>;

export interface Locks {
  /** Waits for whoever holds it, and holds it until `work` ends. A process that dies frees what it held. */
  holding<T>(lock: Lock, work: Work<T>): Promise<T>;
  /** @returns null when somebody else holds it, and it was left to them */
  holdingIfFree<T>(lock: Lock, work: Work<T>): Promise<T | null>;
  /** Lets go of all that is held or waited for. */
  close(): void;
}

interface LocksOptions {
  readonly borrow: () => Promise<pg.PoolClient>;
  /** What a failure of the server means to who asked. */
  readonly translate: (error: unknown) => unknown;
}

const WAIT = 'select true as done from pg_advisory_lock($1, hashtext($2))';
const TRY = 'select pg_try_advisory_lock($1, hashtext($2)) as done';
const LEAVE = 'select pg_advisory_unlock($1, hashtext($2)) as done';

/** Session-level advisory locks: each is held on a connection that nobody else has meanwhile, and that serves again. */
export function openLocks({ borrow, translate }: LocksOptions): Locks {
  /** How each that is held or waited for lets go of its connection. */
  const lent = new Set<(lost?: Error) => void>();
  let isClosed = false;

  async function hold<T>({ kind, subject }: Lock, how: string, work: Work<T>): Promise<T | null> {
    const client = await borrow();
    let lost: Error | undefined;
    const lose = (cause: Error) => {
      lost ??= cause;
    };
    const onEnd = () => lose(new Error('the connection that held the lock ended'));
    const giveBack = (cause?: Error) => {
      if (!lent.delete(giveBack)) return;
      if (cause) lose(cause);
      client.off('end', onEnd);
      client.release(lost);
    };
    const ask = async (words: string): Promise<boolean> => {
      try {
        return (await client.query<{ done: boolean }>(words, [kind, subject])).rows[0]?.done === true;
      } catch (error) {
        lose(error as Error);
        throw translate(error);
      }
    };
    lent.add(giveBack);
    client.once('end', onEnd);
    try {
      if (isClosed) throw fail('service_unavailable', { cause: CLOSED });
      if (!(await ask(how))) return null;
      try {
        return await work(() => {
          if (lost) throw fail('service_unavailable', { cause: lost });
        });
      } finally {
        // Where it is not left in words, the end of the connection says the same.
        if (!lost && !(await ask(LEAVE).catch(() => true))) lose(new Error('the lock was not held'));
      }
    } finally {
      giveBack();
    }
  }

  return {
    holding: async (lock, work) => (await hold(lock, WAIT, work)) as Awaited<ReturnType<typeof work>>,
    holdingIfFree: (lock, work) => hold(lock, TRY, work),
    close() {
      isClosed = true;
      for (const giveBack of [...lent]) giveBack(CLOSED);
    },
  };
}

const CLOSED = new Error('the database is being closed');
