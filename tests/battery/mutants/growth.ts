import type { Mutant } from '../mutant.ts';

const DOCUMENTS = 'tests/documents.test.ts';
const HOUSEKEEPING = 'tests/housekeeping.test.ts';

export const GROWTH: readonly Mutant[] = [
  {
    patch: 'older-documents-stay',
    breaks: 'of a forgotten buyer only the newest document goes',
    file: DOCUMENTS,
    test: 'a forgotten buyer is in no document any more',
    says: /paid|not match/,
  },
  {
    patch: 'documents-apart',
    breaks: 'a document is compressed without those beside it',
    file: DOCUMENTS,
    test: 'a change takes a fifth of its document',
    says: / of /,
  },
  {
    patch: 'packed-documents-stay',
    breaks: 'a document that is packed while its buyer is forgotten stays in the other bundle',
    file: DOCUMENTS,
    test: 'what was packed is forgotten',
    says: /0,1,2,3,4,5,6,7/,
  },
  {
    patch: 'last-document-goes',
    breaks: 'the last document of an order is removed with the replaced ones',
    file: DOCUMENTS,
    test: 'a document is kept for a while after a newer one',
    says: /delivered/,
  },
  {
    patch: 'bundles-overlap',
    breaks: 'documents from before and after a large page are packed together, over it',
    file: DOCUMENTS,
    test: 'a large page lies between',
    says: /1,2,3,4/,
  },
  {
    patch: 'documents-by-all-of-account',
    breaks: 'the documents of an order are looked for in all bundles of its account',
    file: DOCUMENTS,
    test: 'found by an index among very many',
    says: /order_documents_pkey/,
  },
  {
    patch: 'housekeeping-stops-at-failure',
    breaks: 'a step of the housekeeping that fails stops those after it',
    file: HOUSEKEEPING,
    test: 'a step that fails is an alert',
    says: /away|does not exist/,
  },
  {
    patch: 'housekeeping-failure-only-logged',
    breaks: 'a step of the housekeeping that fails is only a line in the log',
    file: HOUSEKEEPING,
    test: 'a step that fails is an alert',
    says: /recount-sales/,
  },
  {
    patch: 'housekeeping-one-batch',
    breaks: 'of what is over a thousand rows are removed an hour',
    file: HOUSEKEEPING,
    test: 'however much it is',
    says: /720/,
  },
];
