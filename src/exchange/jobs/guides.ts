import { z } from 'zod';
import {
  type Actor,
  type BatchRequest,
  unfinishedBatches,
} from '../../features/warehouse/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/job.ts';
import { acceptGuides, type BatchJob, runGuides } from '../guides/generate-guides.ts';
import type { ExchangeParts } from '../parts.ts';
import { readGuidesJob } from './read-guides.ts';

/**
 * Generates the guides of a batch. A retry goes on where it stopped and looks up what was sent; it
 * sends nothing twice. An overdue batch ends without asking for a guide.
 */
export const guidesJob = defineJob({
  name: 'guides',
  policy: 'short',
  retries: 14,
  concurrency: 4,
  payload: z.object({ organizationId: z.string(), batchId: z.string() }),
  async run(parts: ExchangeParts, job) {
    const { lines } = await runGuides(parts, job);
    if (lines.some(({ outcome }) => outcome === 'generated'))
      await parts.database.write((handle) =>
        parts.queue.enqueue(handle, readGuidesJob, { data: job, key: job.batchId }),
      );
    return null;
  },
});

/**
 * Accepts a request for guides and enqueues its batch; the same idempotency key gives the same job.
 * @throws Failure as `acceptGuides` does
 */
export async function requestGuides(
  scope: WriteScope,
  { queue }: Pick<ExchangeParts, 'queue'>,
  actor: Actor,
  request: BatchRequest,
): Promise<BatchJob> {
  const { batchId, isFinished } = await acceptGuides(scope, actor, request);
  const job: BatchJob = { organizationId: scope.organizationId, batchId };
  // A repeated request resumes a batch that was left unfinished.
  if (!isFinished) await queue.enqueue(scope.handle, guidesJob, { data: job, key: batchId });
  return job;
}

/** Batches that are not finished get a job again: theirs may have failed too often. */
export async function resumeGuides({ database, queue, clock }: ExchangeParts): Promise<void> {
  const batches = await database.search((handle) => unfinishedBatches(handle, clock.now()));
  const jobs = batches.map((data) => ({ data, key: data.batchId }));
  await database.write((handle) => queue.enqueueAll(handle, guidesJob, jobs));
}
