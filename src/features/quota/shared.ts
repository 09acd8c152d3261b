import type { Clock } from '../../platform/clock.ts';
import { askRedis, connectRedis, type Redis } from '../../platform/redis.ts';
import { joinMembers } from '../../platform/redis-members.ts';
import { memoryCounter, type Spent, type WindowCounter } from './window.ts';

// KEYS: window. ARGV: limit, window in ms. The window begins with its first request and ends by its
// time to live. A longer one than a window is of a clock that went back, and ends a window from now.
const SPEND = `
local count = tonumber(redis.call('get', KEYS[1]) or '0')
local left = redis.call('pttl', KEYS[1])
if left <= 0 then
  count = 0
  left = tonumber(ARGV[2])
end
if left > tonumber(ARGV[2]) then
  left = tonumber(ARGV[2])
  redis.call('pexpire', KEYS[1], left)
end
if count >= tonumber(ARGV[1]) then return {0, count, left} end
if count == 0 then redis.call('set', KEYS[1], 1, 'px', ARGV[2]) else redis.call('incr', KEYS[1]) end
return {1, count + 1, left}`;

const PEEK = `
local count = tonumber(redis.call('get', KEYS[1]) or '0')
local left = redis.call('pttl', KEYS[1])
if left <= 0 then return {1, 0, tonumber(ARGV[2])} end
return {count < tonumber(ARGV[1]) and 1 or 0, count, math.min(left, tonumber(ARGV[2]))}`;

const PROCESSES = 'tianguis:processes';

type Command = (
  key: string,
  limit: number,
  windowMilliseconds: number,
) => Promise<[admitted: number, count: number, millisecondsLeft: number]>;

interface CountingRedis extends Redis {
  readonly spendQuota: Command;
  readonly peekQuota: Command;
}

/** Counters that all processes share. */
export interface SharedCounters {
  /** @param name separates its keys from those of other counters */
  counter(name: string, windowMilliseconds: number): WindowCounter;
  /** Whether Redis answered when it was last asked. */
  isUp(): boolean;
  close(): Promise<void>;
}

/**
 * Counts in Redis, exactly over any number of processes. While Redis is away, each process counts
 * for itself and admits its share: the limit divided by the processes last seen.
 */
export function openSharedCounters(
  url: string,
  clock: Clock,
  onError: (error: unknown) => void,
): SharedCounters {
  const redis = connectRedis(url, onError) as CountingRedis;
  redis.defineCommand('spendQuota', { numberOfKeys: 1, lua: SPEND });
  redis.defineCommand('peekQuota', { numberOfKeys: 1, lua: PEEK });
  const processes = joinMembers(redis, PROCESSES, onError);
  let isAway = false;

  function counter(name: string, windowMilliseconds: number): WindowCounter {
    const alone = memoryCounter(clock, windowMilliseconds);
    /** Asks Redis; where it is away, this process alone, of its share. */
    async function ask(verb: 'spend' | 'peek', key: string, limit: number): Promise<Spent> {
      try {
        const command = verb === 'spend' ? 'spendQuota' : 'peekQuota';
        const [admitted, count, millisecondsLeft] = await askRedis(redis, () =>
          redis[command](`tianguis:${name}:${key}`, limit, windowMilliseconds),
        );
        isAway = false;
        return { admitted: admitted === 1, count, millisecondsLeft };
      } catch (error) {
        // Reported once an outage, not once a request.
        if (!isAway) onError(error);
        isAway = true;
        const share = Math.max(1, Math.floor(limit / processes.count()));
        const spent = alone[verb](key, share);
        return { ...spent, count: limit - share + spent.count };
      }
    }
    return {
      spend: (key, limit) => ask('spend', key, limit),
      peek: (key, limit) => ask('peek', key, limit),
    };
  }

  return {
    counter,
    isUp: () => !isAway,
    async close() {
      await processes.leave();
      redis.disconnect();
    },
  };
}
