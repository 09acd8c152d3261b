import { z } from 'zod';
import { actorSchema } from '../../features/warehouse/index.ts';
import { defineJob } from '../../platform/job.ts';
import { setInTransit } from '../guides/set-in-transit.ts';
import type { ExchangeParts } from '../parts.ts';

/** Sets a parcel of the own fleet in transit at its carrier. */
export const inTransitJob = defineJob({
  name: 'in-transit-now',
  policy: 'standard',
  retries: 0,
  concurrency: 4,
  payload: z.object({
    organizationId: z.string(),
    lineId: z.string(),
    actor: actorSchema,
    accountId: z.string().nullable().exactOptional(),
  }),
  async run(parts: ExchangeParts, job) {
    const { wasSet, carrierStatus } = await setInTransit(parts, job);
    return { was_set: wasSet, carrier_status: carrierStatus };
  },
});
