import { Redis } from 'ioredis';

export type { Redis };

const ANSWER_WITHIN_MS = 500;

/** The head of a script: `now` is Redis's time in milliseconds, the same for all processes. */
export const REDIS_NOW = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])`;

/** A connection for counters: what cannot be asked now is not asked later. */
export function connectRedis(url: string, onError: (error: unknown) => void): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  });
  redis.on('error', onError);
  return redis;
}

/**
 * What Redis answers.
 * @throws Error when it is away or half a second went by without an answer. One that came while
 * this process was busy
 *   is read first: the driver's own `commandTimeout` forgets it, although Redis counted.
 */
export function askRedis<T>(redis: Redis, ask: () => Promise<T>): Promise<T> {
  if (redis.status !== 'ready') return Promise.reject(new Error('redis is not ready'));
  return new Promise((resolve, reject) => {
    const forget = () => reject(new Error(`redis did not answer within ${ANSWER_WITHIN_MS} ms`));
    const limit = setTimeout(() => setImmediate(forget), ANSWER_WITHIN_MS);
    ask()
      .then(resolve, reject)
      .finally(() => clearTimeout(limit));
  });
}
