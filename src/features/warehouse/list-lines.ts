import type { Marketplace } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { makeWalkCursor, openWalkCursor } from '../../platform/walk-cursor.ts';
import { LINE_STATES, type Line, type LineState } from './line.ts';
import * as store from './store-lines.ts';

export interface LineQuery {
  /** Empty = all that did not leave preparation. */
  readonly state: readonly LineState[];
  readonly marketplace: readonly Marketplace[];
  readonly accountId: string | null;
  /** What a scanner reads: an order, a pack, a tracking or a guide number, exactly. */
  readonly number: string | null;
  readonly hasGuide: boolean | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface LinePage {
  readonly lines: readonly Line[];
  readonly nextCursor: string | null;
}

const IN_PREPARATION = LINE_STATES.filter((state) => state !== 'transferred');

/** Those that wait longest come first. @throws Failure invalid_cursor */
export async function listLines(
  scope: ReadScope,
  cursors: CursorMaker,
  { state, marketplace, accountId, number, hasGuide, limit, cursor }: LineQuery,
): Promise<LinePage> {
  const walk = { kind: 'warehouse-lines', organizationId: scope.organizationId };
  const given = { state, marketplace, accountId, number, hasGuide } satisfies store.LineFilters;
  const opened =
    cursor === null ? null : openWalkCursor<typeof given, store.LinePosition>(cursors, walk, cursor, given);
  const filters = opened?.filters ?? given;
  const wanted = filters.state.length > 0 ? filters : { ...filters, state: IN_PREPARATION };
  const found = await store.pageOfLines(scope, wanted, opened?.position ?? null, limit + 1);
  const lines = found.slice(0, limit);
  const last = lines.at(-1);
  if (found.length <= limit || !last) return { lines, nextCursor: null };
  return { lines, nextCursor: makeWalkCursor(cursors, walk, filters, [last.stagedAt.toString(), last.id]) };
}

/** @throws Failure not_found */
export async function lineById(scope: ReadScope, id: string): Promise<Line> {
  const [line] = await store.linesById(scope, [id]);
  if (!line) throw noSuchLine();
  return line;
}

export function noSuchLine() {
  return fail('not_found', { message: 'No existe una línea de preparación con ese identificador.' });
}
