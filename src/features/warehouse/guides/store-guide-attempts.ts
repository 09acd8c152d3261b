import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import { openFrom, sealedColumn, sealFor } from '../../../platform/db/sealed-column.ts';
import type { Decimal } from '../../../platform/money.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Attempt, AttemptState } from './attempt-types.ts';

interface AttemptRow {
  readonly id: string;
  readonly line_id: string;
  readonly batch_id: string;
  readonly reference: string;
  readonly state: string;
  readonly carrier: string;
  readonly connection_id: string | null;
  readonly request: string | null;
  readonly request_box: Buffer | null;
  readonly tracking_number: string | null;
  readonly guide_number: string | null;
  readonly amount: Decimal | null;
  readonly available_balance: Decimal | null;
  readonly currency: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly zpl: string | null;
  readonly zpl_box: Buffer | null;
  readonly pdf_base64: string | null;
  readonly pdf_box: Buffer | null;
  readonly queued_at: Instant;
  readonly sent_at: Instant | null;
  readonly settled_at: Instant | null;
  readonly cancelled_at: Instant | null;
}

/** What changes during an attempt. The request and the labels have addresses: they are sealed. */
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
  readonly zpl?: string;
  readonly pdf_base64?: string;
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

const COLUMNS = `id, line_id, batch_id, reference, state, carrier, connection_id, request, request_box,
  tracking_number, guide_number, amount, available_balance, currency, error_code, error_message, zpl, zpl_box,
  pdf_base64, pdf_box, queued_at, sent_at, settled_at, cancelled_at`;

const REQUEST = sealedAs('request', 'request_box');
const ZPL = sealedAs('zpl', 'zpl_box');
const PDF = sealedAs('pdf_base64', 'pdf_box');
export const SEALED = [REQUEST, ZPL, PDF];

/** The condition of the index `guide_attempts_alive`. */
const ALIVE = "(state in ('queued', 'sent', 'unknown') or (state = 'ok' and cancelled_at is null))";

const ALIVE_OF = statement<AttemptRow>(
  'guide-attempts.alive-of',
  `select ${COLUMNS} from guide_attempts where organization_id = $1 and line_id = $2 and ${ALIVE}`,
);

const OPEN_OF = statement<{ line_id: string }>(
  'guide-attempts.open-of',
  `select open.line_id from (select distinct id from unnest($2::uuid[]) as id) as given
    cross join lateral (
      select line_id from guide_attempts
       where organization_id = $1 and line_id = given.id and ${ALIVE} and state <> 'ok'
       limit 1) as open`,
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
  `select attempt.* from (select distinct id from unnest($2::uuid[]) as id) as given
    cross join lateral (
      select ${COLUMNS} from guide_attempts
       where organization_id = $1 and id between given.id and given.id
       order by id limit 1) as attempt`,
);

const TAKEN = statement<{ reference: string }>(
  'guide-attempts.taken-references',
  'select reference from guide_attempts where organization_id = $1 and reference = any($2::text[])',
);

export async function takenReferences(
  scope: ReadScope,
  references: readonly string[],
): Promise<string[]> {
  const rows = await scope.prepared(TAKEN, [references]);
  return rows.map(({ reference }) => reference);
}

/** What a line is a parcel of: `order:…` or `pack:…`. */
export async function parcelOf(scope: ReadScope, id: string): Promise<string> {
  const query = scope.select('warehouse_lines').select('parcel').where('id', '=', id);
  return (await scope.first(query))?.parcel ?? '';
}

/**
 * The attempt that blocks another one: under way, unresolved, or a guide that was not cancelled.
 */
export async function aliveAttempt(scope: ReadScope, lineId: string): Promise<Attempt | null> {
  const [row] = await scope.prepared(ALIVE_OF, [lineId]);
  return row ? fromRow(scope, row) : null;
}

/** @returns those of these lines with an attempt that is under way or unresolved */
export async function linesWithOpenAttempts(
  scope: ReadScope,
  lineIds: readonly string[],
): Promise<string[]> {
  if (lineIds.length === 0) return [];
  const rows = await scope.prepared(OPEN_OF, [lineIds]);
  return rows.map(({ line_id }) => line_id);
}

export async function attemptsOf(scope: ReadScope, lineId: string): Promise<Attempt[]> {
  const rows = await scope.prepared(OF_LINE, [lineId]);
  return Promise.all(rows.map((row) => fromRow(scope, row)));
}

export async function lockAttempt(scope: WriteScope, id: string): Promise<Attempt | null> {
  const [row] = await scope.prepared(LOCK, [id]);
  return row ? fromRow(scope, row) : null;
}

export async function attemptsById(
  scope: ReadScope,
  ids: readonly string[],
): Promise<Map<string, Attempt>> {
  const rows = await scope.prepared(BY_IDS, [ids]);
  const read = rows.map(async (row) => [row.id, await fromRow(scope, row)] as const);
  return new Map(await Promise.all(read));
}

export async function insertAttempt(scope: WriteScope, values: NewAttempt): Promise<void> {
  const row = { ...values, ...(await sealedOf(scope, values.id, values)) };
  await scope.rows(scope.insert('guide_attempts', [row]));
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
    .set({ ...values, ...(await sealedOf(scope, id, values)) })
    .where('id', '=', id)
    .where('state', 'in', from);
  return (await scope.rows(query.returning('id'))).length === 1;
}

function sealedAs(clear: string, box: string) {
  return sealedColumn({ table: 'guide_attempts', keys: ['id'], clear: [clear], box, purpose: box });
}

/** The columns of the given texts: the one in clear is empty. */
async function sealedOf(
  scope: WriteScope,
  id: string,
  { request, zpl, pdf_base64: pdf }: AttemptValues,
) {
  const box = async (column: typeof REQUEST, text: string) =>
    sealFor(await scope.vault(), column, [id], text);
  return {
    ...(request !== undefined && { request: null, request_box: await box(REQUEST, request) }),
    ...(zpl !== undefined && { zpl: null, zpl_box: await box(ZPL, zpl) }),
    ...(pdf !== undefined && { pdf_base64: null, pdf_box: await box(PDF, pdf) }),
  };
}

async function fromRow(scope: ReadScope, row: AttemptRow): Promise<Attempt> {
  const [request, zpl, pdfBase64] = await Promise.all([
    openFrom(scope, REQUEST, [row.id], { box: row.request_box, clear: row.request }),
    openFrom(scope, ZPL, [row.id], { box: row.zpl_box, clear: row.zpl }),
    openFrom(scope, PDF, [row.id], { box: row.pdf_box, clear: row.pdf_base64 }),
  ]);
  return {
    id: row.id,
    lineId: row.line_id,
    batchId: row.batch_id,
    reference: row.reference,
    state: row.state as AttemptState,
    carrier: row.carrier,
    connectionId: row.connection_id,
    request: request === null ? null : JSON.parse(request),
    trackingNumber: row.tracking_number,
    guideNumber: row.guide_number,
    amount: row.amount,
    availableBalance: row.available_balance,
    currency: row.currency,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    zpl,
    pdfBase64,
    queuedAt: row.queued_at,
    sentAt: row.sent_at,
    settledAt: row.settled_at,
    cancelledAt: row.cancelled_at,
  };
}
