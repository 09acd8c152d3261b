import type { Clock } from '../../platform/clock.ts';

/** How many times as long as others delayed a page it rests after it. */
const CAUTION = 4;
const LONGEST_MS = 1_000;

interface Pace {
  /** After a page, its rest included in no later page's time. */
  rest(): Promise<void>;
}

/**
 * The pace of work that others go before. A page that takes longer than the fastest one waited for
 * a processor or the database, so others need them: the work rests, and without others does not.
 */
export function openPace({ monotonic, sleep }: Pick<Clock, 'monotonic' | 'sleep'>): Pace {
  let fastest = Number.POSITIVE_INFINITY;
  let began = monotonic();
  return {
    async rest() {
      const took = monotonic() - began;
      fastest = Math.min(fastest, took);
      const rest = Math.min((took - fastest) * CAUTION, LONGEST_MS);
      if (rest >= 1) await sleep(rest);
      began = monotonic();
    },
  };
}
