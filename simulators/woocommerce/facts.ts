/** What follows from the world for WooCommerce: statuses, ids, and what is charged beside the goods. */
import { dice } from '../dice.ts';
import { cents, decimal, type Line, type Order, reachedAt, type State } from '../order.ts';
import type { Room } from './shop.ts';

/** This store's plugin has a word for what WooCommerce has none for. */
export const ON_ITS_WAY = 'en-camino';
const UNPAID = ['pending', 'on-hold', 'failed'];

/** A return is no status at all. */
export function statusOf(order: Order, { now, switches }: Pick<Room, 'now' | 'switches'>): string {
  if (switches.trashed.has(order.id)) return 'trash';
  const own = switches.status.get(order.id);
  if (own) return own;
  const reached = (state: State) => reachedAt(order, state, now()) !== null;
  if (reached('cancelled')) return 'cancelled';
  if (reached('refunded')) return 'refunded';
  if (reached('delivered')) return 'completed';
  if (reached('shipped')) return ON_ITS_WAY;
  return reached('paid') ? 'processing' : dice('woo status', order.id).pick(UNPAID);
}

/** In cents. */
export function shippingOf(order: Order): number {
  return dice('woo shipping', order.id).pick([0, 0, 9_900, 14_950]);
}

/** In cents: what is paid for the goods, and for bringing them. */
export function totalOf(order: Order): number {
  return cents(order.total) + shippingOf(order);
}

export function titleOf({ title, variant }: Line): string {
  return variant ? `${title} - ${variant.value}` : title;
}

export interface Refund {
  readonly id: number;
  readonly at: number;
  readonly amount: string;
}

/** Newest first, as the store lists them. */
export function refundsOf(order: Order, now: number): Refund[] {
  let left = totalOf(order);
  const found: Refund[] = [];
  for (const { state, at, amount } of order.steps) {
    if (at > now || (state !== 'refunded' && state !== 'partially_refunded')) continue;
    const given = state === 'refunded' ? left : Math.min(left, cents(amount ?? '0'));
    left -= given;
    found.unshift({ id: Number(order.id) * 100 + found.length + 1, at, amount: decimal(given) });
  }
  return found;
}

export function productId(sku: string): number {
  return dice('woo product', sku).whole(1_000, 9_999_999);
}
