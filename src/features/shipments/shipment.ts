import { hash } from 'node:crypto';
import type {
  Carrier,
  EventSource,
  ShipmentCategory,
  SourceShipment,
  SourceShipmentEvent,
} from '../../carriers/contract.ts';
import { compareInstants, earlier, type Instant } from '../../platform/time.ts';
import { isOlder, isOlderThanStored, type Version } from '../../platform/version.ts';
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

export type CarrierAccount = Omit<CarrierSource, 'connectionId'>;

/** A shipment as it is kept: with a category, and the order that it was found to carry. */
export interface Shipment
  extends Omit<
      SourceShipment,
      'category' | 'events' | 'details' | 'raw' | 'changedAt' | 'fetchedAt'
    >,
    CarrierSource {
  readonly category: ShipmentCategory;
  readonly order: OrderIdentity | null;
}

export interface ShipmentEvent extends Omit<SourceShipmentEvent, 'raw'> {
  readonly source: EventSource;
}

/** Where a parcel stands of which nothing that we know was ever said. */
export const AT_FIRST: ShipmentCategory = 'PREPARACION';

/**
 * A state that nobody knows leaves the category as it was; at first sight, as its history has it.
 */
export function settledCategory(
  source: SourceShipment,
  former: ShipmentCategory | null,
): ShipmentCategory {
  const told = source.events.findLast(({ category }) => category !== null)?.category;
  return source.category ?? former ?? told ?? AT_FIRST;
}

/** A reading that was fetched so much later counts, whatever the times of its steps say. */
const CLEARLY_LATER_MS = 10 * 60_000;

/**
 * Whether a reading of a shipment is older than another. A carrier may take a step back, and the
 * shipment then has an older change time for good; and a step may be dated ahead, which no change
 * can be.
 */
export function isOlderReading(given: Version, other: Version): boolean {
  const later = given.fetchedAt.epochMilliseconds - other.fetchedAt.epochMilliseconds;
  return Math.abs(later) >= CLEARLY_LATER_MS
    ? later < 0
    : isOlder(withinFetch(given), withinFetch(other));
}

/**
 * The same against what is stored, by `isOlderThanStored` where that was read by a clock that is
 * ahead of this one.
 */
export function isOlderThanKept(given: Version, kept: Version, now: Instant): boolean {
  const isAhead = compareInstants(kept.fetchedAt, now) > 0;
  return isAhead
    ? isOlderThanStored(withinFetch(given), withinFetch(kept), now)
    : isOlderReading(given, kept);
}

function withinFetch({ changedAt, fetchedAt }: Version): Version {
  return { changedAt: changedAt && earlier(changedAt, fetchedAt), fetchedAt };
}

/** Equal fingerprints = nothing new to keep, to show or to tell. */
export function fingerprintOf({ fetchedAt, raw, events, ...shown }: SourceShipment): string {
  const told = events.map(({ raw: _, ...event }) => event);
  return hash('sha256', JSON.stringify([shown, told]), 'base64url').slice(0, 22);
}
