/**
 * What the buyer of an order pays, piece by piece, and who pays for the discounts. Amounts are in
 * cents.
 */
import { dice } from '../dice.ts';
import { cents, type Line, type Order } from '../order.ts';

/** One piece: there is no quantity. */
export interface Piece {
  readonly line: Line;
  readonly list: number;
  readonly sellerDiscount: number;
  readonly platformDiscount: number;
  /** After both discounts. */
  readonly sale: number;
}

interface Shipping {
  readonly original: number;
  readonly sellerDiscount: number;
  readonly platformDiscount: number;
  readonly fee: number;
}

interface Money {
  readonly pieces: readonly Piece[];
  readonly shipping: Shipping;
  /** For paying in instalments. */
  readonly handling: number;
  readonly total: number;
}

export function moneyOf(order: Order): Money {
  const pieces = piecesOf(order);
  const shipping = shippingOf(order);
  const handling = handlingOf(order);
  return { pieces, shipping, handling, total: sumOf(pieces, 'sale') + shipping.fee + handling };
}

export function sumOf(
  pieces: readonly Piece[],
  part: 'list' | 'sellerDiscount' | 'platformDiscount' | 'sale',
): number {
  return pieces.reduce((sum, piece) => sum + piece[part], 0);
}

/**
 * A coupon is the seller's, and shared out among the pieces by what each costs; the last one takes
 * the rest.
 */
function piecesOf(order: Order): Piece[] {
  const lines = order.lines.flatMap((line) => Array.from({ length: line.quantity }, () => line));
  const coupon = cents(order.coupon);
  let left = coupon;
  return lines.map((line, index) => {
    const price = cents(line.unitPrice);
    const share =
      index === lines.length - 1
        ? left
        : Math.min(left, Math.round((coupon * price) / cents(order.total)));
    left -= share;
    const list = cents(line.listPrice);
    const platformDiscount = platformShareOf(order, line);
    const sellerDiscount = list - price - platformDiscount + share;
    return { line, list, sellerDiscount, platformDiscount, sale: price - share };
  });
}

/** The marketplace pays for half of some discounts. */
function platformShareOf({ id }: Order, { sku, listPrice, unitPrice }: Line): number {
  const isShared = dice('tiktok platform', id, sku).chance(0.4);
  return isShared ? Math.floor((cents(listPrice) - cents(unitPrice)) / 2) : 0;
}

function shippingOf({ id, shipping }: Order): Shipping {
  if (shipping !== null) {
    const fee = cents(shipping);
    return { original: fee, sellerDiscount: 0, platformDiscount: 0, fee };
  }
  const [original, sellerDiscount, platformDiscount] = dice('tiktok shipping', id).pick(SHIPPINGS);
  return {
    original,
    sellerDiscount,
    platformDiscount,
    fee: original - sellerDiscount - platformDiscount,
  };
}

const SHIPPINGS = [
  [0, 0, 0],
  [9_900, 9_900, 0],
  [9_900, 0, 9_900],
  [9_900, 2_500, 2_500],
  [14_950, 0, 0],
] as const;

function handlingOf({ id, shipping }: Order): number {
  return shipping === null && dice('tiktok handling', id).chance(0.1) ? 1_250 : 0;
}
