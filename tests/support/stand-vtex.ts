import { type Order, stepAt } from '../../simulators/order.ts';
import { isInvoicedEarly, orderIdOf, statesOf, totalOf } from '../../simulators/vtex/facts.ts';
import { startVtex } from '../../simulators/vtex/index.ts';
import type { OrderStatus } from '../../src/connectors/contract.ts';
import type { VtexCredentials } from '../../src/connectors/vtex/credentials.ts';
import { firstReached, type Stand } from './stand.ts';

const OWN_TEST = 'tests/connectors/vtex.test.ts';

export const vtex: Stand = {
  marketplace: 'vtex',
  start: ({ seed, now, limited }) => startVtex({ seed, now, ...(limited && { perMinute: 6_000 }) }),
  pages: /^\/api\/(oms\/pvt\/orders|orders\/feed)\?/,
  rows: /^\/api\/oms\/pvt\/orders\/[^/?]+\?/,
  pageSize: 100,
  tokens: null,
  status: vtexStatus,
  tells: (_, order) => ({ id: orderIdOf(order), total: totalOf(order) / 100 }),
  // The feed tells no step that is no state of the workflow.
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
  return firstReached(order, at, ['cancelled', 'refunded', 'delivered', 'shipped', ...packed, 'paid']);
}
