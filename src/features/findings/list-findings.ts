import { MARKETPLACES } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { choice, type GivenBy } from '../../platform/input-fields.ts';
import { formatMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { FINDING_KINDS, FINDING_STATES } from './kinds.ts';
import * as store from './store.ts';

export type Finding = store.FindingRow;

const LONGEST_NOTE = 500;

export const FINDING_FILTERS = {
  state: choice(FINDING_STATES, 'Solo en este estado.', 'open'),
  kind: choice(FINDING_KINDS, 'Solo de esta clase.', FINDING_KINDS[0]),
  marketplace: choice(MARKETPLACES, 'Solo de este marketplace.', MARKETPLACES[0]),
};
type FindingFilters = GivenBy<typeof FINDING_FILTERS>;

/** The newest first. @throws Failure invalid_cursor */
export async function listFindings(
  scope: ReadScope,
  cursors: CursorMaker,
  query: FindingFilters & PageQuery,
): Promise<{ readonly findings: readonly Finding[]; readonly nextCursor: string | null }> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    query,
    ({ state, kind, marketplace, after, limit, ...unread }) => {
      // A filter without a condition does not compile.
      unread satisfies Readonly<Record<string, never>>;
      return store.page(scope, { state, kind, marketplace, after, limit });
    },
  );
  return { findings: rows, nextCursor };
}

/** In whatever state. @throws Failure not_found */
export async function findFinding(scope: ReadScope, id: string): Promise<Finding> {
  const found = await store.one(scope, id);
  if (!found) throw fail('not_found');
  return found;
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

const WALK: RowWalk<FindingFilters, Finding, readonly [string, string]> = {
  kind: 'findings',
  instants: {},
  positionOf: ({ since, id }) => [formatMicros(since), id],
};
