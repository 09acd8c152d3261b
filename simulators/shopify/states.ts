/** In which states an order is, and its parcels. */
import { dice } from '../dice.ts';
import { type Order, reachedAt } from '../order.ts';
import { isRefundedByCancelling } from './facts.ts';
import { iso, isoOrNull } from './shown.ts';

export function financialStatus(order: Order, now: number): string {
  if (isRefundedByCancelling(order, now) || reachedAt(order, 'refunded', now) !== null)
    return 'REFUNDED';
  if (reachedAt(order, 'cancelled', now) !== null) return 'VOIDED';
  if (reachedAt(order, 'partially_refunded', now) !== null) return 'PARTIALLY_REFUNDED';
  if (reachedAt(order, 'paid', now) !== null) return 'PAID';
  return dice('unpaid', order.id).pick(['PENDING', 'AUTHORIZED']);
}

export function fulfillmentStatus(order: Order, now: number): string {
  if (reachedAt(order, 'shipped', now) !== null) return 'FULFILLED';
  return reachedAt(order, 'packed', now) === null ? 'UNFULFILLED' : 'IN_PROGRESS';
}

export function returnStatus(order: Order, now: number): string {
  if (reachedAt(order, 'returned', now) !== null) return 'RETURNED';
  return reachedAt(order, 'returning', now) === null ? 'NO_RETURN' : 'IN_PROGRESS';
}

/** A cancelled fulfilment beside the one that counts, now and then. */
export function fulfillmentsOf(order: Order, now: number) {
  const shipped = reachedAt(order, 'shipped', now);
  if (shipped === null) return [];
  const delivered = reachedAt(order, 'delivered', now);
  const live = {
    id: `gid://shopify/Fulfillment/${order.id}1`,
    status: 'SUCCESS',
    displayStatus: delivered === null ? 'IN_TRANSIT' : 'DELIVERED',
    inTransitAt: iso(shipped),
    deliveredAt: isoOrNull(delivered),
    trackingInfo: order.inPerson
      ? []
      : [{ company: 'Estafeta', number: order.tracking, url: null }],
  };
  const dead = {
    ...live,
    id: `${live.id}0`,
    status: 'CANCELLED',
    displayStatus: 'CANCELED',
    deliveredAt: null,
  };
  return dice('wrong parcel', order.id).chance(1 / 6) ? [dead, live] : [live];
}

const PUT_AWAY_AFTER = 3_600_000;

/** Put away some time after it was sent or called off. */
export function closedAt(order: Order, now: number): number | null {
  const done = reachedAt(order, 'cancelled', now) ?? reachedAt(order, 'shipped', now);
  return done !== null && done + PUT_AWAY_AFTER <= now ? done + PUT_AWAY_AFTER : null;
}
