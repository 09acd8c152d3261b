import type { CursorMaker } from './cursor.ts';
import type { ReadScope } from './db/database.ts';
import { fail } from './failure.ts';
import { isGiven } from './input-fields.ts';
import { fromEpochMicros, type Instant } from './time.ts';

/** A list that is read page by page. @param Given its filters; null and [] = not given */
export interface Walk<Given> {
  /** Its name in cursors: a cursor of one list opens no other. */
  readonly kind: string;
  /** The filters that are instants: they travel as text. */
  readonly instants: {
    readonly [Name in keyof Given as Instant extends Given[Name] ? Name : never]: true;
  };
  /**
   * Cursors do not expire: the order in which older ones have the filters' values, without their
   * names.
   */
  readonly formerOrder?: readonly (keyof Given)[];
}

/** The page that is asked for, beside the filters. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/** A list whose pages are rows. */
export interface RowWalk<Given, Row, Position> extends Walk<Given> {
  /** Where the page after this row begins. */
  positionOf(row: Row): Position;
}

/**
 * One page of a list. One row more than was asked for says that there are more.
 * @throws Failure invalid_cursor
 */
export async function readPage<Given extends object, Row, Position>(
  walk: RowWalk<Given, Row, Position>,
  { organizationId }: Pick<ReadScope, 'organizationId'>,
  cursors: CursorMaker,
  { limit, cursor, ...rest }: Given & PageQuery,
  read: (request: Given & { after: Position | null; limit: number }) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const given = rest as unknown as Given;
  const opened =
    cursor === null
      ? null
      : openCursor<Given, [Position]>(walk, organizationId, cursors, cursor, given);
  const filters = opened?.filters ?? given;
  const found = await read({ ...filters, after: opened?.position[0] ?? null, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length <= limit || !last) return { rows, nextCursor: null };
  return {
    rows,
    nextCursor: makeCursor(walk, organizationId, cursors, filters, [walk.positionOf(last)]),
  };
}

/** @param position where the next page begins, and whatever else the walk has to remember */
export function makeCursor<Given extends object>(
  { kind }: Walk<Given>,
  organizationId: string,
  cursors: CursorMaker,
  filters: Given,
  position: readonly unknown[],
): string {
  const travelling = Object.entries(filters).filter(([, value]) => isGiven(value));
  return cursors.make([kind, organizationId, Object.fromEntries(travelling), ...position]);
}

/**
 * Opens the cursor of a list. Filters may be left out (the cursor has them) or repeated; another
 * value would be another walk.
 * @throws Failure invalid_cursor
 */
export function openCursor<Given extends object, Position extends readonly unknown[]>(
  walk: Walk<Given>,
  organizationId: string,
  cursors: CursorMaker,
  text: string,
  given: Given,
): { filters: Given; position: Position } {
  const [kind, owner, packed, ...position] = cursors.open(text) as [
    string,
    string,
    Packed,
    ...Position,
  ];
  if (kind !== walk.kind || owner !== organizationId)
    throw fail('invalid_cursor', { param: 'cursor' });
  const known = namedBy(walk.formerOrder ?? [], packed);
  const filters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const kept = name in walk.instants ? instantOf(known[name]) : known[name];
    if (isGiven(value) && JSON.stringify(value) !== JSON.stringify(kept))
      throw fail('invalid_cursor', {
        param: 'cursor',
        message: 'El cursor se hizo con otros filtros. Repite los mismos u omítelos.',
      });
    filters[name] = kept ?? value;
  }
  return { filters: filters as Given, position: position as unknown as Position };
}

type Packed = Readonly<Record<string, unknown>> | readonly unknown[];

function namedBy(order: readonly PropertyKey[], packed: Packed): Readonly<Record<string, unknown>> {
  if (!Array.isArray(packed)) return packed as Readonly<Record<string, unknown>>;
  return Object.fromEntries(order.map((name, at) => [name, packed[at]]));
}

/** Microseconds, in a former cursor, are exact for the years up to 2255. */
function instantOf(kept: unknown): unknown {
  if (typeof kept === 'number') return fromEpochMicros(kept);
  return typeof kept === 'string' ? Temporal.Instant.from(kept) : kept;
}
