import { type Order, reachedAt } from '../../simulators/order.ts';
import { moneyOf, titleOf } from '../../simulators/woocommerce/facts.ts';
import { startWooCommerce } from '../../simulators/woocommerce/index.ts';
import type { WooCommerceKeys } from '../../simulators/woocommerce/keys.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import { firstReached, iso, type Stand } from './stand.ts';

const SPREAD =
  'a coupon of the cart is spread over the lines, and nothing reports its share from their own discount';

/**
 * A store with a plugin's own status for parcels on their way, of which its seller says what it
 * means.
 */
export const woocommerce: Stand = {
  marketplace: 'woocommerce',
  start: ({ seed, now, limited }) =>
    startWooCommerce({ seed, now, ...(limited && { perMinute: 130 }) }),
  pages: /\/orders\?.*orderby=id/,
  lists: /\/orders(\/\d+)?\?(?!.*_fields=id(&|$))/,
  pageSize: 50,
  tokens: null,
  status: woocommerceStatus,
  shows: ({ items }, order, at) => {
    const money = moneyOf(order, { pricesIncludeTax: true });
    return {
      total: money.total / 100,
      date_closed: closedAt(order, at),
      items: items.map((item, index) => {
        const [line, paid] = [order.lines[index], money.lines[index]];
        if (!line || !paid) return item;
        const unit_price = Number(((paid.net + paid.tax) / 100 / line.quantity).toFixed(6));
        return { ...item, title: titleOf(line), unit_price };
      }),
    };
  },
  late: (_, order, at) =>
    woocommerceStatus(order, at) === 'cancelled' ? [{ date_closed: null }] : [],
  purchase: {
    unit_price: { is: 151.75, because: SPREAD },
    subtotal: { is: 151.75, because: SPREAD },
    order_discount: { is: 0, because: SPREAD },
  },
  refused: (good: WooCommerceKeys) => ({ ...good, consumer_secret: 'cs_equivocado' }),
  unreadable: { field: 'total', value: { texto: 'mucho' }, path: 'total' },
  unknown: { field: 'status', word: 'wc-en-bodega', native: 'wc-en-bodega' },
};

/**
 * A parcel that is packed is still to be sent, and goods that come back leave the order as it was.
 */
function woocommerceStatus(order: Order, at: number): OrderStatus {
  return firstReached(order, at, ['cancelled', 'refunded', 'delivered', 'shipped', 'paid']);
}

/**
 * When the buyer had it, else when all was given back; of a cancelled order the time is seen here,
 * or not known.
 */
function closedAt(order: Order, at: number): string | null {
  const end = woocommerceStatus(order, at);
  if (end === 'cancelled') return isoOrNull(reachedAt(order, 'cancelled', at));
  if (end !== 'delivered' && end !== 'refunded') return null;
  return isoOrNull(reachedAt(order, 'delivered', at) ?? reachedAt(order, 'refunded', at));
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
