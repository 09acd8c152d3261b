import type { Call, Connector } from '../connectors/contract.ts';
import { findConnector } from '../connectors/registry.ts';
import { openCredentials, type SealedConnection } from '../features/connections/index.ts';
import { openCall } from './call.ts';
import { UpstreamError } from './errors.ts';
import { applicationOf, type ExchangeParts, reachOf } from './parts.ts';
import { renewCredentials } from './renew.ts';

interface OpenConnection {
  readonly connector: Connector<unknown>;
  readonly call: Call<unknown>;
}

/** Unseals a connection's credentials and readies its calls. */
export function openConnection(parts: ExchangeParts, connection: SealedConnection): OpenConnection {
  const connector = findConnector(connection.marketplace);
  if (!connector) throw new Error(`no connector for ${connection.marketplace}`);
  const credentials = openCredentials(parts.keyring, connection);
  if (credentials === null)
    throw new UpstreamError('unauthorized', connection.marketplace, 'the connection has no credentials');
  const call = openCall(parts, {
    connector,
    credentials,
    application: applicationOf(parts, connector.slug),
    lane: connection.id,
    ...reachOf(parts, connection),
    renew: connector.auth.renew ? (stale) => renewCredentials(parts, connection, connector, stale) : null,
  });
  return { connector, call };
}
