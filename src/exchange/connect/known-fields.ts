import { findService } from '../../carriers/registry.ts';
import { connectionById, openCredentials } from '../../features/connections/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { ExchangeParts } from '../parts.ts';

/**
 * What the form of a connected account already has, by field, so that it is not typed again. Never a
 * secret.
 *
 * @returns empty for an account that was disconnected, whose credentials are gone
 * @throws SealError when the credentials were altered
 */
export async function knownFields(
  { keyring }: Pick<ExchangeParts, 'keyring'>,
  scope: ReadScope,
  connectionId: string,
): Promise<Record<string, string>> {
  const connection = await connectionById(scope, connectionId);
  const form = connection && findService(connection.service)?.auth.form;
  const credentials = form && openCredentials(keyring, connection);
  if (!credentials) return {};
  const stored = new Map<string, unknown>(Object.entries(credentials));
  return Object.fromEntries(
    form.fields.flatMap(({ name, isSecret }) => {
      const value = stored.get(name);
      const isPlain = typeof value === 'string' || typeof value === 'number';
      return !isSecret && isPlain ? [[name, String(value)]] : [];
    }),
  );
}
