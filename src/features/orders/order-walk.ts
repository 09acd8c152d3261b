import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { makeCursor, openCursor, type Walk } from '../../platform/walk-cursor.ts';
import { type AsOf, asOfMicros } from './as-of.ts';
import type { OrderFilters } from './filters.ts';
import { type PackedPosition, packPosition, positionOf, unpackPosition } from './order-position.ts';

export type OrderList = 'rest' | 'agents' | 'panel';

const FILTERS: Omit<Walk<OrderFilters>, 'kind'> = {
  instants: { from: true, to: true, updatedSince: true },
  formerOrder: ['from', 'to', 'updatedSince', 'status', 'marketplace', 'accountId'],
};
export const WALKS: Readonly<Record<OrderList, Walk<OrderFilters>>> = {
  rest: { kind: 'orders', ...FILTERS },
  agents: { kind: 'orders.agents', ...FILTERS },
  panel: { kind: 'orders.panel', ...FILTERS },
};

type CursorPosition = [asOf: number, position: PackedPosition];

export function openWalk(
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
export function cursorAfter(
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
