import { z } from 'zod';
import { absolute, addKnown, compare, covers, type Decimal, divide, ZERO } from '../../platform/money.ts';
import { type Instant, latest, parseInstant } from '../../platform/time.ts';
import type {
  OrderStatus,
  Read,
  SourceInvoice,
  SourceItem,
  SourceOrder,
  SourceShipping,
  SourceStock,
} from '../contract.ts';
import { amount, id, instant, inTable, optional, readOne, whole } from '../kit.ts';

/** Every amount is in hundredths, whatever the currency shows. */
const cents = amount.transform((hundredths) => divide(hundredths, 100, 2));

/** What sellers and carriers type into fields that only some fill in: anything unusable is nothing. */
const text = z
  .unknown()
  .nullish()
  .transform((value) => id.safeParse(value).data ?? null);
/** Of the same making; without an offset it is UTC, and the year 1 stands for no time at all. */
const moment = z
  .unknown()
  .nullish()
  .transform((value) => {
    const found = typeof value === 'string' ? (parseInstant(value) ?? parseInstant(`${value}Z`)) : null;
    return found && found.epochMilliseconds > 0 ? found : null;
  });

const SellingPrice = z.object({ value: optional(amount), quantity: optional(whole) });
const Priced = z.object({
  id,
  name: text,
  refId: text,
  sellerSku: text,
  quantity: whole,
  price: optional(cents),
  sellingPrice: optional(cents),
  priceDefinition: optional(
    z.object({ total: optional(amount), sellingPrices: optional(z.array(SellingPrice)) }),
  ),
});
const Item = Priced.transform((item, context) => {
  const unitPrice = unitPriceOf(item);
  if (unitPrice !== null) return { ...item, unitPrice };
  context.addIssue({ code: 'custom', path: ['sellingPrice'], message: 'expected a price' });
  return z.NEVER;
});

const CourierStatus = z.object({
  status: text,
  finished: optional(z.boolean()),
  deliveredDate: moment,
});
/** A parcel with its invoice; of type `Input` it is one that comes back, with a note of credit. */
const Package = z.object({
  type: optional(z.string()),
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

const Order = z.object({
  orderId: id,
  status: z.string(),
  orderGroup: text,
  value: optional(cents),
  totals: optional(z.array(z.object({ id: z.string(), value: optional(cents) }))),
  creationDate: instant,
  lastChange: moment,
  authorizedDate: moment,
  storePreferencesData: z.object({ currencyCode: z.string() }),
  clientProfileData: optional(z.object({ firstName: text, lastName: text })),
  items: optional(z.array(Item)),
  packageAttachment: PackageAttachment,
  shippingData: optional(z.object({ logisticsInfo: optional(z.array(Logistics)) })),
});
type Order = z.infer<typeof Order>;

export const OrderList = z.object({ list: z.array(z.unknown()), paging: z.object({ total: whole }) });
export const OrderRow = z.object({ orderId: id });
export const FeedEvent = z.object({ handle: id, orderId: optional(id) });
export type FeedEvent = z.infer<typeof FeedEvent>;

/** `asked`: somebody asked to cancel, and until that is decided the order is what it was. */
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

/** What feed and hook ask for. Adding a word makes every configuration of before another system's. */
export const WORKFLOW: readonly string[] = Object.keys(BY_STATUS);

const Incomplete = z.object({ orderId: id, status: z.null().optional() });

/** An order that is still being made: it has no status yet, and may lack anything else. */
export function isIncomplete(document: unknown): boolean {
  return Incomplete.safeParse(document).success;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(document: unknown, fetchedAt: Instant): SourceOrder {
  const order = Order.parse(document);
  const currency = order.storePreferencesData.currencyCode;
  const packages = order.packageAttachment?.packages ?? [];
  const refunds = refundsOf(packages);
  const buyerName = nameOf(order);
  return {
    id: order.orderId,
    status: unifiedStatusOf(order, packages),
    marketplaceStatus: order.status,
    paymentStatus: null,
    fulfillmentStatus: null,
    currency,
    total: order.value,
    subtotal: totalOf(order, 'Items'),
    // Told as negative amounts.
    discountTotal: absolute(totalOf(order, 'Discounts')),
    shippingTotal: totalOf(order, 'Shipping'),
    taxTotal: totalOf(order, 'Tax'),
    feesTotal: null,
    netTotal: null,
    refundedTotal: sum(refunds.map((refund) => refund.amount)),
    refunds,
    // Of a reader who may not see personal data the name is masked.
    buyerName: buyerName?.includes('*') ? null : buyerName,
    dateCreated: order.creationDate,
    dateClosed: order.authorizedDate,
    items: (order.items ?? []).map((item) => toItem(item, currency)),
    shipping: shippingOf(order, packages.filter(isSent)),
    invoiceRequired: null,
    packId: order.orderGroup,
    tags: [],
    changedAt: order.lastChange,
    fetchedAt,
    keep: [
      ...(inTable(BY_STATUS, order.status) === 'asked' ? (['status'] as const) : []),
      ...(buyerName?.includes('*') ? (['buyerName'] as const) : []),
    ],
    raw: JSON.stringify(document),
  };
}

/** First match wins: cancelled, refunded, then what became of the parcels. */
function unifiedStatusOf(order: Order, packages: readonly Package[]): OrderStatus {
  const base = inTable(BY_STATUS, order.status) ?? 'unknown';
  if (base === 'cancelled' || base === 'unknown') return base;
  if (isRefundedInFull(order, packages)) return 'refunded';
  const sent = packages.filter(isSent);
  if (base === 'invoiced') return byParcels(sent);
  if (base !== 'asked') return base;
  // First heard of while it was asked: what the order itself shows.
  if (sent.length > 0) return byParcels(sent);
  return order.authorizedDate ? 'paid' : 'pending';
}

/** Invoiced is the last status there is; the parcels say the rest. */
function byParcels(sent: readonly Package[]): OrderStatus {
  if (sent.length > 0 && sent.every(isDelivered)) return 'delivered';
  return sent.some(({ trackingNumber }) => trackingNumber !== null) ? 'shipped' : 'ready_to_ship';
}

function isSent({ type }: Package): boolean {
  return type !== 'Input';
}

function isDelivered({ courierStatus }: Package): boolean {
  return courierStatus?.finished === true || (courierStatus?.deliveredDate ?? null) !== null;
}

function isRefundedInFull({ value }: Order, packages: readonly Package[]): boolean {
  return covers(sum(refundsOf(packages).map((refund) => refund.amount)), value);
}

function refundsOf(packages: readonly Package[]): { amount: Decimal; at: Instant | null }[] {
  return packages.flatMap(({ restitutions, issuanceDate }) => {
    const value = restitutions?.Refund?.value ?? null;
    return value !== null && compare(value, ZERO) > 0 ? [{ amount: value, at: issuanceDate }] : [];
  });
}

function totalOf({ totals }: Order, name: string): Decimal | null {
  return sum((totals ?? []).filter((total) => total.id === name).map(({ value }) => value));
}

/** With both decimals, also where they are zero. */
function sum(amounts: readonly (Decimal | null)[]): Decimal | null {
  const known = addKnown(amounts);
  return known && divide(known, 1, 2);
}

function nameOf({ clientProfileData }: Order): string | null {
  const name = [clientProfileData?.firstName, clientProfileData?.lastName].filter(Boolean).join(' ');
  return name === '' ? null : name;
}

function toItem(item: z.infer<typeof Item>, currency: string): SourceItem {
  const total = item.priceDefinition?.total ?? null;
  return {
    id: item.id,
    sku: item.refId ?? item.sellerSku,
    title: item.name ?? item.id,
    variation: null,
    quantity: item.quantity,
    unitPrice: item.unitPrice,
    subtotal: total && divide(total, 100, 2),
    currency,
  };
}

/** Pieces of one line may cost differently, and then `sellingPrice` is only one of the prices. */
function unitPriceOf({
  quantity,
  price,
  sellingPrice,
  priceDefinition,
}: z.infer<typeof Priced>): Decimal | null {
  const { total = null, sellingPrices } = priceDefinition ?? {};
  const isMixed = (sellingPrices?.length ?? 0) > 1 || sellingPrice === null;
  if (total === null || quantity <= 0 || !isMixed) return sellingPrice ?? price;
  const [exact, rounded] = [divide(total, quantity * 100, 6), divide(total, quantity * 100, 2)];
  return compare(exact, rounded) === 0 ? rounded : exact;
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
    deliveredAt:
      sent.length > 0 && sent.every(isDelivered)
        ? latest(...sent.map(({ courierStatus }) => courierStatus?.deliveredDate))
        : null,
  };
}

const InvoicedOrder = z.object({
  packageAttachment: optional(z.object({ packages: optional(z.array(z.unknown())) })),
});
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An invoice for each parcel that has one in any form. */
export function readInvoices(orderId: string, document: unknown): Read<SourceInvoice>[] {
  const packages = InvoicedOrder.safeParse(document).data?.packageAttachment?.packages ?? [];
  return packages
    .map((row, index) => readOne(row, (it) => toInvoice(orderId, Package.parse(it), index)))
    .map((read, index) => (read.ok ? read : { ...read, externalId: `${orderId}:${index + 1}` }))
    .filter(
      (read) => !read.ok || read.item.uuid !== null || read.item.xml !== null || read.item.url !== null,
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
    xml: embeddedInvoice?.trimStart().startsWith('<') ? embeddedInvoice : null,
    url: invoiceUrl,
    issuedAt: issuanceDate,
  };
}

export const SkuIds = z.array(id);
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

/** The sum of all warehouses. `sku` null = the catalogue is not for us, and the id is all we know. */
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
