/** What an order of the world costs at this shop. Amounts in cents. */
import { dice } from '../dice.ts';
import { cents, type Line, type Order, reachedAt } from '../order.ts';

export interface LineMoney {
  /** Price before discounts, of all pieces. */
  readonly listed: number;
  /** The line's own discount. */
  readonly discount: number;
  /** Its share of the discount of the whole order. */
  readonly share: number;
}

export interface Money {
  readonly lines: readonly LineMoney[];
  /** Null = nothing is shipped. */
  readonly shipping: { readonly listed: number; readonly discount: number } | null;
  readonly tip: number;
  readonly tax: number;
  /** Of goods, after all discounts. */
  readonly subtotal: number;
  readonly total: number;
}

/** Pieces that the seller took out of an order by editing it. */
export interface Edit {
  readonly at: number;
  readonly line: number;
  readonly pieces: number;
}

const IVA = 16;
const TIP = 2_000;
const FREE_SHIPPING = { listed: 9_900, discount: 9_900 };

export function moneyOf(order: Order, taxesIncluded: boolean): Money {
  const shares = sharesOf(order);
  const lines = order.lines.map((line, index) => ({
    listed: cents(line.listPrice) * line.quantity,
    discount: (cents(line.listPrice) - cents(line.unitPrice)) * line.quantity,
    share: shares[index] ?? 0,
  }));
  const shipping = shippingOf(order);
  const tip = tipOf(order);
  const subtotal = lines.reduce(
    (sum, { listed, discount, share }) => sum + listed - discount - share,
    0,
  );
  const priced = subtotal + (shipping ? shipping.listed - shipping.discount : 0);
  const tax = taxOf(priced, taxesIncluded);
  return { lines, shipping, tip, tax, subtotal, total: priced + tip + (taxesIncluded ? 0 : tax) };
}

/** What an edit took out of the total. */
export function removedBy({ line, pieces }: Edit, order: Order, taxesIncluded: boolean): number {
  const money = moneyOf(order, taxesIncluded).lines[line] as LineMoney;
  const { quantity } = order.lines[line] as Line;
  const paid = money.listed - money.discount - money.share;
  const part = Math.round((paid * pieces) / quantity);
  return part + (taxesIncluded ? 0 : taxOf(part, false));
}

function taxOf(priced: number, isInside: boolean): number {
  return Math.round((priced * IVA) / (isInside ? 100 + IVA : 100));
}

/** What does not divide evenly is allotted cent by cent, from the first line on. */
function sharesOf({ coupon, total, lines }: Order): number[] {
  const whole = cents(coupon);
  const shares = lines.map(({ unitPrice, quantity }) =>
    Math.floor((whole * cents(unitPrice) * quantity) / cents(total)),
  );
  const rest = whole - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, index) => share + (index < rest ? 1 : 0));
}

function shippingOf(order: Order): Money['shipping'] {
  if (order.inPerson) return null;
  if (order.shipping !== null) return { listed: cents(order.shipping), discount: 0 };
  return dice('shopify shipping', order.id).pick([
    { listed: 0, discount: 0 },
    FREE_SHIPPING,
    { listed: 9_900, discount: 0 },
    { listed: 14_950, discount: 0 },
  ]);
}

function tipOf(order: Order): number {
  return order.shipping === null && dice('shopify tip', order.id).chance(1 / 12) ? TIP : 0;
}

/** All of it went back: the goods to the shelf, or the money to the buyer. */
export function isAllBack(order: Order, now: number): boolean {
  const isBack = (['returned', 'refunded'] as const).some(
    (state) => reachedAt(order, state, now) !== null,
  );
  return isBack || isRefundedByCancelling(order, now);
}

export function isRefundedByCancelling(order: Order, now: number): boolean {
  return reachedAt(order, 'cancelled', now) !== null && reachedAt(order, 'paid', now) !== null;
}

/** @param total what the buyer paid, in cents */
export function refundsOf(
  order: Order,
  total: number,
  now: number,
): { at: number; amount: number }[] {
  const parts = order.steps
    .filter(({ state, at }) => state === 'partially_refunded' && at <= now)
    .map(({ at, amount }) => ({ at, amount: amount ? cents(amount) : total }));
  const given = parts.reduce((sum, { amount }) => sum + amount, 0);
  const whole =
    reachedAt(order, 'refunded', now) ??
    (isRefundedByCancelling(order, now) ? reachedAt(order, 'cancelled', now) : null);
  return whole === null ? parts : [...parts, { at: whole, amount: total - given }];
}
