import type { Instant } from './time.ts';

/** Where every time in the product comes from, so that a test can turn it. */
export interface Clock {
  now(): Instant;
  /** The same in whole epoch milliseconds, for what needs no more and happens at every request. */
  millis(): number;
  /** Milliseconds that only go forward; jumps of the wall clock do not touch them. */
  monotonic(): number;
  /**
   * Calls `work` again and again until the returned function is called. A turned clock never fires.
   */
  every(milliseconds: number, work: () => void): () => void;
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Temporal.Now.instant().round({ smallestUnit: 'microsecond', roundingMode: 'floor' }),
  millis: () => Date.now(),
  monotonic: () => performance.now(),
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds);
    return () => clearInterval(timer);
  },
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
