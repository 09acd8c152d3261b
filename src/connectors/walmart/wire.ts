import { z } from 'zod';
import {
  absolute,
  add,
  addKnown,
  compare,
  covers,
  type Decimal,
  ZERO,
} from '../../platform/money.ts';
import { compareInstants, type Instant, latest } from '../../platform/time.ts';
import { parseOrNull } from '../answer-document.ts';
import {
  AMOUNTS,
  coveredAt,
  MARKETPLACE_SHIPS,
  OPEN_RETURN,
  type OrderStatus,
  type ReportedLine,
  type SourceOrder,
  type SourceShipping,
  type SourceStock,
  sourceOrder,
} from '../contract.ts';
import { MOST_ROWS, Rows } from '../lists.ts';
import { id, lifetime, looseText, optional, text, whole } from '../wire-fields.ts';
import {
  isObject,
  isWord,
  isZero,
  Line,
  livePiecesOf,
  Money,
  piecesOf,
  Quantity,
  several,
  statusesOf,
  time,
  wordOf,
} from './wire-lines.ts';
import { hasCancelled, lineMoney, liveTotalOf, orderMoney, withTax } from './wire-money.ts';

// Only the fields that we use, in both generations: the flat Mexican one, in which amounts are text
// and times ISO, and the global one, in which lists have a wrapper, amounts are numbers and times
// epoch milliseconds.

/** An answer that has none of these is not a page, and no empty one either. */
function pageOf<T>(page: z.ZodType<T>, ...names: string[]): z.ZodType<T> {
  return z
    .unknown()
    .refine(
      (value) => isObject(value) && names.some((name) => name in value),
      `expected ${names[0]}`,
    )
    .pipe(page as z.ZodType<T, unknown>);
}

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
  shippingInfo: optional(
    z.object({ methodCode: text, postalAddress: optional(z.object({ name: text })) }),
  ),
  orderLines: several(Line, 'orderLine'),
  shipments: several(Shipment),
  orderTotal: Money,
  /** Some lists have several of an order. */
  shipNode: several(z.object({ type: looseText })).catch([]),
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

/** A page of either generation, recognised by its content. */
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
  pageOf(
    z.object({ meta: optional(Meta), order: several(z.unknown()) }),
    'order',
    'meta',
  ).transform(({ meta, order }) => ({ shape: 'legacy' as const, meta, rows: order })),
]);
export type OrderPage = z.infer<typeof OrderPage>;

const ReturnLine = z.object({
  purchaseOrderId: optional(id),
  /** The line's number in the order, and in the buyer's. */
  purchaseOrderLineNumber: text,
  primeLineNumber: text,
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

export const Token = z.object({ access_token: z.string().min(1), expires_in: lifetime });

const Named = z.object({ purchaseOrderId: optional(id), customerOrderId: optional(id) });
const OfNewGeneration = z.object({
  customerOrderId: id,
  purchaseOrderId: optional(id),
  orderLines: Rows,
});

/** WFS orders have no purchase order, so the buyer's order is theirs. */
export function orderIdOf(row: unknown): string | null {
  const found = Named.safeParse(row);
  return found.success ? (found.data.purchaseOrderId ?? found.data.customerOrderId) : null;
}

/**
 * The buyer's order, where this is one of the generation whose returns are documents of their own.
 */
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
  /** As received; null = not asked for. */
  returns: readonly unknown[] | null,
  fetchedAt: Instant,
): SourceOrder {
  const order = Order.parse(row);
  const { orderLines } = order;
  const id = order.purchaseOrderId ?? order.customerOrderId;
  const isLegacy = askedReturnsOf(row) !== null;
  const back = isLegacy
    ? returnOf(
        order,
        (returns ?? []).map((one) => Return.parse(one)),
      )
    : refundIn(order);
  const money = orderMoney(orderLines, order.orderTotal?.amount ?? null);
  return sourceOrder({
    id,
    status: unifiedStatusOf(order, back),
    marketplaceStatus: [...new Set(portionsOf(order).map(({ status }) => status))].join(', '),
    fulfillmentStatus: liveShipmentOf(order)?.status ?? null,
    currency: currencyOf(order),
    // The buyer's payment for shipping, and a coupon, are separate fields.
    totalIncludes: { shipping: false, tax: true, orderDiscount: false },
    ...money,
    refundedTotal: addKnown(back.refunds.map((refund) => refund.amount)),
    refunds: back.refunds,
    buyerName: order.shippingInfo?.postalAddress?.name ?? null,
    dateCreated: order.orderDate,
    dateClosed: back.hidesTimes
      ? null
      : earliest(closedAt(order), coveredAt(back.refunds, liveTotalOf(orderLines))),
    lines: orderLines.map((line) => toLine(line, back)),
    shipping: shippingOf(order, back),
    // The generic RFC is that of buyers who asked for no invoice.
    invoiceRequired: order.rfc === null ? null : order.rfc !== 'XAXX010101000',
    packId: order.customerOrderId,
    tags: [
      ...(isShippedByWalmart(order, isLegacy) ? [MARKETPLACE_SHIPS] : []),
      ...(back.isOpen ? [OPEN_RETURN] : []),
    ],
    changedAt: latest(...changesOf(order), ...back.times),
    fetchedAt,
    keep: withheldBy(order, back, isLegacy && returns === null),
    raw: JSON.stringify({ order: row, ...(returns && { returns }) }),
  });
}

const StoredParts = z.object({ order: z.unknown(), returns: optional(Rows) });

/**
 * The documents that `raw` of an order holds; one that was kept without its returns has
 * none.
 */
export function storedParts(kept: unknown): z.infer<typeof StoredParts> {
  return StoredParts.safeParse(kept).data ?? { order: null, returns: null };
}

/** Of the flat documents those that Walmart fulfils have no number of their own. */
function isShippedByWalmart({ purchaseOrderId, shipNode }: Order, isLegacy: boolean): boolean {
  return isLegacy
    ? purchaseOrderId === null
    : shipNode.some(({ type }) => isWord(type, 'wfsfulfilled'));
}

function toLine(line: Line, back: Back): ReportedLine {
  const { ordered, cancelled } = piecesOf(line);
  const gone = add(cancelled, back.piecesOf(line));
  const money = line.item.unitPrice;
  return {
    id: line.item.sku,
    sku: line.item.sku,
    title: line.item.productName,
    quantity: ordered,
    quantityKnown: !isZero(ordered),
    cancelled: compare(gone, ordered) > 0 ? ordered : gone,
    ...lineMoney(line),
    ...(money?.currency && { currency: money.currency }),
  };
}

/** Fields that another version of the order may have, or had. */
function withheldBy(order: Order, back: Back, isWithoutReturns: boolean): (keyof SourceOrder)[] {
  return [
    ...(hasCancelled(order.orderLines) ? ([...AMOUNTS, 'items'] as const) : []),
    ...(back.hidesTimes ? (['dateClosed', 'shipping'] as const) : []),
    ...(isWithoutReturns ? (['refundedTotal', 'refunds', 'dateClosed', 'tags'] as const) : []),
  ];
}

const ON_THE_WAY: readonly OrderStatus[] = ['shipped', 'delivered', 'refunded'];

/**
 * Lines that were cancelled count only where all are; money back counts before where the goods are.
 */
function unifiedStatusOf(order: Order, back: Back): OrderStatus {
  const all = portionsOf(order).map(wordOf);
  if (all.length === 0 || all.includes('unknown')) return 'unknown';
  const live = all.filter((status) => status !== 'cancelled');
  if (live.length === 0) return 'cancelled';
  const pieces = add(ZERO, ...order.orderLines.map(livePiecesOf));
  if (covers(back.arrived, pieces)) return 'returned';
  const isRefunded = covers(
    addKnown(back.refunds.map((refund) => refund.amount)),
    liveTotalOf(order.orderLines),
  );
  if (isRefunded || live.every((status) => status === 'refunded')) return 'refunded';
  if (live.every((status) => status === 'delivered' || status === 'refunded')) return 'delivered';
  if (live.every((status) => ON_THE_WAY.includes(status))) return 'shipped';
  return live.some((status) => ON_THE_WAY.includes(status)) ? 'partially_shipped' : 'paid';
}

function portionsOf(order: Order) {
  return order.orderLines.flatMap(statusesOf);
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
    ...orderLines.flatMap((line) => timesOf(line)),
    ...shipments.flatMap(({ shipmentAdditionalDate: dates }) => [
      dates?.shipmentACKDate ?? null,
      dates?.shipmentShippedDate ?? null,
      dates?.shipmentDeliveredDate ?? null,
    ]),
  ];
}

/** Of a line's statuses, or of one; the global documents have one time per line. */
function timesOf(line: Line, ...words: OrderStatus[]): (Instant | null)[] {
  const statuses = statusesOf(line).filter(
    (one) => words.length === 0 || words.includes(wordOf(one)),
  );
  return statuses.length > 0
    ? [line.statusDate, ...statuses.map(({ statusDate }) => statusDate)]
    : [];
}

/** The last unit was delivered or cancelled; a return later does not open the order again. */
function closedAt(order: Order): Instant | null {
  const isOver = portionsOf(order).every((one) => OVER.includes(wordOf(one)));
  return isOver ? latest(...order.orderLines.flatMap((line) => timesOf(line))) : null;
}

function earliest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return compareInstants(one, other) <= 0 ? one : other;
}

const OVER: readonly OrderStatus[] = ['delivered', 'cancelled', 'refunded'];

function liveShipmentOf({ shipments }: Order) {
  return shipments.find(({ status }) => !/cancel/i.test(status ?? '')) ?? shipments[0];
}

function shippingOf(order: Order, { hidesTimes }: Back): SourceShipping | null {
  const shipment = liveShipmentOf(order);
  const portions = portionsOf(order);
  const tracked = portions.map(({ trackingInfo }) => trackingInfo).find((info) => info !== null);
  if (!shipment && !tracked) return null;
  const dates = shipment?.shipmentAdditionalDate;
  const seen = hidesTimes ? null : deliveredAt(order);
  return {
    carrier:
      shipment?.carrier ??
      tracked?.carrierName?.carrier ??
      tracked?.carrierName?.otherCarrier ??
      null,
    trackingNumber: shipment?.trackingNumber ?? tracked?.trackingNumber ?? null,
    method: order.orderLines[0]?.shippingMethod ?? order.shippingInfo?.methodCode ?? null,
    status: shipment?.status ?? portions[0]?.status ?? null,
    shippedAt: dates?.shipmentShippedDate ?? tracked?.shipDateTime ?? null,
    deliveredAt: dates?.shipmentDeliveredDate ?? seen,
  };
}

/** When the last of what was not cancelled was delivered. */
function deliveredAt(order: Order): Instant | null {
  const live = portionsOf(order).filter((one) => wordOf(one) !== 'cancelled');
  const isThere = live.length > 0 && live.every((one) => wordOf(one) === 'delivered');
  return isThere ? latest(...order.orderLines.flatMap((line) => timesOf(line, 'delivered'))) : null;
}

/** What came back of an order: money, and units that reached the seller. */
interface Back {
  readonly refunds: SourceOrder['refunds'];
  readonly arrived: Decimal;
  /** A return is neither completed nor cancelled. */
  readonly isOpen: boolean;
  piecesOf(line: Line): Decimal;
  readonly times: readonly (Instant | null)[];
  /**
   * The time of a line is that of its refund; the times of its delivery and cancellation are gone.
   */
  readonly hidesTimes: boolean;
}

/**
 * A return says what will be given back from its first day on; it is given back once it is
 * completed.
 */
function returnOf({ purchaseOrderId, customerOrderId }: Order, returns: readonly Return[]): Back {
  const ownId = purchaseOrderId ?? customerOrderId;
  const lines = returns.flatMap((one) =>
    one.returnOrderLines
      .filter((line) => (line.purchaseOrderId ?? one.customerOrderId) === ownId)
      .map((line) => ({
        ...line,
        openedAt: one.returnOrderDate,
        isThere: one.returnOrderShipments.some(({ status }) => isWord(status, 'delivered')),
      })),
  );
  const arrived = lines.filter(({ isThere, status }) => isThere && !isWord(status, 'cancelled'));
  const piecesIn = (some: typeof arrived) =>
    add(ZERO, ...some.map(({ quantity }) => quantity?.amount ?? ONE));
  return {
    refunds: lines.flatMap(({ status, refundAmount, statusTime }) =>
      isWord(status, 'completed') && refundAmount?.amount
        ? [{ amount: refundAmount.amount, at: statusTime }]
        : [],
    ),
    arrived: piecesIn(arrived),
    isOpen: lines.some(({ status }) => isWord(status, 'initiated')),
    piecesOf: (line) => piecesIn(arrived.filter((one) => isReturnOf(one, line))),
    times: lines.flatMap(({ openedAt, statusTime }) => [openedAt, statusTime]),
    hidesTimes: false,
  };
}

const ONE = '1' as Decimal;

function isReturnOf(
  returned: z.infer<typeof ReturnLine>,
  { primeLineNumber, coLineNumber }: Line,
): boolean {
  const { purchaseOrderLineNumber } = returned;
  if (purchaseOrderLineNumber !== null) return purchaseOrderLineNumber === primeLineNumber;
  return (
    returned.primeLineNumber !== null &&
    returned.primeLineNumber === (coLineNumber ?? primeLineNumber)
  );
}

/** The global generation gives refunds in the lines themselves, as charges of either sign. */
function refundIn({ orderLines }: Order): Back {
  const refunds = orderLines.flatMap(({ refund, statusDate }) => {
    const sum = addKnown(
      (refund?.refundCharges ?? []).map(({ charge }) => charge && withTax(charge)),
    );
    return sum === null ? [] : [{ amount: absolute(sum), at: statusDate }];
  });
  const isRefunded = (line: Line) => statusesOf(line).some((one) => wordOf(one) === 'refunded');
  return {
    refunds,
    arrived: ZERO,
    isOpen: false,
    piecesOf: () => ZERO,
    times: [],
    hidesTimes: refunds.length > 0 || orderLines.some(isRefunded),
  };
}

export const Item = z.object({ sku: id, productName: text });
export type Item = z.infer<typeof Item>;
/** Mexico documents the list of items as XML only, in flat elements of which we need two. */
export function readItemPage(body: string): z.infer<typeof ItemPage> {
  if (!/<(?:\w+:)?ItemResponses[\s>/]/.test(body)) return ItemPage.parse(parseOrNull(body));
  const rows = z
    .array(z.string())
    .max(MOST_ROWS)
    .parse(body.split(/<(?:\w+:)?ItemResponse>/).slice(1));
  return {
    ItemResponse: rows.map((row) => ({
      sku: elementOf(row, /<(?:\w+:)?sku>([^<]*)</),
      productName: elementOf(row, /<(?:\w+:)?productName>([^<]*)</),
    })),
    totalItems: null,
  };
}

function elementOf(xml: string, element: RegExp): string | null {
  const found = element.exec(xml)?.[1];
  if (found === undefined) return null;
  return found.replace(
    /&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(\w+));/gi,
    (whole, digits, hex, entity) => {
      if (entity) return ENTITIES[entity] ?? whole;
      const code = digits ? Number(digits) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
};

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
