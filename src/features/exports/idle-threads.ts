import { Worker } from 'node:worker_threads';

/**
 * Where there is memory V8 lets a heap grow before it looks for what is no longer used: an export
 * would take as much as it may.
 */
const LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 96 };

/** How long a thread waits for more work: loading its modules takes a second of processor time. */
const IDLE_MS = 60_000;

/** Threads that have written an export, each with the timer that ends it. */
const idle = new Map<Worker, NodeJS.Timeout>();

export function openThread(): Worker {
  return new Worker(new URL('./export-thread.ts', import.meta.url), {
    resourceLimits: LIMITS,
  });
}

export function idleThread(): Worker | null {
  for (const [thread, end] of idle) {
    clearTimeout(end);
    idle.delete(thread);
    return thread;
  }
  return null;
}

/** An idle thread keeps no process alive. */
export function rest(thread: Worker): void {
  const forget = () => void idle.delete(thread);
  thread.removeAllListeners().once('error', forget).once('exit', forget).unref();
  const end = setTimeout(() => {
    forget();
    thread.terminate();
  }, IDLE_MS);
  idle.set(thread, end.unref());
}
