/** An order of the world: what it is, and how its state at any instant is read off its timeline. */

export type State =
  | 'placed'
  | 'paid'
  | 'packed'
  | 'shipped'
  | 'delivered'
  | 'returning'
  | 'returned'
  | 'partially_refunded'
  | 'refunded'
  | 'cancelled';

export interface Step {
  readonly state: State;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Who cancelled. */
  readonly by?: 'buyer' | 'seller';
  /** How much was given back, where it was not everything. */
  readonly amount?: string;
}

export interface Product extends Shelf {
  readonly title: string;
  /** Decimal text, in MXN, like every amount in the world. */
  readonly price: string;
  readonly grams: number;
  /** Kept and sent by the marketplace itself (Full, FBA, WFS …). */
  readonly keptByMarketplace: boolean;
  /** Empty for goods of one kind; otherwise stock is counted per variant. */
  readonly variants: readonly Variant[];
}

/** A place in the warehouse: where stock is counted. */
export interface Shelf {
  readonly sku: string;
  readonly stock: number;
}

export interface Variant extends Shelf {
  readonly name: string;
  readonly value: string;
}

export interface Buyer {
  readonly number: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly phone: string;
  readonly address: {
    readonly street: string;
    readonly city: string;
    readonly state: string;
    readonly stateCode: string;
    readonly zip: string;
  };
}

export interface Line {
  readonly product: Product;
  readonly variant: Variant | null;
  readonly sku: string;
  readonly title: string;
  readonly quantity: number;
  readonly unitPrice: string;
  /** Before the discount; equal to `unitPrice` where there is none. */
  readonly listPrice: string;
}

export interface Order {
  readonly id: string;
  readonly number: number;
  /** Orders bought in one go have the same cart: the number of the first of them. */
  readonly cart: number;
  readonly buyer: Buyer;
  readonly lines: readonly Line[];
  /** What the lines come to, after their own discounts. */
  readonly total: string;
  /** Taken off the whole order, beyond the lines' discounts; `0.00` = nothing. */
  readonly coupon: string;
  /**
   * What the buyer pays for shipping, IVA included; null = whatever the marketplace charges as a
   * rule.
   */
  readonly shipping: string | null;
  readonly tracking: string;
  /** Handed over in person: nothing is ever shipped. */
  readonly inPerson: boolean;
  /** Oldest first. Those after now are still to come. */
  steps: Step[];
}

/** What is true of an order now, in the words of the world: what a test holds the product to. */
export interface Account {
  readonly id: string;
  readonly state: State;
  readonly total: string;
  readonly currency: 'MXN';
  readonly buyer: string;
  readonly items: readonly { sku: string; title: string; quantity: number; unitPrice: string }[];
  readonly placedAt: number;
  readonly paidAt: number | null;
  readonly changedAt: number;
  readonly tracking: string | null;
}

/** The newest step that has happened. */
export function stepAt(order: Order, now: number): Step {
  return order.steps.findLast((step) => step.at <= now) ?? (order.steps[0] as Step);
}

export function stateAt(order: Order, now: number): State {
  return stepAt(order, now).state;
}

/** When the order came into this state, or null if it has not (yet). */
export function reachedAt(order: Order, state: State, now: number): number | null {
  return order.steps.find((step) => step.state === state && step.at <= now)?.at ?? null;
}

/** A product of one kind has one shelf, the others one per variant. */
export function shelvesOf(product: Product): readonly Shelf[] {
  return product.variants.length > 0 ? product.variants : [product];
}

export function placedAt(order: Order): number {
  return (order.steps[0] as Step).at;
}

export function accountOf(order: Order, now: number): Account {
  return {
    id: order.id,
    state: stateAt(order, now),
    total: order.total,
    currency: 'MXN',
    buyer: `${order.buyer.firstName} ${order.buyer.lastName}`,
    items: order.lines.map(({ sku, title, quantity, unitPrice }) => ({
      sku,
      title,
      quantity,
      unitPrice,
    })),
    placedAt: placedAt(order),
    paidAt: reachedAt(order, 'paid', now),
    changedAt: stepAt(order, now).at,
    tracking: reachedAt(order, 'shipped', now) === null ? null : order.tracking,
  };
}

/** '12.5' → 1250. */
export function cents(amount: string): number {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.');
  return (
    (amount.startsWith('-') ? -1 : 1) *
    (Number(whole) * 100 + Number(fraction.padEnd(2, '0').slice(0, 2)))
  );
}

/** 1250 → '12.50'. */
export function decimal(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Everything in the world happens on the second: some marketplaces have no finer time. */
export function wholeSecond(at: number): number {
  return Math.floor(at / 1_000) * 1_000;
}
