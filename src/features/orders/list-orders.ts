import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { epochMicros, type Instant } from '../../platform/time.ts';
import { makeCursor, openCursor, type PageQuery, type Walk } from '../../platform/walk-cursor.ts';
import { type AsOf, asOfMicros, type DeltaClock } from './as-of.ts';
import type { OrderFilters } from './filters.ts';
import { type PackedPosition, packPosition, positionOf, unpackPosition } from './order-position.ts';
import { pageOfOrders, SEPARATOR } from './store-page.ts';
import { beginWalk, continueWalk } from './walk-as-of.ts';

/** With a cursor the filters may be left out, or must be the cursor's own. */
export interface OrderQuery extends OrderFilters, PageQuery {
  /** The list; a cursor of one list is invalid for the other. */
  readonly list: 'rest' | 'agents' | 'panel';
}

export interface OrderPage {
  /** The public orders, a JSON array as text. */
  readonly json: string;
  /** The number of orders. */
  readonly count: number;
  readonly nextCursor: string | null;
  /** The first instant that this walk does not cover: the `updated_since` of the next poll. */
  readonly asOf: AsOf;
}

const FILTERS: Omit<Walk<OrderFilters>, 'kind'> = {
  instants: { from: true, to: true, updatedSince: true },
  formerOrder: ['from', 'to', 'updatedSince', 'status', 'marketplace', 'accountId'],
};
const WALKS: Readonly<Record<OrderQuery['list'], Walk<OrderFilters>>> = {
  rest: { kind: 'orders', ...FILTERS },
  agents: { kind: 'orders.agents', ...FILTERS },
  panel: { kind: 'orders.panel', ...FILTERS },
};

type CursorPosition = [asOf: number, position: PackedPosition];

/**
 * One page of orders: by creation, newest first; with `updatedSince` by `last_updated`, oldest
 * first, up to the instant at which the walk began.
 * @param clock the cached delta clock of the organisation; null = it is read before the page.
 * @throws Failure invalid_cursor
 */
export async function listOrders(
  scope: ReadScope,
  cursors: CursorMaker,
  { list, limit, cursor, ...given }: OrderQuery,
  clock: DeltaClock | null,
): Promise<OrderPage> {
  const walk = WALKS[list];
  const opened = cursor === null ? null : openWalk(walk, scope, cursors, cursor, given);
  const filters = opened?.filters ?? given;
  const asOf = opened
    ? await continueWalk(scope, opened.asOf)
    : await beginWalk(scope, clock, filters.updatedSince);
  const { text, count } = await pageOfOrders(scope, {
    filters,
    asOf: asOf.text,
    position: opened?.position ?? null,
    limit: limit + 1,
  });
  if (text === null) return { json: '[]', count: 0, nextCursor: null, asOf };
  if (count <= limit) return { json: `[${text}]`, count, nextCursor: null, asOf };
  // The page has one order more than requested where there are more; it is cut off.
  const page = text.slice(0, text.lastIndexOf(SEPARATOR));
  const last = page.slice(page.lastIndexOf(SEPARATOR) + 1);
  const nextCursor = cursorAfter(walk, scope, cursors, filters, asOf, last);
  return { json: `[${page}]`, count: limit, nextCursor, asOf };
}

/**
 * The empty page of a poll when nothing can have changed since, as for most polls; null where
 * something may have.
 */
export function emptyPage(clock: DeltaClock | null, since: Instant | null): OrderPage | null {
  if (!clock || !since || epochMicros(since) < clock.asOf.micros) return null;
  return { json: '[]', count: 0, nextCursor: null, asOf: clock.asOf };
}

/** @throws Failure invalid_cursor */
function openWalk(
  walk: Walk<OrderFilters>,
  { organizationId }: ReadScope,
  cursors: CursorMaker,
  cursor: string,
  given: OrderFilters,
) {
  const { filters, position: opened } = openCursor<OrderFilters, CursorPosition>(
    walk,
    organizationId,
    cursors,
    cursor,
    given,
  );
  const [asOf, position] = opened;
  return { filters, asOf: asOfMicros(asOf), position: unpackPosition(position) };
}

/** The cursor of the page after one whose last order is this JSON. */
function cursorAfter(
  walk: Walk<OrderFilters>,
  { organizationId }: ReadScope,
  cursors: CursorMaker,
  filters: OrderFilters,
  asOf: AsOf,
  lastJson: string,
): string {
  const next: CursorPosition = [asOf.micros, packPosition(positionOf(lastJson, filters))];
  return makeCursor(walk, organizationId, cursors, filters, next);
}
