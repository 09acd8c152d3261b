import type { Mutant } from '../mutant.ts';

const CELLS = 'tests/sheet.test.ts';
const TROUBLES = 'tests/sheet-troubles.test.ts';

export const SHEET: readonly Mutant[] = [
  {
    patch: 'sheet-runs-without-lock',
    breaks: 'the sheet is written by two runs at once',
    file: TROUBLES,
    test: 'of two triggers that overlap one works',
    says: /Ya hay una carga/,
  },
  {
    patch: 'sheet-moves-on-before-writing',
    breaks: 'a load of the sheet moves on before its page is written',
    file: 'tests/reliability/sheet-cuts.test.ts',
    test: 'a load that Google cuts at any call goes on',
    says: /cut at call/,
  },
  {
    patch: 'sheet-keeps-row-numbers',
    breaks: 'a sheet that is sorted during a load has orders written over others',
    file: 'tests/sheet-use.test.ts',
    test: 'the seller may sort the sheet during a load',
    says: /strictly equal/,
  },
  {
    patch: 'sheet-knows-orders-by-id',
    breaks: 'the sheet knows an order by its id alone',
    file: CELLS,
    test: 'two accounts with the same order number have a row each',
    says: /deep-equal/,
  },
  {
    patch: 'sheet-takes-formulas',
    breaks: 'a text that begins like a formula becomes one in the sheet',
    file: CELLS,
    test: 'a text that begins like a formula is text',
    says: /strictly equal/,
  },
  {
    patch: 'sheet-cut-run-uncounted',
    breaks: 'a run that Google cuts does not count for the hour a day',
    file: TROUBLES,
    test: 'a run that Google cuts counts as the longest one',
    says: /deep-equal/,
  },
  {
    patch: 'sheet-waits-a-second',
    breaks: 'the sheet asks again each second, whatever Retry-After says',
    file: TROUBLES,
    test: 'a quota that is spent is waited for',
    says: /before its time/,
  },
];
