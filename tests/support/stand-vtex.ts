import { type Order, reachedAt, stepAt } from '../../simulators/order.ts';
import {
  changeOf,
  isInvoicedEarly,
  orderIdOf,
  paidFor,
  statesOf,
  totalOf,
} from '../../simulators/vtex/facts.ts';
import { startVtex } from '../../simulators/vtex/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { VtexCredentials } from '../../src/connectors/vtex/credentials.ts';
import { firstReached, iso, type Reported, type Stand } from './stand.ts';

const SPREAD =
  'a coupon is a promotion that is shared out among the lines, and their selling prices hold it';
const OWN_TEST = 'tests/connectors/vtex.test.ts';

export const vtex: Stand = {
  marketplace: 'vtex',
  start: ({ seed, now, limited }) => startVtex({ seed, now, ...(limited && { perMinute: 6_000 }) }),
  pages: /^\/api\/(oms\/pvt\/orders|orders\/feed)\?/,
  lists: /^\/api\/oms\/pvt\/orders\?/,
  rows: /^\/api\/oms\/pvt\/orders\/[^/?]+\?/,
  pageSize: 100,
  leavesLargeOut: true,
  tokens: null,
  status: vtexStatus,
  shows: ({ items }, order, at) => ({
    id: orderIdOf(order),
    total: totalOf(order, at) / 100,
    date_closed: closedAt(order, at),
    items: itemsOf(items, order, at),
  }),
  purchase: {
    unit_price: { is: 151.75, because: SPREAD },
    subtotal: { is: 151.75, because: SPREAD },
    order_discount: { is: 0, because: SPREAD },
  },
  // The feed has only states of the workflow.
  hides: (order, at) => statesOf(order, stepAt(order, at)).length === 0,
  refused: (good: VtexCredentials) => ({ ...good, app_token: 'OTROTOKEN' }),
  unreadable: { field: 'value', value: { texto: 'mucho' }, path: 'value' },
  unknown: { field: 'status', word: 'teleported', native: 'teleported' },
  cannot: {
    'too many': `every pass looks at the feed's configuration before it asks for a page: ${OWN_TEST}`,
    'broken answers': `a lot of the feed whose answer is lost comes again after four minutes: ${OWN_TEST}`,
    'shifted clock': `the feed does not tell that a parcel was delivered: ${OWN_TEST}`,
  },
};

/** There is no status of goods that came back. */
function vtexStatus(order: Order, at: number): OrderStatus {
  const packed = isInvoicedEarly(order) ? (['packed'] as const) : [];
  return firstReached(order, at, [
    'cancelled',
    'refunded',
    'delivered',
    'shipped',
    ...packed,
    'paid',
  ]);
}

function itemsOf(items: Reported['items'], order: Order, at: number): Reported['items'] {
  const priced = items.map((item, index) => ({
    ...item,
    unit_price: Number((paidFor(order, index) / 100 / item.quantity).toFixed(6)),
  }));
  const added = (changeOf(order, at)?.added ?? []).map(({ id, name, quantity, price }) => ({
    title: name,
    sku: String(id),
    quantity,
    unit_price: price / 100,
  }));
  return [...priced, ...added];
}

/** The first of its ends. */
function closedAt(order: Order, at: number): string | null {
  const ends = (['cancelled', 'delivered', 'refunded'] as const).flatMap(
    (state) => reachedAt(order, state, at) ?? [],
  );
  return ends.length > 0 ? iso(Math.min(...ends)) : null;
}
