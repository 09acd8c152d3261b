import { setTimeout as pause } from 'node:timers/promises';
import { type Job, PgBoss } from 'pg-boss';
import type { Address, Database, WriteHandle } from './db/database.ts';
import { grantRows } from './db/grants.ts';
import { asOwner } from './db/migrate.ts';
import type { JobKind, QueueRule } from './job.ts';
import { type JobStore, openJobLoop, type RunJob } from './job-loop.ts';

export interface NewJob<Payload extends object = object> {
  readonly data: Payload;
  /** Equal jobs have the same key. */
  readonly key?: string;
  /** Higher ones first; 0 unless said otherwise. Equal ones by age. */
  readonly priority?: number;
  /** Of one group only so many run at once, as the queue's rule says. */
  readonly group?: string;
  /** Lanes share the places of a process; needs a group. */
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

const SCHEMA = 'queue';
const ASK_AGAIN_MS = 200;
const HEARTBEAT_SECONDS = 10;
const LONGEST_JOB_SECONDS = 6 * 3600;
const LONGEST_WAIT_SECONDS = 600;

interface QueueOptions {
  readonly database: Database;
  readonly rules: readonly QueueRule[];
  readonly migrate: boolean;
  /** Whether this process works on jobs; one that does not only enqueues. */
  readonly worker: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * The queue is polled: a notice in each transaction that adds a job would let the commits of all
 * wait for one lock.
 */
export async function openQueue({
  database,
  rules,
  migrate,
  worker,
  onError,
}: QueueOptions): Promise<Queue> {
  const begin = () => startBoss({ database, worker, onError });
  const boss = migrate ? await begunOrInstalled(begin, database, onError) : await begin();
  await settleQueues(boss, rules);
  const timings = {
    heartbeatMilliseconds: (HEARTBEAT_SECONDS * 1_000) / 2,
    longestJobMilliseconds: LONGEST_JOB_SECONDS * 1_000,
  };
  const loop = openJobLoop(storeOf(boss), timings, onError);

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

/** The layout of pg-boss's table. */
const REMOVE_ABOUT = `delete from ${SCHEMA}.job where exists (
  select from unnest($1::text[]) as word
   where strpos(concat_ws(' ', data, singleton_key, group_id, output), word) > 0) returning 1`;

/** @throws Error where pg-boss's schema is missing, not readable or of another version */
async function startBoss({
  database,
  worker,
  onError,
}: Pick<QueueOptions, 'database' | 'worker' | 'onError'>): Promise<PgBoss> {
  const boss = new PgBoss({
    ...connectionOf(database.address),
    max: worker ? 4 : 2,
    application_name: 'tianguis-queue',
    schema: SCHEMA,
    migrate: false,
    schedule: false,
    supervise: worker,
    // A killed worker's job is found out within heartbeat + this.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: false,
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', onError);
  try {
    await boss.start();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false, close: true });
    throw error;
  }
}

/** Most starts find a complete schema: these open no connection for its installation. */
async function begunOrInstalled(
  begin: () => Promise<PgBoss>,
  database: Database,
  onError: QueueOptions['onError'],
): Promise<PgBoss> {
  const begun = await begin().catch(() => null);
  if (begun && !(await isBuilding(begun))) return begun;
  await begun?.stop({ graceful: false, close: true });
  // Where the first start failed otherwise, this one reports why.
  await installQueue(database, onError);
  return begin();
}

/** Brings pg-boss's own schema up to date, with the indexes that it builds afterwards. */
function installQueue(database: Database, onError: QueueOptions['onError']): Promise<void> {
  return asOwner(database, async (client) => {
    const boss = new PgBoss({
      ...connectionOf(database.owner),
      max: 2,
      application_name: 'tianguis-queue',
      schema: SCHEMA,
      migrate: true,
      schedule: false,
      supervise: false,
      bamIntervalSeconds: 10,
      useListenNotify: false,
    });
    boss.on('error', onError);
    await boss.start();
    while (await isBuilding(boss)) await pause(ASK_AGAIN_MS);
    await boss.stop({ graceful: false, close: true });
    await grantRows(client, database, SCHEMA);
  });
}

async function isBuilding(boss: PgBoss): Promise<boolean> {
  const builds = await boss.getBamStatus();
  return builds.some(({ status }) => status === 'pending' || status === 'in_progress');
}

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

/**
 * Makes the queues that are missing and brings the others up to date; most starts find nothing to
 * do.
 */
async function settleQueues(boss: PgBoss, rules: readonly QueueRule[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const { name, policy, retries, longestWaitSeconds = LONGEST_WAIT_SECONDS } of rules) {
    const settings = {
      retryLimit: retries,
      retryBackoff: true,
      retryDelay: 2,
      retryDelayMax: longestWaitSeconds,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: LONGEST_JOB_SECONDS,
      deleteAfterSeconds: 24 * 3600,
      notify: false,
    };
    const queue = known.get(name);
    if (!queue) await boss.createQueue(name, { ...settings, policy });
    else if (
      Object.entries(settings).some(([key, value]) => queue[key as keyof typeof settings] !== value)
    )
      await boss.updateQueue(name, settings);
  }
}

function connectionOf(address: Address) {
  return 'url' in address ? { connectionString: address.url } : { ...address };
}
