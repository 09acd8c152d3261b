import { retry } from './retry.ts';
import {
  type Concurrency,
  openRunningJobs,
  type RunningJobs,
  type TakenJob,
} from './running-jobs.ts';

/** The storage of the jobs. */
export interface JobStore {
  /** The queues in which a job may begin now. */
  ready(): Promise<readonly string[]>;
  /** Takes jobs by priority, then by age. `closedLanes`: none of these. */
  fetch(
    queue: string,
    wanted: { most: number; groupConcurrency: number | null; closedLanes: readonly string[] },
  ): Promise<readonly TakenJob[]>;
  complete(queue: string, id: string, output: object | null): Promise<void>;
  /** The jobs are tried again where their queue says so. */
  fail(queue: string, ids: readonly string[], reason: unknown): Promise<void>;
  /** Reports that these jobs are still worked on. */
  touch(queue: string, ids: readonly string[]): Promise<void>;
}

export type RunJob = (payload: unknown) => Promise<object | null>;

/** Takes jobs as long as there are free slots, and works on them. */
interface JobLoop {
  work(queue: string, concurrency: Concurrency, run: RunJob): void;
  /** A job was added by this process: look now, not at the next poll. */
  wake(queue: string): void;
  /** Takes no more jobs, lets the running ones finish for so long, and hands the rest back. */
  close(graceMilliseconds: number): Promise<void>;
}

interface Timings {
  readonly heartbeatMilliseconds: number;
  /** After that a job that never ends gives its slot back. */
  readonly longestJobMilliseconds: number;
}

/** Takes and works on the jobs of one queue. */
interface QueueWorker {
  /** Takes jobs as long as there are free slots. */
  fill(): void;
  /** Reports that the running jobs are still worked on. */
  touch(): Promise<void>;
  /** Takes no more jobs. Resolves when none is being taken. */
  stop(): Promise<void>;
  /** Resolves when no job runs. */
  ended(): Promise<unknown>;
  /** Gives the running jobs up, so that another process works on them. */
  handBack(): Promise<void>;
}

/** The jobs of a queue that run now, and how. */
interface Work {
  readonly queue: string;
  readonly run: RunJob;
  readonly running: RunningJobs;
}

/** A push begins within half a second, also where another process received it. */
const POLL_MS = 400;
const POLL_AFTER_ERROR_MS = 1_000;
const STORE_ATTEMPTS = 5;
const STORE_WAIT_MS = 1_000;

/**
 * One statement a poll finds the queues with work, whatever their number; jobs are fetched in
 * batches only there.
 * @param onError what went wrong with the storage; the loop goes on
 */
export function openJobLoop(
  store: JobStore,
  { heartbeatMilliseconds, longestJobMilliseconds }: Timings,
  onError: (error: unknown) => void,
): JobLoop {
  const workers = new Map<string, QueueWorker>();
  let stopPolling = () => {};
  let stopBeating = () => {};

  async function poll(): Promise<void> {
    const ready = await store.ready();
    for (const queue of ready) workers.get(queue)?.fill();
  }

  async function beat(): Promise<void> {
    for (const worker of workers.values()) await worker.touch();
  }

  const all = (step: (worker: QueueWorker) => Promise<unknown>) =>
    Promise.all([...workers.values()].map(step));

  return {
    work(queue, concurrency, run) {
      const runInTime: RunJob = (payload) => within(longestJobMilliseconds, run(payload));
      workers.set(queue, openQueueWorker(store, { ...concurrency, queue }, runInTime, onError));
      if (workers.size > 1) return;
      stopPolling = repeat(poll, POLL_MS, POLL_AFTER_ERROR_MS, onError);
      stopBeating = repeat(beat, heartbeatMilliseconds, heartbeatMilliseconds, onError);
    },
    wake: (queue) => workers.get(queue)?.fill(),
    async close(graceMilliseconds) {
      stopPolling();
      await all((worker) => worker.stop());
      await Promise.race([all((worker) => worker.ended()), pause(graceMilliseconds)]);
      stopBeating();
      for (const worker of workers.values()) await worker.handBack().catch(onError);
    },
  };
}

function openQueueWorker(
  store: JobStore,
  { queue, ...slots }: { readonly queue: string } & Concurrency,
  run: RunJob,
  onError: (error: unknown) => void,
): QueueWorker {
  const { groupConcurrency = null } = slots;
  const running = openRunningJobs(slots, fill);
  const work = { queue, run, running };
  let filling: Promise<void> | null = null;
  /** Another look was requested during this one. */
  let isWanted = false;
  let isStopped = false;

  function fill(): void {
    if (isStopped) return;
    isWanted = true;
    filling ??= fillWhileWanted().finally(() => {
      filling = null;
    });
  }

  async function fillWhileWanted(): Promise<void> {
    while (isWanted && !isStopped) {
      isWanted = false;
      try {
        while (!isStopped && (await takeSome()) > 0);
      } catch (error) {
        onError(error);
        return;
      }
    }
  }

  /**
   * A quarter of the free slots at a time: a batch may all be of one lane. @returns how many were
   * taken
   */
  async function takeSome(): Promise<number> {
    const { free, closedLanes } = running.room();
    if (free <= 0) return 0;
    const jobs = await store.fetch(queue, {
      most: Math.ceil(free / 4),
      groupConcurrency,
      closedLanes,
    });
    for (const job of jobs) running.begin(job, () => workOn(store, work, job).catch(onError));
    return jobs.length;
  }

  return {
    fill,
    async touch() {
      const ids = running.ids();
      if (ids.length > 0) await store.touch(queue, ids);
    },
    async stop() {
      isStopped = true;
      await filling;
    },
    ended: running.ended,
    async handBack() {
      const ids = running.ids();
      running.clear();
      if (ids.length > 0) await store.fail(queue, ids, new Error('handed back'));
    },
  };
}

/** Runs a job and stores how it ended, unless it was handed back meanwhile. */
async function workOn(
  store: JobStore,
  { queue, run, running }: Work,
  job: TakenJob,
): Promise<void> {
  let ended: () => Promise<void>;
  try {
    const output = await run(job.data);
    ended = () => store.complete(queue, job.id, output);
  } catch (error) {
    ended = () => store.fail(queue, [job.id], error);
  }
  await retry(
    async () => {
      // Another process may work on what was handed back.
      if (running.has(job.id)) await ended();
    },
    (_, attempts) => (attempts < STORE_ATTEMPTS ? STORE_WAIT_MS : null),
    pause,
  );
}

/** Again and again, each time so long after the last one ended. @returns what stops it */
function repeat(
  work: () => Promise<void>,
  milliseconds: number,
  afterError: number,
  onError: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const next = (wait: number) => {
    if (!isStopped) timer = setTimeout(go, wait);
  };
  const go = () =>
    work().then(
      () => next(milliseconds),
      (error) => {
        if (!isStopped) onError(error);
        next(afterError);
      },
    );
  next(0);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no end after ${milliseconds} ms`)),
    milliseconds,
  ).unref();
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
