import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { Failure } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { noteRemoval, removeOf } from '../removals/index.ts';
import * as store from './store.ts';
import { ERASED, type ErasedTable, GATES } from './tables.ts';

/** What became of the webhooks that were registered for an account at its service. */
export interface ServiceOutcome {
  readonly service: string;
  readonly webhooks: 'removed' | 'left' | 'none';
}

export interface Erasure {
  readonly startedAt: Instant;
  /** Null = it was cut short: the next call goes on. */
  readonly endedAt: Instant | null;
  readonly services: readonly ServiceOutcome[];
  /** How many rows of each table, by its name; `queue.job` are the jobs. */
  readonly rows: Readonly<Record<string, number>>;
}

/** A transaction that holds up the erasure for longer than this ends it; the next call goes on. */
const MOST_WAITS = 40;

/** The erasure of an organisation, under way or over. */
export function erasureOf(database: Database, id: string): Promise<Erasure | null> {
  return database.read(async (handle) => {
    const row = await store.find(handle, id);
    if (!row) return null;
    const counts = await store.counts(handle, id);
    return {
      startedAt: row.started_at,
      endedAt: row.ended_at,
      services: JSON.parse(row.services) as ServiceOutcome[],
      rows: Object.fromEntries(counts.map(({ table_name, rows }) => [table_name, rows])),
    };
  });
}

/**
 * Plans no more work for an organisation and lets none of its keys in, before its accounts are
 * signed off.
 */
export function quiet(database: Database, clock: Clock, id: string): Promise<void> {
  return database.write(async (handle) => {
    await store.suspend(handle, id, clock.now());
    await removeAll(handle, id, 'schedules');
    await handle.rows(notice('access', id));
  });
}

/**
 * Shuts an organisation for good: with the commit no transaction of it begins. Its gates, its
 * members and the people who belong to no other organisation are gone then.
 * @param options.keepsPeople only their membership ends
 */
export function close(
  database: Database,
  clock: Clock,
  id: string,
  services: readonly ServiceOutcome[],
  { keepsPeople = false }: { readonly keepsPeople?: boolean } = {},
): Promise<void> {
  return database.write(async (handle) => {
    await store.lockOrganization(handle, id);
    await store.begin(handle, id, clock.now(), JSON.stringify(services));
    for (const table of GATES) await removeAll(handle, id, table);
    if (keepsPeople) await store.removeMembers(handle, id);
    else await store.removePeople(handle, id, clock.now());
    await removeOf(handle, id);
    await noteRemoval({ handle, clock, organizationId: id }, 'organization', {});
    await handle.rows(notice('access', id));
  });
}

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

async function removeAll(handle: WriteHandle, id: string, table: ErasedTable): Promise<void> {
  while ((await store.remove(handle, id, table)) === store.ROWS_AT_ONCE);
}
