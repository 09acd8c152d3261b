import type { WriteScope } from '../../platform/db/database.ts';
import { type Keyring, seal, unseal, unsealOrNull } from '../../platform/seal.ts';
import type { SealedConnection } from './connection.ts';
import type * as store from './store.ts';

/**
 * Unseals credentials.
 * @returns null when the connection was disconnected
 * @throws SealError when the box was altered or moved
 */
export function openCredentials(keyring: Keyring, connection: SealedConnection): unknown {
  if (connection.box === null) return null;
  const binding = bindingOf(connection.organizationId, connection.id, 'credentials');
  return JSON.parse(unseal(keyring, binding, connection.box));
}

export function bindingOf(organizationId: string, connectionId: string, field: store.SealedField) {
  return { organizationId, subjectId: connectionId, field };
}

export function sealCredentials(
  scope: WriteScope,
  keyring: Keyring,
  id: string,
  credentials: unknown,
): string {
  return seal(
    keyring,
    bindingOf(scope.organizationId, id, 'credentials'),
    JSON.stringify(credentials),
  );
}

/**
 * These fields of the stored credentials; none where the account was disconnected or the box does
 * not open.
 */
export function storedFields(
  scope: WriteScope,
  keyring: Keyring,
  { id, credentials }: Pick<store.ConnectionRow, 'id' | 'credentials'>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (credentials === null || names.length === 0) return {};
  const text = unsealOrNull(
    keyring,
    bindingOf(scope.organizationId, id, 'credentials'),
    credentials,
  );
  const stored = Object.entries(text === null ? {} : JSON.parse(text));
  return Object.fromEntries(stored.filter(([name]) => names.includes(name)));
}
