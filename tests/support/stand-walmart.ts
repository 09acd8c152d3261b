import { cents, decimal, type Order, reachedAt, type State } from '../../simulators/order.ts';
import { netOf } from '../../simulators/walmart/documents.ts';
import { type Generation, ownId } from '../../simulators/walmart/facts.ts';
import { type Credentials, startWalmart } from '../../simulators/walmart/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import { iso, type Stand, type Told } from './stand.ts';

/** The flat Mexican documents. */
export const walmart: Stand = {
  ...standOf('legacy'),
  pageSize: 100,
  unreadable: { field: 'orderDate', value: { texto: 'ayer' }, path: 'orderDate' },
  unknown: { field: 'orderLines.0.orderLineStatus.0.status', word: 'Teleported', native: 'Teleported' },
};

/** The Global Marketplace documents. */
export const walmartGlobal: Stand = {
  ...standOf('global'),
  pageSize: 200,
  unreadable: { field: 'orderDate', value: { texto: 'ayer' }, path: 'orderDate' },
  unknown: {
    field: 'orderLines.orderLine.0.orderLineStatuses.orderLineStatus.0.status',
    word: 'Teleported',
    native: 'Teleported',
  },
};

function standOf(generation: Generation): Omit<Stand, 'unreadable' | 'unknown' | 'pageSize'> {
  return {
    marketplace: 'walmart',
    // The suite turns hours at once; the fifteen minutes of a token have their own test.
    start: ({ seed, now, limited }) =>
      startWalmart({ seed, now, generation, tokenSeconds: 9_000_000, ...(limited && { perMinute: 330 }) }),
    pages: /^\/v3\/orders/,
    // Not the single order that tells the generation.
    rows: /^\/v3\/orders\?(?!.*limit=1(&|$))/,
    tokens: /^\/v3\/token/,
    status: (order, at) => walmartStatus(order, at, generation),
    tells: (told, order, at) => toldByWalmart(told, order, at, generation),
    refused: (good: Credentials) => ({ ...good, client_secret: 'otro' }),
  };
}

function walmartStatus(order: Order, at: number, generation: Generation): OrderStatus {
  const isReached = (state: State) => reachedAt(order, state, at) !== null;
  if (isReached('cancelled')) return 'cancelled';
  // The new generation's orders do not say that goods came back.
  if (isReached('returned') && generation === 'legacy') return 'returned';
  if (isReached('refunded')) return 'refunded';
  if (isReached('delivered')) return 'delivered';
  return isReached('shipped') ? 'shipped' : 'paid';
}

function toldByWalmart(told: Told, order: Order, at: number, generation: Generation): Partial<Told> {
  const cancelled = reachedAt(order, 'cancelled', at);
  const refunded =
    generation === 'global'
      ? (reachedAt(order, 'refunded', at) ?? reachedAt(order, 'partially_refunded', at))
      : null;
  const over = cancelled ?? reachedAt(order, 'delivered', at);
  const isEmptied = cancelled !== null && generation === 'legacy';
  return {
    id: ownId(order, generation),
    // The line's own time moves with a refund.
    date_closed: over === null ? null : iso(Math.max(over, refunded ?? 0)),
    total: isEmptied ? 0 : told.total,
    items: told.items.map((item, index) => ({
      ...item,
      quantity: isEmptied ? 0 : item.quantity,
      unit_price: generation === 'legacy' ? item.unit_price : priceBeforeTaxes(order, index),
    })),
  };
}

function priceBeforeTaxes({ lines }: Order, index: number): number {
  const line = lines[index];
  return line ? Number(decimal(cents(netOf(line)) / line.quantity)) : 0;
}
