/** A process that calls an address as often as the shared limit allows, until it is killed. */
import { openBreakers } from '../../../src/platform/breaker.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openSharedLimits } from '../../../src/platform/shared-limits.ts';
import { createThrottle } from '../../../src/platform/throttle.ts';

const [redisUrl, url, perMinute, burst] = process.argv.slice(2) as [string, string, string, string];
const RATE = { perMinute: Number(perMinute), burst: Number(burst), window: 'bucket' } as const;

const limits = openSharedLimits(redisUrl, systemClock, () => {});
const throttle = createThrottle(systemClock, limits.meter);
const breakers = openBreakers(systemClock, limits.breakerStates);
const route = { origin: url, lane: 'one', service: 'tienda' };

async function callOn(): Promise<never> {
  for (;;) {
    const refusal = await breakers.refusal(route);
    if (refusal) await systemClock.sleep(Math.min(refusal.retryMilliseconds, 100));
    else await throttle.run('one', RATE, () => Number.POSITIVE_INFINITY, callOnce);
  }
}

async function callOnce(): Promise<void> {
  const admission = await breakers.admit(route, false);
  if ('since' in admission) return;
  const { status } = await fetch(url);
  if (status < 500) await breakers.answered(route, 0);
  else await breakers.unable(route, 0);
}

await Promise.all([callOn(), callOn()]);
