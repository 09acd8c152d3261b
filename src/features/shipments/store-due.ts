import type { Carrier } from '../../carriers/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { Instant } from '../../platform/time.ts';

type IdRow = Pick<Rows['shipments'], 'id'>;

const QUIET = statement<IdRow>(
  'shipments.quiet',
  `select s.id from shipments s
    where s.organization_id = $1 and s.connection_id = $2 and not s.is_final and s.id > $3
      and not exists (
        select from shipment_events e
         where e.organization_id = $1 and e.carrier = s.carrier
           and e.tracking_number = s.tracking_number and e.source = 'webhook' and e.recorded_at > $4::timestamptz)
    order by s.id limit $5`,
);

/** Open shipments without a webhook since then, in order of id. */
export async function quietShipments(
  scope: ReadScope,
  connectionId: string,
  since: Instant,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await scope.prepared(QUIET, [connectionId, after ?? '', since.toString(), limit]);
  return rows.map(({ id }) => id);
}

/** Shipments with a recent change, and those still open that were documented on the same days. */
const OF_CHANGED_DAYS = statement<IdRow>(
  'shipments.of-changed-days',
  `with changed as materialized (
     select distinct s.id, (s.created_at at time zone 'America/Mexico_City')::date as day
       from shipment_events e
       join shipments s on s.organization_id = e.organization_id and s.carrier = e.carrier
        and s.account_id = e.account_id and s.id = e.shipment_id
      where e.organization_id = $1 and e.carrier = $3 and e.recorded_at > $4::timestamptz
        and s.connection_id = $2)
   select id from changed
    union
   select id from shipments
    where organization_id = $1 and connection_id = $2 and not is_final
      and (created_at at time zone 'America/Mexico_City')::date in (select day from changed)
    order by 1`,
);

export async function shipmentsOfChangedDays(
  scope: ReadScope,
  connectionId: string,
  carrier: Carrier,
  since: Instant,
): Promise<string[]> {
  const rows = await scope.prepared(OF_CHANGED_DAYS, [connectionId, carrier, since.toString()]);
  return rows.map(({ id }) => id);
}
