import { UpstreamError } from '../../connectors/upstream-error.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { traceShipments } from '../sync/trace-shipments.ts';
import { dueJobPayload } from './due-job.ts';

/** Reads the histories of a carrier's shipments. */
export const traceJob = defineJob({
  name: 'trace',
  policy: 'short',
  retries: 2,
  concurrency: 4,
  isResumable: true,
  payload: dueJobPayload,
  async run(parts: ExchangeParts, { organizationId, subject }) {
    try {
      return await traceShipments(parts, organizationId, subject);
    } catch (error) {
      // Recorded at the connection; the schedule brings the next attempt in two hours.
      if (error instanceof UpstreamError) return null;
      throw error;
    }
  },
});
