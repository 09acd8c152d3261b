import { PgBoss } from 'pg-boss';
import type { Address, Database, WriteHandle } from './db/database.ts';

/** How a queue treats its jobs. */
export interface QueueRule {
  readonly name: string;
  /**
   * `one waits`: of jobs with the same key at most one waits. A second one may run beside the first; whoever must
   * not meet himself takes a lock, so that a key that takes long, or whose worker died, holds up no other.
   */
  readonly policy: 'all' | 'one waits';
  readonly retries: number;
  readonly concurrency: number;
}

interface JobResult {
  readonly state: 'waiting' | 'done' | 'failed';
  readonly output: unknown;
}

/** Work that outlives a process: a job whose worker was killed comes back. */
export interface Queue {
  /** Joins the transaction: the job exists when it commits. @returns null when an equal one waits already. */
  enqueue(handle: WriteHandle, queue: string, data: object, key?: string): Promise<string | null>;
  work(queue: string, run: (data: never, signal: AbortSignal) => Promise<object | null>): Promise<void>;
  result(queue: string, id: string): Promise<JobResult | null>;
  /** Nobody is to work on it any more. @returns false when it has ended already */
  withdraw(queue: string, id: string): Promise<boolean>;
  /** Lets running jobs finish, for so long, and hands the rest back. */
  close(graceMilliseconds: number): Promise<void>;
}

const HEARTBEAT_SECONDS = 10;
const LONGEST_JOB_SECONDS = 6 * 3600;

interface QueueOptions {
  readonly database: Database;
  readonly rules: readonly QueueRule[];
  readonly migrate: boolean;
  /** Whether this process works on jobs; one that does not only enqueues. */
  readonly worker: boolean;
  readonly onError: (error: unknown) => void;
}

export async function openQueue({ database, rules, migrate, worker, onError }: QueueOptions): Promise<Queue> {
  const boss = new PgBoss({
    ...connectionOf(database.address),
    max: worker ? 4 : 2,
    application_name: 'tianguis-queue',
    schema: 'queue',
    migrate,
    schedule: false,
    supervise: worker,
    // A killed worker's job is found out within heartbeat + this.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    useListenNotify: worker,
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', onError);
  await boss.start();
  await settleQueues(boss, rules);
  let isClosing = false;

  /** One worker. After a job it looks for the next at once: a wait between jobs would be most of a long line's time. */
  async function workAlone(queue: string, run: Parameters<Queue['work']>[1]): Promise<void> {
    const intervals = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 2 };
    const id: string = await boss.work<object, object | null>(queue, intervals, async ([job]) => {
      try {
        return job ? await run(job.data as never, job.signal) : null;
      } finally {
        boss.notifyWorker(id);
      }
    });
  }

  return {
    enqueue: (handle, queue, data, key) =>
      boss.send(queue, data, {
        ...(key !== undefined && { singletonKey: key }),
        db: { executeSql: async (text, values) => ({ rows: await handle.sql(text, values ?? []) }) },
      }),
    async work(queue, run) {
      const most = rules.find(({ name }) => name === queue)?.concurrency ?? 1;
      let workers = 0;
      // One waits for work; whoever gets some has another one wait. Each that waits asks the database again and again.
      const hire = async (): Promise<void> => {
        if (workers === most || isClosing) return;
        workers++;
        await workAlone(queue, (data, signal) => {
          hire().catch(onError);
          return run(data, signal);
        });
      };
      await hire();
    },
    async result(queue, id) {
      const [job] = await boss.findJobs(queue, { id });
      if (!job) return null;
      const state =
        job.state === 'completed'
          ? 'done'
          : job.state === 'failed' || job.state === 'cancelled'
            ? 'failed'
            : 'waiting';
      return { state, output: job.output };
    },
    async withdraw(queue, id) {
      await boss.cancel(queue, id);
      const [job] = await boss.findJobs(queue, { id });
      return job?.state === 'cancelled';
    },
    close(graceMilliseconds) {
      isClosing = true;
      return boss.stop({ graceful: true, timeout: graceMilliseconds, close: true });
    },
  };
}

/** Makes the queues that are missing and brings the others up to date; most starts find nothing to do. */
async function settleQueues(boss: PgBoss, rules: readonly QueueRule[]): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  for (const { name, policy, retries } of rules) {
    const settings = {
      retryLimit: retries,
      retryBackoff: true,
      retryDelay: 2,
      retryDelayMax: 600,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: LONGEST_JOB_SECONDS,
      deleteAfterSeconds: 24 * 3600,
      notify: true,
    };
    const queue = known.get(name);
    if (!queue)
      await boss.createQueue(name, { ...settings, policy: policy === 'all' ? 'standard' : 'short' });
    else if (Object.entries(settings).some(([key, value]) => queue[key as keyof typeof settings] !== value))
      await boss.updateQueue(name, settings);
  }
}

function connectionOf(address: Address) {
  return 'url' in address ? { connectionString: address.url } : { ...address };
}
