/** A link to a file works without a session, until its requester loses the right to the file. */
import { z } from 'zod';
import { listKeys, stateOf } from '../features/keys/index.ts';
import { type Action, may, roleOf } from '../features/people/index.ts';
import type { Doer } from '../features/trail/index.ts';
import type { ReadScope } from '../platform/db/database.ts';

/** The person or key that asked for a link, with the address of its request. */
export type LinkHolder = Exclude<Doer, string>;

export const LinkHolderShape: z.ZodType<LinkHolder> = z.union([
  z.object({ personId: z.string(), address: z.string().nullable() }),
  z.object({ keyId: z.string(), address: z.string().nullable() }),
]);

/** Whether the person's role still allows the action, or the key still works. */
export async function isStillLetIn(
  scope: ReadScope,
  holder: LinkHolder,
  action: Action,
): Promise<boolean> {
  if ('personId' in holder) {
    const role = await roleOf(scope, holder.personId);
    return role !== null && may(role, action);
  }
  const key = (await listKeys(scope)).find(({ id }) => id === holder.keyId);
  return key !== undefined && !['revoked', 'expired'].includes(stateOf(key, scope.clock.now()));
}
