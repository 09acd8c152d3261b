import { defineJob } from '../../platform/job.ts';
import { guideLabels } from '../guides/made-guide.ts';
import type { ExchangeParts } from '../parts.ts';
import { guidePayload } from './guide-payload.ts';

/** Fetches the labels of a guide that are missing. */
export const labelsJob = defineJob({
  name: 'labels-now',
  policy: 'standard',
  retries: 2,
  concurrency: 4,
  payload: guidePayload,
  async run(parts: ExchangeParts, job) {
    await guideLabels(parts, job);
    return null;
  },
});
