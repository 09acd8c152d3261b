/** Order documents of the world, in the shape of Admin GraphQL 2026-10. */
import { dice } from '../dice.ts';
import { type Order, placedAt, reachedAt, type Step } from '../order.ts';
import { agreementsOf, editsOf } from './edits.ts';
import { moneyOf, refundsOf, removedBy } from './facts.ts';
import { type ListArgs, pageOf, QueryError } from './graphql.ts';
import { discountsOf, lineDocument, shippingLines, tipLines } from './lines.ts';
import { iso, isoOrNull, money } from './shown.ts';
import {
  closedAt,
  financialStatus,
  fulfillmentStatus,
  fulfillmentsOf,
  returnStatus,
} from './states.ts';
import type { Store } from './store.ts';

export function orderDocument(order: Order, store: Store): Record<string, unknown> {
  const now = store.now();
  const { name } = nameOf(order);
  const { taxesIncluded } = store;
  const sums = moneyOf(order, taxesIncluded);
  const edits = editsOf(order, store);
  const removed = edits.reduce((sum, edit) => sum + removedBy(edit, order, taxesIncluded), 0);
  const refunds = refundsOf(order, sums.total - removed, now);
  const refunded = refunds.reduce((total, refund) => total + refund.amount, 0);
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
    ...personalFields(order, store),
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

/** Without the permission each field is refused by itself. */
function personalFields(order: Order, store: Store) {
  const protectedField = (field: string, value: unknown) => () => {
    if (store.isGranted('read_customers')) return value;
    throw new QueryError(
      `Access denied for ${field} field. Required access: \`read_customers\``,
      'ACCESS_DENIED',
    );
  };
  const isGuest = dice('guest', order.id).chance(1 / 5);
  const person = {
    id: `gid://shopify/Customer/${order.buyer.number}`,
    displayName: fullName(order),
    ...nameParts(order),
  };
  return {
    customer: protectedField('customer', isGuest ? null : person),
    shippingAddress: protectedField('shippingAddress', {
      name: fullName(order),
      ...nameParts(order),
    }),
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

function taxFields(order: Order) {
  if (!dice('rfc', order.buyer.number).chance(1 / 4)) return [];
  return [{ key: 'TAX_CREDENTIAL_MX', value: 'XAXX010101000' }];
}
