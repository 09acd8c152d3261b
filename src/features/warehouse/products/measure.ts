import { add, compare, type Decimal, divide, multiply, ZERO } from '../../../platform/money.ts';

export interface Article {
  /** Ours; null = it was sold without one. */
  readonly sku: string | null;
  /** For users: its SKU, else its title. */
  readonly name: string;
}

/** The units of one article in a parcel; `product` null = its weight is unknown. */
export interface Content extends Article {
  readonly units: number;
  readonly product: Measures | null;
}

export interface Measures {
  readonly weightKg: Decimal | null;
  readonly lengthCm: Decimal | null;
  readonly widthCm: Decimal | null;
  readonly heightCm: Decimal | null;
}

/** The measures of each of a parcel's packages, all alike. */
interface PackageMeasures {
  readonly weightKg: Decimal;
  readonly lengthCm: Decimal;
  readonly widthCm: Decimal;
  readonly heightCm: Decimal;
}

/** What is not known of a parcel's articles, and of which. */
interface GoodsObstacle {
  readonly code: 'missing_weight' | 'missing_dimensions';
  readonly articles: readonly Article[];
}

type Measured =
  | { readonly ok: true; readonly measures: PackageMeasures }
  | { readonly ok: false; readonly obstacles: readonly GoodsObstacle[] };

interface Laid {
  readonly units: number;
  readonly weightKg: Decimal;
  /** Longest, middle and shortest side. */
  readonly sides: readonly [Decimal, Decimal, Decimal];
}

const WEIGHT_DECIMALS = 3;

export function hasWeight(product: Measures | null | undefined): boolean {
  return isPositive(product?.weightKg);
}

export function hasSize(product: Measures | null | undefined): boolean {
  return [product?.lengthCm, product?.widthCm, product?.heightCm].every(isPositive);
}

/** All that is missing before a parcel can be measured; empty = nothing. */
export function goodsObstaclesOf(contents: readonly Content[]): readonly GoodsObstacle[] {
  const pieces = contents.reduce((sum, { units }) => sum + units, 0);
  if (pieces === 0) return [{ code: 'missing_weight', articles: [] }];
  const weightless = contents.filter(({ product }) => !hasWeight(product));
  const shapeless = contents.filter(({ product }) => !hasSize(product));
  const obstacles = [
    { code: 'missing_weight', articles: articlesOf(weightless) },
    { code: 'missing_dimensions', articles: articlesOf(shapeless) },
  ] as const;
  return obstacles.filter(({ articles }) => articles.length > 0);
}

/**
 * Weight and size of each of a parcel's packages. The weight is shared evenly; units lie on their
 * largest face, one on another, and where packages differ every one counts as the largest.
 * Kilograms and centimetres.
 */
export function measureParcel(contents: readonly Content[], packages: number): Measured {
  const obstacles = goodsObstaclesOf(contents);
  if (obstacles.length > 0) return { ok: false, obstacles };
  const laid = contents.map(layDown);
  const units = laid.reduce((sum, article) => sum + article.units, 0);
  const weight = add(...laid.map((article) => multiply(article.weightKg, article.units)));
  return {
    ok: true,
    measures: {
      weightKg: share(weight, packages),
      lengthCm: largest(laid.map(({ sides }) => sides[0])),
      widthCm: largest(laid.map(({ sides }) => sides[1])),
      heightCm: stack(laid, Math.ceil(units / packages)),
    },
  };
}

function layDown({ units, product }: Content): Laid {
  const { weightKg, lengthCm, widthCm, heightCm } = product as Measures;
  const [first, second, third] = ([lengthCm, widthCm, heightCm] as Decimal[]).sort((a, b) =>
    compare(b, a),
  );
  return {
    units,
    weightKg: weightKg as Decimal,
    sides: [first as Decimal, second as Decimal, third as Decimal],
  };
}

/** A carrier reads no endless fractions, and a share that was rounded down would be too light. */
function share(weight: Decimal, packages: number): Decimal {
  if (packages === 1) return weight;
  const rounded = divide(weight, packages, WEIGHT_DECIMALS);
  const isShort = compare(multiply(rounded, packages), weight) < 0;
  return isShort ? add(rounded, '0.001' as Decimal) : rounded;
}

/** The height of so many of the thickest units. */
function stack(laid: readonly Laid[], units: number): Decimal {
  const thickest = [...laid].sort((a, b) => compare(b.sides[2], a.sides[2]));
  let height = ZERO;
  let left = units;
  for (const article of thickest) {
    const taken = Math.min(left, article.units);
    height = add(height, multiply(article.sides[2], taken));
    left -= taken;
  }
  return height;
}

function largest(sides: readonly Decimal[]): Decimal {
  return sides.reduce((best, side) => (compare(side, best) > 0 ? side : best));
}

function isPositive(measure: Decimal | null | undefined): boolean {
  return measure !== null && measure !== undefined && compare(measure, ZERO) > 0;
}

function articlesOf(contents: readonly Content[]): Article[] {
  const byName = new Map(contents.map(({ name, sku }) => [name, { name, sku }]));
  return [...byName.values()];
}
