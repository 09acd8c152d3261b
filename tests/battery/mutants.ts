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

const COUNTER = 'tests/reliability/counter.test.ts';
const DELTA = 'tests/reliability/delta.test.ts';
const JOBS = 'tests/reliability/jobs.test.ts';
const QUOTA = 'tests/reliability/quota.test.ts';
const FAILING = 'tests/reliability/failing.test.ts';
const STOPPING = 'tests/reliability/stopping.test.ts';

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
    says: /500 !== 125/,
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
];
