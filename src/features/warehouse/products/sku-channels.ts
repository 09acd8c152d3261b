/** Title, quantities and differences of one SKU over its channels. */
import { compare, type Decimal, ZERO } from '../../../platform/money.ts';
import type { StockLevel } from '../../inventory/index.ts';
import type { Measures } from './measure.ts';
import type { Equivalence } from './products.ts';

/** A level under a SKU of ours. */
export interface SkuLevel extends StockLevel {
  /** The marketplace's code that stands for the SKU; null = the SKU itself. */
  readonly code: string | null;
  /** Pieces of ours in one of the listing; null = a kit of several products. */
  readonly units: number | null;
}

/** All levels of a SKU in one warehouse of one marketplace. */
interface Channel {
  readonly marketplace: StockLevel['marketplace'];
  readonly warehouse: StockLevel['warehouse'];
  readonly listings: number;
  /** Of the listings with a limit; null = none has one. */
  readonly least: number | null;
  readonly most: number | null;
  readonly isUnlimited: boolean;
}

/** What a guide cannot be made without. */
export type Lack = 'weight' | 'dimensions';

export function channelsOf(levels: readonly SkuLevel[]): Channel[] {
  const places = Map.groupBy(levels, (level) => `${level.marketplace} ${level.warehouse}`);
  return [...places.values()].map((group) => {
    const [{ marketplace, warehouse }] = group as [SkuLevel];
    const counted = group.flatMap(({ available }) => available ?? []);
    return {
      marketplace,
      warehouse,
      listings: group.length,
      least: counted.length === 0 ? null : Math.min(...counted),
      most: counted.length === 0 ? null : Math.max(...counted),
      isUnlimited: counted.length < group.length,
    };
  });
}

/**
 * Whether the seller's own stock is not the same in all listings. The marketplace's warehouse,
 * listings without a limit, packs and kits are not compared.
 */
export function differs(levels: readonly SkuLevel[]): boolean {
  const counted = levels.flatMap(({ warehouse, units, available }) =>
    warehouse === 'seller' && units === 1 && available !== null ? [available] : [],
  );
  return new Set(counted).size > 1;
}

/**
 * Of the products that a listing takes from the shelf: those that its code stands for, and where it
 * stands for none, the SKU itself.
 */
export function lackOf(
  sku: string,
  levels: readonly SkuLevel[],
  standsFor: readonly Equivalence[],
  products: ReadonlyMap<string, Measures>,
): Lack | null {
  const isOwn = (level: SkuLevel) => !standsFor.some((one) => isFor(one, level));
  const names = new Set(standsFor.map((one) => one.sku));
  if (standsFor.length === 0 || levels.some((level) => isOwn(level))) names.add(sku);
  const parts = [...names].map((name) => products.get(name));
  if (parts.some((part) => !isPositive(part?.weightKg))) return 'weight';
  const isShaped = parts.every(
    (part) => isPositive(part?.lengthCm) && isPositive(part?.widthCm) && isPositive(part?.heightCm),
  );
  return isShaped ? null : 'dimensions';
}

function isFor({ marketplace, accountId }: Equivalence, level: SkuLevel): boolean {
  if (level.marketplace !== marketplace) return false;
  return accountId === null || level.accountId === accountId;
}

function isPositive(measure: Decimal | null | undefined): boolean {
  return measure !== null && measure !== undefined && compare(measure, ZERO) > 0;
}
