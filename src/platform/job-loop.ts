import { retry } from './retry.ts';

/** How many jobs of a queue run at once. */
export interface Concurrency {
  /** In one process. */
  readonly concurrency: number;
  /** Of one group, over all processes; absent = any number. */
  readonly groupConcurrency?: number;
  /**
   * Of jobs whose only long part is the wait for a service: so many that have run for a second hold
   * no slot. Absent = none.
   */
  readonly waiting?: number;
}

export interface TakenJob {
  readonly id: string;
  readonly data: unknown;
  /** Shares the slots with jobs of the same lane; null = with no other job. */
  readonly lane: string | null;
}

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

interface RunningJob extends TakenJob {
  /** It has run for so long that it must be waiting for a service. */
  isWaiting: boolean;
}

interface QueueWorker extends Concurrency {
  readonly queue: string;
  readonly run: RunJob;
  readonly running: Map<string, RunningJob>;
  filling: Promise<void> | null;
  /** Another look was requested during this one. */
  isWanted: boolean;
}

/** A push begins within half a second, also where another process received it. */
const POLL_MS = 400;
const POLL_AFTER_ERROR_MS = 1_000;
const STORE_ATTEMPTS = 5;
const STORE_WAIT_MS = 1_000;
/**
 * A lane alone gets three quarters of the slots, two get three sevenths each: a third one finds
 * some free.
 */
const MOST_HELD_PER_FREE = 3;
const WAITS_AFTER_MS = 1_000;

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
  const works = new Set<Promise<void>>();
  let isClosing = false;
  let stopPolling = () => {};
  let stopBeating = () => {};

  async function poll(): Promise<void> {
    const ready = await store.ready();
    for (const queue of ready) fill(queue);
  }

  async function beat(): Promise<void> {
    for (const { queue, running } of workers.values())
      if (running.size > 0) await store.touch(queue, [...running.keys()]);
  }

  function fill(queue: string): void {
    const worker = workers.get(queue);
    if (!worker || isClosing) return;
    worker.isWanted = true;
    worker.filling ??= fillWhileWanted(worker).finally(() => {
      worker.filling = null;
    });
  }

  async function fillWhileWanted(worker: QueueWorker): Promise<void> {
    while (worker.isWanted && !isClosing) {
      worker.isWanted = false;
      try {
        while (!isClosing && (await takeSome(worker)) > 0);
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
  async function takeSome(worker: QueueWorker): Promise<number> {
    const { queue, concurrency, groupConcurrency = null } = worker;
    const holding = holdersOf(worker);
    const free = concurrency - holding.length;
    if (free <= 0) return 0;
    const closedLanes = closedLanesOf(holding, free);
    const jobs = await store.fetch(queue, {
      most: Math.ceil(free / 4),
      groupConcurrency,
      closedLanes,
    });
    for (const job of jobs) begin(worker, job);
    return jobs.length;
  }

  function begin(worker: QueueWorker, job: TakenJob): void {
    const running: RunningJob = { ...job, isWaiting: false };
    worker.running.set(job.id, running);
    const timer = setTimeout(() => {
      running.isWaiting = true;
      fill(worker.queue);
    }, WAITS_AFTER_MS).unref();
    const work = workOn(store, worker, job, longestJobMilliseconds)
      .catch(onError)
      .finally(() => {
        clearTimeout(timer);
        works.delete(work);
        if (worker.running.delete(job.id)) fill(worker.queue);
      });
    works.add(work);
  }

  return {
    work(queue, concurrency, run) {
      workers.set(queue, {
        ...concurrency,
        queue,
        run,
        running: new Map(),
        filling: null,
        isWanted: false,
      });
      if (workers.size > 1) return;
      stopPolling = repeat(poll, POLL_MS, POLL_AFTER_ERROR_MS, onError);
      stopBeating = repeat(beat, heartbeatMilliseconds, heartbeatMilliseconds, onError);
    },
    wake: fill,
    async close(graceMilliseconds) {
      isClosing = true;
      stopPolling();
      await Promise.all([...workers.values()].map(({ filling }) => filling));
      await Promise.race([Promise.all(works), pause(graceMilliseconds)]);
      stopBeating();
      for (const { queue, running } of workers.values()) {
        const ids = [...running.keys()];
        running.clear();
        if (ids.length > 0) await store.fail(queue, ids, new Error('handed back')).catch(onError);
      }
    },
  };
}

/** Runs a job and stores how it ended, unless it was handed back meanwhile. */
async function workOn(
  store: JobStore,
  { queue, run, running }: QueueWorker,
  job: TakenJob,
  longestMilliseconds: number,
): Promise<void> {
  let ended: () => Promise<void>;
  try {
    const output = await within(longestMilliseconds, run(job.data));
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

/** The running jobs that hold a slot: all but those that wait for a service, up to so many. */
function holdersOf({ running, waiting = 0 }: QueueWorker): readonly TakenJob[] {
  let left = waiting;
  return [...running.values()].filter(({ isWaiting }) => !isWaiting || left-- <= 0);
}

function closedLanesOf(holding: readonly TakenJob[], free: number): string[] {
  const held = new Map<string, number>();
  for (const { lane } of holding) if (lane !== null) held.set(lane, (held.get(lane) ?? 0) + 1);
  return [...held].filter(([, count]) => count >= free * MOST_HELD_PER_FREE).map(([lane]) => lane);
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
