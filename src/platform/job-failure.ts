import { z } from 'zod';
import { type Failure, fail } from './failure.ts';
import { FAILURES, type FailureCode } from './failures.ts';

const Failed = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().exactOptional(),
  details: z.record(z.string(), z.unknown()).exactOptional(),
});

/**
 * Why a job failed: a failure of ours travels through the queue with its facts. Null = anything
 * else, whose message stays inside.
 */
export function failureOfJob(output: unknown): Failure | null {
  const { code, ...facts } = Failed.safeParse(output).data ?? {};
  const isOurs = code !== undefined && Object.hasOwn(FAILURES, code);
  return isOurs ? fail(code as FailureCode, facts) : null;
}
