/** What follows from the world for Walmart México: ids, times and the words of lines. */
import { type Order, reachedAt, type State, type Step } from '../order.ts';

export type Generation = 'legacy' | 'global';

interface LineWord {
  readonly status: string;
  readonly code: string;
  readonly at: number;
}

/** Fulfilled by Walmart: without a purchase order in the old generation. */
export function isWfs(order: Order): boolean {
  return order.lines[0]?.product.keptByMarketplace ?? false;
}

/**
 * One order of a buyer becomes a purchase order for each seller and parcel; WFS orders stay alone.
 */
export function customerOrderId(order: Order): string {
  return isWfs(order) ? `9${order.id}` : `10${order.cart}`;
}

export function purchaseOrderId(order: Order, generation: Generation): string {
  return generation === 'legacy' ? `P${order.id}` : `1${order.id.padStart(12, '0')}`;
}

/** The id by which a seller knows it. */
export function ownId(order: Order, generation: Generation): string {
  return generation === 'legacy' && isWfs(order)
    ? customerOrderId(order)
    : purchaseOrderId(order, generation);
}

const WORDS: readonly {
  state: State;
  own: readonly [string, string];
  wfs: readonly [string, string];
}[] = [
  { state: 'cancelled', own: ['Cancelled', '9000'], wfs: ['Cancelled', '9000'] },
  { state: 'delivered', own: ['Delivered', '3700.500'], wfs: ['Delivered', '3700.500'] },
  { state: 'shipped', own: ['Shipped', '3700'], wfs: ['Shipped', '3700'] },
  { state: 'packed', own: ['Acknowledged', '3350.10'], wfs: ['SentForFulfillment', '3350.20'] },
  { state: 'paid', own: ['Created', '3350'], wfs: ['Created', '3350'] },
  { state: 'placed', own: ['OnHold', '1300'], wfs: ['Created', '3350'] },
];

/** Never says that something came back or was refunded. */
export function lineWord(order: Order, now: number): LineWord {
  for (const { state, own, wfs } of WORDS) {
    const at = reachedAt(order, state, now);
    const [status, code] = isWfs(order) ? wfs : own;
    if (at !== null) return { status, code, at };
  }
  throw new Error(`order ${order.id} is not placed yet`);
}

export function isCancelled(order: Order, now: number): boolean {
  return reachedAt(order, 'cancelled', now) !== null;
}

export function refundOf(order: Order, now: number): Step | undefined {
  const isMoney = ({ state, at }: Step) =>
    at <= now && (state === 'refunded' || state === 'partially_refunded');
  return (
    order.steps.find((step) => isMoney(step) && step.state === 'refunded') ??
    order.steps.find(isMoney)
  );
}

/** Local times of Mexico. */
export function local(at: number): string {
  return new Date(at - 6 * 3_600_000).toISOString().replace('Z', '-06:00');
}
