import { forwardId } from '../../simulators/mercado_libre/facts.ts';
import { type MercadoLibre, startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { type Order, reachedAt, stateAt } from '../../simulators/order.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { MercadoLibreCredentials } from '../../src/connectors/mercado_libre/credentials.ts';
import { firstReached, type Stand, seenClosings } from './stand.ts';

export const mercadoLibre: Stand = {
  marketplace: 'mercado_libre',
  start: ({ seed, now, limited }) =>
    startMercadoLibre({ seed, now, ...(limited && { perMinute: 1_800 }) }),
  pages: /^\/orders\/search/,
  pageSize: 50,
  tokens: /^\/oauth\/token/,
  status: mercadoLibreStatus,
  // Only the shipment has the buyer's name, and there is one once the order is paid.
  shows: ({ buyer_name }, order, at) => ({ buyer_name: isShipped(order, at) ? buyer_name : null }),
  // An order that was cancelled before it was paid has no closing time of its own.
  late: ({ date_closed }, order, at) => (date_closed ? [] : seenClosings(order, at, ['cancelled'])),
  hides: (order, at) => stateAt(order, at) === 'cancelled',
  hints: ({ id }, order, shop) => [id, `shipment:${forwardOf(order, shop as MercadoLibre)}`],
  refused: (good: MercadoLibreCredentials) => ({
    ...good,
    access_token: 'APP_USR-1-2-3-4',
    refresh_token: 'TG-nada',
  }),
  unreadable: { field: 'total_amount', value: { texto: 'mucho' }, path: 'total_amount' },
  unknown: { field: 'status', word: 'constructor', native: 'constructor' },
};

/** Money that was given back counts before where the goods are, unless they came back. */
function mercadoLibreStatus(order: Order, at: number): OrderStatus {
  // A label that waits to be printed is not «ready to ship» yet.
  return firstReached(order, at, [
    'cancelled',
    'returned',
    'refunded',
    'delivered',
    'shipped',
    'paid',
  ]);
}

function forwardOf(order: Order, { sellers: [seller] }: MercadoLibre): string {
  return seller ? forwardId(order, seller) : '';
}

function isShipped(order: Order, at: number): boolean {
  return !order.inPerson && reachedAt(order, 'paid', at) !== null;
}
