import { z } from 'zod';
import { SERVICES } from '../../carriers/registry.ts';
import { STREAMS } from '../../connectors/contract.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { syncOrganization } from '../sync/sync-organization.ts';

/** Runs an organisation's streams to their end, at a person's request. */
export const syncNowJob = defineJob({
  name: 'sync-now',
  policy: 'standard',
  retries: 2,
  concurrency: 8,
  isResumable: true,
  payload: z.object({
    organizationId: z.string(),
    service: z.enum(SERVICES).nullable(),
    stream: z.enum(STREAMS).nullable(),
  }),
  run: async (parts: ExchangeParts, request) => ({
    streams: await syncOrganization(parts, request),
  }),
});
