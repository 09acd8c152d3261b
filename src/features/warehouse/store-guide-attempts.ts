import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
import type { Attempt, AttemptState } from './guide-attempt.ts';

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

/** The columns that change during an attempt. */
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

interface NewAttempt extends AttemptValues {
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

const COLUMNS = `id, line_id, batch_id, reference, state, carrier, connection_id, request, tracking_number,
  guide_number, amount, available_balance, currency, error_code, error_message, zpl, pdf_base64, queued_at, sent_at,
  settled_at, cancelled_at`;

/** The condition of the index `guide_attempts_alive`. */
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

/**
 * The attempt that blocks another one: under way, unresolved, or a guide that was not cancelled.
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
