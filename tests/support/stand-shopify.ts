import { type Order, reachedAt, type State, stateAt } from '../../simulators/order.ts';
import { currentQuantity, lineName } from '../../simulators/shopify/documents.ts';
import { startShopify } from '../../simulators/shopify/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { ShopifyCredentials } from '../../src/connectors/shopify/credentials.ts';
import { iso, type Stand } from './stand.ts';

/** Shopify, as the shared suite of connectors sees it. Its limit is in points, and they come with HTTP 200. */
export const shopify: Stand = {
  marketplace: 'shopify',
  // The suite says itself when a token ends.
  start: ({ seed, now, limited }) =>
    startShopify({ seed, now, tokenSeconds: 86_400, ...(limited && { perMinute: 300 }) }),
  pages: /^\/graphql\/Orders(?!\w)/,
  pageSize: 25,
  tokens: /^\/admin\/oauth\/access_token/,
  status,
  tells: ({ items }, order, at) => ({
    date_closed: finalTime(order, at),
    items: order.lines.map((line, index) => ({
      sku: items[index]?.sku ?? null,
      title: lineName(line),
      quantity: currentQuantity(order, line, index, at),
      unit_price: Number(line.unitPrice),
    })),
  }),
  refused: (good: ShopifyCredentials) => ({
    ...good,
    access_token: 'shpat_0_1_nada',
    refresh_token: 'shprt_1_nada',
  }),
  unreadable: { field: 'totalPriceSet', value: 'mucho', path: 'totalPriceSet' },
  unknown: { field: 'displayFinancialStatus', word: 'TELEPORTED', native: 'TELEPORTED/FULFILLED' },
};

const STATUS: Readonly<Record<State, OrderStatus>> = {
  placed: 'pending',
  paid: 'paid',
  packed: 'ready_to_ship',
  shipped: 'shipped',
  delivered: 'delivered',
  returning: 'delivered',
  returned: 'returned',
  partially_refunded: 'paid',
  refunded: 'refunded',
  cancelled: 'cancelled',
};

/** Cancelled, returned and refunded say most; a part of the money back leaves the goods where they are. */
function status(order: Order, at: number): OrderStatus {
  const telling = (['cancelled', 'returned', 'refunded'] as const).find(
    (state) => reachedAt(order, state, at) !== null,
  );
  if (telling) return telling;
  const moved = order.steps.findLast((step) => step.at <= at && step.state !== 'partially_refunded');
  return STATUS[moved?.state ?? stateAt(order, at)];
}

/** When it became final; of a return nobody tells that, but when the store put it away. */
function finalTime(order: Order, at: number): string | null {
  const moments: Partial<Record<OrderStatus, State>> = {
    cancelled: 'cancelled',
    delivered: 'delivered',
    refunded: 'refunded',
    returned: 'shipped',
  };
  const state = moments[status(order, at)];
  const moment = state ? reachedAt(order, state, at) : null;
  if (moment === null) return null;
  if (state !== 'shipped') return iso(moment);
  return moment + 60_000 <= at ? iso(moment + 60_000) : null;
}
