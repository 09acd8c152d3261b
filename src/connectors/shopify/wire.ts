import { z } from 'zod';
import { parseLossless } from '../../platform/json.ts';
import { addKnown, compare, subtract, ZERO } from '../../platform/money.ts';
import { earlier, type Instant, latest } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import {
  type BuyerName,
  coveredAt,
  OPEN_RETURN,
  type OrderStatus,
  type ReportedLine,
  type SourceBalance,
  type SourceOrder,
  type SourceSettlement,
  type SourceShipping,
  type SourceStock,
  sourceOrder,
} from '../contract.ts';
import { Rows } from '../lists.ts';
import {
  amount,
  currency,
  id,
  instant,
  lifetime,
  looseText,
  optional,
  whole,
} from '../wire-fields.ts';
import { broken, PagedRows, PageInfo, tailOf } from './graphql.ts';
import { SUMMARY } from './queries.ts';
import { MONEY_FIELDS, Money, MoneyV2, moneyOf, sumOf } from './wire-money.ts';

// Only the fields that we use. Any of them may be withheld for lack of a permission.

const text = optional(z.string());
const time = optional(instant);
const list = <T>(schema: z.ZodType<T>) => optional(z.array(schema));

const Fulfillment = z.object({
  status: text,
  displayStatus: text,
  inTransitAt: time,
  deliveredAt: time,
  trackingInfo: list(z.object({ company: looseText, number: looseText })),
});
type Fulfillment = z.infer<typeof Fulfillment>;

const Refund = z.object({ createdAt: time, processedAt: time, totalRefundedSet: Money });
const Name = { firstName: looseText, lastName: looseText };

const Order = z.object({
  ...MONEY_FIELDS,
  id,
  legacyResourceId: optional(id),
  name: looseText,
  test: optional(z.boolean()).catch(null),
  tags: list(looseText),
  createdAt: instant,
  updatedAt: time,
  cancelledAt: time,
  displayFinancialStatus: text,
  displayFulfillmentStatus: text,
  returnStatus: text,
  currencyCode: currency,
  refunds: list(Refund),
  // A name must not cost its order.
  customer: optional(z.object({ ...Name, displayName: looseText })).catch(null),
  shippingAddress: optional(z.object({ ...Name, name: looseText })).catch(null),
  fulfillments: list(Fulfillment),
  localizedFields: optional(z.object({ nodes: list(z.object({ key: looseText })) })).catch(null),
});
type Order = z.infer<typeof Order>;

export const OrdersPage = z.object({ orders: PagedRows });
export const OneOrder = z.object({ order: z.unknown() });
export const SomeOrders = z.object({ nodes: Rows });
export const Token = z.object({
  access_token: z.string(),
  refresh_token: text,
  expires_in: lifetime,
});
export const ShopAndScopes = z.object({
  shop: z.object({ myshopifyDomain: z.string(), name: text }),
  currentAppInstallation: optional(
    z.object({ accessScopes: list(z.object({ handle: z.string() })) }),
  ),
});

const Named = z.object({ id, legacyResourceId: optional(id) });
const Changed = z.object({ updatedAt: time });

/** The id in the store's own pages; also of an unreadable row. */
export function orderIdOf(row: unknown): string | null {
  const found = Named.safeParse(row).data;
  return found ? (found.legacyResourceId ?? tailOf(found.id)) : null;
}

export function changeTimeOf(row: unknown): Instant | null {
  return Changed.safeParse(row).data?.updatedAt ?? null;
}

/**
 * Whether an edit removed units from an order, so that its total is not the one finally agreed.
 */
export function isReduced(row: unknown): boolean {
  const found = Reduced.safeParse(row).data;
  return (
    found?.lineItems.nodes.some(({ quantity, currentQuantity }) => currentQuantity < quantity) ??
    false
  );
}

const Reduced = z.object({
  edited: z.literal(true),
  lineItems: z.object({ nodes: z.array(z.object({ quantity: whole, currentQuantity: whole })) }),
});

/**
 * Our fields that depend on what a missing permission withholds. Null stays null; stored values
 * stay.
 */
const DEPENDENTS: Readonly<Record<string, readonly (keyof SourceOrder)[]>> = {
  customer: ['buyerName'],
  shippingAddress: ['buyerName'],
  refunds: ['refunds'],
  totalRefundedSet: ['refundedTotal'],
  totalPriceSet: ['total', 'totalIncludes'],
  totalTaxSet: ['taxTotal', 'taxAdded'],
  shippingLines: ['shippingTotal'],
  totalTipReceivedSet: ['other'],
  additionalFees: ['other'],
  originalTotalDutiesSet: ['other'],
  fulfillments: ['shipping'],
  localizedFields: ['invoiceRequired'],
  returnStatus: ['tags'],
};
const OF_LINES = ['items', 'subtotal', 'orderDiscount', 'discountTotal'] as const;

/** An order as requested. */
interface OrderParts {
  readonly order: unknown;
  /** Fields that the permission does not cover. */
  readonly withheld: ReadonlySet<string>;
}

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(
  { order: row, withheld }: OrderParts,
  fetchedAt: Instant,
): SourceOrder {
  const order = Order.parse(row);
  const live = (order.fulfillments ?? []).filter(
    ({ status }) => !DEAD_FULFILLMENTS.has(status ?? ''),
  );
  const money = moneyOf(order);
  const status = unifiedStatusOf(order, live, money.lines);
  const refunds = refundsOf(order);
  const buyerName = buyerOf(order);
  return sourceOrder({
    id: order.legacyResourceId ?? tailOf(order.id),
    status,
    marketplaceStatus: nativeStatusOf(order),
    paymentStatus: order.displayFinancialStatus,
    fulfillmentStatus: order.displayFulfillmentStatus,
    currency: currencyOf(order),
    ...money,
    refundedTotal: sumOf(order.totalRefundedSet),
    refunds,
    buyerName,
    dateCreated: order.createdAt,
    dateClosed: FINAL.has(status) ? closingOf(order, live, coveredAt(refunds, money.total)) : null,
    shipping: toShipping(order, live),
    invoiceRequired:
      order.localizedFields?.nodes?.some(({ key }) => key === 'TAX_CREDENTIAL_MX') || null,
    packId: order.name,
    tags: [
      ...(order.tags ?? []).filter((tag) => tag !== null),
      ...(order.test ? ['test_order'] : []),
      ...(OPEN_RETURNS.has(order.returnStatus ?? '') ? [OPEN_RETURN] : []),
    ],
    changedAt: order.updatedAt,
    fetchedAt,
    keep: kept(withheld, order, buyerName),
    raw: JSON.stringify(withheld.size > 0 ? { order: row, withheld: [...withheld] } : row),
  });
}

/** The parts of an order from its stored text. @throws SyntaxError */
export function storedParts(raw: string): OrderParts {
  const document = parseLossless(raw);
  const together = Together.safeParse(document).data;
  return together
    ? { order: together.order, withheld: new Set(together.withheld) }
    : { order: document, withheld: new Set() };
}

const Together = z.object({ order: z.looseObject({}), withheld: z.array(z.string()) });

/** Of the shop. @throws ZodError */
function currencyOf({ currencyCode, totalPriceSet }: Order): string {
  const found = currencyCode ?? totalPriceSet?.shopMoney.currencyCode;
  if (!found) throw broken(['currencyCode'], 'expected a currency');
  return found;
}

function kept(
  withheld: ReadonlySet<string>,
  { lineItems }: Order,
  buyerName: BuyerName | null,
): (keyof SourceOrder)[] {
  const fields = new Set([...withheld].flatMap((field) => DEPENDENTS[field] ?? []));
  if (buyerName !== null) fields.delete('buyerName');
  if (lineItems === null) for (const field of OF_LINES) fields.add(field);
  return [...fields];
}

const FINAL: ReadonlySet<OrderStatus> = new Set(['delivered', 'cancelled', 'returned', 'refunded']);
const DEAD_FULFILLMENTS = new Set(['CANCELLED', 'ERROR', 'FAILURE']);
const HANDED_OVER = new Set(['DELIVERED', 'PICKED_UP']);
const RETURNED = new Set(['RETURNED', 'INSPECTION_COMPLETE']);
const OPEN_RETURNS = new Set(['RETURN_REQUESTED', 'IN_PROGRESS']);
const RETURNS = new Set(['NO_RETURN', 'RETURN_FAILED', ...OPEN_RETURNS, ...RETURNED]);

/** `null` = the state of packing and shipping decides. */
const BY_PAYMENT: Readonly<Record<string, OrderStatus>> = {
  PENDING: 'pending',
  AUTHORIZED: 'pending',
  PARTIALLY_PAID: 'pending',
  PAID: 'paid',
  PARTIALLY_REFUNDED: 'paid',
  REFUNDED: 'refunded',
  VOIDED: 'cancelled',
  EXPIRED: 'cancelled',
};

/** `paid` = the fulfilment adds nothing to the payment. */
const BY_FULFILLMENT: Readonly<Record<string, OrderStatus>> = {
  FULFILLED: 'shipped',
  PARTIALLY_FULFILLED: 'partially_shipped',
  IN_PROGRESS: 'ready_to_ship',
  PENDING_FULFILLMENT: 'ready_to_ship',
  UNFULFILLED: 'paid',
  OPEN: 'paid',
  SCHEDULED: 'paid',
  ON_HOLD: 'paid',
  REQUEST_DECLINED: 'paid',
  RESTOCKED: 'paid',
  FULFILLMENT_NOT_REQUIRED: 'paid',
};

/**
 * First match wins: cancelled, returned, refunded, then the fulfilment, paid or not, then the
 * payment.
 */
function unifiedStatusOf(
  order: Order,
  live: readonly Fulfillment[],
  lines: readonly ReportedLine[],
): OrderStatus {
  const payment = inTable(BY_PAYMENT, order.displayFinancialStatus ?? 'PENDING') ?? 'unknown';
  const sent =
    inTable(BY_FULFILLMENT, order.displayFulfillmentStatus ?? 'UNFULFILLED') ?? 'unknown';
  const returned = order.returnStatus ?? 'NO_RETURN';
  if (order.cancelledAt || payment === 'cancelled') return 'cancelled';
  if (RETURNED.has(returned) && !isPartGone(lines)) return 'returned';
  if (!RETURNS.has(returned) || payment === 'unknown' || sent === 'unknown') return 'unknown';
  if (payment === 'refunded') return payment;
  return statusOfGoods(sent, payment, live);
}

/** An order of which some items were returned has the same word as one that was returned whole. */
function isPartGone(lines: readonly ReportedLine[]): boolean {
  const isAny = lines.some(({ cancelled = ZERO }) => compare(cancelled, ZERO) > 0);
  return isAny && lines.some(({ quantity, cancelled = ZERO }) => compare(cancelled, quantity) < 0);
}

function statusOfGoods(
  sent: OrderStatus,
  payment: OrderStatus,
  live: readonly Fulfillment[],
): OrderStatus {
  if (sent === 'shipped') return isDelivered(live) ? 'delivered' : sent;
  if (sent === 'partially_shipped') return sent;
  return payment === 'paid' ? sent : payment;
}

function isDelivered(live: readonly Fulfillment[]): boolean {
  return live.length > 0 && live.every(({ displayStatus }) => HANDED_OVER.has(displayStatus ?? ''));
}

/** `PAID/FULFILLED`, and the state of a return where there is one. */
function nativeStatusOf({
  displayFinancialStatus,
  displayFulfillmentStatus,
  returnStatus,
}: Order): string {
  const back = returnStatus === 'NO_RETURN' ? null : returnStatus;
  const words = [displayFinancialStatus, displayFulfillmentStatus, back].filter(
    (word) => word !== null,
  );
  return words.join('/') || 'null';
}

/** The first of its final moments. `closedAt` is none: it is when the store archived the order. */
function closingOf(
  order: Order,
  live: readonly Fulfillment[],
  refundedAt: Instant | null,
): Instant | null {
  const times = [order.cancelledAt, deliveryOf(order, live), refundedAt].filter(
    (one) => one !== null,
  );
  return times.length > 0 ? times.reduce(earlier) : null;
}

/**
 * When the last parcel of a completely sent order was handed over; null where one of them has no
 * time.
 */
function deliveryOf(order: Order, live: readonly Fulfillment[]): Instant | null {
  const isWhole = order.displayFulfillmentStatus === 'FULFILLED' && isDelivered(live);
  const times = live.map(({ deliveredAt }) => deliveredAt);
  return isWhole && !times.includes(null) ? latest(...times) : null;
}

function refundsOf(order: Order): SourceOrder['refunds'] {
  return (order.refunds ?? []).flatMap((refund) => {
    const sum = sumOf(refund.totalRefundedSet);
    // Goods taken back without money are a refund of zero there.
    return sum && compare(sum, ZERO) > 0 ? [{ amount: sum, at: refundTimeOf(refund) }] : [];
  });
}

function refundTimeOf({ createdAt, processedAt }: z.infer<typeof Refund>): Instant | null {
  return createdAt ?? processedAt;
}

/**
 * For a customer without a name the store shows the e-mail address or the telephone number: that is
 * no name.
 */
function buyerOf({ customer, shippingAddress }: Order): BuyerName | null {
  const apart = [customer, shippingAddress].find(
    (one) => isName(one?.firstName) || isName(one?.lastName),
  );
  if (apart) return { given: apart.firstName, family: apart.lastName };
  return [customer?.displayName, shippingAddress?.name].find(isName) ?? null;
}

function isName(name: string | null | undefined): name is string {
  return !!name && !name.includes('@') && /\p{L}/u.test(name);
}

function toShipping(order: Order, live: readonly Fulfillment[]): SourceShipping | null {
  const [first] = live;
  const methods = (order.shippingLines?.nodes ?? []).flatMap(({ title }) => title ?? []);
  if (!first && methods.length === 0) return null;
  const tracked = live.flatMap(({ trackingInfo }) => trackingInfo ?? []);
  const parcel = tracked.find(({ number }) => number !== null) ?? tracked[0];
  const departures = live.flatMap(({ inTransitAt }) => inTransitAt ?? []);
  return {
    carrier: parcel?.company ?? null,
    trackingNumber: parcel?.number ?? null,
    method: methods.join(', ') || null,
    status: first?.displayStatus ?? first?.status ?? null,
    shippedAt: departures.length > 0 ? departures.reduce(earlier) : null,
    deliveredAt: deliveryOf(order, live),
  };
}

const Level = z.object({ quantities: z.array(z.object({ name: z.string(), quantity: whole })) });
const Variant = z.object({ displayName: looseText });
const Item = z.object({
  id,
  sku: looseText,
  tracked: optional(z.boolean()),
  variants: optional(z.object({ nodes: list(Variant) })),
  /** The older field. */
  variant: optional(Variant),
  inventoryLevels: optional(z.object({ nodes: z.array(Level), pageInfo: optional(PageInfo) })),
});

export const ItemsPage = z.object({ inventoryItems: PagedRows });
export const OneItem = z.object({ inventoryItem: z.unknown() });

/** All of the seller's places together; negative is oversold. */
export function toStock(row: unknown): SourceStock {
  const item = Item.parse(row);
  if (item.inventoryLevels?.pageInfo?.hasNextPage)
    throw broken(['inventoryLevels'], 'its end was not to be had');
  const sum = (name: string) =>
    (item.inventoryLevels?.nodes ?? [])
      .flatMap(({ quantities }) => quantities.filter((one) => one.name === name))
      .reduce((total, { quantity }) => total + quantity, 0);
  const [available, onHand] = [sum('available'), sum('on_hand')];
  const name = (item.variants?.nodes?.[0] ?? item.variant)?.displayName;
  return {
    itemId: tailOf(item.id),
    variationId: '',
    warehouse: 'seller',
    sku: item.sku,
    title: name || item.sku || tailOf(item.id),
    available: item.tracked === false ? null : available,
    unavailable: Math.max(0, onHand - available),
  };
}

export const Balance = z.object({
  /** Null = the shop does not use Shopify Payments. */
  shopifyPaymentsAccount: optional(z.object({ balance: list(MoneyV2) })),
});

export function toBalances(
  { shopifyPaymentsAccount }: z.infer<typeof Balance>,
  asOf: Instant,
): SourceBalance[] {
  return (shopifyPaymentsAccount?.balance ?? []).flatMap(
    ({ amount: available, currencyCode: currency }) =>
      currency ? [{ purse: '', currency, available, pending: null, asOf, isDerived: false }] : [],
  );
}

const Payout = z.object({
  legacyResourceId: id,
  issuedAt: instant,
  status: z.string(),
  transactionType: text,
  externalTraceId: text,
  net: MoneyV2,
  summary: optional(z.record(z.string(), optional(z.object({ amount })))),
});

export const PayoutsPage = z.object({
  shopifyPaymentsAccount: optional(z.object({ payouts: PagedRows })),
});

const PAYOUT_STATUS: Readonly<Record<string, SourceSettlement['status']>> = {
  SCHEDULED: 'expected',
  IN_TRANSIT: 'pending',
  PAID: 'paid',
  FAILED: 'failed',
  CANCELED: 'cancelled',
};

export function issueTimeOf(row: unknown): Instant | null {
  return z.object({ issuedAt: time }).safeParse(row).data?.issuedAt ?? null;
}

/** @throws ZodError */
export function toSettlement(row: unknown): SourceSettlement {
  const payout = Payout.parse(row);
  const status = inTable(PAYOUT_STATUS, payout.status);
  if (!status) throw broken(['status'], `unknown: ${payout.status}`);
  const { net, summary } = payout;
  if (!net.currencyCode) throw broken(['net', 'currencyCode'], 'expected a currency');
  const sum = (part: 'gross' | 'fee') =>
    addKnown(SUMMARY.map((names) => summary?.[names[part]]?.amount ?? null));
  return {
    id: payout.legacyResourceId,
    status,
    marketplaceStatus: payout.status,
    currency: net.currencyCode,
    gross: sum('gross'),
    fees: sum('fee'),
    // A withdrawal takes from the seller.
    net:
      payout.transactionType === 'WITHDRAWAL' && compare(net.amount, ZERO) > 0
        ? subtract(ZERO, net.amount)
        : net.amount,
    from: null,
    to: null,
    paidAt: status === 'paid' ? payout.issuedAt : null,
    reference: payout.externalTraceId,
    changedAt: payout.issuedAt,
    raw: JSON.stringify(row),
  };
}
