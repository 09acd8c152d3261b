import { z } from 'zod';
import { isRawNumber, parseLossless } from '../../platform/json.ts';
import { addKnown, compare, type Decimal } from '../../platform/money.ts';
import { earlier, type Instant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import {
  type OrderStatus,
  type Read,
  type ReportedLine,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
  sourceOrder,
} from '../contract.ts';
import { readOne } from '../read-rows.ts';
import { amount, currency, id, instant, looseText, optional, whole } from '../wire-fields.ts';

// Only the fields that we use. `completed_at` is none of them: it is an object, and `created_at`
// says as much.

/** A text by language: Spanish where there is some. */
const localized = z
  .unknown()
  .optional()
  .transform((value) => {
    if (typeof value !== 'object' || value === null || isRawNumber(value))
      return looseText.parse(value);
    const known = Object.entries(value).filter(([, word]) => looseText.parse(word) !== null);
    const [, word] = known.find(([language]) => language.startsWith('es')) ?? known[0] ?? [];
    return looseText.parse(word);
  });

/** A time that never was may be written as `-0001-11-30T00:00:00+0000`. */
const time = optional(instant).catch(null);

const Line = z.object({
  id: optional(id),
  product_id: optional(id),
  name: localized,
  sku: looseText,
  /**
   * At the time of purchase: a promotional price where the product had one, before discounts of the
   * order.
   */
  price: amount,
  /** The former price beside it. Sellers type it freely, so it may be lower. */
  compare_at_price: optional(amount).catch(null),
  quantity: amount,
  variant_values: optional(z.array(localized)),
});

const Named = optional(z.object({ name: looseText })).catch(null);

/** A fulfillment order of dated versions, which have there what `v1` has in the order. */
const Parcel = z.object({
  status: looseText,
  shipping: optional(
    z.object({
      carrier: Named,
      option: Named,
      consumer_cost: optional(z.object({ value: optional(amount) })),
    }),
  ).catch(null),
  tracking_info: optional(z.object({ code: looseText })).catch(null),
  fulfilled_at: time,
});
type Parcel = z.infer<typeof Parcel>;

/** A list without details has ids alone. */
const Parcels = optional(z.array(Parcel)).catch(null);
const PromotionalDiscount = z.object({ total_discount_amount: optional(amount) });

const Order = z.object({
  id,
  status: looseText,
  payment_status: looseText,
  shipping_status: looseText,
  next_action: looseText,
  currency,
  total: optional(amount),
  /** What `total` was called. */
  price: optional(amount),
  /** The whole of the next three: coupons, the way of paying, promotions. */
  discount: optional(amount),
  discount_coupon: optional(amount),
  discount_gateway: optional(amount),
  promotional_discount: optional(PromotionalDiscount).catch(null),
  shipping_cost_customer: optional(amount),
  created_at: instant,
  updated_at: time,
  shipped_at: time,
  closed_at: time,
  cancelled_at: time,
  storefront: looseText,
  shipping: looseText,
  shipping_option: looseText,
  shipping_tracking_number: looseText,
  // Present only with the permission to read customers; a bad name must not fail its order.
  customer: optional(z.object({ name: looseText })).catch(null),
  billing_name: looseText,
  contact_name: looseText,
  products: optional(z.array(Line)),
  fulfillments: Parcels,
  fulfillment_orders: Parcels,
});
type Order = z.infer<typeof Order>;

export const Store = z.object({ id, name: localized, main_currency: currency });
/** The answer to a token request; `user_id` is the id of the store. */
export const Token = z.object({ access_token: z.string().min(1), user_id: id });
export const Webhooks = z.array(z.object({ id: optional(id), event: looseText, url: looseText }));

/** What an order is made of. */
interface OrderParts {
  readonly order: unknown;
  /** Of the store, for an order without a currency; null = not requested. */
  readonly storeCurrency: string | null;
}

/** Whether an order has a valid currency. */
export function hasCurrency(row: unknown): boolean {
  return z.object({ currency }).safeParse(row).data?.currency != null;
}

/** The parts of an order from the text that was kept of it. @throws SyntaxError */
export function storedParts(raw: string): OrderParts {
  const document = parseLossless(raw);
  const together = Together.safeParse(document).data;
  return together
    ? { order: together.order, storeCurrency: together.store.main_currency }
    : { order: document, storeCurrency: null };
}

const Together = z.object({
  order: z.looseObject({}),
  store: z.object({ main_currency: currency }),
});
const Priced = z.object({ currency: z.string('expected a currency') });

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(
  { order: row, storeCurrency }: OrderParts,
  fetchedAt: Instant,
): SourceOrder {
  const order = Order.parse(row);
  const { currency } = Priced.parse({ currency: order.currency ?? storeCurrency });
  const total = order.total ?? order.price;
  const isRefunded = order.payment_status === 'refunded' && total !== null;
  return sourceOrder({
    id: order.id,
    ...statusesOf(order),
    paymentStatus: order.payment_status,
    fulfillmentStatus: order.shipping_status,
    currency,
    total,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    orderDiscount: orderDiscountOf(order),
    shippingTotal: shippingTotalOf(order),
    // A partial refund has no amount in the document.
    refundedTotal: isRefunded ? total : null,
    refunds: isRefunded ? [{ amount: total, at: null }] : [],
    buyerName: order.customer?.name ?? order.billing_name ?? order.contact_name,
    dateCreated: order.created_at,
    dateClosed: closingOf(order),
    lines: (order.products ?? []).map(lineOf),
    shipping: shippingOf(order),
    tags: order.storefront ? [`storefront:${order.storefront}`] : [],
    changedAt: order.updated_at,
    fetchedAt,
    raw: JSON.stringify(
      storeCurrency ? { order: row, store: { main_currency: storeCurrency } } : row,
    ),
  });
}

/** No line has any of it. */
function orderDiscountOf(order: Order): Decimal | null {
  const { discount, discount_coupon, discount_gateway, promotional_discount } = order;
  const promotion = promotional_discount?.total_discount_amount ?? null;
  return discount ?? addKnown([discount_coupon, discount_gateway, promotion]);
}

/** The buyer's payment; `shipping_cost_owner` is the carrier's charge to the seller. */
function shippingTotalOf(order: Order): Decimal | null {
  const costs = parcelsOf(order).map(({ shipping }) => shipping?.consumer_cost?.value ?? null);
  return order.shipping_cost_customer ?? addKnown(costs);
}

function lineOf(line: z.infer<typeof Line>): ReportedLine {
  const { price, compare_at_price } = line;
  return {
    id: line.id ?? line.product_id,
    sku: line.sku,
    title: line.name,
    variation: variationOf(line.variant_values),
    quantity: line.quantity,
    unitPrice: price,
    listPrice: compare_at_price && compare(compare_at_price, price) >= 0 ? compare_at_price : null,
  };
}

/**
 * Only cancelling has a time of its own: `closed_at` is when the seller archived an order, open
 * ones too.
 */
function closingOf(order: Order): Instant | null {
  return unifiedStatusOf(order) === 'cancelled' ? order.cancelled_at : null;
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
  partially_packed: 'waiting',
  packed: 'ready_to_ship',
  partially_fulfilled: 'partially_shipped',
  shipped: 'shipped',
  fulfilled: 'shipped',
  delivered: 'delivered',
};
const PACKED: readonly (string | null)[] = [
  'waiting_shipment',
  'waiting_pickup',
  'waiting_client_pickup',
];

/** Parcels that left the seller, and those that wait to be collected. */
const SENT: readonly (string | null)[] = ['DISPATCHED', 'NOT_DELIVERED', 'DELIVERED'];
const READY: readonly (string | null)[] = ['PACKED', 'READY_FOR_PICKUP'];

function statusesOf(order: Order): Pick<SourceOrder, 'status' | 'marketplaceStatus' | 'keep'> {
  const { status, payment_status, shipping_status } = order;
  // Archived, and nothing else is given: the stored status stays.
  const isSilent = status === 'closed' && payment_status === null && shipping_status === null;
  if (isSilent && order.shipped_at)
    return { status: 'delivered', marketplaceStatus: 'closed', keep: [] };
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

/**
 * First match wins: cancelled, refunded, where the goods are, the payment. `closed` only means
 * archived.
 */
function unifiedStatusOf(order: Order): OrderStatus {
  if (!STATUSES.includes(order.status)) return 'unknown';
  const payment = inTable(BY_PAYMENT, order.payment_status ?? '') ?? 'unknown';
  if (order.status === 'cancelled' || payment === 'cancelled') return 'cancelled';
  if (payment === 'refunded') return 'refunded';
  if (areParcels(order, ['DELIVERED'])) return 'delivered';
  const goods = inTable(BY_SHIPPING, order.shipping_status ?? 'unpacked') ?? 'unknown';
  if (goods !== 'waiting' && goods !== 'ready_to_ship') return goods;
  const sent = byParcels(order);
  if (sent !== null) return sent;
  const isPacked =
    goods === 'ready_to_ship' || PACKED.includes(order.next_action) || areParcels(order, READY);
  return payment === 'paid' && isPacked ? 'ready_to_ship' : payment;
}

/** Null where no parcel left. */
function byParcels(order: Order): OrderStatus | null {
  if (areParcels(order, SENT)) return 'shipped';
  const isAnySent = parcelsOf(order).some(({ status }) => SENT.includes(status));
  return isAnySent ? 'partially_shipped' : null;
}

function areParcels(order: Order, wanted: readonly (string | null)[]): boolean {
  const parcels = parcelsOf(order);
  return parcels.length > 0 && parcels.every(({ status }) => wanted.includes(status));
}

/** Without those that were cancelled, unless all were. */
function parcelsOf({ fulfillments, fulfillment_orders }: Order): Parcel[] {
  const all = fulfillment_orders ?? fulfillments ?? [];
  const live = all.filter(({ status }) => status !== 'CANCELLED');
  return live.length > 0 ? live : all;
}

function shippingOf(order: Order): SourceShipping | null {
  const [parcel] = parcelsOf(order);
  const shipping = {
    carrier: order.shipping ?? parcel?.shipping?.carrier?.name ?? null,
    trackingNumber: order.shipping_tracking_number ?? parcel?.tracking_info?.code ?? null,
    method: order.shipping_option ?? parcel?.shipping?.option?.name ?? null,
    status: order.shipping_status,
    shippedAt: order.shipped_at ?? firstSentAt(order),
    deliveredAt: null,
  };
  return Object.values(shipping).some((value) => value !== null) ? shipping : null;
}

function firstSentAt(order: Order): Instant | null {
  const times = parcelsOf(order).flatMap(({ fulfilled_at }) => fulfilled_at ?? []);
  return times.length > 0 ? times.reduce(earlier) : null;
}

const Variant = z.object({
  id,
  sku: looseText,
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
