import type { Marketplace, StreamName } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type ConnectionState, listConnections } from './connections.ts';
import { lastSyncs } from './streams.ts';

/** Whether one of the organisation's accounts has something to be had at all, and how fresh it is. */
export interface Offer {
  readonly marketplace: Marketplace;
  readonly accountId: string;
  readonly connectionId: string;
  readonly state: ConnectionState;
  /** False = this marketplace does not give it, and never will by waiting. */
  readonly isOffered: boolean;
  readonly lastSyncAt: Instant | null;
}

/** Which of the organisation's accounts offer a stream, such as balances. */
export async function listOffers(scope: ReadScope, stream: StreamName): Promise<Offer[]> {
  const synced = new Map(
    (await lastSyncs(scope, stream)).map((row) => [row.connection_id, row.last_sync_at]),
  );
  return (await listConnections(scope)).map(({ marketplace, accountId, id, state }) => ({
    marketplace,
    accountId,
    connectionId: id,
    state,
    isOffered: findConnector(marketplace)?.[stream] !== undefined,
    lastSyncAt: synced.get(id) ?? null,
  }));
}
