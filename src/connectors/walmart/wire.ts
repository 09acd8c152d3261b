import { z } from 'zod';
import { isRawNumber } from '../../platform/json.ts';
import {
  absolute,
  addKnown,
  covers,
  type Decimal,
  multiply,
  perPiece,
  subtract,
  ZERO,
} from '../../platform/money.ts';
import { type Instant, latest, parseInstant } from '../../platform/time.ts';
import {
  MARKETPLACE_SHIPS,
  type OrderStatus,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
} from '../contract.ts';
import { amount, id, instant, inTable, optional, parseOrNull, whole } from '../kit.ts';

// Only the fields that we use, in both generations: the flat Mexican one, in which amounts are text and times
// ISO, and the global one, in which lists have a wrapper, amounts are numbers and times epoch milliseconds.

/** One or several, with or without a wrapper around the list. */
function several<T>(row: z.ZodType<T>, wrapper = ''): z.ZodType<T[]> {
  return z.preprocess((value) => {
    const inner = isObject(value) && wrapper in value ? value[wrapper] : value;
    if (inner === undefined || inner === null) return [];
    return Array.isArray(inner) ? inner : [inner];
  }, z.array(row));
}

/** An answer that has none of these is not a page, and no empty one either. */
function pageOf<T>(page: z.ZodType<T>, ...names: string[]): z.ZodType<T> {
  return z
    .unknown()
    .refine((value) => isObject(value) && names.some((name) => name in value), `expected ${names[0]}`)
    .pipe(page as z.ZodType<T, unknown>);
}

const epoch = whole.transform((millis, context) => {
  const found =
    Math.abs(millis) < 1e15 ? parseInstant(Temporal.Instant.fromEpochMilliseconds(millis).toString()) : null;
  if (found) return found;
  context.addIssue({ code: 'custom', message: 'expected a time' });
  return z.NEVER;
});
const time = z.union([instant, epoch]) as z.ZodType<Instant>;
const text = optional(z.string());
const Money = optional(z.object({ currency: text, amount: optional(amount) }));
const Quantity = optional(z.object({ amount: optional(whole) }));

const Charge = z.object({
  chargeType: text,
  chargeAmount: Money,
  tax: several(z.object({ taxAmount: Money })),
});
type Charge = z.infer<typeof Charge>;

const LineStatus = z.object({
  status: z.string(),
  statusDate: optional(time),
  statusQuantity: Quantity,
  trackingInfo: optional(
    z.object({
      shipDateTime: optional(time),
      carrierName: optional(z.object({ carrier: text, otherCarrier: text })),
      methodCode: text,
      trackingNumber: optional(id),
    }),
  ),
});

const Line = z.object({
  item: z.object({ productName: text, sku: optional(id), unitPrice: Money, commission: Money }),
  charges: several(Charge, 'charge'),
  orderLineQuantity: z.object({ amount: whole }),
  orderLineStatus: several(LineStatus),
  orderLineStatuses: several(LineStatus, 'orderLineStatus'),
  statusDate: optional(time),
  shippingMethod: text,
  refund: optional(
    z.object({ refundCharges: several(z.object({ charge: optional(Charge) }), 'refundCharge') }),
  ),
});
type Line = z.infer<typeof Line>;

const Shipment = z.object({
  status: text,
  carrier: text,
  trackingNumber: optional(id),
  shipmentAdditionalDate: optional(
    z.object({
      shipmentACKDate: optional(time),
      shipmentShippedDate: optional(time),
      shipmentDeliveredDate: optional(time),
    }),
  ),
});

const Order = z.object({
  purchaseOrderId: optional(id),
  customerOrderId: id,
  orderDate: time,
  shippingInfo: optional(z.object({ methodCode: text, postalAddress: optional(z.object({ name: text })) })),
  orderLines: several(Line, 'orderLine'),
  shipments: several(Shipment),
  orderTotal: Money,
  rfc: text,
});
type Order = z.infer<typeof Order>;

const Meta = z.object({
  totalCount: optional(whole),
  limit: optional(whole),
  nextCursorMark: text,
  /** A whole query string. */
  nextCursor: text,
});

/** A page of either generation, told apart by its content. */
export const OrderPage = z.union([
  z
    .object({
      list: z.object({
        meta: optional(Meta),
        elements: optional(z.object({ order: several(z.unknown()) })),
      }),
    })
    .transform(({ list: { meta, elements } }) => ({
      shape: 'global' as const,
      meta,
      rows: elements?.order ?? [],
    })),
  pageOf(z.object({ meta: optional(Meta), order: several(z.unknown()) }), 'order', 'meta').transform(
    ({ meta, order }) => ({ shape: 'legacy' as const, meta, rows: order }),
  ),
]);
export type OrderPage = z.infer<typeof OrderPage>;

const ReturnLine = z.object({
  purchaseOrderId: optional(id),
  quantity: Quantity,
  status: text,
  statusTime: optional(time),
  refundAmount: Money,
});
export const Return = z.object({
  returnOrderId: id,
  customerOrderId: optional(id),
  returnOrderDate: optional(time),
  returnOrderLines: several(ReturnLine),
  returnOrderShipments: several(z.object({ status: text })),
});
export type Return = z.infer<typeof Return>;
export const ReturnPage = pageOf(
  z.object({ meta: optional(Meta), returnOrders: several(z.unknown()) }),
  'returnOrders',
  'meta',
);

export const Token = z.object({ access_token: z.string().min(1), expires_in: optional(whole) });

const Named = z.object({ purchaseOrderId: optional(id), customerOrderId: optional(id) });
const OfNewGeneration = z.object({
  customerOrderId: id,
  purchaseOrderId: optional(id),
  orderLines: z.array(z.unknown()),
});

/** WFS orders have no purchase order, so the buyer's order is theirs. */
export function orderIdOf(row: unknown): string | null {
  const found = Named.safeParse(row);
  return found.success ? (found.data.purchaseOrderId ?? found.data.customerOrderId) : null;
}

/** The buyer's order, where this is one of the generation whose returns are documents of their own. */
export function askedReturnsOf(row: unknown): { customerOrderId: string; isWfs: boolean } | null {
  const found = OfNewGeneration.safeParse(row);
  if (!found.success) return null;
  const { customerOrderId, purchaseOrderId } = found.data;
  return { customerOrderId, isWfs: purchaseOrderId === null };
}

/** Which orders a return is about; none = it ended before `since`, and was looked at then. */
export function ordersOfReturn(row: unknown, since: Instant | null): string[] {
  const found = Return.safeParse(row);
  if (!found.success) return [];
  const { customerOrderId, returnOrderLines: lines } = found.data;
  const isNews = lines.some(
    ({ status, statusTime }) =>
      isWord(status, 'initiated') ||
      !since ||
      !statusTime ||
      Temporal.Instant.compare(statusTime, since) >= 0,
  );
  if (!isNews) return [];
  return [...new Set(lines.map((line) => line.purchaseOrderId ?? customerOrderId))].filter(
    (order) => order !== null,
  );
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(
  row: unknown,
  /** Null = not asked for. */
  returns: readonly Return[] | null,
  fetchedAt: Instant,
): SourceOrder {
  const order = Order.parse(row);
  const ownId = order.purchaseOrderId ?? order.customerOrderId;
  const isLegacy = askedReturnsOf(row) !== null;
  const back = isLegacy ? returnOf(ownId, returns ?? []) : refundIn(order);
  const total = totalOf(order);
  const currency = currencyOf(order);
  return {
    id: ownId,
    status: unifiedStatusOf(order, back, total),
    marketplaceStatus: [...new Set(portionsOf(order).map(({ status }) => status))].join(', '),
    paymentStatus: null,
    fulfillmentStatus: liveShipmentOf(order)?.status ?? null,
    currency,
    total,
    ...totalsOf(order),
    netTotal: null,
    refundedTotal: addKnown(back.refunds.map((refund) => refund.amount)),
    refunds: back.refunds,
    buyerName: order.shippingInfo?.postalAddress?.name ?? null,
    dateCreated: order.orderDate,
    dateClosed: closedAt(order),
    items: order.orderLines.map((line) => {
      const unitPrice = unitPriceOf(line);
      return {
        id: line.item.sku,
        sku: line.item.sku,
        title: line.item.productName ?? line.item.sku ?? '',
        variation: null,
        quantity: line.orderLineQuantity.amount,
        unitPrice,
        subtotal: multiply(unitPrice, line.orderLineQuantity.amount),
        currency: line.item.unitPrice?.currency ?? currency,
      };
    }),
    shipping: shippingOf(order),
    // The generic RFC is that of buyers who asked for no invoice.
    invoiceRequired: order.rfc === null ? null : order.rfc !== 'XAXX010101000',
    packId: order.customerOrderId,
    // Orders that Walmart fulfils have no number of their own.
    tags: isLegacy && order.purchaseOrderId === null ? [MARKETPLACE_SHIPS] : [],
    changedAt: latest(...changesOf(order), ...back.times),
    fetchedAt,
    keep: isLegacy && returns === null ? ['refundedTotal', 'refunds'] : [],
    raw: JSON.stringify({ order: row, ...(returns && returns.length > 0 && { returns }) }),
  };
}

/** Keys are the words of lines, in small letters. */
const BY_LINE: Readonly<Record<string, OrderStatus>> = {
  created: 'paid',
  acknowledged: 'paid',
  sentforfulfillment: 'paid',
  onhold: 'paid',
  shipped: 'shipped',
  delivered: 'delivered',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  refund: 'refunded',
  refunded: 'refunded',
};

const ON_THE_WAY: readonly OrderStatus[] = ['shipped', 'delivered', 'refunded'];

/** Lines that were cancelled count only where all are; money back counts before where the goods are. */
function unifiedStatusOf(order: Order, back: Back, total: Decimal | null): OrderStatus {
  const all = portionsOf(order).map(wordOf);
  if (all.length === 0 || all.includes('unknown')) return 'unknown';
  const live = all.filter((status) => status !== 'cancelled');
  if (live.length === 0) return 'cancelled';
  const pieces = countingLines(order).reduce((sum, line) => sum + line.orderLineQuantity.amount, 0);
  if (back.arrived > 0 && back.arrived >= pieces) return 'returned';
  if (isRefundedInFull(back, total) || live.every((status) => status === 'refunded')) return 'refunded';
  if (live.every((status) => status === 'delivered' || status === 'refunded')) return 'delivered';
  if (live.every((status) => ON_THE_WAY.includes(status))) return 'shipped';
  return live.some((status) => ON_THE_WAY.includes(status)) ? 'partially_shipped' : 'paid';
}

function wordOf({ status }: { readonly status: string }): OrderStatus {
  return inTable(BY_LINE, status.toLowerCase()) ?? 'unknown';
}

function isRefundedInFull({ refunds }: Back, total: Decimal | null): boolean {
  return covers(addKnown(refunds.map((refund) => refund.amount)), total);
}

/** Each line is in one status, or some of its pieces are in another. */
function statusesOf(line: Line) {
  const stated = [...line.orderLineStatus, ...line.orderLineStatuses];
  const real = stated.filter(({ statusQuantity }) => statusQuantity?.amount !== 0);
  return real.length > 0 ? real : stated;
}

function portionsOf(order: Order) {
  return order.orderLines.flatMap(statusesOf);
}

/** Lines with something that was not cancelled; all where everything was. */
function countingLines({ orderLines }: Order): readonly Line[] {
  const live = orderLines.filter((line) => statusesOf(line).some((one) => wordOf(one) !== 'cancelled'));
  return live.length > 0 ? live : orderLines;
}

/** Shipping and discounts are not in the Mexican total; without one, all charges and their taxes are it. */
function totalOf(order: Order): Decimal | null {
  if (order.orderTotal?.amount) return order.orderTotal.amount;
  const charges = countingLines(order).flatMap((line) => line.charges);
  const isPriced = charges.some(
    (charge) => isWord(charge.chargeType, 'product') && charge.chargeAmount?.amount,
  );
  if (isPriced) return addKnown(charges.map(grossOf));
  return addKnown(
    countingLines(order).map((line) => multiply(unitPriceOf(line), line.orderLineQuantity.amount)),
  );
}

function totalsOf(order: Order) {
  const lines = countingLines(order);
  const charges = lines.flatMap((line) => line.charges);
  const ofType = (type: string) => charges.filter((charge) => isWord(charge.chargeType, type));
  const discounts = addKnown(ofType('discount').map(grossOf));
  // Where only some lines say what Walmart keeps, their sum would be too little.
  const fees = lines.map(
    ({ item, orderLineQuantity }) =>
      item.commission?.amount && multiply(item.commission.amount, orderLineQuantity.amount),
  );
  return {
    subtotal: addKnown(lines.map((line) => multiply(unitPriceOf(line), line.orderLineQuantity.amount))),
    discountTotal: discounts && subtract(ZERO, discounts),
    shippingTotal: addKnown(ofType('shipping').map(grossOf)),
    taxTotal: addKnown(charges.map(taxOf)),
    feesTotal: fees.every(Boolean) ? addKnown(fees.map((fee) => fee ?? null)) : null,
  };
}

/** The Mexican price holds the VAT; the global one is the charge for the product, before taxes. */
function unitPriceOf({ item, charges, orderLineQuantity }: Line): Decimal {
  if (item.unitPrice?.amount) return item.unitPrice.amount;
  const products = charges.filter((charge) => isWord(charge.chargeType, 'product'));
  const price = amount.parse(addKnown(products.map(({ chargeAmount }) => chargeAmount?.amount ?? null)));
  return orderLineQuantity.amount > 1 ? perPiece(price, orderLineQuantity.amount) : price;
}

function grossOf(charge: Charge): Decimal | null {
  return addKnown([charge.chargeAmount?.amount ?? null, taxOf(charge)]);
}

function taxOf({ tax }: Charge): Decimal | null {
  return addKnown(tax.map(({ taxAmount }) => taxAmount?.amount ?? null));
}

function currencyOf({ orderTotal, orderLines }: Order): string {
  const named = orderLines.flatMap(({ item, charges }) => [
    item.unitPrice?.currency,
    ...charges.map(({ chargeAmount }) => chargeAmount?.currency),
  ]);
  return orderTotal?.currency ?? named.find(Boolean) ?? 'MXN';
}

function changesOf({ orderLines, shipments }: Order): (Instant | null)[] {
  return [
    ...orderLines.flatMap((line) => [
      line.statusDate,
      ...statusesOf(line).map(({ statusDate }) => statusDate),
    ]),
    ...shipments.flatMap(({ shipmentAdditionalDate: dates }) => [
      dates?.shipmentACKDate ?? null,
      dates?.shipmentShippedDate ?? null,
      dates?.shipmentDeliveredDate ?? null,
    ]),
  ];
}

/** The last piece was delivered or cancelled; a return later does not open the order again. */
function closedAt(order: Order): Instant | null {
  const words = portionsOf(order).map(wordOf);
  const isOver = words.every((word) => word === 'delivered' || word === 'cancelled' || word === 'refunded');
  if (words.length === 0 || !isOver) return null;
  return latest(
    ...order.orderLines.flatMap((line) => [
      line.statusDate,
      ...statusesOf(line).map(({ statusDate }) => statusDate),
    ]),
  );
}

function liveShipmentOf({ shipments }: Order) {
  return shipments.find(({ status }) => !/cancel/i.test(status ?? '')) ?? shipments[0];
}

function shippingOf(order: Order): SourceShipping | null {
  const shipment = liveShipmentOf(order);
  const portions = portionsOf(order);
  const tracked = portions.map(({ trackingInfo }) => trackingInfo).find((info) => info !== null);
  const isDelivered = portions.some((one) => wordOf(one) === 'delivered');
  if (!shipment && !tracked) return null;
  const dates = shipment?.shipmentAdditionalDate;
  return {
    carrier: shipment?.carrier ?? tracked?.carrierName?.carrier ?? tracked?.carrierName?.otherCarrier ?? null,
    trackingNumber: shipment?.trackingNumber ?? tracked?.trackingNumber ?? null,
    method: order.orderLines[0]?.shippingMethod ?? order.shippingInfo?.methodCode ?? null,
    status: shipment?.status ?? portions[0]?.status ?? null,
    shippedAt: dates?.shipmentShippedDate ?? tracked?.shipDateTime ?? null,
    deliveredAt: dates?.shipmentDeliveredDate ?? (isDelivered ? closedAt(order) : null),
  };
}

/** What came back of an order: money, and pieces that reached the seller. */
interface Back {
  readonly refunds: SourceOrder['refunds'];
  readonly arrived: number;
  readonly times: readonly (Instant | null)[];
}

/** A return says what will be given back from its first day on; it is given back once it is completed. */
function returnOf(orderId: string, returns: readonly Return[]): Back {
  const lines = returns.flatMap((one) =>
    one.returnOrderLines
      .filter((line) => (line.purchaseOrderId ?? one.customerOrderId) === orderId)
      .map((line) => ({
        ...line,
        openedAt: one.returnOrderDate,
        isThere: one.returnOrderShipments.some(({ status }) => isWord(status, 'delivered')),
      })),
  );
  return {
    refunds: lines.flatMap(({ status, refundAmount, statusTime }) =>
      isWord(status, 'completed') && refundAmount?.amount
        ? [{ amount: refundAmount.amount, at: statusTime }]
        : [],
    ),
    arrived: lines
      .filter(({ isThere, status }) => isThere && !isWord(status, 'cancelled'))
      .reduce((sum, { quantity }) => sum + (quantity?.amount ?? 1), 0),
    times: lines.flatMap(({ openedAt, statusTime }) => [openedAt, statusTime]),
  };
}

/** The global generation tells refunds in the lines themselves, as charges of either sign. */
function refundIn({ orderLines }: Order): Back {
  const refunds = orderLines.flatMap(({ refund, statusDate }) => {
    const sum = addKnown((refund?.refundCharges ?? []).map(({ charge }) => charge && grossOf(charge)));
    return sum === null ? [] : [{ amount: absolute(sum), at: statusDate }];
  });
  return { refunds, arrived: 0, times: [] };
}

function isWord(said: string | null, word: string): boolean {
  return said?.toLowerCase() === word;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export const Item = z.object({ sku: id, productName: text });
export type Item = z.infer<typeof Item>;
/** Mexico documents the list of items as XML only, in flat elements of which we need two. */
export function readItemPage(body: string): z.infer<typeof ItemPage> {
  if (!/<(?:\w+:)?ItemResponses[\s>/]/.test(body)) return ItemPage.parse(parseOrNull(body));
  const rows = [...body.matchAll(/<(?:\w+:)?ItemResponse>(.*?)<\/(?:\w+:)?ItemResponse>/gs)];
  return {
    ItemResponse: rows.map(([, row = '']) => ({
      sku: elementOf(row, 'sku'),
      productName: elementOf(row, 'productName'),
    })),
    totalItems: null,
  };
}

function elementOf(xml: string, name: string): string | null {
  const found = new RegExp(`<(?:\\w+:)?${name}>([^<]*)<`).exec(xml)?.[1];
  if (found === undefined) return null;
  return found.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(\w+));/gi, (whole, digits, hex, entity) => {
    if (entity) return ENTITIES[entity] ?? whole;
    const code = digits ? Number(digits) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

const ItemPage = pageOf(
  z.object({ ItemResponse: several(z.unknown()), totalItems: optional(whole) }),
  'ItemResponse',
  'totalItems',
);
export const Stock = z.object({ sku: id, quantity: z.object({ amount: whole }) });

export function toStock(item: Item, stock: z.infer<typeof Stock>): SourceStock {
  return {
    itemId: item.sku,
    variationId: '',
    warehouse: 'seller',
    sku: item.sku,
    title: item.productName ?? item.sku,
    available: stock.quantity.amount,
    unavailable: 0,
  };
}
