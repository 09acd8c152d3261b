import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { add, addKnown, compare, covers, type Decimal, ZERO } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import {
  OPEN_CLAIM,
  type OrderStatus,
  type OtherAmount,
  type Read,
  type ReportedLine,
  type SourceInvoice,
  type SourceOrder,
  type SourceSettlement,
  type SourceShipping,
  type SourceStock,
  sourceOrder,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import { nameIn, readOne } from '../read-rows.ts';
import {
  amount,
  currency,
  id,
  instant,
  optional,
  looseText as text,
  whole,
} from '../wire-fields.ts';

// Only the fields that we use. Any of them may be null or absent, and enumerations grow.

const Amounts = optional(z.array(z.object({ amount: optional(amount), code: text })));

const Refund = z.object({
  amount: optional(amount),
  quantity: optional(amount),
  shipping_amount: optional(amount),
  fees: Amounts,
  state: text,
  created_date: optional(instant),
  transaction_date: optional(instant),
});
type Refund = z.infer<typeof Refund>;

const Line = z.object({
  order_line_id: text,
  order_line_state: text,
  offer_sku: text,
  product_shop_sku: text,
  product_title: text,
  quantity: amount,
  price_unit: amount,
  origin_unit_price: optional(amount),
  price: optional(amount),
  fees: Amounts,
  taxes: Amounts,
  shipping_taxes: Amounts,
  refunds: optional(z.array(Refund)),
  cancelations: optional(
    z.array(z.object({ created_date: optional(instant), quantity: optional(amount) })),
  ),
  shipped_date: optional(instant),
  received_date: optional(instant),
  last_updated_date: optional(instant),
});
type Line = z.infer<typeof Line>;

const Order = z.object({
  order_id: id,
  commercial_id: text,
  order_state: z.string(),
  currency_iso_code: currency,
  created_date: instant,
  last_updated_date: optional(instant),
  acceptance_decision_date: optional(instant),
  order_tax_mode: text,
  shipping_price: optional(amount),
  total_price: optional(amount),
  total_commission: optional(amount),
  fully_refunded: optional(z.boolean()),
  has_incident: optional(z.boolean()),
  shipping_company: text,
  shipping_carrier_code: text,
  shipping_tracking: text,
  shipping_type_label: text,
  shipping_type_code: text,
  customer: optional(z.object({ firstname: text, lastname: text })),
  order_lines: optional(z.array(Line)),
});
type Order = z.infer<typeof Order>;

export const Shop = z.object({ shop_id: id, shop_name: text, currency_iso_code: text });
export const OrderPage = z.object({ orders: Rows, total_count: optional(whole) });
export const OfferPage = z.object({ offers: Rows, total_count: optional(whole) });
export const CyclePage = z.object({ data: Rows, next_page_token: text });
export const DocumentPage = z.object({ order_documents: Rows });
export const TransactionPage = z.object({
  data: z.array(z.object({ amount, currency_iso_code: z.string(), payment_state: text })),
  next_page_token: text,
});

/** The states of unpaid rows in the transaction log, and our terms for them. */
export const UNPAID = [
  { state: 'PAYABLE', part: 'available' },
  { state: 'PENDING', part: 'pending' },
] as const;

const BY_ORDER: Readonly<Record<string, OrderStatus>> = {
  STAGING: 'pending',
  WAITING_ACCEPTANCE: 'pending',
  WAITING_DEBIT: 'pending',
  WAITING_DEBIT_PAYMENT: 'pending',
  SHIPPING: 'paid',
  SHIPPED: 'shipped',
  TO_COLLECT: 'shipped',
  RECEIVED: 'delivered',
  CLOSED: 'delivered',
  REFUSED: 'cancelled',
  CANCELED: 'cancelled',
  REFUNDED: 'refunded',
};
const FINAL: readonly OrderStatus[] = ['delivered', 'cancelled', 'refunded'];
const SENT: readonly (string | null)[] = ['SHIPPED', 'TO_COLLECT', 'RECEIVED', 'CLOSED'];
const GONE: readonly (string | null)[] = ['REFUNDED', 'CANCELED', 'REFUSED'];
const INCIDENT = 'INCIDENT_OPEN';

/** Data that an order's own document may lack. */
interface OrderContext {
  /** The shop's own, for an order without one. */
  readonly currency: string | null;
  readonly fetchedAt: Instant;
}

export function readOrder(row: unknown, context: OrderContext): Read<SourceOrder> {
  return readOne(
    row,
    () => toSourceOrder(row, context),
    (it) => nameIn(it, 'order_id'),
  );
}

/** Reads an order from its stored document; without a currency there, the stored one stays. */
export function readStoredOrder(raw: string, fetchedAt: Instant): Read<SourceOrder> {
  return readOne(raw, () => {
    const row = parseLossless(raw);
    const order = toSourceOrder(row, { currency: NOT_GIVEN, fetchedAt });
    return order.currency === NOT_GIVEN ? { ...order, keep: ['currency', 'items'] } : order;
  });
}

/** Never stored: the stored currency replaces it. */
const NOT_GIVEN = '';

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(row: unknown, context: OrderContext): SourceOrder {
  const order = Order.parse(row);
  const lines = order.order_lines ?? [];
  const states = lines.map((line) => line.order_line_state);
  const refunds = lines.flatMap((line) => (line.refunds ?? []).flatMap(refundOf));
  const refundedTotal = addKnown(refunds.map((refund) => refund.amount));
  const status = unifiedStatusOf(order, lines, refundedTotal);
  return sourceOrder({
    id: order.order_id,
    status,
    marketplaceStatus: order.order_state,
    fulfillmentStatus: [...new Set(states.filter(Boolean))].sort().join(',') || null,
    currency: currencyOf(order, context),
    total: order.total_price,
    ...moneyOf(order, lines),
    lines: lines.map(lineOf),
    refundedTotal,
    refunds,
    buyerName: order.customer && {
      given: order.customer.firstname,
      family: order.customer.lastname,
    },
    dateCreated: order.created_date,
    dateClosed: closedAt(order, lines, status, refunds),
    shipping: shippingOf(order, lines),
    // One purchase from several sellers or warehouses becomes several orders.
    packId: order.commercial_id,
    tags: hasIncident(order, lines) ? [INCIDENT, OPEN_CLAIM] : [],
    changedAt: latest(order.last_updated_date, ...lines.map((line) => line.last_updated_date)),
    fetchedAt: context.fetchedAt,
    raw: JSON.stringify(row),
  });
}

function currencyOf(order: Order, { currency: ofShop }: OrderContext): string {
  const found = order.currency_iso_code ?? ofShop;
  if (found !== null) return found;
  throw new z.ZodError([
    {
      code: 'custom',
      path: ['currency_iso_code'],
      message: 'expected a currency',
      input: undefined,
    },
  ]);
}

/**
 * The order's total is goods, shipping and fees. With TAX_EXCLUDED it contains no taxes, and they
 * are added to the prices. Promotions are deducted from the lines already, so none is left for the
 * order.
 */
function moneyOf(order: Order, lines: readonly Line[]) {
  const taxTotal = addKnown(
    lines.flatMap((line) => [...amountsIn(line.taxes), ...amountsIn(line.shipping_taxes)]),
  );
  const isOnTop = order.order_tax_mode === 'TAX_EXCLUDED';
  return {
    totalIncludes: { shipping: true, tax: !isOnTop, orderDiscount: true },
    orderDiscount: ZERO,
    shippingTotal: order.shipping_price,
    taxTotal,
    taxAdded: isOnTop ? taxTotal : ZERO,
    other: feesOf(lines),
    feesTotal: order.total_commission,
  };
}

/** The buyer's payments for services around the goods, such as assembly; by their codes. */
function feesOf(lines: readonly Line[]): OtherAmount[] {
  const fees = lines
    .flatMap((line) => line.fees ?? [])
    .flatMap(({ amount, code }) => (amount === null ? [] : [{ name: code ?? 'fee', amount }]));
  return [...Map.groupBy(fees, ({ name }) => name)].map(([name, same]) => ({
    name,
    amount: add(...same.map(({ amount }) => amount)),
  }));
}

function lineOf(line: Line): ReportedLine {
  return {
    id: line.order_line_id,
    sku: skuOf(line),
    title: line.product_title,
    quantity: line.quantity,
    cancelled: goneOf(line),
    unitPrice: line.price_unit,
    listPrice: line.origin_unit_price,
    subtotal: line.price,
  };
}

/** Units that were cancelled or paid back. A line that was refused has no cancelation. */
function goneOf({ order_line_state, quantity, cancelations, refunds }: Line): Decimal {
  if (GONE.includes(order_line_state)) return quantity;
  const parts = [...(cancelations ?? []), ...(refunds ?? []).filter(isPaidBack)];
  const gone = add(ZERO, ...parts.flatMap((part) => part.quantity ?? []));
  return compare(gone, quantity) > 0 ? quantity : gone;
}

/**
 * First match wins: cancelled, refunded, the order's own state. A refund leaves the order's own
 * state unchanged.
 */
function unifiedStatusOf(
  order: Order,
  lines: readonly Line[],
  refundedTotal: Decimal | null,
): OrderStatus {
  const base = inTable(BY_ORDER, order.order_state) ?? 'unknown';
  if (base === 'unknown' || base === 'cancelled') return base;
  const states = lines.map((line) => line.order_line_state);
  const isRefunded = states.includes('REFUNDED') && states.every((state) => GONE.includes(state));
  if (order.fully_refunded || isRefunded || covers(refundedTotal, order.total_price))
    return 'refunded';
  const isMixed = lines.some(isSent) && states.includes('SHIPPING');
  return isMixed ? 'partially_shipped' : base;
}

/** An incident hides the state that the line had before. */
function isSent(line: Line): boolean {
  return (
    SENT.includes(line.order_line_state) ||
    (line.order_line_state === INCIDENT && line.shipped_date !== null)
  );
}

/** When it became final; the last change is no such time, since it continues to move. */
function closedAt(
  order: Order,
  lines: readonly Line[],
  status: OrderStatus,
  refunds: SourceOrder['refunds'],
): Instant | null {
  if (!FINAL.includes(status)) return null;
  const received = latest(...lines.map((line) => line.received_date));
  const cancelled = latest(
    ...lines.flatMap((line) => line.cancelations ?? []).map((part) => part.created_date),
  );
  const ends: Partial<Record<OrderStatus, Instant | null>> = {
    cancelled: order.order_state === 'REFUSED' ? order.acceptance_decision_date : cancelled,
    refunded: latest(...refunds.map(({ at }) => at)),
  };
  return received ?? ends[status] ?? null;
}

/** In the terms of the order's total. */
function refundOf(refund: Refund): { amount: Decimal; at: Instant | null }[] {
  const sum = addKnown([refund.amount, refund.shipping_amount, ...amountsIn(refund.fees)]);
  if (sum === null || !isPaidBack(refund)) return [];
  return [{ amount: sum, at: refund.transaction_date ?? refund.created_date }];
}

/** A refund that still waits for its payment was not paid yet. */
function isPaidBack({ state }: Refund): boolean {
  return state === null || state === 'REFUNDED';
}

function shippingOf(order: Order, lines: readonly Line[]): SourceShipping | null {
  const shipping = {
    carrier: order.shipping_company ?? order.shipping_carrier_code,
    trackingNumber: order.shipping_tracking,
    method: order.shipping_type_label ?? order.shipping_type_code,
    status: null,
    shippedAt: latest(...lines.map((line) => line.shipped_date)),
    deliveredAt: latest(...lines.map((line) => line.received_date)),
  };
  return Object.values(shipping).some((value) => value !== null) ? shipping : null;
}

function hasIncident(order: Order, lines: readonly Line[]): boolean {
  return order.has_incident === true || lines.some((line) => line.order_line_state === INCIDENT);
}

/** The seller's own SKU, which its stock also has. */
function skuOf(line: Line): string | null {
  return line.offer_sku ?? line.product_shop_sku;
}

function amountsIn(rows: z.infer<typeof Amounts>): (Decimal | null)[] {
  return (rows ?? []).map((row) => row.amount);
}

const Offer = z.object({ offer_id: id, shop_sku: text, product_title: text, quantity: whole });

/** One number an offer, over all of the seller's warehouses; that of an inactive offer too. */
export function readOffer(row: unknown): Read<SourceStock> {
  return readOne(row, toStock, (it) => nameIn(it, 'offer_id'));
}

function toStock(row: unknown): SourceStock {
  const { offer_id, shop_sku, product_title, quantity } = Offer.parse(row);
  return {
    itemId: offer_id,
    variationId: '',
    warehouse: 'seller',
    sku: shop_sku,
    title: product_title ?? shop_sku ?? '',
    available: quantity,
    unavailable: 0,
  };
}

const Cycle = z.object({
  id,
  currency_iso_code: z.string(),
  date_created: optional(instant),
  amount_transferred_to_seller: amount,
  amount_transferred_to_operator: optional(amount),
  pay_out: optional(z.object({ state: text, reference: text })),
  summary: optional(z.object({ total_payable_orders_incl_tax: optional(amount) })),
});

const BY_PAYOUT: Readonly<Record<string, SourceSettlement['status']>> = {
  TO_PAY: 'pending',
  PAID: 'paid',
  FAILED: 'failed',
};

export function readCycle(row: unknown): Read<SourceSettlement> {
  return readOne(row, () => {
    const cycle = Cycle.parse(row);
    const state = cycle.pay_out?.state ?? '';
    return {
      id: cycle.id,
      status: inTable(BY_PAYOUT, state) ?? 'pending',
      marketplaceStatus: state,
      currency: cycle.currency_iso_code,
      gross: cycle.summary?.total_payable_orders_incl_tax ?? null,
      fees: cycle.amount_transferred_to_operator,
      net: cycle.amount_transferred_to_seller,
      from: null,
      // A cycle is made when it ends.
      to: cycle.date_created,
      paidAt: null,
      reference: cycle.pay_out?.reference ?? null,
      changedAt: null,
      raw: JSON.stringify(row),
    };
  });
}

/** The id of an order that may have a document; null where it says that there is none. */
export function invoicedIdOf(row: unknown): string | null {
  const found = z.object({ order_id: id, has_invoice: optional(z.boolean()) }).safeParse(row);
  return found.success && found.data.has_invoice !== false ? found.data.order_id : null;
}

const Document = z.object({
  id,
  order_id: id,
  file_name: text,
  type: text,
  type_code: text,
  date_uploaded: optional(instant),
});

/**
 * Each operator has document types of its own, so what looks like an invoice, or is XML, counts as
 * one.
 */
const INVOICES = /INVOICE|CREDIT_NOTE|FACTURA|CFDI/i;

/** @returns null for delivery bills and the like */
export function readInvoice(row: unknown): Read<SourceInvoice> | null {
  const read = readOne(row, () => Document.parse(row));
  if (!read.ok) return read;
  const { order_id, file_name, date_uploaded, ...document } = read.item;
  if (!isXml(file_name) && !INVOICES.test(document.type ?? document.type_code ?? '')) return null;
  return {
    ok: true,
    item: {
      id: document.id,
      orderIds: [order_id],
      fileName: file_name,
      uuid: null,
      xml: null,
      url: null,
      issuedAt: date_uploaded,
    },
  };
}

export function isXml(fileName: string | null): boolean {
  return fileName?.toLowerCase().endsWith('.xml') ?? false;
}
