import { updatedAt } from '../../simulators/amazon/documents.ts';
import { startAmazon } from '../../simulators/amazon/index.ts';
import { type Order, reachedAt, type State, stateAt } from '../../simulators/order.ts';
import type { AmazonCredentials } from '../../src/connectors/amazon/credentials.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { Stand } from './stand.ts';

const TWO_MINUTES = 120_000;

/** Amazon, as the shared suite of connectors sees it. */
export const amazon: Stand = {
  marketplace: 'amazon',
  start: ({ seed, now, limited }) =>
    startAmazon({ seed: `amazon/${seed}`, now, limited, tokenSeconds: 86_400 }),
  pages: /^\/orders\/2026-01-01\/orders\?/,
  pageSize: 100,
  tokens: /^\/auth\/o2\/token/,
  status: statusOf,
  // No closing time is told, and while nothing is authorised neither amounts nor prices are.
  tells: (_, order, at) => ({
    date_closed: null,
    ...(stateAt(order, at) === 'placed' && { total: null, items: [] }),
  }),
  // The upper bound of a search is at least two minutes before now.
  hides: (order, at) => updatedAt(order, at) > at - TWO_MINUTES,
  refused: (good: AmazonCredentials) => ({ ...good, refresh_token: 'Atzr|nada' }),
  unreadable: { field: 'lastUpdatedTime', value: 'ayer', path: 'lastUpdatedTime' },
  unknown: { field: 'fulfillment', word: 'TELEPORTED', native: 'TELEPORTED' },
  cannot: {
    'unknown status': 'an order is read again only once it changes there; its own tests have the status',
    interleavings: 'its search holds back the last two minutes, so a walk cannot overtake a slow answer',
  },
};

/** A cancelled order never says its prices if it never was paid; what Amazon sends is never delivered. */
function statusOf(order: Order, at: number): OrderStatus {
  const has = (state: State) => reachedAt(order, state, at) !== null;
  if (has('cancelled')) return 'cancelled';
  if (has('refunded')) return 'refunded';
  if (!has('shipped')) return has('paid') ? 'paid' : 'pending';
  const isFba = order.lines[0]?.product.keptByMarketplace ?? false;
  return has('delivered') && !isFba ? 'delivered' : 'shipped';
}
