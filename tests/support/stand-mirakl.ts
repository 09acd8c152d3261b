import { orderIdOf, pricesOf, totalOf } from '../../simulators/mirakl/facts.ts';
import { startMirakl } from '../../simulators/mirakl/index.ts';
import { type Order, reachedAt } from '../../simulators/order.ts';
import type { Marketplace, OrderStatus } from '../../src/connectors/contract.ts';
import type { MiraklCredentials } from '../../src/connectors/mirakl/credentials.ts';
import { firstReached, iso, type Stand } from './stand.ts';

const SPREAD = 'a promotion of the whole order is taken off its lines';

/**
 * One platform, two operators; at the second the seller's user has two shops, and names the other
 * one.
 */
export const liverpool = miraklStand('liverpool', [2_041]);
export const coppel: Stand = { ...miraklStand('coppel', [3_007, 3_008]), twin: liverpool };

function miraklStand(marketplace: Marketplace, shops: readonly number[]): Stand {
  return {
    marketplace,
    start: async ({ seed, now, limited }) => {
      const shop = await startMirakl({ seed, now, shops, ...(limited && { perMinute: 70 }) });
      const [, other] = shop.shops;
      return other
        ? { ...shop, world: other.world, credentials: () => shop.credentials(other.id) }
        : shop;
    },
    pages: /^\/api\/orders\?/,
    pageSize: 100,
    tokens: null,
    status: miraklStatus,
    shows: ({ items }, order, at) => ({
      id: orderIdOf(order),
      total: totalOf(order) / 100,
      date_closed: closedAt(order, at),
      items: items.map((item, index) => {
        const price = (pricesOf(order)[index] ?? 0) / 100 / item.quantity;
        return { ...item, unit_price: Number(price.toFixed(2)) };
      }),
    }),
    purchase: {
      unit_price: { is: 151.75, because: SPREAD },
      subtotal: { is: 151.75, because: SPREAD },
      order_discount: { is: 0, because: SPREAD },
    },
    refused: (good: MiraklCredentials) => ({ ...good, api_key: 'esta-no-es-una-clave' }),
    unreadable: { field: 'total_price', value: { texto: 'mucho' }, path: 'total_price' },
    unknown: { field: 'order_state', word: 'WAITING_NEW_STATE', native: 'WAITING_NEW_STATE' },
    cannot: {
      'too many':
        'given no time it waits a minute, which puts the walk off: tests/connectors/mirakl.test.ts',
    },
  };
}

/** Returns are kept apart from orders there, and a parcel that is packed is still to be sent. */
function miraklStatus(order: Order, at: number): OrderStatus {
  return firstReached(order, at, ['cancelled', 'refunded', 'delivered', 'shipped', 'paid']);
}

/** When the buyer had it, else when it was cancelled or given back. */
function closedAt(order: Order, at: number): string | null {
  const end = miraklStatus(order, at);
  if (end !== 'delivered' && end !== 'cancelled' && end !== 'refunded') return null;
  const closed = reachedAt(order, 'delivered', at) ?? reachedAt(order, end, at);
  return closed === null ? null : iso(closed);
}
