import { z } from 'zod';
import { add, addKnown, compare, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import type { OtherAmount, SourceOrder } from '../contract.ts';
import { currency } from '../wire-fields.ts';
import { known, type Piece, sum } from './wire-lines.ts';

// What the buyer pays, as the reference of «Get Order Detail» 202309 defines it:
// `sub_total` = `original_total_product_price` − `seller_discount` − `platform_discount`,
// `shipping_fee` = `original_shipping_fee` − its own discounts of seller and platform,
// `total_amount` = `sub_total` + `shipping_fee` + taxes + fees to the buyer.

/**
 * What the buyer pays besides goods, shipping and taxes. Which of them there are depends on the
 * country.
 */
const FEES = {
  retail_delivery_fee: sum,
  small_order_fee: sum,
  buyer_service_fee: sum,
  handling_fee: sum,
  payment_discount_service_fee: sum,
  shipping_insurance_fee: sum,
  item_insurance_fee: sum,
};
const FEE_NAMES = Object.keys(FEES) as (keyof typeof FEES)[];

export const Payment = z.object({
  currency,
  total_amount: sum,
  sub_total: sum,
  shipping_fee: sum,
  tax: sum,
  seller_discount: sum,
  platform_discount: sum,
  ...FEES,
});
export type Payment = z.infer<typeof Payment>;

type OrderMoney = Pick<
  SourceOrder,
  | 'total'
  | 'totalIncludes'
  | 'orderDiscount'
  | 'marketplaceDiscountTotal'
  | 'shippingTotal'
  | 'taxTotal'
  | 'taxAdded'
  | 'other'
>;

export function orderMoney(payment: Payment | null, pieces: readonly Piece[]): OrderMoney {
  const other = payment ? feesOf(payment) : [];
  return {
    total: payment?.total_amount ?? null,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    orderDiscount: payment && orderDiscountOf(payment, pieces),
    marketplaceDiscountTotal: payment?.platform_discount ?? null,
    shippingTotal: payment?.shipping_fee ?? null,
    taxTotal: payment?.tax ?? null,
    taxAdded: payment && taxAddedOf(payment, other),
    other,
  };
}

/**
 * The discounts on goods that the pieces do not contain; null where the pieces lack their former
 * prices.
 */
function orderDiscountOf(payment: Payment, pieces: readonly Piece[]): Decimal | null {
  const reported = addKnown([payment.seller_discount, payment.platform_discount]);
  const listed = known(pieces.map((piece) => piece.original_price));
  if (reported === null || listed === null) return null;
  const paid = add(ZERO, ...pieces.map((piece) => piece.sale_price));
  const left = subtract(reported, subtract(add(ZERO, ...listed), paid));
  return compare(left, ZERO) > 0 ? left : ZERO;
}

/** Taxes are added to the prices, unless the document's own figures give its total without them. */
function taxAddedOf(payment: Payment, other: readonly OtherAmount[]): Decimal | null {
  const { tax, sub_total, shipping_fee, total_amount } = payment;
  if (tax === null || sub_total === null || total_amount === null) return tax;
  const untaxed = add(sub_total, shipping_fee ?? ZERO, ...other.map(({ amount }) => amount));
  return compare(untaxed, total_amount) === 0 ? ZERO : tax;
}

function feesOf(payment: Payment): OtherAmount[] {
  return FEE_NAMES.flatMap((name) => {
    const fee = payment[name];
    return fee === null || compare(fee, ZERO) === 0 ? [] : [{ name, amount: fee }];
  });
}
