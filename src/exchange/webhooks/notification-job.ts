import { z } from 'zod';
import { type Notification, STREAMS, type StreamName } from '../../connectors/contract.ts';
import { UpstreamError } from '../../connectors/upstream-error.ts';
import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import { settleReceipt } from '../../features/receipts/index.ts';
import { hasten, INSTANCE, RECONCILIATION } from '../../features/schedules/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { sha256 } from '../../platform/ids.ts';
import { defineJob } from '../../platform/job.ts';
import type { NewJob } from '../../platform/queue.ts';
import type { ExchangeParts } from '../parts.ts';
import { HandedBack } from '../wire/errors.ts';
import { applyNotification, type NotifiedThing } from './apply-notification.ts';

interface NotificationJob extends NotifiedThing {
  readonly receiptId: string;
  /** Failed attempts so far; absent = none. */
  readonly failures?: number;
}

/** An hour and more, as marketplaces themselves repeat unanswered webhooks. */
const MOST_TRIES = 14;
const LONGEST_PAUSE_SECONDS = 600;

const orderIds = z.array(z.string());

/**
 * Applies a notification. The names `hint` of the job and of its field are those of jobs that are
 * queued already.
 */
export const notificationJob = defineJob({
  name: 'hint',
  policy: 'short',
  retries: 14,
  concurrency: 128,
  groupConcurrency: 2,
  waiting: 512,
  payload: z.object({
    organizationId: z.string(),
    connectionId: z.string(),
    receiptId: z.string(),
    hint: z.union([
      z.object({ stream: z.enum(STREAMS), id: z.string() }),
      z.object({ forget: z.literal('buyer'), orderIds }),
      z.object({ forget: z.literal('account') }),
      z.object({ show: z.literal('buyer'), orderIds }),
    ]),
    failures: z.int().exactOptional(),
  }),
  run: runNotification,
});

/**
 * The job of a notification; two of one connection run at once. An equal one that is still queued
 * sees this change too.
 */
export function notificationJobOf(job: NotificationJob, service: string): NewJob<NotificationJob> {
  return { data: job, key: keyOf(job), group: job.connectionId, lane: service };
}

/**
 * Applies a notification once. A failure becomes a new job behind newer ones, or is left to a sync
 * run.
 */
async function runNotification(parts: ExchangeParts, job: NotificationJob): Promise<object> {
  const organization = parts.database.within(job.organizationId);
  try {
    const { changed, outcome } = await applyNotification(parts, job);
    await organization.write((scope) => settleReceipt(scope, job.receiptId, outcome));
    if (!('stream' in job.hint) && (job.failures ?? 0) >= MOST_TRIES)
      await resolveOfInstance(parts, job);
    return { changed };
  } catch (error) {
    if (error instanceof UpstreamError) {
      await organization.write((scope) => tryLater(parts, scope, job, error));
      return { failed: error.kind };
    }
    await noteFailure(parts, job);
    if ('stream' in job.hint || error instanceof HandedBack) throw error;
    await repeatPrivacy(parts, job, error);
    return { failed: 'failed' };
  }
}

/**
 * A privacy request is tried until it is served, since no sync run brings it. Its next job needs no
 * server of data, which may be the one that is away.
 */
async function repeatPrivacy(
  { database, queue, log, random }: ExchangeParts,
  job: NotificationJob,
  error: unknown,
): Promise<void> {
  const failures = (job.failures ?? 0) + 1;
  const { receiptId } = job;
  log
    .of('webhooks')
    .error({ receipt: receiptId, failures, err: error }, 'privacy request not served yet');
  await database.write((handle) =>
    queue.enqueue(handle, notificationJob, {
      data: { ...job, failures },
      key: `again ${keyOf(job)}`,
      group: job.connectionId,
      afterSeconds: Math.ceil(pauseAfter(failures, random)),
    }),
  );
  if (failures < MOST_TRIES) return;
  await database
    .within(INSTANCE)
    .write((scope) => raiseAlert(scope, { kind: ALERT, subject: receiptId, message: UNSERVED }));
}

const ALERT = 'privacy_request';
const UNSERVED =
  'Una solicitud de privacidad que envió un marketplace lleva más de una hora sin poder atenderse. Se sigue intentando cada diez minutos; revisa el registro del servicio.';

async function resolveOfInstance(
  { database }: ExchangeParts,
  { receiptId }: NotificationJob,
): Promise<void> {
  await database.within(INSTANCE).write((scope) => resolveAlert(scope, ALERT, receiptId));
}

/** In seconds; at random, so that what failed together does not come back together. */
function pauseAfter(failures: number, random: () => number): number {
  return Math.min(LONGEST_PAUSE_SECONDS, 2 ** failures) * (1 + random() / 4);
}

/** A failure of our own; the retry of the queue may still apply the notification. */
async function noteFailure(
  { database, log }: ExchangeParts,
  { organizationId, receiptId }: NotificationJob,
): Promise<void> {
  try {
    await database
      .within(organizationId)
      .write((scope) => settleReceipt(scope, receiptId, 'failed'));
  } catch (error) {
    // The job must fail with its own error, not with this one.
    log
      .of('webhooks')
      .error({ receipt: receiptId, err: error }, 'failed webhook not noted at its receipt');
  }
}

async function tryLater(
  { queue, random }: ExchangeParts,
  scope: WriteScope,
  job: NotificationJob,
  error: UpstreamError,
): Promise<void> {
  const failures = (job.failures ?? 0) + 1;
  const { hint, connectionId, receiptId } = job;
  // While the circuit breaker is open no notification is applied: the sync run after it brings all
  // changes at once.
  if ('stream' in hint && (error.since !== null || failures > MOST_TRIES)) {
    await leaveToSyncRun(scope, connectionId, hint.stream, error.retryAfter ?? 0);
    return settleReceipt(scope, receiptId, 'deferred');
  }
  const pause = pauseAfter(failures, random);
  const queued = await queue.enqueue(scope.handle, notificationJob, {
    ...notificationJobOf({ ...job, failures }, error.slug),
    // A newer notification of the same thing must not wait for this one.
    key: `again ${keyOf(job)}`,
    priority: -failures,
    afterSeconds: Math.ceil(Math.max(pause, error.retryAfter ?? 0)),
  });
  // A retry of another notification of the same thing may be queued already.
  await settleReceipt(scope, receiptId, queued === null ? 'merged' : error.kind);
}

/** The next sync run is soon and reconciles, which finds changes that no list shows. */
async function leaveToSyncRun(
  scope: WriteScope,
  connectionId: string,
  stream: StreamName,
  seconds: number,
): Promise<void> {
  const subject = `${connectionId}:${stream}`;
  const now = scope.clock.now();
  await hasten(scope, RECONCILIATION, subject, now);
  await hasten(scope, 'sync', subject, now.add({ seconds }));
}

/**
 * Equal for a notification as received and as read from a job, whose JSON has another order.
 * Hashed, since a buyer may have many orders and the keys of the queue are short.
 */
function keyOf({ connectionId, hint }: { connectionId: string; hint: Notification }): string {
  const thing =
    'stream' in hint ? `${hint.stream}:${hint.id}` : sha256(JSON.stringify(inOrder(hint)));
  return `${connectionId}:${thing}`;
}

function inOrder(hint: Notification): object {
  return Object.entries(hint).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
