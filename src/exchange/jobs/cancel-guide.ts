import { defineJob } from '../../platform/job.ts';
import { cancelGuide } from '../guides/made-guide.ts';
import type { ExchangeParts } from '../parts.ts';
import { guidePayload } from './guide-payload.ts';

/** Cancels a guide at its carrier. */
export const cancelGuideJob = defineJob({
  name: 'cancel-guide-now',
  policy: 'standard',
  retries: 0,
  concurrency: 4,
  payload: guidePayload,
  async run(parts: ExchangeParts, job) {
    await cancelGuide(parts, job);
    return null;
  },
});
