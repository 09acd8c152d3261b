import { MARKETPLACES, SETTLEMENT_STATUSES } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { choices, type GivenBy, instant } from '../../platform/input-fields.ts';
import { epochMicros } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import type { Settlement } from './balance.ts';
import * as store from './store-settlements.ts';

export const SETTLEMENT_FILTERS = {
  marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', [MARKETPLACES[0]]),
  status: choices(SETTLEMENT_STATUSES, 'Solo en estos estados.', ['paid']),
  from: instant(
    'Pagados en este instante o después; sin fecha de pago cuenta el fin de su periodo.',
    '2026-11-01T00:00:00Z',
  ),
  to: instant(
    'Pagados en este instante o antes; sin fecha de pago cuenta el fin de su periodo.',
    '2026-11-30T23:59:59Z',
  ),
};
type SettlementFilters = GivenBy<typeof SETTLEMENT_FILTERS>;
export type SettlementQuery = SettlementFilters & PageQuery;

interface SettlementPage {
  readonly settlements: readonly Settlement[];
  readonly nextCursor: string | null;
}

/** The newest first. @throws Failure invalid_cursor */
export async function listSettlements(
  scope: ReadScope,
  cursors: CursorMaker,
  query: SettlementQuery,
): Promise<SettlementPage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    query,
    ({ marketplace, status, from, to, after, limit, ...unread }) => {
      // A filter without a condition does not compile.
      unread satisfies Readonly<Record<string, never>>;
      return store.pageOfSettlements(scope, { marketplace, status, from, to, after, limit });
    },
  );
  return { settlements: rows, nextCursor };
}

const WALK: RowWalk<SettlementFilters, Settlement, store.SettlementPosition> = {
  kind: 'settlements',
  instants: { from: true, to: true },
  positionOf: ({ listedAt, marketplace, accountId, id }) => [
    epochMicros(listedAt),
    marketplace,
    accountId,
    id,
  ],
};
