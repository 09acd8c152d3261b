import type { SourceStock } from '../../connectors/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { StockSource } from './stock-source.ts';
import * as store from './store.ts';

/** Stores what changed. @returns how many levels were new or different. */
export async function recordStock(
  scope: WriteScope,
  source: StockSource,
  levels: readonly SourceStock[],
): Promise<number> {
  const last = new Map(
    levels.map((level) => [`${level.itemId}\n${level.variationId}\n${level.warehouse}`, level]),
  );
  return last.size === 0 ? 0 : store.upsert(scope, source, [...last.values()]);
}
