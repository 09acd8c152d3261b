import type pg from 'pg';
import { fail } from '../failure.ts';

/** What only one may hold over all processes: the number of its kind, and which one of that kind. */
export interface Lock {
  readonly kind: number;
  readonly subject: string;
}

/** @throws Failure service_unavailable where the lock went with its connection: by now somebody else may hold it. */
export type AssertHeld = () => void;

export interface Locks {
  /** Waits for whoever holds it, and holds it until `work` ends. A process that dies frees what it held. */
  holding<T>(lock: Lock, work: (assertHeld: AssertHeld) => Promise<T>): Promise<T>;
  /** @returns null when somebody else holds it, and it was left to them */
  holdingIfFree<T>(lock: Lock, work: (assertHeld: AssertHeld) => Promise<T>): Promise<T | null>;
}

interface Held {
  readonly assertHeld: AssertHeld;
  leave(): Promise<void>;
}

const WAIT = 'select true as got from pg_advisory_lock($1, hashtext($2))';
const TRY = 'select pg_try_advisory_lock($1, hashtext($2)) as got';
const LEAVE = 'select pg_advisory_unlock($1, hashtext($2))';

/** Locks of sessions: each is held on a connection that nobody else has meanwhile, and that serves again afterwards. */
export function openLocks(borrow: () => Promise<pg.PoolClient>): Locks {
  async function take({ kind, subject }: Lock, how: string): Promise<Held | null> {
    const client = await borrow();
    let lost: Error | undefined;
    const onEnd = () => {
      lost = new Error('the connection that held the lock ended');
    };
    const giveBack = (broken?: Error) => {
      client.off('end', onEnd);
      client.release(broken);
    };
    client.once('end', onEnd);
    try {
      const { rows } = await client.query<{ got: boolean }>(how, [kind, subject]);
      if (!rows[0]?.got) {
        giveBack();
        return null;
      }
    } catch (error) {
      giveBack(error as Error);
      throw error;
    }
    return {
      assertHeld() {
        if (lost) throw fail('service_unavailable', { cause: lost });
      },
      async leave() {
        // Where the words do not arrive, the end of the connection says the same.
        await client.query(LEAVE, [kind, subject]).catch((error: Error) => {
          lost = error;
        });
        giveBack(lost);
      },
    };
  }

  return {
    async holding(lock, work) {
      const held = await take(lock, WAIT);
      return doing(held as Held, work);
    },
    async holdingIfFree(lock, work) {
      const held = await take(lock, TRY);
      return held && doing(held, work);
    },
  };
}

async function doing<T>(held: Held, work: (assertHeld: AssertHeld) => Promise<T>): Promise<T> {
  try {
    return await work(held.assertHeld);
  } finally {
    await held.leave();
  }
}
