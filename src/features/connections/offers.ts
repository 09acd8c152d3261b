import type { ServiceSlug } from '../../carriers/contract.ts';
import { findService, streamsOfKind } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { listConnections } from './connections.ts';
import type { ConnectionState } from './states.ts';
import { lastSyncs } from './streams.ts';

/** Whether an account of the organisation offers a stream, and how fresh its data are. */
export interface Offer {
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly connectionId: string;
  readonly state: ConnectionState;
  /** False = the service does not offer it, now or later. */
  readonly isOffered: boolean;
  readonly lastSyncAt: Instant | null;
  /** No sync run finished yet, or one was cut short and has not been resumed for a while. */
  readonly isBehind: boolean;
  /** A sync run has begun and not finished; the pages read so far are stored. */
  readonly isUnderWay: boolean;
}

/** A run that is under way is not behind. */
const UNDER_WAY = { minutes: 1 };

/**
 * Which of the organisation's accounts offer a stream, such as balances. Accounts of a kind of
 * service that never has the stream are left out.
 */
export async function listOffers(scope: ReadScope, stream: StreamName): Promise<Offer[]> {
  const streams = new Map((await lastSyncs(scope, stream)).map((row) => [row.connection_id, row]));
  const since = scope.clock.now().subtract(UNDER_WAY);
  const connections = (await listConnections(scope)).filter(({ service }) =>
    streamsOfKind(service).includes(stream),
  );
  return connections.map(({ service, accountId, id, state }) => ({
    service,
    accountId,
    connectionId: id,
    state,
    isOffered: findService(service)?.[stream] !== undefined,
    lastSyncAt: streams.get(id)?.last_sync_at ?? null,
    isBehind: isBehind(streams.get(id), since),
    isUnderWay: (streams.get(id)?.window_to ?? null) !== null,
  }));
}

function isBehind(
  stream: { readonly last_sync_at: Instant | null; readonly window_to: Instant | null } | undefined,
  since: Instant,
): boolean {
  if (!stream?.last_sync_at) return true;
  return stream.window_to !== null && Temporal.Instant.compare(stream.window_to, since) < 0;
}
