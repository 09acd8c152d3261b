import type { Mutant } from '../mutant.ts';

const TOO_LARGE = 'tests/too-large.test.ts';

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
];
