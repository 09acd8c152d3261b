import { z } from 'zod';
import { unsettledOrganizations } from '../../features/shipments/index.ts';
import type { WriteHandle } from '../../platform/db/database.ts';
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
export async function queueCarrierEvents(
  { queue }: Pick<ExchangeParts, 'queue'>,
  handle: WriteHandle,
): Promise<void> {
  const jobs = (await unsettledOrganizations(handle)).map((organizationId) => ({
    data: { organizationId },
    key: organizationId,
  }));
  await queue.enqueueAll(handle, applyEventsJob, jobs);
}
