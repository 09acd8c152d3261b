import { z } from 'zod';
import { serviceName } from '../../../carriers/registry.ts';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  channelsOf,
  listSkuRows,
  SKU_FILTERS,
  type SkuRow,
  skuDetails,
} from '../../../features/warehouse/index.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { formVersion } from '../form-version.ts';
import { defineRead, toAmount } from '../operation.ts';
import { measuresOf } from './measures.ts';
import { skuField } from './products.ts';

const measure = z.number().nullable();
const Measures = z.object({
  weight_kg: measure,
  length_cm: measure,
  width_cm: measure,
  height_cm: measure,
});
const Equivalence = z.object({
  marketplace: z.enum(MARKETPLACES),
  /** Null = every account. */
  account_id: z.string().nullable(),
  code: z.string(),
  sku: z.string(),
  units: z.int(),
});
const Row = z.object({
  sku: z.string(),
  title: z.string(),
  has_difference: z.boolean(),
  lack: z.enum(['weight', 'dimensions']).nullable(),
  weight_kg: measure,
});
const Channel = z.object({
  marketplace: z.enum(MARKETPLACES),
  warehouse: z.enum(['seller', 'marketplace']),
  listings: z.int(),
  /** Of the listings with a limit; null = none has one. */
  least: z.int().nullable(),
  most: z.int().nullable(),
  is_unlimited: z.boolean(),
  /** The marketplace's warehouse, packs and kits are not. */
  is_compared: z.boolean(),
});

/** Every SKU that a channel has, over all channels. */
export const listInventoryOperation = defineRead({
  action: 'read_inventory',
  capability: null,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...SKU_FILTERS }),
  output: z.object({
    data: z.array(Row.extend({ channels: z.array(Channel) })),
    next_cursor: z.string().nullable(),
  }),
  async run({ scope, cursors }, query) {
    const { rows, nextCursor } = await listSkuRows(scope, cursors, query);
    const data = rows.map((row) => ({
      ...rowOf(row),
      channels: channelsOf(row.levels).map(({ isUnlimited, isCompared, ...channel }) => ({
        ...channel,
        is_unlimited: isUnlimited,
        is_compared: isCompared,
      })),
    }));
    return { data, next_cursor: nextCursor };
  },
});

/** One SKU: its listings, its measures, and the codes that are equivalent to it. */
export const getSkuOperation = defineRead({
  action: 'read_inventory',
  capability: null,
  input: inputOf({ sku: skuField }),
  output: Row.extend({
    measures: Measures.nullable(),
    /** Of the measures, for their change. */
    version: z.string(),
    levels: z.array(
      z.object({
        marketplace: z.enum(MARKETPLACES),
        name: z.string(),
        account_id: z.string(),
        item_id: z.string(),
        variation_id: z.string(),
        warehouse: z.enum(['seller', 'marketplace']),
        title: z.string(),
        /** Null = no limit. */
        available: z.int().nullable(),
        updated_at: z.string(),
        code: z.string().nullable(),
        units: z.int().nullable(),
      }),
    ),
    codes: z.array(Equivalence),
    stands_for: z.array(Equivalence),
  }),
  async run({ scope }, { sku }) {
    const { product, codes, standsFor, ...row } = await skuDetails(scope, sku);
    const measures = measuresOf(product);
    return {
      ...rowOf({ ...row, product, standsFor }),
      measures,
      version: formVersion(measures),
      levels: row.levels.map((level) => ({
        marketplace: level.marketplace,
        name: serviceName(level.marketplace),
        account_id: level.accountId,
        item_id: level.itemId,
        variation_id: level.variationId,
        warehouse: level.warehouse,
        title: level.title,
        available: level.available,
        updated_at: formatMillis(level.updatedAt),
        code: level.code,
        units: level.units,
      })),
      codes: codes.map(equivalenceOf),
      stands_for: standsFor.map(equivalenceOf),
    };
  },
});

function rowOf({
  sku,
  title,
  hasDifference,
  missingMeasure: lack,
  product,
}: Omit<SkuRow, 'levels'>) {
  const weight_kg = toAmount(product?.weightKg ?? null);
  return { sku, title, has_difference: hasDifference, lack, weight_kg };
}

function equivalenceOf({ accountId, ...equivalence }: SkuRow['standsFor'][number]) {
  return { ...equivalence, account_id: accountId };
}
