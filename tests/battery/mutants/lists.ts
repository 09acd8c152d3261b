import type { Mutant } from '../mutant.ts';

const HOSTILE = 'tests/attacks/hostile-store.test.ts';

/** Lists and answers of others that have no end. */
export const LISTS: readonly Mutant[] = [
  {
    patch: 'cursors-round-instants',
    breaks: 'a cursor keeps the last instants of the year 9999 as one of the year 10000',
    file: 'tests/spec/pagination.test.ts',
    test: 'the last instants that a program can write',
    says: /invalid_cursor|internal_error/,
  },
  {
    patch: 'step-without-budget',
    breaks: 'one step of work reads as many bytes as it is sent',
    file: HOSTILE,
    test: 'a store whose list of webhooks has no end and large pages',
    says: /bytes were read/,
  },
  {
    patch: 'list-without-end',
    breaks: 'a list inside a step has as many pages as its service says',
    file: HOSTILE,
    test: 'a store whose list of webhooks has no end and small pages',
    says: /700 !== 500/,
  },
  {
    patch: 'rows-of-any-number',
    breaks: 'a page has as many rows as fit into its bytes',
    file: HOSTILE,
    test: 'a page of twelve thousand orders',
    says: /'unreadable',\s+'connection'/,
  },
  {
    patch: 'values-uncounted',
    breaks: 'an answer of millions of values is read',
    file: 'src/exchange/wire/budget.test.ts',
    test: 'eight megabytes of orders are read',
    says: /Missing expected exception/,
  },
  {
    patch: 'page-over-budget-stops-all',
    breaks: 'rows that go beyond their step together are never asked for apart',
    file: 'src/exchange/sync/page-size.test.ts',
    test: 'a page whose rows together go beyond',
    says: /so many bytes for one step/,
  },
];
