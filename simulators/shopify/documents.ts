/** What the world looks like from Shopify: order, stock and money documents, in the shape of Admin GraphQL 2026-10. */
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
import { type ListArgs, pageOf, QueryError } from './graphql.ts';
import type { Store } from './store.ts';

export const ORDER_BASE = 5_400_000_000_000;

export function orderDocument(order: Order, store: Store): Record<string, unknown> {
  const now = store.now();
  const { name } = nameOf(order);
  const isGuest = dice('guest', order.id).chance(1 / 5);
  const sum = order.lines.reduce((total, line) => total + cents(line.listPrice) * line.quantity, 0);
  const refunds = refundsOf(order, now);
  const refunded = refunds.reduce((total, refund) => total + cents(refund.amount), 0);
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
    totalPriceSet: money(order.total),
    currentTotalPriceSet: money(decimal(cents(order.total) - refunded)),
    subtotalPriceSet: money(order.total),
    totalDiscountsSet: money(decimal(sum - cents(order.total))),
    totalShippingPriceSet: money('0.00'),
    totalTaxSet: money('0.00'),
    totalRefundedSet: money(decimal(refunded)),
    refunds: refunds.map(({ at, amount }) => ({
      createdAt: iso(at),
      processedAt: iso(at),
      totalRefundedSet: money(amount),
    })),
    customer: protectedField(
      'customer',
      isGuest ? null : { id: `gid://shopify/Customer/${order.buyer.number}`, displayName: fullName(order) },
    ),
    shippingAddress: protectedField('shippingAddress', { name: fullName(order) }),
    lineItems: (args: ListArgs) =>
      pageOf(
        order.lines.map((line, index) => lineDocument(order, line, index, now)),
        (_, index) => String(index).padStart(6, '0'),
        args,
      ),
    fulfillments: fulfillmentsOf(order, now),
    localizedFields: { nodes: taxFields(order) },
  };
}

/** Putting an order away changes it, too. */
export function changedAt(order: Order, { now, switches }: Store): number {
  const counts = ({ state, at }: Step) =>
    at <= now() && !(switches.deliversSilently && state === 'delivered');
  const step = order.steps.findLast(counts) ?? (order.steps[0] as Step);
  return Math.max(step.at, closedAt(order, now()) ?? 0);
}

/** The store's own number of an order, as the seller sees it. */
export function nameOf(order: Order): { name: string; number: number } {
  const number = 1_000 + (order.number % 1_000_000_000);
  return { name: `#${number}`, number };
}

export function fullName({ buyer }: Order): string {
  return `${buyer.firstName} ${buyer.lastName}`;
}

/** What is left of a line after refunds; `quantity` stays what was ordered. */
export function currentQuantity(order: Order, line: Line, index: number, now: number): number {
  const isBack = (['returned', 'refunded'] as const).some((state) => reachedAt(order, state, now) !== null);
  if (isBack || isRefundedByCancelling(order, now)) return 0;
  const isOneBack = index === 0 && line.quantity > 1 && reachedAt(order, 'partially_refunded', now) !== null;
  return line.quantity - (isOneBack ? 1 : 0);
}

/** The product's name, and the variant's. */
export function lineName({ title, variant }: Line): string {
  return variant ? `${title} - ${variant.value}` : title;
}

function lineDocument(order: Order, line: Line, index: number, now: number) {
  return {
    id: `gid://shopify/LineItem/${ORDER_BASE * 2 + order.number * 100 + index}`,
    title: line.title,
    name: lineName(line),
    sku: line.sku,
    variantTitle: line.variant?.value ?? null,
    quantity: line.quantity,
    currentQuantity: currentQuantity(order, line, index, now),
    originalUnitPriceSet: money(line.listPrice),
    discountedUnitPriceAfterAllDiscountsSet: money(line.unitPrice),
  };
}

function financialStatus(order: Order, now: number): string {
  if (isRefundedByCancelling(order, now) || reachedAt(order, 'refunded', now) !== null) return 'REFUNDED';
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
    trackingInfo: order.inPerson ? [] : [{ company: 'Estafeta', number: order.tracking, url: null }],
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

function refundsOf(order: Order, now: number): { at: number; amount: string }[] {
  const parts = order.steps
    .filter(({ state, at }) => state === 'partially_refunded' && at <= now)
    .map(({ at, amount }) => ({ at, amount: amount ?? order.total }));
  const given = parts.reduce((total, { amount }) => total + cents(amount), 0);
  const whole =
    reachedAt(order, 'refunded', now) ??
    (isRefundedByCancelling(order, now) ? reachedAt(order, 'cancelled', now) : null);
  return whole === null ? parts : [...parts, { at: whole, amount: decimal(cents(order.total) - given) }];
}

function isRefundedByCancelling(order: Order, now: number): boolean {
  return reachedAt(order, 'cancelled', now) !== null && reachedAt(order, 'paid', now) !== null;
}

/** Put away some time after it was sent or called off. */
function closedAt(order: Order, now: number): number | null {
  const done = reachedAt(order, 'cancelled', now) ?? reachedAt(order, 'shipped', now);
  return done !== null && done + 60_000 <= now ? done + 60_000 : null;
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

/** Two thirds of the stock are in the warehouse, the rest at the counter; two pieces of each are not for sale. */
export function itemDocument(shelf: Shelf, title: string, available: number, updatedAt: number) {
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

/** One payout a week for what was paid in it, less four per cent; what was paid since the last one is the balance. */
export function paymentsDocument(world: World) {
  const now = world.now();
  const weeks = new Map<number, number>();
  for (const order of world.orders()) {
    const paid = reachedAt(order, 'paid', now);
    if (paid === null || stateAt(order, now) === 'cancelled') continue;
    const week = Math.floor(paid / WEEK);
    weeks.set(week, (weeks.get(week) ?? 0) + cents(order.total));
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

function money(amount: string) {
  const shown = { amount, currencyCode: 'MXN' };
  return { shopMoney: shown, presentmentMoney: shown };
}

export function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
