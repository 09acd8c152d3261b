import type { Mutant } from '../mutant.ts';

const WIRE = 'src/connectors/amazon/wire.test.ts';

export const AMAZON: readonly Mutant[] = [
  {
    patch: 'tax-always-added',
    breaks: 'Amazon’s TAX is added to prices that hold it',
    file: 'tests/connectors/amazon.test.ts',
    test: 'with taxes inside and rows of the order',
    says: /unexplained/,
  },
  {
    patch: 'first-discount-counts',
    breaks: 'of two discounts of an Amazon line the first alone is taken off',
    file: WIRE,
    test: 'rows of one type are summed',
    says: /unit: 85/,
  },
  {
    patch: 'store-is-the-buyer',
    breaks: 'an order that is picked up is named after the store',
    file: WIRE,
    test: 'an order that is picked up',
    says: /Portería/,
  },
];
