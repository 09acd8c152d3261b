import type { CursorMaker } from '../../../platform/cursor.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { isId } from '../../../platform/ids.ts';
import {
  makeCursor,
  openCursor,
  type PageQuery,
  type Walk,
} from '../../../platform/walk-cursor.ts';
import { LINE_STATES, type Line } from './line.ts';
import { obstaclesOf } from './line-obstacles.ts';
import * as store from './store-lines.ts';
import * as pageStore from './store-lines-page.ts';

export type LineQuery = pageStore.LineFilters & PageQuery;

interface LinePage {
  readonly lines: readonly Line[];
  readonly nextCursor: string | null;
}

const IN_PREPARATION = LINE_STATES.filter((state) => state !== 'transferred');
const WALK: Walk<pageStore.LineFilters> = { kind: 'warehouse-lines', instants: {} };
/** Lines that one page looks at; a page of rare ones may be short, and the next one goes on. */
const MOST_WALKED = 1_000;
const STEP = 200;

/**
 * Longest waiting first; without a `state`, all lines in preparation. With `readiness` a page may be
 * short although there are more.
 * @throws Failure invalid_cursor, not_found
 */
export async function listLines(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, ...given }: LineQuery,
): Promise<LinePage> {
  const { organizationId } = scope;
  const { filters, position } =
    cursor === null
      ? { filters: given, position: [null] as const }
      : openCursor<pageStore.LineFilters, [Position]>(WALK, organizationId, cursors, cursor, given);
  if (!filters.lineIds.every(isId)) throw noSuchLine();
  const state = filters.state.length > 0 ? filters.state : IN_PREPARATION;
  const step = filters.readiness === null ? limit : STEP;
  const lines: Line[] = [];
  let [after]: readonly [Position] = position;
  let walked = 0;
  for (let hasMore = true; hasMore && lines.length < limit && walked < MOST_WALKED; ) {
    const found = await pageStore.pageOfLines(scope, { ...filters, state }, after, step + 1);
    hasMore = found.length > step;
    const span = found.slice(0, step);
    lines.push(...(await thoseThatAre(filters.readiness, scope, span)));
    walked += span.length;
    after = positionOf(span.at(-1)) ?? after;
    if (!hasMore && lines.length <= limit) return { lines, nextCursor: null };
  }
  const kept = lines.slice(0, limit);
  if (kept.length < lines.length) after = positionOf(kept.at(-1)) ?? after;
  return { lines: kept, nextCursor: makeCursor(WALK, organizationId, cursors, filters, [after]) };
}

type Position = pageStore.LinePosition | null;

function positionOf(line: Line | undefined): Position {
  return line ? [line.stagedAt.toString(), line.id] : null;
}

async function thoseThatAre(
  readiness: LineQuery['readiness'],
  scope: ReadScope,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  if (readiness === null) return lines;
  const obstacles = await obstaclesOf(scope, lines);
  return lines.filter(({ id }) => (obstacles.get(id)?.length === 0) === (readiness === 'ready'));
}

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
