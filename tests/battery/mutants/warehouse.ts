import type { Mutant } from '../mutant.ts';

export const WAREHOUSE: readonly Mutant[] = [
  {
    patch: 'second-edit-wins',
    breaks: 'an edit of a line overwrites what another person saved meanwhile',
    file: 'tests/panel-warehouse.test.ts',
    test: 'two people edit one line',
    says: /line_changed/,
  },
  {
    patch: 'guide-cost-for-everybody',
    breaks: 'roles that see no money see what a guide cost',
    file: 'tests/panel-warehouse.test.ts',
    test: 'what a guide cost is left out',
    says: /amount for/,
  },
  {
    patch: 'dry-run-forgets-waiting',
    breaks: 'a dry run calls a line ready whose last attempt has no answer',
    file: 'tests/panel-warehouse.test.ts',
    test: 'an attempt without an answer waits',
    says: /waiting/,
  },
  {
    patch: 'dry-run-hides-pause',
    breaks: 'a dry run does not warn that the account of the guides is paused',
    file: 'tests/panel-warehouse.test.ts',
    test: 'a dry run says that the account',
    says: /deep-equal/,
  },
  {
    patch: 'job-of-anybody',
    breaks: 'an organisation follows a job of another one',
    file: 'tests/panel-warehouse.test.ts',
    test: '«En camino» is pressed by supervisors',
    says: /404/,
  },
  {
    patch: 'fields-of-money-for-everybody',
    breaks: 'roles that see no money see what a shipment cost in its carrier’s own fields',
    file: 'tests/panel-shipments.test.ts',
    test: 'what a shipment cost is left out',
    says: /declared_value for/,
  },
  {
    patch: 'linked-events-are-orphans',
    breaks: 'events that have their shipment are shown as if they had none',
    file: 'tests/panel-shipments.test.ts',
    test: 'an event without a shipment is shown',
    says: /deep-equal/,
  },
  {
    patch: 'unsettled-lines-not-found',
    breaks: 'the lines whose guide needs a person are not found',
    file: 'tests/panel-warehouse.test.ts',
    test: 'an attempt without an answer waits',
    says: /deep-equal/,
  },
  {
    patch: 'ready-lines-lack-something',
    breaks: 'lines that lack something are among those that are ready for their guide',
    file: 'tests/panel-warehouse.test.ts',
    test: 'lines that are ready for their guide',
    says: /deep-equal/,
  },
  {
    patch: 'dry-run-says-one-lack',
    breaks: 'a dry run says only the first of what a line lacks',
    file: 'tests/panel-warehouse.test.ts',
    test: 'a dry run says all that each line lacks',
    says: /deep-equal/,
  },
];
