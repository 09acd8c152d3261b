import type { Marketplace } from '../../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { type Line, wanted } from '../lines/line.ts';
import type { Content, Measures } from './measure.ts';
import * as store from './store-products.ts';

/** A good under our own SKU. Null = not known yet. */
export interface Product extends Measures {
  readonly sku: string;
  readonly title: string;
}

/** Our product for a marketplace's SKU or item id. Several with one code make a kit. */
export interface Equivalence {
  readonly marketplace: Marketplace;
  /** Null = every account. */
  readonly accountId: string | null;
  readonly code: string;
  readonly sku: string;
  readonly units: number;
}

/** @returns how many are new or different */
export function recordProducts(scope: WriteScope, products: readonly Product[]): Promise<number> {
  const last = new Map(products.map((product) => [product.sku, product]));
  return store.upsertProducts(scope, [...last.values()], scope.clock.now());
}

/** Null = nothing is known of it. */
export async function findProduct(scope: ReadScope, sku: string): Promise<Product | null> {
  return (await store.productsBySku(scope, [sku])).get(sku) ?? null;
}

/** @returns how many are new or different */
export function recordEquivalences(
  scope: WriteScope,
  given: readonly Equivalence[],
): Promise<number> {
  const last = new Map(
    given.map((one) => [JSON.stringify([one.marketplace, one.accountId, one.code, one.sku]), one]),
  );
  return store.upsertEquivalences(scope, [...last.values()], scope.clock.now());
}

/** @returns whether there was one */
export function removeEquivalence(
  scope: WriteScope,
  equivalence: Omit<Equivalence, 'units'>,
): Promise<boolean> {
  return store.removeEquivalence(scope, equivalence);
}

type Parcel = Pick<Line, 'marketplace' | 'accountId' | 'orders'>;

/**
 * The products and quantities in a parcel. An account's own equivalence takes precedence over one
 * of the whole marketplace, the SKU over the item's id; without any, the SKU is ours.
 */
export async function contentsOf(scope: ReadScope, line: Parcel): Promise<Content[]> {
  const [contents = []] = await contentsOfEach(scope, [line]);
  return contents;
}

/** Of each parcel, in their order: a query for each account, and one for all products. */
export async function contentsOfEach(
  scope: ReadScope,
  lines: readonly Parcel[],
): Promise<Content[][]> {
  const found = new Map<string, Equivalence[]>();
  const accounts = Map.groupBy(lines, accountOf);
  for (const [account, [first, ...rest]] of accounts) {
    if (!first) continue;
    const codes = [first, ...rest].flatMap(itemsOf).flatMap(({ sku, id }) => [sku, id]);
    const known = codes.filter((code) => code !== null);
    found.set(
      account,
      await store.equivalencesOf(scope, first.marketplace, first.accountId, known),
    );
  }
  const parts = lines.map((line) => partsOf(line, found.get(accountOf(line)) ?? []));
  const skus = parts.flat().flatMap(({ sku }) => sku ?? []);
  const products = await store.productsBySku(scope, [...new Set(skus)]);
  return parts.map((each) =>
    each.map(({ sku, name, units }) => ({
      sku,
      name,
      units,
      product: products.get(sku ?? '') ?? null,
    })),
  );
}

function accountOf({ marketplace, accountId }: Parcel): string {
  return `${marketplace} ${accountId}`;
}

function itemsOf({ orders }: Parcel) {
  return wanted(orders)
    .flatMap(({ items }) => items)
    .filter(({ quantity }) => quantity > 0);
}

function partsOf(line: Parcel, equivalences: readonly Equivalence[]) {
  return itemsOf(line).flatMap((item) => {
    const best = bestOf(equivalences, item.sku) ?? bestOf(equivalences, item.id);
    const own = [{ sku: item.sku, units: 1 }];
    return (best ?? own).map(({ sku, units }) => ({
      sku,
      name: sku ?? item.title,
      units: units * item.quantity,
    }));
  });
}

function bestOf(equivalences: readonly Equivalence[], code: string | null): Equivalence[] | null {
  const fitting = equivalences.filter((equivalence) => equivalence.code === code);
  const own = fitting.filter(({ accountId }) => accountId !== null);
  const best = own.length > 0 ? own : fitting;
  return best.length > 0 ? best : null;
}
