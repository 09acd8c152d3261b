import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { type OrphanEvent, type OrphanPosition, pageOfOrphans } from './store-orphans.ts';

interface OrphanPage {
  readonly events: readonly OrphanEvent[];
  readonly nextCursor: string | null;
}

/** Events without a shipment, by tracking number. @throws Failure invalid_cursor */
export async function listOrphans(
  scope: ReadScope,
  cursors: CursorMaker,
  query: PageQuery,
): Promise<OrphanPage> {
  const { rows, nextCursor } = await readPage(WALK, scope, cursors, query, ({ after, limit }) =>
    pageOfOrphans(scope, after, limit),
  );
  return { events: rows, nextCursor };
}

const WALK: RowWalk<object, OrphanEvent, OrphanPosition> = {
  kind: 'shipment-orphans',
  instants: {},
  positionOf: ({ carrier, trackingNumber, occurredAt, code }) => [
    carrier,
    trackingNumber,
    occurredAt.toString(),
    code,
  ],
};
