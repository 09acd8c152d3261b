import type { Mutant } from '../mutant.ts';

const READER = 'src/features/cfdi/xml/read-document.test.ts';

/** Of tax documents. */
export const CFDI: readonly Mutant[] = [
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
];
