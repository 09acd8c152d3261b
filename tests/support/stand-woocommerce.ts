import { type Order, reachedAt } from '../../simulators/order.ts';
import { titleOf, totalOf } from '../../simulators/woocommerce/facts.ts';
import { startWooCommerce, type WooCommerceKeys } from '../../simulators/woocommerce/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import { firstReached, iso, type Stand } from './stand.ts';

/** A store with a plugin's own status for parcels on their way, of which its seller says what it means. */
export const woocommerce: Stand = {
  marketplace: 'woocommerce',
  start: ({ seed, now, limited }) => startWooCommerce({ seed, now, ...(limited && { perMinute: 130 }) }),
  pages: /\/orders\?.*orderby=id/,
  pageSize: 50,
  tokens: null,
  status: woocommerceStatus,
  tells: ({ items }, order, at) => ({
    total: totalOf(order) / 100,
    date_closed: closedAt(order, at),
    // The price is the one before the discount.
    items: items.map((item, index) => {
      const line = order.lines[index];
      return line ? { ...item, title: titleOf(line), unit_price: Number(line.listPrice) } : item;
    }),
  }),
  refused: (good: WooCommerceKeys) => ({ ...good, consumer_secret: 'cs_equivocado' }),
  unreadable: { field: 'total', value: { texto: 'mucho' }, path: 'total' },
  unknown: { field: 'status', word: 'wc-en-bodega', native: 'wc-en-bodega' },
};

/** A parcel that is packed is still to be sent, and goods that come back leave the order as it was. */
function woocommerceStatus(order: Order, at: number): OrderStatus {
  return firstReached(order, at, ['cancelled', 'refunded', 'delivered', 'shipped', 'paid']);
}

/** When the buyer had it, else when it was given back, else its last change. */
function closedAt(order: Order, at: number): string | null {
  const end = woocommerceStatus(order, at);
  if (end !== 'delivered' && end !== 'cancelled' && end !== 'refunded') return null;
  const refunded = order.steps.findLast(
    (step) => step.at <= at && (step.state === 'refunded' || step.state === 'partially_refunded'),
  );
  const changed = order.steps.findLast((step) => step.at <= at)?.at ?? null;
  const closed = reachedAt(order, 'delivered', at) ?? refunded?.at ?? changed;
  return closed === null ? null : iso(closed);
}
