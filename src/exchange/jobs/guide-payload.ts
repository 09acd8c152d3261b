import { z } from 'zod';
import { actorSchema } from '../../features/warehouse/index.ts';

/** A guide that exists, and the person who requests something of it. */
export const guidePayload = z.object({
  organizationId: z.string(),
  attemptId: z.string(),
  actor: actorSchema,
});
