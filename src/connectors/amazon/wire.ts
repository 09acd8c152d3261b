import { z } from 'zod';
import { addKnown, compare, covers, type Decimal, subtract, ZERO } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import { parseOrNull } from '../answer-document.ts';
import {
  AMOUNTS,
  coveredAt,
  MARKETPLACE_SHIPS,
  type OrderStatus,
  type ReportedLine,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
  sourceOrder,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import { amount, id, instant, lifetime, optional, text, whole } from '../wire-fields.ts';
import { toRefunds } from './wire-finances.ts';
import { Breakdowns, hasMoney, isZero, lineMoney, Money, orderMoney } from './wire-money.ts';
import { isOfV0, orderOfV0 } from './wire-v0.ts';

// Only the fields that we use. Almost all are optional in the documents, and present only if their
// data set was requested.

export const MEXICO = 'A1AM78C64UM0Y8';

/** The currency of an order without any amount. */
const CURRENCIES: Readonly<Record<string, string>> = {
  [MEXICO]: 'MXN',
  ATVPDKIKX0DER: 'USD',
  A2EUQ1WTGCTBG2: 'CAD',
  A2Q3Y263D00KWC: 'BRL',
};

const Line = z.object({
  orderItemId: optional(id),
  quantityOrdered: amount,
  product: z.object({
    asin: text,
    title: text,
    sellerSku: text,
    price: optional(z.object({ unitPrice: Money })),
  }),
  proceeds: optional(z.object({ breakdowns: Breakdowns })),
  fulfillment: optional(
    z.object({ quantityFulfilled: optional(amount), quantityUnfulfilled: optional(amount) }),
  ),
});
type Line = z.infer<typeof Line>;

const Package = z.object({
  packageStatus: optional(z.object({ status: text, detailedStatus: text })),
  carrier: text,
  shipTime: optional(instant),
  shippingService: text,
  trackingNumber: optional(id),
});
type Package = z.infer<typeof Package>;

const Order = z.object({
  orderId: id,
  createdTime: instant,
  lastUpdatedTime: instant,
  programs: optional(z.array(z.string())),
  associatedOrders: optional(z.array(z.object({ orderId: optional(id), associationType: text }))),
  salesChannel: optional(z.object({ marketplaceId: text })),
  buyer: optional(z.object({ buyerName: text })),
  recipient: optional(z.object({ deliveryAddress: optional(z.object({ name: text })) })),
  proceeds: optional(z.object({ grandTotal: Money, breakdowns: Breakdowns })),
  // An order without a status yet is set aside, and fetched again.
  fulfillment: z.object({
    fulfillmentStatus: z.string().min(1),
    fulfillmentServiceLevel: text,
    fulfilledBy: text,
  }),
  orderItems: optional(z.array(Line)),
  packages: optional(z.array(Package)),
});
type Order = z.infer<typeof Order>;

export const SearchPage = z.object({
  orders: Rows,
  pagination: optional(z.object({ nextToken: text })),
});
export const OneOrder = z.object({ order: z.unknown() });
const ErrorList = z.object({ errors: z.array(z.object({ message: text, details: text })) });
export const Token = z.object({
  access_token: z.string(),
  refresh_token: text,
  expires_in: lifetime,
});
export const Participations = z.object({
  payload: z.array(z.object({ marketplace: z.object({ id: z.string() }), storeName: text })),
});

/** A dead access token gets 403 like a missing role; only the message distinguishes them. */
export function isAboutToken(body: string): boolean {
  const faults = ErrorList.safeParse(parseOrNull(body)).data?.errors ?? [];
  return faults.some(({ message, details }) => /token/i.test(`${message} ${details}`));
}

/** The parts of one order. */
interface OrderParts {
  readonly order: unknown;
  /**
   * Its transactions of type Refund, from the finances API; null = not requested.
   */
  readonly refunds: readonly unknown[] | null;
  readonly fetchedAt: Instant;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder({ order: row, refunds, fetchedAt }: OrderParts): SourceOrder {
  const order = Order.parse(isOfV0(row) ? orderOfV0(row) : row);
  const packages = livePackagesOf(order);
  const byGoods = unifiedStatusOf(order, packages);
  const total = totalOf(order, byGoods);
  const currency = currencyOf(order);
  const given = toRefunds(refunds ?? []).filter((refund) => refund.currency === currency);
  const refundedTotal = addKnown(given.map((refund) => refund.amount));
  const status = settled(byGoods, total, refundedTotal);
  const lines = (order.orderItems ?? []).map((line) => toLine(line, byGoods));
  // Neither a delivery nor a cancellation has a time.
  const isOnlyRefunded = status === 'refunded' && byGoods !== 'delivered';
  const dateClosed = isOnlyRefunded ? coveredAt(given, total) : null;
  return sourceOrder({
    id: order.orderId,
    status,
    marketplaceStatus: order.fulfillment.fulfillmentStatus,
    fulfillmentStatus: packageStatusOf(packages[0]),
    currency,
    total,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    ...moneyOf(order, total, lines),
    refundedTotal,
    refunds: given.map(({ amount, at }) => ({ amount, at })),
    buyerName: nameOf(order),
    dateCreated: order.createdTime,
    dateClosed,
    lines,
    shipping: toShipping(order, packages[0]),
    tags: tagsOf(order),
    changedAt: latest(order.lastUpdatedTime, ...given.map((refund) => refund.at)),
    fetchedAt,
    keep: withheldBy(order, { total, refundedTotal, dateClosed }),
    raw: JSON.stringify({ order: row, ...(refunds && refunds.length > 0 && { refunds }) }),
  });
}

const StoredParts = z.object({ order: z.unknown(), refunds: optional(Rows) });

/**
 * The documents in an order's `raw`; one that was stored without its refunds does not have them.
 */
export function storedParts(kept: unknown): Omit<OrderParts, 'fetchedAt'> {
  return StoredParts.safeParse(kept).data ?? { order: null, refunds: null };
}

/** The statuses of both generations of the Orders API. */
const BY_FULFILLMENT: Readonly<Record<string, OrderStatus>> = {
  PENDING_AVAILABILITY: 'pending',
  PENDING: 'pending',
  UNSHIPPED: 'paid',
  PARTIALLY_SHIPPED: 'partially_shipped',
  SHIPPED: 'shipped',
  CANCELLED: 'cancelled',
  UNFULFILLABLE: 'cancelled',
  PendingAvailability: 'pending',
  Pending: 'pending',
  Unshipped: 'paid',
  PartiallyShipped: 'partially_shipped',
  Shipped: 'shipped',
  InvoiceUnconfirmed: 'shipped',
  Canceled: 'cancelled',
  Unfulfillable: 'cancelled',
};

/** Only what the seller sends has packages; what Amazon sends stays `shipped`. */
function unifiedStatusOf(order: Order, packages: readonly Package[]): OrderStatus {
  const base = inTable(BY_FULFILLMENT, order.fulfillment.fulfillmentStatus) ?? 'unknown';
  if (base !== 'shipped' || packages.length === 0) return base;
  const areAll = (status: string) =>
    packages.every(({ packageStatus }) => packageStatus?.status === status);
  if (areAll('DELIVERED')) return 'delivered';
  return areAll('UNDELIVERABLE') ? 'returned' : base;
}

/**
 * A full refund takes precedence over the place of the goods, unless they were returned or never
 * sent.
 */
function settled(
  status: OrderStatus,
  total: Decimal | null,
  refunded: Decimal | null,
): OrderStatus {
  if (status === 'cancelled' || status === 'returned') return status;
  return covers(refunded, total) ? 'refunded' : status;
}

/** The packages that are sent; an order with only cancelled packages has none. */
function livePackagesOf({ packages }: Order): readonly Package[] {
  return (packages ?? []).filter(({ packageStatus }) => packageStatus?.status !== 'CANCELLED');
}

/** The total of a cancelled order is reduced to zero, which is not the amount of the purchase. */
function totalOf({ proceeds }: Order, status: OrderStatus): Decimal | null {
  const total = proceeds?.grandTotal?.amount ?? null;
  return total !== null && status === 'cancelled' && isZero(total) ? null : total;
}

/** A pending line may have no price yet, and a cancelled one none any more. */
function toLine(
  { product, proceeds, quantityOrdered, fulfillment }: Line,
  status: OrderStatus,
): ReportedLine {
  const price = product.price?.unitPrice;
  const money = lineMoney(quantityOrdered, price?.amount ?? null, proceeds?.breakdowns ?? null);
  const isEmptied = status === 'cancelled' && money.unitPrice !== null && isZero(money.unitPrice);
  return {
    id: product.asin,
    sku: product.sellerSku,
    title: product.title ?? product.sellerSku ?? product.asin,
    quantity: quantityOrdered,
    quantityKnown: !isZero(quantityOrdered),
    cancelled: cancelledOf(status, quantityOrdered, fulfillment),
    ...money,
    ...(isEmptied && { unitPrice: null }),
    ...(price?.currencyCode && { currency: price.currencyCode }),
  };
}

/** While the payment is open, no unit is counted as one to be sent. */
function cancelledOf(
  status: OrderStatus,
  ordered: Decimal,
  fulfillment: Line['fulfillment'],
): Decimal {
  if (status === 'pending') return ZERO;
  if (status === 'cancelled' || status === 'returned') return ordered;
  return droppedOf(fulfillment, ordered);
}

/** Units that were ordered, and are neither sent nor to be sent. */
function droppedOf(fulfillment: Line['fulfillment'], ordered: Decimal): Decimal {
  const { quantityFulfilled: sent, quantityUnfulfilled: waiting } = fulfillment ?? {};
  if (!sent || !waiting) return ZERO;
  const dropped = subtract(subtract(ordered, sent), waiting);
  return compare(dropped, ZERO) > 0 ? dropped : ZERO;
}

function moneyOf(order: Order, total: Decimal | null, lines: readonly ReportedLine[]) {
  return orderMoney({
    total,
    rows: order.proceeds?.breakdowns ?? null,
    lines: rowsOfLines(order),
    subtotal: addKnown(lines.map(({ subtotal }) => subtotal ?? null)),
  });
}

function rowsOfLines({ orderItems }: Order) {
  return (orderItems ?? []).map(({ proceeds }) => proceeds?.breakdowns ?? null);
}

type Gaps = readonly (readonly [isMissing: boolean, readonly (keyof SourceOrder)[]])[];

/**
 * Fields that this document lacks although another may have them: Amazon removes amounts and names,
 * and returns them later.
 */
function withheldBy(
  order: Order,
  { total, refundedTotal, dateClosed }: Pick<SourceOrder, 'total' | 'refundedTotal' | 'dateClosed'>,
): (keyof SourceOrder)[] {
  const isSilent = !hasMoney({
    rows: order.proceeds?.breakdowns ?? null,
    lines: rowsOfLines(order),
  });
  const gaps: Gaps = [
    [total === null, AMOUNTS],
    [
      isSilent,
      ['orderDiscount', 'discountTotal', 'shippingTotal', 'taxTotal', 'taxAdded', 'other'],
    ],
    [order.orderItems === null, ['items', 'subtotal', 'discountTotal']],
    [nameOf(order) === null, ['buyerName']],
    [refundedTotal === null, ['refundedTotal', 'refunds']],
    [dateClosed === null, ['dateClosed']],
  ];
  return [...new Set(gaps.flatMap(([isMissing, fields]) => (isMissing ? fields : [])))];
}

function currencyOf({ proceeds, orderItems, salesChannel }: Order): string {
  const said = [
    proceeds?.grandTotal,
    ...(orderItems ?? []).map(({ product }) => product.price?.unitPrice),
  ];
  const code = said.find((money) => money?.currencyCode)?.currencyCode;
  return code ?? CURRENCIES[salesChannel?.marketplaceId ?? MEXICO] ?? 'MXN';
}

/** Orders that the buyer collects are addressed to the store. */
function nameOf({ buyer, recipient, programs }: Order): string | null {
  const receiver = programs?.includes('IN_STORE_PICK_UP') ? null : recipient?.deliveryAddress?.name;
  return buyer?.buyerName || receiver || null;
}

function packageStatusOf(parcel: Package | undefined): string | null {
  const { status, detailedStatus } = parcel?.packageStatus ?? {};
  return detailedStatus ? `${status}/${detailedStatus}` : (status ?? null);
}

function toShipping({ fulfillment }: Order, parcel: Package | undefined): SourceShipping | null {
  const level = fulfillment.fulfillmentServiceLevel;
  if (!parcel && level === null) return null;
  return {
    carrier: parcel?.carrier ?? null,
    trackingNumber: parcel?.trackingNumber ?? null,
    method: parcel?.shippingService ?? level,
    status: parcel?.packageStatus?.status ?? null,
    shippedAt: parcel?.shipTime ?? null,
    deliveredAt: null,
  };
}

/** Its programs, and the order that this one replaces: `REPLACEMENT_ORIGINAL_ID:701-…`. */
function tagsOf({ programs, associatedOrders, fulfillment }: Order): string[] {
  const related = (associatedOrders ?? [])
    .filter(({ orderId, associationType }) => orderId && associationType)
    .map(({ orderId, associationType }) => `${associationType}:${orderId}`);
  const shipped = fulfillment.fulfilledBy === 'AMAZON' ? [MARKETPLACE_SHIPS] : [];
  return [...(programs ?? []), ...related, ...shipped];
}

const Summary = z.object({
  asin: text,
  sellerSku: z.string(),
  productName: text,
  inventoryDetails: z.object({
    fulfillableQuantity: whole,
    reservedQuantity: optional(z.object({ totalReservedQuantity: optional(whole) })),
    researchingQuantity: optional(z.object({ totalResearchingQuantity: optional(whole) })),
    unfulfillableQuantity: optional(z.object({ totalUnfulfillableQuantity: optional(whole) })),
  }),
});

export const FbaPage = z.object({
  payload: z.object({ inventorySummaries: Rows }),
  pagination: optional(z.object({ nextToken: text })),
});

/**
 * An ASIN may be offered under several SKUs, so the SKU is the variation. Inbound units are not
 * stock.
 */
export function toFbaStock(row: unknown): SourceStock {
  const { asin, sellerSku, productName, inventoryDetails } = Summary.parse(row);
  const { reservedQuantity, researchingQuantity, unfulfillableQuantity } = inventoryDetails;
  return {
    itemId: asin ?? sellerSku,
    variationId: sellerSku,
    warehouse: 'marketplace',
    sku: sellerSku,
    title: productName ?? sellerSku,
    available: inventoryDetails.fulfillableQuantity,
    unavailable:
      (reservedQuantity?.totalReservedQuantity ?? 0) +
      (researchingQuantity?.totalResearchingQuantity ?? 0) +
      (unfulfillableQuantity?.totalUnfulfillableQuantity ?? 0),
  };
}

const OWN_CHANNEL = 'DEFAULT';
const Listing = z.object({
  sku: z.string(),
  summaries: optional(
    z.array(z.object({ marketplaceId: text, asin: text, itemName: text, createdDate: text })),
  ),
  fulfillmentAvailability: optional(
    z.array(z.object({ fulfillmentChannelCode: text, quantity: z.unknown().optional() })),
  ),
});

export const ListingPage = z.object({
  numberOfResults: whole,
  items: Rows,
  pagination: optional(z.object({ nextToken: text })),
});

/**
 * Stock in Amazon's warehouses has another channel, and its numbers are those of the FBA inventory.
 * Unreadable rows are included.
 */
export function isOwnStock(row: unknown): boolean {
  const listing = Listing.safeParse(row);
  return !listing.success || ownAvailability(listing.data) !== undefined;
}

export function toOwnStock(row: unknown): SourceStock {
  const listing = Listing.parse(row);
  const summary = summaryOf(listing);
  return {
    itemId: summary?.asin ?? listing.sku,
    variationId: listing.sku,
    warehouse: 'seller',
    sku: listing.sku,
    title: summary?.itemName ?? listing.sku,
    available: z.object({ quantity: whole }).parse(ownAvailability(listing)).quantity,
    unavailable: 0,
  };
}

/** The start of the next search, where this one shows no more. */
export function createdOf(row: unknown): string | null {
  const listing = Listing.safeParse(row);
  return listing.success ? (summaryOf(listing.data)?.createdDate ?? null) : null;
}

function summaryOf({ summaries }: z.infer<typeof Listing>) {
  return summaries?.find(({ marketplaceId }) => marketplaceId === MEXICO) ?? summaries?.[0];
}

function ownAvailability({ fulfillmentAvailability }: z.infer<typeof Listing>) {
  return fulfillmentAvailability?.find(
    ({ fulfillmentChannelCode }) => fulfillmentChannelCode === OWN_CHANNEL,
  );
}
