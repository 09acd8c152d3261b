import { hash, randomBytes } from 'node:crypto';
import type { WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store.ts';

/**
 * A token with which its holder chooses the person's password, once, at `/restablecer`. Kept as better-auth keeps those
 * that it makes itself: hashed.
 */
export async function makePasswordToken(
  handle: WriteHandle,
  personId: string,
  now: Instant,
  life: Temporal.DurationLike,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await store.insertVerification(handle, {
    id: newId(),
    identifier: hash('sha256', `reset-password:${token}`, 'base64url'),
    value: personId,
    at: now,
    expiresAt: now.add(life),
  });
  return token;
}
