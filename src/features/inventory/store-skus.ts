import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { StockLevel } from './stock.ts';
import { COLUMNS, fromRow, type LevelRow } from './store.ts';

/** From SKU to SKU over `stock_levels_by_sku`, whatever the number of levels of each. */
const AFTER = statement<{ sku: string }>(
  'inventory.skus-after',
  `with recursive walk (sku, number) as (
     select (select sku from stock_levels
              where organization_id = $1 and gone_at is null and sku > $2::text
              order by sku limit 1), 1
      union all
     select (select later.sku from stock_levels later
              where later.organization_id = $1 and later.gone_at is null and later.sku > walk.sku
              order by later.sku limit 1), number + 1
       from walk where walk.sku is not null and number < $3::int)
   select sku from walk where sku is not null order by number`,
);

const WITH_WORDS = statement<{ sku: string | null; is_cut: boolean }>(
  'inventory.skus-with-words',
  `with few as materialized (select sku from stock_levels_with($1, $2::text, $5::int)),
     found as (select distinct sku from few where sku > $3::text order by sku limit $4::int)
   select found.sku, cut.is_cut
     from (select count(*) >= $5::int as is_cut from few) cut left join found on true
    order by found.sku`,
);

const LEVELS = statement<LevelRow>(
  'inventory.levels-of-skus',
  `select level.* from unnest($2::text[]) as given (name), lateral (
     select ${COLUMNS} from stock_levels
      where organization_id = $1 and gone_at is null and sku = given.name limit $3::int) level`,
);

export async function skusAfter(scope: ReadScope, after: string, limit: number): Promise<string[]> {
  return (await scope.prepared(AFTER, [after, limit])).map(({ sku }) => sku);
}

/** @param most of levels with these words; null where there are so many, or more */
export async function skusWithWords(
  scope: ReadScope,
  words: string,
  after: string,
  { limit, most }: { readonly limit: number; readonly most: number },
): Promise<string[] | null> {
  const pattern = `%${words.replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await scope.prepared(WITH_WORDS, [pattern, after, limit, most]);
  if (rows[0]?.is_cut) return null;
  return rows.flatMap(({ sku }) => sku ?? []);
}

/** @param most of one SKU */
export async function levelsOfSkus(
  scope: ReadScope,
  skus: readonly string[],
  most: number,
): Promise<StockLevel[]> {
  return (await scope.prepared(LEVELS, [skus, most])).map(fromRow);
}
