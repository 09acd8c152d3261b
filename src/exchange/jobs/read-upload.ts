import { z } from 'zod';
import { type filesOf, keepUpload, reading, readUpload } from '../../features/cfdi/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';

/** Reads the files of an upload; a retry goes on where it stopped. */
export const readUploadJob = defineJob({
  name: 'read-upload',
  policy: 'short',
  retries: 14,
  concurrency: 2,
  groupConcurrency: 1,
  isResumable: true,
  payload: z.object({ organizationId: z.string(), uploadId: z.string() }),
  async run({ database, orderListeners, announce }: ExchangeParts, { organizationId, uploadId }) {
    const organization = database.within(organizationId);
    const listeners = [...orderListeners, announce];
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
  const data = { organizationId, uploadId };
  await queue.enqueue(scope.handle, readUploadJob, { data, key: uploadId, group: organizationId });
  return uploadId;
}
