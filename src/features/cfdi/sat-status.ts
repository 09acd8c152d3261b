import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import type { ListenersOf } from '../orders/index.ts';
import { announceCancelled } from './cfdi-events.ts';
import { openRecord } from './cfdis.ts';
import type { SatStatus } from './kinds.ts';
import { annotateOrdersOf } from './relate-cfdis.ts';
import * as store from './store-status.ts';

/** What the SAT is asked of a CFDI. */
export interface SatQuestion {
  readonly uuid: string;
  /** The text that the service takes. */
  readonly expression: string;
  readonly status: SatStatus;
  readonly issuedAt: Instant;
  readonly recordedAt: Instant;
  /** A first import brought it. */
  readonly isBackfill: boolean;
}

/** What it answers; `null` = it does not find the CFDI, which is usual for hours after stamping. */
export type SatAnswer = 'vigente' | 'cancelado' | null;

/** Young invoices are cancelled more often than old ones. */
const YOUNG_DAYS = 40;
const ASKED_FOR_DAYS = 730;
const NOT_FOUND_HOURS = 72;
const NOT_FOUND_DAYS = 30;

export function organizationsToAsk(handle: Handle, now: Instant): Promise<string[]> {
  return store.organizations(handle, now);
}

/** CFDI whose status is to be asked for now, the longest due first. */
export async function dueForSat(scope: ReadScope, limit: number): Promise<SatQuestion[]> {
  const rows = await store.due(scope, limit);
  const vault = await scope.vault();
  return rows.flatMap(({ uuid, status, record_box, ...row }) => {
    const record = openRecord(vault, uuid, record_box);
    if (record.kind !== 'cfdi') return [];
    const { issuer_rfc, receiver_rfc, total, seal_end } = record;
    const rfcs = `re=${inExpression(issuer_rfc)}&rr=${inExpression(receiver_rfc)}`;
    const expression = `?id=${uuid}&${rfcs}&tt=${total}&fe=${seal_end ?? ''}`;
    const { issued_at: issuedAt, recorded_at: recordedAt, is_backfill: isBackfill } = row;
    return [{ uuid, expression, status, issuedAt, recordedAt, isBackfill }];
  });
}

/**
 * An RFC may have an ampersand, which the expression has as in XML (`formatRfc` of
 * https://github.com/phpcfdi/cfdi-expresiones).
 */
function inExpression(rfc: string): string {
  return rfc.replaceAll('&', '&amp;');
}

/**
 * Notes what the SAT answered, updates the orders and emits an event for each cancellation; the
 * first status of what a first import brought is no news.
 * @returns how many CFDI have another status now
 */
export async function noteSatAnswers(
  scope: WriteScope,
  answers: readonly { readonly question: SatQuestion; readonly answer: SatAnswer }[],
  listenersOf: ListenersOf,
): Promise<number> {
  const now = scope.clock.now();
  const rows = answers.map(({ question, answer }) => ({
    uuid: question.uuid,
    // One that was found before stays what it was.
    status: answer ?? question.status,
    ask_at: askAgainAt(now, question, answer)?.toString() ?? null,
  }));
  const changed = new Set(await store.note(scope, rows));
  const asked = answers.map(({ question }) => question).filter(({ uuid }) => changed.has(uuid));
  for (const [isBackfill, questions] of Map.groupBy(asked, isFirstOfBackfill)) {
    const uuids = questions.map(({ uuid }) => uuid);
    await annotateOrdersOf(scope, uuids, listenersOf(isBackfill));
    if (!isBackfill) await announceCancelled(scope, uuids);
  }
  return changed.size;
}

function isFirstOfBackfill({ isBackfill, status }: SatQuestion): boolean {
  return isBackfill && status === 'desconocido';
}

/** Puts questions without an answer behind all others that are due. */
export async function postponeSatQuestions(
  scope: WriteScope,
  questions: readonly SatQuestion[],
): Promise<void> {
  if (questions.length === 0) return;
  await store.postpone(
    scope,
    questions.map(({ uuid }) => uuid),
  );
}

/** Null = never. */
function askAgainAt(now: Instant, question: SatQuestion, answer: SatAnswer): Instant | null {
  const { issuedAt, recordedAt } = question;
  const isWithin = (from: Instant, hours: number) =>
    Temporal.Instant.compare(from.add({ hours }), now) > 0;
  if (answer === 'cancelado') return null;
  if (answer === null) {
    if (isWithin(recordedAt, NOT_FOUND_HOURS)) return now.add({ hours: 1 });
    return isWithin(recordedAt, 24 * NOT_FOUND_DAYS) ? now.add({ hours: 24 }) : null;
  }
  if (isWithin(issuedAt, 24 * YOUNG_DAYS)) return now.add({ hours: 24 });
  return isWithin(issuedAt, 24 * ASKED_FOR_DAYS) ? now.add({ hours: 24 * 30 }) : null;
}
