import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { rerenderDue } from '../sync/rerender.ts';
import { dueJobPayload } from './due-job.ts';

/** Renders stored orders again after a release that shows them otherwise. */
export const rerenderJob = defineJob({
  name: 'rerender',
  policy: 'short',
  // Scheduled every minute while there is work.
  retries: 0,
  concurrency: 1,
  isResumable: true,
  payload: dueJobPayload,
  async run(parts: ExchangeParts) {
    await rerenderDue(parts);
    return null;
  },
});
