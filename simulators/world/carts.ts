/** Carts as they are drawn or placed by hand. The same seed and number give the same cart. */
import { dice } from '../dice.ts';
import { drawBuyer, drawCartSize, drawLife, drawLine, type LineSpec, lineOf } from '../draw.ts';
import {
  type Buyer,
  cents,
  decimal,
  type Order,
  type Product,
  type Step,
  wholeSecond,
} from '../order.ts';

export interface OrderSpec {
  id?: string;
  buyer?: Partial<Pick<Buyer, 'firstName' | 'lastName'>>;
  lines?: readonly LineSpec[];
  /** Taken off the whole order. */
  coupon?: string;
  /** What the buyer pays for shipping. */
  shipping?: string;
  inPerson?: boolean;
  /** Default: now. */
  at?: number;
}

/**
 * A sequence of carts, one per slot of time, each drawn from its slot's number alone: a restart
 * finds the same.
 */
export interface Stream {
  readonly number: number;
  readonly every: number;
  readonly hour: number;
}

interface Drawing {
  readonly seed: string | number;
  readonly now: () => number;
  readonly idBase: number;
  readonly writeId: (id: number) => string;
  readonly oneLineOrders: boolean;
  readonly products: readonly Product[];
}

type NewOrder = Omit<Order, 'id' | 'total' | 'tracking' | 'steps'> & {
  readonly id?: string;
  readonly steps: readonly Step[];
};

export const SLOTS = 1e9;
export const LINES = 10;
const NO_COUPON = '0.00';
/** Cheaper than the cheapest of the goods. */
const COUPON = '15.00';
const COUPON_CHANCE = 0.1;

export function openCarts({ seed, now, idBase, writeId, oneLineOrders, products }: Drawing) {
  let placedByHand = 0;

  function slotTime({ number, every }: Stream, slot: number): number {
    return wholeSecond((slot + dice(seed, number, slot, 'time').roll()) * every);
  }

  function drawCart(stream: Stream, slot: number): Order[] {
    const chance = dice(seed, stream.number, slot);
    const { steps, inPerson } = drawLife(chance, slotTime(stream, slot), stream.hour);
    const buyer = drawBuyer(chance);
    const lines = Array.from({ length: drawCartSize(chance) }, () => drawLine(chance, products));
    const first = (stream.number * SLOTS + (slot % SLOTS)) * LINES;
    const parts = oneLineOrders ? lines.map((line) => [line]) : [lines];
    return parts.map((part, index) => {
      const number = first + index;
      const coupon = dice(seed, 'coupon', number).chance(COUPON_CHANCE) ? COUPON : NO_COUPON;
      return newOrder({
        number,
        cart: first,
        buyer,
        lines: part,
        steps,
        inPerson,
        coupon,
        shipping: null,
      });
    });
  }

  function placeCart(specs: readonly OrderSpec[]): Order[] {
    placedByHand += 1;
    const first = placedByHand * LINES;
    const chance = dice(seed, 'by hand', placedByHand);
    const drawnBuyer = drawBuyer(chance);
    return specs.map((spec, index) => {
      const lines = (spec.lines ?? [{}]).map((line) =>
        lineOf(line, drawLine(chance, products), products),
      );
      const steps: Step[] = [{ state: 'placed', at: wholeSecond(spec.at ?? now()) }];
      const buyer = { ...drawnBuyer, ...spec.buyer };
      return newOrder({
        ...(spec.id !== undefined && { id: spec.id }),
        number: first + index,
        cart: first,
        buyer,
        lines,
        steps,
        inPerson: spec.inPerson ?? false,
        coupon: spec.coupon ?? NO_COUPON,
        shipping: spec.shipping ?? null,
      });
    });
  }

  function newOrder({ id, ...given }: NewOrder): Order {
    const { number, cart, lines, steps } = given;
    return {
      ...given,
      id: id ?? writeId(idBase + number),
      total: decimal(lines.reduce((sum, line) => sum + cents(line.unitPrice) * line.quantity, 0)),
      tracking: `MX${dice(seed, 'tracking', cart).whole(1e9, 9e9)}TG`,
      steps: [...steps],
    };
  }

  return { slotTime, drawCart, placeCart };
}
