import type { Clock } from '../../platform/clock.ts';
import { memoryCounter, type Spent, type WindowCounter } from './window.ts';

/** The numbers of the three headers, and whether the request is admitted. */
export interface QuotaState {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the window ends, rounded up. */
  readonly reset: number;
  /** Whole seconds until then, from 1. */
  readonly retryAfter: number;
}

export interface Quota {
  /** Counts one request of an organisation, of any kind and entrance. */
  spend(organizationId: string, limit: number): Promise<QuotaState>;
  /** The organisation's numbers without spending. */
  peek(organizationId: string, limit: number): Promise<QuotaState>;
  /** One failed authentication from an address. */
  spendFailure(address: string): QuotaState;
  /** The per-address guard's numbers without spending. */
  peekFailures(address: string): QuotaState;
  /** A counter for something else, in the same store. */
  counter(name: string, windowMilliseconds: number): WindowCounter;
  /** Whether the shared store answered when it was last asked; true without one. */
  isStoreUp(): boolean;
  close(): Promise<void>;
}

interface QuotaOptions {
  readonly clock: Clock;
  readonly windowSeconds: number;
  /** Shared by all processes; null = this process counts alone. */
  readonly redisUrl: string | null;
  readonly onError: (error: unknown) => void;
  /** Each request of an organisation that was counted, or refused. */
  readonly onSpent?: (admitted: boolean) => void;
}

/** Failed authentications a window that one address may make. */
const FAILURES_ALLOWED = 60;

/** Loads the Redis driver only where Redis is configured. */
export async function openQuota({
  clock,
  windowSeconds,
  redisUrl,
  onError,
  onSpent = () => {},
}: QuotaOptions): Promise<Quota> {
  const windowMilliseconds = windowSeconds * 1000;
  const shared = redisUrl
    ? (await import('./shared.ts')).openSharedCounters(redisUrl, clock, onError)
    : null;
  const counter: Quota['counter'] = (name, milliseconds) =>
    shared?.counter(name, milliseconds) ?? memoryCounter(clock, milliseconds);
  const requests = counter('quota', windowMilliseconds);
  const failures = memoryCounter(clock, windowMilliseconds);

  function state(spent: Spent, limit: number): QuotaState {
    const endsAt = clock.millis() + spent.millisecondsLeft;
    return {
      admitted: spent.admitted,
      limit,
      remaining: Math.max(0, limit - spent.count),
      reset: Math.ceil(endsAt / 1000),
      retryAfter: Math.max(1, Math.ceil(spent.millisecondsLeft / 1000)),
    };
  }

  return {
    async spend(organizationId, limit) {
      const spent = await requests.spend(organizationId, limit);
      onSpent(spent.admitted);
      return state(spent, limit);
    },
    peek: async (organizationId, limit) => state(await requests.peek(organizationId, limit), limit),
    spendFailure: (address) => state(failures.spend(address, FAILURES_ALLOWED), FAILURES_ALLOWED),
    peekFailures: (address) => state(failures.peek(address, FAILURES_ALLOWED), FAILURES_ALLOWED),
    counter,
    isStoreUp: () => shared?.isUp() ?? true,
    close: async () => shared?.close(),
  };
}
