import { DAY_MS, MOST_FETCHES_A_DAY, MOST_RUN_MS, MOST_TRIGGERS_MS_A_DAY } from './limits.ts';

/**
 * Google stopped the run: no statement of the script is heard of any more, its `catch` and
 * `finally` included.
 */
export class Stopped extends Error {}

/** What a user has used of the day, which begins with the first use. */
export interface Day {
  began: number;
  triggersMs: number;
  fetches: number;
}

interface ExecutionOptions {
  readonly now: number;
  readonly kind: 'menu' | 'trigger' | 'open';
  readonly day: Day;
  /** At which call of a service Google stops the run. */
  readonly cutAt?: number | undefined;
  readonly fetchMs?: number | undefined;
  /** Calls that something else happens at, such as another run. */
  readonly at?: ReadonlyMap<number, () => void>;
}

/** One run of a function of the script. */
export interface Execution {
  readonly kind: ExecutionOptions['kind'];
  readonly calls: number;
  readonly stopped: string | null;
  readonly fetchMs: number | undefined;
  now(): number;
  /** Every call of a service, with what it takes. @throws Stopped */
  use(milliseconds: number): void;
  countFetch(): void;
}

export function openExecution(options: ExecutionOptions): Execution {
  const { kind, day } = options;
  let { now } = options;
  let calls = 0;
  let stopped: string | null = null;
  if (now - day.began >= DAY_MS) Object.assign(day, { began: now, triggersMs: 0, fetches: 0 });

  function stop(reason: string): never {
    stopped = reason;
    throw new Stopped(reason);
  }

  return {
    kind,
    fetchMs: options.fetchMs,
    get calls() {
      return calls;
    },
    get stopped() {
      return stopped;
    },
    now: () => now,
    use(milliseconds) {
      if (stopped !== null) throw new Stopped(stopped);
      calls++;
      if (calls === options.cutAt) stop('cut');
      options.at?.get(calls)?.();
      now += milliseconds;
      if (now - options.now > MOST_RUN_MS) stop('Exceeded maximum execution time');
      if (kind !== 'trigger') return;
      day.triggersMs += milliseconds;
      if (day.triggersMs > MOST_TRIGGERS_MS_A_DAY)
        stop('Service using too much computer time for one day');
    },
    countFetch() {
      if (++day.fetches > MOST_FETCHES_A_DAY)
        throw new Error('Service invoked too many times for one day: urlfetch.');
    },
  };
}
