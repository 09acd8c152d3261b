import type { Marketplace, SourceStock } from '../../connectors/contract.ts';
import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';
import type { AccountSource } from '../connections/index.ts';
import type { StockLevel, Warehouse } from './stock.ts';

export interface LevelRow {
  readonly marketplace: string;
  readonly account_id: string;
  readonly item_id: string;
  readonly variation_id: string;
  readonly warehouse: string;
  readonly sku: string | null;
  readonly title: string;
  readonly available: number | null;
  readonly unavailable: number;
  readonly updated_at: Instant;
  readonly gone_at: Instant | null;
  readonly seen_at: Instant;
}

export interface KnownLevel extends StockLevel {
  readonly seenAt: Instant;
}

const KEY = 'marketplace, account_id, item_id, variation_id, warehouse';
export const COLUMNS = `${KEY}, sku, title, available, unavailable, updated_at, gone_at, seen_at`;

const LEVEL_KEYS = bulk('stock_levels', ['item_id', 'variation_id', 'warehouse']);

/** Each by its key: with few statistics a join would compare each with all of the account. */
const LOCK = LEVEL_KEYS.statement<LevelRow>(
  'inventory.lock',
  (given) => `select stock.* from ${given} cross join lateral (
     select ${COLUMNS} from stock_levels
      where organization_id = $1 and marketplace = $2 and account_id = $3
        and item_id = given.item_id and variation_id = given.variation_id
        and warehouse = given.warehouse
      for update) stock`,
);

const LEVELS = bulk('stock_levels', [
  'item_id',
  'variation_id',
  'warehouse',
  'sku',
  'title',
  'available',
  'unavailable',
  'updated_at',
  'search_text',
]);

const UPSERT = LEVELS.statement(
  'inventory.upsert',
  (given) => `insert into stock_levels as stock
     (organization_id, marketplace, account_id, connection_id, seen_at, ${LEVELS.names})
   select $1, $2::text, $3::text, $4::uuid, $5::timestamptz, given.* from ${given}
   on conflict (organization_id, ${KEY}) do update
     set connection_id = excluded.connection_id, seen_at = greatest(stock.seen_at, excluded.seen_at),
         sku = excluded.sku, title = excluded.title, available = excluded.available,
         unavailable = excluded.unavailable, updated_at = excluded.updated_at,
         search_text = excluded.search_text, missing_since = null, gone_at = null`,
);

const MARK_GONE = statement<LevelRow>(
  'inventory.mark-gone',
  `update stock_levels
      set available = 0, unavailable = 0, gone_at = $6::timestamptz, updated_at = $6::timestamptz
    where organization_id = $1 and marketplace = $2 and account_id = $3 and connection_id = $4
      and seen_at < $5::timestamptz and missing_since < $5::timestamptz and gone_at is null
   returning ${COLUMNS}`,
);

const MARK_MISSING = statement<object>(
  'inventory.mark-missing',
  `update stock_levels set missing_since = $5::timestamptz
    where organization_id = $1 and marketplace = $2 and account_id = $3 and connection_id = $4
      and seen_at < $5::timestamptz and missing_since is null`,
);

const PAST = bulk('stock_history', [
  'marketplace',
  'account_id',
  'item_id',
  'variation_id',
  'warehouse',
  'at',
  'available',
  'unavailable',
  'is_gone',
]);

const ADD_HISTORY = PAST.statement(
  'inventory.add-history',
  (given) => `insert into stock_history (organization_id, ${PAST.names})
   select $1, given.* from ${given}
   on conflict (organization_id, ${KEY}, at) do update
     set available = excluded.available, unavailable = excluded.unavailable, is_gone = excluded.is_gone`,
);

/** A year and a month, so that a month can be compared with the same one of the year before. */
const KEEP_DAYS = 400;
/** The longest time without housekeeping that is caught up on. */
const LOOK_BACK_DAYS = 30;

/** These levels' history before that time: each has just changed, so none of it is the newest. */
const REMOVE_OLD_HISTORY = PAST.statement(
  'inventory.remove-old-history',
  (given) => `delete from stock_history where organization_id = $1 and ctid = any(array(
     select past.ctid from ${given} cross join lateral (
        select ctid from stock_history old
         where old.organization_id = $1 and old.marketplace = given.marketplace and old.account_id = given.account_id
           and old.item_id = given.item_id and old.variation_id = given.variation_id
           and old.warehouse = given.warehouse and old.at < $2::timestamptz
         order by old.at limit 100 for update) as past))`,
);

/**
 * The newest row of each level stays at any age: it holds the time of the last change, and is
 * removed when the level changes.
 */
const REMOVE_HISTORY = removeBefore(
  'inventory.remove-history',
  'stock_history',
  'at',
  (before, organization) => `at >= ${before}::timestamptz - interval '${LOOK_BACK_DAYS} days'
   and (is_gone or exists (
     select from stock_history later
      where later.organization_id = ${organization} and later.marketplace = stock_history.marketplace
        and later.account_id = stock_history.account_id and later.item_id = stock_history.item_id
        and later.variation_id = stock_history.variation_id and later.warehouse = stock_history.warehouse
        and later.at > stock_history.at))`,
);

export const RETENTIONS = [
  retention('stock_history', KEEP_DAYS, REMOVE_HISTORY),
  retention(
    'stock_levels',
    KEEP_DAYS,
    removeBefore('inventory.remove-gone', 'stock_levels', 'gone_at'),
  ),
];

/** Locks these levels until the transaction ends. */
export async function lockLevels(
  scope: WriteScope,
  source: AccountSource,
  levels: readonly SourceStock[],
): Promise<KnownLevel[]> {
  const values = LOCK.values([source.marketplace, source.accountId], levels.map(keyOf));
  return (await scope.prepared(LOCK, values)).map(fromRow);
}

export async function upsert(
  scope: WriteScope,
  source: AccountSource,
  levels: readonly (SourceStock & { updatedAt: Instant; searchText: string })[],
  seenAt: Instant,
): Promise<void> {
  if (levels.length === 0) return;
  const rows = levels.map((level) => ({
    ...keyOf(level),
    sku: level.sku,
    title: level.title,
    available: level.available,
    unavailable: level.unavailable,
    updated_at: level.updatedAt,
    search_text: level.searchText,
  }));
  const { marketplace, accountId, connectionId } = source;
  const values = UPSERT.values([marketplace, accountId, connectionId, seenAt.toString()], rows);
  await scope.prepared(UPSERT, values);
}

export async function markGone(
  scope: WriteScope,
  source: AccountSource,
  since: Instant,
  now: Instant,
): Promise<StockLevel[]> {
  const rows = await scope.prepared(MARK_GONE, [
    source.marketplace,
    source.accountId,
    source.connectionId,
    since.toString(),
    now.toString(),
  ]);
  return rows.map(fromRow);
}

export async function markMissing(
  scope: WriteScope,
  source: AccountSource,
  since: Instant,
): Promise<void> {
  await scope.prepared(MARK_MISSING, [
    source.marketplace,
    source.accountId,
    source.connectionId,
    since.toString(),
  ]);
}

export async function addHistory(scope: WriteScope, levels: readonly StockLevel[]): Promise<void> {
  if (levels.length === 0) return;
  const rows = levels.map((level) => ({
    marketplace: level.marketplace,
    account_id: level.accountId,
    ...keyOf(level),
    at: level.updatedAt,
    available: level.available,
    unavailable: level.unavailable,
    is_gone: level.goneAt !== null,
  }));
  const over = scope.clock.now().subtract({ hours: 24 * KEEP_DAYS });
  await scope.prepared(REMOVE_OLD_HISTORY, REMOVE_OLD_HISTORY.values([over.toString()], rows));
  await scope.prepared(ADD_HISTORY, ADD_HISTORY.values([], rows));
}

const HISTORY = statement<{
  at: Instant;
  available: number | null;
  unavailable: number;
  is_gone: boolean;
}>(
  'inventory.history',
  `select at, available, unavailable, is_gone from stock_history
    where organization_id = $1 and marketplace = $2 and account_id = $3 and item_id = $4
      and variation_id = $5 and warehouse = $6
    order by at desc limit $7`,
);

export function history(
  scope: ReadScope,
  level: Pick<StockLevel, 'marketplace' | 'accountId' | 'itemId' | 'variationId' | 'warehouse'>,
  limit: number,
) {
  return scope.prepared(HISTORY, [
    level.marketplace,
    level.accountId,
    level.itemId,
    level.variationId,
    level.warehouse,
    limit,
  ]);
}

function keyOf({ itemId, variationId, warehouse }: SourceStock): GivenBy<typeof LEVEL_KEYS> {
  return { item_id: itemId, variation_id: variationId, warehouse };
}

export function fromRow(row: LevelRow): KnownLevel {
  return {
    marketplace: row.marketplace as Marketplace,
    accountId: row.account_id,
    itemId: row.item_id,
    variationId: row.variation_id,
    warehouse: row.warehouse as Warehouse,
    sku: row.sku,
    title: row.title,
    available: row.available,
    unavailable: row.unavailable,
    updatedAt: row.updated_at,
    goneAt: row.gone_at,
    seenAt: row.seen_at,
  };
}
