import type { Database } from './database.ts';
import { statement } from './query.ts';

/** Smaller tables are soon read, by whichever plan. */
const FROM_ROWS = 500;

const GROWN = statement<{ name: string }>(
  'statistics.grown',
  `select relname as name from pg_stat_user_tables
    where schemaname = current_schema() and n_mod_since_analyze >= $1 and n_mod_since_analyze > n_live_tup / 2
    order by relname`,
);

/**
 * Lets the planner look at tables that became other ones since it last did. The server does so by
 * itself, but in its own time: by then a first import would have read all of its orders for each
 * page of them.
 * @returns their names
 */
export async function refreshStatistics(database: Database): Promise<string[]> {
  const grown = await database.read((handle) => handle.raw(GROWN, [FROM_ROWS]));
  for (const { name } of grown)
    await database.write((handle) => handle.sql(`analyze "${name}"`, []));
  return grown.map(({ name }) => name);
}
