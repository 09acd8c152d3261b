import type { ExchangeParts } from '../exchange/parts.ts';
import { isWorkerUp } from '../platform/db/presence.ts';
import { fail } from '../platform/failure.ts';
import type { Desk } from './command.ts';

const LOOK_EVERY_MS = 150;
const CHECK_HOUSE_EVERY = 40;

/**
 * Gives a job to the running house, whose limits and locks it then shares, and waits for its result;
 * with no house running the work is done here.
 */
export async function handOver(
  desk: Desk,
  queue: string,
  job: object,
  here: (parts: ExchangeParts) => Promise<object>,
): Promise<object> {
  const parts = await desk.exchange();
  if (!(await isWorkerUp(desk.database))) return here(parts);
  const id = await desk.database.write((handle) => parts.queue.enqueue(handle, queue, job));
  if (id === null) throw fail('internal_error');
  for (let look = 1; ; look++) {
    const result = await parts.queue.result(queue, id);
    if (result?.state === 'done') return result.output as object;
    if (result?.state === 'failed')
      throw fail('upstream_error', { message: messageOf(result.output), details: { source: queue } });
    if (look % CHECK_HOUSE_EVERY === 0 && !(await isWorkerUp(desk.database))) return here(parts);
    await desk.surroundings.clock.sleep(LOOK_EVERY_MS);
  }
}

/** A failure of ours travels through the queue as its message. */
function messageOf(output: unknown): string {
  const message = output && typeof output === 'object' && 'message' in output ? output.message : null;
  return typeof message === 'string' ? message : 'El trabajo no se pudo terminar.';
}
