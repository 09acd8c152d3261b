import type { Mutant } from '../mutant.ts';

const DATABASE = 'tests/database.test.ts';
const REFUSED = 'tests/refused-access.test.ts';
const TROUBLES = 'tests/job-troubles.test.ts';
const KIT = 'src/connectors/kit.test.ts';
const POISON = 'tests/poison-rows.test.ts';
const NETWORK = 'src/platform/network.test.ts';

export const ROWS: readonly Mutant[] = [
  {
    patch: 'mirakl-row-without-name',
    breaks:
      'an order of Mirakl that cannot be read is set aside without its id, and never asked for again',
    file: 'src/connectors/mirakl/wire.test.ts',
    test: 'an order that cannot be read is set aside under its id',
    says: /MX_00021-A/,
  },
  {
    patch: 'refused-shipment-stops-all',
    breaks: 'a shipment that the database refuses to move holds up all others of its organisation',
    file: 'tests/paquetexpress.test.ts',
    test: 'a shipment that the database refuses',
    says: /22023|refuse_one|is held up/,
  },
  {
    patch: 'later-failure-reported',
    breaks:
      'a transaction answers with the failure that was heard first, not with the one that came first',
    file: DATABASE,
    test: 'a deadlock deep inside',
    says: /current transaction is aborted/,
  },
  {
    patch: 'unread-answer-is-late',
    breaks: 'an answer that lies in the socket when its time is over is thrown away unread',
    file: NETWORK,
    test: 'an answer that came in time counts',
    says: /no whole answer in time/,
  },
  {
    patch: 'rows-without-bounds',
    breaks: 'what is read is not held against what can be stored',
    file: POISON,
    test: 'a long SKU',
    says: /could not be stored/,
  },
  {
    patch: 'any-depth-is-read',
    breaks: 'a document is read however deeply it is nested',
    file: POISON,
    test: 'a document nested 200,000 deep',
    says: /nested more than 64 levels deep|Maximum call stack/,
  },
  {
    patch: 'id-of-any-characters',
    breaks: 'an identifier may hold what no address and no table can',
    file: KIT,
    test: 'an identifier is one',
    says: /u0000/,
  },
  {
    patch: 'id-aside-as-it-came',
    breaks: 'the id of a row that is set aside is stored as it came',
    file: POISON,
    test: 'amazon, with a NUL',
    says: /Failed|delayed|error|invalid byte sequence/,
  },
  {
    patch: 'unused-fields-judged',
    breaks: 'a row is refused for characters in an unused field',
    file: POISON,
    test: 'unused fields are not judged',
    says: /nota_interna|external_id/,
  },
  {
    patch: 'refused-row-stops-its-page',
    breaks: 'a row that the database refuses fails its page again and again',
    file: POISON,
    test: 'a row that the database refuses',
    says: /no_such_status/,
  },
  {
    patch: 'refused-push-fails',
    breaks: 'what a push brought and the database refuses is tried again and again',
    file: POISON,
    test: 'data fetched for a webhook',
    says: /Invalid array length/,
  },
  {
    patch: 'defect-in-silence',
    breaks: 'what a job throws by our own fault is only logged',
    file: TROUBLES,
    test: 'a sync run that fails by our own fault',
    says: /'ok'/,
  },
  {
    patch: 'trouble-for-ever',
    breaks: 'the alert of a job stands although the job works again',
    file: TROUBLES,
    test: 'a push that fails by our own fault',
    says: /'error' !== 'ok'/,
  },
  {
    patch: 'blank-page-unseen',
    breaks: 'a page of which nothing could be read looks healthy',
    file: TROUBLES,
    test: 'a page of which no row can be read',
    says: /undefined/,
  },
  {
    patch: 'first-refusal-asks',
    breaks: 'one refused call asks the seller to connect again',
    file: REFUSED,
    test: 'one 401 of a store',
    says: /reauth_required/,
  },
  {
    patch: 'refusal-for-good',
    breaks: 'a refused access is never tried again',
    file: REFUSED,
    test: 'one 401 of a store',
    says: /'delayed' !== 'ok'/,
  },
  {
    patch: 'refusal-tried-each-minute',
    breaks: 'the pauses between tries of a refused access do not grow',
    file: REFUSED,
    test: 'an access that stays refused',
    says: /deep-equal/,
  },
  {
    patch: 'refusals-of-one-moment-add-up',
    breaks: 'several refusals within the same minutes ask the seller to connect again',
    file: REFUSED,
    test: 'two refusals within the same minutes',
    says: /reauth_required/,
  },
  {
    patch: 'person-waits-for-the-next-try',
    breaks: 'a sync that a person asked for does not try a refused access',
    file: REFUSED,
    test: 'a person who asks for a sync',
    says: /Reconéctala/,
  },
  {
    patch: 'renewal-lifts-nothing',
    breaks: 'a good renewal leaves the connection waiting for its seller',
    file: REFUSED,
    test: 'a marketplace whose tokens renew well',
    says: /reauth_required/,
  },
  {
    patch: 'nothing-brought-after-refusal',
    breaks: 'what pushes reported while the access was refused is not fetched',
    file: REFUSED,
    test: 'changes that webhooks report meanwhile',
    says: /cancelled/,
  },
  {
    patch: 'no-pieces-unreadable',
    breaks: 'an order with a line of no pieces is set aside',
    file: POISON,
    test: 'no pieces',
    says: /deep-equal/,
  },
  {
    patch: 'refund-of-any-year',
    breaks: 'a refund of the year 1 is passed on to the database, which refuses its page',
    file: 'src/connectors/bounds.test.ts',
    test: 'in every stream what no table can hold',
    says: /orders refunds\.0\.at/,
  },
  {
    patch: 'pushed-number-of-any-length',
    breaks: 'a pushed event with a tracking number of any length is taken',
    file: 'tests/paquetexpress.test.ts',
    test: 'with a number too long',
    says: /200 !== 400/,
  },
  {
    patch: 'retention-without-index',
    breaks: 'the hourly removal of old rows reads a whole table',
    file: 'tests/housekeeping.test.ts',
    test: 'rows are removed by an index',
    says: /Seq Scan/,
  },
];
