import { type Order, reachedAt, type State } from '../../simulators/order.ts';
import { startTiktokShop } from '../../simulators/tiktok_shop/index.ts';
import { orderId } from '../../simulators/tiktok_shop/shop.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { TiktokShopCredentials } from '../../src/connectors/tiktok_shop/credentials.ts';
import { iso, type Stand } from './stand.ts';

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
  const has = (state: State) => reachedAt(order, state, at) !== null;
  if (has('cancelled')) return 'cancelled';
  if (has('returned')) return 'returned';
  if (has('refunded')) return 'refunded';
  if (has('delivered')) return 'delivered';
  if (has('shipped')) return 'shipped';
  if (has('packed')) return 'ready_to_ship';
  return has('paid') ? 'paid' : 'pending';
}

/** When it was cancelled, else when the buyer had it. */
function closedAt(order: Order, at: number): string | null {
  const closed = reachedAt(order, 'cancelled', at) ?? reachedAt(order, 'delivered', at);
  return closed === null ? null : iso(closed);
}
