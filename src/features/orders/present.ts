import type { Marketplace, OrderStatus } from '../../connectors/contract.ts';
import { parseLossless, type RawNumber, rawNumber } from '../../platform/json.ts';
import type { Decimal } from '../../platform/money.ts';
import { formatMicros, formatMillis, type Instant } from '../../platform/time.ts';
import type { PublicOrder } from './order.ts';

/**
 * The public order of lists, as JSON text, whole: it is rendered under the delta clock, so that a page is a
 * join of stored texts.
 */
export function renderList(order: PublicOrder, lastUpdated: Instant): string {
  return JSON.stringify({
    ...identity(order),
    items: order.items.map((item) => ({
      title: item.title,
      quantity: item.quantity,
      unit_price: rawNumber(item.unitPrice),
      sku: item.sku,
    })),
    last_updated: formatMicros(lastUpdated),
  });
}

/** The public order of `GET /v1/orders/{id}`, without `status_history` and `last_updated`. */
export function renderDetail(order: PublicOrder): string {
  return JSON.stringify({
    ...identity(order),
    items: order.items.map((item) => ({
      title: item.title,
      quantity: item.quantity,
      unit_price: rawNumber(item.unitPrice),
      sku: item.sku,
      id: item.id,
      variation: item.variation,
      subtotal: amount(item.subtotal),
      currency: item.currency,
    })),
    connection_id: order.connectionId,
    marketplace_status: order.marketplaceStatus,
    payment_status: order.paymentStatus,
    fulfillment_status: order.fulfillmentStatus,
    subtotal: amount(order.subtotal),
    discount_total: amount(order.discountTotal),
    shipping_total: amount(order.shippingTotal),
    tax_total: amount(order.taxTotal),
    fees_total: amount(order.feesTotal),
    net_total: amount(order.netTotal),
    refunded_total: amount(order.refundedTotal),
    refunds: order.refunds.map((refund) => ({ amount: rawNumber(refund.amount), at: millis(refund.at) })),
    shipping: order.shipping && {
      carrier: order.shipping.carrier,
      tracking_number: order.shipping.trackingNumber,
      method: order.shipping.method,
      status: order.shipping.status,
      shipped_at: millis(order.shipping.shippedAt),
      delivered_at: millis(order.shipping.deliveredAt),
    },
    cfdi: { required: order.invoiceRequired, status: null, uuid: null },
    channel_relations: { pack_id: order.packId, tags: order.tags },
  });
}

export interface HistoryEntry {
  readonly status: string;
  readonly marketplace_status: string;
  readonly at: Instant;
}

/** The detail with what is not in its stored text. */
export function spliceDetail(
  detailJson: string,
  history: readonly HistoryEntry[],
  lastUpdated: Instant,
): string {
  const entries = history.map(({ status, marketplace_status, at }) => ({
    status,
    marketplace_status,
    at: formatMillis(at),
  }));
  return `${detailJson.slice(0, -1)},"status_history":${JSON.stringify(entries)},"last_updated":"${formatMicros(lastUpdated)}"}`;
}

function identity(order: PublicOrder) {
  return {
    id: order.id,
    marketplace: order.marketplace,
    account_id: order.accountId,
    status: order.status,
    total: amount(order.total),
    currency: order.currency,
    buyer_name: order.buyerName,
    date_created: formatMillis(order.dateCreated),
    date_closed: millis(order.dateClosed),
  };
}

function amount(value: string | null) {
  return value === null ? null : rawNumber(value);
}

function millis(instant: Instant | null): string | null {
  return instant && formatMillis(instant);
}

/** The stored detail, back in our words; for fields that a source could not give again, and for listeners. */
export function readDetail(detailJson: string): PublicOrder {
  const stored = parseLossless(detailJson) as StoredDetail;
  const instant = (text: string | null) => (text === null ? null : Temporal.Instant.from(text));
  const exact = (number: RawNumber | null) => number && (number.rawJSON as Decimal);
  return {
    id: stored.id,
    marketplace: stored.marketplace,
    accountId: stored.account_id,
    connectionId: stored.connection_id,
    status: stored.status,
    marketplaceStatus: stored.marketplace_status,
    paymentStatus: stored.payment_status,
    fulfillmentStatus: stored.fulfillment_status,
    currency: stored.currency,
    total: exact(stored.total),
    subtotal: exact(stored.subtotal),
    discountTotal: exact(stored.discount_total),
    shippingTotal: exact(stored.shipping_total),
    taxTotal: exact(stored.tax_total),
    feesTotal: exact(stored.fees_total),
    netTotal: exact(stored.net_total),
    refundedTotal: exact(stored.refunded_total),
    refunds: stored.refunds.map(({ amount, at }) => ({ amount: amount.rawJSON as Decimal, at: instant(at) })),
    buyerName: stored.buyer_name,
    dateCreated: Temporal.Instant.from(stored.date_created),
    dateClosed: instant(stored.date_closed),
    items: stored.items.map((item) => ({
      id: item.id,
      sku: item.sku,
      title: item.title,
      variation: item.variation,
      quantity: Number(item.quantity.rawJSON),
      unitPrice: item.unit_price.rawJSON as Decimal,
      subtotal: exact(item.subtotal),
      currency: item.currency,
    })),
    shipping: stored.shipping && {
      carrier: stored.shipping.carrier,
      trackingNumber: stored.shipping.tracking_number,
      method: stored.shipping.method,
      status: stored.shipping.status,
      shippedAt: instant(stored.shipping.shipped_at),
      deliveredAt: instant(stored.shipping.delivered_at),
    },
    invoiceRequired: stored.cfdi.required,
    packId: stored.channel_relations.pack_id,
    tags: stored.channel_relations.tags,
  };
}

interface StoredDetail {
  id: string;
  marketplace: Marketplace;
  account_id: string;
  connection_id: string | null;
  status: OrderStatus;
  marketplace_status: string;
  payment_status: string | null;
  fulfillment_status: string | null;
  currency: string;
  total: RawNumber | null;
  subtotal: RawNumber | null;
  discount_total: RawNumber | null;
  shipping_total: RawNumber | null;
  tax_total: RawNumber | null;
  fees_total: RawNumber | null;
  net_total: RawNumber | null;
  refunded_total: RawNumber | null;
  refunds: { amount: RawNumber; at: string | null }[];
  buyer_name: string | null;
  date_created: string;
  date_closed: string | null;
  items: {
    id: string | null;
    sku: string | null;
    title: string;
    variation: string | null;
    quantity: RawNumber;
    unit_price: RawNumber;
    subtotal: RawNumber | null;
    currency: string;
  }[];
  shipping: {
    carrier: string | null;
    tracking_number: string | null;
    method: string | null;
    status: string | null;
    shipped_at: string | null;
    delivered_at: string | null;
  } | null;
  cfdi: { required: boolean | null };
  channel_relations: { pack_id: string | null; tags: string[] };
}
