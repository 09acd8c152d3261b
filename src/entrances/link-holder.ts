/** A link to a file works without a session, until its requester loses the right to the file. */
import { z } from 'zod';
import { grantAllows } from '../features/grants/index.ts';
import { listKeys, stateOf } from '../features/keys/index.ts';
import { type Action, may, roleOf } from '../features/people/index.ts';
import type { KeyDoing, PersonDoing } from '../features/trail/index.ts';
import type { ReadScope } from '../platform/db/database.ts';

/**
 * The person or key that asked for a link, with the address of its request; of an agent its grant
 * and the person that it reads for.
 */
export type LinkHolder = (PersonDoing & { readonly grantId?: string | undefined }) | KeyDoing;

/** Agents get links to tax documents alone. */
const SCOPE_OF_AGENTS = 'cfdi:read';

export const LinkHolderShape: z.ZodType<LinkHolder> = z.union([
  z.object({
    personId: z.string(),
    grantId: z.string().optional(),
    address: z.string().nullable(),
  }),
  z.object({ keyId: z.string(), address: z.string().nullable() }),
]);

/** Whether the person's role and the agent's grant still allow the action, or the key still works. */
export async function isStillLetIn(
  scope: ReadScope,
  holder: LinkHolder,
  action: Action,
): Promise<boolean> {
  if ('personId' in holder) {
    const role = await roleOf(scope, holder.personId);
    if (role === null || !may(role, action)) return false;
    return holder.grantId === undefined || grantAllows(scope, holder.grantId, SCOPE_OF_AGENTS);
  }
  const key = (await listKeys(scope)).find(({ id }) => id === holder.keyId);
  return key !== undefined && !['revoked', 'expired'].includes(stateOf(key, scope.clock.now()));
}
