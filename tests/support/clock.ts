import { type Clock, systemClock } from '../../src/platform/clock.ts';

/** A clock that advances only when a test or a sleep advances it. */
export interface TurnedClock extends Clock {
  advance(duration: Temporal.DurationLike): void;
}

export function turnedClock(start = '2026-11-16T18:00:00Z'): TurnedClock {
  let now = Temporal.Instant.from(start);
  let monotonic = 0;
  const advance = (duration: Temporal.DurationLike) => {
    const whole = Temporal.Duration.from(duration);
    now = now.add(whole);
    monotonic += whole.total('milliseconds');
  };
  return {
    now: () => now,
    millis: () => now.epochMilliseconds,
    monotonic: () => monotonic,
    every: () => () => {},
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      advance({ milliseconds: Math.ceil(milliseconds) });
      // Lets what was waiting run, as a real pause would.
      await new Promise((resolve) => setImmediate(resolve));
    },
    advance,
  };
}

/**
 * The machine's time, for what other processes write, too. Nothing recurs by itself: a job of the
 * worker would come between two steps of a test.
 */
export const untickedClock: TurnedClock = { ...systemClock, every: () => () => {}, advance() {} };

/** A clock whose wall time is off by so much, and whose monotonic time is not. */
export function shiftedClock<C extends Clock>(clock: C, by: () => Temporal.DurationLike): C {
  const now = () => clock.now().add(by());
  return { ...clock, now, millis: () => now().epochMilliseconds };
}
