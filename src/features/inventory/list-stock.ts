import { MARKETPLACES } from '../../connectors/contract.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import {
  choice,
  choices,
  count,
  type GivenBy,
  orNull,
  wording,
} from '../../platform/input-fields.ts';
import { fold } from '../../platform/text.ts';
import type { Instant } from '../../platform/time.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { type StockLevel, WAREHOUSES } from './stock.ts';
import * as store from './store.ts';
import { pageOfLevels, type StockPosition } from './store-page.ts';

export const STOCK_FILTERS = {
  sku: wording('Exactamente este SKU, con las mismas mayúsculas.', 'TAZA-AZUL'),
  query: wording('Parte del SKU o del título; no importan mayúsculas ni acentos.', 'taza'),
  marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', [MARKETPLACES[0]]),
  warehouse: choice(
    WAREHOUSES,
    'seller: lo que tiene el vendedor; marketplace: lo que guarda Full o FBA.',
    'seller',
  ),
  max_available: orNull(
    count(
      0,
      1_000_000_000,
      'Solo donde quedan a lo más tantas piezas, de menos a más. Un nivel que cambia entre páginas puede ' +
        'repetirse o faltar.',
      5,
    ),
  ),
};
type StockFilters = GivenBy<typeof STOCK_FILTERS>;
export type StockQuery = StockFilters & PageQuery;

interface StockPage {
  readonly levels: readonly StockLevel[];
  readonly nextCursor: string | null;
}

interface StockMovement {
  readonly at: Instant;
  readonly available: number | null;
  readonly unavailable: number;
  readonly isGone: boolean;
}

/**
 * Current levels; levels that are gone are left out. In order of identity, in which a walk returns
 * each level once; with `maxAvailable` a level that changes meanwhile may be returned twice or,
 * where it fell, not at all.
 * @throws Failure invalid_cursor
 */
export async function listStock(
  scope: ReadScope,
  cursors: CursorMaker,
  { query, ...rest }: StockQuery,
): Promise<StockPage> {
  const { rows, nextCursor } = await readPage(
    WALK,
    scope,
    cursors,
    { ...rest, query: query?.trim() ? fold(query.trim()) : null },
    ({ marketplace, warehouse, sku, query: words, maxAvailable, after, limit, ...unread }) => {
      // A filter without a condition does not compile.
      unread satisfies Readonly<Record<string, never>>;
      return pageOfLevels(scope, {
        marketplaces: (marketplace.length === 0 ? MARKETPLACES : marketplace).toSorted(),
        warehouses: warehouse === null ? WAREHOUSES : [warehouse],
        sku,
        query: words,
        maxAvailable,
        limit,
        after: after && unpack(after),
      });
    },
  );
  return { levels: rows, nextCursor };
}

const WALK: RowWalk<StockFilters, StockLevel, Packed> = {
  kind: 'stock',
  instants: {},
  positionOf: pack,
};

/** The history of a level, newest first; it has a row only where the quantities changed. */
export async function stockHistory(
  scope: ReadScope,
  level: Pick<StockLevel, 'marketplace' | 'accountId' | 'itemId' | 'variationId' | 'warehouse'>,
  limit: number,
): Promise<StockMovement[]> {
  const rows = await store.history(scope, level, limit);
  return rows.map(({ is_gone: isGone, ...row }) => ({ ...row, isGone }));
}

type Packed = readonly [number, string, string, string, string, string];

/** Levels without limit are in no walk by quantity. */
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

function unpack([
  available,
  marketplace,
  accountId,
  itemId,
  variationId,
  warehouse,
]: Packed): StockPosition {
  return { available, marketplace, accountId, itemId, variationId, warehouse };
}
