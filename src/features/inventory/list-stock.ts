import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { makeWalkCursor, openWalkCursor } from '../../platform/walk-cursor.ts';
import { fold, type StockLevel, WAREHOUSES, type Warehouse } from './stock.ts';
import * as store from './store.ts';
import { pageOfLevels, type StockPosition } from './store-page.ts';

export interface StockQuery {
  /** Exactly this one. */
  readonly sku: string | null;
  /** Part of a SKU or title; case and accents do not matter. */
  readonly query: string | null;
  readonly marketplace: readonly Marketplace[];
  readonly warehouse: Warehouse | null;
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

/**
 * What there is now; what the marketplaces no longer have is left out. In order of identity, in which a walk meets
 * each level once; with `maxAvailable` a level that moves meanwhile may be met twice or, where it fell, not at all.
 * @throws Failure invalid_cursor
 */
export async function listStock(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, query, ...rest }: StockQuery,
): Promise<StockPage> {
  const walk = { kind: 'stock', organizationId: scope.organizationId };
  const { sku, marketplace, warehouse, maxAvailable } = rest;
  const given = {
    sku,
    query: query?.trim() ? fold(query.trim()) : null,
    marketplace,
    warehouse,
    maxAvailable,
  };
  const opened = cursor === null ? null : openWalkCursor<typeof given, Packed>(cursors, walk, cursor, given);
  const filters = opened?.filters ?? given;
  const found = await pageOfLevels(scope, {
    ...filters,
    marketplaces: (filters.marketplace.length === 0 ? MARKETPLACES : filters.marketplace).toSorted(),
    warehouses: filters.warehouse === null ? WAREHOUSES : [filters.warehouse],
    after: opened && unpack(opened.position),
    limit: limit + 1,
  });
  const levels = found.slice(0, limit);
  const last = levels.at(-1);
  if (found.length <= limit || !last) return { levels, nextCursor: null };
  return { levels, nextCursor: makeWalkCursor(cursors, walk, filters, pack(last)) };
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

type Packed = readonly [number, string, string, string, string, string];

/** What has no limit is in no walk by what is left. */
function pack(level: StockLevel): Packed {
  return [
    level.available ?? 0,
    level.marketplace,
    level.accountId,
    level.itemId,
    level.variationId,
    level.warehouse,
  ];
}

function unpack([available, marketplace, accountId, itemId, variationId, warehouse]: Packed): StockPosition {
  return { available, marketplace, accountId, itemId, variationId, warehouse };
}
