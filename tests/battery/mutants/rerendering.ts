import type { Mutant } from '../mutant.ts';

const file = 'tests/rerendering.test.ts';

/** Of stored orders that are rendered anew. */
export const RERENDERING: readonly Mutant[] = [
  {
    patch: 'field-renamed-in-silence',
    breaks: 'a field of orders gets another name, and stored orders keep the old one',
    file: 'src/features/orders/public/fields.test.ts',
    test: 'fields of the public order change',
    says: /Raise it in src/,
  },
  {
    patch: 'rerendering-reports-to-customers',
    breaks: 'customers get an event for each order that is rendered anew',
    file,
    test: 'stored orders say what their documents read today',
    says: /Expected values to be strictly equal/,
  },
  {
    patch: 'rerendering-moves-every-order',
    breaks: 'an order that says the same gets a new last_updated',
    file,
    test: 'an order that reads as it is stored does not move',
    says: /last_updated/,
  },
  {
    patch: 'list-text-not-compared',
    breaks: 'a list text that is rendered otherwise stays as it was',
    file,
    test: 'a list text that is rendered otherwise',
    says: /clave/,
  },
  {
    patch: 'rerendering-forgets-the-version',
    breaks: 'an order gets the version of its document, so that an older one replaces it',
    file,
    test: 'an order keeps its version',
    says: /cancelled/,
  },
  {
    patch: 'rerendering-knows-the-forgotten',
    breaks: 'a forgotten buyer is read from a document again',
    file,
    test: 'a buyer who was forgotten stays forgotten',
    says: /deep-equal/,
  },
  {
    patch: 'annotating-ends-the-rerendering',
    breaks: 'an annotated order counts as read by the newest representation',
    file,
    test: 'an order that was annotated before its turn',
    says: /strictly equal/,
  },
  {
    patch: 'rerendering-invents-times',
    breaks: 'a status that reads otherwise gets the time of its version',
    file,
    test: 'an order that reads with another status',
    says: /first/,
  },
  {
    patch: 'former-document-wins',
    breaks: 'a document replaces what its source reported later without one',
    file,
    test: 'an order with a later change without a document',
    says: /cancelled/,
  },
  {
    patch: 'rerendering-beside-the-clock',
    breaks: 'a version that is recorded meanwhile is replaced by the document of the one before',
    file,
    test: 'a version that is being recorded while a step begins',
    says: /no session waits|cancelled/,
  },
  {
    patch: 'rerendering-all-at-once',
    breaks: 'all orders are rendered anew at once',
    file,
    test: 'orders are rendered anew evenly',
    says: /175/,
  },
  {
    patch: 'rerendering-done-by-each',
    breaks: 'two processes take the same step',
    file,
    test: 'several processes share the work',
    says: /visited/,
  },
  {
    patch: 'unread-document-stops-all',
    breaks: 'a document that cannot be read stops all others of its organisation',
    file,
    test: 'a document that cannot be read any more',
    says: /deep-equal/,
  },
  {
    patch: 'refused-order-stops-all',
    breaks: 'an order that the database refuses stops all others of its organisation',
    file,
    test: 'an order that the database refuses',
    says: /deep-equal/,
  },
  {
    patch: 'rerendering-not-planned',
    breaks: 'the housekeeping does not begin to render orders anew',
    file,
    test: 'the schedule runs it',
    says: /deep-equal/,
  },
];
