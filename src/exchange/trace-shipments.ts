import type { Carrier, SourceShipment } from '../carriers/contract.ts';
import type { Read } from '../connectors/contract.ts';
import { connectionById, setAside } from '../features/connections/index.ts';
import { shipmentsOfChangedDays } from '../features/shipments/index.ts';
import { assertNoneLeft, keepingOf, streamOf } from './keep.ts';
import { openConnection } from './open-connection.ts';
import type { ExchangeParts } from './parts.ts';

/** Walks that met may have looked a little before the last trace began. */
const OVERLAP = { minutes: 10 };
const AT_ONCE = 25;

/**
 * Reads the histories again of the days on which something changed since the last time: of the parcels that moved,
 * and of those still open that were documented on the same days.
 * @returns how many histories were read, and how many said something new; null = there was nobody to ask
 * @throws UpstreamError when it may work another time
 */
export async function traceShipments(
  parts: ExchangeParts,
  organizationId: string,
  connectionId: string,
): Promise<{ traced: number; changed: number } | null> {
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection || connection.state === 'disconnected' || connection.state === 'reauth_required')
    return null;
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
    const found = await Promise.all(batch.map(async (id) => stream.one?.(call, id) ?? []));
    const reads = found.flat() as Read<SourceShipment>[];
    const shipments = reads.filter((read) => read.ok).map((read) => read.item);
    const origin = { connection, isFirstImport: false, startedAt };
    report.traced += batch.length;
    report.changed += await organization.write(async (scope) => {
      await assertNoneLeft(scope, [connection]);
      const changed = await keepingOf('shipments').keep(parts, scope, shipments, origin);
      const unreadable = reads.filter((read) => !read.ok);
      await setAside(scope, connectionId, 'shipments', unreadable);
      return changed;
    });
  }
  parts.log.info({ connection: connectionId, ...report }, 'histories traced');
  return report;
}
