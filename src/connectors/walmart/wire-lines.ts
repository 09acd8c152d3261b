import { z } from 'zod';
import { isRawNumber } from '../../platform/json.ts';
import { add, compare, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { type Instant, parseInstant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type { OrderStatus } from '../contract.ts';
import { MOST_ROWS } from '../lists.ts';
import { amount, currency, id, instant, optional, text, whole } from '../wire-fields.ts';

// Lines of orders, in both generations. Status lives on lines, and there by units.

/** One or several, with or without a wrapper around the list. */
export function several<T>(row: z.ZodType<T>, wrapper = ''): z.ZodType<T[]> {
  return z.preprocess((value) => {
    const inner = isObject(value) && wrapper in value ? value[wrapper] : value;
    if (inner === undefined || inner === null) return [];
    return Array.isArray(inner) ? inner : [inner];
  }, z.array(row).max(MOST_ROWS));
}

const epoch = whole.transform((millis, context) => {
  const found =
    Math.abs(millis) < 1e15
      ? parseInstant(Temporal.Instant.fromEpochMilliseconds(millis).toString())
      : null;
  if (found) return found;
  context.addIssue({ code: 'custom', message: 'expected a time' });
  return z.NEVER;
});
export const time = z.union([instant, epoch]) as z.ZodType<Instant>;
export const Money = optional(z.object({ currency, amount: optional(amount) }));
export const Quantity = optional(z.object({ amount: optional(amount) }));

const Charge = z.object({
  chargeType: text,
  chargeName: text,
  chargeAmount: Money,
  tax: several(z.object({ taxAmount: Money })),
});
export type Charge = z.infer<typeof Charge>;

const LineStatus = z.object({
  status: z.string(),
  statusDate: optional(time),
  statusQuantity: Quantity,
  trackingInfo: optional(
    z.object({
      shipDateTime: optional(time),
      carrierName: optional(z.object({ carrier: text, otherCarrier: text })),
      methodCode: text,
      trackingNumber: optional(id),
    }),
  ),
});
type LineStatus = z.infer<typeof LineStatus>;

export const Line = z.object({
  /** The line's number in this order, and in the buyer's. */
  primeLineNumber: text,
  coLineNumber: text,
  item: z.object({
    productName: text,
    sku: optional(id),
    unitPrice: Money,
    unitPriceWithoutTax: Money,
    commission: Money,
  }),
  charges: several(Charge, 'charge'),
  orderLineQuantity: z.object({ amount }),
  orderLineStatus: several(LineStatus),
  orderLineStatuses: several(LineStatus, 'orderLineStatus'),
  statusDate: optional(time),
  shippingMethod: text,
  refund: optional(
    z.object({ refundCharges: several(z.object({ charge: optional(Charge) }), 'refundCharge') }),
  ),
});
export type Line = z.infer<typeof Line>;

/** Keys are the words of lines, in small letters. */
const BY_LINE: Readonly<Record<string, OrderStatus>> = {
  created: 'paid',
  acknowledged: 'paid',
  sentforfulfillment: 'paid',
  onhold: 'paid',
  shipped: 'shipped',
  delivered: 'delivered',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  refund: 'refunded',
  refunded: 'refunded',
};

export function wordOf({ status }: Pick<LineStatus, 'status'>): OrderStatus {
  return inTable(BY_LINE, status.toLowerCase()) ?? 'unknown';
}

/** Each line is in one status, or some of its units are in another. */
export function statusesOf(line: Line): readonly LineStatus[] {
  const stated = [...line.orderLineStatus, ...line.orderLineStatuses];
  const real = stated.filter(
    ({ statusQuantity }) => !statusQuantity?.amount || !isZero(statusQuantity.amount),
  );
  return real.length > 0 ? real : stated;
}

/** Whether every unit of a line was cancelled. */
export function isCancelled(line: Line): boolean {
  const statuses = statusesOf(line);
  return statuses.length > 0 && statuses.every((one) => wordOf(one) === 'cancelled');
}

interface Pieces {
  readonly ordered: Decimal;
  readonly cancelled: Decimal;
}

/**
 * A line's quantity leaves out what was cancelled in the flat documents, and holds it in the global
 * ones. Its statuses give the cancelled units.
 */
export function piecesOf(line: Line): Pieces {
  const reported = line.orderLineQuantity.amount;
  const cancelled = piecesIn(line, true);
  const ordered = largest(
    reported,
    smallest(add(reported, cancelled), add(piecesIn(line, false), cancelled)),
  );
  return { ordered, cancelled: isCancelled(line) ? ordered : smallest(cancelled, ordered) };
}

/** Units that were not cancelled. */
export function livePiecesOf(line: Line): Decimal {
  const { ordered, cancelled } = piecesOf(line);
  return subtract(ordered, cancelled);
}

function piecesIn(line: Line, areCancelled: boolean): Decimal {
  const amounts = statusesOf(line)
    .filter((one) => (wordOf(one) === 'cancelled') === areCancelled)
    .map(({ statusQuantity }) => statusQuantity?.amount ?? ZERO);
  return add(ZERO, ...amounts);
}

export function isWord(said: string | null, word: string): boolean {
  return said?.toLowerCase() === word;
}

export function isZero(amount: Decimal): boolean {
  return compare(amount, ZERO) === 0;
}

function largest(one: Decimal, other: Decimal): Decimal {
  return compare(one, other) >= 0 ? one : other;
}

function smallest(one: Decimal, other: Decimal): Decimal {
  return compare(one, other) <= 0 ? one : other;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
  );
}
