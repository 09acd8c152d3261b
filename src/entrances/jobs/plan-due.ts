import { queueDeliveries } from '../../exchange/deliver/deliver-job.ts';
import { connectionOf, type DueJob, jobOf } from '../../exchange/jobs/due-job.ts';
import { RECURRING } from '../../exchange/jobs/index.ts';
import { PRIORITY, syncJobOf } from '../../exchange/jobs/sync.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { queueCarrierEvents } from '../../exchange/webhooks/queue-carrier-events.ts';
import { servicesOf } from '../../features/connections/index.ts';
import { CLAIM_AT_ONCE, claimDue, type DueTask, putRight } from '../../features/schedules/index.ts';
import type { WriteHandle } from '../../platform/db/database.ts';
import type { NewJob } from '../../platform/queue.ts';

/**
 * After a long stop everything is due; a tick ends at last, so that the next one sees a change of
 * the clock.
 */
const MOST_BATCHES = 100;

/** Searches of all organisations' tables. One that fails stops no recurring task. */
const SEARCHES = [queueCarrierEvents, queueDeliveries];

/**
 * Makes jobs of all that is due, batch after batch, each with its claims in one transaction.
 * @returns how many tasks were claimed
 */
export async function planDue(parts: ExchangeParts): Promise<number> {
  const { database } = parts;
  const searched = await Promise.allSettled(SEARCHES.map((search) => search(parts)));
  let claimed = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const count = await database.write((handle) => planBatch(parts, handle));
    claimed += count;
    if (count < CLAIM_AT_ONCE) break;
  }
  const failed = searched.find((search) => search.status === 'rejected');
  if (failed) throw failed.reason;
  return claimed;
}

async function planBatch(parts: ExchangeParts, handle: WriteHandle): Promise<number> {
  const { queue, clock } = parts;
  await putRight(handle, clock.now());
  const due = await claimDue(handle, clock.now());
  const services = await servicesOf(handle, due.filter(isSync).map(connectionOf));
  for (const [kind, tasks] of Map.groupBy(due, ({ task }) => RECURRING[task])) {
    const jobs = tasks.map((task) => (isSync(task) ? asSyncJob(task, services) : jobOf(task)));
    await queue.enqueueAll(handle, kind, jobs);
  }
  return due.length;
}

function isSync({ task }: DueTask): boolean {
  return task === 'sync';
}

/**
 * A first run comes before all others, and a run of a host that did not answer last time after
 * them.
 */
function asSyncJob(task: DueTask, services: ReadonlyMap<string, string>): NewJob<DueJob> {
  const priority = task.isFirst
    ? PRIORITY.first
    : task.setbacks > 0
      ? PRIORITY.setBack
      : PRIORITY.usual;
  return syncJobOf(task, services.get(connectionOf(task)) ?? 'unknown', priority);
}
