import type { Database } from '../../platform/db/database.ts';

/**
 * Allows one series of calls to a carrier about a line at a time, over all processes; `work` waits
 * for the lock.
 */
export function holdingLine<T>(
  database: Database,
  lineId: string,
  work: () => Promise<T>,
): Promise<T> {
  return database.locks.holding({ kind: 'line', subject: lineId }, work);
}
