import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { retryAccess } from '../sync/retry-access.ts';
import { dueJobPayload } from './due-job.ts';

/** Tries a refused access again. */
export const accessJob = defineJob({
  name: 'access',
  policy: 'short',
  // The schedule of refused accesses holds the next attempt.
  retries: 0,
  concurrency: 16,
  isResumable: true,
  payload: dueJobPayload,
  async run(parts: ExchangeParts, { organizationId, subject }) {
    await retryAccess(parts, organizationId, subject);
    return null;
  },
});
