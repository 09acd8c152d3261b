/** What follows from the world for Tiendanube: ids, its three statuses, and times. */
import { dice } from '../dice.ts';
import { cents, type Order, reachedAt, type State, stepAt } from '../order.ts';
import type { Switches } from './shop.ts';

/** The context of an order: the time, what the test turned, and in which version. */
export interface View {
  readonly now: () => number;
  readonly switches: Switches;
  /** Dated versions have shipping only in fulfillment orders. */
  readonly isDated: boolean;
}

interface Statuses {
  readonly status: 'open' | 'closed' | 'cancelled';
  readonly payment_status: string;
  readonly shipping_status: string;
  /** Absent in dated versions. */
  readonly next_action?: string;
}

/** In none of them goods that came back can be seen. */
export function statusesOf(order: Order, { now, switches, isDated }: View): Statuses {
  const at = now();
  const reached = (state: State) => reachedAt(order, state, at) !== null;
  const isArchived = closedAt(order, at) !== null && !isReopened(order);
  return {
    status: reached('cancelled') ? 'cancelled' : isArchived ? 'closed' : 'open',
    payment_status: paymentOf(order, at),
    ...(isDated
      ? { shipping_status: datedShippingOf(order, at) }
      : { shipping_status: shippingOf(order, at, switches), next_action: nextActionOf(order, at) }),
  };
}

function paymentOf(order: Order, at: number): string {
  const own = dice('tiendanube payment', order.id);
  if (reachedAt(order, 'refunded', at) !== null) return 'refunded';
  if (reachedAt(order, 'cancelled', at) !== null)
    return own.pick(['voided', 'abandoned', 'pending']);
  if (reachedAt(order, 'partially_refunded', at) !== null) return 'partially_refunded';
  return reachedAt(order, 'paid', at) === null ? own.pick(['pending', 'authorized']) : 'paid';
}

/** The documents say one word, the examples another. */
function shippingOf(order: Order, at: number, switches: Switches): string {
  const own = dice('tiendanube shipping', order.id);
  const waiting = own.pick(['unpacked', 'unfulfilled', 'unshipped']);
  if (reachedAt(order, 'delivered', at) !== null) return 'delivered';
  if (reachedAt(order, 'shipped', at) !== null) return own.pick(['shipped', 'fulfilled']);
  if (switches.legacy.has(order.id)) return 'unshipped';
  return switches.partlySent.has(order.id) ? 'partially_fulfilled' : waiting;
}

function datedShippingOf(order: Order, at: number): string {
  if (reachedAt(order, 'delivered', at) !== null) return 'delivered';
  if (reachedAt(order, 'shipped', at) !== null) return 'shipped';
  return reachedAt(order, 'packed', at) === null ? 'unpacked' : 'unshipped';
}

function nextActionOf(order: Order, at: number): string {
  if (reachedAt(order, 'shipped', at) !== null) return 'close';
  if (reachedAt(order, 'packed', at) !== null)
    return dice('tiendanube packed', order.id).pick(['waiting_shipment', 'waiting_pickup']);
  return reachedAt(order, 'paid', at) === null ? 'waiting_manual_confirmation' : 'waiting_packing';
}

/**
 * Archived with the delivery, by some sellers; a reopened order keeps the time at which it was put
 * away before.
 */
export function closedAt(order: Order, at: number): number | null {
  if (isReopened(order)) return reachedAt(order, 'paid', at);
  return dice('tiendanube archive', order.id).chance(1 / 3)
    ? reachedAt(order, 'delivered', at)
    : null;
}

function isReopened(order: Order): boolean {
  return dice('tiendanube reopened', order.id).chance(1 / 8);
}

export function changedAt(order: Order, now: number): number {
  return stepAt(order, now).at;
}

/** In cents: what the buyer pays for shipping. */
export function shippingCost(order: Order): number {
  if (order.shipping !== null) return cents(order.shipping);
  return dice('tiendanube charges', order.id).pick([0, 0, 9_900, 14_950]);
}

/** In cents: what the carrier asks of the seller. */
export function carrierCost(order: Order): number {
  return dice('tiendanube carrier', order.id).pick([8_500, 12_000]);
}

/** What kind of discount the world's coupon is here. */
export function discountKind(order: Order): 'coupon' | 'gateway' | 'promotion' {
  return dice('tiendanube discount', order.id).pick(['coupon', 'gateway', 'promotion']);
}

/** In cents: goods and shipping, less the discount. */
export function totalOf(order: Order): number {
  return cents(order.total) - cents(order.coupon) + shippingCost(order);
}

export function productId(sku: string): number {
  return dice('tiendanube product', sku).whole(10_000_000, 99_999_999);
}

export function variantId(sku: string): number {
  return dice('tiendanube variant', sku).whole(100_000_000, 999_999_999);
}
