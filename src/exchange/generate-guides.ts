import type { GuideAnswer, GuideDesk } from '../carriers/contract.ts';
import {
  type Actor,
  type Attempt,
  acceptBatch,
  type Batch,
  batchById,
  beginAttempt,
  finishBatch,
  type GuideOrder,
  giveUp,
  keepLabels,
  leaveUnknown,
  logisticsSettings,
  markSent,
  settleFailed,
  settleOk,
} from '../features/warehouse/index.ts';
import type { OrganizationDatabase } from '../platform/db/database.ts';
import { Failure } from '../platform/failure.ts';
import { asUpstream, type UpstreamError, type UpstreamKind } from './errors.ts';
import { holdingLine } from './line-lock.ts';
import { openCarrier } from './open-carrier.ts';
import type { ExchangeParts } from './parts.ts';

/** Which batch a job works off. */
export interface GuidesJob {
  readonly organizationId: string;
  readonly batchId: string;
}

export const GUIDES_QUEUE = 'guides';

/** A batch under way. */
interface Run {
  readonly parts: ExchangeParts;
  readonly organization: OrganizationDatabase;
  readonly batch: Batch;
  /** Null = there is no account to ask: every line is blocked. */
  readonly counter: { readonly desk: GuideDesk; readonly connectionId: string } | null;
}

/** Thrown before anything was sent: there is no guide. */
const NOTHING_SENT: ReadonlySet<UpstreamKind> = new Set(['unauthorized', 'unopened', 'paced']);

/**
 * Takes an order of guides down and hands it to a worker; the same idempotency key gives the same job.
 * @throws Failure insufficient_role, invalid_request, not_found, idempotency_key_reused
 */
export function requestGuides(
  { database, queue }: ExchangeParts,
  organizationId: string,
  actor: Actor,
  order: GuideOrder,
): Promise<GuidesJob> {
  return database.within(organizationId).write(async (scope) => {
    const { batchId, isFinished } = await acceptBatch(scope, actor, order);
    const job: GuidesJob = { organizationId, batchId };
    // Asked again, one that was left lying goes on.
    if (!isFinished) await queue.enqueue(scope.handle, GUIDES_QUEUE, job, batchId);
    return job;
  });
}

/**
 * Works off a batch, a line after the other; a line that fails stops no other. Begun again after a crash it goes on,
 * and what had been sent by then is looked up and never sent once more.
 */
export async function runGuides(
  parts: ExchangeParts,
  { organizationId, batchId }: GuidesJob,
): Promise<Batch> {
  const organization = parts.database.within(organizationId);
  const batch = await organization.read((scope) => batchById(scope, batchId));
  const run: Run = { parts, organization, batch, counter: await openCounter(parts, organizationId) };
  for (const { lineId, outcome } of batch.lines)
    if (outcome === null) await holdingLine(parts.database, lineId, () => generateOne(run, lineId));
  await organization.write((scope) => finishBatch(scope, batchId));
  return organization.read((scope) => batchById(scope, batchId));
}

async function generateOne(run: Run, lineId: string): Promise<void> {
  const { organization, batch, counter } = run;
  try {
    const begun = await organization.write((scope) =>
      beginAttempt(scope, batch, lineId, counter?.connectionId ?? null),
    );
    if (begun.kind === 'look up') return await lookUp(run, begun.attempt);
    if (begun.kind === 'done' || !counter) return;
    const isSent = await organization.write((scope) => markSent(scope, batch, begun.attempt));
    if (isSent) await send(run, begun.attempt, () => counter.desk.create(begun.request));
  } catch (error) {
    // Without the database nothing can be noted either: the job comes back.
    if (error instanceof Failure && error.status >= 500) throw error;
    run.parts.log.error({ err: error, line: lineId }, 'a guide could not be worked off');
    await organization.write((scope) => giveUp(scope, batch, lineId));
  }
}

async function send(run: Run, attempt: Attempt, create: () => Promise<GuideAnswer>): Promise<void> {
  const { organization, batch } = run;
  const answer = await create().catch((thrown: unknown) => {
    const error = asUpstream(thrown, attempt.carrier);
    if (!error) throw thrown;
    return error;
  });
  if (answer instanceof Error) return lost(run, attempt, answer);
  if (answer.ok) return document(run, attempt, answer);
  const fault = { code: 'carrier_refused', message: answer.message };
  await organization.write((scope) => settleFailed(scope, batch, attempt, fault, 'failed', answer.raw));
}

/** No answer came, or none that can be read. */
async function lost(run: Run, attempt: Attempt, error: UpstreamError): Promise<void> {
  const { parts, organization, batch } = run;
  parts.log.warn(
    { attempt: attempt.id, kind: error.kind, reason: error.message },
    'the answer to a guide is lost',
  );
  if (!NOTHING_SENT.has(error.kind) && !error.isUnsent) return lookUp(run, attempt);
  const message =
    error.kind === 'unauthorized'
      ? 'La paquetería no aceptó el acceso a tu cuenta. Reconéctala y vuelve a intentar; no se pidió nada.'
      : 'No se pudo llegar a la paquetería, así que no se pidió nada. Vuelve a intentar.';
  await organization.write((scope) =>
    settleFailed(scope, batch, attempt, { code: 'upstream_error', message }),
  );
}

/** A guide may or may not have been made: only the carrier's own listing tells, and what is not there yet may come. */
async function lookUp(run: Run, attempt: Attempt): Promise<void> {
  const { organization, batch, counter } = run;
  const found = await counter?.desk.find(attempt.reference, attempt.sentAt ?? attempt.queuedAt).catch(
    // Whoever cannot be asked has not said no.
    (thrown: unknown) => {
      if (!asUpstream(thrown, attempt.carrier)) throw thrown;
      return null;
    },
  );
  if (found) return document(run, attempt, { ...found, availableBalance: null, raw: null });
  await organization.write((scope) => leaveUnknown(scope, batch, attempt));
}

/** Labels that cannot be had now are fetched when they are printed. */
async function document(run: Run, attempt: Attempt, guide: Parameters<typeof settleOk>[3]): Promise<void> {
  const { organization, batch, counter } = run;
  await organization.write((scope) => settleOk(scope, batch, attempt, guide));
  const labels = await counter?.desk.labels(guide.tracking).catch((thrown: unknown) => {
    if (!asUpstream(thrown, attempt.carrier)) throw thrown;
    return null;
  });
  if (labels) await organization.write((scope) => keepLabels(scope, attempt.id, labels));
}

async function openCounter(parts: ExchangeParts, organizationId: string): Promise<Run['counter']> {
  const settings = await parts.database.within(organizationId).read(logisticsSettings);
  const { carrier, guide_url } = settings;
  try {
    const { connector, connection, call } = await openCarrier(
      parts,
      organizationId,
      carrier,
      guide_url === null ? {} : { guide: guide_url },
    );
    const desk = connector.guides?.(call);
    return desk ? { desk, connectionId: connection.id } : null;
  } catch (error) {
    if (error instanceof Failure && error.code !== 'service_unavailable') return null;
    throw error;
  }
}
