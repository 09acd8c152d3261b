import type { Mutant } from '../mutant.ts';

const WIRE = 'src/connectors/walmart/wire.test.ts';

export const WALMART: readonly Mutant[] = [
  {
    patch: 'cancelled-is-worth-nothing',
    breaks: 'a cancelled Walmart order has a total of 0',
    file: WIRE,
    test: 'an order that was cancelled wholly',
    says: /'0'/,
  },
  {
    patch: 'cancelled-pieces-are-live',
    breaks:
      'pieces of a line that were cancelled count as sold when it is asked whether all came back',
    file: WIRE,
    test: 'cancelled pieces of a line',
    says: /delivered/,
  },
  {
    patch: 'refund-closes-again',
    breaks: 'a refund moves the closing date of a Walmart order',
    file: WIRE,
    test: 'a global line has one time',
    says: /2026-11-02T10:00:00Z/,
  },
  {
    patch: 'shipping-is-in-the-total',
    breaks: 'a Walmart total is said to hold the shipping that it does not',
    file: 'tests/money.test.ts',
    test: 'walmart (pages of 100): the one purchase',
    says: /paid: 151\.75/,
  },
];
