import type { Mutant } from '../mutant.ts';

const PROBE = 'tests/probe.test.ts';

/** Of what an order says, and of the first look at an account. */
export const ORDERS: readonly Mutant[] = [
  {
    patch: 'namesakes-of-twenty-accounts',
    breaks: 'an ambiguous id names the marketplaces of twenty accounts alone',
    file: 'tests/spec/one-order.test.ts',
    test: 'an id in more accounts than a list has rows',
    says: /walmart/,
  },
  {
    patch: 'unexplained-money-is-fine',
    breaks: 'an order whose parts do not give its total is said to be right',
    file: 'tests/spec/one-order.test.ts',
    test: 'money_check: a total of 358.91',
    says: /unexplained/,
  },
  {
    patch: 'first-reading-invents-times',
    breaks:
      'an order that comes first in its last status gets the time of its reading as its closing date',
    file: 'tests/order-times.test.ts',
    test: 'an order that comes first in its last status',
    says: /deep-equal/,
  },
  {
    patch: 'address-is-a-name',
    breaks: 'an e-mail address given as a name is shown',
    file: 'src/features/orders/buyer-name.test.ts',
    test: 'a buyer named "juan.perez@example.com"',
    says: /juan\.perez/,
  },
  {
    patch: 'document-forbids-additions',
    breaks: 'the published document refuses answers with fields that are added within v1',
    file: 'tests/spec/openapi.test.ts',
    test: 'a client that validates by the document',
    says: /must NOT have additional properties/,
  },
  {
    patch: 'probe-changes-something',
    breaks: 'a probe makes what a sync run would make at the service',
    file: PROBE,
    test: 'vtex',
    says: /POST .*config/,
  },
  {
    patch: 'kept-documents-name-people',
    breaks: 'documents that a probe keeps hold names and identifiers as they came',
    file: PROBE,
    test: 'documents that are kept',
    says: /AssertionError/,
  },
  {
    patch: 'search-skips-a-millisecond',
    breaks: 'a page of a search leaves out orders of the millisecond that the page before ended in',
    file: 'tests/order-search.test.ts',
    test: 'orders of one millisecond are walked one by one',
    says: /'M-/,
  },
  {
    patch: 'former-release-unsearched',
    breaks: 'orders that a former release writes during an update are never found by a text',
    file: 'tests/order-search.test.ts',
    test: 'orders that are older than their terms',
    says: /3/,
  },
  {
    patch: 'tag-forgotten-beside-a-text',
    breaks: 'a search by a text shows orders without the open claim that is asked for too',
    file: 'tests/open-orders.test.ts',
    test: 'orders with an open return or claim',
    says: /'A-1'/,
  },
  {
    patch: 'two-tags-are-two-orders',
    breaks: 'an order with a return and a claim is counted twice on Inicio',
    file: 'tests/open-orders.test.ts',
    test: 'orders with an open return or claim',
    says: /count: 3/,
  },
  {
    patch: 'withheld-returns-are-none',
    breaks: 'an open return is taken for settled while the returns cannot be read',
    file: 'src/connectors/tiktok_shop/wire.test.ts',
    test: 'whose refunds could not be had',
    says: /tags/,
  },
];
