import type { WriteScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { resolveAlert } from '../../alerts/index.ts';
import { lockOrganization } from '../../organizations/index.ts';
import { mustBeAbleTo } from '../../people/index.ts';
import { noteAction, noteInTrail } from '../actions.ts';
import type { Actor } from '../actor.ts';
import { readShape, requiredText } from '../address.ts';
import { GUIDE_UNKNOWN } from '../alert-kinds.ts';
import { lockLine, requireFreeTracking, requireMove, takeBack } from '../lines/change-line.ts';
import { numberLine } from '../lines/number-line.ts';
import { resolveUnwanted } from '../lines/unwanted.ts';
import type { Attempt } from './attempt-types.ts';
import { attemptById } from './guide-attempts.ts';
import { emitGuideEvent, guideValues, setGuideNumber } from './guide-effects.ts';
import * as attemptStore from './store-guide-attempts.ts';

/**
 * What a person learned of an attempt whose answer was lost: the number, or that there is no
 * guide.
 */
type AttemptAnswer =
  | { readonly exists: true; readonly trackingNumber: string; readonly guideNumber: string | null }
  | { readonly exists: false };

/**
 * @throws Failure insufficient_role, not_found, attempt_already_settled, tracking_number_in_use,
 * invalid_request
 */
export async function resolveAttempt(
  scope: WriteScope,
  actor: Actor,
  attemptId: string,
  answer: AttemptAnswer,
): Promise<Attempt> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  const attempt = await attemptById(scope, attemptId);
  await lockOrganization(scope);
  const line = await lockLine(scope, attempt.lineId);
  const locked = await attemptStore.lockAttempt(scope, attemptId);
  if (locked?.state !== 'unknown') throw fail('attempt_already_settled');
  const now = scope.clock.now().toString();
  await resolveAlert(scope, GUIDE_UNKNOWN, attemptId);
  if (answer.exists) {
    const tracking = readShape(requiredText(100), answer.trackingNumber, 'tracking_number');
    await requireFreeTracking(scope, tracking, line.id);
    const guide = {
      tracking,
      guide: answer.guideNumber,
      amount: null,
      availableBalance: null,
    };
    await attemptStore.updateAttempt(scope, attemptId, ['unknown'], {
      state: 'ok',
      ...guideValues(guide),
      error_code: null,
      error_message: null,
      settled_at: now,
    });
    await setGuideNumber(scope, line, attempt.carrier, guide);
    await emitGuideEvent(scope, 'guide.generated', line, attempt, { guide });
  } else {
    const fault = {
      code: 'confirmed_absent',
      message: 'Se confirmó con la paquetería que la guía no existe.',
    };
    const values = { error_code: fault.code, error_message: fault.message, settled_at: now };
    await attemptStore.updateAttempt(scope, attemptId, ['unknown'], { state: 'failed', ...values });
    await emitGuideEvent(scope, 'guide.failed', line, attempt, { fault });
  }
  await noteAction(scope, actor, 'settle_attempt', line.id, { attempt_id: attemptId, ...answer });
  await noteInTrail(scope, actor, 'guide_settled', answer.exists ? answer.trackingNumber : '');
  return attemptById(scope, attemptId);
}

/** A guide that may be cancelled: that of a line still in preparation. @throws Failure */
export async function requireCancellable(
  scope: WriteScope,
  actor: Actor,
  attemptId: string,
): Promise<Attempt> {
  mustBeAbleTo(actor.role, 'cancel_guides');
  const attempt = await attemptById(scope, attemptId);
  requireMove(await lockLine(scope, attempt.lineId), 'cancel_guide');
  if (attempt.state !== 'ok' || attempt.cancelledAt !== null || attempt.trackingNumber === null)
    throw fail('guide_not_cancellable', {
      message: 'Este intento no tiene una guía viva que cancelar.',
    });
  return attempt;
}

/**
 * The carrier cancelled the guide: the line may have another one. A line that was transferred with
 * it meanwhile comes back to preparation.
 */
export async function markGuideCancelled(
  scope: WriteScope,
  actor: Actor,
  attempt: Attempt,
): Promise<void> {
  const now = scope.clock.now().toString();
  const line = await lockLine(scope, attempt.lineId);
  await attemptStore.updateAttempt(scope, attempt.id, ['ok'], { cancelled_at: now });
  if (line.trackingNumber === attempt.trackingNumber) {
    const bare = await numberLine(scope, line);
    if (bare.state === 'transferred') await takeBack(scope, actor, bare);
  }
  await resolveUnwanted(scope, line.id);
  await noteAction(scope, actor, 'cancel_guide', line.id, {
    attempt_id: attempt.id,
    tracking_number: attempt.trackingNumber,
  });
  await noteInTrail(scope, actor, 'guide_cancelled', attempt.trackingNumber ?? '');
}
