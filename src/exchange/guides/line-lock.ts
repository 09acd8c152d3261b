import type { Database } from '../../platform/db/database.ts';

/**
 * Conversations with a carrier about one line are exclusive over all processes; `work` waits for
 * its turn.
 */
export function holdingLine<T>(
  database: Database,
  lineId: string,
  work: () => Promise<T>,
): Promise<T> {
  return database.locks.holding({ kind: 'line', subject: lineId }, work);
}
