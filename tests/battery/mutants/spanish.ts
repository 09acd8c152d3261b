import type { Mutant } from '../mutant.ts';

export const SPANISH: readonly Mutant[] = [
  {
    patch: 'role-by-another-word',
    breaks: 'a refusal says «papel» where the others say «rol»',
    file: 'tests/spanish.test.ts',
    test: 'one word is said for one thing',
    says: /instead of papel/,
  },
  {
    patch: 'place-that-is-not-there',
    breaks: 'the table of site pages leads to an address without a page',
    file: 'tests/spanish.test.ts',
    test: 'every site page has its name as its title',
    says: /cuenta\/bitacora/,
  },
];
