import { newId } from './ids.ts';
import { burstOf, type Entry, type MeterRate } from './meter.ts';
import { askRedis, REDIS_NOW, type Redis } from './redis.ts';
import type { RedisMembers } from './redis-members.ts';

type Ask = (...args: (string | number)[]) => Promise<[number, number, number]>;

interface MeterRedis extends Redis {
  readonly enterWindow: Ask;
  readonly takeToken: Ask;
  leaveWindow(...args: (string | number)[]): Promise<number>;
  pauseCalls(...args: (string | number)[]): Promise<number>;
}

const PAUSED = `
local paused = (tonumber(redis.call('get', KEYS[2]) or '0') or 0) - now
if paused > 0 then return {0, math.ceil(paused), callers} end`;

// KEYS: window, pause, callers. ARGV: turned by, window, limit, longest flight, member. What is
// still on its way counts for that long after its return: the time of its arrival there is unknown.
// A time that no entry can have is of a clock that was ahead: it counts as now, so that no wait is
// longer than a window.
const ENTER = `${REDIS_NOW}
local callers = redis.call('zcard', KEYS[3])
${PAUSED}
redis.call('zremrangebyscore', KEYS[1], '-inf', now - ARGV[2])
for _, member in ipairs(redis.call('zrangebyscore', KEYS[1], '(' .. string.format('%.0f', now + ARGV[4]), '+inf')) do
  redis.call('zadd', KEYS[1], now, member)
end
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then
  local oldest = redis.call('zrange', KEYS[1], 0, 0, 'withscores')
  return {0, math.max(1, oldest[2] + ARGV[2] - now), callers}
end
redis.call('zadd', KEYS[1], now + ARGV[4], ARGV[5])
redis.call('pexpire', KEYS[1], ARGV[2] + ARGV[4])
return {1, 0, callers}`;

const LEAVE = `${REDIS_NOW}
return redis.call('zadd', KEYS[1], 'xx', now, ARGV[2])`;

// KEYS: bucket, pause, callers. ARGV: turned by, calls a millisecond, burst, 1 = the bucket is
// emptied first, for how many milliseconds all is counted. A bucket that expired is full, where it
// can have been filled since.
const TAKE = `${REDIS_NOW}
local callers = redis.call('zcard', KEYS[3])
${PAUSED}
local rate = tonumber(ARGV[2])
local burst = tonumber(ARGV[3])
local saved = redis.call('hmget', KEYS[1], 'tokens', 'at')
local tokens = tonumber(saved[1] or math.min(burst, ARGV[5] * rate))
local at = tonumber(saved[2] or now)
if ARGV[4] == '1' then tokens, at = 0, now end
tokens = math.min(burst, tokens + math.max(0, now - at) * rate)
local admitted = tokens >= 1 and 1 or 0
tokens = tokens - admitted
redis.call('hset', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', now))
redis.call('pexpire', KEYS[1], math.ceil(burst / rate) + 1000)
return {admitted, math.max(0, math.ceil((1 - tokens) / rate)), callers}`;

// KEYS: pause. ARGV: turned by, milliseconds. A longer pause stays.
const PAUSE = `${REDIS_NOW}
local till = now + ARGV[2]
if till <= tonumber(redis.call('get', KEYS[1]) or '0') then return 0 end
redis.call('set', KEYS[1], string.format('%.0f', till), 'px', ARGV[2])
return 1`;

export const WINDOW_MS = 60_000;
/** Clocks and ways differ by a little. */
export const MARGIN_MS = 250;
export const LONGEST_FLIGHT_MS = 30_000;

/** What the caller knows of what Redis counts. */
interface Known {
  /** Whether nothing is left in the bucket. */
  readonly emptiesFirst: boolean;
  /** For how many milliseconds Redis counts everything; infinite = always. */
  readonly counted: number;
}

/** Counts in Redis alone. */
interface RedisMeter {
  /** @throws Error while Redis is away */
  enter(key: string, rate: MeterRate, known: Known): Promise<Entry>;
  /** @throws Error while Redis is away */
  pause(key: string, milliseconds: number): Promise<unknown>;
}

/** @param turnedBy milliseconds by which the clock of this process was turned */
export function redisMeter(
  given: Redis,
  callers: RedisMembers,
  turnedBy: () => number,
): RedisMeter {
  const redis = given as MeterRedis;
  redis.defineCommand('enterWindow', { numberOfKeys: 3, lua: ENTER });
  redis.defineCommand('leaveWindow', { numberOfKeys: 1, lua: LEAVE });
  redis.defineCommand('takeToken', { numberOfKeys: 3, lua: TAKE });
  redis.defineCommand('pauseCalls', { numberOfKeys: 1, lua: PAUSE });

  async function enterWindow(key: string, { perMinute }: MeterRate): Promise<Entry> {
    const keys = [`tianguis:window:${key}`, pauseOf(key), callers.key] as const;
    const window = WINDOW_MS + MARGIN_MS;
    const member = newId();
    const [admitted, wait, seen] = await askRedis(redis, () =>
      redis.enterWindow(...keys, turnedBy(), window, perMinute, LONGEST_FLIGHT_MS, member),
    );
    callers.note(seen);
    if (admitted !== 1) return { wait: Math.ceil(wait) };
    // A call without a known end counts as under way for as long as a call can take.
    const leave = () => askRedis(redis, () => redis.leaveWindow(keys[0], turnedBy(), member));
    return { leave: () => void leave().catch(() => {}) };
  }

  async function takeToken(
    key: string,
    rate: MeterRate,
    { emptiesFirst, counted }: Known,
  ): Promise<Entry> {
    const keys = [`tianguis:bucket:${key}`, pauseOf(key), callers.key];
    const perMillisecond = rate.perMinute / WINDOW_MS;
    const [admitted, wait, seen] = await askRedis(redis, () =>
      redis.takeToken(
        ...keys,
        ...[turnedBy(), perMillisecond, burstOf(rate)],
        ...[Number(emptiesFirst), Math.min(counted, Number.MAX_SAFE_INTEGER)],
      ),
    );
    callers.note(seen);
    return admitted === 1 ? { leave: () => {} } : { wait };
  }

  return {
    enter: (key, rate, known) =>
      rate.window === 'sliding' ? enterWindow(key, rate) : takeToken(key, rate, known),
    pause: (key, milliseconds) =>
      askRedis(redis, () => redis.pauseCalls(pauseOf(key), turnedBy(), Math.ceil(milliseconds))),
  };
}

function pauseOf(key: string): string {
  return `tianguis:pause:${key}`;
}
