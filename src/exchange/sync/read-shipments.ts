import type { SealedConnection } from '../../features/connections/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { streamOf } from '../streams.ts';
import { openConnection } from '../wire/open-connection.ts';
import { originOfOne } from './origin.ts';
import { storeReads } from './store-reads.ts';

const AT_ONCE = 25;

/**
 * Reads single shipments of a carrier with their histories.
 * @param ids as the carrier's stream knows them
 * @returns how many were asked for, and how many held something new
 * @throws UpstreamError
 */
export async function readShipments(
  parts: ExchangeParts,
  connection: SealedConnection,
  ids: readonly string[],
): Promise<{ read: number; changed: number }> {
  const { connector, call } = openConnection(parts, connection);
  const one = streamOf(connector, 'shipments')?.one;
  const report = { read: 0, changed: 0 };
  if (!one) return report;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const origin = originOfOne(connection, parts.clock);
    const batch = ids.slice(at, at + AT_ONCE);
    const found = await Promise.all(batch.map((id) => one(call.step(), id)));
    report.read += batch.length;
    report.changed += (await storeReads(parts, 'shipments', origin, found.flat())).changed;
  }
  return report;
}
