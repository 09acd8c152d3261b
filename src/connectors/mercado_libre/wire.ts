import { z } from 'zod';
import {
  add,
  addKnown,
  compare,
  covers,
  type Decimal,
  multiplyExact,
  perPiece,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import {
  type BuyerName,
  MARKETPLACE_SHIPS,
  OPEN_CLAIM,
  OPEN_RETURN,
  type OrderStatus,
  type ReportedLine,
  type SourceInvoice,
  type SourceOrder,
  sourceOrder,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import {
  amount,
  currency,
  id,
  instant,
  lifetime,
  looseText,
  optional,
  whole,
} from '../wire-fields.ts';
import {
  isOnItsWayBack,
  LaterDocument,
  LaterParcel,
  logisticOf,
  receiverOf,
  Shipment,
  shippingCostOf,
  statusByShipments,
  toShipping,
} from './wire-shipments.ts';
import { variationOf } from './wire-stock.ts';

// Only the fields that we use. Old documents lack many of them, and ids are sometimes strings.

/** Of the site that we connect. */
const CURRENCY = 'MXN';

const Line = z.object({
  item: z.object({
    id: optional(id),
    title: looseText,
    variation_attributes: optional(z.array(z.object({ name: looseText, value_name: looseText }))),
    seller_sku: looseText,
    seller_custom_field: looseText,
  }),
  quantity: amount,
  /** Of one unit, after its discounts. */
  unit_price: amount,
  /** Of one unit, before them. */
  full_unit_price: optional(amount),
  full_unit_price_currency_id: currency,
  /** Price before discounts, of the whole line. */
  gross_price: optional(amount),
  /** Of one unit: all of each discount, and the seller's part of it. */
  discounts: optional(
    z.array(
      z.object({
        amounts: optional(z.object({ full: optional(amount), seller: optional(amount) })),
      }),
    ),
  ),
  /** Of one unit. */
  sale_fee: optional(amount),
  currency_id: currency,
});
type Line = z.infer<typeof Line>;

const Payment = z.object({
  status: looseText,
  transaction_amount: optional(amount),
  transaction_amount_refunded: optional(amount),
  coupon_amount: optional(amount),
  date_last_modified: optional(instant),
  /** The pages of the marketplace name its words, and show no document with them. */
  tags: optional(z.array(looseText)).catch(null),
});

const Order = z.object({
  id,
  status: z.string(),
  date_created: instant,
  date_closed: optional(instant),
  last_updated: optional(instant),
  total_amount: optional(amount),
  currency_id: currency,
  order_items: optional(z.array(Line)),
  payments: optional(z.array(Payment)),
  coupon: optional(z.object({ amount: optional(amount) })),
  shipping: optional(z.object({ id: optional(id) })),
  pack_id: optional(id),
  tags: optional(z.array(looseText)),
  taxes: optional(z.object({ amount: optional(amount) })),
  buyer: optional(z.object({ first_name: looseText, last_name: looseText })),
});
type Order = z.infer<typeof Order>;

export const SearchPage = z.object({
  results: Rows,
  paging: z.object({ total: whole, offset: optional(whole) }),
});
export const Me = z.object({ id, nickname: optional(z.string()) });
export const Token = z.object({
  access_token: z.string(),
  refresh_token: optional(z.string()),
  expires_in: lifetime,
  user_id: id,
});

/** The parts of one order. */
interface OrderParts {
  readonly order: unknown;
  /** The shipment to the buyer; null = none, or not available. */
  readonly forward: unknown;
  /** The parcels after it. */
  readonly later: readonly LaterDocument[];
  /** `X-Content-Missing` of a 206: parts that the marketplace could not return this time. */
  readonly missing: readonly string[];
  readonly fetchedAt: Instant;
}

/** Our fields that depend on each part of the order. */
const DEPENDENTS: Readonly<Record<string, readonly (keyof SourceOrder)[]>> = {
  buyer: ['buyerName'],
  payments: [
    'paymentStatus',
    'refundedTotal',
    'refunds',
    'status',
    'orderDiscount',
    'discountTotal',
    'marketplaceDiscountTotal',
    'tags',
  ],
  coupon: ['orderDiscount', 'discountTotal', 'marketplaceDiscountTotal'],
  shipping: [
    'shipping',
    'shippingTotal',
    'packShippingTotal',
    'fulfillmentStatus',
    'buyerName',
    'status',
    'tags',
  ],
  order_items: ['items', 'subtotal', 'discountTotal', 'marketplaceDiscountTotal', 'feesTotal'],
  total_amount: ['total'],
  taxes: ['taxTotal', 'taxAdded'],
  tags: ['tags', 'status'],
  pack_id: ['packId', 'shippingTotal', 'packShippingTotal'],
  date_closed: ['dateClosed'],
};

const Shipped = z.object({ shipping: z.object({ id }) });
const Stated = z.object({ status: z.string() });
const Closed = z.object({ date_closed: z.string() });
const Named = z.object({ id });

/** The shipping id, which shows whether there is a shipment to fetch. */
export function shippingIdOf(row: unknown): string | null {
  const found = Shipped.safeParse(row);
  return found.success ? found.data.shipping.id : null;
}

/** The native status of a document, unchecked. */
export function statusOf(document: unknown): string | null {
  return Stated.safeParse(document).data?.status ?? null;
}

/**
 * Names a row at its place in a search, which is sorted by `date_closed`: a row that moved has
 * another name.
 */
export function rowKeyOf(row: unknown): string {
  const closed = Closed.safeParse(row).data?.date_closed ?? '';
  return `${orderIdOf(row)} ${closed}`;
}

export function orderIdOf(row: unknown): string | null {
  const found = Named.safeParse(row);
  return found.success ? found.data.id : null;
}

/** The same for a stored `raw`. */
export function storedIdOf(document: unknown): string | null {
  return orderIdOf(Stored.safeParse(document).data?.order);
}

/** The parts of an order in a stored `raw`. @throws ZodError */
export function storedParts(document: unknown, fetchedAt: Instant): OrderParts {
  const { order, shipment, return_shipment, later, missing } = Stored.parse(document);
  const formerly = return_shipment ? [{ type: 'return' as const, shipment: return_shipment }] : [];
  return {
    order,
    forward: shipment ?? null,
    later: later ?? formerly,
    missing: missing ?? [],
    fetchedAt,
  };
}

const Stored = z.object({
  order: z.unknown(),
  shipment: z.unknown().optional(),
  /** In texts that were stored before there was `later`. */
  return_shipment: z.unknown().optional(),
  later: z.array(LaterDocument).optional(),
  missing: z.array(z.string()).optional(),
});

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(parts: OrderParts): SourceOrder {
  const order = Order.parse(parts.order);
  const forward = parts.forward === null ? null : Shipment.parse(parts.forward);
  const later = parts.later.map((one) => LaterParcel.parse(one));
  const lines = order.order_items ?? [];
  const currency = order.currency_id ?? lines[0]?.currency_id ?? CURRENCY;
  return sourceOrder({
    id: order.id,
    status: unifiedStatusOf(order, forward, later),
    marketplaceStatus: order.status,
    paymentStatus: paymentStatusOf((order.payments ?? []).map(({ status }) => status)),
    fulfillmentStatus:
      forward && (forward.substatus ? `${forward.status}/${forward.substatus}` : forward.status),
    currency,
    ...amountsOf(order, forward),
    buyerName: ownNameOf(order) ?? receiverOf(forward),
    dateCreated: order.date_created,
    dateClosed: order.date_closed,
    lines: lines.map((line) => lineOf(line, line.currency_id ?? currency)),
    shipping: forward && toShipping(forward),
    packId: order.pack_id,
    tags: tagsOf(order, forward, later),
    changedAt: changeTimeOf(order, forward, later),
    fetchedAt: parts.fetchedAt,
    keep: keptOf(parts.missing, forward),
    raw: JSON.stringify({
      order: parts.order,
      ...(forward && { shipment: parts.forward }),
      ...(later.length > 0 && { later: parts.later }),
      ...(parts.missing.length > 0 && { missing: parts.missing }),
    }),
  });
}

function amountsOf(order: Order, forward: Shipment | null) {
  const payments = order.payments ?? [];
  const fees = (order.order_items ?? []).map(
    ({ sale_fee, quantity }) => sale_fee && multiplyExact(sale_fee, quantity),
  );
  return {
    total: order.total_amount,
    totalIncludes: { shipping: false, tax: false, orderDiscount: false },
    orderDiscount: couponOf(order),
    marketplaceDiscountTotal: marketplaceDiscountOf(order),
    ...shippingTotalsOf(order, forward),
    // The amounts in `taxes` are added; the IVA of the prices is in no field.
    taxTotal: order.taxes?.amount ?? null,
    taxAdded: order.taxes?.amount ?? null,
    feesTotal: addKnown(fees),
    refundedTotal: addKnown(payments.map(refundOf)),
    refunds: payments.flatMap((payment) => {
      const sum = refundOf(payment);
      return sum && compare(sum, ZERO) > 0 ? [{ amount: sum, at: payment.date_last_modified }] : [];
    }),
  };
}

function lineOf(line: Line, currency: string): ReportedLine {
  return {
    id: line.item.id,
    sku: line.item.seller_sku ?? line.item.seller_custom_field,
    title: line.item.title,
    variation: variationOf(line.item.variation_attributes ?? []),
    quantity: line.quantity,
    unitPrice: line.unit_price,
    listPrice: listPriceOf(line, currency),
    currency,
  };
}

function listPriceOf(line: Line, currency: string): Decimal | null {
  const { full_unit_price, full_unit_price_currency_id, gross_price, quantity } = line;
  const isOwnCurrency = (full_unit_price_currency_id ?? currency) === currency;
  if (full_unit_price !== null && isOwnCurrency) return full_unit_price;
  return gross_price !== null && compare(quantity, ZERO) > 0
    ? perPiece(gross_price, quantity)
    : null;
}

/** Lines do not contain coupons. An order that names none may have payments that do. */
function couponOf(order: Order): Decimal | null {
  const own = order.coupon?.amount ?? null;
  if (own !== null && compare(own, ZERO) > 0) return own;
  return addKnown(settledOf(order).map(({ coupon_amount }) => coupon_amount)) ?? own;
}

/** Null where a discount does not say who pays for it; coupons never do. */
function marketplaceDiscountOf(order: Order): Decimal | null {
  const coupon = couponOf(order);
  const parts = (order.order_items ?? []).map(marketplacePartOf);
  const known = parts.filter((part) => part !== null);
  const isReported =
    known.length === parts.length && (coupon === null || compare(coupon, ZERO) === 0);
  return isReported ? addKnown(known) : null;
}

function marketplacePartOf({ discounts, quantity }: Line): Decimal | null {
  const parts = (discounts ?? []).map(({ amounts }) => [
    amounts?.full ?? null,
    amounts?.seller ?? null,
  ]);
  const each = parts.flatMap(([full, seller]) => (full && seller ? [subtract(full, seller)] : []));
  const isReported = discounts !== null && each.length === parts.length;
  return isReported ? multiplyExact(add(...each), quantity) : null;
}

/** The shipping of a pack is paid once, so it is no single order's. */
function shippingTotalsOf(order: Order, forward: Shipment | null) {
  const cost = shippingCostOf(forward);
  return order.pack_id === null ? { shippingTotal: cost } : { packShippingTotal: cost };
}

/** The type of goods in Mercado Libre's own warehouses, which it ships itself. */
const FULL = 'fulfillment';

/** A payment that its buyer disputes is in mediation until the claim is closed. */
function tagsOf(
  { tags, payments }: Order,
  forward: Shipment | null,
  later: readonly LaterParcel[],
): string[] {
  return [
    ...(tags ?? []).filter((tag) => tag !== null),
    ...(logisticOf(forward) === FULL ? [MARKETPLACE_SHIPS] : []),
    ...(later.some(isOnItsWayBack) ? [OPEN_RETURN] : []),
    ...((payments ?? []).some(({ status }) => status === 'in_mediation') ? [OPEN_CLAIM] : []),
  ];
}

/** The shipment also has the buyer's name. */
function keptOf(missing: readonly string[], forward: Shipment | null): (keyof SourceOrder)[] {
  const fields = missing.flatMap((part) => inTable(DEPENDENTS, part) ?? []);
  return fields.filter((field) => field !== 'buyerName' || receiverOf(forward) === null);
}

const BY_ORDER: Readonly<Record<string, OrderStatus>> = {
  confirmed: 'pending',
  payment_required: 'pending',
  payment_in_process: 'pending',
  partially_paid: 'pending',
  paid: 'paid',
  partially_refunded: 'paid',
  pending_cancel: 'cancelled',
  cancelled: 'cancelled',
  invalid: 'cancelled',
};

/** By the native status. */
export function isPaid(status: string): boolean {
  return inTable(BY_ORDER, status) === 'paid';
}

export function isCancelled(status: string): boolean {
  return inTable(BY_ORDER, status) === 'cancelled';
}

/** First match wins: cancelled, pending, returned, refunded, then where the goods are. */
function unifiedStatusOf(
  order: Order,
  forward: Shipment | null,
  later: readonly LaterParcel[],
): OrderStatus {
  const base = inTable(BY_ORDER, order.status) ?? 'unknown';
  if (base === 'cancelled' || base === 'unknown') return base;
  // A sale that the seller marked as not concluded stays «confirmed» for ever.
  if (order.status === 'confirmed' && order.tags?.includes('unfulfilled')) return 'cancelled';
  if (base === 'pending') return base;
  const place = statusByShipments(forward, later);
  if (isCalledOff(order, place)) return 'cancelled';
  if (place === 'returned') return place;
  return isRefundedInFull(order) ? 'refunded' : (place ?? base);
}

/** Where the goods no longer are the seller's. */
const SENT: readonly (OrderStatus | null)[] = ['shipped', 'delivered', 'returned'];

/**
 * A cancelled sale whose buyer got money in the account stays paid for ever. Goods that were sent
 * before are where their shipment says.
 */
function isCalledOff({ status, tags }: Order, place: OrderStatus | null): boolean {
  return status === 'paid' && tags?.includes('unfulfilled') === true && !SENT.includes(place);
}

function isRefundedInFull(order: Order): boolean {
  const settled = settledOf(order);
  const paid = addKnown(settled.map((payment) => payment.transaction_amount));
  return covers(addKnown(settled.map(refundOf)), paid);
}

const SETTLED: ReadonlySet<string | null | undefined> = new Set([
  'approved',
  'refunded',
  'in_mediation',
  'charged_back',
]);

/** Neither attempts nor future payments. One that is disputed was paid. */
function settledOf({ payments }: Order) {
  return (payments ?? []).filter(({ status }) => SETTLED.has(status));
}

/** Of a payment that was given back as money in the buyer's account. */
const GIVEN_BACK = 'refund_account_money';

function refundOf(payment: z.infer<typeof Payment>): Decimal | null {
  if (payment.tags?.includes(GIVEN_BACK)) return payment.transaction_amount;
  return (
    payment.transaction_amount_refunded ??
    (payment.status === 'refunded' ? payment.transaction_amount : null)
  );
}

/** Of several payments, the statuses in order of precedence. */
const TELLING_PAYMENTS = [
  'approved',
  'authorized',
  'in_mediation',
  'in_process',
  'pending',
  'refunded',
  'charged_back',
  'cancelled',
  'rejected',
];

function paymentStatusOf(statuses: readonly (string | null)[]): string | null {
  return (
    TELLING_PAYMENTS.find((status) => statuses.includes(status)) ??
    statuses.find((status) => status !== null) ??
    null
  );
}

function changeTimeOf(
  order: Order,
  forward: Shipment | null,
  later: readonly LaterParcel[],
): Instant | null {
  const own =
    order.last_updated ??
    latest(
      order.date_closed,
      ...(order.payments ?? []).map((payment) => payment.date_last_modified),
    );
  return latest(own, forward?.last_updated, ...later.map(({ shipment }) => shipment.last_updated));
}

function ownNameOf({ buyer }: Order): BuyerName | null {
  const { first_name: given = null, last_name: family = null } = buyer ?? {};
  return given || family ? { given, family } : null;
}

const Document = z.object({
  id,
  file_type: optional(z.string()),
  filename: optional(z.string()),
});

/** Documented inside an object; seen as a bare list. */
export const FiscalDocuments = z.preprocess(
  (value) =>
    Array.isArray(value)
      ? value
      : z.object({ fiscal_documents: z.unknown() }).parse(value).fiscal_documents,
  z
    .array(z.unknown())
    .nullish()
    .transform((documents) => documents ?? []),
);
export const PackOrders = z.object({ orders: z.array(z.object({ id })) });

/** The id that an order's documents are stored under: its pack's, or its own without a pack. */
export interface InvoicedPack {
  readonly id: string;
  readonly isPack: boolean;
}

/** @returns null when the order was cancelled, or cannot be read */
export function invoicedPackOf(row: unknown): InvoicedPack | null {
  const order = z.object({ id, pack_id: optional(id), status: z.string() }).safeParse(row).data;
  if (!order || inTable(BY_ORDER, order.status) === 'cancelled') return null;
  return { id: order.pack_id ?? order.id, isPack: order.pack_id !== null };
}

/** Its date is that of the upload, and not the document's own. */
export function toInvoice(
  row: unknown,
  orderIds: readonly string[],
): { invoice: SourceInvoice; isXml: boolean } {
  const { id, file_type, filename } = Document.parse(row);
  const isXml = /xml/i.test(file_type ?? '') || /\.xml$/i.test(filename ?? '');
  return {
    invoice: { id, orderIds, fileName: filename, uuid: null, xml: null, url: null, issuedAt: null },
    isXml,
  };
}
