import type { Clock } from '../../platform/clock.ts';
import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { defineJob, type JobKind } from '../../platform/job.ts';
import type { Queue } from '../../platform/queue.ts';
import type { Keyring } from '../../platform/seal.ts';
import {
  openPayload,
  SEALED_PAYLOAD,
  type SealedPayload,
  sealPayload,
} from '../../platform/sealed-payload.ts';

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

type SealedJob = JobKind<SealedPayload>;

export function defineSealedJob(
  name: string,
  run: (parts: SealedJobParts, request: string) => Promise<void>,
) {
  return defineJob({
    name,
    policy: 'standard',
    retries: 14,
    concurrency: 2,
    payload: SEALED_PAYLOAD,
    async run(parts: SealedJobParts, sealed) {
      await run(parts, openPayload(parts.keyring, name, sealed));
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
  await queue.enqueue(handle, job, { data: sealPayload(keyring, job.name, request) });
}
