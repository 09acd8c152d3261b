import type { BreakerStates } from './breaker-states.ts';
import type { Clock } from './clock.ts';
import type { Meter } from './meter.ts';
import { connectRedis } from './redis.ts';
import { joinMembers } from './redis-members.ts';
import { sharedBreakerStates } from './shared-breaker-states.ts';
import { sharedMeter } from './shared-meter.ts';

/** What limits the calls of all processes together. */
interface SharedLimits {
  readonly meter: Meter;
  readonly breakerStates: BreakerStates;
  close(): Promise<void>;
}

const CALLERS = 'tianguis:callers';
const JITTER_MS = 5;

/** The limits of calls in Redis, over one connection. */
export function openSharedLimits(
  url: string,
  clock: Clock,
  onError: (error: unknown) => void,
): SharedLimits {
  const redis = connectRedis(url, onError);
  const callers = joinMembers(redis, CALLERS, onError);
  // Redis's own clock counts, the same for all; a turned clock adds how far it was turned.
  const turnedBy = () => {
    const by = clock.millis() - Date.now();
    return Math.abs(by) < JITTER_MS ? 0 : by;
  };
  return {
    meter: sharedMeter(redis, clock, callers, turnedBy, onError),
    breakerStates: sharedBreakerStates(redis, clock, callers, turnedBy, onError),
    async close() {
      await callers.leave();
      redis.disconnect();
    },
  };
}
