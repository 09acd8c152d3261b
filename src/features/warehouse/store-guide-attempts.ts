import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Actor, Role } from './actor.ts';
import type { Attempt, AttemptState, Fault, Outcome } from './guide-attempt.ts';

interface AttemptRow {
  readonly id: string;
  readonly line_id: string;
  readonly batch_id: string;
  readonly reference: string;
  readonly state: string;
  readonly carrier: string;
  readonly connection_id: string | null;
  readonly request: string | null;
  readonly tracking_number: string | null;
  readonly guide_number: string | null;
  readonly amount: Decimal | null;
  readonly available_balance: Decimal | null;
  readonly currency: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly zpl: string | null;
  readonly pdf_base64: string | null;
  readonly queued_at: Instant;
  readonly sent_at: Instant | null;
  readonly settled_at: Instant | null;
  readonly cancelled_at: Instant | null;
}

/** What changes in an attempt's life. */
export interface AttemptValues {
  readonly state?: AttemptState;
  readonly carrier?: string;
  readonly connection_id?: string | null;
  readonly request?: string;
  readonly tracking_number?: string;
  readonly guide_number?: string | null;
  readonly amount?: string | null;
  readonly available_balance?: string | null;
  readonly error_code?: string | null;
  readonly error_message?: string | null;
  readonly zpl?: string | null;
  readonly pdf_base64?: string | null;
  readonly raw?: string | null;
  readonly sent_at?: string;
  readonly settled_at?: string;
  readonly cancelled_at?: string;
}

export interface NewAttempt extends AttemptValues {
  readonly id: string;
  readonly line_id: string;
  readonly batch_id: string;
  readonly reference: string;
  readonly state: AttemptState;
  readonly carrier: string;
  readonly connection_id: string | null;
  readonly currency: string;
  readonly queued_at: string;
}

export interface BatchRow {
  readonly id: string;
  readonly fingerprint: string;
  readonly overrides: string;
  readonly account_id: string | null;
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string;
  readonly actor_role: Role;
  readonly requested_at: Instant;
  readonly finished_at: Instant | null;
}

export interface BatchLineRow {
  readonly line_id: string;
  readonly outcome: Outcome | null;
  readonly attempt_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

const COLUMNS = `id, line_id, batch_id, reference, state, carrier, connection_id, request, tracking_number,
  guide_number, amount, available_balance, currency, error_code, error_message, zpl, pdf_base64, queued_at, sent_at,
  settled_at, cancelled_at`;

/** As the index `guide_attempts_alive` says it. */
const ALIVE = "(state in ('queued', 'sent', 'unknown') or (state = 'ok' and cancelled_at is null))";

const ALIVE_OF = statement<AttemptRow>(
  'guide-attempts.alive-of',
  `select ${COLUMNS} from guide_attempts where organization_id = $1 and line_id = $2 and ${ALIVE}`,
);

const OF_LINE = statement<AttemptRow>(
  'guide-attempts.of-line',
  `select ${COLUMNS} from guide_attempts where organization_id = $1 and line_id = $2 order by seq`,
);

const LOCK = statement<AttemptRow>(
  'guide-attempts.lock',
  `select ${COLUMNS} from guide_attempts where organization_id = $1 and id = $2 for update`,
);

const BY_IDS = statement<AttemptRow>(
  'guide-attempts.by-ids',
  `select ${COLUMNS} from guide_attempts where organization_id = $1 and id = any($2::uuid[])`,
);

const BATCH_COLUMNS = `id, fingerprint, overrides, account_id, actor_kind, actor_id, actor_role, requested_at, finished_at`;

const INSERT_BATCH = statement<{ id: string }>(
  'guide-batches.insert',
  `insert into guide_batches (organization_id, id, idempotency_key, fingerprint, overrides, account_id,
                              actor_kind, actor_id, actor_role, requested_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (organization_id, idempotency_key) do nothing returning id`,
);

const INSERT_BATCH_LINES = statement<object>(
  'guide-batches.insert-lines',
  `insert into guide_batch_lines (organization_id, batch_id, position, line_id)
   select $1, $2::uuid, given.position, given.line_id
     from unnest($3::uuid[]) with ordinality as given (line_id, position)`,
);

const BATCH_BY_KEY = statement<BatchRow>(
  'guide-batches.by-key',
  `select ${BATCH_COLUMNS} from guide_batches where organization_id = $1 and idempotency_key = $2`,
);

const BATCH_BY_ID = statement<BatchRow>(
  'guide-batches.by-id',
  `select ${BATCH_COLUMNS} from guide_batches where organization_id = $1 and id = $2`,
);

const BATCH_LINES = statement<BatchLineRow>(
  'guide-batches.lines',
  `select line_id, outcome, attempt_id, error_code, error_message from guide_batch_lines
    where organization_id = $1 and batch_id = $2 order by position`,
);

/** Of the lines of a batch, only those that have none yet: an outcome that was told stands. */
const NOTE_OUTCOME = statement<object>(
  'guide-batches.note-outcome',
  `update guide_batch_lines set outcome = $4, attempt_id = $5, error_code = $6, error_message = $7
    where organization_id = $1 and batch_id = $2 and line_id = $3 and outcome is null`,
);

const OUTCOME_OF = statement<{ outcome: Outcome | null }>(
  'guide-batches.outcome-of',
  `select outcome from guide_batch_lines where organization_id = $1 and batch_id = $2 and line_id = $3`,
);

const FINISH_BATCH = statement<object>(
  'guide-batches.finish',
  'update guide_batches set finished_at = $3 where organization_id = $1 and id = $2 and finished_at is null',
);

/**
 * The attempt that stands in the way of another one: under way, unresolved, or a guide that was not
 * cancelled.
 */
export async function aliveAttempt(scope: ReadScope, lineId: string): Promise<Attempt | null> {
  const [row] = await scope.prepared(ALIVE_OF, [lineId]);
  return row ? fromRow(row) : null;
}

export async function attemptsOf(scope: ReadScope, lineId: string): Promise<Attempt[]> {
  return (await scope.prepared(OF_LINE, [lineId])).map(fromRow);
}

export async function lockAttempt(scope: WriteScope, id: string): Promise<Attempt | null> {
  const [row] = await scope.prepared(LOCK, [id]);
  return row ? fromRow(row) : null;
}

export async function attemptsById(
  scope: ReadScope,
  ids: readonly string[],
): Promise<Map<string, Attempt>> {
  const rows = await scope.prepared(BY_IDS, [ids]);
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

export async function insertAttempt(scope: WriteScope, values: NewAttempt): Promise<void> {
  await scope.rows(scope.insert('guide_attempts', [values]));
}

/** @returns whether it was in one of these states until now */
export async function updateAttempt(
  scope: WriteScope,
  id: string,
  from: readonly AttemptState[],
  values: AttemptValues,
): Promise<boolean> {
  const query = scope
    .update('guide_attempts')
    .set(values)
    .where('id', '=', id)
    .where('state', 'in', from);
  return (await scope.rows(query.returning('id'))).length === 1;
}

/** @returns false when there is one with this key already */
export async function insertBatch(
  scope: WriteScope,
  batch: {
    readonly id: string;
    readonly idempotencyKey: string;
    readonly fingerprint: string;
    readonly overrides: string;
    readonly accountId: string | null;
    readonly actor: Actor;
    readonly lineIds: readonly string[];
  },
  at: Instant,
): Promise<boolean> {
  const { id, idempotencyKey, fingerprint, overrides, accountId, actor, lineIds } = batch;
  const values = [
    id,
    idempotencyKey,
    fingerprint,
    overrides,
    accountId,
    actor.kind,
    actor.id,
    actor.role,
    at.toString(),
  ];
  const made = await scope.prepared(INSERT_BATCH, values);
  if (made.length === 0) return false;
  await scope.prepared(INSERT_BATCH_LINES, [id, lineIds]);
  return true;
}

export async function batchByKey(scope: ReadScope, key: string): Promise<BatchRow | null> {
  return (await scope.prepared(BATCH_BY_KEY, [key]))[0] ?? null;
}

export async function batchById(scope: ReadScope, id: string): Promise<BatchRow | null> {
  return (await scope.prepared(BATCH_BY_ID, [id]))[0] ?? null;
}

export function batchLines(scope: ReadScope, id: string): Promise<BatchLineRow[]> {
  return scope.prepared(BATCH_LINES, [id]);
}

export async function noteOutcome(
  scope: WriteScope,
  { batchId, lineId }: { batchId: string; lineId: string },
  outcome: Outcome,
  attemptId: string | null,
  fault: Fault | null,
): Promise<void> {
  await scope.prepared(NOTE_OUTCOME, [
    batchId,
    lineId,
    outcome,
    attemptId,
    fault?.code ?? null,
    fault?.message ?? null,
  ]);
}

/** Null = the line's turn is not over. */
export async function outcomeOf(
  scope: ReadScope,
  { batchId, lineId }: { batchId: string; lineId: string },
): Promise<Outcome | null> {
  const [row] = await scope.prepared(OUTCOME_OF, [batchId, lineId]);
  return row?.outcome ?? null;
}

export async function finishBatch(scope: WriteScope, id: string, at: Instant): Promise<void> {
  await scope.prepared(FINISH_BATCH, [id, at.toString()]);
}

function fromRow(row: AttemptRow): Attempt {
  return {
    id: row.id,
    lineId: row.line_id,
    batchId: row.batch_id,
    reference: row.reference,
    state: row.state as AttemptState,
    carrier: row.carrier,
    connectionId: row.connection_id,
    request: row.request === null ? null : JSON.parse(row.request),
    trackingNumber: row.tracking_number,
    guideNumber: row.guide_number,
    amount: row.amount,
    availableBalance: row.available_balance,
    currency: row.currency,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    zpl: row.zpl,
    pdfBase64: row.pdf_base64,
    queuedAt: row.queued_at,
    sentAt: row.sent_at,
    settledAt: row.settled_at,
    cancelledAt: row.cancelled_at,
  };
}
