import type { GuideDefaults } from '../../../carriers/contract.ts';
import type { Handle, ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { fail, invalid } from '../../../platform/failure.ts';
import { isId, newId, sha256 } from '../../../platform/ids.ts';
import { add, type Decimal } from '../../../platform/money.ts';
import type { Instant } from '../../../platform/time.ts';
import { mustBeAbleTo } from '../../people/index.ts';
import { noteInTrail } from '../actions.ts';
import type { Actor } from '../actor.ts';
import { readShape, requiredText } from '../address.ts';
import { noSuchLine } from '../lines/list-lines.ts';
import { linesById } from '../lines/store-lines.ts';
import { readOverrides } from '../settings.ts';
import type { BatchLine, Outcome } from './attempt-types.ts';
import * as attemptStore from './store-guide-attempts.ts';
import * as batchStore from './store-guide-batches.ts';

export interface BatchRequest {
  readonly lineIds: readonly string[];
  /** Fields of the layout that differ for these lines; checked here. */
  readonly overrides: unknown;
  /** The account at the carrier, by its own id; absent = that of the settings. */
  readonly accountId?: string | null;
  /** Given by the caller: requests with the same key are one request. */
  readonly idempotencyKey: string;
}

/** A request for guides of some lines, with the outcome of each. */
export interface Batch {
  readonly id: string;
  readonly actor: Actor;
  readonly requestedAt: Instant;
  readonly overrides: Partial<GuideDefaults>;
  /** The requested account at the carrier; null = that of the settings. */
  readonly accountId: string | null;
  readonly isFinished: boolean;
  readonly lines: readonly BatchLine[];
}

/** A batch in a list. */
interface RecentBatch {
  readonly id: string;
  readonly actor: Actor;
  readonly requestedAt: Instant;
  readonly isFinished: boolean;
  /** Lines. */
  readonly total: number;
  /** Guides that it made. */
  readonly made: number;
  /** Lines that had a guide before their turn. */
  readonly had: number;
  readonly unknown: number;
}

type Summary = Readonly<Record<Outcome | 'total' | 'pending', number>>;

export const MOST_BATCH_LINES = 50;
const MOST_RECENT = 20;
const ASKED_HOURS = 24;
/** As long as its job may have been held up. */
const RESUMED_DAYS = 30;

/**
 * Stores a request for guides; the same key again returns the same batch.
 * @throws Failure insufficient_role, invalid_request, not_found, idempotency_key_reused
 */
export async function acceptBatch(
  scope: WriteScope,
  actor: Actor,
  { lineIds, overrides: typed, accountId: typedAccount = null, idempotencyKey }: BatchRequest,
): Promise<{ batchId: string; isFinished: boolean; isNew: boolean }> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  const key = readShape(requiredText(200), idempotencyKey, 'idempotency_key');
  const overrides = readOverrides(typed);
  const accountId =
    typedAccount === null ? null : readShape(requiredText(200), typedAccount, 'account_id');
  requireBatchSize(lineIds);
  if (!lineIds.every(isId) || (await linesById(scope, lineIds)).length < lineIds.length)
    throw noSuchLine();
  const asked = [
    lineIds,
    Object.entries(overrides).sort(),
    ...(accountId === null ? [] : [accountId]),
  ];
  const fingerprint = await fingerprintOf(scope, JSON.stringify(asked));
  const former = sha256(JSON.stringify(asked));
  const batch = {
    id: newId(),
    idempotencyKey: key,
    fingerprint,
    overrides: JSON.stringify(overrides),
    accountId,
    actor,
    lineIds,
  };
  if (await batchStore.insertBatch(scope, batch, scope.clock.now())) {
    await noteInTrail(scope, actor, 'guides_requested', String(lineIds.length));
    return { batchId: batch.id, isFinished: false, isNew: true };
  }
  const known = await batchStore.batchByKey(scope, key);
  if (!known || ![fingerprint, former].includes(known.fingerprint))
    throw fail('idempotency_key_reused');
  return { batchId: known.id, isFinished: known.finished_at !== null, isNew: false };
}

/** Keyed: a tax id is short enough to be guessed from a plain hash, as a former version stored. */
async function fingerprintOf(scope: WriteScope, asked: string): Promise<string> {
  const vault = await scope.vault();
  return vault.digest(['guide_batches', 'fingerprint'], Buffer.from(asked)).toString('hex');
}

/** @throws Failure invalid_request */
export function requireBatchSize(lineIds: readonly string[]): void {
  if (
    lineIds.length < 1 ||
    lineIds.length > MOST_BATCH_LINES ||
    new Set(lineIds).size < lineIds.length
  )
    throw invalid('line_ids', `Indica de 1 a ${MOST_BATCH_LINES} líneas, cada una una sola vez.`);
}

/** @throws Failure not_found */
export async function batchById(scope: ReadScope, id: string): Promise<Batch> {
  const row = await batchStore.batchById(scope, id);
  if (!row)
    throw fail('not_found', { message: 'No existe un trabajo de guías con ese identificador.' });
  const lines = await batchStore.batchLines(scope, id);
  const attempts = await attemptStore.attemptsById(
    scope,
    lines.map(({ attempt_id }) => attempt_id).filter((attempt) => attempt !== null),
  );
  return {
    id,
    actor: batchStore.actorOf(row),
    requestedAt: row.requested_at,
    overrides: JSON.parse(await batchStore.overridesOf(scope, row)),
    accountId: row.account_id,
    isFinished: row.finished_at !== null,
    lines: lines.map((line) => ({
      lineId: line.line_id,
      outcome: line.outcome,
      errorCode: line.error_code,
      errorMessage: line.error_message,
      attempt: attempts.get(line.attempt_id ?? '') ?? null,
    })),
  };
}

/** The last ones of the organisation, the newest first. */
export async function recentBatches(scope: ReadScope): Promise<RecentBatch[]> {
  const rows = await batchStore.recentBatches(scope, MOST_RECENT);
  return rows.map((row) => ({
    id: row.id,
    actor: batchStore.actorOf(row),
    requestedAt: row.requested_at,
    isFinished: row.finished_at !== null,
    total: row.total,
    made: row.made,
    had: row.had,
    unknown: row.unknown,
  }));
}

/** Batches of all organisations that were not processed. */
export function unfinishedBatches(handle: Handle, now: Instant) {
  return batchStore.unfinishedBatches(handle, now.subtract({ hours: 24 * RESUMED_DAYS }));
}

/** After a day a batch asks for no guide: its parcels may have gone by other ways. */
export function isOverdue({ requestedAt }: Pick<Batch, 'requestedAt'>, now: Instant): boolean {
  return Temporal.Instant.compare(requestedAt, now.subtract({ hours: ASKED_HOURS })) < 0;
}

export async function finishBatch(scope: WriteScope, id: string): Promise<void> {
  await batchStore.finishBatch(scope, id, scope.clock.now());
}

/** What the new guides of a batch cost, by currency, as far as the carrier said it. */
export function costsOf({ lines }: Batch): {
  made: number;
  known: number;
  sums: { currency: string; amount: Decimal }[];
} {
  const made = lines.flatMap(({ outcome, attempt }) =>
    outcome === 'generated' && attempt ? [attempt] : [],
  );
  const known = made.flatMap(({ currency, amount }) =>
    amount === null ? [] : { currency, amount },
  );
  const sums = [...Map.groupBy(known, ({ currency }) => currency)].map(([currency, some]) => ({
    currency,
    amount: add(...some.map(({ amount }) => amount)),
  }));
  return { made: made.length, known: known.length, sums };
}

export function summaryOf({ lines }: Batch): Summary {
  const count = (outcome: Outcome | null) =>
    lines.filter((line) => line.outcome === outcome).length;
  return {
    total: lines.length,
    pending: count(null),
    generated: count('generated'),
    already_generated: count('already_generated'),
    blocked: count('blocked'),
    failed: count('failed'),
    unknown: count('unknown'),
  };
}
