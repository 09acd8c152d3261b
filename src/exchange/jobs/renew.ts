import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { renewBeforeExpiry } from '../wire/renew-early.ts';
import { dueJobPayload } from './due-job.ts';

/** Renews a connection's credentials before they expire. */
export const renewJob = defineJob({
  name: 'renew',
  policy: 'short',
  retries: 5,
  concurrency: 16,
  payload: dueJobPayload,
  async run(parts: ExchangeParts, { organizationId, subject }) {
    await renewBeforeExpiry(parts, organizationId, subject);
    return null;
  },
});
