/**
 * What the world looks like from Shopify: order, stock and money documents, in the shape of Admin
 * GraphQL 2026-10.
 */
import { dice } from '../dice.ts';
import {
  cents,
  decimal,
  type Line,
  type Order,
  placedAt,
  reachedAt,
  type Shelf,
  type Step,
  shelvesOf,
  stateAt,
} from '../order.ts';
import type { World } from '../world.ts';
import {
  type Edit,
  isAllBack,
  isRefundedByCancelling,
  type LineMoney,
  type Money,
  moneyOf,
  removedBy,
} from './facts.ts';
import { type ListArgs, pageOf, QueryError } from './graphql.ts';
import type { Store } from './store.ts';

export const ORDER_BASE = 5_400_000_000_000;

export function orderDocument(order: Order, store: Store): Record<string, unknown> {
  const now = store.now();
  const { name } = nameOf(order);
  const isGuest = dice('guest', order.id).chance(1 / 5);
  const { taxesIncluded } = store;
  const sums = moneyOf(order, taxesIncluded);
  const edits = editsOf(order, store);
  const removed = edits.reduce((sum, edit) => sum + removedBy(edit, order, taxesIncluded), 0);
  const refunds = refundsOf(order, sums.total - removed, now);
  const refunded = refunds.reduce((total, refund) => total + refund.amount, 0);
  const protectedField = (field: string, value: unknown) => () => {
    if (store.isGranted('read_customers')) return value;
    throw new QueryError(
      `Access denied for ${field} field. Required access: \`read_customers\``,
      'ACCESS_DENIED',
    );
  };
  return {
    id: `gid://shopify/Order/${order.id}`,
    legacyResourceId: order.id,
    name,
    test: false,
    tags: order.inPerson ? ['mostrador'] : [],
    createdAt: iso(placedAt(order)),
    processedAt: iso(placedAt(order) - 2_000),
    updatedAt: iso(changedAt(order, store)),
    closedAt: isoOrNull(closedAt(order, now)),
    cancelledAt: isoOrNull(reachedAt(order, 'cancelled', now)),
    cancelReason: reachedAt(order, 'cancelled', now) === null ? null : 'CUSTOMER',
    displayFinancialStatus: financialStatus(order, now),
    displayFulfillmentStatus: fulfillmentStatus(order, now),
    returnStatus: returnStatus(order, now),
    currencyCode: 'MXN',
    presentmentCurrencyCode: 'MXN',
    taxesIncluded,
    dutiesIncluded: false,
    edited: edits.length > 0,
    totalPriceSet: money(sums.total),
    originalTotalPriceSet: money(sums.total),
    currentTotalPriceSet: money(sums.total - removed - refunded),
    subtotalPriceSet: money(sums.subtotal),
    totalDiscountsSet: money(discountsOf(sums)),
    totalShippingPriceSet: money(sums.shipping?.listed ?? 0),
    totalTaxSet: money(sums.tax),
    totalTipReceivedSet: money(sums.tip),
    originalTotalDutiesSet: null,
    additionalFees: [],
    totalRefundedSet: money(refunded),
    refunds: refunds.map(({ at, amount }) => ({
      createdAt: iso(at),
      processedAt: iso(at),
      totalRefundedSet: money(amount),
    })),
    agreements: (args: ListArgs) =>
      pageOf(agreementsOf(order, sums, edits, store), (_, index) => String(index), args),
    customer: protectedField(
      'customer',
      isGuest
        ? null
        : {
            id: `gid://shopify/Customer/${order.buyer.number}`,
            displayName: fullName(order),
            ...nameParts(order),
          },
    ),
    shippingAddress: protectedField('shippingAddress', {
      name: fullName(order),
      ...nameParts(order),
    }),
    lineItems: (args: ListArgs) =>
      pageOf(
        [
          ...order.lines.map((line, index) => lineDocument(order, line, index, store)),
          ...tipLines(order, sums, now),
        ],
        (_, index) => String(index).padStart(6, '0'),
        args,
      ),
    shippingLines: (args: ListArgs) =>
      pageOf(shippingLines(sums), (_, index) => String(index), args),
    fulfillments: fulfillmentsOf(order, now),
    localizedFields: { nodes: taxFields(order) },
  };
}

/** Editing an order changes it, and so does putting it away. */
export function changedAt(order: Order, store: Store): number {
  const { now, switches } = store;
  const counts = ({ state, at }: Step) =>
    at <= now() && !(switches.deliversSilently && state === 'delivered');
  const step = order.steps.findLast(counts) ?? (order.steps[0] as Step);
  const edited = editsOf(order, store).map(({ at }) => at);
  return Math.max(step.at, closedAt(order, now()) ?? 0, ...edited);
}

/** The store's own number of an order, as the seller sees it. */
export function nameOf(order: Order): { name: string; number: number } {
  const number = 1_000 + (order.number % 1_000_000_000);
  return { name: `#${number}`, number };
}

export function fullName({ buyer }: Order): string {
  return `${buyer.firstName} ${buyer.lastName}`;
}

function nameParts({ buyer }: Order) {
  return { firstName: buyer.firstName, lastName: buyer.lastName };
}

function editsOf(order: Order, { edits, now }: Store): readonly Edit[] {
  return (edits.get(order.id) ?? []).filter(({ at }) => at <= now());
}

/** What is left of a line after refunds and edits; `quantity` stays what was ordered. */
function currentQuantity(order: Order, line: Line, index: number, store: Store): number {
  const now = store.now();
  if (isAllBack(order, now)) return 0;
  const isOneBack =
    index === 0 && line.quantity > 1 && reachedAt(order, 'partially_refunded', now) !== null;
  const removed = editsOf(order, store)
    .filter((edit) => edit.line === index)
    .reduce((sum, { pieces }) => sum + pieces, 0);
  return line.quantity - (isOneBack ? 1 : 0) - removed;
}

/** The product's name, and the variant's. */
export function lineName({ title, variant }: Line): string {
  return variant ? `${title} - ${variant.value}` : title;
}

function lineDocument(order: Order, line: Line, index: number, store: Store) {
  const paid = moneyOf(order, store.taxesIncluded).lines[index] as LineMoney;
  const left = paid.listed - paid.discount - paid.share;
  return {
    id: `gid://shopify/LineItem/${ORDER_BASE * 2 + order.number * 100 + index}`,
    title: line.title,
    name: lineName(line),
    sku: line.sku,
    variantTitle: line.variant?.value ?? null,
    quantity: line.quantity,
    currentQuantity: currentQuantity(order, line, index, store),
    originalUnitPriceSet: money(cents(line.listPrice)),
    originalTotalSet: money(paid.listed),
    totalDiscountSet: money(paid.discount),
    discountedUnitPriceAfterAllDiscountsSet: money(Math.round(left / line.quantity)),
    discountAllocations: [allocation(paid.discount, OWN), allocation(paid.share, OF_ORDER)].flat(),
  };
}

const OWN = {
  index: 0,
  allocationMethod: 'EACH',
  targetSelection: 'ENTITLED',
  targetType: 'LINE_ITEM',
};
const OF_ORDER = {
  index: 1,
  allocationMethod: 'ACROSS',
  targetSelection: 'ALL',
  targetType: 'LINE_ITEM',
};
const OF_SHIPPING = {
  index: 2,
  allocationMethod: 'EACH',
  targetSelection: 'ALL',
  targetType: 'SHIPPING_LINE',
};

function allocation(amount: number, discountApplication: typeof OWN) {
  return amount === 0 ? [] : [{ allocatedAmountSet: money(amount), discountApplication }];
}

/** A tip has a line, which is nothing to be sent. */
function tipLines(order: Order, { tip }: Money, now: number) {
  if (tip === 0) return [];
  const line = {
    id: `gid://shopify/LineItem/${ORDER_BASE * 2 + order.number * 100 + 99}`,
    title: 'Tip',
    name: 'Tip',
    sku: null,
    variantTitle: null,
    quantity: 1,
    currentQuantity: isAllBack(order, now) ? 0 : 1,
    originalUnitPriceSet: money(tip),
    originalTotalSet: money(tip),
    totalDiscountSet: money(0),
    discountedUnitPriceAfterAllDiscountsSet: money(tip),
    discountAllocations: [],
  };
  return [line];
}

function shippingLines({ shipping }: Money) {
  if (!shipping) return [];
  const line = {
    title: 'Envío estándar',
    originalPriceSet: money(shipping.listed),
    discountedPriceSet: money(shipping.listed - shipping.discount),
    discountAllocations: allocation(shipping.discount, OF_SHIPPING),
  };
  return [line];
}

function discountsOf({ lines, shipping }: Money): number {
  return lines.reduce(
    (sum, { discount, share }) => sum + discount + share,
    shipping?.discount ?? 0,
  );
}

/** The order as it was placed, then each edit that took something out. */
function agreementsOf(
  order: Order,
  { total }: Money,
  edits: readonly Edit[],
  { taxesIncluded }: Store,
) {
  const agreement = (
    reason: string,
    at: number,
    actionType: string,
    quantity: number,
    amount: number,
  ) => ({
    reason,
    happenedAt: iso(at),
    sales: (args: ListArgs) =>
      pageOf(
        [{ actionType, lineType: 'PRODUCT', quantity, totalAmount: money(amount) }],
        (_, index) => String(index),
        args,
      ),
  });
  const pieces = order.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  return [
    agreement('ORDER', placedAt(order), 'ORDER', pieces, total),
    ...edits.map((edit) =>
      agreement(
        'ORDER_EDIT',
        edit.at,
        'RETURN',
        -edit.pieces,
        -removedBy(edit, order, taxesIncluded),
      ),
    ),
  ];
}

function financialStatus(order: Order, now: number): string {
  if (isRefundedByCancelling(order, now) || reachedAt(order, 'refunded', now) !== null)
    return 'REFUNDED';
  if (reachedAt(order, 'cancelled', now) !== null) return 'VOIDED';
  if (reachedAt(order, 'partially_refunded', now) !== null) return 'PARTIALLY_REFUNDED';
  if (reachedAt(order, 'paid', now) !== null) return 'PAID';
  return dice('unpaid', order.id).pick(['PENDING', 'AUTHORIZED']);
}

function fulfillmentStatus(order: Order, now: number): string {
  if (reachedAt(order, 'shipped', now) !== null) return 'FULFILLED';
  return reachedAt(order, 'packed', now) === null ? 'UNFULFILLED' : 'IN_PROGRESS';
}

function returnStatus(order: Order, now: number): string {
  if (reachedAt(order, 'returned', now) !== null) return 'RETURNED';
  return reachedAt(order, 'returning', now) === null ? 'NO_RETURN' : 'IN_PROGRESS';
}

/** A cancelled fulfilment beside the one that counts, now and then. */
function fulfillmentsOf(order: Order, now: number) {
  const shipped = reachedAt(order, 'shipped', now);
  if (shipped === null) return [];
  const delivered = reachedAt(order, 'delivered', now);
  const live = {
    id: `gid://shopify/Fulfillment/${order.id}1`,
    status: 'SUCCESS',
    displayStatus: delivered === null ? 'IN_TRANSIT' : 'DELIVERED',
    inTransitAt: iso(shipped),
    deliveredAt: isoOrNull(delivered),
    trackingInfo: order.inPerson
      ? []
      : [{ company: 'Estafeta', number: order.tracking, url: null }],
  };
  const dead = {
    ...live,
    id: `${live.id}0`,
    status: 'CANCELLED',
    displayStatus: 'CANCELED',
    deliveredAt: null,
  };
  return dice('wrong parcel', order.id).chance(1 / 6) ? [dead, live] : [live];
}

function refundsOf(order: Order, total: number, now: number): { at: number; amount: number }[] {
  const parts = order.steps
    .filter(({ state, at }) => state === 'partially_refunded' && at <= now)
    .map(({ at, amount }) => ({ at, amount: amount ? cents(amount) : total }));
  const given = parts.reduce((sum, { amount }) => sum + amount, 0);
  const whole =
    reachedAt(order, 'refunded', now) ??
    (isRefundedByCancelling(order, now) ? reachedAt(order, 'cancelled', now) : null);
  return whole === null ? parts : [...parts, { at: whole, amount: total - given }];
}

const PUT_AWAY_AFTER = 3_600_000;

/** Put away some time after it was sent or called off. */
function closedAt(order: Order, now: number): number | null {
  const done = reachedAt(order, 'cancelled', now) ?? reachedAt(order, 'shipped', now);
  return done !== null && done + PUT_AWAY_AFTER <= now ? done + PUT_AWAY_AFTER : null;
}

function taxFields(order: Order) {
  if (!dice('rfc', order.buyer.number).chance(1 / 4)) return [];
  return [{ key: 'TAX_CREDENTIAL_MX', value: 'XAXX010101000' }];
}

export function itemId(sku: string): string {
  return String(9_100_000_000_000 + dice('inventory item', sku).whole(0, 899_999_999));
}

const PLACES = [
  { id: 'gid://shopify/Location/91000000001', name: 'Bodega' },
  { id: 'gid://shopify/Location/91000000002', name: 'Mostrador' },
] as const;
const RESERVED = 2;

/**
 * Two thirds of the stock are in the warehouse, the rest at the counter; two pieces of each are not
 * for sale.
 */
function itemDocument(shelf: Shelf, title: string, available: number, updatedAt: number) {
  const counter = Math.floor(available / 3);
  const levels = PLACES.map((location, index) => {
    const here = index === 0 ? available - counter : counter;
    const held = index === 0 ? RESERVED : 0;
    const quantity = (name: string, pieces: number) => ({
      name,
      quantity: pieces,
      updatedAt: iso(updatedAt),
    });
    const known = [
      quantity('available', here),
      quantity('on_hand', here + held),
      quantity('committed', held),
      quantity('reserved', 0),
    ];
    return {
      location,
      updatedAt: iso(updatedAt),
      quantities: ({ names }: { names: readonly string[] }) =>
        known.filter(({ name }) => names.includes(name)),
    };
  });
  return {
    id: `gid://shopify/InventoryItem/${itemId(shelf.sku)}`,
    sku: shelf.sku,
    tracked: true,
    updatedAt: iso(updatedAt),
    variants: () => ({ nodes: [{ displayName: title }] }),
    inventoryLevels: (args: ListArgs) => pageOf(levels, (_, index) => String(index), args),
  };
}

export function itemDocuments(world: World): ReturnType<typeof itemDocument>[] {
  const stock = world.stock();
  return world.products.flatMap((product) =>
    shelvesOf(product).map((shelf) => {
      const kind = product.variants.find(({ sku }) => sku === shelf.sku);
      const title = `${product.title} - ${kind?.value ?? 'Default Title'}`;
      return itemDocument(shelf, title, stock.get(shelf.sku) ?? 0, world.now());
    }),
  );
}

const WEEK = 7 * 86_400_000;

/**
 * One payout a week for what was paid in it, less four per cent; what was paid since the last one
 * is the balance.
 */
export function paymentsDocument({ world, taxesIncluded }: Store) {
  const now = world.now();
  const weeks = new Map<number, number>();
  for (const order of world.orders()) {
    const paid = reachedAt(order, 'paid', now);
    if (paid === null || stateAt(order, now) === 'cancelled') continue;
    const week = Math.floor(paid / WEEK);
    weeks.set(week, (weeks.get(week) ?? 0) + moneyOf(order, taxesIncluded).total);
  }
  const thisWeek = Math.floor(now / WEEK);
  const amount = (sum: number) => ({ amount: decimal(sum), currencyCode: 'MXN' });
  const payouts = [...weeks]
    .filter(([week]) => week < thisWeek)
    .sort(([a], [b]) => b - a)
    .map(([week, gross]) => {
      const fee = Math.round(gross * 0.04);
      return {
        id: `gid://shopify/ShopifyPaymentsPayout/${600_000_000 + week}`,
        legacyResourceId: String(600_000_000 + week),
        issuedAt: iso((week + 1) * WEEK),
        status: week === thisWeek - 1 ? 'SCHEDULED' : 'PAID',
        transactionType: 'DEPOSIT',
        externalTraceId: `MXSPEI${week}`,
        net: amount(gross - fee),
        summary: {
          ...Object.fromEntries(NOTHING.map((name) => [name, amount(0)])),
          chargesGross: amount(gross),
          chargesFee: amount(fee),
        },
      };
    });
  return {
    id: 'gid://shopify/ShopifyPaymentsAccount/1',
    activated: true,
    defaultCurrency: 'MXN',
    balance: [amount(weeks.get(thisWeek) ?? 0)],
    payouts: (args: ListArgs) =>
      pageOf(payouts, ({ legacyResourceId }) => String(1e12 - Number(legacyResourceId)), args),
  };
}

const NOTHING = [
  'adjustmentsFee',
  'adjustmentsGross',
  'advanceFees',
  'advanceGross',
  'refundsFee',
  'refundsFeeGross',
  'reservedFundsFee',
  'reservedFundsGross',
  'retriedPayoutsFee',
  'retriedPayoutsGross',
];

/** Of cents. */
function money(sum: number) {
  const shown = { amount: decimal(sum), currencyCode: 'MXN' };
  return { shopMoney: shown, presentmentMoney: shown };
}

export function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
