import { z } from 'zod';
import {
  DiskFull,
  endExport,
  exportsUnderWay,
  failExport,
  makeReady,
  noteExport,
  runExport,
} from '../../features/exports/index.ts';
import { Failure } from '../../platform/failure.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';

const payload = z.object({ organizationId: z.string(), exportId: z.string() });
type ExportJob = z.infer<typeof payload>;

/** How often readers see how far it is. */
const NOTED_EVERY_MS = 1_000;
const LONG_HOURS = 1;
/** Well within those ten minutes, too. */
const LOOK_AGAIN_SECONDS = 60;

/** Makes an export that is kept. One at a time in each process, behind everything else. */
export const exportJob = defineJob({
  name: 'export',
  policy: 'short',
  // A killed process and a database that was away count; the export itself counts its tries.
  retries: 20,
  // Well within the ten minutes for which the snapshot of a killed process is kept.
  longestWaitSeconds: 60,
  concurrency: 1,
  isResumable: true,
  payload,
  async run(parts: ExchangeParts, job) {
    const lock = { kind: 'export', subject: job.exportId } as const;
    const done = await parts.database.locks.holdingIfFree(lock, (assertHeld) =>
      makeExport(parts, job, assertHeld).then(() => true),
    );
    if (!done) await lookAgain(parts, job);
    return null;
  },
});

/** Another process has its lock, and may be killed. */
async function lookAgain({ database, queue }: ExchangeParts, data: ExportJob): Promise<void> {
  const again = { data, key: data.exportId, afterSeconds: LOOK_AGAIN_SECONDS };
  await database.write((handle) => queue.enqueue(handle, exportJob, again));
}

/** An export that is long under way gets a job again: its own may have failed too often. */
export async function resumeExports({ database, queue, clock }: ExchangeParts): Promise<void> {
  const before = clock.now().subtract({ hours: LONG_HOURS });
  const exports = await database.search((handle) => exportsUnderWay(handle, before));
  const jobs = exports.map((data) => ({ data, key: data.exportId }));
  await database.write((handle) => queue.enqueueAll(handle, exportJob, jobs));
}

async function makeExport(
  parts: ExchangeParts,
  { organizationId, exportId }: ExportJob,
  assertHeld: () => void,
): Promise<void> {
  const { database, keyring } = parts;
  const organization = database.within(organizationId);
  const wanted = await organization.write((scope) => makeReady(scope, exportId));
  if (!wanted) return;
  const { what, format, terms } = wanted;
  const request = { organizationId, what, format, terms, to: { kept: exportId } };
  try {
    const report = noting(parts, { organizationId, exportId });
    const result = await runExport({ address: database.address, keyring }, request, (rows) => {
      assertHeld();
      report(rows);
    });
    await organization.write((scope) => endExport(scope, exportId, result));
  } catch (error) {
    // It was deleted meanwhile.
    if (error instanceof Failure && error.code === 'not_found') return;
    if (!(error instanceof DiskFull)) throw error;
    await organization.write((scope) => failExport(scope, exportId, 'disk_full'));
  }
}

/** What went wrong with a note is thrown with the next page. */
function noting({ database, clock }: ExchangeParts, { organizationId, exportId }: ExportJob) {
  const organization = database.within(organizationId);
  let notedAt = clock.monotonic();
  let fault: { readonly error: unknown } | null = null;
  return (rows: number) => {
    if (fault) throw fault.error;
    if (clock.monotonic() - notedAt < NOTED_EVERY_MS) return;
    notedAt = clock.monotonic();
    organization
      .write((scope) => noteExport(scope, exportId, rows))
      .catch((error) => {
        fault = { error };
      });
  };
}
