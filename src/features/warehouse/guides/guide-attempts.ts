import type { GuideLabels } from '../../../carriers/contract.ts';
import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { raiseAlert, resolveAlert } from '../../alerts/index.ts';
import { noteAction } from '../actions.ts';
import { GUIDE_LATE_ANSWER, GUIDE_UNKNOWN } from '../alert-kinds.ts';
import { lockLine } from '../lines/change-line.ts';
import { mayMove } from '../lines/line.ts';
import type { Attempt, Fault } from './attempt-types.ts';
import type { Batch } from './batches.ts';
import {
  emitGuideEvent,
  type Guide,
  guideValues,
  nameGuideOf,
  setGuideNumber,
} from './guide-effects.ts';
import { obstacleOf } from './guide-obstacle.ts';
import { keepReportedBalance } from './reported-balance.ts';
import * as attemptStore from './store-guide-attempts.ts';
import * as batchStore from './store-guide-batches.ts';

const LOST: Fault = {
  code: 'guide_outcome_unknown',
  message:
    'La paquetería no contestó y su listado no muestra la guía. No se vuelve a pedir sola: búscala con la paquetería y anota su número de rastreo, o confirma que no existe.',
};

/** @throws Failure not_found */
export async function attemptById(scope: ReadScope, id: string): Promise<Attempt> {
  const attempt = (await attemptStore.attemptsById(scope, [id])).get(id);
  if (!attempt)
    throw fail('not_found', { message: 'No existe un intento de guía con ese identificador.' });
  return attempt;
}

/**
 * Marks an attempt as sent: from here on the carrier may know of it; committed before the call.
 * @returns false when the line changed meanwhile, so that nothing may be sent
 */
export async function markSent(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
): Promise<boolean> {
  const line = await lockLine(scope, attempt.lineId);
  const now = scope.clock.now().toString();
  if (!mayMove(line.state, 'generate_guide')) {
    const obstacle = obstacleOf('transition_not_allowed', [], line);
    await recordFailure(scope, batch, attempt, obstacle, 'blocked');
    return false;
  }
  const isOurs = await attemptStore.updateAttempt(scope, attempt.id, ['queued'], {
    state: 'sent',
    sent_at: now,
  });
  if (!isOurs) throw new Error(`attempt ${attempt.id} was taken by another worker`);
  await nameGuideOf(scope, line, attempt.reference);
  await noteAction(scope, batch.actor, 'guide_requested', attempt.lineId, {
    attempt_id: attempt.id,
    reference: attempt.reference,
  });
  return true;
}

/** The carrier made the guide, now or, as its listing shows, before. */
export async function recordGuide(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
  guide: Guide,
): Promise<void> {
  const line = await lockLine(scope, attempt.lineId);
  const isOpen = await attemptStore.updateAttempt(scope, attempt.id, ['sent', 'unknown'], {
    state: 'ok',
    ...guideValues(guide),
    error_code: null,
    error_message: null,
    settled_at: scope.clock.now().toString(),
  });
  if (!isOpen) return warnOfLateAnswer(scope, batch, attempt, guide);
  await resolveAlert(scope, GUIDE_UNKNOWN, attempt.id);
  await setGuideNumber(scope, line, attempt.carrier, guide);
  await batchStore.noteOutcome(
    scope,
    { batchId: batch.id, lineId: line.id },
    'generated',
    attempt.id,
    null,
  );
  await noteAction(scope, batch.actor, 'guide_generated', line.id, {
    attempt_id: attempt.id,
    tracking_number: guide.tracking,
  });
  await keepReportedBalance(scope, attempt, guide);
  await emitGuideEvent(scope, 'guide.generated', line, attempt, { guide });
}

/** No guide was made, and nothing is charged. */
export async function recordFailure(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
  fault: Fault,
  outcome: 'failed' | 'blocked' = 'failed',
): Promise<void> {
  const line = await lockLine(scope, attempt.lineId);
  const isOpen = await attemptStore.updateAttempt(
    scope,
    attempt.id,
    ['queued', 'sent', 'unknown'],
    {
      state: 'failed',
      error_code: fault.code,
      error_message: fault.message,
      settled_at: scope.clock.now().toString(),
    },
  );
  if (!isOpen) return;
  await resolveAlert(scope, GUIDE_UNKNOWN, attempt.id);
  await batchStore.noteOutcome(
    scope,
    { batchId: batch.id, lineId: attempt.lineId },
    outcome,
    attempt.id,
    fault,
  );
  await noteAction(scope, batch.actor, `guide_${outcome}`, attempt.lineId, {
    attempt_id: attempt.id,
    code: fault.code,
  });
  if (outcome === 'failed') await emitGuideEvent(scope, 'guide.failed', line, attempt, { fault });
}

/** The answer was lost and the listing does not show the guide: a person must look. */
export async function leaveUnknown(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
): Promise<void> {
  const isOpen = await attemptStore.updateAttempt(scope, attempt.id, ['sent', 'unknown'], {
    state: 'unknown',
    error_code: LOST.code,
    error_message: LOST.message,
  });
  if (!isOpen) return;
  await batchStore.noteOutcome(
    scope,
    { batchId: batch.id, lineId: attempt.lineId },
    'unknown',
    attempt.id,
    LOST,
  );
  await noteAction(scope, batch.actor, 'guide_unknown', attempt.lineId, { attempt_id: attempt.id });
  await raiseAlert(scope, {
    kind: GUIDE_UNKNOWN,
    subject: attempt.id,
    message: `No se sabe si se generó la guía con referencia ${attempt.reference}. Búscala con la paquetería y resuelve el intento.`,
  });
}

/**
 * A defect of ours in a line's turn: an attempt that may have been sent becomes unknown, and the
 * rest fail.
 */
export async function giveUp(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  lineId: string,
): Promise<void> {
  const attempt = await attemptStore.aliveAttempt(scope, lineId);
  const fault = {
    code: 'internal_error',
    message: 'Ocurrió un error de nuestro lado. No se pidió ninguna guía.',
  };
  if (attempt?.state === 'queued') return recordFailure(scope, batch, attempt, fault);
  if (attempt && attempt.state !== 'ok') return leaveUnknown(scope, batch, attempt);
  const batchLine = { batchId: batch.id, lineId };
  await batchStore.noteOutcome(
    scope,
    batchLine,
    attempt ? 'already_generated' : 'failed',
    attempt?.id ?? null,
    attempt ? null : fault,
  );
}

/** Labels have the buyer's address: the labels of a forgotten buyer are not stored. */
export async function keepLabels(
  scope: WriteScope,
  { id, lineId }: Pick<Attempt, 'id' | 'lineId'>,
  labels: GuideLabels,
): Promise<void> {
  const values = {
    ...(labels.zpl !== null && { zpl: labels.zpl }),
    ...(labels.pdfBase64 !== null && { pdf_base64: labels.pdfBase64 }),
  };
  if (Object.keys(values).length === 0) return;
  // Before the line: a transaction that writes it and makes the key would wait for this one.
  await scope.vault();
  const line = await lockLine(scope, lineId);
  if (!line.isBuyerForgotten) await attemptStore.updateAttempt(scope, id, ['ok'], values);
}

/** A person had resolved it before the answer arrived: there may be an unused guide. */
async function warnOfLateAnswer(
  scope: WriteScope,
  batch: Pick<Batch, 'actor'>,
  attempt: Attempt,
  { tracking }: Guide,
): Promise<void> {
  const details = { attempt_id: attempt.id, tracking_number: tracking };
  await noteAction(scope, batch.actor, 'guide_late_answer', attempt.lineId, details);
  const now = await attemptById(scope, attempt.id);
  if (now.state === 'ok' && now.trackingNumber === tracking) return;
  await raiseAlert(scope, {
    kind: GUIDE_LATE_ANSWER,
    subject: attempt.id,
    message: `La paquetería contestó tarde que sí generó la guía ${tracking}. Cancélala si no la vas a usar.`,
  });
}
