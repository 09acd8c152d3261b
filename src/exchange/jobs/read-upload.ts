import { z } from 'zod';
import {
  type filesOf,
  keepUpload,
  reading,
  readUpload,
  unreadUploads,
} from '../../features/cfdi/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/job.ts';
import type { NewJob } from '../../platform/queue.ts';
import type { ExchangeParts } from '../parts.ts';
import { listenersOf } from '../sync/follow-up.ts';

const payload = z.object({ organizationId: z.string(), uploadId: z.string() });
type UploadJob = z.infer<typeof payload>;

/** Reads the files of an upload; a retry goes on where it stopped. */
export const readUploadJob = defineJob({
  name: 'read-upload',
  policy: 'short',
  retries: 14,
  concurrency: 2,
  groupConcurrency: 1,
  isResumable: true,
  payload,
  async run(parts: ExchangeParts, { organizationId, uploadId }) {
    const organization = parts.database.within(organizationId);
    const listeners = listenersOf(parts);
    await reading((reader) => readUpload(organization, reader, uploadId, listeners));
    return null;
  },
});

/** Keeps the files of an upload, and the job that reads them, in one transaction. @returns its id */
export async function requestReading(
  { queue }: Pick<ExchangeParts, 'queue'>,
  scope: WriteScope,
  files: Awaited<ReturnType<typeof filesOf>>,
): Promise<string> {
  const { organizationId } = scope;
  const uploadId = await keepUpload(scope, files);
  await queue.enqueue(scope.handle, readUploadJob, jobOf({ organizationId, uploadId }));
  return uploadId;
}

/**
 * Uploads with files that wait get a job again: theirs may have failed too often, and a backup has
 * none.
 */
export async function resumeUploads({ database, queue }: ExchangeParts): Promise<void> {
  const uploads = await database.search(unreadUploads);
  await database.write((handle) => queue.enqueueAll(handle, readUploadJob, uploads.map(jobOf)));
}

/** One that is queued already is not queued twice. */
function jobOf(data: UploadJob): NewJob<UploadJob> {
  return { data, key: data.uploadId, group: data.organizationId };
}
