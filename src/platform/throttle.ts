import type { Clock } from './clock.ts';
import { type Meter, type MeterRate, memoryMeter } from './meter.ts';

interface ThrottleRate extends MeterRate {
  /** Calls of a key that are under way at once, in this process. */
  readonly concurrency?: number;
}

/** Delays calls so that no limit is exceeded. Keys are independent. */
export interface Throttle {
  /**
   * Runs `work` when its key may send once more.
   * @param patience milliseconds, asked for when the turn is known
   * @throws TooLongError at once, where the turn is further off than `patience`
   */
  run<T>(
    key: string,
    rate: ThrottleRate,
    patience: () => number,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Nothing more for this key for so long: its owner said so. */
  pause(key: string, milliseconds: number): void;
}

/** The turn is so far off that the caller should do something else. */
export class TooLongError extends Error {
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super(`its turn comes in ${milliseconds} ms`);
    this.name = 'TooLongError';
    this.milliseconds = milliseconds;
  }
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
  gate: Promise<void>;
}

/** @param meter absent = that of this process alone */
export function createThrottle(clock: Clock, meter: Meter = memoryMeter(clock)): Throttle {
  const lanes = new Map<string, Lane>();

  function laneOf(key: string): Lane {
    const known = lanes.get(key);
    if (known) return known;
    const lane = { running: 0, waiting: [], gate: Promise.resolve() };
    lanes.set(key, lane);
    return lane;
  }

  /**
   * One caller at a time, in order of arrival, waits for its turn in time. @returns what ends the
   * turn
   */
  async function takeTurn(
    key: string,
    rate: ThrottleRate,
    patience: () => number,
  ): Promise<() => void> {
    for (;;) {
      const entry = await meter.enter(key, rate);
      if ('leave' in entry) return entry.leave;
      if (entry.wait > patience()) throw new TooLongError(entry.wait);
      await clock.sleep(entry.wait);
    }
  }

  return {
    async run(key, rate, patience, work) {
      const lane = laneOf(key);
      if (lane.running >= (rate.concurrency ?? 4))
        await new Promise<void>((resolve) => lane.waiting.push(resolve));
      else lane.running++;
      try {
        const turn = lane.gate.then(() => takeTurn(key, rate, patience));
        lane.gate = turn.then(
          () => {},
          () => {},
        );
        const leave = await turn;
        try {
          return await work();
        } finally {
          leave();
        }
      } finally {
        // The slot goes to the next in the queue, or is given back.
        const next = lane.waiting.shift();
        if (next) next();
        else lane.running--;
      }
    },
    pause: meter.pause,
  };
}
