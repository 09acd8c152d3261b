import { z } from 'zod';
import { isRawNumber } from '../../platform/json.ts';
import { absolute, addKnown, compare, covers, type Decimal, perPiece, ZERO } from '../../platform/money.ts';
import { formatMillis, type Instant, latest, parseInstant } from '../../platform/time.ts';
import type { OrderStatus, SourceItem, SourceOrder, SourceShipping, WireAnswer } from '../contract.ts';
import { amount, id, instant, optional, parseOrNull } from '../kit.ts';
import { bareStatus } from './credentials.ts';

// Only the fields that we use. Amounts are texts, dates have no zone, and plugins write what they like into both.

/** A name or code; null where there is none, or an empty one. */
export const text = z
  .unknown()
  .optional()
  .transform((value) => {
    if (isRawNumber(value)) return value.rawJSON;
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  });

/** Of the `_gmt` fields. The others are the store's own time, of an unknown zone. */
const gmt = z.preprocess(
  (value) => (typeof value === 'string' && !parseInstant(value) ? `${value}Z` : value),
  instant,
);
/** An empty date may be written as zeros. */
const optionalGmt = gmt
  .nullish()
  .catch(null)
  .transform((at) => at ?? null);

const sum = optional(z.preprocess((value) => (value === '' ? null : value), optional(amount)));

const Meta = z.object({ key: text, value: z.unknown().optional(), display_key: text, display_value: text });
/** Plugins' own. PHP writes a list with gaps as an object, and some entries are empty: none may cost its order. */
const metaData = z
  .unknown()
  .optional()
  .transform((given) => Object.values(given ?? {}).flatMap((entry) => Meta.safeParse(entry).data ?? []));

const Line = z.object({
  id: text,
  name: text,
  variation_id: text,
  quantity: amount,
  subtotal: sum,
  price: sum,
  sku: text,
  meta_data: metaData,
});
type Line = z.infer<typeof Line>;

const Order = z.object({
  id,
  parent_id: text,
  status: z.string(),
  currency: z.string(),
  date_created_gmt: gmt,
  date_modified_gmt: optionalGmt,
  date_completed_gmt: optionalGmt,
  total: sum,
  total_tax: sum,
  shipping_total: sum,
  discount_total: sum,
  // A name must not cost its order.
  billing: optional(z.object({ first_name: text, last_name: text })).catch(null),
  line_items: optional(z.array(Line)),
  shipping_lines: optional(z.array(z.object({ method_title: text }))),
  refunds: optional(z.array(z.object({ id: text, total: sum }))),
  meta_data: metaData,
});
type Order = z.infer<typeof Order>;

export const Rows = z.array(z.unknown());
export const RefundList = z.array(z.object({ id, date_created_gmt: optionalGmt }));

/** Those of WooCommerce, and those that shops have agreed upon: it has none for a parcel on its way. */
const BY_STATUS: ReadonlyMap<string, OrderStatus> = new Map([
  ['pending', 'pending'],
  ['on-hold', 'pending'],
  ['failed', 'pending'],
  ['processing', 'paid'],
  ['partial-shipped', 'partially_shipped'],
  ['shipped', 'shipped'],
  ['enviado', 'shipped'],
  ['completed', 'delivered'],
  ['cancelled', 'cancelled'],
  ['trash', 'cancelled'],
  ['refunded', 'refunded'],
]);
const FINAL: readonly OrderStatus[] = ['delivered', 'cancelled', 'returned', 'refunded'];
/** Money that was given back says nothing more about these. */
const BEFORE_REFUNDED: readonly OrderStatus[] = ['cancelled', 'returned', 'unknown'];
const DRAFTS: readonly unknown[] = ['checkout-draft', 'auto-draft'];

/** What an order's own document does not say. */
interface OrderContext {
  /** The seller's own words for statuses of plugins. */
  readonly statuses: Readonly<Record<string, OrderStatus>>;
  /** When each refund was made, by its id. */
  readonly refundedAt: ReadonlyMap<string, Instant>;
  readonly fetchedAt: Instant;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(row: unknown, { statuses, refundedAt, fetchedAt }: OrderContext): SourceOrder {
  const order = Order.parse(row);
  const lines = order.line_items ?? [];
  const refunds = (order.refunds ?? []).flatMap(({ id, total }) =>
    total === null ? [] : [{ amount: absolute(total), at: refundedAt.get(id ?? '') ?? null }],
  );
  const refundedTotal = addKnown(refunds.map((refund) => refund.amount));
  const status = statusOf(order, statuses, refundedTotal);
  const refundedLast = latest(...refunds.map(({ at }) => at));
  return {
    id: order.id,
    status,
    marketplaceStatus: order.status,
    paymentStatus: null,
    fulfillmentStatus: null,
    currency: order.currency,
    total: order.total,
    subtotal: addKnown(lines.map((line) => line.subtotal)),
    discountTotal: order.discount_total,
    shippingTotal: order.shipping_total,
    taxTotal: order.total_tax,
    feesTotal: null,
    netTotal: null,
    refundedTotal,
    refunds,
    buyerName: [order.billing?.first_name, order.billing?.last_name].filter(Boolean).join(' ') || null,
    dateCreated: order.date_created_gmt,
    // The last change is the last resort: it goes on moving afterwards.
    dateClosed: FINAL.includes(status)
      ? (order.date_completed_gmt ?? refundedLast ?? order.date_modified_gmt)
      : null,
    items: lines.map((line) => itemOf(line, order.currency)),
    shipping: shippingOf(order),
    invoiceRequired: null,
    packId: known(order.parent_id),
    tags: [],
    changedAt: latest(order.date_modified_gmt, refundedLast),
    fetchedAt,
    keep: [],
    raw: JSON.stringify(row),
  };
}

/** An order that the store does not have any more: all else stays as it is stored. */
export function vanishedOrder(id: string, fetchedAt: Instant): SourceOrder {
  const silent = {
    paymentStatus: null,
    fulfillmentStatus: null,
    currency: '',
    total: null,
    subtotal: null,
    discountTotal: null,
    shippingTotal: null,
    taxTotal: null,
    feesTotal: null,
    netTotal: null,
    refundedTotal: null,
    refunds: [],
    buyerName: null,
    dateCreated: fetchedAt,
    items: [],
    shipping: null,
    invoiceRequired: null,
    packId: null,
    tags: [],
  };
  return {
    ...silent,
    id,
    status: 'cancelled',
    marketplaceStatus: 'deleted',
    dateClosed: fetchedAt,
    changedAt: null,
    fetchedAt,
    keep: Object.keys(silent) as (keyof typeof silent)[],
    raw: null,
  };
}

/** First match wins: cancelled, returned, refunded, what the store says. */
function statusOf(
  order: Order,
  statuses: OrderContext['statuses'],
  refundedTotal: Decimal | null,
): OrderStatus {
  const native = bareStatus(order.status);
  const own = Object.hasOwn(statuses, native) ? statuses[native] : undefined;
  const base = own ?? BY_STATUS.get(native) ?? 'unknown';
  if (BEFORE_REFUNDED.includes(base)) return base;
  return covers(refundedTotal, order.total) ? 'refunded' : base;
}

/** `price` is a rounded number after the discount, so the price before it is a share of the line's subtotal. */
function itemOf(line: Line, currency: string): SourceItem {
  const isShare = line.subtotal !== null && compare(line.quantity, ZERO) !== 0;
  return {
    id: line.id,
    sku: line.sku,
    title: line.name ?? line.sku ?? '',
    variation: known(line.variation_id) === null ? null : variationOf(line),
    // Goods by weight, with plugins.
    quantity: Math.ceil(Number(line.quantity)),
    unitPrice: isShare ? perPiece(line.subtotal ?? ZERO, line.quantity) : (line.price ?? ZERO),
    subtotal: line.subtotal,
    currency,
  };
}

/** Keys that begin with an underscore are a plugin's own. */
function variationOf({ meta_data }: Line): string | null {
  const parts = meta_data.flatMap(({ key, value, display_key, display_value }) => {
    const said = display_value ?? text.parse(value);
    return !key || key.startsWith('_') || !said ? [] : [`${display_key ?? key.replace(/^pa_/, '')}: ${said}`];
  });
  return parts.join(', ') || null;
}

/** Where the shop's own shipment plugin keeps its parcels; the API itself knows only what the buyer chose. */
const PARCELS = '_wc_shipment_tracking_items';
const Parcels = z.array(
  z.object({
    tracking_provider: text,
    custom_tracking_provider: text,
    tracking_number: text,
  }),
);

function shippingOf({ shipping_lines, meta_data }: Order): SourceShipping | null {
  const method = (shipping_lines ?? []).flatMap((line) => line.method_title ?? []).join(', ') || null;
  const parcels = Parcels.safeParse(meta_data.find(({ key }) => key === PARCELS)?.value).data ?? [];
  const parcel = parcels.at(-1);
  if (!parcel && method === null) return null;
  return {
    carrier: parcel?.custom_tracking_provider ?? parcel?.tracking_provider ?? null,
    trackingNumber: parcel?.tracking_number ?? null,
    method,
    status: null,
    shippedAt: null,
    deliveredAt: null,
  };
}

const Refunded = z.object({ id, refunds: z.array(z.unknown()).min(1) });
const Stated = z.object({ status: z.unknown() });
const Named = z.object({ id });

/** The id of an order with refunds; null where nothing was given back. */
export function refundedIdOf(row: unknown): string | null {
  const found = Refunded.safeParse(row);
  return found.success ? found.data.id : null;
}

export function isDraft(row: unknown): boolean {
  return DRAFTS.includes(Stated.safeParse(row).data?.status);
}

/** Whether it can not be an answer to «changed after»: whole seconds are compared, and nobody counts the first one. */
export function unchangedSince(row: unknown, from: Instant): boolean {
  return isBefore(row, 'date_modified_gmt', from.subtract({ seconds: 1 }));
}

export function isCreatedBefore(row: unknown, at: Instant): boolean {
  return isBefore(row, 'date_created_gmt', at);
}

function isBefore(row: unknown, field: string, at: Instant): boolean {
  const found = z.object({ [field]: gmt }).safeParse(row).data?.[field];
  return found !== undefined && Temporal.Instant.compare(found, at) < 0;
}

export function idOf(row: unknown): number | null {
  const found = Named.safeParse(row);
  return found.success && /^\d+$/.test(found.data.id) ? Number(found.data.id) : null;
}

/** As filters want it: whole seconds without a zone. */
export function zoneless(at: Instant): string {
  return formatMillis(at).slice(0, 19);
}

/** A 404 that is about the thing asked for, and not about a store whose API is gone. */
export function isGone({ status, body }: WireAnswer): boolean {
  if (status !== 404) return false;
  const { data } = z.object({ code: z.string() }).safeParse(parseOrNull(body));
  return /^woocommerce_rest_\w*invalid(_id)?$/.test(data?.code ?? '');
}

/** Ids that point nowhere are zero. */
function known(reference: string | null): string | null {
  return reference === '0' ? null : reference;
}
