import { z } from 'zod';
import {
  absolute,
  add,
  addKnown,
  compare,
  type Decimal,
  divide,
  multiplyExact,
  perPiece,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import type { ReportedLine, SourceOrder } from '../contract.ts';
import { amount, id, optional, looseText as text } from '../wire-fields.ts';

// `value` = Items + Discounts + Shipping + Tax + Change. `Items` is the price before promotions,
// and `Discounts` what the price tags of the lines take off it: a coupon and a promotion of the
// whole cart too are shared out among the lines.

/** Every amount is in hundredths, whatever the currency shows. */
export const cents = amount.transform((hundredths) => divide(hundredths, 100, 2));

const Priced = z.object({
  id,
  name: text,
  refId: text,
  sellerSku: text,
  quantity: amount,
  /**
   * Of one measurement unit before promotions, and the "from" price beside it, which sellers type
   * freely.
   */
  price: optional(cents),
  listPrice: optional(cents).catch(null),
  /** Measurement units in one piece, such as 0.3 kg; the next two are of pieces. */
  unitMultiplier: optional(amount).catch(null),
  sellingPrice: optional(cents),
  /** Of the whole line; VTEX says that `sellingPrice` may be rounded, and this is not. */
  priceDefinition: optional(z.object({ total: optional(cents) })),
});
const Item = Priced.transform((item, context) => {
  const unitPrice = unitPriceOf(item);
  if (unitPrice !== null) return { ...item, unitPrice };
  context.addIssue({ code: 'custom', path: ['sellingPrice'], message: 'expected a price' });
  return z.NEVER;
});
type Item = z.infer<typeof Item>;

/** `id` is that of the line's SKU, or the seller's own one (`sellerSku`). */
const RemovedItem = z.object({ id, quantity: amount });
const AddedItem = RemovedItem.extend({ name: text, price: cents });
type AddedItem = z.infer<typeof AddedItem>;
const Change = z.object({
  itemsAdded: optional(z.array(AddedItem)),
  itemsRemoved: optional(z.array(RemovedItem)),
});

/** The fields of an order with amounts. */
export const MoneyFields = z.object({
  value: optional(cents),
  totals: optional(z.array(z.object({ id: z.string(), value: optional(cents) }))),
  roundingError: optional(cents).catch(null),
  items: optional(z.array(Item)),
  changesAttachment: optional(z.object({ changesData: optional(z.array(Change)) })),
});
type MoneyFields = z.infer<typeof MoneyFields>;

/** Pieces of a line that came back. */
export interface Returned {
  /** Of the line in `items`. */
  readonly itemIndex: number;
  readonly quantity: Decimal;
}

/**
 * The lines as ordered, and those that a change added; pieces that a change removed count as
 * cancelled.
 */
export function linesOf(order: MoneyFields, returned: readonly Returned[]): ReportedLine[] {
  const lines = [...(order.items ?? []).map(lineOf), ...addedTo(order).map(addedLineOf)];
  const gone = takeOff(lines, [
    ...returned.map(({ itemIndex, quantity }) => ({ indexes: [itemIndex], quantity })),
    ...removedFrom(order).map(({ id, quantity }) => ({ indexes: indexesOf(order, id), quantity })),
  ]);
  return lines.map((line, index) => ({ ...line, cancelled: gone[index] ?? ZERO }));
}

interface Gone {
  /** The lines that the pieces may have been of. */
  readonly indexes: readonly number[];
  readonly quantity: Decimal;
}

/** @returns how many pieces of each line are gone, and never more than it has */
function takeOff(lines: readonly ReportedLine[], wanted: readonly Gone[]): Decimal[] {
  const gone = lines.map(() => ZERO);
  for (const { indexes, quantity } of wanted) {
    let left = quantity;
    for (const index of indexes) {
      const [line, before] = [lines[index], gone[index]];
      if (!line || before === undefined) continue;
      const taken = smaller(left, subtract(line.quantity, before));
      gone[index] = add(before, taken);
      left = subtract(left, taken);
    }
  }
  return gone;
}

/** The index of an SKU among the lines; added lines follow the others. */
function indexesOf(order: MoneyFields, sku: string): number[] {
  const names = [
    ...(order.items ?? []).map(({ id, sellerSku }) => [id, sellerSku]),
    ...addedTo(order).map(({ id }) => [id]),
  ];
  return names.flatMap((ofLine, index) => (ofLine.includes(sku) ? [index] : []));
}

type OrderMoney = Pick<
  SourceOrder,
  'total' | 'totalIncludes' | 'orderDiscount' | 'shippingTotal' | 'taxTotal' | 'taxAdded' | 'other'
>;

export function orderMoney(order: MoneyFields): OrderMoney {
  const taxes = addKnown([totalOf(order, 'Tax'), totalOf(order, 'CustomTax')]);
  return {
    total: order.value,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    orderDiscount: orderDiscountOf(order),
    shippingTotal: totalOf(order, 'Shipping'),
    // None of them says nothing of the IVA that prices hold.
    taxTotal: taxes !== null && isPositive(taxes) ? taxes : null,
    taxAdded: taxes,
    other: otherOf(order),
  };
}

/**
 * Discounts that no line has. Of goods by weight each line is rounded by itself, and
 * `roundingError` is the difference of that sum from the whole discount.
 */
function orderDiscountOf(order: MoneyFields): Decimal | null {
  const reported = absolute(totalOf(order, 'Discounts'));
  if (reported === null) return null;
  const left = subtract(reported, add(ZERO, ...(order.items ?? []).map(discountOf)));
  return compare(left, absolute(order.roundingError ?? ZERO)) > 0 ? left : ZERO;
}

const OWN_FIELD: ReadonlySet<string> = new Set([
  'Items',
  'Discounts',
  'Shipping',
  'Tax',
  'CustomTax',
  'Change',
]);

/** Further totals by their ids, and what a change came to besides the lines that it added. */
function otherOf(order: MoneyFields): SourceOrder['other'] {
  const change = totalOf(order, 'Change');
  const added = addedTo(order).map(({ price, quantity }) => multiplyExact(price, quantity));
  const named = (order.totals ?? []).flatMap(({ id, value }) =>
    OWN_FIELD.has(id) || value === null ? [] : [{ name: id, amount: value }],
  );
  const changed =
    change === null ? [] : [{ name: 'Change', amount: subtract(change, add(ZERO, ...added)) }];
  return [...named, ...changed].filter(({ amount }) => compare(amount, ZERO) !== 0);
}

function totalOf({ totals }: MoneyFields, name: string): Decimal | null {
  return addKnown((totals ?? []).filter((total) => total.id === name).map(({ value }) => value));
}

function lineOf(item: Item): ReportedLine {
  return {
    id: item.id,
    sku: item.refId ?? item.sellerSku,
    title: item.name,
    quantity: item.quantity,
    unitPrice: item.unitPrice,
    listPrice: listPriceOf(item),
    subtotal: item.priceDefinition?.total ?? null,
  };
}

function addedLineOf({ id, name, quantity, price }: AddedItem): ReportedLine {
  return { id, sku: id, title: name, quantity, unitPrice: price };
}

function addedTo({ changesAttachment }: MoneyFields): AddedItem[] {
  return (changesAttachment?.changesData ?? []).flatMap(({ itemsAdded }) => itemsAdded ?? []);
}

function removedFrom({ changesAttachment }: MoneyFields): z.infer<typeof RemovedItem>[] {
  return (changesAttachment?.changesData ?? []).flatMap(({ itemsRemoved }) => itemsRemoved ?? []);
}

/** Pieces of one line may cost differently, and then this is their mean. */
function unitPriceOf({
  quantity,
  priceDefinition,
  sellingPrice,
  ...item
}: z.infer<typeof Priced>): Decimal | null {
  const total = priceDefinition?.total ?? null;
  if (total !== null && isPositive(quantity)) return perPiece(total, quantity);
  return sellingPrice ?? (item.price && ofPiece(item.price, item.unitMultiplier));
}

function listPriceOf({ price, listPrice, unitMultiplier, unitPrice }: Item): Decimal | null {
  const higher = price && listPrice && compare(listPrice, price) > 0 ? listPrice : price;
  const before = higher && ofPiece(higher, unitMultiplier);
  return before && compare(before, unitPrice) >= 0 ? before : null;
}

/** By how much the line costs less than its price, in whole cents as VTEX adds them up. */
function discountOf({
  price,
  unitMultiplier,
  quantity,
  unitPrice,
  priceDefinition,
}: Item): Decimal {
  if (price === null) return ZERO;
  const before = divide(multiplyExact(ofPiece(price, unitMultiplier), quantity), 1, 2);
  const discount = subtract(before, priceDefinition?.total ?? multiplyExact(unitPrice, quantity));
  return isPositive(discount) ? discount : ZERO;
}

function ofPiece(price: Decimal, unitMultiplier: Decimal | null): Decimal {
  const isWhole =
    unitMultiplier === null || !isPositive(unitMultiplier) || Number(unitMultiplier) === 1;
  return isWhole ? price : multiplyExact(price, unitMultiplier);
}

function isPositive(amount: Decimal): boolean {
  return compare(amount, ZERO) > 0;
}

function smaller(one: Decimal, other: Decimal): Decimal {
  return compare(one, other) <= 0 ? one : other;
}
