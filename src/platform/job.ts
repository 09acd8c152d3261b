import type { ZodType } from 'zod';
import type { Concurrency } from './running-jobs.ts';

/** How the queue of one kind of job treats its jobs. */
export interface QueueRule extends Concurrency {
  readonly name: string;
  /**
   * pg-boss's words. `short`: at most one queued job per key; it may overlap a running one, so that
   * a key that takes long, or whose worker died, does not hold up the next job. Work that must not
   * run twice at once takes a lock. `standard`: any number.
   */
  readonly policy: 'standard' | 'short';
  readonly retries: number;
  /** Each retry waits longer than the one before, up to so many seconds; absent = 600. */
  readonly longestWaitSeconds?: number;
}

/** What it takes to enqueue a job: its queue and the type of its payload. */
export interface JobKind<Payload extends object> {
  readonly name: string;
  readonly payload: ZodType<Payload>;
}

/** A kind of job as the worker sees it, whatever its payload. */
export interface RunnableJob<Parts> extends QueueRule {
  /** May take long. When the process stops it is handed back, and another process resumes it. */
  readonly isResumable: boolean;
  /** Checks the payload first: an older release may have enqueued the job. */
  work(parts: Parts, payload: unknown): Promise<object | null>;
}

export interface Job<Parts, Payload extends object, Output extends object | null>
  extends RunnableJob<Parts>,
    JobKind<Payload> {
  run(parts: Parts, payload: Payload): Promise<Output>;
}

interface Definition<Parts, Payload extends object, Output extends object | null>
  extends QueueRule {
  readonly payload: ZodType<Payload>;
  readonly isResumable?: true;
  run(parts: Parts, payload: Payload): Promise<Output>;
}

export function defineJob<Parts, Payload extends object, Output extends object | null>(
  definition: Definition<Parts, Payload, Output>,
): Job<Parts, Payload, Output> {
  const { payload, run } = definition;
  return {
    isResumable: false,
    ...definition,
    work: async (parts, given) => run(parts, payload.parse(given)),
  };
}
