import type { Mutant } from '../mutant.ts';

const TOO_LARGE = 'tests/too-large.test.ts';
const LARGE_PAGES = 'tests/large-pages.test.ts';

export const TOO_LARGE_ANSWERS: readonly Mutant[] = [
  {
    patch: 'too-large-is-silence',
    breaks: 'a page that is too large is called a store that does not answer',
    file: TOO_LARGE,
    test: 'a store whose plugin keeps a label',
    says: /0 !== 60/,
  },
  {
    patch: 'pages-never-smaller',
    breaks: 'the first row of a page that is too large is set aside, although it can be read',
    file: TOO_LARGE,
    test: 'a store whose plugin keeps a label',
    says: / !== 60/,
  },
  {
    patch: 'pages-stay-small',
    breaks: 'pages that became smaller stay so',
    file: TOO_LARGE,
    test: 'pages grow again',
    says: /25 !== 50/,
  },
  {
    patch: 'large-row-stops-all',
    breaks: 'one order that is too large keeps all after it from coming in',
    file: TOO_LARGE,
    test: 'one order that is too large alone',
    says: /the others are there/,
  },
  {
    patch: 'large-row-untold',
    breaks: 'nothing tells of an order that is too large to be read',
    file: TOO_LARGE,
    test: 'one order that is too large alone',
    says: /undefined/,
  },
  {
    patch: 'plugin-data-asked-for',
    breaks: 'what plugins add to an order is asked for',
    file: TOO_LARGE,
    test: 'what plugins add beside',
    says: /deep-equal/,
  },
  {
    patch: 'page-number-skips',
    breaks: 'a smaller page begins behind rows that were not read',
    file: TOO_LARGE,
    test: 'pages with numbers shrink',
    says: /deep-equal/,
  },
  {
    patch: 'token-of-another-size',
    breaks: 'a token leads on in pages of another size than it was given with',
    file: 'src/connectors/paging.test.ts',
    test: 'a token leads on in pages of its own size',
    says: /deep-equal/,
  },
  {
    patch: 'span-never-shorter',
    breaks: 'one order that is too large hides all that changed in the same span of time',
    file: LARGE_PAGES,
    test: 'tiktok_shop',
    says: /all the others are there/,
  },
  {
    patch: 'page-limit-forgotten',
    breaks: 'each run begins anew to make its pages smaller, and never comes to an end',
    file: 'src/exchange/wire/budget.test.ts',
    test: 'a page whose rows together',
    says: /the next run knows/,
  },
  {
    patch: 'broken-service-loses-rows',
    breaks: 'where every answer is too large, orders are left out one by one',
    file: 'tests/connectors/suite/liverpool.test.ts',
    test: 'answers that stay broken',
    says: /huge/,
  },
  {
    patch: 'nameless-row-untold',
    breaks:
      'nothing tells of an order that is too large where its list does not tell which one it is',
    file: LARGE_PAGES,
    test: 'liverpool',
    says: /0 !== 1/,
  },
  {
    patch: 'row-behind-large-skipped',
    breaks: 'the order behind one that is too large is left out, too',
    file: LARGE_PAGES,
    test: 'liverpool',
    says: /all the others are there/,
  },
  {
    patch: 'large-batch-stops',
    breaks: 'an open order that is too large keeps all others from being asked about',
    file: 'tests/connectors/mirakl.test.ts',
    test: 'an open order that is too large',
    says: /too_large|deep-equal/,
  },
  {
    patch: 'large-report-stops',
    breaks: 'a report of movements that is too large ends the settlements',
    file: 'tests/connectors/mercado_libre-money.test.ts',
    test: 'a report that is too large',
    says: /más de lo que podemos leer/,
  },
  {
    patch: 'nameless-alert-for-good',
    breaks: 'an order whose list does not name it is never read again',
    file: 'tests/nameless-rows.test.ts',
    test: 'a new order without a name',
    says: /falsy value|expression evaluated/,
  },
  {
    patch: 'nameless-alert-ends-at-once',
    breaks: 'the alert of an order without a name ends, although no list showed it since then',
    file: 'tests/nameless-rows.test.ts',
    test: 'a new order without a name',
    says: /did not show it/,
  },
];
