import type { Job, PgBoss } from 'pg-boss';
import type { Database, WriteHandle } from './db/database.ts';
import type { JobKind, QueueRule } from './job.ts';
import { type JobStore, openJobLoop, type RunJob } from './job-loop.ts';
import {
  HEARTBEAT_SECONDS,
  LONGEST_JOB_SECONDS,
  type QueueOptions,
  SCHEMA,
  startBoss,
} from './queue-start.ts';

export interface NewJob<Payload extends object = object> {
  readonly data: Payload;
  /** Equal jobs have the same key. */
  readonly key?: string;
  /** Higher ones first; 0 unless said otherwise. Equal ones by age. */
  readonly priority?: number;
  /** Of one group only so many run at once, as the queue's rule says. */
  readonly group?: string;
  /** Lanes share the slots of a process; needs a group. */
  readonly lane?: string;
  /** Not before so many seconds from now, by the database's clock. */
  readonly afterSeconds?: number;
}

/** The jobs of one queue that have not ended. */
interface QueueDepth {
  readonly name: string;
  /** They could begin now. */
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  /** How long the first of those that are ready could have begun. */
  readonly waitSeconds: number;
}

interface JobResult {
  readonly state: 'waiting' | 'done' | 'failed';
  readonly payload: unknown;
  readonly output: unknown;
}

/** Work that outlives a process: a job whose worker was killed comes back. */
export interface Queue {
  /**
   * Joins the transaction: the job exists when it commits. @returns null when an equal one waits
   * already.
   */
  enqueue<Payload extends object>(
    handle: WriteHandle,
    kind: JobKind<Payload>,
    job: NewJob<NoInfer<Payload>>,
  ): Promise<string | null>;
  /** Many at once, with one statement; those of which an equal one waits are left out. */
  enqueueAll<Payload extends object>(
    handle: WriteHandle,
    kind: JobKind<Payload>,
    jobs: readonly NewJob<NoInfer<Payload>>[],
  ): Promise<void>;
  depths(): Promise<readonly QueueDepth[]>;
  /** Works on the jobs of a queue in this process. */
  work(rule: QueueRule, run: RunJob): void;
  result(kind: JobKind<object>, id: string): Promise<JobResult | null>;
  /** The job is not to be worked on any more. @returns false when it has ended already */
  withdraw(kind: JobKind<object>, id: string): Promise<boolean>;
  /** Lets running jobs finish, for so long, and hands the rest back. */
  close(graceMilliseconds: number): Promise<void>;
}

/**
 * Installs the schema of the queue and the queues of these rules, and runs nothing.
 * @throws Error where the database cannot be used
 */
export async function installQueue(database: Database, rules: readonly QueueRule[]): Promise<void> {
  // A failure to install is thrown; no job runs that could report another.
  const queue = await openQueue({ database, rules, migrate: true, worker: false, onError() {} });
  await queue.close(0);
}

/**
 * The queue is polled: a notice in each transaction that adds a job would let the commits of all
 * wait for one lock.
 */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const boss = await startBoss(options);
  const timings = {
    heartbeatMilliseconds: (HEARTBEAT_SECONDS * 1_000) / 2,
    longestJobMilliseconds: LONGEST_JOB_SECONDS * 1_000,
  };
  const loop = openJobLoop(storeOf(boss), timings, options.onError);

  async function insert(
    handle: WriteHandle,
    queue: string,
    jobs: readonly NewJob[],
  ): Promise<string[]> {
    const db = {
      executeSql: async (text: string, values?: unknown[]) => ({
        rows: await handle.sql(text, values ?? []),
      }),
    };
    const ids = await boss.insert(queue, jobs.map(asInsert), { db, returnId: true });
    if (ids) handle.afterCommit(() => loop.wake(queue));
    return ids ?? [];
  }

  return {
    enqueue: async (handle, { name }, job) => (await insert(handle, name, [job]))[0] ?? null,
    async enqueueAll(handle, { name }, jobs) {
      if (jobs.length > 0) await insert(handle, name, jobs);
    },
    async depths() {
      const { rows } = await boss.getDb().executeSql(DEPTHS, []);
      return rows as QueueDepth[];
    },
    work: (rule, run) => loop.work(rule.name, rule, run),
    async result({ name }, id) {
      const [job] = await boss.findJobs(name, { id });
      if (!job) return null;
      const state =
        job.state === 'completed'
          ? 'done'
          : job.state === 'failed' || job.state === 'cancelled'
            ? 'failed'
            : 'waiting';
      return { state, payload: job.data, output: job.output };
    },
    async withdraw({ name }, id) {
      await boss.cancel(name, id);
      const [job] = await boss.findJobs(name, { id });
      return job?.state === 'cancelled';
    },
    async close(graceMilliseconds) {
      await loop.close(graceMilliseconds);
      await boss.stop({ graceful: false, close: true });
    },
  };
}

/**
 * Removes the jobs in any state whose payload, key or result has one of these texts.
 * @returns how many there were
 */
export async function removeJobsAbout(
  handle: WriteHandle,
  texts: readonly string[],
): Promise<number> {
  const removed = await handle.sql(REMOVE_ABOUT, [texts]);
  return removed.length;
}

/**
 * Removes all jobs, of which some may have been done since the rows were copied.
 * @returns how many there were
 */
export async function removeJobs(handle: WriteHandle): Promise<number> {
  const removed = await handle.sql(`delete from ${SCHEMA}.job returning 1`, []);
  return removed.length;
}

/** The layout of pg-boss's table. */
const REMOVE_ABOUT = `delete from ${SCHEMA}.job where exists (
  select from unnest($1::text[]) as word
   where strpos(concat_ws(' ', data, singleton_key, group_id, output), word) > 0) returning 1`;

/** The layout of pg-boss's table; the partial index of its own fetch answers this too. */
const READY = `select name from queue.queue q where exists (
  select from queue.job j
   where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now())`;

const DEPTHS = `select q.name,
    count(*) filter (where is_ready)::float8 as ready,
    count(*) filter (where state < 'active' and not is_ready)::float8 as delayed,
    count(*) filter (where state = 'active')::float8 as active,
    coalesce(extract(epoch from now() - min(start_after) filter (where is_ready)), 0)::float8 as "waitSeconds"
  from queue.queue q left join lateral (
    select state, start_after, state < 'active' and not blocked and start_after <= now() as is_ready
      from queue.job j where j.name = q.name and j.state <= 'active') j on true
  group by q.name order by q.name`;

function storeOf(boss: PgBoss): JobStore {
  return {
    async ready() {
      const { rows } = await boss.getDb().executeSql(READY, []);
      return (rows as { name: string }[]).map(({ name }) => name);
    },
    async fetch(queue, { most, groupConcurrency, closedLanes }) {
      const tiers = Object.fromEntries(closedLanes.map((lane) => [lane, 0]));
      const limits =
        groupConcurrency === null ? {} : { groupConcurrency: { default: groupConcurrency, tiers } };
      const jobs = await boss.fetch<object>(queue, { batchSize: most, ...limits });
      return jobs.map(asTaken);
    },
    async complete(queue, id, output) {
      await boss.complete(queue, id, output);
    },
    async fail(queue, ids, reason) {
      await boss.fail(queue, [...ids], reason as object);
    },
    async touch(queue, ids) {
      await boss.touch(queue, [...ids]);
    },
  };
}

function asTaken({ id, data, groupTier }: Job<object>) {
  return { id, data, lane: groupTier ?? null };
}

function asInsert({ data, key, priority, group, lane, afterSeconds }: NewJob) {
  return {
    data,
    ...(key !== undefined && { singletonKey: key }),
    ...(priority !== undefined && { priority }),
    ...(group !== undefined && { group: { id: group, ...(lane !== undefined && { tier: lane }) } }),
    ...(afterSeconds !== undefined && { startAfter: afterSeconds }),
  };
}
