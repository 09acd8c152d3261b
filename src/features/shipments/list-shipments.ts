import {
  CARRIERS,
  type Carrier,
  SHIPMENT_CATEGORIES,
  type ShipmentCategory,
} from '../../carriers/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../../platform/time.ts';
import { makeWalkCursor, openWalkCursor } from '../../platform/walk-cursor.ts';
import type { Shipment, ShipmentEvent, ShipmentIdentity } from './shipment.ts';
import * as store from './store.ts';

export interface ShipmentQuery {
  readonly carrier: Carrier | null;
  readonly category: readonly ShipmentCategory[];
  /** Of the parcel or of its guide. */
  readonly trackingNumber: string | null;
  /** The linked order's id at its marketplace. */
  readonly orderId: string | null;
  /** Both bounds are of the creation, and inclusive. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly limit: number;
  readonly cursor: string | null;
  /** False: without their histories, which then stay unread. */
  readonly withEvents: boolean;
}

export interface ListedShipment {
  readonly shipment: Shipment;
  readonly events: readonly ShipmentEvent[];
}

export interface ShipmentPage {
  readonly shipments: readonly ListedShipment[];
  readonly nextCursor: string | null;
}

/** The newest first, each with its history where it is wanted, the oldest event first. @throws Failure invalid_cursor */
export async function listShipments(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, from, to, carrier, category, trackingNumber, orderId, withEvents }: ShipmentQuery,
): Promise<ShipmentPage> {
  const walk = { kind: 'shipments', organizationId: scope.organizationId };
  const given = {
    carrier,
    category,
    trackingNumber,
    orderId,
    from: from && epochMicros(from),
    to: to && epochMicros(to),
  };
  const opened =
    cursor === null
      ? null
      : openWalkCursor<typeof given, store.ShipmentPosition>(cursors, walk, cursor, given);
  const filters = opened?.filters ?? given;
  const found = await store.pageOfShipments(scope, {
    ...filters,
    carriers: filters.carrier === null ? CARRIERS : [filters.carrier],
    categories: filters.category.length === 0 ? SHIPMENT_CATEGORIES : filters.category,
    isWhole: filters.carrier === null && filters.category.length === 0,
    from: filters.from === null ? null : fromEpochMicros(filters.from),
    to: filters.to === null ? null : fromEpochMicros(filters.to),
    after: opened?.position ?? null,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const shipments = await historiesOf(scope, withEvents ? page : [], page);
  const last = page.at(-1);
  if (found.length <= limit || !last) return { shipments, nextCursor: null };
  const position = [epochMicros(last.createdAt), last.carrier, last.accountId, last.id];
  return { shipments, nextCursor: makeWalkCursor(cursors, walk, filters, position) };
}

/** @param told those of which the history is read */
async function historiesOf(
  scope: ReadScope,
  told: readonly Shipment[],
  shipments: readonly Shipment[],
): Promise<ListedShipment[]> {
  const events = Map.groupBy(await store.eventsOf(scope, told), ({ of }) => keyOf(of));
  return shipments.map((shipment) => ({ shipment, events: events.get(keyOf(shipment)) ?? [] }));
}

function keyOf({ carrier, accountId, id }: ShipmentIdentity): string {
  return JSON.stringify([carrier, accountId, id]);
}
