import type { Mutant } from '../mutant.ts';

const METRICS = 'tests/metrics.test.ts';

export const METRICS_MUTANTS: readonly Mutant[] = [
  {
    patch: 'delay-of-first-imports',
    breaks: 'orders of a first import count as delayed',
    file: METRICS,
    test: 'sync runs: calls, jobs, the delay of a change',
    says: /Expected values to be strictly equal/,
  },
  {
    patch: 'marketplace-balance-alerts',
    breaks: 'a negative balance at a marketplace says that a carrier refuses guides',
    file: METRICS,
    test: 'a carrier’s account without balance is an alert',
    says: /-5 !== null/,
  },
  {
    patch: 'companion-counts-as-overdue',
    breaks: 'the due time of a reconciliation, which is never claimed, counts as an overdue task',
    file: METRICS,
    test: 'the due time of a reconciliation',
    says: /1 !== null/,
  },
  {
    patch: 'unread-figure-ends-all',
    breaks: 'a figure that cannot be read takes the others along',
    file: METRICS,
    test: 'a figure that cannot be read is left out and counted',
    says: /null !== 1/,
  },
  {
    patch: 'requests-without-surface',
    breaks: 'requests are counted by their path, ids included',
    file: METRICS,
    test: 'requests are counted by surface and status',
    says: /null !== 500/,
  },
  {
    patch: 'metrics-at-the-public-door',
    breaks: 'every path of the listener answers with the metrics',
    file: METRICS,
    test: 'metrics are on a listener of their own',
    says: /200 !== 404/,
  },
  {
    patch: 'alert-without-quotes',
    breaks: 'Prometheus refuses the alert rules as no YAML',
    file: METRICS,
    test: 'no value in the YAML of deploy/ holds a colon without quotes',
    says: /No worker reports its queues/,
  },
];
