import { newId } from './ids.ts';
import { askRedis, type Redis } from './redis.ts';

/** The processes that share something in Redis, this one among them. */
export interface RedisMembers {
  /** A sorted set in Redis, one entry a process. */
  readonly key: string;
  /** The count that this process read last; it stays while Redis is away. */
  count(): number;
  /** Resolves when they were counted for the first time, or cannot be. */
  readonly counted: Promise<void>;
  /**
   * How many another question to Redis brought along: one that joined is known before the next
   * beat.
   */
  note(count: number): void;
  leave(): Promise<void>;
}

interface MemberRedis extends Redis {
  beatMember(key: string, goneAfterMilliseconds: number, member: string): Promise<number>;
}

// KEYS: members. ARGV: silence after which one is gone, member. Redis's own clock counts: with the
// processes' own, one that runs ahead would count the others out.
const BEAT = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zadd', KEYS[1], now, ARGV[2])
redis.call('zremrangebyscore', KEYS[1], '-inf', now - ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[1])
return redis.call('zcard', KEYS[1])`;

const HEARTBEAT_MS = 2_000;
const GONE_AFTER_MS = 10_000;
/** By the third beat all have found a Redis that is back. */
const BEATS_UNTIL_ALL_BACK = 3;

/** Joins the members under a key, and says so again and again until it leaves. */
export function joinMembers(
  redis: Redis,
  key: string,
  onError: (error: unknown) => void,
): RedisMembers {
  redis.defineCommand('beatMember', { numberOfKeys: 1, lua: BEAT });
  const member = newId();
  let count = 1;
  let isAway = false;
  let beats = 0;
  /** A Redis that is back may have forgotten them: until all have joined again none is gone. */
  function note(seen: number): void {
    count = Math.max(beats < BEATS_UNTIL_ALL_BACK ? count : 1, seen);
  }
  async function beat(): Promise<void> {
    const ask = () => (redis as MemberRedis).beatMember(key, GONE_AFTER_MS, member);
    try {
      const seen = await askRedis(redis, ask);
      beats += 1;
      note(seen);
      isAway = false;
    } catch (error) {
      // Once an outage, not once a beat.
      if (!isAway) onError(error);
      isAway = true;
    }
  }
  const counted = Promise.withResolvers<void>();
  redis.on('ready', () => {
    beats = 0;
    void beat().then(counted.resolve);
  });
  redis.once('error', () => counted.resolve());
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  timer.unref();
  return {
    key,
    count: () => count,
    counted: counted.promise,
    note,
    async leave() {
      clearInterval(timer);
      await askRedis(redis, () => redis.zrem(key, member)).catch(onError);
    },
  };
}
