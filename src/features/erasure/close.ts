import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { noteRemoval, removeOf } from '../removals/index.ts';
import type { ServiceOutcome } from './erasure.ts';
import * as store from './store.ts';
import { type ErasedTable, GATES } from './tables.ts';

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

async function removeAll(handle: WriteHandle, id: string, table: ErasedTable): Promise<void> {
  while ((await store.remove(handle, id, table)) === store.ROWS_AT_ONCE);
}
