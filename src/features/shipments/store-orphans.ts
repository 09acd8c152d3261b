import type { Carrier } from '../../carriers/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';
import { type EventRow, eventOf } from './event-row.ts';
import type { ShipmentEvent } from './shipment.ts';

/** An event whose shipment is not known yet. */
export interface OrphanEvent extends ShipmentEvent {
  readonly carrier: Carrier;
  readonly recordedAt: Instant;
}

/** Carrier, tracking number, instant in ISO 8601 and code. */
export type OrphanPosition = readonly [string, string, string, string];

type OrphanRow = EventRow & Pick<Rows['shipment_events'], 'recorded_at'>;

const PAGE = statement<OrphanRow>(
  'shipments.orphans',
  `select carrier, tracking_number, code, category, description, location, occurred_at,
          recorded_at, source
     from shipment_events
    where organization_id = $1 and shipment_id is null
      and (carrier, tracking_number, occurred_at, code)
        > ($2, $3, coalesce($4::timestamptz, '-infinity'), $5)
    order by carrier, tracking_number, occurred_at, code limit $6`,
);

/** Below every row. */
const FIRST = ['', '', null, ''] as const;

/** By carrier and tracking number, the oldest event of each first. */
export async function pageOfOrphans(
  scope: ReadScope,
  after: OrphanPosition | null,
  limit: number,
): Promise<OrphanEvent[]> {
  const rows = await scope.prepared(PAGE, [...(after ?? FIRST), limit]);
  return rows.map((row) => ({
    carrier: row.carrier as Carrier,
    recordedAt: row.recorded_at,
    ...eventOf(row),
  }));
}
