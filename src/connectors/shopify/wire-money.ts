import { z } from 'zod';
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
import type { OtherAmount, ReportedLine, SourceOrder } from '../contract.ts';
import { amount, currency, id, looseText, optional } from '../wire-fields.ts';
import { broken, PageInfo, tailOf } from './graphql.ts';

// Amounts of the order as it was placed, in the shop's own currency: `totalPriceSet` and `quantity`
// are before returns.

export const MoneyV2 = z.object({ amount, currencyCode: currency });
/** Besides the shop's money a bag has the buyer's, which may be in another currency. */
export const Money = optional(z.object({ shopMoney: MoneyV2 }));

const Allocation = z.object({
  allocatedAmountSet: z.object({ shopMoney: MoneyV2 }),
  discountApplication: optional(
    z.object({ allocationMethod: looseText, targetSelection: looseText }),
  ),
});

const Line = z.object({
  id,
  title: looseText,
  name: looseText,
  sku: looseText,
  variantTitle: looseText,
  quantity: optional(amount),
  currentQuantity: optional(amount),
  originalUnitPriceSet: Money,
  discountAllocations: optional(z.array(Allocation)),
  /** Rounded; in documents that were stored before the allocations were requested. */
  discountedUnitPriceAfterAllDiscountsSet: Money,
});
type Line = z.infer<typeof Line>;

const ShippingLine = z.object({ title: looseText, discountedPriceSet: Money });

const Sale = z.object({ actionType: looseText, totalAmount: Money });
const Agreement = z.object({
  reason: looseText,
  sales: z.object({ nodes: z.array(Sale), pageInfo: optional(PageInfo) }),
});

const list = <T>(schema: z.ZodType<T>) =>
  optional(z.object({ nodes: z.array(schema), pageInfo: optional(PageInfo) }));

/** The fields of an order with amounts. */
export const MONEY_FIELDS = {
  taxesIncluded: optional(z.boolean()).catch(null),
  dutiesIncluded: optional(z.boolean()).catch(null),
  totalPriceSet: Money,
  totalTaxSet: Money,
  totalRefundedSet: Money,
  totalTipReceivedSet: Money,
  originalTotalDutiesSet: Money,
  additionalFees: optional(z.array(z.object({ name: looseText, price: Money }))),
  /** Before discounts; in documents that were stored before the shipping lines were requested. */
  totalShippingPriceSet: Money,
  shippingLines: list(ShippingLine),
  lineItems: list(Line),
  /** Only of orders that were edited. */
  agreements: list(Agreement),
};
const MoneyFields = z.object(MONEY_FIELDS);
type Reported = z.infer<typeof MoneyFields>;

type OrderMoney = Pick<
  SourceOrder,
  'total' | 'totalIncludes' | 'orderDiscount' | 'shippingTotal' | 'taxTotal' | 'taxAdded' | 'other'
> & { readonly lines: readonly ReportedLine[] };

/** @throws ZodError where a line has no quantity or price, or a list is incomplete */
export function moneyOf(order: Reported): OrderMoney {
  assertWhole(order);
  const tax = sumOf(order.totalTaxSet);
  const tip = sumOf(order.totalTipReceivedSet);
  const removed = removedByEdits(order);
  const parts = {
    orderDiscount: order.lineItems && addKnown(order.lineItems.nodes.map(orderDiscountOf)),
    shippingTotal: shippingOf(order),
    taxAdded: order.taxesIncluded === null ? null : order.taxesIncluded ? ZERO : tax,
    other: otherOf(order, tip, removed),
    lines: withoutTip((order.lineItems?.nodes ?? []).map(lineMoney), tip),
  };
  const total = sumOf(order.totalPriceSet);
  return {
    ...parts,
    total: total && removed && !isSum(parts, total) ? add(total, removed) : total,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    taxTotal: tax,
  };
}

/** Whether a total equals the sum of its parts, of which one is the amount removed by edits. */
function isSum(
  {
    lines,
    orderDiscount,
    shippingTotal,
    taxAdded,
    other,
  }: Omit<OrderMoney, 'total' | 'totalIncludes' | 'taxTotal'>,
  total: Decimal,
): boolean {
  const ofLines = lines.map(({ subtotal }) => subtotal ?? null);
  const sum = addKnown([...ofLines, shippingTotal, taxAdded, ...other.map(({ amount }) => amount)]);
  return sum !== null && compare(subtract(sum, orderDiscount ?? ZERO), total) === 0;
}

export function sumOf(money: z.infer<typeof Money>): Decimal | null {
  return money?.shopMoney.amount ?? null;
}

function assertWhole({ lineItems, shippingLines, agreements }: Reported): void {
  const lists = { lineItems, shippingLines, agreements };
  for (const [name, found] of Object.entries(lists))
    if (found?.pageInfo?.hasNextPage) throw broken([name], 'its end was not to be had');
  if (agreements?.nodes.some(({ sales }) => sales.pageInfo?.hasNextPage))
    throw broken(['agreements', 'sales'], 'its end was not to be had');
}

/** A price of one unit is rounded there, so the line's money comes from the allocations. */
function lineMoney(line: Line, index: number): ReportedLine {
  const listed = line.originalUnitPriceSet ?? line.discountedUnitPriceAfterAllDiscountsSet;
  const quantity = line.quantity ?? line.currentQuantity;
  if (quantity === null || listed === null)
    throw broken(['lineItems', 'nodes', index], 'expected a quantity and a price');
  const { amount: price, currencyCode } = listed.shopMoney;
  return {
    id: tailOf(line.id),
    sku: line.sku,
    title: line.name ?? line.title,
    variation: line.variantTitle,
    quantity,
    cancelled: cancelledOf(quantity, line.currentQuantity),
    listPrice: sumOf(line.originalUnitPriceSet),
    ...paidFor(line, price, quantity),
    ...(currencyCode && { currency: currencyCode }),
  };
}

function paidFor(
  line: Line,
  price: Decimal,
  quantity: Decimal,
): Pick<ReportedLine, 'unitPrice' | 'subtotal'> {
  if (!line.discountAllocations)
    return { unitPrice: sumOf(line.discountedUnitPriceAfterAllDiscountsSet) ?? price };
  const own = line.discountAllocations
    .filter((allocation) => !isOfOrder(allocation))
    .map(allocated);
  const subtotal = subtract(multiplyExact(price, quantity), add(ZERO, ...own));
  const hasPieces = compare(quantity, ZERO) > 0;
  return { unitPrice: hasPieces ? perPiece(subtotal, quantity) : price, subtotal };
}

/** `quantity` still counts units that were refunded, or removed by an edit. */
function cancelledOf(quantity: Decimal, current: Decimal | null): Decimal {
  return current !== null && compare(current, quantity) < 0 ? subtract(quantity, current) : ZERO;
}

/**
 * A discount of the whole order is spread over its lines; zero where a line has no share of one.
 */
function orderDiscountOf({ discountAllocations }: Line): Decimal {
  return add(ZERO, ...(discountAllocations ?? []).filter(isOfOrder).map(allocated));
}

function isOfOrder({ discountApplication }: z.infer<typeof Allocation>): boolean {
  return (
    discountApplication?.allocationMethod === 'ACROSS' &&
    discountApplication.targetSelection === 'ALL'
  );
}

function allocated({ allocatedAmountSet }: z.infer<typeof Allocation>): Decimal {
  return allocatedAmountSet.shopMoney.amount;
}

/** After discounts, and before refunds of shipping. */
function shippingOf({ shippingLines, totalShippingPriceSet }: Reported): Decimal | null {
  if (!shippingLines) return sumOf(totalShippingPriceSet);
  return add(
    ZERO,
    ...shippingLines.nodes.flatMap(({ discountedPriceSet }) => sumOf(discountedPriceSet) ?? []),
  );
}

/** Parts of the total beside goods, shipping and tax. */
function otherOf(order: Reported, tip: Decimal | null, removed: Decimal | null): OtherAmount[] {
  const duties = order.dutiesIncluded ? null : sumOf(order.originalTotalDutiesSet);
  const fees = (order.additionalFees ?? []).map(({ name, price }) => ({
    name: name ?? 'additional_fee',
    amount: sumOf(price),
  }));
  const named = [
    { name: 'tip', amount: tip },
    { name: 'duties', amount: duties },
    ...fees,
    { name: 'removed_by_edit', amount: removed },
  ];
  return named.flatMap(({ name, amount }) =>
    amount === null || compare(amount, ZERO) === 0 ? [] : [{ name, amount }],
  );
}

/** A tip is a line without product and SKU. It is not goods, and becomes part of `other`. */
function withoutTip(lines: readonly ReportedLine[], tip: Decimal | null): readonly ReportedLine[] {
  if (tip === null || compare(tip, ZERO) === 0) return lines;
  const line = lines.find(
    ({ sku, variation, subtotal }) =>
      !sku && !variation && subtotal && compare(subtotal, tip) === 0,
  );
  return lines.filter((one) => one !== line);
}

/**
 * The amount that edits removed from the order, negative, with its taxes and discounts; null where
 * they removed nothing.
 */
function removedByEdits({ agreements }: Reported): Decimal | null {
  const sales = (agreements?.nodes ?? [])
    .filter(({ reason }) => reason === 'ORDER_EDIT')
    .flatMap((agreement) => agreement.sales.nodes)
    .filter(({ actionType }) => actionType === 'RETURN');
  const removed = addKnown(sales.map(({ totalAmount }) => absolute(sumOf(totalAmount))));
  return removed && subtract(ZERO, removed);
}
