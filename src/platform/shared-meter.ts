import type { Clock } from './clock.ts';
import { burstOf, type Entry, type Meter, type MeterRate, memoryMeter } from './meter.ts';
import type { Redis } from './redis.ts';
import { type RedisCounts, watchRedisCounts } from './redis-counts.ts';
import type { RedisMembers } from './redis-members.ts';
import { LONGEST_FLIGHT_MS, MARGIN_MS, redisMeter, WINDOW_MS } from './redis-meter.ts';

/** After so long all processes have found a Redis that is back. */
const ALL_BACK_MS = 5_000;

/** A call that another process sent just before Redis went away has left a window by then. */
const SILENCE_MS = WINDOW_MS + MARGIN_MS + LONGEST_FLIGHT_MS;

/**
 * Counts in Redis, exactly over any number of processes. What the others used is unknown when Redis
 * goes away: of a sliding window nothing is sent until it is over, and a bucket counts as empty. Then
 * each process takes its share, the limit divided by the processes last seen, until Redis has been
 * back for a window, or for some seconds with a bucket. A Redis that was started anew may have lost
 * what it counted, so that the silence goes on after it is back.
 * @param callers the processes that count there
 * @param turnedBy milliseconds by which the clock of this process was turned
 */
export function sharedMeter(
  redis: Redis,
  clock: Clock,
  callers: RedisMembers,
  turnedBy: () => number,
  onError: (error: unknown) => void,
): Meter {
  const there = redisMeter(redis, callers, turnedBy);
  const here = memoryMeter(clock);
  const counts = watchRedisCounts(redis, clock);
  const outages = openOutages(clock, callers, counts, onError);
  /** Buckets that were used without Redis, and that Redis therefore does not know. */
  const usedAlone = new Set<string>();

  /** Without Redis. */
  function alone(key: string, rate: MeterRate, error: unknown): Entry {
    const silence = outages.noteFailure(rate, error);
    if (silence > 0) return { wait: silence };
    if (rate.window === 'sliding') return { leave: () => {} };
    if (!usedAlone.has(key)) here.empty(key, rate);
    usedAlone.add(key);
    return { leave: () => {} };
  }

  async function ask(key: string, rate: MeterRate): Promise<Entry> {
    try {
      const counted = clock.monotonic() - counts.since();
      const entry = await there.enter(key, rate, { emptiesFirst: usedAlone.has(key), counted });
      usedAlone.delete(key);
      outages.noteAnswer();
      return entry;
    } catch (error) {
      return alone(key, rate, error);
    }
  }

  return {
    async enter(key, rate) {
      await callers.counted;
      const ownWait = here.wait(key, outages.shareOf(rate));
      if (ownWait > 0) return { wait: ownWait };
      await counts.met();
      const silence = outages.silenceOf(rate);
      if (silence > 0) return { wait: silence };
      const entry = await ask(key, rate);
      if ('wait' in entry) return entry;
      // Asking may have shown that the others are not known any more.
      const wait = here.wait(key, outages.shareOf(rate));
      if (wait > 0) {
        entry.leave();
        return { wait };
      }
      const leaveHere = here.take(key, rate);
      return {
        leave() {
          leaveHere();
          entry.leave();
        },
      };
    },
    pause(key, milliseconds) {
      here.pause(key, milliseconds);
      // Without Redis each process learns it from its own calls.
      there.pause(key, milliseconds).catch(() => {});
    },
  };
}

/** How much a process may send while it does not know all that the others sent. */
interface Outages {
  /** How long a sliding window may have calls of others that are not counted. */
  silenceOf(rate: MeterRate): number;
  /** What this process may use by itself; all of it while the others are known. */
  shareOf(rate: MeterRate): MeterRate;
  noteAnswer(): void;
  /** @returns the silence of this rate */
  noteFailure(rate: MeterRate, error: unknown): number;
}

function openOutages(
  clock: Clock,
  callers: RedisMembers,
  counts: RedisCounts,
  onError: (error: unknown) => void,
): Outages {
  let isAway = false;
  let failedAt = Number.NEGATIVE_INFINITY;

  function silenceSince(since: number, { window }: MeterRate): number {
    return window === 'sliding' ? Math.max(0, since + SILENCE_MS - clock.monotonic()) : 0;
  }

  return {
    silenceOf: (rate) => silenceSince(counts.since(), rate),
    shareOf(rate) {
      const unsure = rate.window === 'sliding' ? WINDOW_MS + LONGEST_FLIGHT_MS : ALL_BACK_MS;
      const isSure = clock.monotonic() - failedAt > unsure;
      return isSure ? rate : dividedBy(rate, callers.count());
    },
    noteAnswer() {
      isAway = false;
      counts.noteAnswer();
    },
    noteFailure(rate, error) {
      // Once an outage, not once a call.
      if (!isAway) onError(error);
      isAway = true;
      failedAt = clock.monotonic();
      return silenceSince(counts.noteAway(), rate);
    },
  };
}

function dividedBy(rate: MeterRate, count: number): MeterRate {
  const perMinute = rate.perMinute / count;
  return {
    window: rate.window,
    perMinute: rate.window === 'sliding' ? Math.max(1, Math.floor(perMinute)) : perMinute,
    burst: Math.max(1, Math.floor(burstOf(rate) / count)),
  };
}
