/** The promises of reliability, R1 to R19: scenes that try each, and mutants that they must catch. */
export interface Row {
  readonly number: `R${number}`;
  readonly promise: string;
  /** What must hold for the row to pass. */
  readonly bar: string;
  /** Test files, and the beginnings of the tests' names; none = the whole file. */
  readonly scenes: Readonly<Record<string, readonly string[]>>;
  readonly mutants: readonly string[];
  /** How the figure of the row begins, after its number. */
  readonly figure: string;
  /** What the row does not show. */
  readonly lacks?: string;
}

const FAILING = 'tests/reliability/failing.test.ts';
const STOPPING = 'tests/reliability/stopping.test.ts';
const JOBS = 'tests/reliability/jobs.test.ts';

export const ROWS: readonly Row[] = [
  {
    number: 'R1',
    promise: 'kill −9 under senders that retry',
    bar: '0 acknowledged lost, 0 doubled, restart ≤ 2 s (median)',
    scenes: {
      [STOPPING]: ['kill −9 under load', 'what an import acknowledged outlives the crash'],
      'tests/reliability/carrier-events.test.ts': ['the process is killed'],
      [JOBS]: ['a worker killed in the middle of a walk'],
    },
    mutants: [
      'answer-before-commit',
      'event-answered-before-commit',
      'event-apart-from-its-effect',
      'checkpoint-apart',
    ],
    figure: 'kill −9',
  },
  {
    number: 'R2',
    promise: 'SIGTERM under load',
    bar: '0 requests under way fail, gone within 10 s, a second signal ends at once',
    scenes: { [STOPPING]: ['SIGTERM under load', 'a second signal', 'an instance that stops'] },
    mutants: ['door-held-open', 'door-slammed', 'waiting-connections-cut', 'walk-not-handed-back'],
    figure: 'SIGTERM:',
  },
  {
    number: 'R3',
    promise: 'the database crashes under load',
    bar: '503 with Retry-After alone, 0 acknowledged lost, healthy ≤ 5 s after',
    scenes: {
      [FAILING]: [
        'the database restarts under load',
        'the embedded database falls under a running instance',
      ],
    },
    mutants: ['unavailable-is-an-error', 'cut-connection-kills', 'presence-lost-for-good'],
    figure: 'database:',
  },
  {
    number: 'R4',
    promise: 'the disk is full or fails',
    bar: 'receivers answer 503, never 200; 0 accepted lost; back by itself ≤ 5 s after',
    scenes: {
      'tests/reliability/full-disk.test.ts': ['on a full disk nothing is accepted'],
      'tests/database.test.ts': [
        'a database whose disk was full',
        'a database that reports an error of its device',
      ],
    },
    mutants: [
      'full-disk-is-ready',
      'full-disk-leaves-an-orphan',
      'full-disk-soon-forgotten',
      'device-error-is-a-defect',
    ],
    figure: 'full disk',
    lacks: 'a device that fails: what the database says of one is tried',
  },
  {
    number: 'R5',
    promise: 'durability of what was acknowledged',
    bar: 'a finished fdatasync before each 200',
    scenes: { 'tests/reliability/durable.test.ts': [] },
    mutants: ['commit-not-on-disk'],
    figure: 'fdatasync:',
  },
  {
    number: 'R6',
    promise: 'services that limit, fail, hang, repeat pages and send rubbish',
    bar: 'all orders right once the faults end, no limit exceeded, one bad row costs itself',
    scenes: {
      'tests/connectors/suite/suite.ts': [],
      'tests/poison-rows.test.ts': [],
      'tests/circuit-breaker.test.ts': [],
      'tests/reliability/zipnova-window.test.ts': [],
    },
    mutants: [
      'retry-after-ignored',
      'row-costs-its-page',
      'page-of-another-offset',
      'watermark-before-the-walk',
      'refused-row-stops-its-page',
      'window-of-each',
    ],
    figure: 'faults at mercado_libre',
  },
  {
    number: 'R7',
    promise: 'older data never replaces newer, in any order of arrival',
    bar: 'the same final state in every order',
    scenes: {
      'tests/connectors/suite/suite.ts': ['what is older never replaces what is newer'],
      'tests/paquetexpress.test.ts': ['webhooks, sync runs and histories in'],
    },
    mutants: ['stale-version-wins', 'half-read-is-newer', 'older-balance-wins'],
    figure: 'interleavings at mercado_libre',
  },
  {
    number: 'R8',
    promise: 'a client that follows changes misses none',
    bar: '0 missed, by as_of and by the largest last_updated; seen ≤ 2 s after the commit',
    scenes: {
      'tests/reliability/delta.test.ts': [],
      'tests/reliability/replica.test.ts': ['a client that follows changes over a replica'],
      'tests/reliability/citus.test.ts': ['on two workers a client that follows changes'],
    },
    mutants: [
      'stamp-by-now',
      'first-look-only',
      'as-of-after-the-page',
      'replica-page-under-the-primary-clock',
    ],
    figure: 'delta:',
  },
  {
    number: 'R9',
    promise: 'clocks that jump or differ, and a process that stalls for a minute',
    bar: 'no quota ends early, last_updated never goes back, nothing waits for the wrong hour; what was given to others is not done twice',
    scenes: {
      'tests/reliability/counter.test.ts': ['a jump of the wall clock ends no window'],
      'tests/spec/delta.test.ts': ['a clock that goes back'],
      'tests/schedules.test.ts': [],
      'tests/recording.test.ts': ['what a process whose clock is ahead read'],
      'tests/reliability/clock.test.ts': [],
      'tests/reliability/stalled.test.ts': [],
    },
    mutants: [
      'wall-clock-quota',
      'wrong-clock-believed',
      'clock-ahead-wins',
      'event-waits-for-a-clock',
      'lost-lock-blames-the-account',
    ],
    figure: 'clock:',
  },
  {
    number: 'R10',
    promise: 'callers that send byte by byte or do not read',
    bar: 'closed in time; others p99 ≤ 250 ms or three times the usual; ≤ 150 MB more',
    scenes: {
      'tests/reliability/slow-callers.test.ts': [],
      'tests/spec/limits.test.ts': ['headers that do not come to their end'],
    },
    mutants: ['headers-without-limit', 'unread-answers-are-kept'],
    figure: 'slow callers:',
  },
  {
    number: 'R11',
    promise: 'a large organisation beside a small one',
    bar: 'webhooks and syncs of the small one at most twice as late as alone',
    scenes: {
      'tests/reliability/fairness.test.ts': [],
      'tests/fair-writing.test.ts': [],
      'tests/reliability/forged-pushes.test.ts': [],
    },
    mutants: [
      'writers-first-come',
      'receipts-among-recordings',
      'one-key-blocks-all',
      'silence-of-one-stops-all',
    ],
    figure: 'fairness:',
  },
  {
    number: 'R12',
    promise: 'the quota, the limits of services and the circuit breakers over several processes',
    bar: 'exactly the quota in each window, never more calls than a limit; without Redis each process has its share',
    scenes: {
      'tests/reliability/quota.test.ts': [],
      'tests/redis-members.test.ts': [],
      'tests/reliability/shared-limits.test.ts': [],
      'tests/shared-limits.test.ts': [],
    },
    mutants: [
      'each-admits-all',
      'members-by-own-clock',
      'leaver-still-counted',
      'bucket-of-each',
      'breaker-of-each',
    ],
    figure: 'quota:',
  },
  {
    number: 'R13',
    promise: 'more requests than the database can do',
    bar: 'at three times the capacity as many are served as ever (≥ 90 %), the others get 503 with Retry-After at once; organisations take turns; as before afterwards',
    scenes: {
      'tests/reliability/overload.test.ts': [],
      [FAILING]: ['one organisation asks for more'],
      'tests/spec/limits.test.ts': ['more requests than the database can take'],
    },
    mutants: [
      'crowd-takes-all',
      'line-without-end',
      'longest-backlog-stays',
      'each-reads-the-stamp',
      'refused-after-the-look',
    ],
    figure: 'overload:',
    lacks: 'a process at the end of its processor, where refusals cost, too',
  },
  {
    number: 'R14',
    promise: 'the limit of 15 s of a request',
    bar: '504 in time, the query cancelled, its connection free',
    scenes: {
      [FAILING]: ['a query that hangs', 'a caller that disconnects'],
      'tests/spec/limits.test.ts': ['a query that takes too long'],
    },
    mutants: ['query-not-cancelled', 'cancel-waits-for-writers', 'grace-after-the-limit'],
    figure: 'time limit',
  },
  {
    number: 'R15',
    promise: 'a hundred dead endpoints beside a healthy one',
    bar: 'events of the healthy one ≤ 2 s (p95), 0 lost over kills, the schedule of retries',
    scenes: {
      'tests/reliability/deliveries.test.ts': [],
      'tests/webhooks.test.ts': [],
    },
    mutants: [
      'dead-endpoints-take-all-places',
      'delivered-before-it-is-sent',
      'killed-delivery-is-lost',
    ],
    figure: 'deliveries:',
  },
  {
    number: 'R16',
    promise: 'an hour at half the capacity',
    bar: 'heap after collection, resident memory, descriptors, connections, listeners and timers do not grow',
    scenes: { 'tests/reliability/soak.test.ts': [] },
    mutants: ['request-is-kept', 'listener-of-each-request'],
    figure: 'soak:',
  },
  {
    number: 'R17',
    promise: 'a backup under load, restored elsewhere',
    bar: 'every row and sealed box; clients miss nothing; a cut file changes nothing; a million orders are there again within two minutes',
    scenes: {
      'tests/backup.test.ts': [],
      'tests/reliability/backup.test.ts': [],
      'tests/removals.test.ts': [],
      'tests/reliability/served-restore.test.ts': [],
    },
    mutants: [
      'backup-cut-unseen',
      'dump-without-the-rules',
      'clocks-behind-after-restore',
      'index-lost-in-restore',
      'half-restore-starts',
      'removed-is-back',
    ],
    figure: 'sized backup:',
  },
  {
    number: 'R18',
    promise: 'migrations while other processes read and write',
    bar: 'no table is copied or read whole under a lock; cut short, they are repeated; the former release works on',
    scenes: { 'tests/migrations.test.ts': [], 'tests/reliability/former.test.ts': [] },
    mutants: ['migration-waits-before-readers', 'newer-schema-starts', 'migration-of-two-homes'],
    figure: 'migrations:',
  },
  {
    number: 'R19',
    promise: 'the published APIs between releases',
    bar: 'no operation, parameter, property or value is lost or changed, none becomes mandatory',
    scenes: { 'tests/spec/published.test.ts': [] },
    mutants: ['published-field-is-gone', 'published-parameter-is-mandatory'],
    figure: 'published:',
  },
];
