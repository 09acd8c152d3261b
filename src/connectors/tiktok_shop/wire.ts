import { z } from 'zod';
import { isRawNumber } from '../../platform/json.ts';
import { addKnown, compare, covers, type Decimal, ZERO } from '../../platform/money.ts';
import { earlier, type Instant, latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import { documentOrNull } from '../answer-document.ts';
import {
  type BuyerName,
  coveredAt,
  MARKETPLACE_SHIPS,
  OPEN_CLAIM,
  OPEN_RETURN,
  type OpenTag,
  type OrderStatus,
  type SourceOrder,
  type SourceShipping,
  sourceOrder,
  type Verdict,
  type WireAnswer,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import { id, optional, looseText as text, whole } from '../wire-fields.ts';
import { flag, linesOf, Piece, sum } from './wire-lines.ts';
import { orderMoney, Payment } from './wire-money.ts';

const LAST_SECOND = 253_402_300_799;

/** Unix seconds; absent or 0 where it has not happened. */
export const time = optional(whole).transform((seconds, context): Instant | null => {
  if (!seconds) return null;
  if (seconds > 0 && seconds <= LAST_SECOND)
    return Temporal.Instant.fromEpochMilliseconds(seconds * 1000);
  context.addIssue({ code: 'custom', message: 'expected a time' });
  return z.NEVER;
});

const Recipient = z.object({ name: text, first_name: text, last_name: text });

const Order = z.object({
  id,
  status: z.string(),
  create_time: time,
  update_time: time,
  collection_time: time,
  delivery_time: time,
  cancel_time: time,
  payment: optional(Payment),
  line_items: optional(z.array(Piece)),
  // A name must not cost its order.
  recipient_address: optional(Recipient).catch(null),
  packages: optional(z.array(z.object({ id: text }))).catch(null),
  tracking_number: text,
  shipping_provider: text,
  shipping_type: text,
  delivery_option_name: text,
  need_upload_invoice: text,
  split_or_combine_tag: text,
  fulfillment_type: text,
  replaced_order_id: text,
  is_sample_order: flag,
  is_replacement_order: flag,
  is_on_hold_order: flag,
  is_buyer_request_cancel: flag,
  is_cod: flag,
});
type Order = z.infer<typeof Order>;

const ClaimedPieces = optional(z.array(z.object({ order_line_item_id: text })));

/** A return or a cancellation. */
const Claim = z.object({
  return_status: text,
  cancel_status: text,
  return_type: text,
  update_time: time,
  refund_amount: optional(z.object({ refund_total: sum })),
  partial_refund: optional(z.object({ amount: sum })),
  return_line_items: ClaimedPieces,
  cancel_line_items: ClaimedPieces,
});
type Claim = z.infer<typeof Claim>;
const ClaimRows = z.array(Claim);
const Priced = z.object({ currency: z.string('expected a currency') });

export const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: optional(z.string().min(1)),
  /** The moment in Unix seconds, in spite of its name. */
  access_token_expire_in: optional(whole).catch(null),
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
}

export interface Claims {
  readonly returns: readonly unknown[];
  readonly cancellations: readonly unknown[];
}

const Kept = z.object({
  order: z.unknown(),
  returns: optional(Rows),
  cancellations: optional(Rows),
});

/**
 * The parts that `raw` of an order holds; one that was kept without its claims has none.
 */
export function storedParts(kept: unknown): OrderParts {
  const { order = null, returns = null, cancellations = null } = Kept.safeParse(kept).data ?? {};
  return { order, claims: returns && cancellations && { returns, cancellations } };
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder({ order: raw, claims }: OrderParts, fetchedAt: Instant): SourceOrder {
  const order = Order.parse(trimmed(raw));
  const settled = settledOf(claims);
  const refunds = [...settled.returns, ...settled.cancellations].flatMap(refundOf);
  const refundedTotal = addKnown(refunds.map(({ amount }) => amount));
  const pieces = order.line_items ?? [];
  const { currency } = Priced.parse({ currency: order.payment?.currency ?? pieces[0]?.currency });
  const back = settled.returns.filter(({ return_type }) => return_type === 'RETURN_AND_REFUND');
  const gone = {
    isCancelled: order.status === 'CANCELLED',
    cancellations: settled.cancellations,
    back,
  };
  const status = unifiedStatusOf(order, back, refundedTotal);
  const buyerName = receiverOf(order);
  return sourceOrder({
    id: order.id,
    status,
    marketplaceStatus: order.status,
    fulfillmentStatus: sharedBy(pieces, ({ package_status }) => package_status),
    currency,
    ...orderMoney(order.payment, pieces),
    lines: linesOf(pieces, (piece) => isGone(piece, gone)),
    refundedTotal,
    refunds,
    buyerName,
    dateCreated: Created.parse(order).create_time,
    dateClosed: closedAt(order, status, refunds),
    shipping: shippingOf(order, pieces),
    invoiceRequired: inTable(INVOICE, order.need_upload_invoice ?? '') ?? null,
    packId: order.packages?.[0]?.id ?? null,
    tags: [...tagsOf(order), ...settled.open],
    changedAt: latest(order.update_time, ...settled.changes),
    fetchedAt,
    keep: [
      ...(buyerName === null ? (['buyerName'] as const) : []),
      ...(claims === null ? OF_CLAIMS : []),
    ],
    raw: JSON.stringify({ order: raw, ...claims }),
  });
}

/** What is not known of an order whose returns and cancellations could not be had. */
const OF_CLAIMS = ['refundedTotal', 'refunds', 'dateClosed', 'tags'] as const;

const Created = z.object({
  create_time: z.instanceof(Temporal.Instant, { error: 'expected a time' }),
});

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
  back: readonly Claim[],
  refunded: Decimal | null,
): OrderStatus {
  const base = inTable(STATUSES, order.status) ?? 'unknown';
  if (base === 'cancelled' || base === 'unknown') return base;
  const isRefunded = covers(refunded, order.payment?.total_amount ?? null);
  const isAllBack = (order.line_items ?? []).every((piece) => isNamed(piece, back));
  if (back.length > 0 && (isRefunded || isAllBack)) return 'returned';
  return isRefunded ? 'refunded' : base;
}

/** Claims that came to their end, tags of open ones, and when each changed last. */
function settledOf(claims: Claims | null) {
  const returns = ClaimRows.parse(trimmed(claims?.returns ?? []));
  const cancellations = ClaimRows.parse(trimmed(claims?.cancellations ?? []));
  return {
    returns: returns.filter(isSettled),
    cancellations: cancellations.filter(isSettled),
    open: [...new Set(returns.filter(isOpen).map(tagOf))],
    changes: [...returns, ...cancellations].map((claim) => claim.update_time),
  };
}

function isSettled({ return_status, cancel_status }: Claim): boolean {
  return /_COMPLETED?$/.test(return_status ?? cancel_status ?? '');
}

/** From the buyer's request to the refund; what was refused or withdrawn is over. */
const OPEN_CLAIMS = [
  'RETURN_OR_REFUND_REQUEST_PENDING',
  'AWAITING_BUYER_SHIP',
  'BUYER_SHIPPED_ITEM',
  'RETURN_OR_REFUND_REQUEST_SUCCESS',
];

function isOpen({ return_status }: Claim): boolean {
  return OPEN_CLAIMS.includes(return_status ?? '');
}

/** Money alone is a claim. */
function tagOf({ return_type }: Claim): OpenTag {
  return return_type === 'RETURN_AND_REFUND' ? OPEN_RETURN : OPEN_CLAIM;
}

interface Gone {
  readonly isCancelled: boolean;
  readonly cancellations: readonly Claim[];
  /** Returns whose goods came back. */
  readonly back: readonly Claim[];
}

/**
 * A cancellation without pieces may be one that the order does not follow; a piece then says it
 * itself.
 */
function isGone(piece: Piece, { isCancelled, cancellations, back }: Gone): boolean {
  if (isCancelled || piece.display_status === 'CANCELLED') return true;
  const named = cancellations.filter(({ cancel_line_items }) => cancel_line_items?.length);
  return isNamed(piece, named) || isNamed(piece, back);
}

/** A claim that names no pieces is of the whole order. */
function isNamed({ id }: Piece, claims: readonly Claim[]): boolean {
  return claims.some(({ return_line_items, cancel_line_items }) => {
    const named = [...(return_line_items ?? []), ...(cancel_line_items ?? [])];
    return named.length === 0 || named.some(({ order_line_item_id }) => order_line_item_id === id);
  });
}

function refundOf(claim: Claim): { amount: Decimal; at: Instant | null }[] {
  const given = claim.refund_amount?.refund_total ?? claim.partial_refund?.amount ?? null;
  return given !== null && compare(given, ZERO) > 0
    ? [{ amount: given, at: claim.update_time }]
    : [];
}

/** Where the buyer gave one name only, `first_name` has the whole of it and `last_name` nothing. */
function receiverOf({ recipient_address: address }: Order): BuyerName | null {
  const { name = null, first_name = null, last_name = null } = address ?? {};
  if (isReported(first_name) && isReported(last_name))
    return { given: first_name, family: last_name };
  const whole = name ?? first_name;
  return isReported(whole) ? whole : null;
}

/** Asterisks mark what is withheld before or after shipment, depending on the region. */
function isReported(name: string | null): name is string {
  return name !== null && !/[*＊•]/.test(name);
}

/**
 * Delivery or the refund of everything, whichever came first: what happens later does not move it.
 */
function closedAt(
  order: Order,
  status: OrderStatus,
  refunds: SourceOrder['refunds'],
): Instant | null {
  if (status === 'cancelled') return order.cancel_time;
  if (!['delivered', 'returned', 'refunded'].includes(status)) return null;
  const delivered = order.delivery_time;
  const refunded = coveredAt(refunds, order.payment?.total_amount ?? null);
  return delivered && refunded ? earlier(delivered, refunded) : (delivered ?? refunded);
}

function shippingOf(order: Order, pieces: readonly Piece[]): SourceShipping | null {
  const shipping = {
    carrier: order.shipping_provider ?? sharedBy(pieces, (piece) => piece.shipping_provider_name),
    trackingNumber: order.tracking_number ?? sharedBy(pieces, (piece) => piece.tracking_number),
    method: order.delivery_option_name ?? order.shipping_type,
    status: sharedBy(pieces, (piece) => piece.package_status),
    shippedAt: order.collection_time,
    deliveredAt: order.delivery_time,
  };
  return Object.values(shipping).some((value) => value !== null) ? shipping : null;
}

/** What all pieces say alike; null where they differ. */
function sharedBy(pieces: readonly Piece[], field: (piece: Piece) => string | null): string | null {
  const said = new Set(pieces.map(field));
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
