/** Title, quantities and differences of one SKU over its channels. */
import type { StockLevel } from '../../inventory/index.ts';
import { hasSize, hasWeight, type Measures } from './measure.ts';
import type { Equivalence } from './products.ts';

/** A level under a SKU of ours. */
export interface SkuLevel extends StockLevel {
  /** The marketplace's code that stands for the SKU; null = the SKU itself. */
  readonly code: string | null;
  /** Units of ours in one of the listing; null = a kit of several products. */
  readonly units: number | null;
}

/**
 * All levels of a SKU in one warehouse of one marketplace; there, packs and kits are a channel of
 * their own.
 */
interface Channel {
  readonly marketplace: StockLevel['marketplace'];
  readonly warehouse: StockLevel['warehouse'];
  readonly listings: number;
  /** Of the listings with a limit; null = none has one. */
  readonly least: number | null;
  readonly most: number | null;
  readonly isUnlimited: boolean;
  /** Whether it is compared with the other channels. */
  readonly isCompared: boolean;
}

/** What a guide cannot be made without. */
export type MissingMeasure = 'weight' | 'dimensions';

export function channelsOf(levels: readonly SkuLevel[]): Channel[] {
  const places = Map.groupBy(
    levels,
    (level) => `${level.marketplace} ${level.warehouse} ${isCompared(level)}`,
  );
  return [...places.values()].map((group) => {
    const [first] = group as [SkuLevel];
    const { marketplace, warehouse } = first;
    const counted = group.flatMap(({ available }) => available ?? []);
    return {
      marketplace,
      warehouse,
      listings: group.length,
      least: counted.length === 0 ? null : Math.min(...counted),
      most: counted.length === 0 ? null : Math.max(...counted),
      isUnlimited: counted.length < group.length,
      isCompared: isCompared(first),
    };
  });
}

/** The seller's own stock of single pieces is compared. */
function isCompared({ warehouse, units }: SkuLevel): boolean {
  return warehouse === 'seller' && units === 1;
}

/**
 * Whether the seller's own stock is not the same in all listings that are compared and have a limit.
 */
export function differs(levels: readonly SkuLevel[]): boolean {
  const counted = levels.filter(isCompared).flatMap(({ available }) => available ?? []);
  return new Set(counted).size > 1;
}

/**
 * The first measure that is missing of the products that a listing takes from the shelf: those that
 * its code stands for, and where it stands for none, the SKU itself.
 */
export function missingMeasure(
  sku: string,
  levels: readonly SkuLevel[],
  standsFor: readonly Equivalence[],
  products: ReadonlyMap<string, Measures>,
): MissingMeasure | null {
  const isOwn = (level: SkuLevel) => !standsFor.some((one) => isFor(one, level));
  const names = new Set(standsFor.map((one) => one.sku));
  if (standsFor.length === 0 || levels.some((level) => isOwn(level))) names.add(sku);
  const parts = [...names].map((name) => products.get(name));
  if (!parts.every(hasWeight)) return 'weight';
  return parts.every(hasSize) ? null : 'dimensions';
}

function isFor({ marketplace, accountId }: Equivalence, level: SkuLevel): boolean {
  if (level.marketplace !== marketplace) return false;
  return accountId === null || level.accountId === accountId;
}
