import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import * as store from './store.ts';
import { ERASED } from './tables.ts';

/** A transaction that holds up the erasure for longer than this ends it; the next call goes on. */
const MOST_WAITS = 40;

/**
 * Erases what a closed organisation still has, some rows per transaction; what was cut short goes
 * on from there.
 */
export async function erase(database: Database, clock: Clock, id: string): Promise<void> {
  await waitForOthers(database, id);
  await database.write((handle) => store.removeJobs(handle, id));
  while (!(await pass(database, clock, id)));
}

/** Once over every table. @returns whether nothing was left, and the organisation is gone */
async function pass(database: Database, clock: Clock, id: string): Promise<boolean> {
  for (const table of ERASED)
    while (
      (await database.write((handle) => store.remove(handle, id, table))) === store.ROWS_AT_ONCE
    );
  return database.write(async (handle) => {
    await store.lockOrganization(handle, id);
    let late = 0;
    for (const table of ERASED) late += await store.remove(handle, id, table);
    if (late > 0) return false;
    await store.removeJobs(handle, id);
    await store.removeOrganization(handle, id);
    await store.end(handle, id, clock.now());
    return true;
  });
}

/** Transactions that had entered before the closing are over then. */
async function waitForOthers(database: Database, id: string): Promise<void> {
  for (let left = MOST_WAITS; ; left--)
    try {
      return await database.write((handle) => store.waitForOthers(handle, id));
    } catch (error) {
      const isHeld = error instanceof Failure && error.code === 'service_unavailable';
      if (!isHeld || left === 0) throw error;
    }
}
