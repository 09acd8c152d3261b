import { UpstreamError } from '../../connectors/upstream-error.ts';
import { connect } from '../../exchange/connect.ts';
import { GUIDES_QUEUE, type GuidesJob, runGuides } from '../../exchange/generate-guides.ts';
import { cancelGuide, type GuideJob, guideLabels } from '../../exchange/guide-afterwards.ts';
import { HINT_QUEUE, workOnHint } from '../../exchange/hint-job.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { refreshConnection } from '../../exchange/refresh.ts';
import { rerenderDue } from '../../exchange/rerender.ts';
import { retryAccess } from '../../exchange/retry-access.ts';
import { type InTransitJob, setInTransit } from '../../exchange/set-in-transit.ts';
import { subscribe } from '../../exchange/subscribe.ts';
import { type SyncRequest, syncOrganization } from '../../exchange/sync-organization.ts';
import { type SettleJob, settleOrganization } from '../../exchange/take-carrier-events.ts';
import { traceShipments } from '../../exchange/trace-shipments.ts';
import { RECOVERY_QUEUE, type RecoveryJob, sendRecovery } from '../../features/accounts/index.ts';
import type { Task } from '../../features/schedules/index.ts';
import { MAIL_QUEUE, type MailJob, openMail, openPostbox } from '../../platform/mail.ts';
import type { QueueRule } from '../../platform/queue.ts';
import { unseal } from '../../platform/seal.ts';
import type { DueJob } from './due-job.ts';
import { housekeeping } from './housekeeping.ts';
import { runDueSync } from './sync-runs.ts';

/**
 * The queues and how each treats its jobs. Most jobs only wait for the network, so there are many places for them. Of
 * the sync runs one organisation gets at most a quarter of the places of one process, and of pushes one connection two.
 */
export const QUEUES: readonly QueueRule[] = [
  { name: 'sync', policy: 'one waits', retries: 2, places: 128, mostOfGroup: 32 },
  { name: 'renew', policy: 'one waits', retries: 5, places: 16 },
  { name: 'subscribe', policy: 'one waits', retries: 5, places: 16 },
  { name: 'housekeeping', policy: 'one waits', retries: 2, places: 1 },
  { name: HINT_QUEUE, policy: 'one waits', retries: 14, places: 128, mostOfGroup: 2 },
  // Most of a day: a mail server may be away for that long.
  { name: MAIL_QUEUE, policy: 'all', retries: 100, places: 2 },
  { name: RECOVERY_QUEUE, policy: 'all', retries: 14, places: 2 },
  { name: 'sync-now', policy: 'all', retries: 2, places: 8 },
  { name: 'connect-now', policy: 'all', retries: 0, places: 8 },
  { name: 'settle', policy: 'one waits', retries: 14, places: 2 },
  { name: 'trace', policy: 'one waits', retries: 2, places: 4 },
  { name: 'access', policy: 'one waits', retries: 0, places: 16 },
  { name: 'rerender', policy: 'one waits', retries: 0, places: 1 },
  // A batch goes on where it stood; what was sent by then is looked up, never sent again.
  { name: GUIDES_QUEUE, policy: 'one waits', retries: 14, places: 4 },
  { name: 'in-transit-now', policy: 'all', retries: 0, places: 4 },
  { name: 'cancel-guide-now', policy: 'all', retries: 0, places: 4 },
  { name: 'labels-now', policy: 'all', retries: 2, places: 4 },
];

/** Queues whose jobs may take long, and go on another time from where they stood. */
export const WALKS: ReadonlySet<string> = new Set([
  'sync',
  'sync-now',
  'trace',
  'access',
  'housekeeping',
  'rerender',
]);

/** A connection that an operator asked for; the credentials are sealed for the way. */
export interface ConnectJob {
  readonly organizationId: string;
  readonly service: Parameters<typeof connect>[1]['service'];
  readonly baseUrl: string | null;
  readonly ticket: string;
  readonly box: string;
}

/** The verb behind each queue. */
export const RUN: Readonly<Record<string, (parts: ExchangeParts, job: never) => Promise<object | null>>> = {
  sync: runDueSync as never,
  renew: (async (parts: ExchangeParts, { organizationId, subject }: DueJob) => {
    await refreshConnection(parts, organizationId, subject);
    return null;
  }) as never,
  subscribe: (async (parts: ExchangeParts, { organizationId, subject }: DueJob) => {
    await subscribe(parts, organizationId, subject);
    return null;
  }) as never,
  access: (async (parts: ExchangeParts, { organizationId, subject }: DueJob) => {
    await retryAccess(parts, organizationId, subject);
    return null;
  }) as never,
  housekeeping: housekeeping as never,
  rerender: rerenderDue as never,
  trace: runDueTrace as never,
  settle: (async (parts: ExchangeParts, job: SettleJob) => ({
    settled: await settleOrganization(parts, job),
  })) as never,
  [HINT_QUEUE]: workOnHint as never,
  [MAIL_QUEUE]: (async (parts: ExchangeParts, job: MailJob) => {
    const refusal = await parts.mailer.send(openMail(parts.keyring, job));
    if (refusal) parts.log.error({ mail: job.ticket, ...refusal }, 'mail refused for good');
    return refusal && { refused: refusal };
  }) as never,
  [RECOVERY_QUEUE]: (async (parts: ExchangeParts, job: RecoveryJob) => {
    const { database, clock, keyring, queue, publicUrl } = parts;
    await sendRecovery({ database, clock, keyring, publicUrl, postbox: openPostbox(queue, keyring) }, job);
    return null;
  }) as never,
  'sync-now': (async (parts: ExchangeParts, request: SyncRequest) => ({
    streams: await syncOrganization(parts, request),
  })) as never,
  'connect-now': (async (parts: ExchangeParts, job: ConnectJob) => {
    const { organizationId, service, baseUrl, ticket, box } = job;
    const credentials = JSON.parse(unseal(parts.keyring, placeOfTyped(organizationId, ticket), box));
    const { connectionId } = await connect(parts, { organizationId, service, baseUrl, credentials });
    return { connection_id: connectionId };
  }) as never,
  [GUIDES_QUEUE]: (async (parts: ExchangeParts, job: GuidesJob) => {
    await runGuides(parts, job);
    return null;
  }) as never,
  'in-transit-now': (async (parts: ExchangeParts, job: InTransitJob) => ({
    was_set: (await setInTransit(parts, job)).wasSet,
  })) as never,
  'cancel-guide-now': (async (parts: ExchangeParts, job: GuideJob) => {
    await cancelGuide(parts, job);
    return null;
  }) as never,
  'labels-now': (async (parts: ExchangeParts, job: GuideJob) => {
    await guideLabels(parts, job);
    return null;
  }) as never,
};

/** Which queue carries each recurring task. */
export const QUEUE_OF: Readonly<Record<Task, string>> = {
  sync: 'sync',
  renew: 'renew',
  subscribe: 'subscribe',
  housekeeping: 'housekeeping',
  trace: 'trace',
  access: 'access',
  rerender: 'rerender',
};

export function placeOfTyped(organizationId: string, ticket: string) {
  return { organizationId, subjectId: ticket, field: 'typed' };
}

/** What could not be read is read in two hours, and what is wrong the walk tells. */
async function runDueTrace(
  parts: ExchangeParts,
  { organizationId, subject }: DueJob,
): Promise<object | null> {
  try {
    return await traceShipments(parts, organizationId, subject);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return null;
  }
}
