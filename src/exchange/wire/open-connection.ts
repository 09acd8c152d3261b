import { type ConnectedService, findService } from '../../carriers/registry.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import { openCredentials, type SealedConnection } from '../../features/connections/index.ts';
import { applicationOf, type ExchangeParts, reachOf } from '../parts.ts';
import { openCall, type StepCall } from './call.ts';
import type { CallObserver } from './call-state.ts';
import type { Patience } from './patience.ts';
import { renewCredentials } from './renew-credentials.ts';

interface OpenConnection {
  readonly connector: ConnectedService;
  readonly call: StepCall<unknown>;
}

export interface OpenOptions {
  /** Other addresses for single hosts. */
  readonly hostUrls?: Readonly<Record<string, string>>;
  readonly observer?: CallObserver;
  readonly patience?: Patience | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Unseals a connection's credentials and readies its calls. */
export function openConnection(
  parts: ExchangeParts,
  connection: SealedConnection,
  { hostUrls, observer, patience, signal }: OpenOptions = {},
): OpenConnection {
  const connector = findService(connection.service);
  if (!connector) throw new Error(`no connector for ${connection.service}`);
  const credentials = openCredentials(parts.keyring, connection);
  if (credentials === null)
    throw new UpstreamError(
      'unauthorized',
      connection.service,
      'the connection has no credentials',
    );
  const call = openCall(parts, {
    connector,
    credentials,
    application: applicationOf(parts, connector.slug),
    lane: connection.id,
    ...reachOf(parts, connection, hostUrls),
    ...(observer && { observer }),
    ...(patience && { patience }),
    signal,
    renew: (stale) => renewCredentials(parts, connection, connector, stale),
  });
  return { connector, call };
}
