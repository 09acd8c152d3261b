import { z } from 'zod';
import { addKnown, compare, type Decimal, multiply, subtract, ZERO } from '../../platform/money.ts';
import { type Instant, latest } from '../../platform/time.ts';
import type {
  OrderStatus,
  SourceBalance,
  SourceOrder,
  SourceSettlement,
  SourceShipping,
  SourceStock,
} from '../contract.ts';
import { amount, id, instant, inTable, optional, whole } from '../kit.ts';
import { broken, PageInfo, Rows } from './graphql.ts';
import { SUMMARY } from './queries.ts';

// Only the fields that we use. Any of them may be withheld for lack of a permission.

const MoneyV2 = z.object({ amount, currencyCode: optional(z.string()) });
/** The shop's own currency, not the buyer's. */
const Money = z.object({ shopMoney: MoneyV2 });
const text = optional(z.string());
const time = optional(instant);
const list = <T>(schema: z.ZodType<T>) => optional(z.array(schema));

const Line = z.object({
  id,
  title: text,
  name: text,
  sku: text,
  variantTitle: text,
  quantity: optional(whole),
  currentQuantity: optional(whole),
  originalUnitPriceSet: optional(Money),
  discountedUnitPriceAfterAllDiscountsSet: optional(Money),
});

const Fulfillment = z.object({
  status: text,
  displayStatus: text,
  inTransitAt: time,
  deliveredAt: time,
  trackingInfo: list(z.object({ company: text, number: text })),
});
type Fulfillment = z.infer<typeof Fulfillment>;

const Refund = z.object({ createdAt: time, processedAt: time, totalRefundedSet: optional(Money) });

const Order = z.object({
  id,
  legacyResourceId: optional(id),
  name: text,
  test: optional(z.boolean()),
  tags: list(z.string()),
  createdAt: instant,
  updatedAt: time,
  closedAt: time,
  cancelledAt: time,
  displayFinancialStatus: text,
  displayFulfillmentStatus: text,
  returnStatus: text,
  currencyCode: text,
  totalPriceSet: optional(Money),
  subtotalPriceSet: optional(Money),
  totalDiscountsSet: optional(Money),
  totalShippingPriceSet: optional(Money),
  totalTaxSet: optional(Money),
  totalRefundedSet: optional(Money),
  refunds: list(Refund),
  customer: optional(z.object({ displayName: text })),
  shippingAddress: optional(z.object({ name: text })),
  lineItems: optional(z.object({ nodes: z.array(Line), pageInfo: optional(PageInfo) })),
  fulfillments: list(Fulfillment),
  localizedFields: optional(z.object({ nodes: list(z.object({ key: z.string() })) })),
});
type Order = z.infer<typeof Order>;

export const OrdersPage = z.object({ orders: Rows });
export const OneOrder = z.object({ order: z.unknown() });
export const SomeOrders = z.object({ nodes: z.array(z.unknown()) });
export const Token = z.object({
  access_token: z.string(),
  refresh_token: text,
  expires_in: optional(whole),
});
export const ShopAndScopes = z.object({
  shop: z.object({ myshopifyDomain: z.string(), name: text }),
  currentAppInstallation: optional(z.object({ accessScopes: list(z.object({ handle: z.string() })) })),
});

const Named = z.object({ id, legacyResourceId: optional(id) });
const Changed = z.object({ updatedAt: time });

/** The id that the store's own pages show; of an unreadable row too. */
export function orderIdOf(row: unknown): string | null {
  const found = Named.safeParse(row).data;
  return found ? (found.legacyResourceId ?? tailOf(found.id)) : null;
}

export function changeTimeOf(row: unknown): Instant | null {
  return Changed.safeParse(row).data?.updatedAt ?? null;
}

/** What our fields take from what a missing permission withholds. Null stays null; what was learnt before stays. */
const DEPENDENTS: Readonly<Record<string, readonly (keyof SourceOrder)[]>> = {
  customer: ['buyerName'],
  shippingAddress: ['buyerName'],
  refunds: ['refunds'],
  totalRefundedSet: ['refundedTotal'],
  fulfillments: ['shipping'],
  localizedFields: ['invoiceRequired'],
};

/** @throws ZodError with the path of the first wrong field */
export function toSourceOrder(row: unknown, withheld: ReadonlySet<string>, fetchedAt: Instant): SourceOrder {
  const order = Order.parse(row);
  if (order.lineItems?.pageInfo?.hasNextPage) throw broken(['lineItems'], 'its end was not to be had');
  const live = (order.fulfillments ?? []).filter(({ status }) => !DEAD_FULFILLMENTS.has(status ?? ''));
  const currency = order.currencyCode ?? order.totalPriceSet?.shopMoney.currencyCode;
  if (!currency) throw broken(['currencyCode'], 'expected a currency');
  const status = statusOf(order, live);
  const refunds = refundsOf(order);
  const buyerName = buyerOf(order);
  return {
    id: order.legacyResourceId ?? tailOf(order.id),
    status,
    marketplaceStatus: nativeStatusOf(order),
    paymentStatus: order.displayFinancialStatus,
    fulfillmentStatus: order.displayFulfillmentStatus,
    currency,
    total: sumOf(order.totalPriceSet),
    subtotal: sumOf(order.subtotalPriceSet),
    discountTotal: sumOf(order.totalDiscountsSet),
    shippingTotal: sumOf(order.totalShippingPriceSet),
    taxTotal: sumOf(order.totalTaxSet),
    feesTotal: null,
    netTotal: null,
    refundedTotal: sumOf(order.totalRefundedSet),
    refunds,
    buyerName,
    dateCreated: order.createdAt,
    dateClosed: finalTimeOf(status, order, live),
    items: (order.lineItems?.nodes ?? []).map((line, index) => toItem(line, index, currency)),
    shipping: toShipping(live),
    invoiceRequired: order.localizedFields?.nodes?.some(({ key }) => key === 'TAX_CREDENTIAL_MX') || null,
    packId: order.name,
    tags: [...(order.tags ?? []), ...(order.test ? ['test_order'] : [])],
    changedAt: order.updatedAt,
    fetchedAt,
    keep: kept(withheld, order, buyerName),
    raw: JSON.stringify(row),
  };
}

function kept(
  withheld: ReadonlySet<string>,
  { lineItems }: Order,
  buyerName: string | null,
): (keyof SourceOrder)[] {
  const fields = new Set([...withheld].flatMap((field) => DEPENDENTS[field] ?? []));
  if (buyerName !== null) fields.delete('buyerName');
  if (lineItems === null) fields.add('items');
  return [...fields];
}

const DEAD_FULFILLMENTS = new Set(['CANCELLED', 'ERROR', 'FAILURE']);
const HANDED_OVER = new Set(['DELIVERED', 'PICKED_UP']);
const RETURNED = new Set(['RETURNED', 'INSPECTION_COMPLETE']);
const NOT_RETURNED = new Set(['NO_RETURN', 'IN_PROGRESS', 'RETURN_REQUESTED', 'RETURN_FAILED']);

/** `null` = what is packed and sent decides. */
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

/** `paid` = nothing of it says more than the payment does. */
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

/** First match wins: cancelled, returned, refunded, then what was sent, paid or not, then the payment. */
function statusOf(order: Order, live: readonly Fulfillment[]): OrderStatus {
  const payment = inTable(BY_PAYMENT, order.displayFinancialStatus ?? 'PENDING') ?? 'unknown';
  const sent = inTable(BY_FULFILLMENT, order.displayFulfillmentStatus ?? 'UNFULFILLED') ?? 'unknown';
  const returned = order.returnStatus ?? 'NO_RETURN';
  if (order.cancelledAt || payment === 'cancelled') return 'cancelled';
  if (RETURNED.has(returned)) return 'returned';
  if (!NOT_RETURNED.has(returned) || payment === 'unknown' || sent === 'unknown') return 'unknown';
  if (payment === 'refunded') return payment;
  if (sent === 'shipped') return isDelivered(live) ? 'delivered' : sent;
  if (sent === 'partially_shipped') return sent;
  return payment === 'paid' ? sent : payment;
}

function isDelivered(live: readonly Fulfillment[]): boolean {
  return live.length > 0 && live.every(({ displayStatus }) => HANDED_OVER.has(displayStatus ?? ''));
}

/** `PAID/FULFILLED`, and how a return goes where there is one. */
function nativeStatusOf({ displayFinancialStatus, displayFulfillmentStatus, returnStatus }: Order): string {
  const back = returnStatus === 'NO_RETURN' ? null : returnStatus;
  const words = [displayFinancialStatus, displayFulfillmentStatus, back].filter((word) => word !== null);
  return words.join('/') || 'null';
}

/** When it became final; where nothing says that, when the store closed it. */
function finalTimeOf(status: OrderStatus, order: Order, live: readonly Fulfillment[]): Instant | null {
  const moments: Partial<Record<OrderStatus, Instant | null>> = {
    cancelled: order.cancelledAt ?? order.closedAt,
    delivered: deliveryOf(live) ?? order.closedAt,
    refunded: latest(...(order.refunds ?? []).map(refundTimeOf)) ?? order.closedAt,
    returned: order.closedAt,
  };
  return moments[status] ?? null;
}

function deliveryOf(live: readonly Fulfillment[]): Instant | null {
  return isDelivered(live) ? latest(...live.map(({ deliveredAt }) => deliveredAt)) : null;
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

/** Of a customer without a name the store shows the e-mail address or the telephone number: that is no name. */
function buyerOf({ customer, shippingAddress }: Order): string | null {
  const names = [customer?.displayName, shippingAddress?.name];
  return names.find((name) => name && !name.includes('@') && /\p{L}/u.test(name)) ?? null;
}

/** `quantity` still counts what was refunded or taken out; what is left is what was sold. */
function toItem(line: z.infer<typeof Line>, index: number, currency: string): SourceOrder['items'][number] {
  const quantity = line.currentQuantity ?? line.quantity;
  const price = (line.discountedUnitPriceAfterAllDiscountsSet ?? line.originalUnitPriceSet)?.shopMoney;
  if (quantity === null || !price)
    throw broken(['lineItems', 'nodes', index], 'expected a quantity and a price');
  return {
    id: tailOf(line.id),
    sku: line.sku,
    title: line.name ?? line.title ?? '',
    variation: line.variantTitle,
    quantity,
    unitPrice: price.amount,
    subtotal: multiply(price.amount, quantity),
    currency: price.currencyCode ?? currency,
  };
}

function toShipping(live: readonly Fulfillment[]): SourceShipping | null {
  const tracked = live.flatMap(({ trackingInfo }) => trackingInfo ?? []);
  const [first] = live;
  if (!first) return null;
  const parcel = tracked.find(({ number }) => number !== null) ?? tracked[0];
  const departures = live.flatMap(({ inTransitAt }) => inTransitAt ?? []).sort(Temporal.Instant.compare);
  return {
    carrier: parcel?.company ?? null,
    trackingNumber: parcel?.number ?? null,
    method: null,
    status: first.displayStatus ?? first.status,
    shippedAt: departures[0] ?? null,
    deliveredAt: deliveryOf(live),
  };
}

const Level = z.object({ quantities: z.array(z.object({ name: z.string(), quantity: whole })) });
const Variant = z.object({ displayName: text });
const Item = z.object({
  id,
  sku: text,
  tracked: optional(z.boolean()),
  variants: optional(z.object({ nodes: list(Variant) })),
  /** The older field. */
  variant: optional(Variant),
  inventoryLevels: optional(z.object({ nodes: z.array(Level), pageInfo: optional(PageInfo) })),
});

export const ItemsPage = z.object({ inventoryItems: Rows });
export const OneItem = z.object({ inventoryItem: z.unknown() });

/** All of the seller's places together; less than nothing is oversold. */
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
    sku: item.sku || null,
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
  return (shopifyPaymentsAccount?.balance ?? []).flatMap(({ amount: available, currencyCode: currency }) =>
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

export const PayoutsPage = z.object({ shopifyPaymentsAccount: optional(z.object({ payouts: Rows })) });

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

/** `gid://shopify/Order/450` → `450`. */
function tailOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/\?.*$/, '');
}

function sumOf(money: z.infer<typeof Money> | null): Decimal | null {
  return money?.shopMoney.amount ?? null;
}
