import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { formatMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import type { FindingState } from './kinds.ts';
import * as store from './store.ts';

export type Finding = store.FindingRow;

const LONGEST_NOTE = 500;

/** Findings of one state, the newest first. @throws Failure invalid_cursor */
export async function listFindings(
  scope: ReadScope,
  cursors: CursorMaker,
  query: { readonly state: FindingState } & PageQuery,
): Promise<{ readonly findings: readonly Finding[]; readonly nextCursor: string | null }> {
  const { rows, nextCursor } = await readPage(WALK, scope, cursors, query, (request) =>
    store.page(scope, request.state, request.after, request.limit),
  );
  return { findings: rows, nextCursor };
}

/**
 * Explains a finding by a note; without a note it is open again.
 * @throws Failure not_found where there is none, or it is resolved; invalid_request for a long note
 */
export async function explainFinding(
  scope: WriteScope,
  id: string,
  typed: string | null,
): Promise<Finding> {
  const note = typed?.trim() || null;
  if (note !== null && note.length > LONGEST_NOTE)
    throw invalid('note', `La nota admite hasta ${LONGEST_NOTE} caracteres.`);
  const found = await store.explain(scope, id, note === null ? 'open' : 'explained', note);
  if (!found) throw fail('not_found');
  return found;
}

const WALK: RowWalk<{ readonly state: FindingState }, Finding, readonly [string, string]> = {
  kind: 'findings',
  instants: {},
  positionOf: ({ since, id }) => [formatMicros(since), id],
};
