import { z } from 'zod';
import { unsettledOrganizations } from '../../features/shipments/index.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { applyCarrierEvents } from './apply-carrier-events.ts';

const payload = z.object({ organizationId: z.string() });

/**
 * Updates the shipments of the events that a carrier sent. The name is that of jobs that are queued
 * already.
 */
export const applyEventsJob = defineJob({
  name: 'settle',
  policy: 'short',
  retries: 14,
  concurrency: 2,
  payload,
  run: async (parts: ExchangeParts, { organizationId }) => ({
    applied: await applyCarrierEvents(parts, organizationId),
  }),
});

/**
 * Enqueues one job for each organisation with new events. Jobs enqueued in the transactions of the
 * events would make these wait for one another.
 */
export async function queueCarrierEvents({
  database,
  queue,
}: Pick<ExchangeParts, 'database' | 'queue'>): Promise<void> {
  const jobs = (await database.search(unsettledOrganizations)).map((organizationId) => ({
    data: { organizationId },
    key: organizationId,
  }));
  await database.write((handle) => queue.enqueueAll(handle, applyEventsJob, jobs));
}
