import type { Mutant } from '../mutant.ts';

const EXPORTS = 'tests/exports.test.ts';

const KEPT = 'tests/kept-exports.test.ts';

const READABLE = 'tests/readable-exports.test.ts';

export const EXPORTED: readonly Mutant[] = [
  {
    patch: 'export-of-many-moments',
    breaks: 'each page of an export is of its own moment',
    file: EXPORTS,
    test: 'what changes while a file is written is not in it',
    says: /2601/,
  },
  {
    patch: 'export-goes-on-after-a-change',
    breaks: 'an export that was cut off goes on with rows of another moment',
    file: EXPORTS,
    test: 'a cut export begins anew where its moment is no longer kept',
    says: /asOf|cancelled|deep/,
  },
  {
    patch: 'export-forgets-its-moment',
    breaks: 'an export that was cut off begins anew, as of a later moment',
    file: EXPORTS,
    test: 'after changes a cut export has the bytes of its first moment, also twice cut',
    says: /asOf|deep/,
  },
  {
    patch: 'export-never-lets-go',
    breaks: 'the database keeps the moment of an export that has ended',
    file: EXPORTS,
    test: 'after changes a cut export has the bytes of its first moment, also twice cut',
    says: /!== 0|[1-9] !== 0|equal/,
  },
  {
    patch: 'export-with-formulas',
    breaks: 'a text that a spreadsheet takes for a formula is exported as it is',
    file: EXPORTS,
    test: 'csv has a column for each value, and neither a formula nor a rounded amount',
    says: /=1\+1/,
  },
  {
    patch: 'export-with-bare-ids',
    breaks: 'an id of digits is a number for each spreadsheet that reads a CSV',
    file: EXPORTS,
    test: 'csv has a column for each value, and neither a formula nor a rounded amount',
    says: /an id of digits is quoted/,
  },
  {
    patch: 'export-of-unbounded-memory',
    breaks: 'the heap of an export grows to what the machine has',
    file: 'tests/reliability/exports.test.ts',
    test: 'an export needs no more memory for more orders',
    says: /MB more/,
  },
  {
    patch: 'workbook-of-rounded-numbers',
    breaks: 'a number that Excel would round is a number in a workbook',
    file: EXPORTS,
    test: 'a workbook is the same each time, and goes on in another sheet',
    says: /12345678901234\.10/,
  },
  {
    patch: 'readable-moments-in-utc',
    breaks: 'a workbook for people has its times in UTC',
    file: READABLE,
    test: 'the page offers it first',
    says: /46341/,
  },
  {
    patch: 'readable-with-codes',
    breaks: 'a workbook for people has codes in the places of words',
    file: READABLE,
    test: 'no cell of any kind of rows',
    says: /orders: delivered/,
  },
  {
    patch: 'shipment-cost-for-all',
    breaks: 'a role that does not see earnings exports what shipments cost',
    file: READABLE,
    test: 'a role that does not see earnings',
    says: /129\.42/,
  },
  {
    patch: 'export-without-data-scope',
    breaks: 'a key exports data that it may not read',
    file: KEPT,
    test: 'a key needs the permission of exports',
    says: /deep-equal/,
  },
  {
    patch: 'export-with-earnings-for-all',
    breaks: 'a role that does not see earnings exports them',
    file: KEPT,
    test: 'on the page a member asks',
    says: /deep-equal/,
  },
  {
    patch: 'kept-export-in-clear',
    breaks: 'a kept export is not sealed',
    file: KEPT,
    test: 'what is kept is sealed',
    says: /Missing expected exception/,
  },
  {
    patch: 'exports-kept-for-long',
    breaks: 'an export is kept for more than seven days',
    file: KEPT,
    test: 'after seven days it is deleted',
    says: /deep-equal/,
  },
  {
    patch: 'export-of-another-organisation',
    breaks: 'an organisation reads the exports of another',
    file: KEPT,
    test: 'another organisation reaches no export',
    says: /deep-equal/,
  },
  {
    patch: 'export-link-without-end',
    breaks: 'a link to a file serves for ever',
    file: KEPT,
    test: 'another organisation reaches no export',
    says: /deep-equal/,
  },
  {
    patch: 'cut-export-never-forgiven',
    breaks: 'a long export is given up after ten cuts, although it comes further each time',
    file: KEPT,
    test: 'an export that came further after a cut',
    says: /deep-equal/,
  },
  {
    patch: 'export-without-job-waits',
    breaks: 'an export whose job failed for good waits for ever',
    file: KEPT,
    test: 'an export that came further after a cut',
    says: /deep-equal/,
  },
  {
    patch: 'export-of-some-days',
    breaks: 'an export of all orders without a CFDI leaves out those of more than 400 days ago',
    file: EXPORTS,
    test: 'orders without a CFDI are exported from the first one',
    says: /M-00000/,
  },
  {
    patch: 'told-day-is-a-moment',
    breaks: 'the day of a deposit is shown as the evening before',
    file: READABLE,
    test: 'a payout whose day came without a time',
    says: /dd\/mm\/yyyy hh:mm/,
  },
  {
    patch: 'payout-day-begins-the-evening-before',
    breaks: 'a period lacks the payouts of its first day, and has those of the day after',
    file: READABLE,
    test: 'a payout whose day came without a time',
    says: /DAY/,
  },
];
