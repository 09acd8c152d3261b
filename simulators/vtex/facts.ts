/**
 * What follows from the world for VTEX: ids, states of the workflow, and what is charged beside the
 * goods.
 */
import { dice } from '../dice.ts';
import { cents, type Line, type Order, reachedAt, type State, stepAt } from '../order.ts';
import type { World } from '../world.ts';
import type { Switches } from './shop.ts';

export interface View {
  readonly now: () => number;
  readonly switches: Switches;
}

/** A state of the workflow, and since when. */
interface Flow {
  readonly state: string;
  readonly at: number;
}

const FIRST_ID = 1_530_000_000_000;
const GROUP = 1_460_000_000_000;

export function orderIdOf({ number }: Order): string {
  return `${FIRST_ID + number}-01`;
}

/** A purchase from several sellers is one group. */
export function groupOf({ cart }: Order): string {
  return String(GROUP + cart);
}

export function findOrder(world: World, id: string): Order | undefined {
  const [, digits] = /^(\d+)-01$/.exec(id) ?? [];
  return digits ? world.order(String(world.idBase + Number(digits) - FIRST_ID)) : undefined;
}

/**
 * Half of the sellers' invoices are posted with the goods packed, and their tracking number later.
 */
export function isInvoicedEarly(order: Order): boolean {
  return dice('vtex invoice', order.id).chance(1 / 2);
}

/**
 * Delivery, tracking numbers that come later, returns and refunds are no states of the workflow.
 */
const STATES: Partial<Record<State, readonly string[]>> = {
  placed: ['order-created', 'payment-pending'],
  paid: ['payment-approved', 'window-to-cancel', 'ready-for-handling'],
  packed: ['start-handling', 'handling'],
  cancelled: ['cancel', 'canceled'],
};

function workflowOf(order: Order, now: number): Flow[] {
  const flow = order.steps
    .filter(({ at }) => at <= now)
    .flatMap(({ state, at }) => (STATES[state] ?? []).map((name) => ({ state: name, at })));
  const invoiced = invoicedAt(order, now);
  if (invoiced === null) return flow;
  const before = flow.filter(({ at, state }) => at <= invoiced && !state.startsWith('cancel'));
  const after = flow.filter((one) => !before.includes(one));
  return [
    ...before,
    { state: 'invoice', at: invoiced },
    { state: 'invoiced', at: invoiced },
    ...after,
  ];
}

/** What a step of the world looks like in the workflow; nothing where it is only an edit. */
export function statesOf(
  order: Order,
  { state, at }: { state: State; at: number },
): readonly string[] {
  const invoices = isInvoicedEarly(order) ? 'packed' : 'shipped';
  const isInvoice = state === invoices && invoicedAt(order, at) === at;
  return [...(STATES[state] ?? []), ...(isInvoice ? ['invoice', 'invoiced'] : [])];
}

export function invoicedAt(order: Order, now: number): number | null {
  return reachedAt(order, isInvoicedEarly(order) ? 'packed' : 'shipped', now);
}

export function statusOf(order: Order, { now, switches }: View): string | null {
  const id = orderIdOf(order);
  if (switches.incomplete.has(id)) return switches.incomplete.get(id) ?? null;
  if (switches.asked.has(id)) return 'request-cancel';
  return workflowOf(order, now()).at(-1)?.state ?? null;
}

export function changedAt(order: Order, now: number): number {
  return stepAt(order, now).at;
}

/** In cents. */
export function shippingOf({ id, shipping }: Order): number {
  return shipping === null
    ? dice('vtex shipping', id).pick([0, 0, 9_900, 14_950])
    : cents(shipping);
}

/** In cents: goods less discounts, and shipping, and what a change came to. */
export function totalOf(order: Order, now: number): number {
  return (
    cents(order.total) -
    cents(order.coupon) +
    shippingOf(order) +
    (changeOf(order, now)?.value ?? 0)
  );
}

/**
 * In cents: a promotion of the cart is shared out among its lines, and the last one has what is
 * left.
 */
export function couponOf(order: Order, index: number): number {
  const [coupon, goods] = [cents(order.coupon), cents(order.total)];
  const share = (line: Line) =>
    Math.floor((coupon * cents(line.unitPrice) * line.quantity) / goods);
  if (index < order.lines.length - 1) return share(order.lines[index] as Line);
  return coupon - order.lines.slice(0, -1).reduce((sum, line) => sum + share(line), 0);
}

/** In cents: what the buyer pays for a line. */
export function paidFor(order: Order, index: number): number {
  const { unitPrice, quantity } = order.lines[index] as Line;
  return cents(unitPrice) * quantity - couponOf(order, index);
}

export interface Changed {
  readonly id: number;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
}

/**
 * What was agreed while the order was packed; all amounts in cents, `value` is by how much the
 * order costs more.
 */
export interface Change {
  readonly value: number;
  readonly added: readonly Changed[];
  readonly removed: readonly Changed[];
}

const MANUAL_DISCOUNT = 500;
const ADDED = { id: 77_001, name: 'Bolsa de regalo', quantity: 2, price: 1_250 };

export function changeOf(order: Order, now: number): Change | null {
  return reachedAt(order, 'packed', now) === null ? null : agreedOn(order);
}

/**
 * Some orders with two pieces of a line are changed: a piece goes, something is added, or the price
 * is.
 */
export function agreedOn(order: Order): Change | null {
  const chance = dice('vtex change', order.id);
  const index = order.lines.findIndex(({ quantity }) => quantity > 1);
  if (index < 0 || !chance.chance(1 / 3)) return null;
  const { sku, title, quantity } = order.lines[index] as Line;
  const price = Math.floor(paidFor(order, index) / quantity);
  const piece = { id: skuIdOf(sku), name: title, quantity: 1, price };
  return chance.pick([
    { value: -price, added: [], removed: [piece] },
    { value: ADDED.price * ADDED.quantity, added: [ADDED], removed: [] },
    { value: -MANUAL_DISCOUNT, added: [], removed: [] },
  ]);
}

export function skuIdOf(sku: string): number {
  return dice('vtex sku', sku).whole(1_000, 9_999_999);
}

/** As VTEX writes times: seven digits, and an offset. */
export function written(at: number): string {
  return new Date(at).toISOString().replace('Z', '4821+00:00');
}

export function writtenOrNull(at: number | null): string | null {
  return at === null ? null : written(at);
}
