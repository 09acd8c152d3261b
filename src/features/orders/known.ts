import type { OrderStatus, SourceShipping } from '../../connectors/contract.ts';
import { add, compare, type Decimal, multiply, subtract, ZERO } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { UnpricedLines } from './missing-prices.ts';
import type { Order, PublicOrder } from './order.ts';

/** Data of an order that others than the marketplace supply. */
export interface Annotation {
  /** Of its forward parcel, from a carrier. */
  readonly shipping: SourceShipping | null;
  /** Its tax invoice. */
  readonly cfdi: LinkedCfdi | null;
  /** The sums of its movements in the ledger of its account. */
  readonly ledger: LedgerMoney | null;
}

export interface LedgerMoney {
  readonly currency: string;
  /** The sale with its shipping; null = none yet. */
  readonly sold: Decimal | null;
  /** Positive; null where the source does not report fees. */
  readonly fees: Decimal | null;
  /** Positive. */
  readonly withheld: Decimal;
  /** Positive. */
  readonly refunded: Decimal;
  readonly net: Decimal;
  /** The source may still change one of them. */
  readonly isOpen: boolean;
}

interface LinkedCfdi {
  readonly uuid: string;
  /** `vigente`, `cancelado` or `desconocido`. */
  readonly status: string;
}

/** When an order was seen to reach a status for which its source gives no time. */
interface SeenTimes {
  readonly closedAt: Instant | null;
  readonly shippedAt: Instant | null;
  readonly deliveredAt: Instant | null;
}

/** The stored data of an order besides those of its source. */
export interface Known extends Annotation {
  readonly seen: SeenTimes | null;
  /** Stored under this name. */
  readonly gap: UnpricedLines;
}

/** The source's own values of the fields that are filled in. */
type Own = Pick<Order, 'shipping' | 'dateClosed'>;
/** The source's own money of the fields that the ledger has better. */
type OwnMoney = Pick<Order, 'feesTotal' | 'withheldTotal' | 'netTotal'>;

interface Stored {
  readonly status: OrderStatus;
  readonly annotation: string | null;
}

const NOTHING: Known = { shipping: null, cfdi: null, ledger: null, seen: null, gap: null };
const UNSEEN: SeenTimes = { closedAt: null, shippedAt: null, deliveredAt: null };
const FINAL: ReadonlySet<OrderStatus> = new Set(['delivered', 'cancelled', 'returned', 'refunded']);
const BEFORE_SHIPPED: ReadonlySet<OrderStatus> = new Set(['pending', 'paid', 'ready_to_ship']);
const BEFORE_DELIVERED: ReadonlySet<OrderStatus> = new Set([
  ...BEFORE_SHIPPED,
  'partially_shipped',
  'shipped',
  'unknown',
]);
const SHIPPED: ReadonlySet<OrderStatus> = new Set(['shipped', 'partially_shipped']);
const DELIVERED: ReadonlySet<OrderStatus> = new Set(['delivered']);

/** The order as its source gives it, without filled-in values. */
export function ownFields(
  { shipping, dateClosed }: PublicOrder,
  annotation: string | null,
): Own & Partial<OwnMoney> {
  if (annotation === null) return { shipping, dateClosed };
  const { own, money } = parse(annotation);
  return { dateClosed, ...own, ...money };
}

/**
 * What the ledger has of an order's money, in the order's currency. It is complete when the sale is
 * in it whole, with all refunds that the source gives, and nothing of it is open.
 */
export function moneyOfLedger(
  order: Pick<Order, 'currency' | 'refundedTotal' | keyof Sellable>,
  { ledger }: Pick<Known, 'ledger'>,
): Partial<PublicOrder> {
  if (ledger?.currency !== order.currency) return {};
  const { sold, refunded, isOpen } = ledger;
  const due = soldOf(order);
  const isSold = sold !== null && due !== null && compare(sold, due) >= 0;
  const isRefunded = compare(refunded, order.refundedTotal ?? ZERO) >= 0;
  return {
    ...(ledger.fees !== null && { feesTotal: ledger.fees, feesSource: 'ledger' as const }),
    withheldTotal: ledger.withheld,
    netTotal: ledger.net,
    netComplete: isSold && isRefunded && !isOpen,
  };
}

type Sellable = Pick<Order, 'total' | 'totalIncludes' | 'orderDiscount' | 'items'>;

/**
 * What the ledger has of a whole sale at least: a discount that is not in the total is not paid, and
 * units may have been cancelled before the payment.
 */
function soldOf({ total, totalIncludes, orderDiscount, items }: Sellable): Decimal | null {
  if (total === null) return null;
  const discount = totalIncludes?.orderDiscount === false ? orderDiscount : null;
  const cancelled = items.map(({ unitPrice, cancelledQuantity }) =>
    unitPrice === null || !cancelledQuantity ? ZERO : multiply(unitPrice, cancelledQuantity),
  );
  return subtract(total, add(discount ?? ZERO, ...cancelled));
}

/**
 * Fills in the fields that the source leaves empty: first from its parcel, then from the times that
 * were seen here.
 */
export function withKnown<Of extends Own & Pick<Order, 'status'>>(order: Of, known: Known): Of {
  const shipping = withTimes(withParcel(order.shipping, known.shipping), known.seen);
  const dateClosed = order.dateClosed ?? known.seen?.closedAt ?? null;
  return shipping === order.shipping && dateClosed === order.dateClosed
    ? order
    : { ...order, shipping, dateClosed };
}

/**
 * Whether a status was reached for which the source gives no time, so that the stored order is
 * needed.
 */
export function lacksTimes({ status, dateClosed, shipping }: Own & Pick<Order, 'status'>): boolean {
  if (FINAL.has(status)) return dateClosed === null || shipping?.deliveredAt == null;
  return !BEFORE_SHIPPED.has(status) && shipping?.shippedAt == null;
}

/**
 * The known data once this version of an order is stored. A time is seen only where an earlier
 * status was stored here: an order that is first stored in its last status gives no time for it.
 */
export function knownAfter(order: Order, stored: Stored | null, gap: UnpricedLines): Known {
  if (!stored) return { ...NOTHING, gap };
  const known = readKnown(stored.annotation);
  return { ...known, seen: seenAfter(order, stored.status, known.seen ?? UNSEEN), gap };
}

function seenAfter(order: Order, before: OrderStatus, seen: SeenTimes): SeenTimes | null {
  const { status, dateClosed, shipping } = order;
  const moment = order.changedAt ?? order.fetchedAt;
  const after: SeenTimes = {
    closedAt: !FINAL.has(status) || dateClosed ? null : FINAL.has(before) ? seen.closedAt : moment,
    shippedAt: timeOf(BEFORE_SHIPPED, SHIPPED, shipping?.shippedAt, seen.shippedAt),
    deliveredAt: timeOf(BEFORE_DELIVERED, DELIVERED, shipping?.deliveredAt, seen.deliveredAt),
  };
  return after.closedAt || after.shippedAt || after.deliveredAt ? after : null;

  /** Of a step: its moment where this version is the first one after those `earlier`. */
  function timeOf(
    earlier: ReadonlySet<OrderStatus>,
    own: ReadonlySet<OrderStatus>,
    reported: Instant | null | undefined,
    seenBefore: Instant | null,
  ): Instant | null {
    if (earlier.has(status) || reported) return null;
    return earlier.has(before) && own.has(status) ? moment : seenBefore;
  }
}

function withParcel(
  own: SourceShipping | null,
  given: SourceShipping | null,
): SourceShipping | null {
  if (!given) return own;
  const isOther =
    own?.trackingNumber != null &&
    given.trackingNumber !== null &&
    own.trackingNumber !== given.trackingNumber;
  // Another parcel does not describe this one.
  if (isOther) return own;
  return {
    carrier: own?.carrier ?? given.carrier,
    trackingNumber: own?.trackingNumber ?? given.trackingNumber,
    method: own?.method ?? given.method,
    status: own?.status ?? given.status,
    shippedAt: own?.shippedAt ?? given.shippedAt,
    deliveredAt: own?.deliveredAt ?? given.deliveredAt,
  };
}

const NO_SHIPPING: SourceShipping = {
  carrier: null,
  trackingNumber: null,
  method: null,
  status: null,
  shippedAt: null,
  deliveredAt: null,
};

function withTimes(shipping: SourceShipping | null, seen: SeenTimes | null): SourceShipping | null {
  if (!seen?.shippedAt && !seen?.deliveredAt) return shipping;
  const { shippedAt, deliveredAt, ...rest } = shipping ?? NO_SHIPPING;
  return {
    ...rest,
    shippedAt: shippedAt ?? seen.shippedAt,
    deliveredAt: deliveredAt ?? seen.deliveredAt,
  };
}

/** As JSON text, with the source's own values; null where nothing is known. */
export function writeKnown(known: Known, own: Own & OwnMoney): string | null {
  const { shipping, dateClosed, feesTotal, withheldTotal, netTotal } = own;
  const money = known.ledger && { feesTotal, withheldTotal, netTotal };
  return known.shipping || known.cfdi || known.ledger || known.seen || known.gap
    ? JSON.stringify({ ...known, own: shipping, closed: dateClosed, ...(money && { money }) })
    : null;
}

export function readKnown(annotation: string | null): Known {
  if (annotation === null) return NOTHING;
  const { shipping, cfdi, ledger, seen, gap } = parse(annotation);
  return { shipping, cfdi, ledger, seen, gap };
}

interface StoredText {
  readonly shipping: StoredTimes<SourceShipping> | null;
  readonly cfdi?: LinkedCfdi | null;
  readonly ledger?: LedgerMoney | null;
  readonly money?: OwnMoney;
  readonly seen?: StoredTimes<SeenTimes> | null;
  readonly gap?: UnpricedLines;
  readonly own: StoredTimes<SourceShipping> | null;
  readonly closed?: string | null;
}

type StoredTimes<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends Instant | null ? string | null : Of[Key];
};

interface Parsed extends Known {
  readonly own: Pick<Own, 'shipping'> & Partial<Own>;
  readonly money: OwnMoney | undefined;
}

function parse(annotation: string): Parsed {
  const stored = JSON.parse(annotation) as StoredText;
  const { shipping, cfdi, ledger, money, seen, gap, own, closed } = stored;
  return {
    gap: gap ?? null,
    cfdi: cfdi ?? null,
    ledger: ledger ?? null,
    money,
    shipping: shipping && shippingOf(shipping),
    seen: seen
      ? {
          closedAt: at(seen.closedAt),
          shippedAt: at(seen.shippedAt),
          deliveredAt: at(seen.deliveredAt),
        }
      : null,
    own: {
      shipping: own && shippingOf(own),
      ...(closed !== undefined && { dateClosed: at(closed) }),
    },
  };
}

function shippingOf(stored: StoredTimes<SourceShipping>): SourceShipping {
  return { ...stored, shippedAt: at(stored.shippedAt), deliveredAt: at(stored.deliveredAt) };
}

function at(text: string | null): Instant | null {
  return text === null ? null : Temporal.Instant.from(text);
}
