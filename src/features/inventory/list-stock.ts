import type { Marketplace } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { makeWalkCursor, openWalkCursor } from '../../platform/walk-cursor.ts';
import { fold, type StockLevel } from './stock.ts';
import * as store from './store.ts';

export interface StockQuery {
  /** Exactly this one. */
  readonly sku: string | null;
  /** Part of a SKU or title; case and accents do not matter. */
  readonly query: string | null;
  readonly marketplace: readonly Marketplace[];
  readonly warehouse: string | null;
  /** At most so many left; those with the least come first. Stock without limit is never among them. */
  readonly maxAvailable: number | null;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface StockPage {
  readonly levels: readonly StockLevel[];
  readonly nextCursor: string | null;
}

export interface StockMovement {
  readonly at: Instant;
  readonly available: number | null;
  readonly unavailable: number;
  readonly isGone: boolean;
}

/** What there is now; what the marketplaces no longer have is left out. @throws Failure invalid_cursor */
export async function listStock(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, query, sku, marketplace, warehouse, maxAvailable }: StockQuery,
): Promise<StockPage> {
  const walk = { kind: 'stock', organizationId: scope.organizationId };
  const given = {
    sku,
    query: query && fold(query.trim()),
    marketplace,
    warehouse,
    maxAvailable,
  } satisfies store.StockFilters;
  const opened = cursor === null ? null : openWalkCursor(cursors, walk, cursor, given);
  const filters = opened?.filters ?? given;
  const found = await store.pageOfLevels(scope, filters, opened?.position ?? null, limit + 1);
  const levels = found.slice(0, limit);
  const last = levels.at(-1);
  if (found.length <= limit || !last) return { levels, nextCursor: null };
  return { levels, nextCursor: makeWalkCursor(cursors, walk, filters, positionOf(last, filters)) };
}

/** What a level was, the newest first; a row is there only where the quantities changed. */
export async function stockHistory(
  scope: ReadScope,
  level: Pick<StockLevel, 'marketplace' | 'accountId' | 'itemId' | 'variationId' | 'warehouse'>,
  limit: number,
): Promise<StockMovement[]> {
  const rows = await store.history(scope, level, limit);
  return rows.map(({ is_gone: isGone, ...row }) => ({ ...row, isGone }));
}

function positionOf(level: StockLevel, { maxAvailable }: store.StockFilters): store.StockPosition {
  const key = [level.marketplace, level.accountId, level.itemId, level.variationId, level.warehouse];
  return maxAvailable === null ? key : [level.available ?? 0, ...key];
}
