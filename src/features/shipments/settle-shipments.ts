import type { ShipmentCategory, Standing } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { ensureClock, type OrderListener } from '../orders/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import { updateOrders } from './relate-order.ts';
import type { Shipment, ShipmentIdentity } from './shipment.ts';
import { shipmentMoved } from './shipment-event.ts';
import { setStandingsOfDetails } from './store-details.ts';
import { reportedEventsOf } from './store-events.ts';
import { type Move, setStandings } from './store-standing.ts';
import { takeUnsettled } from './store-unsettled.ts';
import { byIds, lockShipments } from './store-versions.ts';

export interface SettleOptions {
  /** False = customers get no events. */
  readonly announce: boolean;
  /** Handle an order's change that follows from its parcel. */
  readonly listeners: readonly OrderListener[];
}

const AT_ONCE = 100;

/**
 * Sets the status of shipments from all of their events together, in any source and order; then
 * updates their orders, then emits customers' events. Idempotent.
 * @returns how many statuses changed
 */
export async function settleShipments(
  scope: WriteScope,
  shipments: readonly ShipmentIdentity[],
  { announce, listeners }: SettleOptions,
): Promise<number> {
  if (shipments.length === 0) return 0;
  // An order may change by it, and a transaction that may change an order locks the clock first.
  await ensureClock(scope);
  const moves: Move[] = [];
  for (const [source, ids] of byAccount(shipments)) {
    await lockShipments(scope, source, ids);
    const stored = await byIds(scope, source, ids);
    // Where events do not give the status, only the order's view is corrected: no event is emitted.
    if (!findCarrier(source.carrier)?.standingOf) await updateOrders(scope, stored, []);
    const moved = await movesOf(scope, stored);
    if (moved.length === 0) continue;
    await setStandings(scope, source, moved);
    await setStandingsOfDetails(scope, source, moved);
    moves.push(...moved);
  }
  const moved = moves.map(({ before }) => before);
  await updateOrders(scope, moved, listeners);
  if (announce) await emit(scope, moves.flatMap(eventOf));
  return moves.length;
}

/**
 * Updates the shipments with webhooks that have not been applied yet, a part of them at a time.
 * @returns how many shipments were examined; 0 = none is waiting
 */
export async function settleWaiting(scope: WriteScope, options: SettleOptions): Promise<number> {
  const shipments = await takeUnsettled(scope, AT_ONCE);
  await settleShipments(scope, shipments, options);
  return shipments.length;
}

async function movesOf(scope: WriteScope, stored: readonly Shipment[]): Promise<Move[]> {
  const [first] = stored;
  const standingOf = first && findCarrier(first.carrier)?.standingOf;
  if (!standingOf) return [];
  const reported = await reportedEventsOf(
    scope,
    first.carrier,
    stored.flatMap(({ trackingNumber }) => trackingNumber ?? []),
  );
  return stored.flatMap((before) => {
    const standing = standingOf(reported.get(before.trackingNumber ?? '') ?? []);
    if (!standing) return [];
    const category = standing.category ?? standing.formerCategory ?? before.category;
    return isSame(before, standing, category) ? [] : [{ before, standing, category }];
  });
}

function isSame(before: Shipment, standing: Standing, category: ShipmentCategory): boolean {
  return (
    before.carrierStatus === standing.carrierStatus &&
    before.category === category &&
    before.isFinal === standing.isFinal &&
    before.isDamaged === standing.isDamaged &&
    String(before.pickedUpAt) === String(standing.pickedUpAt) &&
    String(before.deliveredAt) === String(standing.deliveredAt)
  );
}

function eventOf({ before, standing, category }: Move): OutgoingEvent[] {
  if (before.category === category) return [];
  const { carrierStatus, isFinal, isDamaged, pickedUpAt, deliveredAt } = standing;
  const after = { ...before, category, carrierStatus, isFinal, isDamaged, pickedUpAt, deliveredAt };
  return [shipmentMoved(after, before.category)];
}

function byAccount(shipments: readonly ShipmentIdentity[]) {
  const groups = Map.groupBy(shipments, ({ carrier, accountId }) => `${carrier}\n${accountId}`);
  return [...groups.values()].map((group) => {
    const { carrier, accountId } = group[0] as ShipmentIdentity;
    return [{ carrier, accountId }, group.map(({ id }) => id)] as const;
  });
}
