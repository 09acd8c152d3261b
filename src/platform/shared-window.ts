import type { Clock } from './clock.ts';
import { newId } from './ids.ts';
import { askRedis, connectRedis, type Redis } from './redis.ts';
import { joinMembers } from './redis-members.ts';

/** A sliding window that several processes keep together. */
export interface SharedWindow {
  /** How many of a limit this process may use by itself; all of them while the others are known. */
  allowance(limit: number): number;
  /** One more, or the milliseconds until there may be room. */
  enter(key: string, limit: number): Promise<{ leave: () => void } | { wait: number }>;
  close(): Promise<void>;
}

interface WindowRedis extends Redis {
  enterWindow(...args: (string | number)[]): Promise<[number, number, number]>;
  leaveWindow(...args: (string | number)[]): Promise<number>;
}

// Redis's own clock counts, the same for all; a turned clock adds how far it was turned.
const NOW = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])`;

// KEYS: window, callers. ARGV: turned by, window, limit, longest flight, member. What is still on
// its way counts for that long after its return: the time of its arrival there is unknown.
const ENTER = `${NOW}
local callers = redis.call('zcard', KEYS[2])
redis.call('zremrangebyscore', KEYS[1], '-inf', now - ARGV[2])
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
  local oldest = redis.call('zrange', KEYS[1], 0, 0, 'withscores')
  return {0, math.max(1, oldest[2] + ARGV[2] - now), callers}
end
redis.call('zadd', KEYS[1], now + ARGV[4], ARGV[5])
redis.call('pexpire', KEYS[1], ARGV[2] + ARGV[4])
return {1, 0, callers}`;

const LEAVE = `${NOW}
return redis.call('zadd', KEYS[1], 'xx', now, ARGV[2])`;

const CALLERS = 'tianguis:callers';
const WINDOW_MS = 60_000;
/** Clocks and ways differ by a little. */
const MARGIN_MS = 250;
const LONGEST_FLIGHT_MS = 30_000;
const JITTER_MS = 5;

/**
 * Counts in Redis, exactly over any number of processes. When Redis goes away it is unknown what the
 * others used, so nothing is sent for one window; after that each process takes its share, the
 * limit divided by the processes last seen, until Redis has been back for a window.
 */
export function openSharedWindow(
  url: string,
  clock: Clock,
  onError: (error: unknown) => void,
): SharedWindow {
  const redis = connectRedis(url, onError) as WindowRedis;
  redis.defineCommand('enterWindow', { numberOfKeys: 2, lua: ENTER });
  redis.defineCommand('leaveWindow', { numberOfKeys: 1, lua: LEAVE });
  const callers = joinMembers(redis, CALLERS, onError);
  let awaySince: number | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;

  const turnedBy = () => {
    const by = clock.millis() - Date.now();
    return Math.abs(by) < JITTER_MS ? 0 : by;
  };

  async function leave(key: string, member: string): Promise<void> {
    // A call without a known end counts as under way for as long as a call can take.
    await askRedis(redis, () => redis.leaveWindow(key, turnedBy(), member)).catch(() => {});
  }

  function alone(error: unknown): { leave: () => void } | { wait: number } {
    const now = clock.monotonic();
    // Once an outage, not once a call.
    if (awaySince === null) onError(error);
    awaySince ??= now;
    failedAt = now;
    const silence = awaySince + WINDOW_MS + MARGIN_MS + LONGEST_FLIGHT_MS - now;
    return silence > 0 ? { wait: silence } : { leave: () => {} };
  }

  return {
    allowance(limit) {
      const isSure = clock.monotonic() - failedAt > WINDOW_MS + LONGEST_FLIGHT_MS;
      return isSure ? limit : Math.max(1, Math.floor(limit / callers.count()));
    },
    async enter(lane, limit) {
      await callers.counted;
      const key = `tianguis:window:${lane}`;
      const member = newId();
      try {
        const [admitted, wait, seen] = await askRedis(redis, () =>
          redis.enterWindow(
            key,
            CALLERS,
            turnedBy(),
            WINDOW_MS + MARGIN_MS,
            limit,
            LONGEST_FLIGHT_MS,
            member,
          ),
        );
        callers.note(seen);
        awaySince = null;
        return admitted === 1
          ? { leave: () => void leave(key, member) }
          : { wait: Math.ceil(wait) };
      } catch (error) {
        return alone(error);
      }
    },
    async close() {
      await callers.leave();
      redis.disconnect();
    },
  };
}
