import { type Order, reachedAt, type State, type Step } from '../../simulators/order.ts';
import { type Generation, ownId } from '../../simulators/walmart/facts.ts';
import { type Credentials, startWalmart } from '../../simulators/walmart/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import { iso, type Reported, type Stand } from './stand.ts';

const NO_LIST = 'Walmart reports the price that was paid, and none before it';
const NO_COUPON =
  'the global documents have charges for the product and for shipping, and tell no coupon';

/** Of the global documents: pages of 200, as the connector asks for them, need a thousand orders. */
const SHORT_PAGE = 50;

/** The Global Marketplace documents. */
export const walmart: Stand = {
  ...standOf('global'),
  pageSize: SHORT_PAGE,
  unreadable: { field: 'orderDate', value: { texto: 'ayer' }, path: 'orderDate' },
  unknown: {
    field: 'orderLines.orderLine.0.orderLineStatuses.orderLineStatus.0.status',
    word: 'Teleported',
    native: 'Teleported',
  },
  purchase: {
    list_price: { is: null, because: NO_LIST },
    order_discount: { is: null, because: NO_COUPON },
    discount_total: { is: null, because: NO_COUPON },
    paid: { is: 270.75, because: NO_COUPON },
  },
};

/** The flat Mexican documents, which a credential file may still ask for. */
export const walmartLegacy: Stand = {
  ...standOf('legacy'),
  twin: walmart,
  pageSize: 100,
  unreadable: { field: 'orderDate', value: { texto: 'ayer' }, path: 'orderDate' },
  unknown: {
    field: 'orderLines.0.orderLineStatus.0.status',
    word: 'Teleported',
    native: 'Teleported',
  },
  purchase: {
    list_price: { is: null, because: NO_LIST },
    discount_total: { is: 20, because: NO_LIST },
  },
};

function standOf(generation: Generation): Omit<Stand, 'unreadable' | 'unknown' | 'pageSize'> {
  return {
    marketplace: 'walmart',
    // The suite turns hours at once; the fifteen minutes of a token have their own test.
    async start({ seed, now, limited }) {
      const shop = await startWalmart({
        seed,
        now,
        tokenSeconds: 9_000_000,
        pageRows: SHORT_PAGE,
        ...(limited && { perMinute: 330 }),
      });
      return { ...shop, credentials: () => credentialsFor(generation, shop.credentials()) };
    },
    pages: /^\/v3\/orders/,
    // Not the single order that shows the generation.
    rows: /^\/v3\/orders\?(?!.*limit=1(&|$))/,
    tokens: /^\/v3\/token/,
    status: (order, at) => walmartStatus(order, at, generation),
    shows: (_, order, at) => ({ id: ownId(order, generation), date_closed: closedAt(order, at) }),
    late: (_, order, at) => lateByWalmart(order, at, generation),
    refused: (good: Credentials) => ({ ...good, client_secret: 'otro' }),
  };
}

/** A file that names no version asks for the global documents. */
export function credentialsFor(generation: Generation, keys: Credentials) {
  return generation === 'global' ? keys : { ...keys, global_version: null };
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

/** A cancelled order is zeroed, and the time of a global line is that of its refund. */
function lateByWalmart(
  order: Order,
  at: number,
  generation: Generation,
): readonly Partial<Reported>[] {
  const isGlobal = generation === 'global';
  const isRefunded = reachedAt(order, 'refunded', at) ?? reachedAt(order, 'partially_refunded', at);
  return [
    ...(reachedAt(order, 'cancelled', at) === null
      ? []
      : [{ total: null, ...(isGlobal && { items: [] }) }]),
    ...(isGlobal && isRefunded
      ? [{ date_closed: null }, ...endsOf(order, at).map((end) => ({ date_closed: iso(end.at) }))]
      : []),
  ];
}

function closedAt(order: Order, at: number): string | null {
  const [first] = endsOf(order, at).filter(({ state }) => state !== 'partially_refunded');
  return first ? iso(first.at) : null;
}

/** What may have closed it, oldest first. */
function endsOf(order: Order, at: number): readonly Step[] {
  const ends: readonly State[] = ['cancelled', 'delivered', 'refunded', 'partially_refunded'];
  return order.steps.filter((step) => step.at <= at && ends.includes(step.state));
}
