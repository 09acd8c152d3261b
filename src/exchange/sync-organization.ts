import type { ServiceSlug } from '../carriers/contract.ts';
import { findService } from '../carriers/registry.ts';
import type { StreamName } from '../connectors/contract.ts';
import { type Connection, connectionById, listConnections } from '../features/connections/index.ts';
import { streamsOf } from './connect.ts';
import { consequenceOf, UpstreamError } from './errors.ts';
import type { ExchangeParts } from './parts.ts';
import { runStream, type StreamReport } from './run-stream.ts';

export interface SyncRequest {
  readonly organizationId: string;
  readonly service: ServiceSlug | null;
  readonly stream: StreamName | null;
}

export interface SyncedStream extends StreamReport {
  /** Or the carrier: named as the option of the command line is. */
  readonly marketplace: ServiceSlug;
  readonly stream: StreamName;
  /** In Spanish; absent when all went well. */
  readonly error?: string;
}

/** Each holds its stream by a connection to the database of its own. */
const ACCOUNTS_AT_ONCE = 10;

/** Runs an organisation's streams now, due or not, each to its end; one that fails does not stop the others. */
export async function syncOrganization(parts: ExchangeParts, request: SyncRequest): Promise<SyncedStream[]> {
  const organization = parts.database.within(request.organizationId);
  const connections = (await organization.read(listConnections)).filter(
    ({ state, service }) =>
      state !== 'disconnected' && (request.service === null || service === request.service),
  );
  const reports: SyncedStream[][] = [];
  const waiting = connections.entries();
  const takeOneByOne = async () => {
    for (const [place, connection] of waiting) reports[place] = await syncAccount(parts, request, connection);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, takeOneByOne));
  return reports.flat();
}

async function syncAccount(
  parts: ExchangeParts,
  request: SyncRequest,
  { id, service }: Connection,
): Promise<SyncedStream[]> {
  const connector = findService(service);
  const streams = connector ? streamsOf(connector).map(([stream]) => stream) : [];
  const done: SyncedStream[] = [];
  for (const stream of streams)
    if (request.stream === null || stream === request.stream)
      done.push(await syncOne(parts, request.organizationId, id, service, stream));
  return done;
}

async function syncOne(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
  service: ServiceSlug,
  stream: StreamName,
): Promise<SyncedStream> {
  const connection = await parts.database
    .within(organizationId)
    .read((scope) => connectionById(scope, connectionId));
  const nothing = { pages: 0, items: 0, changed: 0, unreadable: 0 };
  try {
    const report =
      connection && (await runStream(parts, connection, stream, { sweep: true, ifRunning: 'wait' }));
    return { marketplace: service, stream, ...(report ?? nothing) };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { marketplace: service, stream, ...nothing, error: consequenceOf(error.kind, service).message };
  }
}
