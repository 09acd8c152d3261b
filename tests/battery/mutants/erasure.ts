import type { Mutant } from '../mutant.ts';

const file = 'tests/erasure.test.ts';
const FENCE = 'tests/erasure-fence.test.ts';

/** Of the erasure of an organisation. */
const FILE = 'tests/organization-file.test.ts';

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
    patch: 'act-without-entering',
    breaks: 'an act from the transaction of a person is written after the erasure',
    file: FENCE,
    test: 'an act from the transaction of a person',
    says: /Missing expected rejection/,
  },
  {
    patch: 'schedules-of-the-erased',
    breaks: 'the planning for all accounts schedules those of an erased organisation',
    file: FENCE,
    test: 'schedules that are planned for all accounts',
    says: /no session waits/,
  },
  {
    patch: 'rerendering-of-the-erased',
    breaks: 'the re-rendering of an erased organisation stays',
    file: FENCE,
    test: 'a re-rendering that was planned for an erased',
    says: /is_done: true/,
  },
  {
    patch: 'erasure-waits-for-none',
    breaks: 'a transaction that had begun stores its rows after the erasure',
    file,
    test: 'what had begun to write ends first',
    says: /no session waits/,
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
  {
    patch: 'organization-file-with-credentials',
    breaks: 'the file of an organisation has the credentials of its accounts',
    file: FILE,
    test: 'an organisation comes back',
    says: /falsy|The expression evaluated/,
  },
  {
    patch: 'imported-organization-at-work',
    breaks: 'an imported organisation works at once, beside its origin',
    file: FILE,
    test: 'an organisation comes back',
    says: /en uso/,
  },
  {
    patch: 'organization-file-misses-pages',
    breaks: 'of a table the file has the first page alone',
    file: FILE,
    test: 'rows of every table come back',
    says: /strictly equal/,
  },
  {
    patch: 'imported-rows-numbered-before',
    breaks: 'after an import new rows get numbers that imported ones have',
    file: FILE,
    test: 'rows of every table come back',
    says: /is_after/,
  },
  {
    patch: 'import-under-another-key',
    breaks: 'an organisation is imported whose documents nothing opens',
    file: FILE,
    test: 'a file that is cut off',
    says: /MASTER_KEY/,
  },
  {
    patch: 'erased-sender-lets-in',
    breaks: 'the invitation of a removed person becomes valid when the person is erased',
    file: 'tests/members.test.ts',
    test: 'an invitation does not become an operator',
    says: /200 !== 410/,
  },
  {
    patch: 'sample-takes-its-person',
    breaks: 'a person of no other organisation loses the account with the sample',
    file: 'tests/samples.test.ts',
    test: 'a person keeps the account without a sample',
    says: /0 !== 1/,
  },
];
