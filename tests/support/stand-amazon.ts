import { lineProceeds, paidFor, updatedAt } from '../../simulators/amazon/documents.ts';
import { startAmazon } from '../../simulators/amazon/index.ts';
import { type Order, reachedAt, type State, type Step, stateAt } from '../../simulators/order.ts';
import type { AmazonCredentials } from '../../src/connectors/amazon/credentials.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import { iso, type Reported, type Stand } from './stand.ts';

const TWO_MINUTES = 120_000;
/** Pages of 100, as the connector asks for them, need hundreds of orders. */
const SHORT_PAGE = 40;

const SHARED_OUT =
  'Amazon shares a coupon of the order out among the lines, and their rows do not tell one discount from another';

/** Amazon, as the shared suite of connectors sees it. */
export const amazon: Stand = {
  marketplace: 'amazon',
  start: ({ seed, now, limited }) =>
    startAmazon({
      seed: `amazon/${seed}`,
      now,
      limited,
      tokenSeconds: 86_400,
      pageRows: SHORT_PAGE,
    }),
  pages: /^\/orders\/2026-01-01\/orders\?/,
  lists: /^\/orders\/2026-01-01\/orders[/?].*includedData=/,
  pageSize: SHORT_PAGE,
  leavesLargeOut: true,
  tokens: /^\/auth\/o2\/token/,
  status: statusOf,
  shows: shownByAmazon,
  // Only refunds have a closing time; the others are seen, with the last change that
  // came with them.
  late: (reported, order, at) =>
    reported.date_closed === null
      ? []
      : [
          { date_closed: null },
          ...endsOf(order, at).map((step) => ({ date_closed: iso(step.at) })),
        ],
  // The upper bound of a search is at least two minutes before now.
  hides: (order, at) => updatedAt(order, at) > at - TWO_MINUTES,
  refused: (good: AmazonCredentials) => ({ ...good, refresh_token: 'Atzr|nada' }),
  unreadable: { field: 'lastUpdatedTime', value: 'ayer', path: 'lastUpdatedTime' },
  unknown: { field: 'fulfillment', word: 'TELEPORTED', native: 'TELEPORTED' },
  purchase: {
    unit_price: { is: 151.75, because: SHARED_OUT },
    subtotal: { is: 151.75, because: SHARED_OUT },
    order_discount: { is: 0, because: SHARED_OUT },
  },
  cannot: {
    'unknown status':
      'an order is read again only once it changes there; its own tests have the status',
    interleavings:
      'its search holds back the last two minutes, so a walk cannot overtake a slow answer',
  },
};

/**
 * A cancelled order never says its prices if it never was paid; what Amazon sends is never
 * delivered.
 */
function statusOf(order: Order, at: number): OrderStatus {
  const has = (state: State) => reachedAt(order, state, at) !== null;
  if (has('cancelled')) return 'cancelled';
  if (has('refunded')) return 'refunded';
  if (!has('shipped')) return has('paid') ? 'paid' : 'pending';
  const isFba = order.lines[0]?.product.keptByMarketplace ?? false;
  return has('delivered') && !isFba ? 'delivered' : 'shipped';
}

function shownByAmazon(reported: Reported, order: Order, at: number): Partial<Reported> {
  const isUnpriced = stateAt(order, at) === 'placed';
  return {
    date_closed: closedAt(order, at),
    total: isUnpriced ? null : paidFor(order) / 100,
    items: isUnpriced
      ? []
      : reported.items.map((item, index) => ({ ...item, unit_price: pricePaid(order, index) })),
  };
}

/** Of one piece, after all discounts. */
function pricePaid(order: Order, index: number): number {
  const { rows } = lineProceeds(order, index, 'inside');
  const ofPieces = rows.filter(({ type }) => type === 'ITEM' || type === 'DISCOUNT');
  const paid = ofPieces.reduce((sum, { cents }) => sum + cents, 0);
  return Number((paid / 100 / (order.lines[index]?.quantity ?? 1)).toFixed(6));
}

function closedAt(order: Order, at: number): string | null {
  const [first] = endsOf(order, at).filter(({ state }) => state !== 'partially_refunded');
  return first ? iso(first.at) : null;
}

/** What may have closed it, oldest first; for its own shipments Amazon has no delivery. */
function endsOf(order: Order, at: number): readonly Step[] {
  const isFba = order.lines[0]?.product.keptByMarketplace ?? false;
  const ends: readonly State[] = [
    'cancelled',
    'refunded',
    'partially_refunded',
    ...(isFba ? [] : ['delivered' as const]),
  ];
  return order.steps.filter((step) => step.at <= at && ends.includes(step.state));
}
