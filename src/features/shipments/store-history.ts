import type { SourceShipment } from '../../carriers/contract.ts';
import { bulk } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { type EventRow, eventOf } from './event-row.ts';
import type { CarrierAccount, ShipmentEvent, ShipmentIdentity } from './shipment.ts';
import { identityOf, KEYS, keyRowOf } from './store-keys.ts';

const EVENTS = bulk('shipment_events', [
  'tracking_number',
  'code',
  'occurred_at',
  'category',
  'description',
  'location',
  'shipment_id',
]);

const ADD = EVENTS.statement(
  'shipments.add-events',
  (given) => `insert into shipment_events
     (organization_id, carrier, account_id, recorded_at, source, ${EVENTS.names})
   select $1, $2::text, $3::text, $4::timestamptz, 'tracking_history', given.* from ${given}
   on conflict (organization_id, carrier, tracking_number, code, occurred_at) do update
     set category = excluded.category, account_id = excluded.account_id,
         shipment_id = excluded.shipment_id
     where (shipment_events.category, shipment_events.account_id, shipment_events.shipment_id)
       is distinct from (excluded.category, excluded.account_id, excluded.shipment_id)`,
);

/**
 * Stores the history that the carrier returned for these shipments. Known events stay unchanged.
 */
export async function addEvents(
  scope: WriteScope,
  { carrier, accountId }: CarrierAccount,
  shipments: readonly SourceShipment[],
): Promise<void> {
  const rows = shipments.flatMap(({ id, events }) =>
    events.map((event) => ({
      tracking_number: event.trackingNumber,
      code: event.code,
      occurred_at: event.occurredAt,
      category: event.category,
      description: event.description,
      location: event.location,
      shipment_id: id,
    })),
  );
  // One statement may not upsert one key twice.
  const distinct = new Map(
    rows.map((row) => [[row.tracking_number, row.code, row.occurred_at].join('\n'), row]),
  );
  if (distinct.size === 0) return;
  const place = [carrier, accountId, scope.clock.now().toString()];
  await scope.prepared(ADD, ADD.values(place, [...distinct.values()]));
}

interface OwnedEventRow extends EventRow {
  readonly account_id: string;
  readonly id: string;
}

const OF_SHIPMENTS = KEYS.statement<OwnedEventRow>(
  'shipments.events',
  (
    given,
  ) => `select e.carrier, e.account_id, e.shipment_id as id, e.tracking_number, e.code, e.category,
          e.description, e.location, e.occurred_at, e.source
     from ${given}
     join shipment_events e on e.organization_id = $1 and e.carrier = given.carrier
       and e.account_id = given.account_id and e.shipment_id = given.id
    order by e.occurred_at, e.seq`,
);

/** The oldest first. */
export async function eventsOf(
  scope: ReadScope,
  shipments: readonly ShipmentIdentity[],
): Promise<(ShipmentEvent & { of: ShipmentIdentity })[]> {
  if (shipments.length === 0) return [];
  const values = OF_SHIPMENTS.values([], shipments.map(keyRowOf));
  const rows = await scope.prepared(OF_SHIPMENTS, values);
  return rows.map((row) => ({ of: identityOf(row), ...eventOf(row) }));
}
