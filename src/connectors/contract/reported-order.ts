import {
  addKnown,
  compare,
  type Decimal,
  multiplyExact,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import type { SourceItem, SourceOrder, UnpricedLine } from './source-order.ts';

/** A line in a marketplace's terms. */
export interface ReportedLine {
  readonly id?: string | null;
  readonly sku?: string | null;
  readonly title: string | null;
  readonly variation?: string | null;
  /** As ordered; may be a fraction, as of goods by weight. */
  readonly quantity: Decimal;
  /** Units of these that were cancelled or returned later. */
  readonly cancelled?: Decimal;
  /** False where the source no longer gives the ordered quantity. */
  readonly quantityKnown?: boolean;
  /**
   * For one unit, after the discounts of the line; null where the source gives none, or no longer.
   */
  readonly unitPrice: Decimal | null;
  /** For one unit, before discounts. */
  readonly listPrice?: Decimal | null;
  /**
   * The line's money after its discounts, where the source gives it; else quantity × unit price.
   */
  readonly subtotal?: Decimal | null;
  readonly currency?: string;
}

type Required =
  | 'id'
  | 'status'
  | 'marketplaceStatus'
  | 'currency'
  | 'total'
  | 'dateCreated'
  | 'fetchedAt'
  | 'raw';
/** Derived from the lines. */
type Derived = 'items' | 'unpriced' | 'subtotal' | 'discountTotal';

type Reported = Pick<SourceOrder, Required | 'totalIncludes'> &
  Partial<Omit<SourceOrder, Required | Derived>> & { readonly lines: readonly ReportedLine[] };

/**
 * An order from a marketplace's data: missing data are null or empty, and the lines are summed.
 * Where a line has no price, all lines and their sums stay as stored.
 */
export function sourceOrder({ lines, keep = [], ...reported }: Reported): SourceOrder {
  const priced = lines.filter(isPriced);
  const unpriced = lines.filter((line) => !isPriced(line));
  const items = priced.map((line) => sourceItem(line, reported.currency));
  return {
    ...SILENT,
    ...reported,
    items,
    unpriced: unpriced.map((line) => unpricedLine(line, reported.currency)),
    subtotal: addKnown(items.map(({ subtotal }) => subtotal)),
    discountTotal: discountsOf(priced, reported.orderDiscount ?? null),
    keep: unpriced.length > 0 ? [...new Set([...keep, ...OF_LINES])] : keep,
  };
}

/** The defaults of fields that a marketplace does not have. */
const SILENT = {
  totalIncludes: null,
  paymentStatus: null,
  fulfillmentStatus: null,
  orderDiscount: null,
  marketplaceDiscountTotal: null,
  shippingTotal: null,
  packShippingTotal: null,
  taxTotal: null,
  taxAdded: null,
  other: [],
  feesTotal: null,
  withheldTotal: null,
  netTotal: null,
  refundedTotal: null,
  refunds: [],
  buyerName: null,
  dateClosed: null,
  unpriced: [],
  shipping: null,
  invoiceRequired: null,
  packId: null,
  tags: [],
  changedAt: null,
  keep: [],
} as const satisfies Partial<SourceOrder>;

const OF_LINES = ['items', 'subtotal', 'discountTotal'] as const;

/** When the refunds covered the total; null where they do not, or where one of them has no time. */
export function coveredAt(refunds: SourceOrder['refunds'], total: Decimal | null): Instant | null {
  const dated = refunds.flatMap(({ amount, at }) => (at ? [{ amount, at }] : []));
  if (total === null || dated.length < refunds.length) return null;
  let left = total;
  for (const { amount, at } of dated.toSorted((one, other) => compareInstants(one.at, other.at))) {
    left = subtract(left, amount);
    if (compare(left, ZERO) <= 0) return at;
  }
  return null;
}

/** An order that its source no longer has: all stored data stay. */
export function silentOrder(
  reported: Pick<SourceOrder, 'id' | 'status' | 'marketplaceStatus' | 'fetchedAt'> &
    Partial<SourceOrder>,
): SourceOrder {
  const silent = {
    ...SILENT,
    currency: '',
    total: null,
    totalIncludes: null,
    subtotal: null,
    discountTotal: null,
    items: [],
    dateCreated: reported.fetchedAt,
    raw: null,
  };
  const kept = (Object.keys(silent) as (keyof typeof silent)[]).filter(
    (field) =>
      !(field in reported) &&
      !['changedAt', 'keep', 'raw', 'dateClosed', 'unpriced'].includes(field),
  );
  return { ...silent, ...reported, keep: kept };
}

type PricedLine = ReportedLine & { readonly unitPrice: Decimal };

function isPriced(line: ReportedLine): line is PricedLine {
  return line.unitPrice !== null;
}

function sourceItem(line: PricedLine, currency: string): SourceItem {
  return {
    ...unpricedLine(line, currency),
    unitPrice: line.unitPrice,
    listPrice: line.listPrice ?? null,
    subtotal: subtotalOf(line),
  };
}

function unpricedLine(line: ReportedLine, currency: string): UnpricedLine {
  return {
    id: line.id ?? null,
    sku: line.sku || null,
    title: line.title || line.sku || UNTITLED,
    variation: line.variation ?? null,
    quantity: Math.ceil(Number(line.quantity)),
    cancelledQuantity: Math.ceil(Number(line.cancelled ?? ZERO)),
    quantityKnown: line.quantityKnown ?? true,
    currency: line.currency ?? currency,
  };
}

/** For the API and the panel, which show every line by a name. */
const UNTITLED = 'Sin título';

function subtotalOf({ subtotal, unitPrice, quantity }: PricedLine): Decimal {
  return subtotal ?? multiplyExact(unitPrice, quantity);
}

/** Null where the lines' discounts are unknown and the order's own is null or zero. */
function discountsOf(lines: readonly PricedLine[], ofOrder: Decimal | null): Decimal | null {
  const ofLines = addKnown(lines.map(discountOf));
  if (ofLines === null && (ofOrder === null || compare(ofOrder, ZERO) === 0)) return null;
  return addKnown([ofLines, ofOrder]);
}

/** Null where the line's price before discounts is not known. */
function discountOf(line: PricedLine): Decimal | null {
  const { listPrice, quantity } = line;
  if (listPrice === null || listPrice === undefined) return null;
  const discount = subtract(multiplyExact(listPrice, quantity), subtotalOf(line));
  return compare(discount, ZERO) > 0 ? discount : ZERO;
}
