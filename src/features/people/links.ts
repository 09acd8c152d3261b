import { hash, randomBytes } from 'node:crypto';
import type { WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import * as verificationStore from './store-verifications.ts';

/**
 * The purpose of a link by mail, which works once. better-auth reads `reset-password` under the
 * same name.
 */
type LinkKind = 'reset-password' | 'confirm-address';

/**
 * A token for a link to `/restablecer` or `/verificar-correo`. Stored as better-auth stores its
 * own: as SHA-256, so the stored value opens nothing.
 */
export async function makeLink(
  handle: WriteHandle,
  kind: LinkKind,
  given: { personId: string; at: Instant; life: Temporal.DurationLike },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await verificationStore.insertVerification(handle, {
    id: newId(),
    identifier: identifierOf(kind, token),
    value: given.personId,
    at: given.at,
    expiresAt: given.at.add(given.life),
  });
  return token;
}

/** The key of a link's row. */
export function identifierOf(kind: LinkKind, token: string): string {
  return hash('sha256', `${kind}:${token}`, 'base64url');
}
