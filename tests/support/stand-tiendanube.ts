import { type Order, reachedAt } from '../../simulators/order.ts';
import { totalOf } from '../../simulators/tiendanube/facts.ts';
import { startTiendanube } from '../../simulators/tiendanube/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { TiendanubeCredentials } from '../../src/connectors/tiendanube/credentials.ts';
import { firstReached, iso, type Stand, seenClosings } from './stand.ts';

export const tiendanube: Stand = {
  marketplace: 'tiendanube',
  start: ({ seed, now, limited }) => startTiendanube({ seed, now, ...(limited && { bucket: 40 }) }),
  pages: /^\/v1\/\d+\/orders\?/,
  lists: /^\/v1\/\d+\/orders(\/\d+)?\?(?!.*fields=id(&|$))/,
  // A page holds 100, but a third of its orders is in lists of their own.
  pageSize: 150,
  tokens: null,
  status: tiendanubeStatus,
  // Only cancelling has a time of its own.
  shows: (_, order, at) => ({ total: totalOf(order) / 100, date_closed: cancelledAt(order, at) }),
  late: (_, order, at) =>
    cancelledAt(order, at) ? [] : seenClosings(order, at, ['delivered', 'refunded']),
  refused: (good: TiendanubeCredentials) => ({ ...good, access_token: 'este-no-es-un-token' }),
  unreadable: { field: 'total', value: { texto: 'mucho' }, path: 'total' },
  unknown: { field: 'status', word: 'teleported', native: 'teleported' },
  cannot: {
    'unknown status':
      'an order is read again only once it changes there; its own tests have the status',
  },
};

/** Returned goods are reported nowhere. */
function tiendanubeStatus(order: Order, at: number): OrderStatus {
  return firstReached(order, at, [
    'cancelled',
    'refunded',
    'delivered',
    'shipped',
    'packed',
    'paid',
  ]);
}

function cancelledAt(order: Order, at: number): string | null {
  const cancelled = reachedAt(order, 'cancelled', at);
  return cancelled === null ? null : iso(cancelled);
}
