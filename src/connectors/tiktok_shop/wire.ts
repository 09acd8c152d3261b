import { z } from 'zod';
import { isRawNumber } from '../../platform/json.ts';
import { addKnown, compare, covers, type Decimal, multiply, ZERO } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import {
  MARKETPLACE_SHIPS,
  type OrderStatus,
  type SourceItem,
  type SourceOrder,
  type SourceShipping,
  type Verdict,
  type WireAnswer,
} from '../contract.ts';
import { amount, documentOrNull, id, inTable, optional, whole } from '../kit.ts';

/** Money of an order as its buyer sees it, each amount as text. */
const Payment = z.object({
  currency: optional(z.string()),
  total_amount: optional(amount),
  sub_total: optional(amount),
  shipping_fee: optional(amount),
  tax: optional(amount),
  seller_discount: optional(amount),
  platform_discount: optional(amount),
});
const LAST_SECOND = 253_402_300_799;

/** Unix seconds; absent or 0 where it has not happened. */
export const time = optional(whole).transform((seconds, context): Instant | null => {
  if (!seconds) return null;
  if (seconds > 0 && seconds <= LAST_SECOND) return Temporal.Instant.fromEpochMilliseconds(seconds * 1000);
  context.addIssue({ code: 'custom', message: 'expected a time' });
  return z.NEVER;
});

export const text = optional(z.string()).transform((value) => value || null);

/** One entry is one unit; there is no quantity. */
const LineItem = z.object({
  id: optional(id),
  sku_id: optional(id),
  seller_sku: text,
  product_name: z.string(),
  sku_name: text,
  sale_price: amount,
  currency: text,
  display_status: text,
  package_status: text,
  tracking_number: text,
  shipping_provider_name: text,
});
type LineItem = z.infer<typeof LineItem>;

const Order = z.object({
  id,
  status: z.string(),
  create_time: time,
  update_time: time,
  collection_time: time,
  delivery_time: time,
  cancel_time: time,
  payment: optional(Payment),
  line_items: optional(z.array(LineItem)),
  recipient_address: optional(z.object({ name: text, first_name: text, last_name: text })),
  packages: optional(z.array(z.object({ id: optional(id) }))),
  tracking_number: text,
  shipping_provider: text,
  shipping_type: text,
  delivery_option_name: text,
  need_upload_invoice: text,
  split_or_combine_tag: text,
  fulfillment_type: text,
  replaced_order_id: optional(id),
  is_sample_order: optional(z.boolean()),
  is_replacement_order: optional(z.boolean()),
  is_on_hold_order: optional(z.boolean()),
  is_buyer_request_cancel: optional(z.boolean()),
  is_cod: optional(z.boolean()),
});
type Order = z.infer<typeof Order>;

/** A return or a cancellation. */
const Claim = z.object({
  return_status: text,
  cancel_status: text,
  return_type: text,
  update_time: time,
  refund_amount: optional(z.object({ refund_total: optional(amount) })),
  partial_refund: optional(z.object({ amount: optional(amount) })),
  return_line_items: optional(z.array(z.object({ order_line_item_id: optional(id) }))),
});
type Claim = z.infer<typeof Claim>;
const ClaimRows = z.array(Claim);
const Currency = z.string('expected a currency');

export const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: optional(z.string().min(1)),
  /** The moment in Unix seconds, in spite of its name. */
  access_token_expire_in: optional(whole),
});

const Shop = z.object({ id, cipher: z.string().min(1), name: text, region: text });
export type Shop = z.infer<typeof Shop>;
export const Shops = z.object({ shops: optional(z.array(Shop)) });

const TOKEN_CODES = /^(105|360)\d{3}$/;
/** May not ask that: a renewed token may not either. */
const NO_SCOPE = '105005';
const LATER_CODES = ['36009002', '36009003', '12052109'];
const LATER = /too many requests|rate limit|internal error/i;
/** One code for several wrong parameters, the token among them. */
const WRONG_PARAMETER = '36009004';

const Said = z.object({ code: whole.transform(String), message: optional(z.string()) });

/** The HTTP status says little: what happened is the `code` of the body, 0 for success. */
export function verdictOf(answer: WireAnswer): Verdict | null {
  const { status } = answer;
  const said = Said.safeParse(documentOrNull(answer)).data;
  if (!said || said.code === '0') return null;
  const { code, message } = said;
  if (LATER_CODES.includes(code) || LATER.test(message ?? '')) return 'retry';
  if (code === WRONG_PARAMETER && /access.?token/i.test(message ?? '')) return 'renew';
  if (TOKEN_CODES.test(code) && code !== NO_SCOPE) return 'renew';
  return status === 429 || status >= 500 ? null : 'refuse';
}

/** What one order is made of. */
interface OrderParts {
  readonly order: unknown;
  /** Returns and cancellations of this order; null = they could not be had. */
  readonly claims: Claims | null;
  readonly fetchedAt: Instant;
}

export interface Claims {
  readonly returns: readonly unknown[];
  readonly cancellations: readonly unknown[];
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder({ order: raw, claims, fetchedAt }: OrderParts): SourceOrder {
  const order = Order.parse(trimmed(raw));
  const returns = ClaimRows.parse(trimmed(claims?.returns ?? []));
  const cancellations = ClaimRows.parse(trimmed(claims?.cancellations ?? []));
  const settled = [...returns, ...cancellations].filter(isSettled);
  const refunds = settled.flatMap(refundOf);
  const refundedTotal = addKnown(refunds.map(({ amount: sum }) => sum));
  const lines = order.line_items ?? [];
  const currency = Currency.parse(order.payment?.currency ?? lines[0]?.currency);
  const base = inTable(STATUSES, order.status) ?? 'unknown';
  const buyerName = receiverOf(order);
  return {
    id: order.id,
    status: unifiedStatusOf(order, base, returns.filter(isSettled), refundedTotal),
    marketplaceStatus: order.status,
    paymentStatus: null,
    fulfillmentStatus: sharedBy(lines, ({ package_status }) => package_status),
    currency,
    total: order.payment?.total_amount ?? null,
    subtotal: order.payment?.sub_total ?? null,
    discountTotal: addKnown([
      order.payment?.seller_discount ?? null,
      order.payment?.platform_discount ?? null,
    ]),
    shippingTotal: order.payment?.shipping_fee ?? null,
    taxTotal: order.payment?.tax ?? null,
    feesTotal: null,
    netTotal: null,
    refundedTotal,
    refunds,
    buyerName,
    dateCreated: Created.parse(order).create_time,
    dateClosed: closedAt(order, base),
    items: itemsOf(lines, currency),
    shipping: shippingOf(order, lines),
    invoiceRequired: inTable(INVOICE, order.need_upload_invoice ?? '') ?? null,
    packId: order.packages?.[0]?.id ?? null,
    tags: tagsOf(order),
    changedAt: latest(order.update_time, ...[...returns, ...cancellations].map((claim) => claim.update_time)),
    fetchedAt,
    keep: [
      ...(buyerName === null ? (['buyerName'] as const) : []),
      ...(claims === null ? (['refundedTotal', 'refunds'] as const) : []),
    ],
    raw: JSON.stringify({ order: raw, ...withoutEmpty(claims) }),
  };
}

const Created = z.object({ create_time: z.instanceof(Temporal.Instant, { error: 'expected a time' }) });

const STATUSES: Readonly<Record<string, OrderStatus>> = {
  UNPAID: 'pending',
  ON_HOLD: 'paid',
  AWAITING_SHIPMENT: 'paid',
  AWAITING_COLLECTION: 'ready_to_ship',
  PARTIALLY_SHIPPING: 'partially_shipped',
  IN_TRANSIT: 'shipped',
  DELIVERED: 'delivered',
  COMPLETED: 'delivered',
  CANCELLED: 'cancelled',
};

/** First match wins: cancelled, returned, refunded, then what the order itself says. */
function unifiedStatusOf(
  order: Order,
  base: OrderStatus,
  settledReturns: readonly Claim[],
  refunded: Decimal | null,
): OrderStatus {
  if (base === 'cancelled' || base === 'unknown') return base;
  const isRefunded = covers(refunded, order.payment?.total_amount ?? null);
  const back = settledReturns.filter(({ return_type }) => return_type === 'RETURN_AND_REFUND');
  if (back.length > 0 && (isRefunded || isAllBack(order, back))) return 'returned';
  return isRefunded ? 'refunded' : base;
}

/** A return that names no units is of the whole order. */
function isAllBack(order: Order, back: readonly Claim[]): boolean {
  if (back.some(({ return_line_items }) => !return_line_items?.length)) return true;
  const ids = back.flatMap((claim) => claim.return_line_items?.map((line) => line.order_line_item_id) ?? []);
  return (order.line_items ?? []).every((line) => ids.includes(line.id));
}

function isSettled({ return_status, cancel_status }: Claim): boolean {
  return /_COMPLETED?$/.test(return_status ?? cancel_status ?? '');
}

function refundOf(claim: Claim): { amount: Decimal; at: Instant | null }[] {
  const sum = claim.refund_amount?.refund_total ?? claim.partial_refund?.amount ?? null;
  return sum !== null && compare(sum, ZERO) > 0 ? [{ amount: sum, at: claim.update_time }] : [];
}

/** Asterisks stand for what is withheld before or after shipment, depending on the region. */
function receiverOf({ recipient_address: address }: Order): string | null {
  const parts = [address?.first_name, address?.last_name].filter(Boolean).join(' ');
  const name = address?.name ?? parts;
  return name === '' || /[*＊•]/.test(name) ? null : name;
}

function closedAt(order: Order, base: OrderStatus): Instant | null {
  if (base === 'cancelled') return order.cancel_time;
  return base === 'delivered' ? order.delivery_time : null;
}

function itemsOf(lines: readonly LineItem[], currency: string): SourceItem[] {
  const groups = Map.groupBy(lines, (line) =>
    JSON.stringify([line.sku_id ?? line.id, line.sale_price, line.display_status]),
  );
  return [...groups.values()].map((units) => {
    const [first] = units as [LineItem];
    return {
      id: first.sku_id ?? first.id,
      sku: first.seller_sku,
      title: first.product_name,
      variation: first.sku_name,
      quantity: units.length,
      unitPrice: first.sale_price,
      subtotal: multiply(first.sale_price, units.length),
      currency: first.currency ?? currency,
    };
  });
}

function shippingOf(order: Order, lines: readonly LineItem[]): SourceShipping | null {
  const shipping = {
    carrier: order.shipping_provider ?? sharedBy(lines, (line) => line.shipping_provider_name),
    trackingNumber: order.tracking_number ?? sharedBy(lines, (line) => line.tracking_number),
    method: order.delivery_option_name ?? order.shipping_type,
    status: sharedBy(lines, (line) => line.package_status),
    shippedAt: order.collection_time,
    deliveredAt: order.delivery_time,
  };
  return Object.values(shipping).some((value) => value !== null) ? shipping : null;
}

/** What all units say alike; null where they differ. */
function sharedBy(lines: readonly LineItem[], field: (line: LineItem) => string | null): string | null {
  const said = new Set(lines.map(field));
  return said.size === 1 ? ([...said][0] ?? null) : null;
}

const INVOICE: Readonly<Record<string, boolean>> = {
  NEED_INVOICE: true,
  INVOICE_UPLOADED: true,
  NO_NEED: false,
};

const FLAGS = [
  'is_sample_order',
  'is_replacement_order',
  'is_on_hold_order',
  'is_buyer_request_cancel',
  'is_cod',
] as const;

function tagsOf(order: Order): string[] {
  return [
    ...(order.split_or_combine_tag ? [order.split_or_combine_tag] : []),
    ...FLAGS.filter((flag) => order[flag]),
    ...(order.replaced_order_id ? [`replaced_order_id:${order.replaced_order_id}`] : []),
    ...(order.fulfillment_type === 'FULFILLMENT_BY_TIKTOK' ? [MARKETPLACE_SHIPS] : []),
  ];
}

const Named = z.object({ id });
const OfOrder = z.object({ order_id: id });
const Stated = z.object({ status: z.string() });
const Updated = z.object({ update_time: whole });

export function orderIdOf(row: unknown): string | null {
  return Named.safeParse(row).data?.id.trim() || null;
}

/** Of which order a return or a cancellation is. */
export function claimedOrderOf(row: unknown): string | null {
  return OfOrder.safeParse(row).data?.order_id.trim() || null;
}

/** Nothing can be claimed before it is paid. */
export function isUnpaid(row: unknown): boolean {
  return Stated.safeParse(row).data?.status.trim() === 'UNPAID';
}

/** In Unix seconds; null where a row does not say it. */
export function updatedAt(row: unknown): number | null {
  return Updated.safeParse(row).data?.update_time ?? null;
}

/** The same document with all of its texts trimmed: some end with a newline. */
export function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, trimmed(inner)]));
}

function withoutEmpty(claims: Claims | null): Partial<Claims> {
  return Object.fromEntries(Object.entries(claims ?? {}).filter(([, rows]) => rows.length > 0));
}
