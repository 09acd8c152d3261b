import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { defineJob, type JobKind } from '../../platform/job.ts';
import type { Queue } from '../../platform/queue.ts';
import { type Keyring, seal, unseal } from '../../platform/seal.ts';

// What a stranger requests for an address is done by a job. The request enqueues one row of one
// form for every address, so neither its answer nor its time reveals whether it has an account. The
// row is sealed: the address may be anyone's.

export interface SealedJobParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly queue: Queue;
  readonly publicUrl: string;
}

const SEALED = z.object({ ticket: z.string(), box: z.string() });

type SealedJob = JobKind<z.infer<typeof SEALED>>;

export function defineSealedJob(
  name: string,
  run: (parts: SealedJobParts, request: string) => Promise<void>,
) {
  return defineJob({
    name,
    policy: 'standard',
    retries: 14,
    concurrency: 2,
    payload: SEALED,
    async run(parts: SealedJobParts, { ticket, box }) {
      await run(parts, unseal(parts.keyring, bindingOf(name, ticket), box));
      return null;
    },
  });
}

export async function enqueueSealed(
  handle: WriteHandle,
  { queue, keyring }: Pick<SealedJobParts, 'queue' | 'keyring'>,
  job: SealedJob,
  request: string,
): Promise<void> {
  const ticket = newId();
  const box = seal(keyring, bindingOf(job.name, ticket), request);
  await queue.enqueue(handle, job, { data: { ticket, box } });
}

function bindingOf(job: string, ticket: string) {
  return { organizationId: 'house', subjectId: ticket, field: job };
}
