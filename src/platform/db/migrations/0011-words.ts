/**
 * Stock is found by any part of its SKU or title. Both extensions are trusted ones, and come with
 * PostgreSQL itself. What waits to be put into the index is read with each search, so it is kept
 * short. Such an index is only read as a bitmap, which readers otherwise never do; the function
 * lets them, whatever the planner believes.
 */
export const sql = `
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
create index stock_levels_by_words on stock_levels using gin (organization_id, search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256) where gone_at is null;
create function stock_levels_with(organization uuid, pattern text, most integer) returns setof stock_levels
  language sql stable set enable_bitmapscan = on set enable_indexscan = off as
$$ select * from stock_levels where organization_id = $1 and search_text like $2 and gone_at is null
    limit $3 $$;
`;
