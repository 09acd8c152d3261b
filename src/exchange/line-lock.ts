import type { Database } from '../platform/db/database.ts';

const LOCK = 7_406_007;

/** Whoever speaks with a carrier about a line does so alone, over all processes; waits for who came before. */
export function holdingLine<T>(database: Database, lineId: string, work: () => Promise<T>): Promise<T> {
  return database.locks.holding({ kind: LOCK, subject: lineId }, work);
}
