import type { Clock } from '../../platform/clock.ts';

/** The result of counting one request. */
export interface Spent {
  /** Whether the request is within the limit; a refused one is not counted. */
  readonly admitted: boolean;
  readonly count: number;
  /** Milliseconds until the window ends; the whole window when none has begun. */
  readonly millisecondsLeft: number;
}

/** Counts requests in windows that begin with the first one. */
export interface WindowCounter {
  spend(key: string, limit: number): Spent | Promise<Spent>;
  /** The counter's state; begins no window. */
  peek(key: string, limit: number): Spent | Promise<Spent>;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

const SWEEP_AT = 10_000;

interface MemoryCounter extends WindowCounter {
  spend(key: string, limit: number): Spent;
  peek(key: string, limit: number): Spent;
}

/** Counts in this process, by monotonic time: a jump of the wall clock ends no window early. */
export function memoryCounter(clock: Clock, windowMilliseconds: number): MemoryCounter {
  const windows = new Map<string, Window>();
  let sweepAt = SWEEP_AT;
  /** Removes windows that ended. The next removal is when there are twice as many as are left. */
  const sweep = (now: number) => {
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
    sweepAt = Math.max(SWEEP_AT, 2 * windows.size);
  };
  return {
    peek(key, limit) {
      const left = (windows.get(key)?.endsAt ?? 0) - clock.monotonic();
      const count = left > 0 ? (windows.get(key)?.count ?? 0) : 0;
      return {
        admitted: count < limit,
        count,
        millisecondsLeft: left > 0 ? left : windowMilliseconds,
      };
    },
    spend(key, limit) {
      const now = clock.monotonic();
      let window = windows.get(key);
      if (!window || window.endsAt <= now) {
        if (windows.size >= sweepAt) sweep(now);
        window = { count: 0, endsAt: now + windowMilliseconds };
        windows.set(key, window);
      }
      const admitted = window.count < limit;
      if (admitted) window.count++;
      return { admitted, count: window.count, millisecondsLeft: window.endsAt - now };
    },
  };
}
