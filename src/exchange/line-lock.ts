import type { Database } from '../platform/db/database.ts';

const LOCK_CLASS = 7_406_007;

/** Whoever speaks with a carrier about a line does so alone, over all processes; waits for who came before. */
export async function holdingLine<T>(database: Database, lineId: string, work: () => Promise<T>): Promise<T> {
  const client = await database.connect();
  try {
    await client.query('select pg_advisory_lock($1, hashtext($2))', [LOCK_CLASS, lineId]);
    return await work();
  } finally {
    // The end of the session frees the lock, also where this process dies.
    await client.end();
  }
}
