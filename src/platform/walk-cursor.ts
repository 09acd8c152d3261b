import type { CursorMaker } from './cursor.ts';
import { fail } from './failure.ts';

/** Filters of a list as they travel in its cursor; null and [] = not given. */
type WalkFilters = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** What a cursor is bound to: one list of one organisation. */
interface Walk {
  readonly kind: string;
  readonly organizationId: string;
}

export function makeWalkCursor(
  cursors: CursorMaker,
  { kind, organizationId }: Walk,
  filters: WalkFilters,
  position: readonly (string | number)[],
): string {
  return cursors.make([kind, organizationId, filters, position]);
}

/**
 * Opens the cursor of a list. Filters may be left out (the cursor has them) or repeated; another value would
 * be another walk.
 * @throws Failure invalid_cursor
 */
export function openWalkCursor<Filters extends WalkFilters, Position extends readonly (string | number)[]>(
  cursors: CursorMaker,
  walk: Walk,
  text: string,
  given: Filters,
): { filters: Filters; position: Position } {
  const [kind, organizationId, filters, position] = cursors.open(text) as [string, string, Filters, Position];
  if (kind !== walk.kind || organizationId !== walk.organizationId)
    throw fail('invalid_cursor', { param: 'cursor' });
  const differs = Object.entries(given).some(
    ([name, value]) => isGiven(value) && JSON.stringify(value) !== JSON.stringify(filters[name]),
  );
  if (differs)
    throw fail('invalid_cursor', {
      param: 'cursor',
      message: 'El cursor se hizo con otros filtros. Repite los mismos u omítelos.',
    });
  return { filters, position };
}

function isGiven(value: WalkFilters[string]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null;
}
