import {
  type Actor,
  type Attempt,
  attemptById,
  keepLabels,
  markGuideCancelled,
  requireCancellable,
} from '../../features/warehouse/index.ts';
import { Failure, fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { type GuideAccountApi, listedWithin, openAccountOf } from './guide-account.ts';
import { holdingLine } from './line-lock.ts';

/** An existing guide, and the person who requests something of it. */
export interface AttemptJob {
  readonly organizationId: string;
  readonly attemptId: string;
  readonly actor: Actor;
}

/**
 * Cancels a guide before it is collected; the line may then have another one.
 * @throws Failure insufficient_role, not_found, transition_not_allowed, guide_not_cancellable,
 * carrier_not_connected, upstream_error
 */
export async function cancelGuide(
  parts: ExchangeParts,
  { organizationId, attemptId, actor }: AttemptJob,
): Promise<Attempt> {
  const organization = parts.database.within(organizationId);
  const { lineId } = await organization.read((scope) => attemptById(scope, attemptId));
  return holdingLine(parts.database, lineId, async () => {
    const attempt = await organization.write((scope) =>
      requireCancellable(scope, actor, attemptId),
    );
    await cancelAt(await openAccountOf(parts, organizationId, attempt), attempt);
    await organization.write((scope) => markGuideCancelled(scope, actor, attempt));
    return organization.read((scope) => attemptById(scope, attemptId));
  });
}

/**
 * Where the carrier refuses or does not answer, its listing decides: the guide may be cancelled
 * already, by a request whose answer was lost or in the carrier's own portal.
 * @throws Failure guide_not_cancellable, upstream_error
 */
async function cancelAt({ api, withErrors }: GuideAccountApi, attempt: Attempt): Promise<void> {
  const { trackingNumber, reference } = attempt;
  const answer = await asFailure(withErrors(() => api.cancel(trackingNumber as string)));
  if (!(answer instanceof Failure) && answer.ok) return;
  const found = await asFailure(withErrors(() => api.find(reference, listedWithin(attempt))));
  if (found && !(found instanceof Failure) && found.isCancelled) return;
  if (answer instanceof Failure) throw answer;
  throw fail('guide_not_cancellable', { message: answer.message });
}

async function asFailure<T>(work: Promise<T>): Promise<T | Failure> {
  return work.catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });
}

/**
 * The labels of a guide, for printing again; missing ones are requested again. The labels of a
 * forgotten buyer are not stored.
 * @param signal ends the calls to the carrier
 * @throws Failure not_found, guide_required, carrier_not_connected, upstream_error
 */
export async function guideLabels(
  parts: ExchangeParts,
  { organizationId, attemptId }: Pick<AttemptJob, 'organizationId' | 'attemptId'>,
  signal?: AbortSignal,
): Promise<Attempt> {
  const organization = parts.database.within(organizationId);
  const attempt = await organization.read((scope) => attemptById(scope, attemptId));
  const { trackingNumber } = attempt;
  if (attempt.state !== 'ok' || trackingNumber === null)
    throw fail('guide_required', {
      message: 'Este intento no tiene guía, así que no hay etiquetas.',
    });
  if (attempt.zpl !== null && attempt.pdfBase64 !== null) return attempt;
  const { api, withErrors } = await openAccountOf(parts, organizationId, attempt, signal);
  const labels = await withErrors(() => api.labels(trackingNumber));
  await organization.write((scope) => keepLabels(scope, attempt, labels));
  const kept = await organization.read((scope) => attemptById(scope, attemptId));
  return {
    ...kept,
    zpl: kept.zpl ?? labels.zpl,
    pdfBase64: kept.pdfBase64 ?? labels.pdfBase64,
  };
}
