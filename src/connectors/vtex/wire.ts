import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { addKnown, compare, covers, type Decimal, ZERO } from '../../platform/money.ts';
import { earlier, type Instant, latest, parseInstant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import {
  CANCELLATION_REQUESTED,
  coveredAt,
  type OrderStatus,
  type Read,
  type SourceInvoice,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
  sourceOrder,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import { readOne } from '../read-rows.ts';
import {
  amount,
  currency,
  id,
  instant,
  text as knownText,
  optional,
  looseText as text,
  whole,
} from '../wire-fields.ts';
import { cents, linesOf, MoneyFields, orderMoney, type Returned } from './wire-money.ts';

/**
 * Of what sellers and carriers type; without an offset it is UTC, and the year 1 means no time
 * at all.
 */
const moment = z
  .unknown()
  .nullish()
  .transform((value) => {
    const found =
      typeof value === 'string' ? (parseInstant(value) ?? parseInstant(`${value}Z`)) : null;
    return found && found.epochMilliseconds > 0 ? found : null;
  });

const CourierStatus = z.object({
  status: text,
  finished: optional(z.boolean()).catch(null),
  deliveredDate: moment,
});
const Packed = z.object({ itemIndex: whole, quantity: amount });

/** A parcel with its invoice; of type `Input` it is one that comes back, with a credit note. */
const Package = z.object({
  type: text,
  items: optional(z.array(Packed)).catch(null),
  courier: text,
  trackingNumber: text,
  courierStatus: optional(CourierStatus),
  invoiceNumber: text,
  invoiceKey: text,
  invoiceUrl: text,
  embeddedInvoice: text,
  issuanceDate: moment,
  restitutions: optional(z.object({ Refund: optional(z.object({ value: optional(cents) })) })),
});
type Package = z.infer<typeof Package>;

const PackageAttachment = optional(z.object({ packages: optional(z.array(Package)) }));
const Logistics = z.object({
  selectedSla: text,
  deliveryCompany: text,
  deliveryIds: optional(z.array(z.object({ courierName: text }))),
});

const Order = MoneyFields.extend({
  orderId: id,
  status: z.string(),
  orderGroup: text,
  creationDate: instant,
  lastChange: moment,
  authorizedDate: moment,
  cancellationData: optional(z.object({ CancellationDate: moment })).catch(null),
  storePreferencesData: z.object({ currencyCode: currency.pipe(z.string('expected a currency')) }),
  // A name must not cost its order.
  clientProfileData: optional(z.object({ firstName: text, lastName: text })).catch(null),
  packageAttachment: PackageAttachment,
  shippingData: optional(z.object({ logisticsInfo: optional(z.array(Logistics)) })).catch(null),
});
type Order = z.infer<typeof Order>;

export const OrderList = z.object({ list: Rows, paging: z.object({ total: whole }) });
export const OrderRow = z.object({ orderId: id });
export const FeedEvent = z.object({
  handle: text.pipe(z.string()),
  orderId: optional(id).catch(null),
  currentChange: moment,
});
export type FeedEvent = z.infer<typeof FeedEvent>;

/** `asked`: a cancellation was requested; until it is decided the former status holds. */
const BY_STATUS: Readonly<Record<string, OrderStatus | 'invoiced' | 'asked'>> = {
  'order-created': 'pending',
  'on-order-completed': 'pending',
  'on-order-completed-ffm': 'pending',
  'order-accepted': 'pending',
  'payment-pending': 'pending',
  'waiting-for-authorization': 'pending',
  'waiting-for-manual-authorization': 'pending',
  'waiting-for-fulfillment': 'pending',
  'waiting-ffmt-authorization': 'pending',
  'waiting-for-mkt-authorization': 'pending',
  'waiting-for-order-authorization': 'pending',
  'waiting-for-seller-confirmation': 'pending',
  'waiting-for-sellers-confirmation': 'pending',
  'waiting-for-seller-decision': 'pending',
  'window-to-change-payment': 'pending',
  'window-to-change-seller': 'pending',
  'approve-payment': 'pending',
  'payment-approved': 'paid',
  'authorize-fulfillment': 'paid',
  'window-to-cancel': 'paid',
  'ready-for-handling': 'paid',
  'start-handling': 'paid',
  handling: 'paid',
  'waiting-seller-handling': 'paid',
  'ready-for-invoicing': 'paid',
  invoice: 'paid',
  'invoice-after-cancellation-deny': 'paid',
  invoiced: 'invoiced',
  'request-cancel': 'asked',
  'cancellation-requested': 'asked',
  'payment-denied': 'cancelled',
  cancel: 'cancelled',
  canceled: 'cancelled',
  replaced: 'cancelled',
  'order-create-error': 'unknown',
  'order-creation-error': 'unknown',
};

/**
 * What feed and hook ask for. Adding a word makes every configuration of before another system's.
 */
export const WORKFLOW: readonly string[] = Object.keys(BY_STATUS);

const Incomplete = z.object({ orderId: id, status: knownText.refine((status) => status === null) });

/**
 * An order that is still being made: it has no status yet, or an empty one, and may lack anything
 * else.
 */
export function isIncomplete(document: unknown): boolean {
  return Incomplete.safeParse(document).success;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(document: unknown, fetchedAt: Instant): SourceOrder {
  const order = Order.parse(document);
  const packages = order.packageAttachment?.packages ?? [];
  const refunds = refundsOf(packages);
  // To a reader who may not see personal data the name is shown masked.
  const isMasked = namesOf(order).some((name) => name?.includes('*'));
  const [given = null, family = null] = namesOf(order);
  const isAsked = inTable(BY_STATUS, order.status) === 'asked';
  return sourceOrder({
    id: order.orderId,
    status: unifiedStatusOf(order, packages),
    marketplaceStatus: order.status,
    currency: order.storePreferencesData.currencyCode,
    ...orderMoney(order),
    refundedTotal: addKnown(refunds.map((refund) => refund.amount)),
    refunds,
    buyerName: isMasked || (given === null && family === null) ? null : { given, family },
    dateCreated: order.creationDate,
    dateClosed: closingOf(order, packages),
    lines: linesOf(order, packages.flatMap(returnedIn)),
    shipping: shippingOf(order, packages.filter(isSent)),
    packId: order.orderGroup,
    tags: isAsked ? [CANCELLATION_REQUESTED] : [],
    changedAt: order.lastChange,
    fetchedAt,
    keep: [
      ...(isAsked ? (['status'] as const) : []),
      ...(isMasked ? (['buyerName'] as const) : []),
    ],
    raw: JSON.stringify(document),
  });
}

/** An order from the document that was kept of it. */
export function readStored(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  return readOne(raw, () => toSourceOrder(parseLossless(raw), fetchedAt));
}

/** First match wins: cancelled, refunded, then what became of the parcels. */
function unifiedStatusOf(order: Order, packages: readonly Package[]): OrderStatus {
  const base = inTable(BY_STATUS, order.status) ?? 'unknown';
  if (base === 'cancelled' || base === 'unknown') return base;
  if (isRefundedInFull(order, packages)) return 'refunded';
  const sent = packages.filter(isSent);
  if (base === 'invoiced') return byParcels(sent);
  if (base !== 'asked') return base;
  // First reported during the request: what the order itself shows.
  if (sent.length > 0) return byParcels(sent);
  return order.authorizedDate ? 'paid' : 'pending';
}

/** Invoiced is the last status there is; the parcels say the rest. */
function byParcels(sent: readonly Package[]): OrderStatus {
  if (isAllDelivered(sent)) return 'delivered';
  return sent.some(({ trackingNumber }) => trackingNumber !== null) ? 'shipped' : 'ready_to_ship';
}

function isSent({ type }: Package): boolean {
  return type !== 'Input';
}

function isDelivered({ courierStatus }: Package): boolean {
  return courierStatus?.finished === true || (courierStatus?.deliveredDate ?? null) !== null;
}

/**
 * The first end that an order came to: cancelled, delivered, or all of its money given back. Null
 * while it is open, and where VTEX gives no time of one of these.
 */
function closingOf(order: Order, packages: readonly Package[]): Instant | null {
  const sent = packages.filter(isSent);
  const ends = [
    ...(inTable(BY_STATUS, order.status) === 'cancelled'
      ? [order.cancellationData?.CancellationDate ?? null]
      : []),
    ...(isAllDelivered(sent) ? [deliveryOf(sent)] : []),
    ...(isRefundedInFull(order, packages) ? [coveredAt(refundsOf(packages), order.value)] : []),
  ];
  const known = ends.filter((end) => end !== null);
  return known.length === 0 || known.length < ends.length ? null : known.reduce(earlier);
}

function isAllDelivered(sent: readonly Package[]): boolean {
  return sent.length > 0 && sent.every(isDelivered);
}

function deliveryOf(sent: readonly Package[]): Instant | null {
  const times = sent.map(({ courierStatus }) => courierStatus?.deliveredDate ?? null);
  return times.includes(null) ? null : latest(...times);
}

function returnedIn({ type, items }: Package): readonly Returned[] {
  return type === 'Input' ? (items ?? []) : [];
}

function isRefundedInFull({ value }: Order, packages: readonly Package[]): boolean {
  return covers(addKnown(refundsOf(packages).map((refund) => refund.amount)), value);
}

function refundsOf(packages: readonly Package[]): { amount: Decimal; at: Instant | null }[] {
  return packages.flatMap(({ restitutions, issuanceDate }) => {
    const value = restitutions?.Refund?.value ?? null;
    return value !== null && compare(value, ZERO) > 0 ? [{ amount: value, at: issuanceDate }] : [];
  });
}

function namesOf({ clientProfileData }: Order): readonly (string | null)[] {
  return [clientProfileData?.firstName ?? null, clientProfileData?.lastName ?? null];
}

function shippingOf({ shippingData }: Order, sent: readonly Package[]): SourceShipping | null {
  const logistics = shippingData?.logisticsInfo?.[0] ?? null;
  const parcel = sent.find(({ trackingNumber }) => trackingNumber !== null) ?? sent[0] ?? null;
  if (!logistics && !parcel) return null;
  const planned = logistics?.deliveryIds?.[0]?.courierName ?? logistics?.deliveryCompany ?? null;
  return {
    carrier: parcel?.courier ?? planned,
    trackingNumber: parcel?.trackingNumber ?? null,
    method: logistics?.selectedSla ?? null,
    status: parcel?.courierStatus?.status ?? null,
    shippedAt: null,
    deliveredAt: isAllDelivered(sent) ? deliveryOf(sent) : null,
  };
}

const InvoicedOrder = z.object({
  packageAttachment: optional(z.object({ packages: optional(Rows) })),
});
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An invoice for each parcel that has one in any form. */
export function readInvoices(orderId: string, document: unknown): Read<SourceInvoice>[] {
  const packages = InvoicedOrder.safeParse(document).data?.packageAttachment?.packages ?? [];
  return packages
    .map((row, index) => readOne(row, (it) => toInvoice(orderId, Package.parse(it), index)))
    .map((read, index) => (read.ok ? read : { ...read, externalId: `${orderId}:${index + 1}` }))
    .filter(
      (read) =>
        !read.ok || read.item.uuid !== null || read.item.xml !== null || read.item.url !== null,
    );
}

/** By convention Mexican sellers put the folio fiscal into the key that Brazil's invoices have. */
function toInvoice(orderId: string, parcel: Package, index: number): SourceInvoice {
  const { invoiceNumber, invoiceKey, invoiceUrl, embeddedInvoice, issuanceDate } = parcel;
  const key = invoiceKey?.trim() ?? '';
  return {
    id: `${orderId}:${invoiceNumber ?? index + 1}`,
    orderIds: [orderId],
    fileName: null,
    uuid: UUID.test(key) ? key : null,
    xml: embeddedInvoice?.trimStart().startsWith('<') ? Buffer.from(embeddedInvoice) : null,
    url: invoiceUrl,
    issuedAt: issuanceDate,
  };
}

export const SkuIds = Rows;
export const SkuStock = z.object({
  balance: z.array(
    z.object({
      totalQuantity: whole,
      reservedQuantity: optional(whole),
      hasUnlimitedQuantity: optional(z.boolean()),
    }),
  ),
});
export const Sku = z.object({
  NameComplete: text,
  ProductName: text,
  SkuName: text,
  AlternateIds: optional(z.object({ RefId: text })),
});

/**
 * The sum of all warehouses. `sku` null = the catalogue is not for us, and the id is all we know.
 */
export function toStock(
  skuId: string,
  { balance }: z.infer<typeof SkuStock>,
  sku: z.infer<typeof Sku> | null,
): SourceStock {
  const isUnlimited = balance.some(({ hasUnlimitedQuantity }) => hasUnlimitedQuantity === true);
  const total = balance.reduce((sum, { totalQuantity }) => sum + totalQuantity, 0);
  const reserved = balance.reduce((sum, { reservedQuantity }) => sum + (reservedQuantity ?? 0), 0);
  return {
    itemId: skuId,
    variationId: '',
    warehouse: 'seller',
    sku: sku?.AlternateIds?.RefId ?? null,
    title: sku?.NameComplete ?? sku?.ProductName ?? sku?.SkuName ?? skuId,
    available: isUnlimited ? null : total - reserved,
    unavailable: reserved,
  };
}
