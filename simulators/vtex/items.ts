/** The lines of an order and their prices, in cents. */
import { dice } from '../dice.ts';
import { cents, type Line, type Order } from '../order.ts';
import { couponOf, paidFor, skuIdOf } from './facts.ts';

const LINE_PROMOTION = '7d0c2f1e-5a38-4b6d-9c40-2e81f7a6b513';
const COUPON_PROMOTION = 'c1f9a7d4-08be-4e25-8a6f-93d5b0e4721c';

export function promotions(order: Order) {
  const named = (id: string, name: string) => ({
    id,
    name,
    featured: false,
    description: '',
    additionalInfo: null,
  });
  return [
    ...(order.lines.some((_, index) => isPromoted(order, index))
      ? [named(LINE_PROMOTION, 'Rebaja')]
      : []),
    ...(cents(order.coupon) > 0 ? [named(COUPON_PROMOTION, 'Cupón de bienvenida')] : []),
  ];
}

/** A price may be lower by a promotion, which is a discount, or be a new price, which is not. */
function isPromoted(order: Order, index: number): boolean {
  return dice('vtex promotion', order.id, index).chance(1 / 2);
}

/** Some goods are sold by weight, in pieces of half a kilo. */
function isWeighed(order: Order, index: number): boolean {
  return dice('vtex weight', order.id, index).chance(1 / 6);
}

/**
 * In cents: the price of one unit before promotions, the "from" price, and what the line costs
 * without promotions.
 */
export function priceOf(order: Order, index: number) {
  const { listPrice, unitPrice, quantity } = order.lines[index] as Line;
  const units = isWeighed(order, index) ? 2 : 1;
  const before = cents(isPromoted(order, index) ? listPrice : unitPrice);
  return { price: before * units, listPrice: cents(listPrice) * units, ofLine: before * quantity };
}

/** What modifies the price of a line, each of all its pieces. */
function priceTags(order: Order, index: number) {
  const { unitPrice, quantity } = order.lines[index] as Line;
  const coupon = couponOf(order, index);
  const promoted = priceOf(order, index).ofLine - cents(unitPrice) * quantity;
  const tag = (promotion: string, value: number) => ({
    name: `discount@price-${promotion}#${promotion.toUpperCase()}`,
    value: -value,
    rawValue: -value / 100,
    isPercentual: false,
    identifier: promotion,
  });
  return [
    ...(promoted > 0 ? [tag(LINE_PROMOTION, promoted)] : []),
    ...(coupon > 0 ? [tag(COUPON_PROMOTION, coupon)] : []),
  ];
}

/** Some lines have pieces of two prices, and their `sellingPrice` is the price of none or one. */
function sellingPrices(order: Order, index: number): { value: number; quantity: number }[] {
  const { quantity } = order.lines[index] as Line;
  const total = paidFor(order, index);
  const [each, left] = [Math.floor(total / quantity), total % quantity];
  if (left > 0)
    return [
      { value: each + 1, quantity: left },
      { value: each, quantity: quantity - left },
    ];
  const isMixed = quantity === 2 && dice('vtex prices', order.id, index).chance(1 / 2);
  if (!isMixed) return [{ value: each, quantity }];
  return [
    { value: each + 50, quantity: 1 },
    { value: each - 50, quantity: 1 },
  ];
}

export function item(order: Order, index: number) {
  const line = order.lines[index] as Line;
  const { price, listPrice } = priceOf(order, index);
  const prices = sellingPrices(order, index);
  const sellingPrice = prices[0]?.value;
  return {
    uniqueId: `${order.number}${index}`.padStart(32, 'A'),
    id: String(skuIdOf(line.sku)),
    productId: String(skuIdOf(line.product.sku)),
    ean: null,
    quantity: line.quantity,
    seller: '1',
    name: line.title,
    refId: line.sku,
    price,
    listPrice,
    manualPrice: null,
    priceTags: priceTags(order, index),
    sellerSku: String(skuIdOf(line.sku)),
    commission: 0,
    tax: 0,
    measurementUnit: isWeighed(order, index) ? 'kg' : 'un',
    unitMultiplier: isWeighed(order, index) ? 0.5 : 1.0,
    sellingPrice,
    isGift: false,
    priceDefinition: {
      sellingPrices: prices,
      calculatedSellingPrice: sellingPrice,
      total: paidFor(order, index),
      reason: null,
    },
    taxCode: '',
    costPrice: null,
  };
}
