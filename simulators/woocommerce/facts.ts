/**
 * What follows from the world for WooCommerce: statuses, ids, and what is charged beside the goods.
 */
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

/** An amount without IVA, and its IVA, in cents. */
export interface Taxed {
  readonly net: number;
  readonly tax: number;
}

/** What an order comes to, as this shop keeps it. */
export interface Money {
  readonly lines: readonly (Taxed & { readonly full: Taxed })[];
  readonly shipping: Taxed;
  /** What the shop charges for wrapping; null = nothing. */
  readonly fee: Taxed | null;
  /** What the buyer pays, in cents. */
  readonly total: number;
}

const IVA = 16;

/**
 * A coupon of the cart is spread over its lines, by what each comes to; the last one takes the
 * rest.
 */
export function moneyOf(order: Order, { pricesIncludeTax }: Pick<Room, 'pricesIncludeTax'>): Money {
  const taxed = (amount: number) => (pricesIncludeTax ? withinOf(amount) : ontoOf(amount));
  const goods = order.lines.map((line) => cents(line.unitPrice) * line.quantity);
  const all = goods.reduce((sum, amount) => sum + amount, 0);
  let left = cents(order.coupon);
  const lines = order.lines.map((line, index) => {
    const own = goods[index] ?? 0;
    const isLast = index === order.lines.length - 1;
    const share = isLast ? left : Math.min(left, Math.round((cents(order.coupon) * own) / all));
    left -= share;
    return { ...taxed(own - share), full: taxed(cents(line.listPrice) * line.quantity) };
  });
  const shipping = taxed(shippingOf(order));
  const fee = isWrapped(order) ? taxed(WRAPPING) : null;
  const parts = [...lines, shipping, ...(fee ? [fee] : [])];
  return { lines, shipping, fee, total: parts.reduce((sum, { net, tax }) => sum + net + tax, 0) };
}

function withinOf(amount: number): Taxed {
  const net = Math.round((amount * 100) / (100 + IVA));
  return { net, tax: amount - net };
}

function ontoOf(net: number): Taxed {
  return { net, tax: Math.round((net * IVA) / 100) };
}

/** In cents. */
const WRAPPING = 2_500;

function isWrapped(order: Order): boolean {
  return order.shipping === null && dice('woo fee', order.id).chance(0.1);
}

/** In cents. */
function shippingOf(order: Order): number {
  return order.shipping !== null
    ? cents(order.shipping)
    : dice('woo shipping', order.id).pick([0, 0, 9_900, 14_950]);
}

export function titleOf({ title, variant }: Line): string {
  return variant ? `${title} - ${variant.value}` : title;
}

interface Refund {
  readonly id: number;
  readonly at: number;
  readonly amount: string;
}

/** Newest first, as the store lists them. */
export function refundsOf(order: Order, room: Pick<Room, 'now' | 'pricesIncludeTax'>): Refund[] {
  const now = room.now();
  let left = moneyOf(order, room).total;
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
