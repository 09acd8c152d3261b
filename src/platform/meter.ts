import type { Clock } from './clock.ts';

/** `bucket`: refills evenly, bursts allowed. `sliding`: never more than so many in any minute. */
export interface MeterRate {
  readonly perMinute: number;
  /** Of a bucket; absent = 1. */
  readonly burst?: number;
  readonly window: 'bucket' | 'sliding';
}

/** `leave` ends the call; `wait`: milliseconds until there may be room. */
export type Entry = { readonly leave: () => void } | { readonly wait: number };

/** Counts the calls of each key against its limit. */
export interface Meter {
  /** One call more, or how long to wait. Of one key, one caller at a time enters. */
  enter(key: string, rate: MeterRate): Promise<Entry>;
  /** Nothing more for this key for so long: its owner said so. */
  pause(key: string, milliseconds: number): void;
}

interface MemoryMeter extends Meter {
  /** Milliseconds until a call may enter; 0 = now. */
  wait(key: string, rate: MeterRate): number;
  /** Counts one call. @returns what ends it */
  take(key: string, rate: MeterRate): () => void;
  /** Nothing is left of its bucket. */
  empty(key: string, rate: MeterRate): void;
}

interface Count {
  tokens: number;
  refilledAt: number;
  /** When those came back that are in the window; those on their way are in it, too. */
  sent: number[];
  flying: number;
  pausedUntil: number;
}

const MINUTE = 60_000;
/** Where the way back is not known yet. */
const LOOK_AGAIN_MS = 100;

/** Counts in the memory of this process. */
export function memoryMeter(clock: Clock): MemoryMeter {
  const counts = new Map<string, Count>();

  function countOf(key: string, rate: MeterRate): Count {
    const known = counts.get(key);
    if (known) return known;
    const refilledAt = clock.monotonic();
    const count = { tokens: burstOf(rate), refilledAt, sent: [], flying: 0, pausedUntil: 0 };
    counts.set(key, count);
    return count;
  }

  const meter: MemoryMeter = {
    wait: (key, rate) => waitOf(countOf(key, rate), rate, clock.monotonic()),
    take(key, rate) {
      const count = countOf(key, rate);
      count.tokens -= 1;
      count.flying += 1;
      return () => {
        count.flying -= 1;
        if (rate.window === 'sliding') count.sent.push(clock.monotonic());
      };
    },
    empty(key, rate) {
      Object.assign(countOf(key, rate), { tokens: 0, refilledAt: clock.monotonic() });
    },
    async enter(key, rate) {
      const wait = meter.wait(key, rate);
      return wait > 0 ? { wait } : { leave: meter.take(key, rate) };
    },
    pause(key, milliseconds) {
      const count = counts.get(key);
      if (count) count.pausedUntil = Math.max(count.pausedUntil, clock.monotonic() + milliseconds);
    },
  };
  return meter;
}

export function burstOf({ burst = 1 }: MeterRate): number {
  return burst;
}

function waitOf(count: Count, rate: MeterRate, now: number): number {
  if (count.pausedUntil > now) return count.pausedUntil - now;
  if (rate.window === 'sliding') {
    while (count.sent[0] !== undefined && count.sent[0] <= now - MINUTE) count.sent.shift();
    if (count.sent.length + count.flying < rate.perMinute) return 0;
    return count.sent[0] === undefined ? LOOK_AGAIN_MS : count.sent[0] + MINUTE - now;
  }
  const perMillisecond = rate.perMinute / MINUTE;
  const refilled = count.tokens + (now - count.refilledAt) * perMillisecond;
  count.tokens = Math.min(burstOf(rate), refilled);
  count.refilledAt = now;
  return count.tokens >= 1 ? 0 : Math.ceil((1 - count.tokens) / perMillisecond);
}
