import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import {
  absolute,
  add,
  addKnown,
  compare,
  covers,
  type Decimal,
  perPiece,
  ZERO,
} from '../../platform/money.ts';
import { formatMillis, type Instant, latest, parseInstant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import { parseOrNull } from '../answer-document.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  type OtherAmount,
  type ReportedLine,
  type SourceOrder,
  type SourceShipping,
  silentOrder,
  sourceOrder,
  type WireAnswer,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import { amount, currency, id, instant, optional, looseText as text } from '../wire-fields.ts';
import { bareStatus } from './credentials.ts';
import { plainText } from './plain-text.ts';

// Only the fields that we use. Amounts are texts, dates have no zone, and plugins write what they
// like into both.

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

const sum = optional(amount);

const Meta = z.object({
  key: text,
  value: z.unknown().optional(),
  display_key: text,
  display_value: text,
});
/**
 * Plugins' own. PHP writes a list with gaps as an object, and some entries are empty: none may cost
 * its order.
 */
const metaData = z
  .unknown()
  .optional()
  .transform((given) =>
    Object.values(given ?? {}).flatMap((entry) => Meta.safeParse(entry).data ?? []),
  );

/** Money without taxes, and its taxes. */
const taxed = { total: sum, total_tax: sum };

const Line = z.object({
  id: text,
  name: text,
  variation_id: text,
  quantity: amount,
  subtotal: sum,
  subtotal_tax: sum,
  ...taxed,
  price: sum,
  sku: text,
  meta_data: metaData,
});
type Line = z.infer<typeof Line>;

const Order = z.object({
  id,
  parent_id: text,
  status: z.string(),
  currency: currency.pipe(z.string()),
  date_created_gmt: gmt,
  date_modified_gmt: optionalGmt,
  date_completed_gmt: optionalGmt,
  ...taxed,
  shipping_total: sum,
  shipping_tax: sum,
  prices_include_tax: z.boolean().nullish().catch(null),
  // A name must not cost its order.
  billing: optional(z.object({ first_name: text, last_name: text })).catch(null),
  line_items: optional(z.array(Line)),
  shipping_lines: optional(z.array(z.object({ method_title: text }))),
  fee_lines: optional(z.array(z.object({ name: text, ...taxed }))),
  refunds: optional(z.array(z.object({ id: text, total: sum }))),
  meta_data: metaData,
});
type Order = z.infer<typeof Order>;

const Refund = z.object({
  id,
  date_created_gmt: optionalGmt,
  line_items: optional(
    z.array(z.object({ quantity: optional(amount), meta_data: metaData })),
  ).catch(null),
});
const Refunds = z.array(Refund);
/** Where a line of a refund names the line of the order that it takes back. */
const REFUNDED_LINE = '_refunded_item_id';

/**
 * Those of WooCommerce, and those that shops have agreed upon: it has none for a parcel on its way.
 */
const BY_STATUS: Readonly<Record<string, OrderStatus>> = {
  pending: 'pending',
  'on-hold': 'pending',
  failed: 'pending',
  processing: 'paid',
  'partial-shipped': 'partially_shipped',
  shipped: 'shipped',
  enviado: 'shipped',
  completed: 'delivered',
  cancelled: 'cancelled',
  trash: 'cancelled',
  refunded: 'refunded',
};
const FINAL: readonly OrderStatus[] = ['delivered', 'cancelled', 'returned', 'refunded'];
/** Money that was given back says nothing more about these. */
const BEFORE_REFUNDED: readonly OrderStatus[] = ['cancelled', 'returned', 'unknown'];
const DRAFTS: readonly unknown[] = ['checkout-draft', 'auto-draft'];

/** Data that an order's own document lacks. */
interface OrderContext {
  /** The seller's own words for statuses. */
  readonly statuses: Readonly<Record<string, OrderStatus>>;
  /** Its refunds in full: the order names only what each gave back. */
  readonly refunds: readonly unknown[];
  readonly fetchedAt: Instant;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(row: unknown, context: OrderContext): SourceOrder {
  const order = Order.parse(row);
  const known = Refunds.parse(context.refunds);
  const madeAt = new Map(known.map((refund) => [refund.id, refund.date_created_gmt]));
  const refunds = (order.refunds ?? []).flatMap(({ id, total }) =>
    total === null ? [] : [{ amount: absolute(total), at: madeAt.get(id ?? '') ?? null }],
  );
  const refundedTotal = addKnown(refunds.map((refund) => refund.amount));
  const status = unifiedStatusOf(order, context.statuses, refundedTotal);
  const refundedLast = latest(...refunds.map(({ at }) => at));
  const completed = meaningOf('completed', context.statuses);
  return sourceOrder({
    id: order.id,
    status,
    marketplaceStatus: order.status,
    currency: order.currency,
    total: order.total,
    totalIncludes: { shipping: true, tax: true, orderDiscount: true },
    ...moneyOf(order),
    lines: linesOf(order, known),
    refundedTotal,
    refunds,
    buyerName: order.billing && {
      given: order.billing.first_name,
      family: order.billing.last_name,
    },
    dateCreated: order.date_created_gmt,
    dateClosed: closedAt(order, status, { ends: FINAL.includes(completed), refundedLast }),
    shipping: shippingOf(order, completed),
    packId: reference(order.parent_id),
    changedAt: latest(order.date_modified_gmt, refundedLast),
    fetchedAt: context.fetchedAt,
    raw: JSON.stringify({ order: row, refunds: context.refunds, statuses: context.statuses }),
  });
}

const Kept = z.object({
  order: z.looseObject({}),
  refunds: Rows,
  /** Absent = it was not kept yet. */
  statuses: z.record(z.string(), z.enum(ORDER_STATUSES)).optional(),
});
/** Kept before the refunds were kept with it. */
const KeptAlone = z.looseObject({}).transform((order) => ({ order, refunds: [], statuses: null }));

/**
 * An order from the document that was kept of it. Without the seller's own words for statuses, the
 * stored status and its time stay.
 */
export function fromStored(raw: string, fetchedAt: Instant): SourceOrder {
  const { order, refunds, statuses } = z.union([Kept, KeptAlone]).parse(parseLossless(raw));
  const read = toSourceOrder(order, { statuses: statuses ?? {}, refunds, fetchedAt });
  return statuses ? read : { ...read, dateClosed: null, keep: ['status', 'dateClosed'] };
}

/**
 * Lines, shipping and fees are given without their taxes. A shop whose prices include tax shows
 * buyers prices with them, so there they are added back; in others the taxes are added to the
 * prices. A coupon is spread over the lines, so none is left for the order.
 */
function moneyOf(order: Order) {
  const isInside = order.prices_include_tax === true;
  const other = (order.fee_lines ?? []).flatMap(({ name, ...fee }): OtherAmount[] => {
    const amount = shown(order, fee);
    return amount === null ? [] : [{ name: plainText(name ?? 'fee'), amount }];
  });
  return {
    orderDiscount: ZERO,
    shippingTotal: shown(order, { total: order.shipping_total, total_tax: order.shipping_tax }),
    taxTotal: order.total_tax,
    taxAdded: isInside ? ZERO : order.total_tax,
    other,
  };
}

/** As buyers of this shop see it. */
function shown(
  order: Order,
  { total, total_tax }: Pick<Line, 'total' | 'total_tax'>,
): Decimal | null {
  if (total === null) return null;
  return order.prices_include_tax === true && total_tax !== null ? add(total, total_tax) : total;
}

function linesOf(order: Order, refunds: readonly z.infer<typeof Refund>[]): ReportedLine[] {
  const taken = refunds
    .flatMap((refund) => refund.line_items ?? [])
    .flatMap(({ quantity, meta_data }) => {
      const line = meta_data.find(({ key }) => key === REFUNDED_LINE);
      return line && quantity !== null
        ? [{ line: text.parse(line.value), quantity: absolute(quantity) }]
        : [];
    });
  return (order.line_items ?? []).map((line) => ({
    ...lineOf(order, line),
    cancelled: add(...taken.filter((one) => one.line === line.id).map(({ quantity }) => quantity)),
  }));
}

/** `price` is a rounded number, so the price of one unit is a share of the line's money. */
function lineOf(order: Order, line: Line): ReportedLine {
  const paid = shown(order, line);
  const listed = shown(order, { total: line.subtotal, total_tax: line.subtotal_tax });
  const share = (money: Decimal | null) =>
    money === null || compare(line.quantity, ZERO) === 0 ? null : perPiece(money, line.quantity);
  return {
    id: line.id,
    sku: line.sku,
    title: line.name && plainText(line.name),
    variation: reference(line.variation_id) === null ? null : variationOf(line),
    quantity: line.quantity,
    unitPrice: share(paid) ?? line.price ?? ZERO,
    listPrice: share(listed),
    subtotal: paid,
  };
}

/**
 * The last change is no closing date: it goes on moving afterwards.
 * @param ends whether an order ends with `completed` in this store
 */
function closedAt(
  { date_completed_gmt }: Order,
  status: OrderStatus,
  { ends, refundedLast }: { ends: boolean; refundedLast: Instant | null },
): Instant | null {
  if (!FINAL.includes(status)) return null;
  return (ends ? date_completed_gmt : null) ?? (status === 'refunded' ? refundedLast : null);
}

/** An order that the store does not have any more: all else stays as it is stored. */
export function vanishedOrder(id: string, fetchedAt: Instant): SourceOrder {
  return silentOrder({
    id,
    status: 'cancelled',
    marketplaceStatus: 'deleted',
    fetchedAt,
    dateClosed: fetchedAt,
  });
}

/** First match wins: cancelled, returned, refunded, what the store says. */
function unifiedStatusOf(
  order: Order,
  statuses: OrderContext['statuses'],
  refundedTotal: Decimal | null,
): OrderStatus {
  const base = meaningOf(order.status, statuses);
  if (BEFORE_REFUNDED.includes(base)) return base;
  return covers(refundedTotal, order.total) ? 'refunded' : base;
}

/** The seller's own words come first. */
function meaningOf(status: string, statuses: OrderContext['statuses']): OrderStatus {
  const native = bareStatus(status);
  const own = Object.hasOwn(statuses, native) ? statuses[native] : undefined;
  return own ?? inTable(BY_STATUS, native) ?? 'unknown';
}

/** Keys that begin with an underscore are a plugin's own. */
function variationOf({ meta_data }: Line): string | null {
  const parts = meta_data.flatMap(({ key, value, display_key, display_value }) => {
    const said = display_value ?? text.parse(value);
    return !key || key.startsWith('_') || !said
      ? []
      : [`${display_key ?? key.replace(/^pa_/, '')}: ${said}`];
  });
  return plainText(parts.join(', ')) || null;
}

/**
 * Where the shop's own shipment plugin keeps its parcels; the API itself knows only what the buyer
 * chose.
 */
const PARCELS = '_wc_shipment_tracking_items';
const Parcels = z.array(
  z.object({
    tracking_provider: text,
    custom_tracking_provider: text,
    tracking_number: text,
  }),
);

/** @param completed what `completed` means in this store, by which its time is read */
function shippingOf(
  { shipping_lines, meta_data, date_completed_gmt }: Order,
  completed: OrderStatus,
): SourceShipping | null {
  const method =
    (shipping_lines ?? []).flatMap((line) => line.method_title ?? []).join(', ') || null;
  const parcels = Parcels.safeParse(meta_data.find(({ key }) => key === PARCELS)?.value).data ?? [];
  const parcel = parcels.at(-1);
  const shippedAt = completed === 'shipped' ? date_completed_gmt : null;
  const deliveredAt = completed === 'delivered' ? date_completed_gmt : null;
  if (!parcel && method === null && !shippedAt && !deliveredAt) return null;
  return {
    carrier: parcel?.custom_tracking_provider ?? parcel?.tracking_provider ?? null,
    trackingNumber: parcel?.tracking_number ?? null,
    method: method && plainText(method),
    status: null,
    shippedAt,
    deliveredAt,
  };
}

const Refunded = z.object({ id, refunds: Rows.min(1) });
const Stated = z.object({ status: z.unknown() });
const Named = z.object({ id });

/** The id of an order with refunds; null where it has none. */
export function refundedIdOf(row: unknown): string | null {
  const found = Refunded.safeParse(row);
  return found.success ? found.data.id : null;
}

export function isDraft(row: unknown): boolean {
  return DRAFTS.includes(Stated.safeParse(row).data?.status);
}

/**
 * Whether it cannot be an answer to «changed after»: whole seconds are compared, and the first one
 * does not count.
 */
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
function reference(id: string | null): string | null {
  return id === '0' ? null : id;
}
