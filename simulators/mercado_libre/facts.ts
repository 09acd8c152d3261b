/**
 * What follows from the world for Mercado Libre: ids, times, statuses, and what is there at all.
 */
import { dice } from '../dice.ts';
import { cents, type Line, type Order, reachedAt, type State, type Step } from '../order.ts';
import { type Seller, type Shop, shipmentId } from './shop.ts';

export type View = Pick<Shop, 'now' | 'switches'>;

/** Only these are the order's own business; the others are in the shipment. */
const ORDER_STEPS: readonly State[] = [
  'placed',
  'paid',
  'cancelled',
  'partially_refunded',
  'refunded',
];

/** The confirmed moment. Null until paid, so a payment moves the row in a search sorted by it. */
export function closedAt(order: Order, now: number): number | null {
  return reachedAt(order, 'paid', now);
}

/** Business time. */
export function changedAt(order: Order, { now, switches }: View): number {
  const counts = ({ state, at }: Step) =>
    at <= now() && (switches.shipmentMovesOrder || ORDER_STEPS.includes(state));
  return (order.steps.findLast(counts) ?? (order.steps[0] as Step)).at;
}

/**
 * Index time: a moment after the change, but one order in seven is indexed again weeks later for no
 * reason.
 */
export function indexedAt(order: Order, view: View): number {
  const changed = changedAt(order, view);
  const chance = dice('index', order.id, changed);
  const again =
    changed + (chance.chance(1 / 7) ? chance.whole(5, 60) * 86_400_000 : Number.POSITIVE_INFINITY);
  return again <= view.now() ? again : Math.min(changed + chance.whole(20, 900), view.now());
}

/**
 * Never says shipped or delivered. A sale that the seller marks as not concretised stays
 * `confirmed`.
 */
export function orderStatus(order: Order, view: View): string {
  const now = view.now();
  const cancelled = cancellation(order, now);
  const paid = reachedAt(order, 'paid', now) !== null;
  if (isPaidBack(order, view)) return 'paid';
  if (cancelled) return !paid && cancelled.by === 'seller' ? 'confirmed' : 'cancelled';
  if (reachedAt(order, 'partially_refunded', now) !== null) return 'partially_refunded';
  if (paid) return 'paid';
  return dice('unpaid', order.id).pick(['payment_required', 'payment_in_process', 'confirmed']);
}

/**
 * Cancelled, and given back as money in the buyer's account: such an order stays paid for ever.
 */
export function isPaidBack(order: Order, { now, switches }: View): boolean {
  return switches.paidBack.has(order.id) && cancellation(order, now()) !== undefined;
}

export function tagsOf(order: Order, seller: Seller, view: View): string[] {
  const now = view.now();
  const paid = reachedAt(order, 'paid', now) !== null;
  const notConcretised = cancellation(order, now) && orderStatus(order, view) !== 'cancelled';
  // `delivered` is no longer set: every order says not_delivered.
  return [
    'not_delivered',
    paid ? 'paid' : 'not_paid',
    ...(hasPack(order, seller) ? ['pack_order'] : []),
    ...(order.inPerson ? ['no_shipping'] : []),
    ...(order.lines.some(isDiscounted) ? ['order_has_discount'] : []),
    ...(notConcretised ? ['unfulfilled'] : []),
  ];
}

export function itemId(sku: string): string {
  return `MLM${1_000_000_000 + dice('item', sku).whole(0, 899_999_999)}`;
}

export function variationId(sku: string): number {
  return 170_000_000_000 + dice('variation', sku).whole(0, 9_999_999_999);
}

export function userProductId(sku: string): string {
  return `MLMU${dice('user product', sku).whole(1_000_000_000, 3_999_999_999)}`;
}

export function inventoryId(sku: string): string {
  return `TGMX${dice('inventory', sku).whole(10_000, 99_999)}`;
}

/** There once the order is paid, asynchronously, and never for goods handed over in person. */
export function shipmentExists(order: Order, { now, switches }: View): boolean {
  const paid = reachedAt(order, 'paid', now());
  return !order.inPerson && paid !== null && paid + switches.shipmentDelaySeconds * 1_000 <= now();
}

/** Whether there is a parcel back, or from there to the buyer again. */
export function laterExists(
  order: Order,
  type: 'return' | 'return_to_buyer',
  { now, switches }: View,
): boolean {
  if (type === 'return') return reachedAt(order, 'returning', now()) !== null;
  return (switches.sentAgain.get(order.id) ?? []).some(({ at }) => at <= now());
}

/**
 * In cents: what the buyer pays for the shipment of the cart; free unless the world says otherwise.
 */
export function shippingCost(order: Order, { world }: Seller): number {
  return world.cartOf(order).reduce((sum, { shipping }) => sum + cents(shipping ?? '0.00'), 0);
}

/** Offsets are Mercado Libre's, not Mexico's, and not even always the same. */
export function time(at: number, hours: number): string {
  const local = new Date(at + hours * 3_600_000).toISOString().replace('Z', '');
  return `${local}-${String(-hours).padStart(2, '0')}:00`;
}

export function zoneOf(order: Order): number {
  return dice('zone', order.cart).chance(1 / 8) ? -3 : -4;
}

export function firstOfCart(order: Order, { world }: Seller): Order {
  return world.cartOf(order).find(({ number, cart }) => number === cart) ?? order;
}

/** Always for several orders, sometimes for one; null for others, as on old orders. */
export function hasPack(order: Order, seller: Seller): boolean {
  return seller.world.cartOf(order).length > 1 || dice('pack', order.id).chance(0.4);
}

export function forwardId(order: Order, seller: Seller): string {
  return shipmentId(firstOfCart(order, seller), seller, 'forward');
}

export function buyerId(order: Order): number {
  return 100_000_000 + order.buyer.number;
}

export function nameOf(order: Order): string {
  return `${order.buyer.firstName} ${order.buyer.lastName}`;
}

export function isDiscounted(line: Line): boolean {
  return cents(line.listPrice) > cents(line.unitPrice);
}

export function cancellation(order: Order, now: number): Step | undefined {
  return order.steps.find((step) => step.state === 'cancelled' && step.at <= now);
}
