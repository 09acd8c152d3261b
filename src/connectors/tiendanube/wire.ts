import { z } from 'zod';
import { isRawNumber } from '../../platform/json.ts';
import { multiply } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { OrderStatus, Read, SourceOrder, SourceShipping, SourceStock } from '../contract.ts';
import { amount, id, instant, inTable, optional, readOne, whole } from '../kit.ts';

// Only the fields that we use. `completed_at` is none of them: it is an object, and `created_at` says as much.

/** A word; null where there is none, or an empty one. */
const text = z
  .unknown()
  .optional()
  .transform((value) => wordIn(value));

/** A text by language: Spanish where there is some. */
const localized = z
  .unknown()
  .optional()
  .transform((value) => {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return wordIn(value);
    const known = Object.entries(value).filter(([, said]) => wordIn(said) !== null);
    const [, said] = known.find(([language]) => language.startsWith('es')) ?? known[0] ?? [];
    return wordIn(said);
  });

/** A time that never was may be written as `-0001-11-30T00:00:00+0000`. */
const time = optional(instant).catch(null);

const Line = z.object({
  id: optional(id),
  product_id: optional(id),
  name: localized,
  sku: text,
  price: amount,
  quantity: whole,
  variant_values: optional(z.array(localized)),
});

const FulfillmentOrders = optional(z.array(z.object({ status: text }))).catch(null);

const Order = z.object({
  id,
  status: text,
  payment_status: text,
  shipping_status: text,
  next_action: text,
  currency: z.string(),
  total: optional(amount),
  /** What `total` was called. */
  price: optional(amount),
  subtotal: optional(amount),
  discount: optional(amount),
  shipping_cost_customer: optional(amount),
  created_at: instant,
  updated_at: time,
  shipped_at: time,
  closed_at: time,
  cancelled_at: time,
  storefront: text,
  shipping: text,
  shipping_option: text,
  shipping_tracking_number: text,
  // Told only with the permission to read customers, and a name must not cost its order.
  customer: optional(z.object({ name: text })).catch(null),
  billing_name: text,
  contact_name: text,
  products: optional(z.array(Line)),
  fulfillments: FulfillmentOrders,
  fulfillment_orders: FulfillmentOrders,
});
type Order = z.infer<typeof Order>;

export const Store = z.object({ id, name: localized });
/** Whoever is given a token is told whose it is: the user is the store. */
export const Token = z.object({ access_token: z.string().min(1), user_id: id });
export const Webhooks = z.array(z.object({ event: text, url: text }));

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(row: unknown, fetchedAt: Instant): SourceOrder {
  const order = Order.parse(row);
  const total = order.total ?? order.price;
  const isRefunded = order.payment_status === 'refunded' && total !== null;
  return {
    id: order.id,
    ...statusesOf(order),
    paymentStatus: order.payment_status,
    fulfillmentStatus: order.shipping_status,
    currency: order.currency,
    total,
    subtotal: order.subtotal,
    discountTotal: order.discount,
    shippingTotal: order.shipping_cost_customer,
    taxTotal: null,
    feesTotal: null,
    netTotal: null,
    // Of a part that was given back no amount is told.
    refundedTotal: isRefunded ? total : null,
    refunds: isRefunded ? [{ amount: total, at: null }] : [],
    buyerName: order.customer?.name ?? order.billing_name ?? order.contact_name,
    dateCreated: order.created_at,
    dateClosed: order.closed_at ?? order.cancelled_at,
    items: (order.products ?? []).map((line) => ({
      id: line.id ?? line.product_id,
      sku: line.sku,
      title: line.name ?? line.sku ?? '',
      variation: variationOf(line.variant_values),
      quantity: line.quantity,
      unitPrice: line.price,
      subtotal: multiply(line.price, line.quantity),
      currency: order.currency,
    })),
    shipping: shippingOf(order),
    invoiceRequired: null,
    packId: null,
    tags: order.storefront ? [`storefront:${order.storefront}`] : [],
    changedAt: order.updated_at,
    fetchedAt,
    raw: JSON.stringify(row),
  };
}

const STATUSES: readonly (string | null)[] = ['open', 'closed', 'cancelled', null];

const BY_PAYMENT: Readonly<Record<string, OrderStatus>> = {
  pending: 'pending',
  authorized: 'pending',
  partially_paid: 'pending',
  paid: 'paid',
  partially_refunded: 'paid',
  refunded: 'refunded',
  voided: 'cancelled',
  abandoned: 'cancelled',
};

/** `waiting`: the payment decides. The documents and their examples use different words for it. */
const BY_SHIPPING: Readonly<Record<string, OrderStatus | 'waiting'>> = {
  unpacked: 'waiting',
  unfulfilled: 'waiting',
  unshipped: 'waiting',
  packed: 'ready_to_ship',
  partially_fulfilled: 'partially_shipped',
  shipped: 'shipped',
  fulfilled: 'shipped',
  delivered: 'delivered',
};
const PACKED: readonly (string | null)[] = ['waiting_shipment', 'waiting_pickup', 'waiting_client_pickup'];

function statusesOf(order: Order): Pick<SourceOrder, 'status' | 'marketplaceStatus' | 'keep'> {
  const { status, payment_status, shipping_status } = order;
  // Archived, and nothing else is told: what was known stays.
  const isSilent = status === 'closed' && payment_status === null && shipping_status === null;
  if (isSilent && order.shipped_at) return { status: 'delivered', marketplaceStatus: 'closed', keep: [] };
  const unified = unifiedStatusOf(order);
  const isOwnWordNew = !STATUSES.includes(status);
  return {
    status: unified,
    marketplaceStatus:
      unified === 'unknown' && !isOwnWordNew
        ? [status, payment_status, shipping_status].filter(Boolean).join('/')
        : (status ?? ''),
    keep: isSilent ? ['status'] : [],
  };
}

/** First match wins: cancelled, refunded, where the goods are, the payment. `closed` only means archived. */
function unifiedStatusOf(order: Order): OrderStatus {
  if (!STATUSES.includes(order.status)) return 'unknown';
  const payment = inTable(BY_PAYMENT, order.payment_status ?? '') ?? 'unknown';
  if (order.status === 'cancelled' || payment === 'cancelled') return 'cancelled';
  if (payment === 'refunded') return 'refunded';
  if (isDelivered(order)) return 'delivered';
  const goods = inTable(BY_SHIPPING, order.shipping_status ?? 'unpacked') ?? 'unknown';
  if (goods !== 'waiting' && goods !== 'ready_to_ship') return goods;
  const isPacked = goods === 'ready_to_ship' || PACKED.includes(order.next_action);
  return payment === 'paid' && isPacked ? 'ready_to_ship' : payment;
}

/** Dated versions of the API tell of each parcel apart. */
function isDelivered({ fulfillments, fulfillment_orders }: Order): boolean {
  const parcels = (fulfillment_orders ?? fulfillments ?? []).filter(({ status }) => status !== 'CANCELLED');
  return parcels.length > 0 && parcels.every(({ status }) => status === 'DELIVERED');
}

function shippingOf(order: Order): SourceShipping | null {
  const shipping = {
    carrier: order.shipping,
    trackingNumber: order.shipping_tracking_number,
    method: order.shipping_option,
    status: order.shipping_status,
    shippedAt: order.shipped_at,
    deliveredAt: null,
  };
  return Object.values(shipping).some((value) => value !== null) ? shipping : null;
}

const Variant = z.object({
  id,
  sku: text,
  stock: optional(whole),
  stock_management: optional(z.boolean()),
  values: optional(z.array(localized)),
  inventory_levels: optional(z.array(z.object({ stock: optional(whole) }))),
});
type Variant = z.infer<typeof Variant>;
const Product = z.object({ id, name: localized, variants: z.array(Variant) });

/** Every product has variants, a plain one too. */
export function readProduct(row: unknown): Read<SourceStock>[] {
  const read = readOne(row, () => Product.parse(row));
  if (!read.ok) return [read];
  const { id: itemId, name, variants } = read.item;
  return variants.map((variant) => {
    const variation = variationOf(variant.values);
    const title = name ?? variant.sku ?? '';
    const item: SourceStock = {
      itemId,
      variationId: variant.id,
      warehouse: 'seller',
      sku: variant.sku,
      title: variation ? `${title} (${variation})` : title,
      available: stockOf(variant),
      unavailable: 0,
    };
    return { ok: true, item };
  });
}

/** Null = without limit. Newer answers may have it by place only. */
function stockOf({ stock, stock_management, inventory_levels }: Variant): number | null {
  if (stock_management === false) return null;
  if (stock !== null) return stock;
  const levels = (inventory_levels ?? []).map((level) => level.stock);
  const counted = levels.filter((level) => level !== null);
  return counted.length > 0 && counted.length === levels.length
    ? counted.reduce((sum, level) => sum + level, 0)
    : null;
}

function variationOf(values: readonly (string | null)[] | null): string | null {
  return (values ?? []).filter(Boolean).join(', ') || null;
}

function wordIn(value: unknown): string | null {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
