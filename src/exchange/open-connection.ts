import { type ConnectedService, findService } from '../carriers/registry.ts';
import type { Call } from '../connectors/contract.ts';
import { openCredentials, type SealedConnection } from '../features/connections/index.ts';
import { openCall } from './call.ts';
import { UpstreamError } from './errors.ts';
import { applicationOf, type ExchangeParts, reachOf } from './parts.ts';
import { renewCredentials } from './renew.ts';

interface OpenConnection {
  readonly connector: ConnectedService;
  readonly call: Call<unknown>;
}

/** Unseals a connection's credentials and readies its calls. `hostUrls`: other addresses for single hosts. */
export function openConnection(
  parts: ExchangeParts,
  connection: SealedConnection,
  hostUrls: Readonly<Record<string, string>> = {},
): OpenConnection {
  const connector = findService(connection.service);
  if (!connector) throw new Error(`no connector for ${connection.service}`);
  const credentials = openCredentials(parts.keyring, connection);
  if (credentials === null)
    throw new UpstreamError('unauthorized', connection.service, 'the connection has no credentials');
  const reach = reachOf(parts, connection);
  const call = openCall(parts, {
    connector,
    credentials,
    application: applicationOf(parts, connector.slug),
    lane: connection.id,
    ...reach,
    hostUrls: { ...reach.hostUrls, ...hostUrls },
    renew: connector.auth.renew ? (stale) => renewCredentials(parts, connection, connector, stale) : null,
  });
  return { connector, call };
}
