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
import type { OtherAmount, SourceOrder } from '../contract.ts';
import { amount, currency, optional, text } from '../wire-fields.ts';

// Proceeds are rows of a type and an amount: of the whole order, of each line, or of the lines
// alone. A type may have several rows. Only rows of lines name the object of a discount.

export const Money = optional(z.object({ amount: optional(amount), currencyCode: currency }));

const Row = z.object({
  type: z.string(),
  status: text,
  subtotal: Money,
  detailedBreakdowns: optional(z.array(z.object({ subtype: text, value: Money }))),
});
type Row = z.infer<typeof Row>;
export const Breakdowns = optional(z.array(Row));
type Rows = readonly Row[] | null;

interface LineMoney {
  readonly unitPrice: Decimal | null;
  readonly listPrice: Decimal | null;
  readonly subtotal: Decimal | null;
}

/**
 * A line's prices: the amount of ITEM is before its discounts. Without rows only the price of a
 * unit is known.
 */
export function lineMoney(quantity: Decimal, price: Decimal | null, rows: Rows): LineMoney {
  const ofPieces = price && multiplyExact(price, quantity);
  const gross = sumOf(rows, 'ITEM') ?? ofPieces;
  if (!rows?.length || gross === null || compare(quantity, ZERO) <= 0)
    return { unitPrice: price, listPrice: null, subtotal: ofPieces };
  const discount = ofLine(rows);
  const subtotal = isZero(discount) ? gross : subtract(gross, discount);
  const priceOf = (money: Decimal) =>
    price !== null && ofPieces !== null && compare(money, ofPieces) === 0
      ? price
      : perPiece(money, quantity);
  return { unitPrice: priceOf(subtotal), listPrice: priceOf(gross), subtotal };
}

interface Reported {
  readonly total: Decimal | null;
  /** Of the order itself. */
  readonly rows: Rows;
  /** Of each line. */
  readonly lines: readonly Rows[];
  /** Sum of the lines, after their discounts. */
  readonly subtotal: Decimal | null;
}

type OrderMoney = Pick<
  SourceOrder,
  'orderDiscount' | 'shippingTotal' | 'taxTotal' | 'taxAdded' | 'other'
>;

/** Whether any row has an amount of the order. */
export function hasMoney({ rows, lines }: Pick<Reported, 'rows' | 'lines'>): boolean {
  return [rows, ...lines].some((some) => some?.length);
}

/** The amounts of an order's rows; without rows of its own, those of its lines are summed. */
export function orderMoney(reported: Reported): OrderMoney {
  const ofLines = reported.lines.flatMap((rows) => rows ?? []);
  const rows = reported.rows?.length ? reported.rows : ofLines;
  const taxTotal = sumOf(rows, 'TAX');
  const parts = {
    orderDiscount: rows.length > 0 ? beyondLines(rows, ofLines) : null,
    shippingTotal: less(sumOf(rows, 'SHIPPING'), discountOn('SHIPPING', ofLines)),
    other: otherOf(rows, ofLines),
  };
  return { ...parts, taxTotal, taxAdded: addedTax(reported, parts, taxTotal) };
}

const OWN_FIELD: ReadonlySet<string> = new Set(['ITEM', 'SHIPPING', 'TAX', 'DISCOUNT']);

/**
 * Gift wrap, a fee for cash on delivery, a tip; one that is still being charged is not in the
 * total.
 */
function otherOf(rows: readonly Row[], ofLines: readonly Row[]): OtherAmount[] {
  const charged = rows.filter(({ type, status }) => !OWN_FIELD.has(type) && status !== 'PENDING');
  return [...new Set(charged.map(({ type }) => type))].flatMap((name) => {
    const amount = less(sumOf(charged, name), discountOn(name, ofLines));
    return amount === null || isZero(amount) ? [] : [{ name, amount }];
  });
}

/**
 * No field says whether TAX is inside the prices: it is added where the total requires it. Null
 * where there is no total.
 */
function addedTax(
  { total, subtotal }: Reported,
  {
    orderDiscount,
    shippingTotal,
    other,
  }: Pick<OrderMoney, 'orderDiscount' | 'shippingTotal' | 'other'>,
  tax: Decimal | null,
): Decimal | null {
  if (total === null || subtotal === null) return null;
  const added = add(subtotal, shippingTotal ?? ZERO, ...other.map(({ amount }) => amount));
  const withoutTax = subtract(added, orderDiscount ?? ZERO);
  return compare(withoutTax, total) === 0 ? ZERO : tax;
}

/**
 * Discounts of the order are spread over its lines; the part that no line has is the order's own.
 */
function beyondLines(rows: readonly Row[], ofLines: readonly Row[]): Decimal {
  const [whole, lines] = [discount(rows), discount(ofLines)];
  return compare(whole, lines) > 0 ? subtract(whole, lines) : ZERO;
}

function discount(rows: readonly Row[]): Decimal {
  return absolute(sumOf(rows, 'DISCOUNT') ?? ZERO);
}

/** A discount on shipping, gift wrap or another charge does not reduce the line's own amount. */
function ofLine(rows: readonly Row[]): Decimal {
  const subtypes = new Set(detailsOf(rows).map(({ subtype }) => subtype ?? ''));
  const elsewhere = [...subtypes].filter((subtype) => ELSEWHERE.has(subtype));
  return subtract(
    discount(rows),
    add(ZERO, ...elsewhere.map((subtype) => discountOn(subtype, rows))),
  );
}

const ELSEWHERE: ReadonlySet<string> = new Set(['SHIPPING', 'GIFT_WRAP', 'COD_FEE', 'OTHER']);

function discountOn(charge: string, rows: readonly Row[]): Decimal {
  if (!ELSEWHERE.has(charge)) return ZERO;
  const values = detailsOf(rows).filter(({ subtype }) => subtype === charge);
  return absolute(add(ZERO, ...values.map(({ value }) => value?.amount ?? ZERO)));
}

function detailsOf(rows: readonly Row[]) {
  return rows
    .filter(({ type }) => type === 'DISCOUNT')
    .flatMap((row) => row.detailedBreakdowns ?? []);
}

/** Null where no row has the type. */
function sumOf(rows: Rows, type: string): Decimal | null {
  const amounts = (rows ?? [])
    .filter((row) => row.type === type)
    .map(({ subtotal }) => subtotal?.amount ?? null);
  return amounts.length === 1 ? (amounts[0] ?? null) : addKnown(amounts);
}

function less(amount: Decimal | null, taken: Decimal): Decimal | null {
  return amount === null || isZero(taken) ? amount : subtract(amount, taken);
}

export function isZero(amount: Decimal): boolean {
  return compare(amount, ZERO) === 0;
}
