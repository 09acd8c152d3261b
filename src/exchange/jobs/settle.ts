import { z } from 'zod';
import { newestUnsettled, settleWaiting, unsettledOrganizations } from '../../features/shipments/index.ts';
import type { WriteHandle } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/job.ts';
import { followingOf } from '../keep.ts';
import type { ExchangeParts } from '../parts.ts';

/** The worker enqueues this job every second. While more events come in, storing those comes first. */
const IN_A_FLOOD_MS = 50;
const AFTERWARDS_MS = 400;

const payload = z.object({ organizationId: z.string() });

/** Updates the shipments of an organisation whose events a carrier pushed. */
export const settleJob = defineJob({
  name: 'settle',
  policy: 'short',
  retries: 14,
  concurrency: 2,
  payload,
  run: async (parts: ExchangeParts, job) => ({ settled: await settleOrganization(parts, job) }),
});

/**
 * Enqueues one job for each organisation with marked shipments. A job in the transaction of each event would make these
 * wait for one another, each with its own wait for the disk.
 */
export async function queueSettling(
  { queue }: Pick<ExchangeParts, 'queue'>,
  handle: WriteHandle,
): Promise<void> {
  const jobs = (await unsettledOrganizations(handle)).map((organizationId) => ({
    data: { organizationId },
    key: organizationId,
  }));
  await queue.enqueueAll(handle, settleJob, jobs);
}

/**
 * Sets shipments to the state that their events give; orders and customer events follow. What takes longer than its share
 * of a second is left for the next job.
 * @returns how many shipments were looked at
 */
export async function settleOrganization(
  parts: ExchangeParts,
  { organizationId }: z.infer<typeof payload>,
): Promise<number> {
  const organization = parts.database.within(organizationId);
  const settleFor = async (milliseconds: number) => {
    const began = parts.clock.monotonic();
    let settled = 0;
    while (parts.clock.monotonic() - began < milliseconds) {
      const more = await organization.write((scope) => settleWaiting(scope, followingOf(parts, false)));
      if (more === 0) break;
      settled += more;
    }
    return settled;
  };
  const newest = await organization.read(newestUnsettled);
  const settled = await settleFor(IN_A_FLOOD_MS);
  const isQuiet = (await organization.read(newestUnsettled)) === newest;
  return isQuiet ? settled + (await settleFor(AFTERWARDS_MS)) : settled;
}
