import { z } from 'zod';
import { add, type Decimal, decimal, perPiece } from '../../platform/money.ts';
import type { ReportedLine } from '../contract.ts';
import { amount, currency, optional, looseText as text } from '../wire-fields.ts';

// `line_items` has one entry for each piece and no quantity. Its prices are per piece, after all
// discounts: a coupon of the order is shared out among the pieces.

export const flag = optional(z.boolean()).catch(null);

/** An amount that may be absent or blank. */
export const sum = optional(amount);

export const Piece = z.object({
  id: text,
  sku_id: text,
  seller_sku: text,
  product_name: text,
  sku_name: text,
  sale_price: amount,
  original_price: sum,
  currency,
  is_gift: flag,
  display_status: text,
  package_status: text,
  tracking_number: text,
  shipping_provider_name: text,
});
export type Piece = z.infer<typeof Piece>;

/**
 * Pieces of one SKU are one line, whatever became of each; a gift is a line of its own.
 * @param isGone whether a piece was cancelled or came back
 */
export function linesOf(
  pieces: readonly Piece[],
  isGone: (piece: Piece) => boolean,
): ReportedLine[] {
  const groups = Map.groupBy(pieces, ({ id, sku_id, is_gift }) =>
    JSON.stringify([sku_id ?? id, is_gift === true]),
  );
  return [...groups.values()].map((group) => lineOf(group, isGone));
}

function lineOf(pieces: readonly Piece[], isGone: (piece: Piece) => boolean): ReportedLine {
  const [first] = pieces as [Piece];
  const listed = known(pieces.map((piece) => piece.original_price));
  return {
    id: first.sku_id ?? first.id,
    sku: first.seller_sku,
    title: first.product_name,
    variation: first.sku_name,
    quantity: count(pieces),
    cancelled: count(pieces.filter(isGone)),
    unitPrice: priceOf(pieces.map((piece) => piece.sale_price)),
    listPrice: listed && priceOf(listed),
    subtotal: add(...pieces.map((piece) => piece.sale_price)),
    ...(first.currency && { currency: first.currency }),
  };
}

/** Of one piece: the shares of a coupon may differ by a cent. */
function priceOf(prices: readonly Decimal[]): Decimal {
  const [only, ...others] = new Set(prices);
  return only !== undefined && others.length === 0 ? only : perPiece(add(...prices), prices.length);
}

/** Null where one of them is not known. */
export function known(amounts: readonly (Decimal | null)[]): Decimal[] | null {
  const all = amounts.filter((one) => one !== null);
  return all.length === amounts.length ? all : null;
}

function count(pieces: readonly Piece[]): Decimal {
  return decimal(String(pieces.length));
}
