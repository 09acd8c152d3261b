import { z } from 'zod';
import { addKnown, compare, covers, type Decimal, multiply, subtract, ZERO } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import {
  MARKETPLACE_SHIPS,
  type OrderStatus,
  type SourceInvoice,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
} from '../contract.ts';
import { amount, id, instant, inTable, optional, whole } from '../kit.ts';

// Only the fields that we use. Old documents lack many of them, and ids are sometimes strings.

const Line = z.object({
  item: z.object({
    id: optional(id),
    title: z.string(),
    variation_id: optional(id),
    variation_attributes: optional(
      z.array(z.object({ name: optional(z.string()), value_name: optional(z.string()) })),
    ),
    seller_sku: optional(z.string()),
    seller_custom_field: optional(z.string()),
  }),
  quantity: whole,
  unit_price: amount,
  /** Price before discounts, of the whole line. */
  gross_price: optional(amount),
  /** Of one unit. */
  sale_fee: optional(amount),
  currency_id: optional(z.string()),
});

const Payment = z.object({
  status: optional(z.string()),
  transaction_amount: optional(amount),
  transaction_amount_refunded: optional(amount),
  date_last_modified: optional(instant),
});

const Order = z.object({
  id,
  status: z.string(),
  date_created: instant,
  date_closed: optional(instant),
  last_updated: optional(instant),
  total_amount: optional(amount),
  currency_id: z.string(),
  order_items: optional(z.array(Line)),
  payments: optional(z.array(Payment)),
  shipping: optional(z.object({ id: optional(id) })),
  pack_id: optional(id),
  tags: optional(z.array(z.string())),
  taxes: optional(z.object({ amount: optional(amount) })),
  buyer: optional(z.object({ first_name: optional(z.string()), last_name: optional(z.string()) })),
});
type Order = z.infer<typeof Order>;

/** Both shapes of a shipment: with `x-format-new` and the older flat one. */
const Shipment = z.object({
  id,
  status: z.string(),
  substatus: optional(z.string()),
  last_updated: optional(instant),
  tracking_number: optional(id),
  tracking_method: optional(z.string()),
  logistic: optional(z.object({ type: optional(z.string()) })),
  logistic_type: optional(z.string()),
  lead_time: optional(z.object({ cost: optional(amount) })),
  shipping_option: optional(z.object({ cost: optional(amount) })),
  destination: optional(z.object({ receiver_name: optional(z.string()) })),
  receiver_address: optional(z.object({ receiver_name: optional(z.string()) })),
  status_history: optional(z.object({ date_shipped: optional(instant), date_delivered: optional(instant) })),
});
type Shipment = z.infer<typeof Shipment>;

/** `GET /orders/{id}/shipments` answers a list, whose order means nothing, or (older) one shipment. */
export const OrderShipments = z.array(z.object({ id, type: z.string() }));
export const ShipmentItems = z.array(z.object({ order_id: optional(id) }));

export const SearchPage = z.object({
  results: z.array(z.unknown()),
  paging: z.object({ total: whole, offset: optional(whole) }),
});
export const Me = z.object({ id, nickname: optional(z.string()) });
export const Token = z.object({
  access_token: z.string(),
  refresh_token: optional(z.string()),
  expires_in: optional(whole),
  user_id: id,
});

/** What one order is made of. */
interface OrderParts {
  readonly order: unknown;
  /** The shipment to the buyer; null = none, or not to be had. */
  readonly forward: unknown;
  /** The shipment back. */
  readonly back: unknown;
  /** `X-Content-Missing` of a 206: parts that the marketplace could not give this time. */
  readonly missing: readonly string[];
  readonly fetchedAt: Instant;
}

/** What our fields take from each part of the order. */
const DEPENDENTS: Readonly<Record<string, readonly (keyof SourceOrder)[]>> = {
  buyer: ['buyerName'],
  payments: ['paymentStatus', 'refundedTotal', 'refunds', 'status'],
  shipping: ['shipping', 'shippingTotal', 'fulfillmentStatus', 'buyerName', 'status', 'tags'],
  order_items: ['items', 'subtotal', 'discountTotal', 'feesTotal'],
  total_amount: ['total'],
  taxes: ['taxTotal'],
  tags: ['tags'],
  pack_id: ['packId'],
  date_closed: ['dateClosed'],
};

const Shipped = z.object({ shipping: z.object({ id }) });
const Stated = z.object({ status: z.string() });
const Closed = z.object({ date_closed: z.string() });
const Named = z.object({ id });

/** The shipping id, to know whether there is a shipment to ask for. */
export function shippingIdOf(row: unknown): string | null {
  const found = Shipped.safeParse(row);
  return found.success ? found.data.shipping.id : null;
}

/** The native status of a document, whatever it is. */
export function statusOf(document: unknown): string | null {
  return Stated.safeParse(document).data?.status ?? null;
}

/** Names a row at its place in a search, which is sorted by `date_closed`: a row that moved has another name. */
export function rowKeyOf(row: unknown): string {
  const closed = Closed.safeParse(row).data?.date_closed ?? '';
  return `${orderIdOf(row)} ${closed}`;
}

export function orderIdOf(row: unknown): string | null {
  const found = Named.safeParse(row);
  return found.success ? found.data.id : null;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(parts: OrderParts): SourceOrder {
  const order = Order.parse(parts.order);
  const forward = parts.forward === null ? null : Shipment.parse(parts.forward);
  const back = parts.back === null ? null : Shipment.parse(parts.back);
  const payments = order.payments ?? [];
  const lines = order.order_items ?? [];
  const refunded = addKnown(payments.map((payment) => refundOf(payment)));
  return {
    id: order.id,
    status: unifiedStatusOf(order, forward, back),
    marketplaceStatus: order.status,
    paymentStatus: paymentStatusOf(payments.map(({ status }) => status)),
    fulfillmentStatus:
      forward && (forward.substatus ? `${forward.status}/${forward.substatus}` : forward.status),
    currency: order.currency_id,
    total: order.total_amount,
    ...totalsOf(order),
    // A pack's shipping is paid once, so it is no single order's.
    shippingTotal: order.pack_id === null ? shippingCostOf(forward) : null,
    taxTotal: order.taxes?.amount ?? null,
    netTotal: null,
    refundedTotal: refunded,
    refunds: payments.flatMap((payment) => {
      const sum = refundOf(payment);
      return sum && compare(sum, ZERO) > 0 ? [{ amount: sum, at: payment.date_last_modified }] : [];
    }),
    buyerName: receiverOf(forward) ?? ownNameOf(order),
    dateCreated: order.date_created,
    dateClosed: order.date_closed,
    items: lines.map((line) => ({
      id: line.item.id,
      sku: line.item.seller_sku ?? line.item.seller_custom_field,
      title: line.item.title,
      variation: variationOf(line.item.variation_attributes ?? []),
      quantity: line.quantity,
      unitPrice: line.unit_price,
      subtotal: multiply(line.unit_price, line.quantity),
      currency: line.currency_id ?? order.currency_id,
    })),
    shipping: forward && toShipping(forward),
    invoiceRequired: null,
    packId: order.pack_id,
    tags: [...(order.tags ?? []), ...(logisticOf(forward) === FULL ? [MARKETPLACE_SHIPS] : [])],
    changedAt: changeTimeOf(order, forward, back),
    fetchedAt: parts.fetchedAt,
    keep: parts.missing
      .flatMap((part) => inTable(DEPENDENTS, part) ?? [])
      .filter((field) => field !== 'buyerName' || receiverOf(forward) === null),
    raw: JSON.stringify({
      order: parts.order,
      ...(forward && { shipment: parts.forward }),
      ...(back && { return_shipment: parts.back }),
    }),
  };
}

/** What Mercado Libre keeps in its own warehouses and sends itself. */
const FULL = 'fulfillment';

function logisticOf(shipment: Shipment | null): string | null {
  return shipment?.logistic?.type ?? shipment?.logistic_type ?? null;
}

/** While paid, the shipment to the buyer decides. The keys are `status/substatus`, else `status`. */
const BY_SHIPMENT: Readonly<Record<string, OrderStatus>> = {
  pending: 'paid',
  handling: 'paid',
  to_be_agreed: 'paid',
  cancelled: 'paid',
  not_verified: 'paid',
  not_specified: 'paid',
  active: 'paid',
  ready_to_ship: 'ready_to_ship',
  'ready_to_ship/ready_to_print': 'paid',
  'ready_to_ship/regenerating': 'paid',
  'ready_to_ship/invoice_pending': 'paid',
  'ready_to_ship/buffered': 'paid',
  'ready_to_ship/picked_up': 'shipped',
  'ready_to_ship/dropped_off': 'shipped',
  'ready_to_ship/in_hub': 'shipped',
  'ready_to_ship/authorized_by_carrier': 'shipped',
  'ready_to_ship/in_packing_list': 'ready_to_ship',
  stale_ready_to_ship: 'ready_to_ship',
  shipped: 'shipped',
  stale_shipped: 'shipped',
  delivered: 'delivered',
  closed: 'delivered',
  not_delivered: 'returned',
};

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

/** First match wins: cancelled, returned, refunded, then what the shipment says, then pending. */
function unifiedStatusOf(order: Order, forward: Shipment | null, back: Shipment | null): OrderStatus {
  const base = inTable(BY_ORDER, order.status) ?? 'unknown';
  if (base === 'cancelled' || base === 'unknown') return base;
  // A sale that the seller marked as not concluded stays «confirmed» for ever.
  if (order.status === 'confirmed' && order.tags?.includes('unfulfilled')) return 'cancelled';
  if (base === 'pending') return base;
  if (back?.status === 'delivered' || forward?.status === 'not_delivered') return 'returned';
  if (isRefundedInFull(order)) return 'refunded';
  if (!forward) return base;
  return (
    inTable(BY_SHIPMENT, `${forward.status}/${forward.substatus}`) ??
    inTable(BY_SHIPMENT, forward.status) ??
    'unknown'
  );
}

function isRefundedInFull(order: Order): boolean {
  const settled = (order.payments ?? []).filter(
    ({ status }) => status === 'approved' || status === 'refunded',
  );
  const paid = addKnown(settled.map((payment) => payment.transaction_amount));
  return covers(addKnown(settled.map(refundOf)), paid);
}

function refundOf(payment: z.infer<typeof Payment>): Decimal | null {
  return (
    payment.transaction_amount_refunded ?? (payment.status === 'refunded' ? payment.transaction_amount : null)
  );
}

/** Of several payments, the one that says most about the order. */
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

function totalsOf(order: Order): {
  subtotal: Decimal | null;
  discountTotal: Decimal | null;
  feesTotal: Decimal | null;
} {
  const lines = order.order_items ?? [];
  const fees = addKnown(lines.map((line) => line.sale_fee && multiply(line.sale_fee, line.quantity)));
  const gross = lines.every((line) => line.gross_price !== null)
    ? addKnown(lines.map((line) => line.gross_price))
    : null;
  const subtotal = gross ?? addKnown(lines.map((line) => multiply(line.unit_price, line.quantity)));
  const discountTotal = gross && order.total_amount ? subtract(gross, order.total_amount) : null;
  return { subtotal, discountTotal, feesTotal: fees };
}

function changeTimeOf(order: Order, forward: Shipment | null, back: Shipment | null): Instant | null {
  const own =
    order.last_updated ??
    latest(order.date_closed, ...(order.payments ?? []).map((payment) => payment.date_last_modified));
  return latest(own, forward?.last_updated, back?.last_updated);
}

function toShipping(shipment: Shipment): SourceShipping {
  return {
    carrier: shipment.tracking_method,
    trackingNumber: shipment.tracking_number,
    method: logisticOf(shipment),
    status: shipment.status,
    shippedAt: shipment.status_history?.date_shipped ?? null,
    deliveredAt: shipment.status_history?.date_delivered ?? null,
  };
}

function shippingCostOf(shipment: Shipment | null): Decimal | null {
  return shipment?.lead_time?.cost ?? shipment?.shipping_option?.cost ?? null;
}

function receiverOf(shipment: Shipment | null): string | null {
  return shipment?.destination?.receiver_name ?? shipment?.receiver_address?.receiver_name ?? null;
}

function ownNameOf(order: Order): string | null {
  const name = [order.buyer?.first_name, order.buyer?.last_name].filter(Boolean).join(' ');
  return name === '' ? null : name;
}

function variationOf(
  attributes: readonly { name: string | null; value_name: string | null }[],
): string | null {
  const named = attributes
    .filter(({ value_name }) => value_name !== null)
    .map(({ name, value_name }) => (name ? `${name}: ${value_name}` : value_name));
  return named.length > 0 ? named.join(', ') : null;
}

const Sku = z.object({ id: optional(z.string()), value_name: optional(z.string()) });
const Variation = z.object({
  id,
  available_quantity: optional(whole),
  inventory_id: optional(id),
  user_product_id: optional(id),
  seller_custom_field: optional(z.string()),
  attributes: optional(z.array(Sku)),
  attribute_combinations: optional(
    z.array(z.object({ name: optional(z.string()), value_name: optional(z.string()) })),
  ),
});
export const Item = z.object({
  id,
  title: z.string(),
  available_quantity: optional(whole),
  inventory_id: optional(id),
  user_product_id: optional(id),
  seller_custom_field: optional(z.string()),
  attributes: optional(z.array(Sku)),
  variations: optional(z.array(Variation)),
});
export type Item = z.infer<typeof Item>;

export const ItemSearch = z.object({ results: z.array(id), scroll_id: optional(z.string()) });
export const Multiget = z.array(z.object({ code: whole, body: z.unknown() }));
export const FulfillmentStock = z.object({
  available_quantity: whole,
  not_available_quantity: optional(whole),
});
export type FulfillmentStock = z.infer<typeof FulfillmentStock>;

/** Where the pieces of a user product lie; sellers with several places are told no total. */
export const PlacedStock = z.object({
  locations: z.array(z.object({ type: z.string(), quantity: whole })),
});
export type PlacedStock = z.infer<typeof PlacedStock>;

/** What was learnt about an item's stock beside the item itself, by id. */
interface StockApart {
  /** In the marketplace's warehouses, by inventory id. */
  readonly kept: ReadonlyMap<string, FulfillmentStock>;
  /** In the seller's places, by user product id. */
  readonly placed: ReadonlyMap<string, PlacedStock>;
}

/** One item without variations is one place on the shelf, else each variation is. */
function shelvesOf(item: Item) {
  const variations = item.variations ?? [];
  return variations.length > 0 ? variations : [{ ...item, id: '', attribute_combinations: null }];
}

/** Stock kept by the marketplace, that must be asked for by inventory id. */
export function inventoryIdsOf(item: Item): string[] {
  return shelvesOf(item)
    .map(({ inventory_id }) => inventory_id)
    .filter((found) => found !== null);
}

/** What must be asked for by user product where a seller keeps stock in several places. */
export function userProductIdsOf(item: Item): string[] {
  return shelvesOf(item)
    .filter(({ inventory_id }) => inventory_id === null)
    .map(({ user_product_id }) => user_product_id)
    .filter((found) => found !== null);
}

export function isInSeveralPlaces({ locations }: PlacedStock): boolean {
  return locations.some(({ type }) => type === 'seller_warehouse');
}

export function toStock(item: Item, { kept, placed }: StockApart): SourceStock[] {
  return shelvesOf(item).map((shelf) => {
    const there = kept.get(shelf.inventory_id ?? '');
    const places = placed.get(shelf.user_product_id ?? '');
    const variation = variationOf(shelf.attribute_combinations ?? []);
    return {
      itemId: item.id,
      variationId: shelf.id,
      warehouse: there ? 'marketplace' : 'seller',
      sku: skuOf(shelf) ?? skuOf(item),
      title: variation ? `${item.title} (${variation})` : item.title,
      available: there?.available_quantity ?? (places ? ownStockIn(places) : (shelf.available_quantity ?? 0)),
      unavailable: there?.not_available_quantity ?? 0,
    };
  });
}

function ownStockIn({ locations }: PlacedStock): number {
  return locations
    .filter(({ type }) => type !== 'meli_facility')
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

function skuOf(thing: {
  seller_custom_field: string | null;
  attributes: readonly { id: string | null; value_name: string | null }[] | null;
}): string | null {
  return (
    thing.attributes?.find((attribute) => attribute.id === 'SELLER_SKU')?.value_name ??
    thing.seller_custom_field
  );
}

const Document = z.object({
  id,
  file_type: optional(z.string()),
  filename: optional(z.string()),
});

/** Documented inside an object; seen as a bare list. */
export const FiscalDocuments = z.preprocess(
  (value) =>
    Array.isArray(value) ? value : z.object({ fiscal_documents: z.unknown() }).parse(value).fiscal_documents,
  z
    .array(z.unknown())
    .nullish()
    .transform((documents) => documents ?? []),
);
export const PackOrders = z.object({ orders: z.array(z.object({ id })) });

/** Where an order's documents are kept: an order without a pack stands in the pack's place. */
export interface InvoicedPack {
  readonly id: string;
  readonly isPack: boolean;
}

/** @returns null when the order was cancelled, or cannot be read */
export function invoicedPackOf(row: unknown): InvoicedPack | null {
  const order = z.object({ id, pack_id: optional(id), status: z.string() }).safeParse(row).data;
  if (!order || BY_ORDER[order.status] === 'cancelled') return null;
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
