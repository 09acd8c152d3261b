import { z } from 'zod';
import { dueEndpoints } from '../../features/webhooks-out/index.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { deliverEvents } from './deliver-events.ts';

const payload = z.object({ organizationId: z.string(), endpointId: z.string() });

/** Delivers to one endpoint. It waits for the network, so that many run at once. */
export const deliverJob = defineJob({
  name: 'deliver',
  policy: 'short',
  // The next tick finds what is still due.
  retries: 0,
  concurrency: 400,
  payload,
  run: async (parts: ExchangeParts, due) => ({ sent: await deliverEvents(parts, due) }),
});

/** Enqueues one job for each endpoint that something is to be delivered to. */
export async function queueDeliveries({
  database,
  queue,
  clock,
}: Pick<ExchangeParts, 'database' | 'queue' | 'clock'>): Promise<void> {
  const due = await database.search((handle) => dueEndpoints(handle, clock.now()));
  const jobs = due.map(({ organizationId, endpointId }) => ({
    data: { organizationId, endpointId },
    key: endpointId,
  }));
  await database.write((handle) => queue.enqueueAll(handle, deliverJob, jobs));
}
