import { type Order, reachedAt } from '../../simulators/order.ts';
import { startTiktokShop } from '../../simulators/tiktok_shop/index.ts';
import { orderId } from '../../simulators/tiktok_shop/shop.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { TiktokShopCredentials } from '../../src/connectors/tiktok_shop/credentials.ts';
import { firstReached, iso, type Stand } from './stand.ts';

export const tiktokShop: Stand = {
  marketplace: 'tiktok_shop',
  start: ({ seed, now, limited }) => startTiktokShop({ seed, now, ...(limited && { perMinute: 620 }) }),
  pages: /^\/order\/202309\/orders\/search/,
  pageSize: 50,
  tokens: /^\/api\/v2\/token\/refresh/,
  status: tiktokShopStatus,
  tells: ({ buyer_name }, order, at) => ({
    id: orderId(order),
    // Asterisks until it is paid.
    buyer_name: reachedAt(order, 'paid', at) === null ? null : buyer_name,
    date_closed: closedAt(order, at),
  }),
  refused: (good: TiktokShopCredentials) => ({ ...good, access_token: 'ROW_nada', refresh_token: 'nada' }),
  unreadable: { field: 'create_time', value: 'ayer', path: 'create_time' },
  unknown: { field: 'status', word: 'TELEPORTED', native: 'TELEPORTED' },
};

function tiktokShopStatus(order: Order, at: number): OrderStatus {
  const states = ['cancelled', 'returned', 'refunded', 'delivered', 'shipped', 'packed', 'paid'] as const;
  return firstReached(order, at, states);
}

/** When it was cancelled, else when the buyer had it. */
function closedAt(order: Order, at: number): string | null {
  const closed = reachedAt(order, 'cancelled', at) ?? reachedAt(order, 'delivered', at);
  return closed === null ? null : iso(closed);
}
