import type { Mutant } from '../mutant.ts';

const LEDGER = 'tests/ledger.test.ts';
const SOURCES = 'tests/ledger-sources.test.ts';
const FINDINGS = 'tests/findings.test.ts';
const DOCUMENTS = 'tests/document-findings.test.ts';
const PAYOUTS = 'tests/payouts.test.ts';

export const LEDGERS: readonly Mutant[] = [
  {
    patch: 'ledger-counts-twice',
    breaks: 'a movement is added again with every report that lists it',
    file: LEDGER,
    test: 'an order changes once by a sync run',
    says: /4 !== 2/,
  },
  {
    patch: 'ledger-keeps-what-is-gone',
    breaks: 'a movement that a corrected report no longer lists stays in the sums',
    file: LEDGER,
    test: 'a corrected report takes rows back',
    says: /deep-equal/,
  },
  {
    patch: 'ledger-forgets-the-rest',
    breaks: 'what the columns of a row do not explain is lost',
    file: LEDGER,
    test: 'every amount of a report is in the ledger',
    says: /strictly equal/,
  },
  {
    patch: 'ledger-hides-taxes',
    breaks: 'withheld taxes of unknown kind are not counted',
    file: LEDGER,
    test: 'an order of a report has its fees, withheld taxes',
    says: /withheld_total: 0/,
  },
  {
    patch: 'ledger-complete-too-early',
    breaks: 'the net amount is complete although the ledger lacks a refund',
    file: LEDGER,
    test: 'a refund that the report does not have yet',
    says: /deep-equal/,
  },
  {
    patch: 'payout-counts-the-next',
    breaks: 'a payout from a balance has the movements that came after it',
    file: PAYOUTS,
    test: 'a payout that draws on a balance',
    says: /deep-equal/,
  },
  {
    patch: 'log-forgets-its-cycle',
    breaks: 'a payout lacks one kind of the movements that it settles',
    file: PAYOUTS,
    test: 'every paid cycle of Mirakl',
    says: /deep-equal/,
  },
  {
    patch: 'amazon-release-counts-twice',
    breaks: 'money that Amazon held back is counted again when it is released',
    file: SOURCES,
    test: 'Amazon money that is held back',
    says: /strictly equal/,
  },
  {
    patch: 'shopify-fee-is-lost',
    breaks: 'the fees of Shopify Payments are not in the ledger',
    file: SOURCES,
    test: 'every payout of shopify',
    says: /deep-equal/,
  },
  {
    patch: 'tiktok-statements-read-forever',
    breaks: 'each sync run reads the transactions of all statements that were ever paid',
    file: SOURCES,
    test: 'a statement of TikTok Shop is read again',
    says: /strictly equal/,
  },
  {
    patch: 'findings-ignore-dates',
    breaks: 'withheld taxes are compared with the rate of another year',
    file: FINDINGS,
    test: 'a month without faults',
    says: / !== 0/,
  },
  {
    patch: 'findings-never-end',
    breaks: 'a finding stays open after its payout was corrected',
    file: FINDINGS,
    test: 'a finding that a person explained',
    says: /0 !== 1/,
  },
  {
    patch: 'findings-are-not-looked-for',
    breaks: 'no finding follows from a sync run',
    file: SOURCES,
    test: 'a sale without an order',
    says: /deep-equal/,
  },
  {
    patch: 'withheld-by-another-clock',
    breaks: 'taxes of the last hours of a month count in the next one',
    file: 'tests/withheld.test.ts',
    test: 'a month has what the ledger withheld',
    says: /deep-equal/,
  },
  {
    patch: 'usual-fee-of-any-listing',
    breaks: 'a commission is compared with those of other listings',
    file: DOCUMENTS,
    test: 'a commission that is not the usual one of its listing is found',
    says: /!== 2/,
  },
  {
    patch: 'certificates-of-some-compared',
    breaks: 'certificates are compared although a marketplace that withholds has no ledger',
    file: DOCUMENTS,
    test: 'certificates of a month are compared with the taxes of all accounts',
    says: /!== 1/,
  },
  {
    patch: 'fee-invoices-of-the-month-alone',
    breaks: 'an invoice of the fees of the month before is a finding',
    file: DOCUMENTS,
    test: "the marketplace's invoices of a month are compared",
    says: /those of October/,
  },
  {
    patch: 'payout-of-orders-alone',
    breaks: 'a payout lacks the movements that name no order, such as advertisements',
    file: 'tests/reliability/month-of-money.test.ts',
    test: 'every cent of a month at ten marketplaces',
    says: /P-0/,
  },
  {
    patch: 'last-payout-of-any-currency',
    breaks: 'a balance names a payout in another currency',
    file: 'tests/reading.test.ts',
    test: 'a balance names the last payout of its account in its currency',
    says: /deep-equal/,
  },
  {
    patch: 'facilitator-tax-is-sale',
    breaks: 'taxes that Amazon withheld as a marketplace facilitator lower the sale',
    file: 'src/connectors/amazon/wire-movements.test.ts',
    test: 'MarketplaceFacilitatorVAT-Principal is a tax withheld',
    says: /deep-equal/,
  },
  {
    patch: 'payout-of-any-currency',
    breaks: 'a payout in dollars is made of movements in pesos',
    file: 'tests/payouts.test.ts',
    test: 'a payout in another currency is made of no pesos',
    says: /deep-equal/,
  },
  {
    patch: 'translated-columns-unknown',
    breaks: 'a report whose columns have translated names before their codes cannot be read',
    file: 'src/connectors/table.test.ts',
    test: 'a column with a translated name',
    says: /deep-equal/,
  },
];
