import type { ReadScope } from '../../platform/db/database.ts';
import { fold } from '../../platform/text.ts';
import type { StockLevel } from './stock.ts';
import * as store from './store-skus.ts';

/** The index of words holds runs of three. */
const IN_INDEX = /[a-z0-9]{3}/;
/** Words that more levels have are compared while all SKUs are walked. */
const MOST_FOUND = 50_000;
/** A placeholder that very many listings share would fill a page alone. */
const MOST_LEVELS = 200;

interface SkuSpan {
  /** In SKU or title, whatever their case and accents; null = all. */
  readonly query: string | null;
  /** Empty = from the first. */
  readonly after: string;
  readonly limit: number;
}

/**
 * The SKUs of current levels, in their order. Where `isFiltered` is false, the words are too common
 * for the index and the caller compares them itself, with `hasWords`.
 */
export async function listSkus(
  scope: ReadScope,
  { query, after, limit }: SkuSpan,
): Promise<{ readonly skus: readonly string[]; readonly isFiltered: boolean }> {
  const words = query === null ? null : fold(query);
  if (words !== null && IN_INDEX.test(words)) {
    const skus = await store.skusWithWords(scope, words, after, { limit, most: MOST_FOUND });
    if (skus !== null) return { skus, isFiltered: true };
  }
  const skus = await store.skusAfter(scope, after, limit);
  return { skus, isFiltered: words === null };
}

export function hasWords(level: Pick<StockLevel, 'sku' | 'title'>, query: string): boolean {
  return fold(`${level.sku ?? ''} ${level.title}`).includes(fold(query));
}

/** The current levels of these SKUs in order of identity, of each SKU at most two hundred. */
export async function levelsOfSkus(
  scope: ReadScope,
  skus: readonly string[],
): Promise<StockLevel[]> {
  if (skus.length === 0) return [];
  const levels = await store.levelsOfSkus(scope, skus, MOST_LEVELS);
  return levels.sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
}

function identityOf({ marketplace, accountId, itemId, variationId, warehouse }: StockLevel) {
  return [marketplace, accountId, itemId, variationId, warehouse].join('\n');
}
