import { exportJob } from '../exchange/jobs/export.ts';
import type { WriteScope } from '../platform/db/database.ts';
import type { Queue } from '../platform/queue.ts';

/** Joins the transaction that asks for the export. */
export async function queueExport(
  queue: Pick<Queue, 'enqueue'>,
  { handle, organizationId }: WriteScope,
  exportId: string,
): Promise<void> {
  await queue.enqueue(handle, exportJob, { data: { organizationId, exportId }, key: exportId });
}
