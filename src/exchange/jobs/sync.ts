import { UpstreamError, type UpstreamKind } from '../../connectors/upstream-error.ts';
import {
  connectionById,
  isParked,
  isStillConnected,
  loadStream,
  type SealedConnection,
} from '../../features/connections/index.ts';
import {
  dueAt,
  hasten,
  isPlannedSince,
  putOff,
  RECONCILIATION,
  schedule,
  setBack,
  unscheduleAll,
} from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/job.ts';
import { type Instant, later } from '../../platform/time.ts';
import type { ExchangeParts } from '../parts.ts';
import { runStream } from '../sync/run-stream.ts';
import { DisconnectedDuringSync } from '../wire/errors.ts';
import { openSlice } from '../wire/patience.ts';
import { type DueJob, dueJobPayload, partsOf, syncJobOf } from './due-job.ts';

/** One slice of a sync run. One organisation gets at most a quarter of a process's concurrency. */
export const syncJob = defineJob({
  name: 'sync',
  policy: 'short',
  retries: 2,
  concurrency: 128,
  groupConcurrency: 32,
  isResumable: true,
  payload: dueJobPayload,
  run: runDueSync,
});

/** The share of one job in a sync run, so that a long run does not delay the others. */
const SLICE = { milliseconds: 10_000, pages: 20 };
/** A run under way may have passed what this one was scheduled for. */
const AFTER_ANOTHER = { seconds: 10 };
/**
 * From the end of a reconciliation to the next one, where that took a period or longer, or another
 * one was asked for meanwhile: it may have passed the cause.
 */
const AGAIN = { minutes: 10 };
/** A job may wait longer in the queue than the one a period later. */
const MARGIN = { minutes: 1 };
const LIMITS: readonly UpstreamKind[] = ['paced', 'throttled'];

/**
 * How often all things that may still change are fetched. Notifications and lists bring most
 * changes sooner.
 */
const RECONCILE_EVERY_SECONDS: Partial<Readonly<Record<string, number>>> = {
  orders: 3_600,
  shipments: 6 * 3_600,
};

/** Runs one slice; a longer sync run continues in a new job, behind those that wait. */
async function runDueSync(
  parts: ExchangeParts,
  { organizationId, subject }: DueJob,
): Promise<object | null> {
  const { connectionId, stream } = partsOf(subject);
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (connection?.state === 'disconnected')
    await organization.write((scope) => unscheduleDisconnected(scope, connectionId));
  if (!connection || isParked(connection)) return null;
  const startedAt = parts.clock.now();
  const { nextReconciliation, beganAt } = await organization.read(async (scope) => ({
    nextReconciliation: await dueAt(scope, RECONCILIATION, subject),
    beganAt: (await loadStream(scope, connectionId, stream)).run?.to ?? startedAt,
  }));
  const reconcile =
    nextReconciliation !== null && Temporal.Instant.compare(nextReconciliation, startedAt) <= 0;
  try {
    const slice = openSlice(parts.clock, SLICE);
    const report = await runStream(parts, connection, stream, {
      reconcile,
      ifRunning: 'leave',
      slice,
    });
    if (!report) {
      await organization.write((scope) =>
        hasten(scope, 'sync', subject, startedAt.add(AFTER_ANOTHER)),
      );
      return null;
    }
    if (report.isCut)
      await organization.write((scope) => continueLater(parts, scope, connection, subject));
    // The first run reads everything, as a reconciliation does.
    else if (reconcile || nextReconciliation === null)
      await organization.write((scope) => planReconciliation(scope, subject, beganAt));
    return report;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // It is recorded at the connection, and the schedule holds the next run.
    await organization.write((scope) => planNextRun(scope, subject, error));
    return null;
  }
}

/** A schedule that was planned beside the disconnecting would make jobs for ever. */
async function unscheduleDisconnected(scope: WriteScope, connectionId: string): Promise<void> {
  if (!(await isStillConnected(scope, connectionId))) await unscheduleAll(scope, connectionId);
}

async function continueLater(
  { queue }: ExchangeParts,
  { handle, organizationId }: WriteScope,
  { service }: SealedConnection,
  subject: string,
): Promise<void> {
  await queue.enqueue(handle, syncJob, syncJobOf({ organizationId, subject }, service));
}

/** A limit states when it allows more. A host that does not answer does not, so its pauses grow. */
async function planNextRun(
  scope: WriteScope,
  subject: string,
  error: UpstreamError,
): Promise<void> {
  const { kind, retryAfter } = error;
  if (error instanceof DisconnectedDuringSync) return;
  const until = retryAfter === null ? null : scope.clock.now().add({ seconds: retryAfter });
  if (until && LIMITS.includes(kind)) return putOff(scope, 'sync', subject, until);
  await setBack(scope, 'sync', subject, until);
}

/**
 * @param beganAt when the sync run began, in an earlier slice or in this one
 *
 * A sync run that pauses stays a reconciliation when it goes on. The account may have been
 * disconnected since its last page.
 */
async function planReconciliation(
  scope: WriteScope,
  subject: string,
  beganAt: Instant,
): Promise<void> {
  const { connectionId, stream } = partsOf(subject);
  const seconds = RECONCILE_EVERY_SECONDS[stream];
  if (seconds === undefined) return;
  if (!(await isStillConnected(scope, connectionId))) return;
  const { run } = await loadStream(scope, connectionId, stream);
  if (run) return;
  const isAskedAgain = await isPlannedSince(scope, RECONCILIATION, subject, beganAt);
  const soonest = scope.clock.now().add(AGAIN);
  const due = isAskedAgain ? soonest : later(soonest, beganAt.add({ seconds }).subtract(MARGIN));
  await schedule(scope, RECONCILIATION, subject, seconds, due);
}
