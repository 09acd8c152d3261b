import { z } from 'zod';
import { dueEndpoints } from '../../features/webhooks-out/index.ts';
import type { WriteHandle } from '../../platform/db/database.ts';
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
export async function queueDeliveries(
  { queue, clock }: Pick<ExchangeParts, 'queue' | 'clock'>,
  handle: WriteHandle,
): Promise<void> {
  const due = await dueEndpoints(handle, clock.now());
  await queue.enqueueAll(
    handle,
    deliverJob,
    due.map(({ organizationId, endpointId }) => ({
      data: { organizationId, endpointId },
      key: endpointId,
    })),
  );
}
