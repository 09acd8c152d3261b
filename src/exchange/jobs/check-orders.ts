import { z } from 'zod';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { checkOrders, type OrderCheck } from '../sync/check-orders.ts';

/** Compares an account's orders with those that its marketplace lists, at a person's request. */
export const checkOrdersJob = defineJob({
  name: 'check-orders',
  policy: 'standard',
  retries: 0,
  concurrency: 4,
  isResumable: true,
  payload: z.object({
    organizationId: z.string(),
    connectionId: z.string(),
    days: z.int().min(1).max(90),
    since: z.string().optional(),
  }),
  run: async (parts: ExchangeParts, request): Promise<OrderCheck> => checkOrders(parts, request),
});
