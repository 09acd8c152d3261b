import type { Mutant } from '../mutant.ts';

const QUEUE = 'tests/reliability/queue.test.ts';
const BREAKER = 'tests/circuit-breaker.test.ts';
const SYNC_RUNS = 'tests/sync-runs.test.ts';
const SCHEDULES = 'tests/schedules.test.ts';
const PLANNING = 'tests/reliability/planning.test.ts';
const PAGES = 'src/exchange/pages-of.test.ts';
const NOTIFICATIONS = 'tests/notifications.test.ts';
const FORGED = 'tests/reliability/forged-pushes.test.ts';
const JOB_LOOP = 'src/platform/job-loop.test.ts';

export const FAIRNESS: readonly Mutant[] = [
  {
    patch: 'one-lane-takes-all',
    breaks: 'the runs of one marketplace take every place',
    file: QUEUE,
    test: 'sync runs of one marketplace',
    says: /no place was left/,
  },
  {
    patch: 'flood-of-one-connection',
    breaks: 'one connection’s pushes take every place',
    file: QUEUE,
    test: 'pushes of one connection',
    says: /40 !== 2/,
  },
  {
    patch: 'polled-now-and-then',
    breaks: 'a push of another process waits for seconds',
    file: QUEUE,
    test: 'a job that another process added',
    says: /did not begin/,
  },
  {
    patch: 'each-queue-asks',
    breaks: 'an idle process asks for each queue at each poll',
    file: JOB_LOOP,
    test: 'an idle loop asks one question',
    says: /questions in 1.3 s/,
  },
  {
    patch: 'queue-sends-notices',
    breaks: 'each transaction that adds a job sends a notice',
    file: QUEUE,
    test: 'a job that another process added',
    says: /a queue sends notices/,
  },
  {
    patch: 'dead-host-asked-on',
    breaks: 'a host that does not answer is asked on and on',
    file: BREAKER,
    test: 'a store that does not answer is asked once a minute',
    says: /three failures open the breaker/,
  },
  {
    patch: 'one-breaker-for-all',
    breaks: 'one store that does not answer keeps all stores of its marketplace from being asked',
    file: BREAKER,
    test: 'another store of the same marketplace',
    says: /'unreachable' *\n? *!== *\n? *'done'|\+ 'unreachable'/,
  },
  {
    patch: 'poison-answer-stops-all',
    breaks: 'an endpoint that fails for one seller stops all sellers of the host',
    file: BREAKER,
    test: 'an endpoint that fails for one seller',
    says: /unreachable/,
  },
  {
    patch: 'silence-of-one-stops-all',
    breaks: 'an endpoint that hangs for one seller stops all sellers of the host',
    file: BREAKER,
    test: 'an endpoint that hangs for one seller',
    says: /unreachable/,
  },
  {
    patch: 'silent-host-asked-by-each',
    breaks: 'each connection asks a host that answers none of them',
    file: BREAKER,
    test: 'a host that two connections found silent',
    says: /asked/,
  },
  {
    patch: 'hanging-host-waited-for',
    breaks: 'the first try of a host that hangs costs twenty seconds',
    file: BREAKER,
    test: 'a store that hangs costs five seconds',
    says: /20000/,
  },
  {
    patch: 'slow-host-never-heard',
    breaks: 'a host that became slow while it was away is never given enough time',
    file: BREAKER,
    test: 'a store that hangs costs five seconds',
    says: /some tries are long enough/,
  },
  {
    patch: 'run-never-gives-way',
    breaks: 'a long import holds its place to its end',
    file: SYNC_RUNS,
    test: 'a long import gives its place back',
    says: /false|24/,
  },
  {
    patch: 'outage-waits-for-the-period',
    breaks: 'after an outage the next run of a daily stream comes the next day',
    file: SYNC_RUNS,
    test: 'four answers of 503 at the first import',
    says: /whole after 36\d/,
  },
  {
    patch: 'limit-waits-for-the-period',
    breaks: 'a run that a limit cut goes on after its period',
    file: SYNC_RUNS,
    test: 'two accounts of 500 shipments',
    says: /whole after 30\d/,
  },
  {
    patch: 'registered-next-day',
    breaks: 'webhooks that could not be registered are tried again the next day',
    file: SYNC_RUNS,
    test: 'four answers of 503 when webhooks',
    says: /registered after 36\d/,
  },
  {
    patch: 'polled-says-every-alert',
    breaks: 'the seller reads that a carrier is polled every few minutes, which it is not',
    file: SYNC_RUNS,
    test: 'four answers of 503 when webhooks',
    says: /una vez al día/,
  },
  {
    patch: 'wrong-clock-believed',
    breaks: 'what a clock that was ahead planned waits until that time',
    file: SCHEDULES,
    test: 'a wall clock that was an hour ahead',
    says: /due now/,
  },
  {
    patch: 'large-organisation-first',
    breaks: 'the due rows of a large organisation go before all others',
    file: SCHEDULES,
    test: 'organisations take turns',
    says: /organisations are in the first thousand/,
  },
  {
    patch: 'planned-one-by-one',
    breaks: 'each due task is enqueued by a statement of its own',
    file: PLANNING,
    test: '10000 due tasks',
    says: /statements for 10000 rows/,
  },
  {
    patch: 'dead-stores-first',
    breaks: 'runs of services that do not answer go before healthy ones',
    file: SCHEDULES,
    test: 'a first run goes first',
    says: /deep-equal/,
  },
  {
    patch: 'cut-run-is-up-to-date',
    breaks: 'a connection whose run was cut short is called up to date',
    file: SYNC_RUNS,
    test: 'a run that is cut short is not',
    says: /has just begun|was cut short is/,
  },
  {
    patch: 'long-import-alarms',
    breaks: 'an honest long import is called a page that repeats',
    file: PAGES,
    test: 'an honest import may have very many pages',
    says: /more than 50000 pages/,
  },
  {
    patch: 'left-run-waits-for-the-period',
    breaks: 'a run that met another one of its stream comes again after its period',
    file: SYNC_RUNS,
    test: 'a run that meets another one',
    says: /0 !== 1/,
  },
  {
    patch: 'outage-outlives-its-pages',
    breaks: 'a long import after an outage is called delayed to its end',
    file: SYNC_RUNS,
    test: 'pages that come in end an outage',
    says: /delayed/,
  },
  {
    patch: 'recovered-alone',
    breaks: 'after an outage each stream of a connection waits out its own pause',
    file: SCHEDULES,
    test: 'once a service answers',
    says: /deep-equal/,
  },
  {
    patch: 'failed-pushes-first',
    breaks: 'the next try of a push goes before newer pushes',
    file: NOTIFICATIONS,
    test: 'a try that fails waits behind newer pushes',
    says: /deep-equal/,
  },
  {
    patch: 'pushes-tried-in-an-outage',
    breaks: 'pushes of a marketplace that does not answer are tried one by one',
    file: NOTIFICATIONS,
    test: 'while a marketplace does not answer no push',
    says: /deferred|asked while|jobs are still waiting/,
  },
  {
    patch: 'pushes-without-budget',
    breaks: 'each forged push is kept and fetched',
    file: FORGED,
    test: 'forged pushes to one account',
    says: /receipts/,
  },
  {
    patch: 'whole-push-kept',
    breaks: 'whatever a stranger writes into an unsigned push is kept',
    file: NOTIFICATIONS,
    test: 'of an unsigned push only its known fields',
    says: /deep-equal/,
  },
];
