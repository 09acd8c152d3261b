import type { ExchangeParts } from '../exchange/parts.ts';
import { isWorkerUp } from '../platform/db/instance-lock.ts';
import { fail } from '../platform/failure.ts';
import type { Job } from '../platform/job.ts';
import { failureOfJob } from '../platform/job-failure.ts';
import type { CommandContext } from './command.ts';

const LOOK_EVERY_MS = 150;
const CHECK_INSTANCE_EVERY = 40;

/**
 * Gives a job to the running instance, whose limits and locks it then shares, and waits for its
 * result; with no instance running the work is done here.
 */
export async function handOver<Payload extends object, Output extends object | null>(
  context: CommandContext,
  job: Job<ExchangeParts, Payload, Output>,
  payload: NoInfer<Payload>,
): Promise<Output> {
  const parts = await context.exchange();
  if (!(await isWorkerUp(context.database))) return job.run(parts, payload);
  const id = await context.database.write((handle) =>
    parts.queue.enqueue(handle, job, { data: payload }),
  );
  if (id === null) throw fail('internal_error');
  for (let look = 1; ; look++) {
    const result = await parts.queue.result(job, id);
    if (result?.state === 'done') return result.output as Output;
    if (result?.state === 'failed') throw failureOfJob(result.output) ?? endedBadly();
    // The next instance must not find the job and run it again.
    const isLeft = look % CHECK_INSTANCE_EVERY === 0 && !(await isWorkerUp(context.database));
    if (isLeft && (await parts.queue.withdraw(job, id))) return job.run(parts, payload);
    await context.runtime.clock.sleep(LOOK_EVERY_MS);
  }
}

function endedBadly() {
  return fail('internal_error', {
    message: 'El trabajo no se pudo terminar. El registro del servicio dice por qué.',
  });
}
