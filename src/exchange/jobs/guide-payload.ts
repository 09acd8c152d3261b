import { z } from 'zod';
import { actorSchema } from '../../features/warehouse/index.ts';

/** A guide that exists, and who asks for something about it. */
export const guidePayload = z.object({
  organizationId: z.string(),
  attemptId: z.string(),
  actor: actorSchema,
});
