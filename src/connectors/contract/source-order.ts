import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';

export const ORDER_STATUSES = [
  'pending',
  'paid',
  'ready_to_ship',
  'partially_shipped',
  'shipped',
  'delivered',
  'cancelled',
  'returned',
  'refunded',
  'unknown',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Tag of an order whose goods are in the marketplace's warehouses and shipped from there. */
export const MARKETPLACE_SHIPS = 'fulfilled_by_marketplace';

/**
 * Tags of an order while a return or a claim of its buyer is open: asked for or on its way back,
 * and not settled yet. Only for marketplaces whose documents say so.
 */
export const OPEN_RETURN = 'open_return';
export const OPEN_CLAIM = 'open_claim';

/**
 * Tag of an order whose cancellation was requested and is not decided yet. Only for marketplaces
 * whose documents say so.
 */
export const CANCELLATION_REQUESTED = 'cancellation_requested';

/** Of orders that wait for their seller: they are marked, filtered and counted. */
export const OPEN_TAGS = [OPEN_RETURN, OPEN_CLAIM, CANCELLATION_REQUESTED] as const;
export type OpenTag = (typeof OPEN_TAGS)[number];

/** A buyer's name as the source gives it: one text, or given and family names. */
export type BuyerName = string | { readonly given: string | null; readonly family: string | null };

/** Which amounts a source's own total includes. */
export interface TotalIncludes {
  readonly shipping: boolean;
  readonly tax: boolean;
  readonly orderDiscount: boolean;
}

/** A named part of the total: a tip, gift wrap, a fee paid by the buyer, rounding. */
export interface OtherAmount {
  readonly name: string;
  readonly amount: Decimal;
}

/**
 * An order in our words, made by `sourceOrder`. Texts are the marketplace's own; amounts keep its
 * decimals. `docs/money.md` defines each amount and the identity that they satisfy.
 */
export interface SourceOrder {
  /** Exactly as delivered. */
  readonly id: string;
  readonly status: OrderStatus;
  /** The native status, raw. */
  readonly marketplaceStatus: string;
  readonly paymentStatus: string | null;
  readonly fulfillmentStatus: string | null;
  readonly currency: string;
  /** The source's own total of the purchase; null while it is withheld. */
  readonly total: Decimal | null;
  /** Null where it is unknown, as in an imported line. */
  readonly totalIncludes: TotalIncludes | null;
  /** Sum of the lines' `subtotal`. */
  readonly subtotal: Decimal | null;
  /** Discounts of the order that are not part of a line. */
  readonly orderDiscount: Decimal | null;
  /** All discounts, of lines and of the order. */
  readonly discountTotal: Decimal | null;
  /** The part of the discounts that the marketplace pays to the seller. */
  readonly marketplaceDiscountTotal: Decimal | null;
  /** The buyer's payment for shipping; null where it belongs to no single order. */
  readonly shippingTotal: Decimal | null;
  /** The buyer's payment for shipping of the pack, where the order's share is unknown. */
  readonly packShippingTotal: Decimal | null;
  /** All taxes. */
  readonly taxTotal: Decimal | null;
  /** Taxes not included in the prices of the lines. */
  readonly taxAdded: Decimal | null;
  readonly other: readonly OtherAmount[];
  /** The marketplace's fees, where the order lists them. */
  readonly feesTotal: Decimal | null;
  readonly withheldTotal: Decimal | null;
  readonly netTotal: Decimal | null;
  readonly refundedTotal: Decimal | null;
  readonly refunds: readonly { readonly amount: Decimal; readonly at: Instant | null }[];
  /** Abbreviated before it is stored. */
  readonly buyerName: BuyerName | null;
  readonly dateCreated: Instant;
  /**
   * The source's time of the first final status; null while the order is open, and where the source
   * gives no time. Mercado Libre's own field is used unchanged.
   */
  readonly dateClosed: Instant | null;
  readonly items: readonly SourceItem[];
  /** Lines without a price: not priced yet, or set to zero because they were cancelled. */
  readonly unpriced: readonly UnpricedLine[];
  readonly shipping: SourceShipping | null;
  readonly invoiceRequired: boolean | null;
  readonly packId: string | null;
  /**
   * `test_order` = not a sale. `MARKETPLACE_SHIPS` = not packed by the seller. `OPEN_TAGS` = the
   * buyer waits for an answer or for money, or the order is perhaps not to be sent.
   */
  readonly tags: readonly string[];
  /** The latest change of all its parts; null where the marketplace gives no time. */
  readonly changedAt: Instant | null;
  readonly fetchedAt: Instant;
  /**
   * Fields that this answer lacks although the marketplace has them: stored values stay. Of
   * `items` only `cancelledQuantity` changes. Where `total` is kept and none is stored, an older
   * version that arrives later supplies it.
   */
  readonly keep: readonly (keyof SourceOrder)[];
  /** The documents as received, as JSON text. */
  readonly raw: string | null;
}

/** Amounts that are kept where a source withholds them or zeroes them on cancellation. */
export const AMOUNTS = [
  'total',
  'totalIncludes',
  'subtotal',
  'orderDiscount',
  'discountTotal',
  'marketplaceDiscountTotal',
  'shippingTotal',
  'packShippingTotal',
  'taxTotal',
  'taxAdded',
  'other',
  'feesTotal',
] as const satisfies readonly (keyof SourceOrder)[];

export interface SourceItem {
  readonly id: string | null;
  readonly sku: string | null;
  readonly title: string;
  readonly variation: string | null;
  /**
   * Units as ordered. Fractions are rounded up; amounts are never computed from this figure.
   */
  readonly quantity: number;
  /** Units cancelled or returned later. */
  readonly cancelledQuantity: number;
  /** False where the source no longer gives the ordered quantity. */
  readonly quantityKnown: boolean;
  /** The buyer's price of one unit, after the discounts of the line. */
  readonly unitPrice: Decimal;
  /** Price of one unit before discounts. */
  readonly listPrice: Decimal | null;
  /** The line's money after its discounts. */
  readonly subtotal: Decimal | null;
  readonly currency: string;
}

/** A line whose price is shown only where an earlier version had it. */
export type UnpricedLine = Omit<SourceItem, 'unitPrice' | 'listPrice' | 'subtotal'>;

export interface SourceShipping {
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly method: string | null;
  readonly status: string | null;
  readonly shippedAt: Instant | null;
  readonly deliveredAt: Instant | null;
}
