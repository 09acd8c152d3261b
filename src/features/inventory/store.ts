import type { SourceStock } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { StockSource } from './stock-source.ts';

const UPSERT = statement<{ item_id: string }>(
  'inventory.upsert',
  `insert into stock_levels as stock
     (organization_id, marketplace, account_id, connection_id, updated_at, item_id, variation_id, warehouse, sku, title, available, unavailable)
   select $1, $2::text, $3::text, $4::uuid, $5::timestamptz, * from
     unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[])
   on conflict (organization_id, marketplace, account_id, item_id, variation_id, warehouse) do update
     set connection_id = excluded.connection_id, updated_at = excluded.updated_at, sku = excluded.sku,
         title = excluded.title, available = excluded.available, unavailable = excluded.unavailable
     where (stock.sku, stock.title, stock.available, stock.unavailable)
       is distinct from (excluded.sku, excluded.title, excluded.available, excluded.unavailable)
   returning item_id`,
);

export async function upsert(
  scope: WriteScope,
  source: StockSource,
  levels: readonly SourceStock[],
): Promise<number> {
  const rows = await scope.prepared(UPSERT, [
    source.marketplace,
    source.accountId,
    source.connectionId,
    scope.clock.now().toString(),
    levels.map((level) => level.itemId),
    levels.map((level) => level.variationId),
    levels.map((level) => level.warehouse),
    levels.map((level) => level.sku),
    levels.map((level) => level.title),
    levels.map((level) => level.available),
    levels.map((level) => level.unavailable),
  ]);
  return rows.length;
}
