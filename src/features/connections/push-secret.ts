import { randomBytes } from 'node:crypto';
import type { WriteScope } from '../../platform/db/database.ts';
import { type Keyring, seal, unseal, unsealOrNull } from '../../platform/seal.ts';
import type { SealedConnection } from './connection.ts';
import { bindingOf } from './connection-credentials.ts';

/**
 * Unseals the secret that proves that a webhook belongs to this connection.
 * @throws SealError when the box was altered or moved
 */
export function subscriptionSecretOf(
  keyring: Keyring,
  { organizationId, id, pushBox }: SealedConnection,
): string {
  if (pushBox === null) throw new Error(`connection ${id} has no secret for pushes`);
  return unseal(keyring, bindingOf(organizationId, id, 'push_secret'), pushBox);
}

/**
 * The stored box, unless it does not open: then the secret is lost, and the account gets another
 * one.
 */
export function pushBoxOf(
  scope: WriteScope,
  keyring: Keyring,
  id: string,
  known: string | null,
): string {
  const binding = bindingOf(scope.organizationId, id, 'push_secret');
  if (known !== null && unsealOrNull(keyring, binding, known) !== null) return known;
  return seal(keyring, binding, newSecret());
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
