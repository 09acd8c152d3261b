import type { Mutant } from '../mutant.ts';

const file = 'tests/erasure.test.ts';

/** Of the erasure of an organisation. */
export const ERASURE: readonly Mutant[] = [
  {
    patch: 'erased-organization-entered',
    breaks: 'transactions of an erased organisation begin as before',
    file,
    test: 'a kill in the middle',
    says: /Missing expected rejection/,
  },
  {
    patch: 'erasure-forgets-a-table',
    breaks: 'the rows of one table outlive their organisation',
    file,
    test: 'every table of the catalogue is erased',
    says: /sku_equivalences/,
  },
  {
    patch: 'erasure-waits-for-none',
    breaks: 'a transaction that had begun stores its rows after the erasure',
    file,
    test: 'what had begun to write ends first',
    says: /nobody waits/,
  },
  {
    patch: 'erasure-of-any-name',
    breaks: 'an organisation is erased under a name that is not its own',
    file,
    test: 'another name, or none of ours',
    says: /Missing expected rejection/,
  },
  {
    patch: 'jobs-outlive-the-organization',
    breaks: 'jobs of an erased organisation stay with their payload',
    file,
    test: 'markers in every table',
    says: /queue\.job/,
  },
  {
    patch: 'people-of-two-erased',
    breaks: 'a person who belongs to another organisation is erased, too',
    file,
    test: 'markers in every table',
    says: /members/,
  },
];
