import type { ServiceSlug } from '../../carriers/contract.ts';
import { findService, streamsOfKind } from '../../carriers/registry.ts';
import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type ConnectionState, listConnections } from './connections.ts';
import { lastSyncs } from './streams.ts';

/** Whether one of the organisation's accounts has something to be had at all, and how fresh it is. */
export interface Offer {
  readonly service: ServiceSlug;
  readonly accountId: string;
  readonly connectionId: string;
  readonly state: ConnectionState;
  /** False = this service does not give it, and never will by waiting. */
  readonly isOffered: boolean;
  readonly lastSyncAt: Instant | null;
}

/** Which of the organisation's accounts offer a stream, such as balances; not those of which it would be no question. */
export async function listOffers(scope: ReadScope, stream: StreamName): Promise<Offer[]> {
  const synced = new Map(
    (await lastSyncs(scope, stream)).map((row) => [row.connection_id, row.last_sync_at]),
  );
  const connections = (await listConnections(scope)).filter(({ service }) =>
    streamsOfKind(service).includes(stream),
  );
  return connections.map(({ service, accountId, id, state }) => ({
    service,
    accountId,
    connectionId: id,
    state,
    isOffered: findService(service)?.[stream] !== undefined,
    lastSyncAt: synced.get(id) ?? null,
  }));
}
