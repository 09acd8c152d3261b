import type { FoundGuide, GuideRequest } from '../../../carriers/contract.ts';
import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import type { Instant } from '../../../platform/time.ts';
import { noteAction } from '../actions.ts';
import { lockLine } from '../lines/change-line.ts';
import { type Line, mayMove } from '../lines/line.ts';
import { logisticsSettings } from '../settings.ts';
import type { Attempt, Fault, GuideAccount } from './attempt-types.ts';
import type { Batch } from './batches.ts';
import { nameGuideOf } from './guide-effects.ts';
import { type Obstacle, obstacleOf } from './guide-obstacle.ts';
import { nextReferences } from './guide-references.ts';
import { type Blocked, writeRequest } from './guide-request.ts';
import * as attemptStore from './store-guide-attempts.ts';
import * as batchStore from './store-guide-batches.ts';

/** How a line's turn begins. `done`: its outcome is stored. */
type Begun =
  | { readonly kind: 'done' }
  | { readonly kind: 'look up'; readonly attempt: Attempt }
  | { readonly kind: 'send'; readonly attempt: Attempt; readonly request: GuideRequest };

const CURRENCY = 'MXN';

/**
 * Begins a line's turn in a batch. The caller holds the line's lock, so a `sent` attempt was left
 * by a crashed worker: it becomes `unknown`. A `queued` one was never sent, and is resumed.
 */
export async function beginAttempt(
  scope: WriteScope,
  batch: Pick<Batch, 'id' | 'actor' | 'overrides'>,
  lineId: string,
  account: GuideAccount,
): Promise<Begun> {
  // Before the line: a transaction that writes it and makes the key would wait for this one.
  await scope.vault();
  const line = await lockLine(scope, lineId);
  const batchLine = { batchId: batch.id, lineId };
  // Another job of this batch may have finished this line meanwhile.
  if ((await batchStore.outcomeOf(scope, batchLine)) !== null) return { kind: 'done' };
  const alive = await attemptStore.aliveAttempt(scope, lineId);
  if (alive?.state === 'ok') {
    await batchStore.noteOutcome(scope, batchLine, 'already_generated', alive.id, null);
    return { kind: 'done' };
  }
  if (alive?.state === 'sent')
    await attemptStore.updateAttempt(scope, alive.id, ['sent'], { state: 'unknown' });
  if (alive && alive.state !== 'queued')
    return { kind: 'look up', attempt: { ...alive, state: 'unknown' } };

  const settings = await logisticsSettings(scope);
  const connectionId = 'obstacle' in account ? null : account.connectionId;
  const { carrier } = settings;
  const attempt = {
    ...(alive ?? (await newAttempt(scope, line, batch.id))),
    carrier,
    connectionId,
  };
  const written = await requestOf(scope, line, batch, attempt.reference, account);
  const values = {
    state: written.ok ? ('queued' as const) : ('failed' as const),
    carrier,
    connection_id: connectionId,
    ...(written.ok
      ? { request: JSON.stringify(written.request) }
      : faultValues(written.obstacles[0], scope.clock.now())),
  };
  if (alive) await attemptStore.updateAttempt(scope, alive.id, ['queued'], values);
  else await attemptStore.insertAttempt(scope, { ...attemptRow(attempt), ...values });
  if (written.ok) return { kind: 'send', attempt, request: written.request };
  const [obstacle] = written.obstacles;
  await batchStore.noteOutcome(scope, batchLine, 'blocked', attempt.id, obstacle);
  await noteAction(scope, batch.actor, 'guide_blocked', lineId, {
    attempt_id: attempt.id,
    code: obstacle.code,
  });
  return { kind: 'done' };
}

function faultValues({ code, message }: Fault, now: Instant) {
  return { error_code: code, error_message: message, settled_at: now.toString() };
}

/** The request for a line's guide, or why a batch sends none. */
export async function requestOf(
  scope: ReadScope,
  line: Line,
  { overrides }: Pick<Batch, 'overrides'>,
  reference: string,
  account: GuideAccount,
) {
  if (!mayMove(line.state, 'generate_guide'))
    return blocked(obstacleOf('transition_not_allowed', [], line));
  if (line.trackingSource === 'manual') return blocked(obstacleOf('manual_tracking'));
  const settings = await logisticsSettings(scope);
  const written = await writeRequest(scope, line, { settings, overrides, reference });
  if (!('obstacle' in account)) return written;
  const [first, ...others] = written.ok ? [] : written.obstacles;
  const last: Obstacle = { ...account.obstacle, articles: [] };
  return first ? blocked(first, ...others, last) : blocked(last);
}

function blocked(...obstacles: Blocked['obstacles']): Blocked {
  return { ok: false, obstacles };
}

/**
 * Records an attempt that a restored backup does not have: one whose guide is valid is looked up by
 * this batch, one whose guide was cancelled is over.
 * @param since the instant of the backup
 */
export async function recallAttempt(
  scope: WriteScope,
  batchId: string,
  line: Line,
  { reference, connectionId, since, guide }: LostAttempt,
): Promise<void> {
  const { carrier } = await logisticsSettings(scope);
  const attempt = { ...(await newAttempt(scope, line, batchId)), reference, queuedAt: since };
  const row = attemptRow({ ...attempt, carrier, connectionId });
  // The backup does not have the names of its guide either.
  await nameGuideOf(scope, line, reference);
  await attemptStore.insertAttempt(scope, {
    ...row,
    connection_id: connectionId,
    ...(guide.isCancelled ? cancelledValues(guide, scope.clock.now()) : { state: 'unknown' }),
  });
}

interface LostAttempt {
  readonly reference: string;
  readonly connectionId: string;
  readonly since: Instant;
  readonly guide: FoundGuide;
}

/** The carrier does not say when it was cancelled. */
function cancelledValues({ tracking, guide, amount }: FoundGuide, now: Instant) {
  return {
    state: 'ok' as const,
    tracking_number: tracking,
    guide_number: guide,
    amount,
    settled_at: now.toString(),
    cancelled_at: now.toString(),
  };
}

async function newAttempt(
  scope: ReadScope,
  line: Line,
  batchId: string,
): Promise<Omit<Attempt, 'carrier' | 'connectionId'>> {
  const [reference] = await nextReferences(scope, line, 1);
  return {
    id: newId(),
    lineId: line.id,
    batchId,
    reference,
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
    queuedAt: scope.clock.now(),
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
