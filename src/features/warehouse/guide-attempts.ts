import type { GuideAnswer, GuideLabels, GuideRequest } from '../../carriers/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { newId } from '../../platform/ids.ts';
import { rawNumber } from '../../platform/json.ts';
import type { Instant } from '../../platform/time.ts';
import { raiseAlert, resolveAlert } from '../alerts/index.ts';
import { emit } from '../webhooks-out/index.ts';
import { noteAction } from './actions.ts';
import { type Actor, requireSupervisor, requireWarehouse } from './actor.ts';
import { filled, readShape } from './address.ts';
import type { Batch } from './batches.ts';
import { lockLine, requireFreeTracking, requireMove } from './change-line.ts';
import type { Attempt, Fault, GuideAccount } from './guide-attempt.ts';
import { blocked, writeRequest } from './guide-request.ts';
import { type Line, mayMove } from './line.ts';
import { logisticsSettings } from './settings.ts';
import * as store from './store-guide-attempts.ts';
import { update as updateLine } from './store-lines.ts';
import { settleUnwanted, warnOfUnwanted } from './unwanted.ts';

/** How a line's turn begins. `done`: its outcome is written. */
type Begun =
  | { readonly kind: 'done' }
  | { readonly kind: 'look up'; readonly attempt: Attempt }
  | { readonly kind: 'send'; readonly attempt: Attempt; readonly request: GuideRequest };

type Guide = Omit<Extract<GuideAnswer, { ok: true }>, 'ok' | 'raw'> & {
  readonly raw: string | null;
};

const CURRENCY = 'MXN';
const LOST: Fault = {
  code: 'guide_outcome_unknown',
  message:
    'La paquetería no contestó y su listado no muestra la guía. No se vuelve a pedir sola: búscala con la paquetería y anota su número de rastreo, o confirma que no existe.',
};

/**
 * Begins a line's turn in a batch. Whoever calls holds the line's lock, so an attempt that is
 * `sent` belongs to somebody who died: it becomes `unknown`. One that is `queued` was never sent,
 * and goes on.
 */
export async function beginAttempt(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor' | 'overrides'>,
  lineId: string,
  account: GuideAccount,
): Promise<Begun> {
  const line = await lockLine(scope, lineId);
  const turn = { batchId: batch.id, lineId };
  // Another job of this batch may have been here meanwhile.
  if ((await store.outcomeOf(scope, turn)) !== null) return { kind: 'done' };
  const alive = await store.aliveAttempt(scope, lineId);
  if (alive?.state === 'ok') {
    await store.noteOutcome(scope, turn, 'already_generated', alive.id, null);
    return { kind: 'done' };
  }
  if (alive?.state === 'sent')
    await store.updateAttempt(scope, alive.id, ['sent'], { state: 'unknown' });
  if (alive && alive.state !== 'queued')
    return { kind: 'look up', attempt: { ...alive, state: 'unknown' } };

  const settings = await logisticsSettings(scope);
  const connectionId = 'fault' in account ? null : account.connectionId;
  const { carrier } = settings;
  const attempt = {
    ...(alive ?? newAttempt(line, batch.id, scope.clock.now())),
    carrier,
    connectionId,
  };
  const written = await writeOrBlock(scope, line, batch, attempt.reference, account);
  const state = written.ok ? ('queued' as const) : ('failed' as const);
  const now = scope.clock.now().toString();
  const values = {
    state,
    carrier,
    connection_id: connectionId,
    ...(written.ok
      ? { request: JSON.stringify(written.request) }
      : { error_code: written.fault.code, error_message: written.fault.message, settled_at: now }),
  };
  if (alive) await store.updateAttempt(scope, alive.id, ['queued'], values);
  else await store.insertAttempt(scope, { ...attemptRow(attempt), ...values });
  if (written.ok) return { kind: 'send', attempt, request: written.request };
  await store.noteOutcome(scope, turn, 'blocked', attempt.id, written.fault);
  await noteAction(scope, batch.actor, 'guide_blocked', lineId, {
    attempt_id: attempt.id,
    code: written.fault.code,
  });
  return { kind: 'done' };
}

/**
 * From here on the carrier may know of it; committed before it is called.
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
    const { fault } = blocked('transition_not_allowed', [], line);
    await settleFailed(scope, batch, attempt, fault, 'blocked');
    return false;
  }
  const isOurs = await store.updateAttempt(scope, attempt.id, ['queued'], {
    state: 'sent',
    sent_at: now,
  });
  if (!isOurs) throw new Error(`attempt ${attempt.id} was taken by somebody else`);
  await noteAction(scope, batch.actor, 'guide_requested', attempt.lineId, {
    attempt_id: attempt.id,
    reference: attempt.reference,
  });
  return true;
}

/** The carrier made it, or its listing shows that it had. */
export async function settleOk(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
  guide: Guide,
): Promise<void> {
  const line = await lockLine(scope, attempt.lineId);
  const isOpen = await store.updateAttempt(scope, attempt.id, ['sent', 'unknown'], {
    state: 'ok',
    ...guideValues(guide),
    error_code: null,
    error_message: null,
    settled_at: scope.clock.now().toString(),
  });
  if (!isOpen) return warnOfLateAnswer(scope, batch, attempt, guide);
  await documentLine(scope, line, attempt.carrier, guide);
  await store.noteOutcome(
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
  await tell(scope, 'guide.generated', line, attempt, { guide });
}

/** Nothing was made and nothing is to be paid. */
export async function settleFailed(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
  fault: Fault,
  outcome: 'failed' | 'blocked' = 'failed',
  raw: string | null = null,
): Promise<void> {
  const isOpen = await store.updateAttempt(scope, attempt.id, ['queued', 'sent', 'unknown'], {
    state: 'failed',
    error_code: fault.code,
    error_message: fault.message,
    raw,
    settled_at: scope.clock.now().toString(),
  });
  if (!isOpen) return;
  await store.noteOutcome(
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
  if (outcome === 'failed')
    await tell(scope, 'guide.failed', await lockLine(scope, attempt.lineId), attempt, { fault });
}

/** The answer was lost and the listing does not show the guide: a person must look. */
export async function leaveUnknown(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  attempt: Attempt,
): Promise<void> {
  const isOpen = await store.updateAttempt(scope, attempt.id, ['sent', 'unknown'], {
    state: 'unknown',
    error_code: LOST.code,
    error_message: LOST.message,
  });
  if (!isOpen) return;
  await store.noteOutcome(
    scope,
    { batchId: batch.id, lineId: attempt.lineId },
    'unknown',
    attempt.id,
    LOST,
  );
  await noteAction(scope, batch.actor, 'guide_unknown', attempt.lineId, { attempt_id: attempt.id });
  await raiseAlert(scope, {
    kind: 'guide_unknown',
    subject: attempt.id,
    message: `No se sabe si se generó la guía con referencia ${attempt.reference}. Búscala con la paquetería y resuelve el intento.`,
  });
}

/**
 * Something of ours went wrong in a line's turn: what may have been sent stays unknown, and the
 * rest failed.
 */
export async function giveUp(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor'>,
  lineId: string,
): Promise<void> {
  const attempt = await store.aliveAttempt(scope, lineId);
  const fault = {
    code: 'internal_error',
    message: 'Ocurrió un error de nuestro lado. No se pidió ninguna guía.',
  };
  if (attempt?.state === 'queued') return settleFailed(scope, batch, attempt, fault);
  if (attempt && attempt.state !== 'ok') return leaveUnknown(scope, batch, attempt);
  const turn = { batchId: batch.id, lineId };
  await store.noteOutcome(
    scope,
    turn,
    attempt ? 'already_generated' : 'failed',
    attempt?.id ?? null,
    attempt ? null : fault,
  );
}

export async function keepLabels(
  scope: WriteScope,
  attemptId: string,
  labels: GuideLabels,
): Promise<void> {
  const values = {
    ...(labels.zpl !== null && { zpl: labels.zpl }),
    ...(labels.pdfBase64 !== null && { pdf_base64: labels.pdfBase64 }),
  };
  if (Object.keys(values).length > 0) await store.updateAttempt(scope, attemptId, ['ok'], values);
}

/**
 * What a person found out about an attempt whose answer was lost: the number, or that there is no
 * guide.
 */
type Finding =
  | { readonly exists: true; readonly trackingNumber: string; readonly guideNumber: string | null }
  | { readonly exists: false };

/**
 * @throws Failure insufficient_role, not_found, attempt_already_settled, tracking_number_in_use,
 * invalid_request
 */
export async function settleByHand(
  scope: WriteScope,
  actor: Actor,
  attemptId: string,
  finding: Finding,
): Promise<Attempt> {
  requireWarehouse(actor);
  const attempt = await attemptById(scope, attemptId);
  const line = await lockLine(scope, attempt.lineId);
  const locked = await store.lockAttempt(scope, attemptId);
  if (locked?.state !== 'unknown') throw fail('attempt_already_settled');
  const now = scope.clock.now().toString();
  await resolveAlert(scope, 'guide_unknown', attemptId);
  if (finding.exists) {
    const tracking = readShape(filled(100), finding.trackingNumber, 'tracking_number');
    await requireFreeTracking(scope, tracking, line.id);
    const guide = {
      tracking,
      guide: finding.guideNumber,
      amount: null,
      availableBalance: null,
      raw: null,
    };
    await store.updateAttempt(scope, attemptId, ['unknown'], {
      state: 'ok',
      ...guideValues(guide),
      error_code: null,
      error_message: null,
      settled_at: now,
    });
    await documentLine(scope, line, attempt.carrier, guide);
    await tell(scope, 'guide.generated', line, attempt, { guide });
  } else {
    const fault = {
      code: 'confirmed_absent',
      message: 'Se confirmó con la paquetería que la guía no existe.',
    };
    const values = { error_code: fault.code, error_message: fault.message, settled_at: now };
    await store.updateAttempt(scope, attemptId, ['unknown'], { state: 'failed', ...values });
    await tell(scope, 'guide.failed', line, attempt, { fault });
  }
  await noteAction(scope, actor, 'settle_attempt', line.id, { attempt_id: attemptId, ...finding });
  return attemptById(scope, attemptId);
}

/** What may be cancelled: a guide of a line that did not leave preparation. @throws Failure */
export async function requireCancellable(
  scope: WriteScope,
  actor: Actor,
  attemptId: string,
): Promise<Attempt> {
  requireSupervisor(actor);
  const attempt = await attemptById(scope, attemptId);
  requireMove(await lockLine(scope, attempt.lineId), 'cancel_guide');
  if (attempt.state !== 'ok' || attempt.cancelledAt !== null || attempt.trackingNumber === null)
    throw fail('guide_not_cancellable', {
      message: 'Este intento no tiene una guía viva que cancelar.',
    });
  return attempt;
}

/** The carrier took the guide back: the line may have another one. */
export async function markGuideCancelled(
  scope: WriteScope,
  actor: Actor,
  attempt: Attempt,
): Promise<void> {
  const now = scope.clock.now().toString();
  const line = await lockLine(scope, attempt.lineId);
  await store.updateAttempt(scope, attempt.id, ['ok'], { cancelled_at: now });
  if (line.trackingNumber === attempt.trackingNumber)
    await updateLine(scope, line.id, {
      tracking_number: null,
      guide_number: null,
      tracking_source: null,
      carrier: null,
    });
  await settleUnwanted(scope, line.id);
  await noteAction(scope, actor, 'cancel_guide', line.id, {
    attempt_id: attempt.id,
    tracking_number: attempt.trackingNumber,
  });
}

/** @throws Failure not_found */
export async function attemptById(scope: ReadScope, id: string): Promise<Attempt> {
  const attempt = (await store.attemptsById(scope, [id])).get(id);
  if (!attempt)
    throw fail('not_found', { message: 'No existe un intento de guía con ese identificador.' });
  return attempt;
}

export function attemptsOf(scope: ReadScope, lineId: string): Promise<Attempt[]> {
  return store.attemptsOf(scope, lineId);
}

async function writeOrBlock(
  scope: WriteScope,
  line: Line,
  { overrides }: Pick<Batch, 'overrides'>,
  reference: string,
  account: GuideAccount,
) {
  if (!mayMove(line.state, 'generate_guide')) return blocked('transition_not_allowed', [], line);
  if (line.trackingSource === 'manual') return blocked('manual_tracking');
  const settings = await logisticsSettings(scope);
  const written = await writeRequest(scope, line, { settings, overrides, reference });
  return written.ok && 'fault' in account ? { ok: false as const, fault: account.fault } : written;
}

function newAttempt(
  line: Line,
  batchId: string,
  now: Instant,
): Omit<Attempt, 'carrier' | 'connectionId'> {
  const id = newId();
  return {
    id,
    lineId: line.id,
    batchId,
    // Short enough for a label; no other parcel has it.
    reference: `TG${id.replaceAll('-', '').slice(0, 14).toUpperCase()}`,
    state: 'queued',
    request: null,
    trackingNumber: null,
    guideNumber: null,
    amount: null,
    availableBalance: null,
    currency: CURRENCY,
    errorCode: null,
    errorMessage: null,
    zpl: null,
    pdfBase64: null,
    queuedAt: now,
    sentAt: null,
    settledAt: null,
    cancelledAt: null,
  };
}

function attemptRow({ id, lineId, batchId, reference, carrier, currency, queuedAt }: Attempt) {
  return {
    id,
    line_id: lineId,
    batch_id: batchId,
    reference,
    carrier,
    currency,
    queued_at: queuedAt.toString(),
  };
}

function guideValues({
  tracking,
  guide,
  amount,
  availableBalance,
  raw,
}: Guide): store.AttemptValues {
  return {
    tracking_number: tracking,
    guide_number: guide,
    amount,
    available_balance: availableBalance,
    ...(raw !== null && { raw }),
  };
}

async function documentLine(
  scope: WriteScope,
  line: Line,
  carrier: string,
  guide: Guide,
): Promise<void> {
  await updateLine(scope, line.id, {
    carrier,
    tracking_number: guide.tracking,
    guide_number: guide.guide,
    tracking_source: 'guide',
  });
  // Its order was cancelled while the carrier was being asked.
  if (line.state === 'cancelled')
    await warnOfUnwanted(scope, { ...line, trackingNumber: guide.tracking });
}

/**
 * A person had settled it when the answer came after all: there may be a guide that nobody will
 * use.
 */
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
    kind: 'guide_late_answer',
    subject: attempt.id,
    message: `La paquetería contestó tarde que sí generó la guía ${tracking}. Cancélala si no la vas a usar.`,
  });
}

async function tell(
  scope: WriteScope,
  type: 'guide.generated' | 'guide.failed',
  line: Line,
  attempt: Attempt,
  { guide, fault }: { guide?: Guide; fault?: Fault },
): Promise<void> {
  const amount = (value: string | null | undefined) => (value ? rawNumber(value) : null);
  const data = JSON.stringify({
    line_id: line.id,
    attempt_id: attempt.id,
    marketplace: line.marketplace,
    account_id: line.accountId,
    order_ids: line.orders.map(({ id }) => id),
    pack_id: line.packId,
    carrier: attempt.carrier,
    tracking: guide?.tracking ?? null,
    guide: guide?.guide ?? null,
    amount: amount(guide?.amount),
    currency: attempt.currency,
    available_balance: amount(guide?.availableBalance),
    error: fault ?? null,
  });
  await emit(scope, [{ type, at: scope.clock.now(), data }]);
}
