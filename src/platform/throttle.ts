import type { Clock } from './clock.ts';

/** `bucket`: refills evenly, bursts allowed. `sliding`: never more than so many in any minute. */
interface ThrottleRate {
  readonly perMinute: number;
  readonly burst?: number;
  readonly concurrency?: number;
  readonly window: 'bucket' | 'sliding';
}

/** Holds back calls so that nobody's limit is exceeded. Keys are independent. */
export interface Throttle {
  /**
   * Runs `work` when its key may send once more.
   * @throws TooLongError at once, where that would take longer than `patience`
   */
  run<T>(key: string, rate: ThrottleRate, patience: number, work: () => Promise<T>): Promise<T>;
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
  tokens: number;
  refilledAt: number;
  sent: number[];
  pausedUntil: number;
  running: number;
  readonly waiting: (() => void)[];
  gate: Promise<void>;
}

const MINUTE = 60_000;

export function createThrottle(clock: Clock): Throttle {
  const lanes = new Map<string, Lane>();

  function laneOf(key: string, rate: ThrottleRate): Lane {
    let lane = lanes.get(key);
    if (!lane) {
      lane = {
        tokens: rate.burst ?? 1,
        refilledAt: clock.monotonic(),
        sent: [],
        pausedUntil: 0,
        running: 0,
        waiting: [],
        gate: Promise.resolve(),
      };
      lanes.set(key, lane);
    }
    return lane;
  }

  /** One caller at a time, in order of arrival, waits for its turn in time. */
  async function takeTurn(lane: Lane, rate: ThrottleRate, patience: number): Promise<void> {
    for (
      let wait = waitOf(lane, rate, clock.monotonic());
      wait > 0;
      wait = waitOf(lane, rate, clock.monotonic())
    ) {
      if (wait > patience) throw new TooLongError(wait);
      await clock.sleep(wait);
    }
    if (rate.window === 'sliding') lane.sent.push(clock.monotonic());
    lane.tokens -= 1;
  }

  return {
    async run(key, rate, patience, work) {
      const lane = laneOf(key, rate);
      if (lane.running >= (rate.concurrency ?? 4))
        await new Promise<void>((resolve) => lane.waiting.push(resolve));
      else lane.running++;
      try {
        const turn = lane.gate.then(() => takeTurn(lane, rate, patience));
        lane.gate = turn.catch(() => {});
        await turn;
        return await work();
      } finally {
        // The place goes to the next in line, or is given back.
        const next = lane.waiting.shift();
        if (next) next();
        else lane.running--;
      }
    },
    pause(key, milliseconds) {
      const lane = lanes.get(key);
      if (lane) lane.pausedUntil = Math.max(lane.pausedUntil, clock.monotonic() + milliseconds);
    },
  };
}

/** Milliseconds until this lane may send; 0 = now. */
function waitOf(lane: Lane, rate: ThrottleRate, now: number): number {
  if (lane.pausedUntil > now) return lane.pausedUntil - now;
  if (rate.window === 'sliding') {
    while (lane.sent[0] !== undefined && lane.sent[0] <= now - MINUTE) lane.sent.shift();
    return lane.sent.length < rate.perMinute ? 0 : (lane.sent[0] ?? now) + MINUTE - now;
  }
  const perMillisecond = rate.perMinute / MINUTE;
  lane.tokens = Math.min(rate.burst ?? 1, lane.tokens + (now - lane.refilledAt) * perMillisecond);
  lane.refilledAt = now;
  return lane.tokens >= 1 ? 0 : Math.ceil((1 - lane.tokens) / perMillisecond);
}
