import {
  absolute,
  add,
  addKnown,
  compare,
  type Decimal,
  multiplyExact,
  perPiece,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import type { SourceOrder } from '../contract.ts';
import { amount } from '../wire-fields.ts';
import {
  type Charge,
  isCancelled,
  isWord,
  isZero,
  type Line,
  livePiecesOf,
  piecesOf,
} from './wire-lines.ts';

// The flat documents have a price with VAT and a total of price × units; of charges and taxes they
// have those of what was not cancelled. The global ones have charges before taxes, and no total.
// Mexican buyers see prices with VAT: both are read so.

interface LineMoney {
  readonly unitPrice: Decimal | null;
  readonly listPrice: Decimal | null;
  readonly subtotal: Decimal | null;
}

/** @throws ZodError where a line that was not cancelled has no price */
export function lineMoney(line: Line): LineMoney {
  const { ordered } = piecesOf(line);
  const price = line.item.unitPrice?.amount ?? null;
  if (price !== null)
    return { unitPrice: price, listPrice: null, subtotal: multiplyExact(price, ordered) };
  const products = line.charges.filter((charge) => isWord(charge.chargeType, 'product'));
  const gross = addKnown(products.filter((charge) => !isPriceCut(charge)).map(withTax));
  const cuts = products.filter(isPriceCut).map((charge) => absolute(withTax(charge) ?? ZERO));
  const isEmptied = isCancelled(line) && (gross === null || isZero(gross));
  if (isEmptied) return { unitPrice: null, listPrice: null, subtotal: null };
  const before = amount.parse(gross);
  const subtotal = subtract(before, add(ZERO, ...cuts));
  const each = (money: Decimal) => (isZero(ordered) ? money : perPiece(money, ordered));
  return { unitPrice: each(subtotal), listPrice: cuts.length > 0 ? each(before) : null, subtotal };
}

type OrderMoney = Pick<
  SourceOrder,
  'total' | 'orderDiscount' | 'shippingTotal' | 'taxTotal' | 'taxAdded' | 'other' | 'feesTotal'
>;

export function orderMoney(lines: readonly Line[], reported: Decimal | null): OrderMoney {
  const charges = lines.flatMap((line) => line.charges);
  const other = otherOf(charges);
  return {
    total: totalOf(lines, reported, other),
    orderDiscount: addKnown(lines.map(couponOf)),
    shippingTotal: shippingOf(charges),
    taxTotal: addKnown(charges.map(taxOf)),
    taxAdded: ZERO,
    other,
    feesTotal: feesOf(lines),
  };
}

/** Whether some of it was cancelled, so that an earlier version had larger amounts. */
export function hasCancelled(lines: readonly Line[]): boolean {
  return lines.some((line) => !isZero(piecesOf(line).cancelled));
}

/** What was not cancelled, at the prices of the lines. */
export function liveTotalOf(lines: readonly Line[]): Decimal | null {
  return addKnown(
    lines.map((line) => {
      const { unitPrice } = lineMoney(line);
      return unitPrice && multiplyExact(unitPrice, livePiecesOf(line));
    }),
  );
}

/**
 * `orderTotal` is price × units by its definition, and shrinks to the units that were not
 * cancelled: then it is taken of those that were ordered. Once nothing is left it is zero, which is
 * no total of a purchase.
 */
function totalOf(
  lines: readonly Line[],
  reported: Decimal | null,
  other: SourceOrder['other'],
): Decimal | null {
  const sums = lines.map((line) => lineMoney(line).subtotal);
  const ordered = addKnown([...sums, ...other.map(({ amount }) => amount)]);
  if (reported === null) return ordered;
  if (isZero(reported) && lines.every(isCancelled)) return null;
  const live = liveTotalOf(lines);
  return live !== null && compare(reported, live) === 0 ? addKnown(sums) : reported;
}

/** With the discount on it, which holds its tax. */
function shippingOf(charges: readonly Charge[]): Decimal | null {
  const shipping = addKnown(
    charges.filter(({ chargeType }) => isWord(chargeType, 'shipping')).map(withTax),
  );
  if (shipping === null) return null;
  const cuts = charges.filter(isShippingCut).map((charge) => absolute(withTax(charge) ?? ZERO));
  return cuts.every(isZero) ? shipping : subtract(shipping, add(ZERO, ...cuts));
}

/** Null where a line knows no coupons. */
function couponOf(line: Line): Decimal | null {
  const coupons = line.charges.filter(
    (charge) => isWord(charge.chargeType, 'discount') && !isShippingCut(charge),
  );
  const reported = addKnown(coupons.map(withTax));
  return reported === null || isZero(reported) ? reported : withVat(line, absolute(reported));
}

/** At most this much of a coupon is given without its VAT. */
const MOST_VAT = '1.2' as Decimal;

/**
 * A coupon is reported without its VAT, by which the tax of the product is less: what the buyer paid is
 * price − coupon + tax, without and with VAT. Where the documents do not give that, the coupon is
 * as it is reported.
 */
function withVat({ item, charges, orderLineQuantity }: Line, reported: Decimal): Decimal {
  const [price, net] = [item.unitPrice?.amount, item.unitPriceWithoutTax?.amount];
  const tax = addKnown(
    charges.filter(({ chargeType }) => isWord(chargeType, 'product')).map(taxOf),
  );
  if (!price || !net || tax === null) return reported;
  const pieces = orderLineQuantity.amount;
  const paid = add(subtract(multiplyExact(net, pieces), reported), tax);
  const coupon = subtract(multiplyExact(price, pieces), paid);
  const isIt =
    compare(coupon, reported) >= 0 && compare(coupon, multiplyExact(reported, MOST_VAT)) <= 0;
  return isIt ? coupon : reported;
}

/** Charges of other kinds, with their taxes, by the names that they have. */
function otherOf(charges: readonly Charge[]): SourceOrder['other'] {
  const named = Map.groupBy(
    charges.filter(
      ({ chargeType }) => chargeType !== null && !OWN_FIELD.has(chargeType.toLowerCase()),
    ),
    ({ chargeType, chargeName }) => chargeName ?? chargeType ?? '',
  );
  return [...named].flatMap(([name, ofName]) => {
    const sum = addKnown(ofName.map(withTax));
    return sum === null || isZero(sum) ? [] : [{ name, amount: sum }];
  });
}

const OWN_FIELD: ReadonlySet<string> = new Set(['product', 'shipping', 'discount']);

/** Null where only some lines give Walmart's fees: their sum would be too small. */
function feesOf(lines: readonly Line[]): Decimal | null {
  const live = lines.filter((line) => !isCancelled(line));
  const fees = live.map((line) => {
    const fee = line.item.commission?.amount;
    return fee ? multiplyExact(fee, livePiecesOf(line)) : null;
  });
  return fees.includes(null) ? null : addKnown(fees);
}

function isPriceCut({ chargeName }: Charge): boolean {
  return isWord(chargeName, 'subscriptiondiscount');
}

function isShippingCut({ chargeType, chargeName }: Charge): boolean {
  return isWord(chargeType, 'discount') && isWord(chargeName, 'ship_disc');
}

export function withTax(charge: Charge): Decimal | null {
  return addKnown([charge.chargeAmount?.amount ?? null, taxOf(charge)]);
}

function taxOf({ tax }: Charge): Decimal | null {
  return addKnown(tax.map(({ taxAmount }) => taxAmount?.amount ?? null));
}
