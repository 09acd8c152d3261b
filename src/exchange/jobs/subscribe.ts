import { defineJob } from '../../platform/job.ts';
import { subscribe } from '../connect/subscribe.ts';
import type { ExchangeParts } from '../parts.ts';
import { dueJobPayload } from './due-job.ts';

/** Registers our webhook address at a service, once a day. */
export const subscribeJob = defineJob({
  name: 'subscribe',
  policy: 'short',
  retries: 5,
  concurrency: 16,
  payload: dueJobPayload,
  async run(parts: ExchangeParts, { organizationId, subject }) {
    await subscribe(parts, organizationId, subject);
    return null;
  },
});
