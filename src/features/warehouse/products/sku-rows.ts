import type { Marketplace } from '../../../connectors/contract.ts';
import type { CursorMaker } from '../../../platform/cursor.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { choice, type GivenBy, wording } from '../../../platform/input-fields.ts';
import {
  makeCursor,
  openCursor,
  type PageQuery,
  type Walk,
} from '../../../platform/walk-cursor.ts';
import { hasWords, levelsOfSkus, listSkus, type StockLevel } from '../../inventory/index.ts';
import type { Equivalence, Product } from './products.ts';
import { differs, type MissingMeasure, missingMeasure, type SkuLevel } from './sku-channels.ts';
import * as store from './store-products.ts';

export const SKU_FILTERS = {
  search: wording('Parte del SKU o del título; no importan mayúsculas ni acentos.', 'taza'),
  only: choice(
    ['differences', 'unmeasured'],
    'differences: con cantidades distintas entre canales. unmeasured: sin peso o sin medidas.',
    'unmeasured',
  ),
};
type SkuFilters = GivenBy<typeof SKU_FILTERS>;

/** One SKU over all channels, with what the warehouse knows of it. */
export interface SkuRow {
  readonly sku: string;
  readonly title: string;
  readonly levels: readonly SkuLevel[];
  /** The seller's own stock is not the same in all channels. */
  readonly hasDifference: boolean;
  /** Null = nothing is known of it. */
  readonly product: Product | null;
  /** What is missing before a guide can be made; null = nothing. */
  readonly missingMeasure: MissingMeasure | null;
  /** What this code is at a marketplace, where it is another product of ours. */
  readonly standsFor: readonly Equivalence[];
}

interface SkuPage {
  readonly rows: readonly SkuRow[];
  readonly nextCursor: string | null;
}

const WALK: Walk<SkuFilters> = { kind: 'skus', instants: {} };
/** SKUs that one page looks at; a page of rare ones may be short, and the next one goes on. */
const MOST_WALKED = 2_000;
const STEP = 200;
/** Equivalences of the SKUs of one step. */
const MOST_EQUIVALENCES = 5_000;

/**
 * The SKUs of current levels, in their order. With filters a page may be short although there are
 * more.
 * @throws Failure invalid_cursor
 */
export async function listSkuRows(
  scope: ReadScope,
  cursors: CursorMaker,
  { limit, cursor, ...given }: SkuFilters & PageQuery,
): Promise<SkuPage> {
  const { organizationId } = scope;
  const opened =
    cursor === null
      ? { filters: given, position: [''] as [string] }
      : openCursor<SkuFilters, [string]>(WALK, organizationId, cursors, cursor, given);
  const { filters } = opened;
  const query = filters.search?.trim() || null;
  const step = filters.only === null ? limit : STEP;
  const rows: SkuRow[] = [];
  let [after] = opened.position;
  let walked = 0;
  for (let hasMore = true; hasMore && rows.length < limit && walked < MOST_WALKED; ) {
    const { skus, isFiltered } = await listSkus(scope, { query, after, limit: step + 1 });
    hasMore = skus.length > step;
    const span = skus.slice(0, step);
    const found = (await rowsOf(scope, span)).filter(
      (row) => fits(row, filters.only) && (isFiltered || isNamed(row, query)),
    );
    rows.push(...found);
    walked += span.length;
    after = span.at(-1) ?? after;
    if (!hasMore && rows.length <= limit) return { rows, nextCursor: null };
  }
  const kept = rows.slice(0, limit);
  if (kept.length < rows.length) after = kept.at(-1)?.sku ?? after;
  return { rows: kept, nextCursor: makeCursor(WALK, organizationId, cursors, filters, [after]) };
}

/** One SKU, whether or not a channel has it now, with the codes that stand for it. */
export async function skuDetails(
  scope: ReadScope,
  sku: string,
): Promise<SkuRow & { readonly codes: readonly Equivalence[] }> {
  const [row] = await rowsOf(scope, [sku]);
  const codes = await store.equivalencesBy(scope, 'sku', [sku], MOST_EQUIVALENCES);
  return { ...(row as SkuRow), codes };
}

function fits(
  { hasDifference, missingMeasure: missing }: SkuRow,
  only: SkuFilters['only'],
): boolean {
  if (only === 'differences') return hasDifference;
  return only === null || missing !== null;
}

function isNamed({ levels, sku }: SkuRow, query: string | null): boolean {
  return query === null || levels.some(({ title }) => hasWords({ sku, title }, query));
}

async function rowsOf(scope: ReadScope, skus: readonly string[]): Promise<SkuRow[]> {
  const codes = await store.equivalencesBy(scope, 'sku', skus, MOST_EQUIVALENCES);
  const names = [...new Set([...skus, ...codes.map(({ code }) => code)])];
  const levels = Map.groupBy(await levelsOfSkus(scope, names), ({ sku }) => sku);
  const parts = Map.groupBy(
    await store.equivalencesBy(scope, 'code', names, MOST_EQUIVALENCES),
    ({ code }) => code,
  );
  const targets = skus.flatMap((sku) => parts.get(sku)?.map((one) => one.sku) ?? []);
  const products = await store.productsBySku(scope, [...new Set([...skus, ...targets])]);
  return skus.map((sku) => {
    const standsFor = parts.get(sku)?.filter((one) => one.sku !== sku) ?? [];
    const own = (levels.get(sku) ?? []).map((level) => ({ ...level, code: null, units: 1 }));
    const others = codes
      .filter((one) => one.sku === sku && one.code !== sku)
      .flatMap((one) => levelsUnder(one, levels.get(one.code) ?? [], parts.get(one.code) ?? []));
    const all = [...own, ...others];
    const product = products.get(sku) ?? null;
    return {
      sku,
      title: titleOf(sku, product, all),
      levels: all,
      hasDifference: differs(all),
      product,
      missingMeasure: missingMeasure(sku, all, standsFor, products),
      standsFor,
    };
  });
}

/** A product that was recorded without a name has its SKU for one. */
function titleOf(sku: string, product: Product | null, levels: readonly SkuLevel[]): string {
  if (product && product.title !== sku) return product.title;
  return levels[0]?.title ?? product?.title ?? '';
}

/** The levels that a code has where it stands for one of our products. */
function levelsUnder(
  { marketplace, accountId, code, units }: Equivalence,
  levels: readonly StockLevel[],
  parts: readonly Equivalence[],
): SkuLevel[] {
  const isAlone = parts.filter((one) => isSamePlace(one, marketplace, accountId)).length === 1;
  return levels
    .filter((level) => level.marketplace === marketplace)
    .filter((level) => accountId === null || level.accountId === accountId)
    .map((level) => ({ ...level, code, units: isAlone ? units : null }));
}

function isSamePlace(one: Equivalence, marketplace: Marketplace, accountId: string | null) {
  return one.marketplace === marketplace && one.accountId === accountId;
}
