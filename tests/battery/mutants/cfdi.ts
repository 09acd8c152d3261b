import type { Mutant } from '../mutant.ts';

const READER = 'src/features/cfdi/xml/read-document.test.ts';
const LINKS = 'tests/cfdi-links.test.ts';
const BOMBS = 'tests/attacks/tax-documents.test.ts';
const DRAWN = 'tests/tax-documents.test.ts';
const UPLOADS = 'tests/cfdi-uploads.test.ts';

/** Of tax documents. */
export const CFDI: readonly Mutant[] = [
  {
    patch: 'uploads-without-end',
    breaks: 'one organisation lets any number of bytes of CFDI wait',
    file: 'tests/cfdi-uploads.test.ts',
    test: 'files that wait are limited',
    says: /cfdi_upload_limit_reached/,
  },
  {
    patch: 'upload-without-job-waits',
    breaks: 'an upload whose job is gone waits for ever',
    file: UPLOADS,
    test: 'an upload whose job is gone',
    says: /deep-equal|strictly equal/,
  },
  {
    patch: 'stamp-anywhere-counts',
    breaks: 'a stamp inside an Addenda makes a draft a CFDI',
    file: READER,
    test: 'only a stamp in the complement node counts',
    says: /Missing expected exception/,
  },
  {
    patch: 'doctype-accepted',
    breaks: 'a document with a DOCTYPE is read',
    file: READER,
    test: 'declares a DOCTYPE',
    says: /Missing expected exception/,
  },
  {
    patch: 'prefix-decides',
    breaks: 'elements are known by their prefix and not by their namespace',
    file: READER,
    test: 'elements are known by their namespace',
    says: /no_es_cfdi|No es un CFDI/,
  },
  {
    patch: 'cfdi-record-in-clear',
    breaks: 'the record of a CFDI, with the names in it, is stored in clear',
    file: 'tests/cfdi.test.ts',
    test: 'what names people is sealed',
    says: /true !== false|SealError|Expected values to be strictly equal/,
  },
  {
    patch: 'upload-without-scope',
    breaks: 'any key uploads CFDI',
    file: UPLOADS,
    test: 'or not allowed is refused',
    says: /202/,
  },
  {
    patch: 'zip-bomb-unpacked',
    breaks: 'a file is unpacked beyond the size that its archive gives',
    file: 'tests/cfdi-archive.test.ts',
    test: 'a bomb is refused',
    says: /Missing expected exception/,
  },
  {
    patch: 'one-folio-new-twice',
    breaks: 'of two files of one upload with one folio, both are new',
    file: UPLOADS,
    test: 'an XML and a ZIP come in',
    says: /added/,
  },
  {
    patch: 'direction-of-any-receiver',
    breaks: 'a CFDI is received, whatever its receiver',
    file: LINKS,
    test: 'the direction follows the profile',
    says: /received/,
  },
  {
    patch: 'order-of-cfdi-guessed',
    breaks: 'a CFDI is linked to one of two orders of the same id',
    file: LINKS,
    test: 'are never guessed',
    says: /2000000000000009/,
  },
  {
    patch: 'cancelled-cfdi-unreported',
    breaks: 'customers get no event about a cancelled CFDI',
    file: 'tests/cfdi-status.test.ts',
    test: 'its cancellation moves its order and emits one event',
    says: /cancelado/,
  },
  {
    patch: 'cancelled-cfdi-invoices',
    breaks: 'an order whose only CFDI was cancelled needs no invoice',
    file: 'tests/uninvoiced.test.ts',
    test: 'an order is pending until an invoice that is not cancelled has it',
    says: /deep-equal/,
  },
  {
    patch: 'global-invoice-of-named-buyers',
    breaks: 'the global invoice has orders with a CFDI to their buyer',
    file: 'tests/uninvoiced.test.ts',
    test: 'the global invoice is for orders without a CFDI to their buyer',
    says: /deep-equal/,
  },
  {
    patch: 'undone-link-is-listed',
    breaks: 'a document is listed with an order whose link a person undid',
    file: LINKS,
    test: 'a list of documents has the orders that people linked',
    says: /deep-equal/,
  },
  {
    patch: 'second-party-hides-first',
    breaks: 'of two issuers in one document the last one counts',
    file: DRAWN,
    test: 'each mutation of them is read to its record',
    says: /not refused/,
  },
  {
    patch: 'amount-with-exponent',
    breaks: 'an amount of 1e3 is read as a thousand',
    file: DRAWN,
    test: 'each mutation of them is read to its record',
    says: /not refused/,
  },
  {
    patch: 'replaced-certificate-counts',
    breaks: 'a withholding certificate counts beside the one that replaced it',
    file: 'tests/withheld.test.ts',
    test: 'a certificate that its issuer replaced does not count',
    says: /deep-equal/,
  },
  {
    patch: 'period-of-no-months',
    breaks: 'a certificate whose period is no months ends every comparison',
    file: 'tests/document-findings.test.ts',
    test: 'whose period is no months',
    says: /RangeError|Invalid|month/i,
  },
  {
    patch: 'attributes-without-end',
    breaks: 'an element may have any number of attributes',
    file: BOMBS,
    test: 'two million attributes of one element',
    says: /MB/,
  },
  {
    patch: 'pieces-without-end',
    breaks: 'a text or an attribute of a tax document may have any length',
    file: BOMBS,
    test: 'a draft with a CDATA section of 24 MB',
    says: /MB|sin_timbre/,
  },
  {
    patch: 'uninvoiced-sorted-whole',
    breaks: 'a page of orders without a CFDI reads all orders of the organisation',
    file: 'tests/reliability/money-plans.test.ts',
    test: 'reads about as many as it has',
    says: /"read":/,
  },
  {
    patch: 'item-complements-lost',
    breaks: 'complements of items are not noted',
    file: 'src/features/cfdi/xml/read-document.test.ts',
    test: 'complements of items are kept once',
    says: /instEducativas/,
  },
  {
    patch: 'withheld-by-codes-of-two',
    breaks: 'the ISR of a certificate 1.0 is zero',
    file: 'src/features/cfdi/xml/read-document.test.ts',
    test: 'a withholding certificate of a platform',
    says: /by the codes of 1.0/,
  },
];
