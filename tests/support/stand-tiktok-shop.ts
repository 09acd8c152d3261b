import { type Order, reachedAt } from '../../simulators/order.ts';
import { moneyOf, sumOf } from '../../simulators/tiktok_shop/facts.ts';
import { startTiktokShop } from '../../simulators/tiktok_shop/index.ts';
import { orderId } from '../../simulators/tiktok_shop/shop.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { TiktokShopCredentials } from '../../src/connectors/tiktok_shop/credentials.ts';
import { firstReached, iso, type Stand } from './stand.ts';

const SHARED =
  'a coupon is shared out among the pieces, whose discounts do not tell it from their own';

export const tiktokShop: Stand = {
  marketplace: 'tiktok_shop',
  start: ({ seed, now, limited }) =>
    startTiktokShop({ seed, now, ...(limited && { perMinute: 620 }) }),
  pages: /^\/order\/202309\/orders\/search/,
  pageSize: 50,
  tokens: /^\/api\/v2\/token\/refresh/,
  status: tiktokShopStatus,
  shows: ({ buyer_name, items }, order, at) => {
    const { pieces, total } = moneyOf(order);
    return {
      id: orderId(order),
      total: total / 100,
      // Asterisks until it is paid.
      buyer_name: reachedAt(order, 'paid', at) === null ? null : buyer_name,
      date_closed: closedAt(order, at),
      items: items.map((item, index) => {
        const own = pieces.filter(({ line }) => line === order.lines[index]);
        return { ...item, unit_price: Number((sumOf(own, 'sale') / 100 / own.length).toFixed(6)) };
      }),
    };
  },
  purchase: {
    unit_price: { is: 151.75, because: SHARED },
    subtotal: { is: 151.75, because: SHARED },
    order_discount: { is: 0, because: SHARED },
  },
  refused: (good: TiktokShopCredentials) => ({
    ...good,
    access_token: 'ROW_nada',
    refresh_token: 'nada',
  }),
  unreadable: { field: 'create_time', value: 'ayer', path: 'create_time' },
  unknown: { field: 'status', word: 'TELEPORTED', native: 'TELEPORTED' },
};

function tiktokShopStatus(order: Order, at: number): OrderStatus {
  const states = [
    'cancelled',
    'returned',
    'refunded',
    'delivered',
    'shipped',
    'packed',
    'paid',
  ] as const;
  return firstReached(order, at, states);
}

/**
 * When it was cancelled, else when the buyer had it or had everything back, whichever came first.
 */
function closedAt(order: Order, at: number): string | null {
  const cancelled = reachedAt(order, 'cancelled', at);
  if (cancelled !== null) return iso(cancelled);
  const ends = [reachedAt(order, 'delivered', at), reachedAt(order, 'refunded', at)].filter(
    (end) => end !== null,
  );
  return ends.length === 0 ? null : iso(Math.min(...ends));
}
