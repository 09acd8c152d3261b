import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteScope } from '../../platform/db/database.ts';
import { close, erase } from '../erasure/index.ts';
import { type OrderListener, recordOrders } from '../orders/index.ts';
import { createOrganization, findOrganization, lockOrganization } from '../organizations/index.ts';
import { join, membershipsOf } from '../people/index.ts';
import type { PersonDoing } from '../trail/index.ts';
import { sampleOrders } from './sample-orders.ts';
import * as store from './store.ts';

const NAME = 'Organización de ejemplo';

/**
 * Makes an organisation with sample orders for a person; a person has one at most.
 * @returns its id
 */
export async function makeSample(
  home: WriteScope,
  by: PersonDoing,
  listeners: readonly OrderListener[],
): Promise<string> {
  const { handle, clock } = home;
  // Two requests at once make one.
  await lockOrganization(home);
  for (const { organizationId } of await membershipsOf(handle, by.personId))
    if ((await findOrganization(handle, organizationId))?.isSample) return organizationId;
  const given = { name: NAME, plan: 'demo', isSample: true } as const;
  const { id } = await createOrganization(handle, clock, given);
  const scope = handle.within(id);
  await join(scope, by, by.personId, 'owner');
  await recordOrders(scope, sampleOrders(clock.now()), listeners);
  return id;
}

/** Whether an organisation is a sample. */
export async function isSample({ handle, organizationId }: WriteScope): Promise<boolean> {
  return (await findOrganization(handle, organizationId))?.isSample ?? false;
}

/** Samples of the people who belong to this organisation and to no other real one. */
export async function samplesBeside(database: Database, organizationId: string): Promise<string[]> {
  return database.read((handle) => store.samplesBeside(handle, organizationId));
}

/** Erases a sample with all that is in it. Its person stays. */
export async function removeSample(database: Database, clock: Clock, id: string): Promise<void> {
  await close(database, clock, id, [], { keepsPeople: true });
  await erase(database, clock, id);
}
