import { z } from 'zod';
import type { ExchangeParts } from '../exchange/parts.ts';
import { isWorkerUp } from '../platform/db/instance-lock.ts';
import { type Failure, fail } from '../platform/failure.ts';
import { FAILURES, type FailureCode } from '../platform/failures.ts';
import type { Job } from '../platform/job.ts';
import type { Desk } from './command.ts';

const Failed = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().exactOptional(),
  details: z.record(z.string(), z.unknown()).exactOptional(),
});
const LOOK_EVERY_MS = 150;
const CHECK_INSTANCE_EVERY = 40;

/**
 * Gives a job to the running instance, whose limits and locks it then shares, and waits for its
 * result; with no instance running the work is done here.
 */
export async function handOver<Payload extends object, Output extends object | null>(
  desk: Desk,
  job: Job<ExchangeParts, Payload, Output>,
  payload: NoInfer<Payload>,
): Promise<Output> {
  const parts = await desk.exchange();
  if (!(await isWorkerUp(desk.database))) return job.run(parts, payload);
  const id = await desk.database.write((handle) =>
    parts.queue.enqueue(handle, job, { data: payload }),
  );
  if (id === null) throw fail('internal_error');
  for (let look = 1; ; look++) {
    const result = await parts.queue.result(job, id);
    if (result?.state === 'done') return result.output as Output;
    if (result?.state === 'failed') throw failureOf(result.output);
    // The next instance must not find the job and run it again.
    const isLeft = look % CHECK_INSTANCE_EVERY === 0 && !(await isWorkerUp(desk.database));
    if (isLeft && (await parts.queue.withdraw(job, id))) return job.run(parts, payload);
    await desk.runtime.clock.sleep(LOOK_EVERY_MS);
  }
}

/**
 * A failure of ours travels through the queue with its facts; a service's own message stays inside.
 */
function failureOf(output: unknown): Failure {
  const { code, ...facts } = Failed.safeParse(output).data ?? {};
  if (code !== undefined && Object.hasOwn(FAILURES, code)) return fail(code as FailureCode, facts);
  return fail('internal_error', {
    message: 'El trabajo no se pudo terminar. El registro del servicio dice por qué.',
  });
}
