import { z } from 'zod';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import { connectionById, isParked } from '../../features/connections/index.ts';
import { type Batch, batchById } from '../../features/warehouse/index.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { readShipments } from '../sync/read-shipments.ts';

/**
 * Reads the shipments of a batch's new guides: the next sync run would list them up to an hour
 * later. Where the carrier does not answer, that sync run brings them.
 */
export const readGuidesJob = defineJob({
  name: 'guides-read',
  policy: 'short',
  retries: 2,
  concurrency: 4,
  isResumable: true,
  payload: z.object({ organizationId: z.string(), batchId: z.string() }),
  async run(parts: ExchangeParts, { organizationId, batchId }) {
    const organization = parts.database.within(organizationId);
    const batch = await organization.read((scope) => batchById(scope, batchId));
    for (const [connectionId, trackings] of madeGuides(batch)) {
      const connection = await organization.read((scope) => connectionById(scope, connectionId));
      if (!connection || isParked(connection)) continue;
      try {
        await readShipments(parts, connection, trackings);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        parts.log
          .of('guides')
          .info({ connection: connectionId, kind: error.kind }, 'new guides are not read yet');
      }
    }
    return null;
  },
});

/** Tracking numbers by connection. */
function madeGuides({ lines }: Batch): Map<string, string[]> {
  const made = new Map<string, string[]>();
  for (const { outcome, attempt } of lines) {
    const { connectionId, trackingNumber } = attempt ?? {};
    if (outcome !== 'generated' || !connectionId || !trackingNumber) continue;
    made.set(connectionId, [...(made.get(connectionId) ?? []), trackingNumber]);
  }
  return made;
}
