import type { StreamName } from '../../connectors/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { Connection } from './connection.ts';
import { listConnections } from './connections.ts';
import { lagOf, mainStreamOf, withLag } from './lag.ts';
import { allStreams } from './store-streams.ts';
import { countAllUnreadable } from './store-unreadable.ts';
import { hasFailedSince } from './streams.ts';

/** A stream of a connection, as far as it was read. */
interface StreamOverview {
  readonly stream: StreamName;
  /** Rows read since the account was connected. */
  readonly items: number;
  /** Null = no sync run has finished yet. */
  readonly lastSyncAt: Instant | null;
  readonly isFirstImport: boolean;
  /** A sync run has begun, and has neither finished nor failed. */
  readonly isUnderWay: boolean;
  /** A sync run has begun, and has not finished. */
  readonly isReadInPart: boolean;
  /** Rows that could not be read or stored. */
  readonly setAside: number;
}

interface ConnectionOverview extends Connection {
  readonly streams: readonly StreamOverview[];
}

/** Every account of the organisation with its streams; former accounts too. */
export async function connectionOverviews(scope: ReadScope): Promise<ConnectionOverview[]> {
  const streams = await allStreams(scope);
  const aside = await countAllUnreadable(scope);
  const asideOf = new Map(
    aside.map(({ connection_id, stream, count }) => [`${connection_id} ${stream}`, count]),
  );
  const now = scope.clock.now();
  return (await listConnections(scope)).map((connection) => {
    const own = streams.filter(({ connection_id }) => connection_id === connection.id);
    const main = own.find(({ stream }) => stream === mainStreamOf(connection.service));
    return {
      ...connection,
      ...withLag(connection.service, connection, lagOf(main?.last_sync_at ?? null, now)),
      streams: own.map((row) => ({
        stream: row.stream as StreamName,
        items: row.items,
        lastSyncAt: row.last_sync_at,
        isFirstImport: row.first_import_done_at === null,
        isUnderWay: row.window_to !== null && !hasFailedSince(row),
        isReadInPart: row.window_to !== null,
        setAside: asideOf.get(`${connection.id} ${row.stream}`) ?? 0,
      })),
    };
  });
}
