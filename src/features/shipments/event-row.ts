import type { EventSource, ShipmentCategory } from '../../carriers/contract.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { ShipmentEvent } from './shipment.ts';

/** The columns of a stored event of a parcel. */
export type EventRow = Pick<
  Rows['shipment_events'],
  | 'carrier'
  | 'tracking_number'
  | 'code'
  | 'category'
  | 'description'
  | 'location'
  | 'occurred_at'
  | 'source'
>;

export function eventOf(row: EventRow): ShipmentEvent {
  return {
    trackingNumber: row.tracking_number,
    code: row.code,
    category: row.category as ShipmentCategory | null,
    description: row.description,
    location: row.location,
    occurredAt: row.occurred_at,
    source: row.source as EventSource,
  };
}
