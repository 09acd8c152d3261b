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

/** The identity of a shipment. */
export interface ShipmentIdentity {
  readonly carrier: Carrier;
  readonly accountId: string;
  readonly id: string;
}

/** The carrier account that something was read from, and the connection that read it. */
export interface CarrierSource {
  readonly carrier: Carrier;
  readonly accountId: string;
  readonly connectionId: string;
}

export type CarrierAccount = Omit<CarrierSource, 'connectionId'>;

/** A stored shipment: with its category, and the order that it was found to carry. */
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

/** The category of a parcel without any known event. */
export const AT_FIRST: ShipmentCategory = 'PREPARACION';

/**
 * An unknown state leaves the category unchanged; for a new parcel its history gives the category.
 */
export function settledCategory(
  source: SourceShipment,
  former: ShipmentCategory | null,
): ShipmentCategory {
  const reported = source.events.findLast(({ category }) => category !== null)?.category;
  return source.category ?? former ?? reported ?? AT_FIRST;
}

/** A reading that was fetched this much later counts, regardless of the times of its steps. */
const CLEARLY_LATER_MS = 10 * 60_000;

/**
 * Whether a reading of a shipment is older than another. A carrier may revert a step, and the
 * shipment then has an older change time permanently; and a step may have a future date, which no
 * change can have.
 */
export function isOlderReading(given: Version, other: Version): boolean {
  const later = given.fetchedAt.epochMilliseconds - other.fetchedAt.epochMilliseconds;
  return Math.abs(later) >= CLEARLY_LATER_MS
    ? later < 0
    : isOlder(withinFetch(given), withinFetch(other));
}

/**
 * The same against the stored version, by `isOlderThanStored` where that was read by a clock that
 * is ahead of this one.
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

/**
 * Equal fingerprints = nothing new to show or to send. The carrier's own data model is not part of
 * it: it has data of buyers, which a hash without a key would not hide.
 */
export function fingerprintOf({
  fetchedAt,
  raw,
  details,
  events,
  ...shown
}: SourceShipment): string {
  const reported = events.map(({ raw: _, ...event }) => event);
  return hash('sha256', JSON.stringify([shown, reported]), 'base64url').slice(0, 22);
}
