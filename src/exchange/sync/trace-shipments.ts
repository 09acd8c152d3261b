import type { Carrier } from '../../carriers/contract.ts';
import {
  connectionById,
  isParked,
  type SealedConnection,
} from '../../features/connections/index.ts';
import { shipmentsOfChangedDays } from '../../features/shipments/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamOf } from '../streams.ts';
import { type ConnectionJob, recordingOutcome } from '../wire/job-outcome.ts';
import { openConnection } from '../wire/open-connection.ts';
import { storeReads } from './store-reads.ts';

/** Sync runs may have looked a little before the last trace began. */
const OVERLAP = { minutes: 10 };
const AT_ONCE = 25;
const JOB: ConnectionJob = { alert: 'tracing', stream: 'shipments' };

/**
 * Reads the histories again of the days on which something changed since the last trace: of
 * shipments that moved, and of open ones that were documented on those days.
 * @returns how many histories were read, and how many held something new; null = the connection is
 * parked
 * @throws UpstreamError, or an error of our own, after recording it at the connection
 */
export async function traceShipments(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<{ traced: number; changed: number } | null> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection || isParked(connection)) return null;
  return recordingOutcome(parts, connection, JOB, () => trace(parts, connection));
}

async function trace(
  parts: ExchangeParts,
  connection: SealedConnection,
): Promise<{ traced: number; changed: number } | null> {
  const { id: connectionId, organizationId } = connection;
  const organization = parts.database.within(organizationId);
  const { connector, call } = openConnection(parts, connection);
  const stream = streamOf(connector, 'shipments');
  if (!stream?.one || !connector.traceEvery) return null;
  const since = parts.clock.now().subtract(connector.traceEvery).subtract(OVERLAP);
  const ids = await organization.read((scope) =>
    shipmentsOfChangedDays(scope, connectionId, connection.service as Carrier, since),
  );
  const report = { traced: 0, changed: 0 };
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const startedAt = parts.clock.now();
    const batch = ids.slice(at, at + AT_ONCE);
    const found = await Promise.all(batch.map(async (id) => stream.one?.(call.step(), id) ?? []));
    const origin = { connection, isFirstImport: false, startedAt };
    report.traced += batch.length;
    report.changed += (await storeReads(parts, 'shipments', origin, found.flat())).changed;
  }
  parts.log.of('sync').info({ connection: connectionId, ...report }, 'histories traced');
  return report;
}
