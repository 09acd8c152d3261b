import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A duration in seconds, with its labels. */
interface Timer<Label extends string> {
  observe(labels: Readonly<Record<Label, string>>, seconds: number): void;
}

interface Count<Label extends string> {
  inc(labels: Readonly<Record<Label, string>>): void;
}

/** One value of a figure, with its labels. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A figure that is read when metrics are requested. */
export interface Figure {
  readonly name: string;
  /** English, for operators. */
  readonly help: string;
  readonly labels: readonly string[];
  read(): readonly Reading[] | Promise<readonly Reading[]>;
}

/**
 * What the process measures of itself, for Prometheus. No label holds an organisation, a person, an
 * address or an id: each has few values, all known in advance.
 */
interface Measures {
  /** HTTP requests, by the prefix of the surface that answered. */
  readonly requests: Timer<'surface' | 'status'>;
  /** Requests of organisations that were counted; `admitted` is `yes` or `no`. */
  readonly quota: Count<'admitted'>;
  /** Calls to marketplaces and carriers. `outcome`: a status, or why there was no answer. */
  readonly calls: Timer<'service' | 'outcome'>;
  /** `outcome`: `done`, `failed`, `refused` by a rule of ours, or `handed_back` at a stop. */
  readonly jobs: Timer<'queue' | 'outcome'>;
  /** From the change at the marketplace to its commit here; first imports are left out. */
  readonly syncDelay: Timer<'service'>;
  /** Requests to customers' endpoints. */
  readonly deliveries: Timer<'outcome'>;
  /** Waits for a connection to the database. */
  readonly databaseWaits: Timer<'pool'>;
  /** Transactions that were tried again. `reason`: the SQLSTATE. */
  readonly databaseRetries: Count<'reason'>;
}

export interface Metrics extends Measures {
  add(figure: Figure): void;
  /** All metrics in Prometheus's text format. A figure that cannot be read is left out. */
  render(): Promise<string>;
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const WITHIN_A_REQUEST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const WITHIN_A_CALL = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const WITHIN_A_JOB = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];
/** To an hour and more: a marketplace may be down for long. */
const WITHIN_A_DELAY = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];

interface MetricsOptions {
  /** Whether a listener serves them: only then memory, event loop and garbage collection are observed. */
  readonly isRead: boolean;
  /** Called for a figure that could not be read. */
  readonly onError: (error: unknown, figure: string) => void;
}

export function openMetrics({ isRead, onError }: MetricsOptions): Metrics {
  const registry = new Registry();
  if (isRead) collectDefaultMetrics({ register: registry });
  const make = makersOf(registry);
  const unread = make.count('tianguis_metrics_unread_total', 'Figures that could not be read.', [
    'figure',
  ]);

  return {
    ...measuresOf(make),
    add: (figure) =>
      addFigure(registry, figure, (error) => {
        unread.inc({ figure: figure.name });
        onError(error, figure.name);
      }),
    render: () => registry.metrics(),
  };
}

function measuresOf({ timer, count }: ReturnType<typeof makersOf>): Measures {
  return {
    requests: timer(
      'tianguis_http_request_duration_seconds',
      'HTTP requests by surface and status.',
      ['surface', 'status'],
      WITHIN_A_REQUEST,
    ),
    quota: count('tianguis_quota_requests_total', 'Requests counted by the quota.', ['admitted']),
    calls: timer(
      'tianguis_call_duration_seconds',
      'Calls to marketplaces and carriers.',
      ['service', 'outcome'],
      WITHIN_A_CALL,
    ),
    jobs: timer(
      'tianguis_job_duration_seconds',
      'Jobs by queue and outcome.',
      ['queue', 'outcome'],
      WITHIN_A_JOB,
    ),
    syncDelay: timer(
      'tianguis_sync_delay_seconds',
      'From the change of an order at its marketplace to its commit here.',
      ['service'],
      WITHIN_A_DELAY,
    ),
    deliveries: timer(
      'tianguis_webhook_delivery_duration_seconds',
      'Requests to endpoints of customers.',
      ['outcome'],
      WITHIN_A_CALL,
    ),
    databaseWaits: timer(
      'tianguis_database_wait_seconds',
      'Waits for a connection to the database.',
      ['pool'],
      WITHIN_A_REQUEST,
    ),
    databaseRetries: count(
      'tianguis_database_retries_total',
      'Transactions that were tried again, by SQLSTATE.',
      ['reason'],
    ),
  };
}

/** Makes the timers and counts of one registry. */
function makersOf(registry: Registry) {
  const registers = [registry];
  return {
    timer<Label extends string>(
      name: string,
      help: string,
      labelNames: Label[],
      buckets: number[],
    ): Timer<Label> {
      const histogram = new Histogram({ name, help, labelNames, buckets, registers });
      return { observe: (labels, seconds) => histogram.observe({ ...labels }, seconds) };
    },
    count<Label extends string>(name: string, help: string, labelNames: Label[]): Count<Label> {
      const counter = new Counter({ name, help, labelNames, registers });
      return { inc: (labels) => counter.inc({ ...labels }) };
    },
  };
}

function addFigure(
  registry: Registry,
  { name, help, labels, read }: Figure,
  onUnread: (error: unknown) => void,
): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      this.reset();
      try {
        for (const reading of await read()) this.set({ ...reading.labels }, reading.value);
      } catch (error) {
        onUnread(error);
      }
    },
  });
}
