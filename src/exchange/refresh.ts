import { findService } from '../carriers/registry.ts';
import { raiseAlert } from '../features/alerts/index.ts';
import { type Connection, connectionById, openCredentials, setState } from '../features/connections/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { asUpstream, consequenceOf } from './errors.ts';
import type { ExchangeParts } from './parts.ts';
import { renewCredentials } from './renew.ts';

/** Renews a connection's credentials before they end, so that no walk meets a dead token. */
export async function refreshConnection(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<void> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  const connector = connection && findService(connection.service);
  const credentials = connection && openCredentials(parts.keyring, connection);
  if (!connector || credentials === null) return;
  try {
    await renewCredentials(parts, connection, connector, credentials);
  } catch (thrown) {
    const error = asUpstream(thrown, connector.slug);
    if (error?.kind !== 'unauthorized') throw thrown;
    await askToReconnect(organization, connection);
  }
}

/** The seller must connect again; until then nobody is asked. */
export async function askToReconnect(
  organization: OrganizationDatabase,
  { id, service }: Connection,
): Promise<void> {
  const { state, message } = consequenceOf('unauthorized', service);
  await organization.write(async (scope) => {
    const stands = await setState(scope, id, state, message);
    if (stands) await raiseAlert(scope, { kind: 'connection', subject: id, message });
  });
}
