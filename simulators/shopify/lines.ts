/** The lines of an order: goods, tips and shipping, with their discounts. */
import { cents, type Line, type Order, reachedAt } from '../order.ts';
import { editsOf } from './edits.ts';
import { isAllBack, type LineMoney, type Money, moneyOf } from './facts.ts';
import { money } from './shown.ts';
import type { Store } from './store.ts';

export const ORDER_BASE = 5_400_000_000_000;

/** What is left of a line after refunds and edits; `quantity` stays what was ordered. */
function currentQuantity(order: Order, line: Line, index: number, store: Store): number {
  const now = store.now();
  if (isAllBack(order, now)) return 0;
  const isOneBack =
    index === 0 && line.quantity > 1 && reachedAt(order, 'partially_refunded', now) !== null;
  const removed = editsOf(order, store)
    .filter((edit) => edit.line === index)
    .reduce((sum, { pieces }) => sum + pieces, 0);
  return line.quantity - (isOneBack ? 1 : 0) - removed;
}

/** The product's name, and the variant's. */
export function lineName({ title, variant }: Line): string {
  return variant ? `${title} - ${variant.value}` : title;
}

export function lineDocument(order: Order, line: Line, index: number, store: Store) {
  const paid = moneyOf(order, store.taxesIncluded).lines[index] as LineMoney;
  const left = paid.listed - paid.discount - paid.share;
  return {
    id: `gid://shopify/LineItem/${ORDER_BASE * 2 + order.number * 100 + index}`,
    title: line.title,
    name: lineName(line),
    sku: line.sku,
    variantTitle: line.variant?.value ?? null,
    quantity: line.quantity,
    currentQuantity: currentQuantity(order, line, index, store),
    originalUnitPriceSet: money(cents(line.listPrice)),
    originalTotalSet: money(paid.listed),
    totalDiscountSet: money(paid.discount),
    discountedUnitPriceAfterAllDiscountsSet: money(Math.round(left / line.quantity)),
    discountAllocations: [allocation(paid.discount, OWN), allocation(paid.share, OF_ORDER)].flat(),
  };
}

const OWN = {
  index: 0,
  allocationMethod: 'EACH',
  targetSelection: 'ENTITLED',
  targetType: 'LINE_ITEM',
};
const OF_ORDER = {
  index: 1,
  allocationMethod: 'ACROSS',
  targetSelection: 'ALL',
  targetType: 'LINE_ITEM',
};
const OF_SHIPPING = {
  index: 2,
  allocationMethod: 'EACH',
  targetSelection: 'ALL',
  targetType: 'SHIPPING_LINE',
};

function allocation(amount: number, discountApplication: typeof OWN) {
  return amount === 0 ? [] : [{ allocatedAmountSet: money(amount), discountApplication }];
}

/** A tip has a line, which is nothing to be sent. */
export function tipLines(order: Order, { tip }: Money, now: number) {
  if (tip === 0) return [];
  const line = {
    id: `gid://shopify/LineItem/${ORDER_BASE * 2 + order.number * 100 + 99}`,
    title: 'Tip',
    name: 'Tip',
    sku: null,
    variantTitle: null,
    quantity: 1,
    currentQuantity: isAllBack(order, now) ? 0 : 1,
    originalUnitPriceSet: money(tip),
    originalTotalSet: money(tip),
    totalDiscountSet: money(0),
    discountedUnitPriceAfterAllDiscountsSet: money(tip),
    discountAllocations: [],
  };
  return [line];
}

export function shippingLines({ shipping }: Money) {
  if (!shipping) return [];
  const line = {
    title: 'Envío estándar',
    originalPriceSet: money(shipping.listed),
    discountedPriceSet: money(shipping.listed - shipping.discount),
    discountAllocations: allocation(shipping.discount, OF_SHIPPING),
  };
  return [line];
}

export function discountsOf({ lines, shipping }: Money): number {
  return lines.reduce(
    (sum, { discount, share }) => sum + discount + share,
    shipping?.discount ?? 0,
  );
}
