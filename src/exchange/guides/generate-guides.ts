import type { GuideAnswer, GuideApi } from '../../carriers/contract.ts';
import type { UpstreamError, UpstreamKind } from '../../connectors/upstream-error.ts';
import {
  type Actor,
  type Attempt,
  acceptBatch,
  type Batch,
  type BatchRequest,
  batchById,
  beginAttempt,
  finishBatch,
  type GuideAccount,
  giveUp,
  isOverdue,
  keepLabels,
  leaveUnknown,
  markSent,
  recordFailure,
  recordGuide,
} from '../../features/warehouse/index.ts';
import type { OrganizationDatabase, WriteScope } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { asUpstream } from '../wire/errors.ts';
import {
  accountForGuides,
  accountObstacle,
  type GuideAccountApi,
  listedWithin,
  openAccountOf,
  openGuideAccount,
} from './guide-account.ts';
import { holdingLine } from './line-lock.ts';
import { recallGuide } from './recall-guide.ts';

/** The payload of a batch's job. */
export interface BatchJob {
  readonly organizationId: string;
  readonly batchId: string;
}

/** A batch under way. */
interface Run {
  readonly parts: ExchangeParts;
  readonly organizationId: string;
  readonly organization: OrganizationDatabase;
  readonly batch: Batch;
  /** Without an account every line is blocked. */
  readonly account: GuideAccountApi | Extract<GuideAccount, { obstacle: unknown }>;
}

/** Failures before anything was sent: there is no guide. */
const NOTHING_SENT: ReadonlySet<UpstreamKind> = new Set(['unauthorized', 'unopened', 'paced']);

/**
 * Accepts a request for guides. The same idempotency key gives the same batch. A new batch is
 * refused where the carrier's account is ambiguous.
 * @throws Failure insufficient_role, invalid_request, not_found, idempotency_key_reused,
 * carrier_account_ambiguous, carrier_not_connected for an account that was named
 */
export async function acceptGuides(
  scope: WriteScope,
  actor: Actor,
  request: BatchRequest,
): Promise<{ batchId: string; isFinished: boolean }> {
  const accepted = await acceptBatch(scope, actor, request);
  if (!accepted.isNew) return accepted;
  try {
    await accountForGuides(scope, request.accountId ?? null);
  } catch (error) {
    // Without any account, each line is blocked with its own reasons.
    const isNone =
      error instanceof Failure && error.code === 'carrier_not_connected' && !error.param;
    if (!isNone) throw error;
  }
  return accepted;
}

/**
 * Processes a batch line by line; a failed line does not stop the others. After a crash the batch
 * goes on, and a request that had been sent is looked up and never sent again.
 */
export async function runGuides(
  parts: ExchangeParts,
  { organizationId, batchId }: BatchJob,
): Promise<Batch> {
  const organization = parts.database.within(organizationId);
  const batch = await organization.read((scope) => batchById(scope, batchId));
  const account = await openAccount(parts, organizationId, batch.accountId);
  const run: Run = { parts, organizationId, organization, batch, account };
  for (const { lineId, outcome } of batch.lines)
    if (outcome === null) await holdingLine(parts.database, lineId, () => generateOne(run, lineId));
  await organization.write((scope) => finishBatch(scope, batchId));
  return organization.read((scope) => batchById(scope, batchId));
}

async function generateOne(run: Run, lineId: string): Promise<void> {
  const { organization, batch } = run;
  try {
    const account = await accountFor(run, lineId);
    const begun = await organization.write((scope) => beginAttempt(scope, batch, lineId, account));
    if (begun.kind === 'look up') return await lookUp(run, begun.attempt);
    if (begun.kind === 'done' || 'obstacle' in account) return;
    const isSent = await organization.write((scope) => markSent(scope, batch, begun.attempt));
    if (isSent) await send(run, begun.attempt, () => account.api.create(begun.request));
  } catch (error) {
    // Without the database nothing can be recorded: the queue retries the job.
    if (error instanceof Failure && error.status >= 500) throw error;
    run.parts.log
      .of('guides')
      .error({ err: error, line: lineId }, 'a guide could not be processed');
    await organization.write((scope) => giveUp(scope, batch, lineId));
  }
}

/**
 * None for a batch that is overdue: what was sent is looked up, and nothing is asked for. None for a
 * line whose guide may have been bought since a restored backup, until that is known.
 */
async function accountFor(
  { organization, batch, account, parts }: Run,
  lineId: string,
): Promise<Run['account']> {
  if ('obstacle' in account) return account;
  if (isOverdue(batch, parts.clock.now())) return { obstacle: OVERDUE };
  try {
    await recallGuide(organization, account, batch.id, lineId);
    return account;
  } catch (thrown) {
    const error = asUpstream(thrown, 'guides');
    if (!error) throw thrown;
    parts.log
      .of('guides')
      .warn({ line: lineId, kind: error.kind }, 'the listing since the backup was not read');
    return { obstacle: LISTING_UNREAD };
  }
}

const OVERDUE = {
  code: 'request_overdue' as const,
  message:
    'Pasó más de un día sin poder pedir esta guía, y ya no se pide sola. Si el paquete sigue contigo, vuelve a generarla.',
};

const LISTING_UNREAD = {
  code: 'listing_unread' as const,
  message:
    'Restauramos una copia de seguridad: antes de pedir guías hay que leer los envíos de la paquetería, y no contestó. No se pidió nada; vuelve a intentar en unos minutos.',
};

async function send(run: Run, attempt: Attempt, create: () => Promise<GuideAnswer>): Promise<void> {
  const { organization, batch } = run;
  const answer = await create().catch((thrown: unknown) => {
    const error = asUpstream(thrown, attempt.carrier);
    if (!error) throw thrown;
    return error;
  });
  if (answer instanceof Error) return lost(run, attempt, answer);
  if (answer.ok) return recordGuideWithLabels(run, attempt, answer);
  const fault = { code: 'carrier_refused', message: answer.message };
  await organization.write((scope) => recordFailure(scope, batch, attempt, fault));
}

/** Without a readable answer. */
async function lost(run: Run, attempt: Attempt, error: UpstreamError): Promise<void> {
  const { parts, organization, batch } = run;
  parts.log
    .of('guides')
    .warn(
      { attempt: attempt.id, kind: error.kind, reason: error.message },
      'the answer to a guide is lost',
    );
  if (!NOTHING_SENT.has(error.kind) && !error.isUnsent) return lookUp(run, attempt);
  const message =
    error.kind === 'unauthorized'
      ? 'La paquetería no aceptó el acceso a tu cuenta. Reconéctala y vuelve a intentar; no se pidió nada.'
      : 'No se pudo llegar a la paquetería, así que no se pidió nada. Vuelve a intentar.';
  await organization.write((scope) =>
    recordFailure(scope, batch, attempt, { code: 'upstream_error', message }),
  );
}

/** The carrier may or may not have made the guide: its listing shows the guide, perhaps later. */
async function lookUp(run: Run, attempt: Attempt): Promise<void> {
  const { organization, batch } = run;
  const api = await guideApiOf(run, attempt);
  const found = await api?.find(attempt.reference, listedWithin(attempt)).catch(
    // No answer does not mean that there is no guide.
    (thrown: unknown) => {
      if (!asUpstream(thrown, attempt.carrier)) throw thrown;
      return null;
    },
  );
  if (found?.isCancelled)
    return organization.write((scope) => recordFailure(scope, batch, attempt, GUIDE_CANCELLED));
  if (found) return recordGuideWithLabels(run, attempt, { ...found, availableBalance: null });
  await organization.write((scope) => leaveUnknown(scope, batch, attempt));
}

const GUIDE_CANCELLED = {
  code: 'guide_cancelled',
  message:
    'La guía que se pidió antes está cancelada en la paquetería. Vuelve a intentar para generar otra.',
};

/** Labels that are not available now are fetched when they are printed. */
async function recordGuideWithLabels(
  run: Run,
  attempt: Attempt,
  guide: Parameters<typeof recordGuide>[3],
): Promise<void> {
  const { organization, batch } = run;
  await organization.write((scope) => recordGuide(scope, batch, attempt, guide));
  const api = await guideApiOf(run, attempt);
  const labels = await api?.labels(guide.tracking).catch((thrown: unknown) => {
    if (!asUpstream(thrown, attempt.carrier)) throw thrown;
    return null;
  });
  if (labels) await organization.write((scope) => keepLabels(scope, attempt, labels));
}

async function openAccount(
  parts: ExchangeParts,
  organizationId: string,
  accountId: string | null,
): Promise<Run['account']> {
  try {
    return await openGuideAccount(parts, organizationId, accountId);
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'service_unavailable') throw error;
    return accountObstacle(error);
  }
}

/**
 * The API of the account that an attempt was sent to; an earlier batch may have used another one.
 * Null = it cannot be asked.
 */
async function guideApiOf(
  { parts, batch, account, organizationId }: Run,
  attempt: Attempt,
): Promise<GuideApi | null> {
  if ('api' in account && account.connectionId === attempt.connectionId) return account.api;
  try {
    return (await openAccountOf(parts, organizationId, attempt)).api;
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'service_unavailable') throw error;
    parts.log
      .of('guides')
      .warn(
        { batch: batch.id, attempt: attempt.id, code: error.code },
        'the account of a guide cannot be asked',
      );
    return null;
  }
}
