/** Deliberately broken variants of the product: a patch of `tests/mutants`, and the test that must catch it. */
export interface Mutant {
  /** Names the patch, without its ending. */
  readonly patch: string;
  /** What is broken, as a sentence. */
  readonly breaks: string;
  readonly file: string;
  /** The beginning of the test's name. */
  readonly test: string;
  /** What the test says when it is caught; any other failure would prove nothing. */
  readonly says: RegExp;
  readonly needsRedis?: true;
}

const CONNECTORS = 'tests/connectors.test.ts';
const BALANCES = 'tests/balances.test.ts';
const COUNTER = 'tests/reliability/counter.test.ts';
const DELTA = 'tests/reliability/delta.test.ts';
const JOBS = 'tests/reliability/jobs.test.ts';
const QUOTA = 'tests/reliability/quota.test.ts';
const FAILING = 'tests/reliability/failing.test.ts';
const STOPPING = 'tests/reliability/stopping.test.ts';
const CONNECTING = 'tests/connecting.test.ts';
const NOTIFICATIONS = 'tests/notifications.test.ts';
const MERCADO_PAGO = 'tests/connectors/mercado_libre-money.test.ts';
const SALES = 'tests/sales.test.ts';
const STOCK = 'tests/stock.test.ts';
const WOOCOMMERCE = 'tests/connectors/woocommerce.test.ts';
const VTEX = 'tests/connectors/vtex.test.ts';
const TIENDANUBE = 'tests/connectors/tiendanube.test.ts';
const SHIPMENTS = 'tests/shipments.test.ts';
const ZIPNOVA = 'tests/zipnova.test.ts';
const ZIPNOVA_WINDOW = 'tests/reliability/zipnova-window.test.ts';
const CARRIER_EVENTS = 'tests/reliability/carrier-events.test.ts';
const PAQUETEXPRESS = 'tests/paquetexpress.test.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    patch: 'stamp-by-now',
    breaks: 'a change is stamped with the time of its writing, not by the delta clock',
    file: DELTA,
    test: '8 writers',
    says: /each change has a last_updated of its own|follows the order of commits|changes missed/,
  },
  {
    patch: 'first-look-only',
    breaks: 'what stood there before is read without the clock, and not again under it',
    file: DELTA,
    test: '8 writers',
    says: /wrong_previous|older_after_newer|shows version/,
  },
  {
    patch: 'stale-version-wins',
    breaks: 'an older version replaces a newer one',
    file: DELTA,
    test: '8 writers',
    says: /shows version|older_after_newer/,
  },
  {
    patch: 'as-of-after-the-page',
    breaks: 'as_of is read after the page, so a change that came in between is in neither poll',
    file: DELTA,
    test: '8 writers',
    says: /changes missed by as_of/,
  },
  {
    patch: 'cursor-of-anybody',
    breaks: 'a cursor is not bound to its organisation',
    file: DELTA,
    test: 'a cursor of another organisation',
    says: /200 !== 400/,
  },
  {
    patch: 'wall-clock-quota',
    breaks: 'the quota is counted by the wall clock',
    file: COUNTER,
    test: 'a jump of the wall clock',
    says: /after a jump of/,
  },
  {
    patch: 'refused-requests-consume',
    breaks: 'a refused request consumes',
    file: COUNTER,
    test: 'refused requests consume nothing',
    says: /deep-equal/,
  },
  {
    patch: 'each-admits-all',
    breaks: 'without Redis each process admits the whole quota',
    file: QUOTA,
    test: 'without Redis',
    says: /500 (!== 125|admitted)/,
    needsRedis: true,
  },
  {
    patch: 'revoked-key-works',
    breaks: 'a key is looked up without asking whether it was revoked',
    file: QUOTA,
    test: 'a change of plan, quota or key',
    says: /still 200 after/,
  },
  {
    patch: 'nobody-is-told',
    breaks: 'a revocation is not told to the other processes',
    file: QUOTA,
    test: 'a change of plan, quota or key',
    says: /still 200 after/,
  },
  {
    patch: 'deaf-line-trusted',
    breaks: 'a notice line that says nothing any more is trusted',
    file: QUOTA,
    test: 'a notice line that went dead',
    says: /a revoked key worked for/,
  },
  {
    patch: 'checkpoint-apart',
    breaks: "a page's checkpoint is stored in a transaction of its own",
    file: JOBS,
    test: 'a page whose checkpoint',
    says: /rows: 0/,
  },
  {
    patch: 'renewal-without-lock',
    breaks: 'processes renew a token at the same time',
    file: JOBS,
    test: '4 processes that find a token dead',
    says: /the refresh token was rejected|!== 1/,
  },
  {
    patch: 'claimed-twice',
    breaks: 'a due task is claimed without a lock',
    file: JOBS,
    test: 'what is due is claimed once',
    says: /!== 6[01]/,
  },
  {
    patch: 'one-key-blocks-all',
    breaks: 'jobs whose key is busy stand before everybody else',
    file: JOBS,
    test: 'shops whose walk takes long',
    says: /waits for the large ones/,
  },
  {
    patch: 'pause-between-jobs',
    breaks: 'a worker pauses after each job',
    file: JOBS,
    test: 'a long line of jobs',
    says: /jobs were done in/,
  },
  {
    patch: 'answer-before-commit',
    breaks: 'a notification is answered before it is stored',
    file: STOPPING,
    test: 'kill −9 under load',
    says: /[1-9]\d* of \d+ lost/,
  },
  {
    patch: 'door-held-open',
    breaks: 'a stopping house cuts busy callers off without having told them',
    file: STOPPING,
    test: 'SIGTERM under load',
    says: /only new connections find the door closed/,
  },
  {
    patch: 'walk-not-handed-back',
    breaks: 'a stopping house waits for its walks',
    file: STOPPING,
    test: 'a house that is told to stop in the middle of a walk',
    says: /not gone after/,
  },
  {
    patch: 'cut-connection-kills',
    breaks: 'a lent connection that is cut ends the process',
    file: FAILING,
    test: 'a connection that is cut between two queries',
    says: /terminating connection|Connection terminated/,
  },
  {
    patch: 'unavailable-is-an-error',
    breaks: 'a database that is away is answered with 500',
    file: FAILING,
    test: 'the database restarts under load',
    says: /'500'/,
  },
  {
    patch: 'query-not-cancelled',
    breaks: 'the query of a caller who left runs on',
    file: FAILING,
    test: 'a caller who leaves',
    says: /the query of a caller who left still waits/,
  },
  {
    patch: 'crowd-takes-all',
    breaks: 'whoever asks first gets every reader',
    file: FAILING,
    test: 'one organisation asks for more',
    says: /503/,
  },
  {
    patch: 'presence-lost-for-good',
    breaks: 'a house whose database restarted no longer says that it stands there',
    file: FAILING,
    test: 'the database restarts: the house takes its place',
    says: /presence lost with its connection/,
  },
  {
    patch: 'state-counts-twice',
    breaks: 'the state of a consent is not used up',
    file: CONNECTING,
    test: 'a return counts once',
    says: /502/,
  },
  {
    patch: 'state-of-any-age',
    breaks: 'the state of a consent does not age',
    file: CONNECTING,
    test: 'a return with a state that is 15 minutes old',
    says: /(200|502) !== 400/,
  },
  {
    patch: 'state-of-any-marketplace',
    breaks: 'the state of a consent is good for another marketplace',
    file: CONNECTING,
    test: 'a return with a state of another marketplace',
    says: /502 !== 400/,
  },
  {
    patch: 'one-verifier-for-all',
    breaks: 'every attempt to connect has the same verifier',
    file: CONNECTING,
    test: 'a code that was given to another browser',
    says: /200 !== 502/,
  },
  {
    patch: 'box-opens-anywhere',
    breaks: 'a sealed box is not bound to its place',
    file: CONNECTING,
    test: 'credentials sealed for another',
    says: /No pudimos abrir/,
  },
  {
    patch: 'renewed-token-not-stored',
    breaks: 'a renewed token is used without being stored',
    file: CONNECTING,
    test: 'a renewed token is used by nobody',
    says: /Missing expected rejection/,
  },
  {
    patch: 'renewal-overwrites',
    breaks: 'a renewal overwrites what became of the account meanwhile',
    file: CONNECTING,
    test: 'an account that is disconnected in the middle of a renewal',
    says: /strictly deep-equal/,
  },
  {
    patch: 'rotation-of-one-batch',
    breaks: 'rotate-secrets stops after a part',
    file: CONNECTING,
    test: 'rotate-secrets seals everything',
    says: /sealed again, served/,
  },
  {
    patch: 'name-not-judged',
    breaks: 'a name that a customer typed may mean an inward address',
    file: CONNECTING,
    test: 'a name that a customer typed',
    says: /the connection broke/,
  },
  {
    patch: 'name-judged-before',
    breaks: 'a name is judged, and then asked for again to connect',
    file: CONNECTING,
    test: 'a name that changes its meaning',
    says: /127\.0\.0\.1/,
  },
  {
    patch: 'equal-hints-all-fetched',
    breaks: 'equal notifications that wait are all fetched',
    file: NOTIFICATIONS,
    test: 'one thousand equal notifications',
    says: /merged/,
  },
  {
    patch: 'push-of-any-application',
    breaks: 'a notification of another application is taken',
    file: NOTIFICATIONS,
    test: 'a notification of another application',
    says: /strictly deep-equal/,
  },
  {
    patch: 'hint-given-up-soon',
    breaks: 'a hint is given up after two minutes',
    file: NOTIFICATIONS,
    test: 'a marketplace that is away for an hour',
    says: /given up after/,
  },
  {
    patch: 'one-shut-box-blocks-all',
    breaks: 'one connection that does not open costs the others their notifications',
    file: NOTIFICATIONS,
    test: 'an account of two organisations',
    says: /500 !== 200/,
  },
  {
    patch: 'retry-after-ignored',
    breaks: 'a marketplace that names a pause is not given it',
    file: CONNECTORS,
    test: 'who says «too many»',
    says: /nothing was asked before the 17 s were over/,
  },
  {
    patch: 'row-costs-its-page',
    breaks: 'one unreadable row costs its page',
    file: CONNECTORS,
    test: 'an unreadable row',
    says: /all but that row/,
  },
  {
    patch: 'set-aside-for-good',
    breaks: 'what was set aside is never asked for again',
    file: CONNECTORS,
    test: 'an unreadable row',
    says: /is missing/,
  },
  {
    patch: 'half-read-is-newer',
    breaks: 'what changed while it was read counts as newer than its fetch',
    file: CONNECTORS,
    test: 'a marketplace whose clock ran ahead',
    says: /strictly deep-equal/,
  },
  {
    patch: 'page-of-another-offset',
    breaks: 'a page of another offset than the one asked for is taken',
    file: CONNECTORS,
    test: 'a page that repeats for ever',
    says: /'runaway'/,
  },
  {
    patch: 'shifted-rows-missed',
    breaks: 'rows that shift while paging are not gone back for',
    file: CONNECTORS,
    test: 'orders that come and change while a walk',
    says: /is missing/,
  },
  {
    patch: 'watermark-before-the-walk',
    breaks: 'the watermark moves before the walk has come to its end',
    file: CONNECTORS,
    test: 'answers that stay broken',
    says: /is missing/,
  },
  {
    patch: 'cut-walk-begins-anew',
    breaks: 'a walk that was cut off begins at the first page again',
    file: CONNECTORS,
    test: 'a walk that is cut off',
    says: /no page was asked for twice/,
  },
  {
    patch: 'late-refund-at-its-sale',
    breaks: 'a refund is put on the day of its sale, not on the day on which it was made',
    file: SALES,
    test: 'a late refund lowers',
    says: /deep-equal/,
  },
  {
    patch: 'currencies-in-one-sum',
    breaks: 'sums of different currencies are one sum',
    file: SALES,
    test: 'currencies are never added',
    says: /deep-equal/,
  },
  {
    patch: 'sums-forget-what-was',
    breaks: 'what a changed order counted for before is not taken away',
    file: SALES,
    test: 'after any life of its orders',
    says: /what the orders add up to/,
  },
  {
    patch: 'no-total-is-nothing',
    breaks: 'an order without a total counts as one of 0',
    file: SALES,
    test: 'an order without a total',
    says: /deep-equal/,
  },
  {
    patch: 'sales-not-summed',
    breaks: 'orders are recorded without their sums',
    file: SALES,
    test: 'a recount mends',
    says: /!== 1/,
  },
  {
    patch: 'gone-after-a-gap',
    breaks: 'a pass that could not read everything says what is gone',
    file: STOCK,
    test: 'an item that disappears',
    says: /deep-equal/,
  },
  {
    patch: 'gone-at-once',
    breaks: 'one pass that does not show a level is enough for it to be gone',
    file: STOCK,
    test: 'a level that two whole passes',
    says: /deep-equal/,
  },
  {
    patch: 'older-balance-wins',
    breaks: 'a balance of earlier replaces that of later',
    file: BALANCES,
    test: 'what was true earlier',
    says: /deep-equal/,
  },
  {
    patch: 'money-stops-the-orders',
    breaks: 'a refusal of Mercado Pago stops the whole connection',
    file: MERCADO_PAGO,
    test: 'Mercado Pago refusing',
    says: /reauth_required/,
  },
  {
    patch: 'summaries-are-movements',
    breaks: 'rows that sum up a report are added to its balance',
    file: MERCADO_PAGO,
    test: 'the balance is what the report ends with',
    says: /deep-equal/,
  },
  {
    patch: 'gone-store-is-empty',
    breaks: 'a store that is gone is read as one that has nothing',
    file: TIENDANUBE,
    test: 'a store that is gone',
    says: /rechazó una consulta/,
  },
  {
    patch: 'cut-short-in-silence',
    breaks: 'variations of which not all were read are taken for all of them',
    file: WOOCOMMERCE,
    test: 'a product whose variations repeat',
    says: /deep-equal/,
  },
  {
    patch: 'late-refund-unseen',
    breaks: 'a delivered order is never looked at again where nothing tells a refund',
    file: VTEX,
    test: 'a refund after the delivery',
    says: /deep-equal/,
  },
  {
    patch: 'renewed-pair-lost',
    breaks: 'what a renewal gave is lost where the proof after it fails',
    file: CONNECTING,
    test: 'a renewed pair survives',
    says: /no aceptó las credenciales/,
  },
  {
    patch: 'alarm-of-who-left',
    breaks: 'a walk alarms about an account that left meanwhile',
    file: CONNECTING,
    test: 'a walk of an account that left',
    says: /deep-equal/,
  },
  {
    patch: 'old-rules-stay',
    breaks: 'a queue that was there before keeps the rules that it was made with',
    file: JOBS,
    test: 'a queue that an older release made',
    says: /retry_limit/,
  },
  {
    patch: 'window-of-each',
    breaks: 'each process has a window of its own at Zipnova, which counts them together',
    file: ZIPNOVA_WINDOW,
    test: 'three organisations of two processes',
    says: /\d{4} calls in one minute/,
    needsRedis: true,
  },
  {
    patch: 'unknown-state-starts-anew',
    breaks: 'a state that nobody knows puts a shipment back to its beginning',
    file: ZIPNOVA,
    test: 'a state that nobody documented',
    says: /PREPARACION/,
  },
  {
    patch: 'pushed-body-trusted',
    breaks: 'what a push says of a shipment is believed',
    file: ZIPNOVA,
    test: 'a webhook says only which shipment',
    says: /nothing was delivered/,
  },
  {
    patch: 'push-without-token',
    breaks: 'a push is taken without the secret of its token',
    file: ZIPNOVA,
    test: 'without the token nothing is taken',
    says: /invalid_webhook_secret/,
  },
  {
    patch: 'walk-to-the-window-only',
    breaks: 'what is still on its way and stands deep in the list is not asked about',
    file: ZIPNOVA,
    test: 'what no webhook told',
    says: /EN_TRANSITO/,
  },
  {
    patch: 'parcel-lost-at-refetch',
    breaks: 'a later fetch of an order takes its parcel away',
    file: SHIPMENTS,
    test: 'a later fetch of the order',
    says: /1 !== 0/,
  },
  {
    patch: 'event-answered-before-commit',
    breaks: 'a carrier’s event is answered before it is on disk',
    file: CARRIER_EVENTS,
    test: 'the process is killed',
    says: /acknowledged events are lost/,
  },
  {
    patch: 'event-apart-from-its-effect',
    breaks: 'an event and what follows from it are committed one after the other',
    file: CARRIER_EVENTS,
    test: 'the process is killed',
    says: /what follows from an event is missing/,
  },
  {
    patch: 'late-event-wins',
    breaks: 'the event that came last counts, though it happened before',
    file: PAQUETEXPRESS,
    test: 'an event that comes late',
    says: /TRN/,
  },
  {
    patch: 'reading-forgets-pushes',
    breaks: 'a history that is behind takes back what was pushed',
    file: PAQUETEXPRESS,
    test: 'of one instant a reading',
    says: /EAD/,
  },
  {
    patch: 'first-secret-ends-the-look',
    breaks: 'after the right secret the other one is not looked at',
    file: CARRIER_EVENTS,
    test: 'a secret is right or wrong as a whole',
    says: /the second box is opened though the first was right/,
  },
  {
    patch: 'unknown-organization-at-once',
    breaks: 'for an organisation that nobody knows no secret is compared',
    file: CARRIER_EVENTS,
    test: 'how long a wrong secret takes',
    says: /time tells whether the organisation exists/,
  },
  {
    patch: 'orphan-left-alone',
    breaks: 'events that came before their shipment never find it',
    file: PAQUETEXPRESS,
    test: 'an event that crossed with its shipment',
    says: /falsy|orphan|AssertionError/,
  },
];
