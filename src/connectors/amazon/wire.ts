import { z } from 'zod';
import { absolute, addKnown, covers, type Decimal, multiply } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import {
  MARKETPLACE_SHIPS,
  type OrderStatus,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
} from '../contract.ts';
import { amount, id, instant, inTable, optional, parseOrNull, whole } from '../kit.ts';
import { isOfV0, orderOfV0 } from './wire-v0.ts';

// Only the fields that we use. Almost all are optional in the documents, and come only if their data set was asked for.

export const MEXICO = 'A1AM78C64UM0Y8';

/** What an order without any amount is in. */
const CURRENCIES: Readonly<Record<string, string>> = {
  [MEXICO]: 'MXN',
  ATVPDKIKX0DER: 'USD',
  A2EUQ1WTGCTBG2: 'CAD',
  A2Q3Y263D00KWC: 'BRL',
};

const text = optional(z.string());
const Money = optional(z.object({ amount: optional(amount), currencyCode: text }));
const Breakdowns = optional(z.array(z.object({ type: z.string(), subtotal: Money })));

const Line = z.object({
  orderItemId: optional(id),
  quantityOrdered: whole,
  product: z.object({
    asin: text,
    title: text,
    sellerSku: text,
    price: optional(z.object({ unitPrice: Money })),
  }),
  proceeds: optional(z.object({ breakdowns: Breakdowns })),
});

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
  fulfillment: optional(
    z.object({ fulfillmentStatus: text, fulfillmentServiceLevel: text, fulfilledBy: text }),
  ),
  orderItems: optional(z.array(Line)),
  packages: optional(z.array(Package)),
});
type Order = z.infer<typeof Order>;

export const SearchPage = z.object({
  orders: z.array(z.unknown()),
  pagination: optional(z.object({ nextToken: text })),
});
export const OneOrder = z.object({ order: z.unknown() });
const ErrorList = z.object({ errors: z.array(z.object({ message: text, details: text })) });
export const Token = z.object({
  access_token: z.string(),
  refresh_token: text,
  expires_in: optional(whole),
});
export const Participations = z.object({
  payload: z.array(z.object({ marketplace: z.object({ id: z.string() }), storeName: text })),
});

/** A dead access token is answered with 403 like a missing role; only the words tell them apart. */
export function isAboutToken(body: string): boolean {
  const faults = ErrorList.safeParse(parseOrNull(body)).data?.errors ?? [];
  return faults.some(({ message, details }) => /token/i.test(`${message} ${details}`));
}

export interface Refund {
  readonly amount: Decimal;
  readonly currency: string;
  readonly at: Instant | null;
}

/** What one order is made of. */
interface OrderParts {
  readonly order: unknown;
  /** Orders do not say them; null = nobody asked the finances. */
  readonly refunds: readonly Refund[] | null;
  readonly fetchedAt: Instant;
}

const Named = z.object({ orderId: id });

export function orderIdOf(row: unknown): string | null {
  return Named.safeParse(row).data?.orderId ?? null;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(parts: OrderParts): SourceOrder {
  const order = Order.parse(isOfV0(parts.order) ? orderOfV0(parts.order) : parts.order);
  const packages = (order.packages ?? []).filter(
    ({ packageStatus }) => packageStatus?.status !== 'CANCELLED',
  );
  const total = order.proceeds?.grandTotal?.amount ?? null;
  const currency = currencyOf(order);
  const refunds = (parts.refunds ?? []).filter((refund) => refund.currency === currency);
  const refundedTotal = addKnown(refunds.map((refund) => refund.amount));
  return {
    id: order.orderId,
    status: settled(statusOf(order, packages), total, refundedTotal),
    marketplaceStatus: order.fulfillment?.fulfillmentStatus ?? '',
    paymentStatus: null,
    fulfillmentStatus: packageStatusOf(packages[0]),
    currency,
    total,
    subtotal: breakdown(order, 'ITEM') ?? sumOfLines(order),
    discountTotal: absolute(breakdown(order, 'DISCOUNT')),
    shippingTotal: breakdown(order, 'SHIPPING'),
    taxTotal: breakdown(order, 'TAX'),
    feesTotal: null,
    netTotal: null,
    refundedTotal,
    refunds: refunds.map((refund) => ({ amount: refund.amount, at: refund.at })),
    buyerName: nameOf(order),
    dateCreated: order.createdTime,
    dateClosed: null,
    items: (order.orderItems ?? []).filter(isPriced).map((line) => ({
      id: line.product.asin,
      sku: line.product.sellerSku,
      title: line.product.title ?? line.product.sellerSku ?? line.product.asin ?? '',
      variation: null,
      quantity: line.quantityOrdered,
      unitPrice: priceOf(line) as Decimal,
      subtotal: amountOf(line.proceeds?.breakdowns, 'ITEM') ?? subtotalOf(line),
      currency: line.product.price?.unitPrice?.currencyCode ?? currency,
    })),
    shipping: toShipping(order, packages[0]),
    invoiceRequired: null,
    packId: null,
    tags: tagsOf(order),
    changedAt: latest(order.lastUpdatedTime, ...refunds.map((refund) => refund.at)),
    fetchedAt: parts.fetchedAt,
    keep: withheldBy(order, refundedTotal),
    raw: JSON.stringify({ order: parts.order }),
  };
}

/** The words of both generations of the Orders API. */
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
function statusOf(order: Order, packages: readonly Package[]): OrderStatus {
  const base = inTable(BY_FULFILLMENT, order.fulfillment?.fulfillmentStatus ?? '') ?? 'unknown';
  if (base !== 'shipped' || packages.length === 0) return base;
  const areAll = (status: string) => packages.every(({ packageStatus }) => packageStatus?.status === status);
  if (areAll('DELIVERED')) return 'delivered';
  return areAll('UNDELIVERABLE') ? 'returned' : base;
}

/** A full refund says more than where the goods are, unless they came back or never went. */
function settled(status: OrderStatus, total: Decimal | null, refunded: Decimal | null): OrderStatus {
  if (status === 'cancelled' || status === 'returned') return status;
  return covers(refunded, total) ? 'refunded' : status;
}

/** What this document does not say although another may have: Amazon drops amounts and names, and then brings them. */
function withheldBy(order: Order, refundedTotal: Decimal | null): (keyof SourceOrder)[] {
  const { proceeds, fulfillment, orderItems } = order;
  const gaps: readonly (readonly [boolean, readonly (keyof SourceOrder)[]])[] = [
    [!fulfillment?.fulfillmentStatus, ['status', 'marketplaceStatus']],
    [!proceeds?.grandTotal?.amount, ['total', 'subtotal']],
    [!proceeds?.breakdowns, ['discountTotal', 'shippingTotal', 'taxTotal']],
    [!orderItems?.every(isPriced), ['items', 'subtotal']],
    [nameOf(order) === null, ['buyerName']],
    [refundedTotal === null, ['refundedTotal', 'refunds']],
  ];
  return [...new Set(gaps.flatMap(([isMissing, fields]) => (isMissing ? fields : [])))];
}

function currencyOf({ proceeds, orderItems, salesChannel }: Order): string {
  const said = [proceeds?.grandTotal, ...(orderItems ?? []).map(({ product }) => product.price?.unitPrice)];
  const code = said.find((money) => money?.currencyCode)?.currencyCode;
  return code ?? CURRENCIES[salesChannel?.marketplaceId ?? MEXICO] ?? 'MXN';
}

function nameOf({ buyer, recipient }: Order): string | null {
  return buyer?.buyerName || recipient?.deliveryAddress?.name || null;
}

type Line = z.infer<typeof Line>;

function priceOf({ product }: Line): Decimal | null {
  return product.price?.unitPrice?.amount ?? null;
}

/** A pending order may not say its prices yet. */
function isPriced(line: Line): boolean {
  return priceOf(line) !== null;
}

function subtotalOf(line: Line): Decimal | null {
  const price = priceOf(line);
  return price && multiply(price, line.quantityOrdered);
}

function sumOfLines({ orderItems }: Order): Decimal | null {
  return addKnown((orderItems ?? []).map(subtotalOf));
}

function breakdown({ proceeds }: Order, type: string): Decimal | null {
  return amountOf(proceeds?.breakdowns, type);
}

function amountOf(breakdowns: z.infer<typeof Breakdowns> | undefined, type: string): Decimal | null {
  return breakdowns?.find((one) => one.type === type)?.subtotal?.amount ?? null;
}

function packageStatusOf(parcel: Package | undefined): string | null {
  const { status, detailedStatus } = parcel?.packageStatus ?? {};
  return detailedStatus ? `${status}/${detailedStatus}` : (status ?? null);
}

function toShipping({ fulfillment }: Order, parcel: Package | undefined): SourceShipping | null {
  const level = fulfillment?.fulfillmentServiceLevel ?? null;
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
  const shipped = fulfillment?.fulfilledBy === 'AMAZON' ? [MARKETPLACE_SHIPS] : [];
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
  payload: z.object({ inventorySummaries: z.array(z.unknown()) }),
  pagination: optional(z.object({ nextToken: text })),
});

/** An ASIN may be offered under several SKUs, so the SKU stands for the variation. What is on its way there is not stock. */
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
  items: z.array(z.unknown()),
  pagination: optional(z.object({ nextToken: text })),
});

/** What Amazon keeps has another channel, and its numbers are those of the FBA inventory. Unreadable rows pass. */
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

/** By which a search that shows no more goes on. */
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
