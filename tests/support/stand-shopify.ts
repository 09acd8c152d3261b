import { type Order, reachedAt, type State, stateAt } from '../../simulators/order.ts';
import { moneyOf } from '../../simulators/shopify/facts.ts';
import { startShopify } from '../../simulators/shopify/index.ts';
import { lineName } from '../../simulators/shopify/lines.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { ShopifyCredentials } from '../../src/connectors/shopify/credentials.ts';
import { iso, type Stand } from './stand.ts';

/**
 * Shopify, as the shared suite of connectors sees it. Its limit is in points, and they come with
 * HTTP 200.
 */
export const shopify: Stand = {
  marketplace: 'shopify',
  // The suite says itself when a token ends.
  start: ({ seed, now, limited }) =>
    startShopify({ seed, now, tokenSeconds: 86_400, ...(limited && { perMinute: 300 }) }),
  pages: /^\/graphql\/Order(s|Ids)(?!\w)/,
  lists: /^\/graphql\/(Open)?Orders?(?!\w)/,
  pageSize: 25,
  tokens: /^\/admin\/oauth\/access_token/,
  status,
  shows: ({ items }, order, at) => ({
    total: moneyOf(order, true).total / 100,
    date_closed: finalTime(order, at),
    items: order.lines.map((line, index) => ({
      sku: items[index]?.sku ?? null,
      title: lineName(line),
      quantity: line.quantity,
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

/**
 * Cancelled, returned and refunded say most; a part of the money back leaves the goods where they
 * are.
 */
function status(order: Order, at: number): OrderStatus {
  const event = (['cancelled', 'returned', 'refunded'] as const).find(
    (state) => reachedAt(order, state, at) !== null,
  );
  if (event) return event;
  const moved = order.steps.findLast(
    (step) => step.at <= at && step.state !== 'partially_refunded',
  );
  return STATUS[moved?.state ?? stateAt(order, at)];
}

/** The first of its final moments; goods returned without a dispatch have none. */
function finalTime(order: Order, at: number): string | null {
  if (!FINAL.includes(status(order, at))) return null;
  const times = (['delivered', 'cancelled', 'refunded'] as const)
    .map((state) => reachedAt(order, state, at))
    .filter((time) => time !== null);
  return times.length > 0 ? iso(Math.min(...times)) : null;
}

const FINAL: readonly OrderStatus[] = ['delivered', 'cancelled', 'returned', 'refunded'];
