import type { StreamName } from '../../connectors/contract.ts';
import { connect } from '../../exchange/connect.ts';
import { UpstreamError } from '../../exchange/errors.ts';
import { GUIDES_QUEUE, type GuidesJob, runGuides } from '../../exchange/generate-guides.ts';
import { cancelGuide, type GuideJob, guideLabels } from '../../exchange/guide-afterwards.ts';
import type { ExchangeParts } from '../../exchange/parts.ts';
import { planStreams } from '../../exchange/plan-streams.ts';
import { refreshConnection } from '../../exchange/refresh.ts';
import { runStream } from '../../exchange/run-stream.ts';
import { type InTransitJob, setInTransit } from '../../exchange/set-in-transit.ts';
import { subscribe } from '../../exchange/subscribe.ts';
import { type SyncRequest, syncOrganization } from '../../exchange/sync-organization.ts';
import { type SettleJob, settleOrganization } from '../../exchange/take-carrier-events.ts';
import { type HintedThing, takeHint } from '../../exchange/take-hint.ts';
import { traceShipments } from '../../exchange/trace-shipments.ts';
import { askForAddresses } from '../../exchange/webhook-address.ts';
import { forgetOverPeople, tellOfEndingKeys } from '../../features/accounts/index.ts';
import { connectionById, forgetStale, loadStream } from '../../features/connections/index.ts';
import { forgetCalls, forgetKeys, forgetRecords } from '../../features/grants/index.ts';
import { forgetMovements } from '../../features/inventory/index.ts';
import { forgetReceipts, settleReceipt } from '../../features/receipts/index.ts';
import { recountWaiting } from '../../features/sales/index.ts';
import { dueAt, putOff, schedule, type Task } from '../../features/schedules/index.ts';
import { forgetCarrierReceipts } from '../../features/shipments/index.ts';
import { forgetActs } from '../../features/trail/index.ts';
import { forgetEvents } from '../../features/webhooks-out/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { MAIL_QUEUE, type MailJob, openMail, openPostbox } from '../../platform/mail.ts';
import type { QueueRule } from '../../platform/queue.ts';
import { unseal } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';

/** The queues and how each treats its jobs. */
export const QUEUES: readonly QueueRule[] = [
  { name: 'sync', policy: 'one waits', retries: 2, concurrency: 4 },
  { name: 'renew', policy: 'one waits', retries: 5, concurrency: 2 },
  { name: 'subscribe', policy: 'one waits', retries: 5, concurrency: 2 },
  { name: 'housekeeping', policy: 'one waits', retries: 2, concurrency: 1 },
  // An hour and more, as marketplaces themselves repeat what nobody took.
  { name: 'hint', policy: 'one waits', retries: 14, concurrency: 4 },
  // Most of a day: a mail server may be away for that long.
  { name: MAIL_QUEUE, policy: 'all', retries: 100, concurrency: 2 },
  { name: 'sync-now', policy: 'all', retries: 2, concurrency: 2 },
  { name: 'connect-now', policy: 'all', retries: 0, concurrency: 2 },
  { name: 'settle', policy: 'one waits', retries: 14, concurrency: 2 },
  { name: 'trace', policy: 'one waits', retries: 2, concurrency: 2 },
  // A batch goes on where it stood; what was sent by then is looked up, never sent again.
  { name: GUIDES_QUEUE, policy: 'one waits', retries: 14, concurrency: 2 },
  { name: 'in-transit-now', policy: 'all', retries: 0, concurrency: 2 },
  { name: 'cancel-guide-now', policy: 'all', retries: 0, concurrency: 2 },
  { name: 'labels-now', policy: 'all', retries: 2, concurrency: 2 },
];

/** Queues whose jobs may take long, and go on another time from where they stood. */
export const WALKS: ReadonlySet<string> = new Set(['sync', 'sync-now', 'trace']);

/** What a recurring task's job carries. */
export interface DueJob {
  readonly organizationId: string;
  readonly subject: string;
}

interface HintJob extends HintedThing {
  readonly receiptId: string;
}

/** A connection that an operator asked for; the credentials are sealed for the way. */
export interface ConnectJob {
  readonly organizationId: string;
  readonly service: Parameters<typeof connect>[1]['service'];
  readonly baseUrl: string | null;
  readonly ticket: string;
  readonly box: string;
}

const KEEP_DAYS = 30;
/** A year and a month, so that a month can be compared with the same one of the year before. */
const KEEP_MOVEMENTS_DAYS = 400;
/** Receipts of a carrier's events, calls of agents and the trail are for audits. */
const KEEP_AUDITED_DAYS = 365;
/** How often all that is open is asked about; notifications and the search bring most changes sooner. */
const SWEEP_EVERY_SECONDS: Partial<Readonly<Record<string, number>>> = {
  orders: 3_600,
  shipments: 6 * 3_600,
};

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
  housekeeping: housekeeping as never,
  trace: runDueTrace as never,
  settle: (async (parts: ExchangeParts, job: SettleJob) => ({
    settled: await settleOrganization(parts, job),
  })) as never,
  hint: runHint as never,
  [MAIL_QUEUE]: (async (parts: ExchangeParts, job: MailJob) => {
    const refusal = await parts.mailer.send(openMail(parts.keyring, job));
    if (refusal) parts.log.error({ mail: job.ticket, ...refusal }, 'mail refused for good');
    return refusal && { refused: refusal };
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
};

export function placeOfTyped(organizationId: string, ticket: string) {
  return { organizationId, subjectId: ticket, field: 'typed' };
}

async function runDueSync(parts: ExchangeParts, { organizationId, subject }: DueJob): Promise<object | null> {
  const [connectionId = '', stream = 'orders'] = subject.split(':');
  const organization = parts.database.within(organizationId);
  const connection = await organization.read((scope) => connectionById(scope, connectionId));
  if (!connection || connection.state === 'disconnected' || connection.state === 'reauth_required')
    return null;
  const startedAt = parts.clock.now();
  const nextSweep = await organization.read((scope) => dueAt(scope, 'sweep', subject));
  const sweep = nextSweep !== null && Temporal.Instant.compare(nextSweep, startedAt) <= 0;
  try {
    const report = await runStream(parts, connection, stream as StreamName, { sweep, ifRunning: 'leave' });
    // The first sweep comes a turn after the first walk, which has just asked about everything.
    if (report && (sweep || nextSweep === null))
      await organization.write((scope) => planSweep(scope, subject, startedAt));
    return report;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // It is noted at the connection, and the calendar brings the next try.
    const { retryAfter } = error;
    if (retryAfter !== null)
      await organization.write((scope) =>
        putOff(scope, 'sync', subject, parts.clock.now().add({ seconds: retryAfter })),
      );
    return null;
  }
}

/** A pass that pauses takes its sweep up again when it goes on. */
async function planSweep(scope: WriteScope, subject: string, sweptAt: Instant): Promise<void> {
  const [connectionId = '', stream = ''] = subject.split(':');
  const seconds = SWEEP_EVERY_SECONDS[stream];
  if (seconds === undefined) return;
  const { pass } = await loadStream(scope, connectionId, stream);
  if (pass) return;
  await schedule(scope, 'sweep', subject, seconds, sweptAt.add({ seconds }));
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
    parts.log.warn({ connection: subject, kind: error.kind, reason: error.message }, 'histories not traced');
    return null;
  }
}

async function runHint(parts: ExchangeParts, job: HintJob): Promise<object> {
  const settle = (outcome: string) =>
    parts.database.within(job.organizationId).write((scope) => settleReceipt(scope, job.receiptId, outcome));
  try {
    const { changed, outcome } = await takeHint(parts, job);
    await settle(outcome);
    return { changed };
  } catch (error) {
    // A later try may still record it.
    if (error instanceof UpstreamError) await settle(error.kind);
    throw error;
  }
}

async function housekeeping(parts: ExchangeParts): Promise<null> {
  await planStreams(parts);
  await askForAddresses(parts);
  await recountWaiting(parts.database);
  const { database, clock, publicUrl, queue, keyring } = parts;
  await tellOfEndingKeys({ database, clock, publicUrl, postbox: openPostbox(queue, keyring) });
  const now = parts.clock.now();
  const before = now.subtract({ hours: 24 * KEEP_DAYS });
  await parts.database.write(async (handle) => {
    await forgetEvents(handle, before);
    await forgetReceipts(handle, before);
    await forgetCarrierReceipts(handle, now.subtract({ hours: 24 * KEEP_AUDITED_DAYS }));
    await forgetCalls(handle, now.subtract({ hours: 24 * KEEP_AUDITED_DAYS }));
    await forgetActs(handle, now.subtract({ hours: 24 * KEEP_AUDITED_DAYS }));
    await forgetRecords(handle, now);
    await forgetKeys(handle, now);
    await forgetStale(handle, now);
    await forgetOverPeople(handle, now);
    await forgetMovements(handle, now.subtract({ hours: 24 * KEEP_MOVEMENTS_DAYS }));
  });
  return null;
}
