import { Worker } from 'node:worker_threads';

// Threads that read documents. A new one loads and compiles its code again, which for an upload of
// 2,000 files takes as long as reading them, so one that has nothing to do is kept for a minute.

/** Of what is made of a document. */
const MOST_MEGABYTES = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 };
const KEPT_MILLISECONDS = 60_000;

interface KeptThread {
  readonly thread: Worker;
  readonly stopping: NodeJS.Timeout;
}

let kept: KeptThread | null = null;

/** The kept thread, or a new one; its taker alone uses it. */
export function takeThread(): Worker {
  if (!kept)
    return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: MOST_MEGABYTES });
  const { thread, stopping } = kept;
  kept = null;
  clearTimeout(stopping);
  thread.ref();
  return thread;
}

/** Keeps the thread for the next taker, or ends it when there is one already. */
export function returnThread(thread: Worker): void {
  if (kept) return void thread.terminate();
  // Neither holds a process that has nothing else to do.
  thread.unref();
  const stopping = setTimeout(() => {
    kept = null;
    void thread.terminate();
  }, KEPT_MILLISECONDS).unref();
  kept = { thread, stopping };
}
