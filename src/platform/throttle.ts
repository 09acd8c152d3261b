import type { Clock } from './clock.ts';
import type { SharedWindow } from './shared-window.ts';

/** `bucket`: refills evenly, bursts allowed. `sliding`: never more than so many in any minute. */
interface ThrottleRate {
  readonly perMinute: number;
  readonly burst?: number;
  readonly concurrency?: number;
  readonly window: 'bucket' | 'sliding';
  /** `server`: a sliding window is one for all processes, where they can notify each other. */
  readonly shared?: 'connection' | 'server';
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
  tokens: number;
  refilledAt: number;
  /** When those came back that are in the window; those on their way are in it, too. */
  sent: number[];
  flying: number;
  pausedUntil: number;
  running: number;
  readonly waiting: (() => void)[];
  gate: Promise<void>;
}

const MINUTE = 60_000;

/** Where the way back is not known yet. */
const LOOK_AGAIN_MS = 100;

export function createThrottle(clock: Clock, shared: SharedWindow | null = null): Throttle {
  const lanes = new Map<string, Lane>();

  function laneOf(key: string, rate: ThrottleRate): Lane {
    let lane = lanes.get(key);
    if (!lane) {
      lane = {
        tokens: rate.burst ?? 1,
        refilledAt: clock.monotonic(),
        sent: [],
        flying: 0,
        pausedUntil: 0,
        running: 0,
        waiting: [],
        gate: Promise.resolve(),
      };
      lanes.set(key, lane);
    }
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
    const lane = laneOf(key, rate);
    for (;;) {
      const turn = await tryTurn(key, lane, rate);
      if (!('wait' in turn)) return turn.leave;
      if (turn.wait > patience()) throw new TooLongError(turn.wait);
      await clock.sleep(turn.wait);
    }
  }

  async function tryTurn(
    key: string,
    lane: Lane,
    rate: ThrottleRate,
  ): Promise<{ leave: () => void } | { wait: number }> {
    const together = rate.window === 'sliding' && rate.shared === 'server' ? shared : null;
    const ownWait = () => {
      const own = together ? { ...rate, perMinute: together.allowance(rate.perMinute) } : rate;
      return waitOf(lane, own, clock.monotonic());
    };
    const wait = ownWait();
    if (wait > 0) return { wait };
    const entered = (await together?.enter(key, rate.perMinute)) ?? { leave: () => {} };
    if ('wait' in entered) return entered;
    // Asking may have shown that the others are not known any more, which leaves this process its
    // share.
    const shareWait = together ? ownWait() : 0;
    if (shareWait > 0) {
      entered.leave();
      return { wait: shareWait };
    }
    lane.tokens -= 1;
    lane.flying += 1;
    return {
      leave() {
        lane.flying -= 1;
        if (rate.window === 'sliding') lane.sent.push(clock.monotonic());
        entered.leave();
      },
    };
  }

  return {
    async run(key, rate, patience, work) {
      const lane = laneOf(key, rate);
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
    if (lane.sent.length + lane.flying < rate.perMinute) return 0;
    return lane.sent[0] === undefined ? LOOK_AGAIN_MS : lane.sent[0] + MINUTE - now;
  }
  const perMillisecond = rate.perMinute / MINUTE;
  lane.tokens = Math.min(rate.burst ?? 1, lane.tokens + (now - lane.refilledAt) * perMillisecond);
  lane.refilledAt = now;
  return lane.tokens >= 1 ? 0 : Math.ceil((1 - lane.tokens) / perMillisecond);
}
