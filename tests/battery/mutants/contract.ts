import type { Mutant } from '../mutant.ts';

const ORDERS = 'tests/spec/orders.test.ts';
const LIMITS = 'tests/spec/limits.test.ts';

export const CONTRACT: readonly Mutant[] = [
  {
    patch: 'grace-after-the-limit',
    breaks: 'grouping and grace are added to the time limit instead of taken from it',
    file: 'src/entrances/time-limit.test.ts',
    test: 'every request is cancelled before the limit and answered within it',
    says: /answered at \d+ ms/,
  },
  {
    patch: 'refused-address-uncounted',
    breaks: 'a request that the front refuses does not count, though it carries a valid key',
    file: LIMITS,
    test: 'a valid key counts where no operation answers too',
    says: /404 not_found/,
  },
  {
    patch: 'accounts-of-any-length',
    breaks: 'a filter by accounts may be so long that its own cursor is refused',
    file: ORDERS,
    test: 'a list of accounts takes at most',
    says: /expected 400 invalid_request/,
  },
  {
    patch: 'former-cursors-in-another-order',
    breaks: 'a cursor that was made before the filters had names is read with other filters',
    file: 'tests/spec/pagination.test.ts',
    test: 'a cursor that was made before filters travelled by their names goes on working',
    says: /actual|undefined/,
  },
  {
    patch: 'period-backwards',
    breaks: 'a period that ends before it begins is an empty answer',
    file: 'tests/reading.test.ts',
    test: 'a period that ends before it begins is refused in Spanish',
    says: /Missing expected rejection/,
  },
  {
    patch: 'postal-code-for-agents',
    breaks: 'agents read the postal code that a shipment goes to',
    file: 'tests/reading.test.ts',
    test: 'a shipment is shown by city alone',
    says: /45100|zipcode/,
  },
  {
    patch: 'purse-of-every-kind',
    breaks: 'the event of a purse has the keys of marketplaces and of carriers',
    file: 'tests/balances.test.ts',
    test: 'customers are notified',
    says: /carrier|marketplace/,
  },
  {
    patch: 'shipment-cost-not-marked',
    breaks: 'what a shipment costs is not known to be the seller’s own money',
    file: 'tests/order-earnings.test.ts',
    test: 'an agent sees what a shipment costs',
    says: /supervisor, compact/,
  },
  {
    patch: 'comma-always-separates',
    breaks: 'an account with a comma cannot be asked for',
    file: ORDERS,
    test: 'an account with a comma can be requested',
    says: /acc\\,2/,
  },
  {
    patch: 'hint-however-far',
    breaks:
      'a name that does not exist is answered with another one that has nothing to do with it',
    file: ORDERS,
    test: 'an unknown parameter that is near none',
    says: /Quisiste decir/,
  },
  {
    patch: 'summary-floors-instants',
    breaks: 'a summary takes an instant for the day in which it lies in UTC',
    file: 'tests/mcp.test.ts',
    test: 'what is wrong with a call is said in Spanish',
    says: /get_sales_summary/,
  },
  {
    patch: 'quota-for-every-plan',
    breaks: 'a quota of its own is agreed for a plan that has none',
    file: 'tests/cli.test.ts',
    test: 'set-plan: the running instance knows',
    says: /reading 'param'/,
  },
  {
    patch: 'unstorable-id-is-looked-for',
    breaks: 'a folio with a NUL is sent to the database, and answered 500',
    file: 'tests/manage.test.ts',
    test: 'an id of characters that are no text',
    says: /a%00b/,
  },
  {
    patch: 'number-published-unread',
    breaks: 'a parameter is published whose values no address can give',
    file: 'tests/manage.test.ts',
    test: 'every operation accepts what the documents publish of each of its query parameters',
    says: /query\.ts cannot read it: GET .*least=1\.5/,
  },
];
