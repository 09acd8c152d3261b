import type { Carrier } from '../../carriers/contract.ts';
import { findService } from '../../carriers/registry.ts';
import {
  connectionById,
  isParked,
  type SealedConnection,
} from '../../features/connections/index.ts';
import { shipmentsOfChangedDays } from '../../features/shipments/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { type ConnectionJob, recordingOutcome } from '../wire/job-outcome.ts';
import { readShipments } from './read-shipments.ts';

/** Sync runs may have looked a little before the last trace began. */
const OVERLAP = { minutes: 10 };
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
  const traceEvery = findService(connection.service)?.traceEvery;
  if (!traceEvery) return null;
  const since = parts.clock.now().subtract(traceEvery).subtract(OVERLAP);
  const ids = await organization.read((scope) =>
    shipmentsOfChangedDays(scope, connectionId, connection.service as Carrier, since),
  );
  const { read: traced, changed } = await readShipments(parts, connection, ids);
  parts.log.of('sync').info({ connection: connectionId, traced, changed }, 'histories traced');
  return { traced, changed };
}
