import { hash } from 'node:crypto';
import type {
  Carrier,
  EventSource,
  ShipmentCategory,
  SourceShipment,
  SourceShipmentEvent,
} from '../../carriers/contract.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderIdentity } from '../orders/index.ts';

/** What makes a shipment the same shipment. */
export interface ShipmentIdentity {
  readonly carrier: Carrier;
  readonly accountId: string;
  readonly id: string;
}

/** The account of a carrier that something was read from, and by which connection. */
export interface CarrierSource {
  readonly carrier: Carrier;
  readonly accountId: string;
  readonly connectionId: string;
}

/** A shipment as it is kept: with a category, and the order that it was found to carry. */
export interface Shipment
  extends Omit<SourceShipment, 'category' | 'events' | 'details' | 'raw' | 'changedAt' | 'fetchedAt'>,
    CarrierSource {
  readonly category: ShipmentCategory;
  readonly order: OrderIdentity | null;
}

export interface ShipmentEvent extends Omit<SourceShipmentEvent, 'raw'> {
  readonly source: EventSource;
}

/** Where a parcel stands of which nothing that we know was ever said. */
export const AT_FIRST: ShipmentCategory = 'PREPARACION';

/** A state that nobody knows leaves the category as it was; at first sight, as its history has it. */
export function settledCategory(source: SourceShipment, former: ShipmentCategory | null): ShipmentCategory {
  const told = source.events.findLast(({ category }) => category !== null)?.category;
  return source.category ?? former ?? told ?? AT_FIRST;
}

/** Equal fingerprints = nothing new to keep, to show or to tell. */
export function fingerprintOf({ fetchedAt, raw, events, ...shown }: SourceShipment): string {
  const told = events.map(({ raw: _, ...event }) => event);
  return hash('sha256', JSON.stringify([shown, told]), 'base64url').slice(0, 22);
}

/** Versions follow the carrier's change time; where it is silent or both agree, the time of the fetch. */
export function isOlder(
  given: { readonly changedAt: Instant | null; readonly fetchedAt: Instant },
  other: { readonly changedAt: Instant | null; readonly fetchedAt: Instant },
): boolean {
  const byChange =
    given.changedAt && other.changedAt ? Temporal.Instant.compare(given.changedAt, other.changedAt) : 0;
  return (byChange || Temporal.Instant.compare(given.fetchedAt, other.fetchedAt)) < 0;
}
