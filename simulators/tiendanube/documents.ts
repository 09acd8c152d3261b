/** An order of the world in Tiendanube's document. Field for field in the documented shape. */
import { dice } from '../dice.ts';
import { cents, decimal, type Line, type Order, placedAt, reachedAt } from '../order.ts';
import {
  carrierCost,
  changedAt,
  closedAt,
  discountKind,
  productId,
  shippingCost,
  statusesOf,
  totalOf,
  type View,
  variantId,
} from './facts.ts';
import { parcelDocument, parcelId } from './parcels.ts';

/** How times and numbers are written differs between the list and the single order. */
type Writing = 'list' | 'detail';

type Time = (at: number | null) => string | 0 | null;

interface OrderView extends View {
  readonly storeId: number;
  /** Requested with `aggregates=fulfillment_orders`. */
  readonly hasParcels: boolean;
}

export function orderDocument(order: Order, view: OrderView, writing: Writing) {
  const now = view.now();
  const time: Time = (at) => at && (writing === 'list' ? plainOffset(at) : localOffset(at));
  const { status, payment_status, shipping_status, next_action } = statusesOf(order, view);
  const isLegacy = view.switches.legacy.has(order.id);
  const total = decimal(totalOf(order));
  const name = `${order.buyer.firstName} ${order.buyer.lastName}`;
  const placed = placedAt(order);
  return {
    id: Number(order.id),
    token: dice('tiendanube token', order.id).whole(1e14, 9e14).toString(16),
    store_id: String(view.storeId),
    ...(!isLegacy && { billing_name: name, contact_name: name }),
    ...(view.isDated ? parcelsOf(order, view) : shippingOf(order, now, time)),
    ...discountsOf(order, view.storeId, isLegacy),
    subtotal: order.total,
    ...(isLegacy ? { price: total, price_usd: '0.00' } : { total, total_usd: '0.00' }),
    weight: '0.500',
    currency: 'MXN',
    language: 'es',
    gateway: 'mercadopago',
    gateway_id: null,
    gateway_name: 'Mercado Pago',
    extra: {},
    storefront: storefrontOf(order, view),
    note: null,
    created_at: time(placed),
    updated_at: time(changedAt(order, now)),
    completed_at: {
      date: `${new Date(placed).toISOString().slice(0, 19).replace('T', ' ')}.000000`,
      timezone_type: 3,
      timezone: 'UTC',
    },
    ...(next_action && { next_action }),
    payment_details: { method: 'credit_card', credit_card_company: 'visa', installments: '1' },
    attributes: [],
    ...(!view.switches.hidesCustomers && { customer: customerOf(order, name, time(placed)) }),
    products: order.lines.map((line, index) => productOf(order, line, index, writing, isLegacy)),
    number: 100 + order.number,
    cancel_reason: reachedAt(order, 'cancelled', now) === null ? null : 'customer',
    owner_note: noteOf(order, view),
    cancelled_at: time(reachedAt(order, 'cancelled', now)),
    closed_at: time(closedAt(order, now)),
    read_at: null,
    status,
    payment_status,
    shipping_address: addressOf(order, name, time(placed)),
    shipping_status,
    paid_at: time(reachedAt(order, 'paid', now)),
    client_details: { browser_ip: '192.0.2.1', user_agent: 'Mozilla/5.0' },
    app_id: null,
  };
}

/** In the form of `v1`, of the order as a whole. */
function shippingOf(order: Order, now: number, time: Time) {
  const shipped = reachedAt(order, 'shipped', now);
  return {
    shipping_min_days: 1,
    shipping_max_days: 4,
    shipping_cost_owner: decimal(carrierCost(order)),
    shipping_cost_customer: decimal(shippingCost(order)),
    shipping: 'estafeta',
    shipping_option: 'Estafeta terrestre',
    shipping_option_code: 'ground',
    shipping_tracking_number: shipped === null ? null : order.tracking,
    shipping_tracking_url: null,
    shipping_pickup_type: 'ship',
    shipped_at: time(shipped),
  };
}

/** In the form of dated versions: of each parcel, or only its id. */
function parcelsOf(order: Order, view: OrderView) {
  return view.hasParcels
    ? { fulfillment_orders: [parcelDocument(order, view.now())] }
    : { fulfillments: [parcelId(order)] };
}

/** `discount` is the whole of the others, which old documents lack. */
function discountsOf(order: Order, storeId: number, isLegacy: boolean) {
  const kind = discountKind(order);
  const isGiven = cents(order.coupon) > 0;
  const amountOf = (one: typeof kind) => (one === kind ? order.coupon : '0.00');
  return {
    coupon: isGiven && kind === 'coupon' ? [{ code: 'BUENFIN' }] : [],
    discount: order.coupon,
    ...(!isLegacy && {
      promotional_discount: {
        id: null,
        store_id: storeId,
        order_id: order.id,
        total_discount_amount: amountOf('promotion'),
        contents: [],
        promotions_applied: [],
      },
      discount_coupon: amountOf('coupon'),
      discount_gateway: amountOf('gateway'),
    }),
  };
}

function productOf(order: Order, line: Line, index: number, writing: Writing, isLegacy: boolean) {
  const { product, variant, sku, quantity } = line;
  const ids = { product_id: productId(product.sku), variant_id: variantId(sku) };
  const sizes = { depth: null, height: null, width: null, weight: '0.50', free_shipping: false };
  if (isLegacy) return { ...sizes, ...ids, price: line.unitPrice, quantity };
  return {
    id: Number(order.id) * 10 + index,
    ...sizes,
    name: line.title,
    price: line.unitPrice,
    compare_at_price: comparePriceOf(order, line),
    product_id: ids.product_id,
    image: null,
    // Text in a list, a number in a single order.
    quantity: writing === 'list' ? String(quantity) : quantity,
    variant_id: writing === 'list' ? String(ids.variant_id) : ids.variant_id,
    variant_values: variant ? [variant.value] : [],
    properties: [],
    sku,
    barcode: null,
  };
}

/** The former price; sellers leave it empty, or type one that is none. */
function comparePriceOf(order: Order, line: Line): string | null {
  if (cents(line.listPrice) > cents(line.unitPrice)) return line.listPrice;
  return dice('tiendanube compare', order.id).pick([null, line.unitPrice, '1.00']);
}

function noteOf({ id }: Order, { switches }: View): string | null {
  const length = switches.notes.get(id);
  return length === undefined ? null : 'x'.repeat(length);
}

function storefrontOf(order: Order, { switches }: View): string {
  return switches.meli.has(order.id)
    ? 'meli'
    : dice('tiendanube storefront', order.id).pick(['store', 'mobile', 'form']);
}

function customerOf(order: Order, name: string, since: string | number | null) {
  const { number, email, phone } = order.buyer;
  return {
    id: number,
    name,
    email,
    identification: null,
    phone,
    note: null,
    created_at: since,
    active: true,
  };
}

function addressOf({ buyer }: Order, name: string, since: string | number | null) {
  const { street, city, state, zip } = buyer.address;
  return {
    address: street,
    city,
    country: 'MX',
    created_at: since,
    default: false,
    floor: null,
    id: buyer.number,
    locality: null,
    name,
    number: null,
    phone: buyer.phone,
    province: state,
    zipcode: zip,
  };
}

/** `2026-11-16T18:00:00+0000`. */
function plainOffset(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`;
}

/** `2026-11-16T15:00:00-03:00`: of the servers, not of the store. */
function localOffset(at: number): string {
  return `${new Date(at - 3 * 3_600_000).toISOString().slice(0, 19)}-03:00`;
}
