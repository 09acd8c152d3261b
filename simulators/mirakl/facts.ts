/**
 * What follows from the world for Mirakl: ids, states, times, and what is charged beside the goods.
 */
import { dice } from '../dice.ts';
import { cents, type Order, reachedAt, type State, stepAt } from '../order.ts';
import type { World } from '../world.ts';
import type { Switches } from './shop.ts';

/** The context of an order: the time, and what the test turned. */
export interface View {
  readonly now: () => number;
  readonly switches: Switches;
  /** Prices, shipping and totals are given without taxes. */
  readonly taxExcluded: boolean;
}

const SUFFIXES = 'ABCDEFGHIJ';
const UNPAID = ['STAGING', 'WAITING_ACCEPTANCE', 'WAITING_DEBIT', 'WAITING_DEBIT_PAYMENT'];

/** The buyer's order, which is no order of the seller's. */
export function commercialId({ id, number, cart }: Order): string {
  return `TG_${String(Number(id) - number + cart).padStart(5, '0')}`;
}

/** A purchase that is split becomes -A, -B … */
export function orderIdOf(order: Order): string {
  return `${commercialId(order)}-${SUFFIXES[order.number - order.cart]}`;
}

export function findOrder(world: World, id: string): Order | undefined {
  const [, cart, suffix = ''] = /^TG_(\d{5,})-([A-J])$/.exec(id) ?? [];
  const number = Number(cart) + SUFFIXES.indexOf(suffix);
  return cart === undefined ? undefined : world.order(String(number));
}

/** A refund or a return is no state of the order. */
export function orderState(order: Order, { now, switches }: View): string {
  if (switches.newState.has(orderIdOf(order))) return 'WAITING_NEW_STATE';
  const at = now();
  const reached = (state: State) => reachedAt(order, state, at) !== null;
  const cancelled = order.steps.find((step) => step.state === 'cancelled' && step.at <= at);
  if (cancelled) return cancelled.by === 'seller' && !reached('paid') ? 'REFUSED' : 'CANCELED';
  const own = dice('mirakl state', order.id);
  if (reached('delivered')) return own.chance(1 / 4) ? 'CLOSED' : 'RECEIVED';
  if (reached('shipped')) return own.chance(1 / 6) ? 'TO_COLLECT' : 'SHIPPED';
  return reached('paid') ? 'SHIPPING' : own.pick(UNPAID);
}

export function lineState(order: Order, index: number, view: View): string {
  const state = orderState(order, view);
  if (state === 'CANCELED' || state === 'REFUSED') return state;
  const id = orderIdOf(order);
  if (index === 0 && view.switches.partlyRefused.has(id)) return 'REFUSED';
  if (isFullyRefunded(order, view.now())) return 'REFUNDED';
  if (index === 0 && view.switches.incidents.has(id)) return 'INCIDENT_OPEN';
  return isSentAhead(order, index, view) ? 'SHIPPED' : state;
}

/** The first line is on its way, the others are not yet. */
export function isSentAhead(order: Order, index: number, view: View): boolean {
  return (
    index === 0 &&
    view.switches.partlyShipped.has(orderIdOf(order)) &&
    orderState(order, view) === 'SHIPPING'
  );
}

export function isFullyRefunded(order: Order, now: number): boolean {
  return reachedAt(order, 'refunded', now) !== null;
}

export function changedAt(order: Order, now: number): number {
  return stepAt(order, now).at;
}

export function currencyOf(order: Order, { switches }: Pick<View, 'switches'>): string {
  return switches.foreign.has(orderIdOf(order)) ? 'USD' : 'MXN';
}

/**
 * In cents: what the lines cost after a promotion of the whole order, which is spread over them.
 */
export function pricesOf(order: Order): readonly number[] {
  const own = order.lines.map((line) => cents(line.unitPrice) * line.quantity);
  const all = own.reduce((sum, price) => sum + price, 0);
  let left = cents(order.coupon);
  return own.map((price, index) => {
    const isLast = index === own.length - 1;
    const share = isLast ? left : Math.min(left, Math.round((cents(order.coupon) * price) / all));
    left -= share;
    return price - share;
  });
}

/** In cents; all of it is on the first line. */
export function chargesOf(order: Order): { readonly shipping: number; readonly fee: number } {
  if (order.shipping !== null) return { shipping: cents(order.shipping), fee: 0 };
  const own = dice('mirakl charges', order.id);
  return { shipping: own.pick([0, 0, 9_900, 14_950]), fee: own.chance(1 / 5) ? 1_500 : 0 };
}

/** In cents: items, shipping and fees. */
export function totalOf(order: Order): number {
  const { shipping, fee } = chargesOf(order);
  return cents(order.total) - cents(order.coupon) + shipping + fee;
}

/** In cents, the operator's share and the tax on it. */
export function commissionOf(price: number): { readonly fee: number; readonly tax: number } {
  const fee = Math.round(price * 0.15);
  return { fee, tax: Math.round(fee * 0.16) };
}

export function seconds(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
