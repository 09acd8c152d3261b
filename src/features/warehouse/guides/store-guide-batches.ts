import { bulk } from '../../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { search, statement } from '../../../platform/db/query.ts';
import { openFrom, sealedColumn, sealFor } from '../../../platform/db/sealed-column.ts';
import { SealError } from '../../../platform/seal.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Role } from '../../people/index.ts';
import type { Actor } from '../actor.ts';
import type { Fault, Outcome } from './attempt-types.ts';

interface ActorRow {
  readonly actor_kind: Actor['kind'];
  readonly actor_id: string;
  readonly actor_role: Role;
}

interface BatchRow extends ActorRow {
  readonly id: string;
  readonly fingerprint: string;
  /** JSON of a former version, in clear. */
  readonly overrides: string | null;
  readonly overrides_box: Buffer | null;
  readonly account_id: string | null;
  readonly requested_at: Instant;
  readonly finished_at: Instant | null;
}

interface BatchLineRow {
  readonly line_id: string;
  readonly outcome: Outcome | null;
  readonly attempt_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

const BATCH_COLUMNS = `id, fingerprint, overrides, overrides_box, account_id, actor_kind, actor_id, actor_role,
  requested_at, finished_at`;

/** May name the tax id of a buyer. */
export const OVERRIDES = sealedColumn({
  table: 'guide_batches',
  keys: ['id'],
  clear: ['overrides'],
  box: 'overrides_box',
  purpose: 'overrides',
});

const INSERT_BATCH = statement<{ id: string }>(
  'guide-batches.insert',
  `insert into guide_batches (organization_id, id, idempotency_key, fingerprint, overrides_box, account_id,
                              actor_kind, actor_id, actor_role, requested_at)
   values ($1, $2, $3, $4, $5::bytea, $6, $7, $8, $9, $10)
   on conflict (organization_id, idempotency_key) do nothing returning id`,
);

const LINES = bulk('guide_batch_lines', ['position', 'line_id']);

const INSERT_BATCH_LINES = LINES.statement(
  'guide-batches.insert-lines',
  (given) => `insert into guide_batch_lines (organization_id, batch_id, ${LINES.names})
   select $1, $2::uuid, * from ${given}`,
);

const BATCH_BY_KEY = statement<BatchRow>(
  'guide-batches.by-key',
  `select ${BATCH_COLUMNS} from guide_batches where organization_id = $1 and idempotency_key = $2`,
);

const BATCH_BY_ID = statement<BatchRow>(
  'guide-batches.by-id',
  `select ${BATCH_COLUMNS} from guide_batches where organization_id = $1 and id = $2`,
);

interface RecentRow extends ActorRow {
  readonly id: string;
  readonly requested_at: Instant;
  readonly finished_at: Instant | null;
  readonly total: number;
  /** Guides that it made. */
  readonly made: number;
  /** Lines that had a guide before their turn. */
  readonly had: number;
  readonly unknown: number;
}

const RECENT_BATCHES = statement<RecentRow>(
  'guide-batches.recent',
  `select batches.id, batches.requested_at, batches.finished_at, batches.actor_kind, batches.actor_id,
          batches.actor_role, lines.total, lines.made, lines.had, lines.unknown
     from (select * from guide_batches where organization_id = $1
            order by requested_at desc limit $2) batches
    cross join lateral (
      select count(*)::int as total,
             (count(*) filter (where outcome = 'generated'))::int as made,
             (count(*) filter (where outcome = 'already_generated'))::int as had,
             (count(*) filter (where outcome = 'unknown'))::int as unknown
        from guide_batch_lines where organization_id = $1 and batch_id = batches.id) lines
    order by batches.requested_at desc, batches.id`,
);

const BATCH_LINES = statement<BatchLineRow>(
  'guide-batches.lines',
  `select line_id, outcome, attempt_id, error_code, error_message from guide_batch_lines
    where organization_id = $1 and batch_id = $2 order by position`,
);

/** Only lines of the batch without an outcome: a reported outcome never changes. */
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

/** Of all organisations, by the index of the time. */
const UNFINISHED = search<{ organization_id: string; id: string }>(
  'guide-batches.unfinished',
  () => `select organization_id, id from guide_batches
    where finished_at is null and requested_at > $1::timestamptz`,
);

export async function unfinishedBatches(
  handle: Handle,
  since: Instant,
): Promise<{ organizationId: string; batchId: string }[]> {
  const rows = await handle.search(UNFINISHED, [since.toString()]);
  return rows.map((row) => ({ organizationId: row.organization_id, batchId: row.id }));
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
    await sealFor(await scope.vault(), OVERRIDES, [id], overrides),
    accountId,
    actor.kind,
    actor.id,
    actor.role,
    at.toString(),
  ];
  const made = await scope.prepared(INSERT_BATCH, values);
  if (made.length === 0) return false;
  const lines = lineIds.map((line_id, at) => ({ position: at + 1, line_id }));
  await scope.prepared(INSERT_BATCH_LINES, INSERT_BATCH_LINES.values([id], lines));
  return true;
}

export async function batchByKey(scope: ReadScope, key: string): Promise<BatchRow | null> {
  return (await scope.prepared(BATCH_BY_KEY, [key]))[0] ?? null;
}

export async function batchById(scope: ReadScope, id: string): Promise<BatchRow | null> {
  return (await scope.prepared(BATCH_BY_ID, [id]))[0] ?? null;
}

/** The newest first. */
export function recentBatches(scope: ReadScope, most: number): Promise<RecentRow[]> {
  return scope.prepared(RECENT_BATCHES, [most]);
}

export function actorOf({ actor_kind: kind, actor_id: id, actor_role: role }: ActorRow): Actor {
  return { kind, id, role };
}

/** @throws SealError where they do not open: a guide without them would be another one */
export async function overridesOf(scope: ReadScope, row: BatchRow): Promise<string> {
  const { id, overrides: clear, overrides_box: box } = row;
  const text = await openFrom(scope, OVERRIDES, [id], { box, clear });
  if (text === null) throw new SealError(`the overrides of the batch ${id} do not open`);
  return text;
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
