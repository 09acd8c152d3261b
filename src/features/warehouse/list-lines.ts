import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { LINE_STATES, type Line } from './line.ts';
import * as store from './store-lines.ts';
import * as pageStore from './store-lines-page.ts';

export type LineQuery = pageStore.LineFilters & PageQuery;

interface LinePage {
  readonly lines: readonly Line[];
  readonly nextCursor: string | null;
}

const IN_PREPARATION = LINE_STATES.filter((state) => state !== 'transferred');

/**
 * Longest waiting first; without a `state`, all lines in preparation.
 * @throws Failure invalid_cursor
 */
export async function listLines(
  scope: ReadScope,
  cursors: CursorMaker,
  query: LineQuery,
): Promise<LinePage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    query,
    ({ after, limit, ...filters }) => {
      const state = filters.state.length > 0 ? filters.state : IN_PREPARATION;
      return pageStore.pageOfLines(scope, { ...filters, state }, after, limit);
    },
  );
  return { lines: rows, nextCursor };
}

const WALK: RowWalk<pageStore.LineFilters, Line, pageStore.LinePosition> = {
  kind: 'warehouse-lines',
  instants: {},
  positionOf: ({ stagedAt, id }) => [stagedAt.toString(), id],
};

/** @throws Failure not_found */
export async function lineById(scope: ReadScope, id: string): Promise<Line> {
  const [line] = await store.linesById(scope, [id]);
  if (!line) throw noSuchLine();
  return line;
}

export function noSuchLine() {
  return fail('not_found', {
    message: 'No existe una línea de preparación con ese identificador.',
  });
}
