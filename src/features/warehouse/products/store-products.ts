import type { Marketplace } from '../../../connectors/contract.ts';
import { bulk } from '../../../platform/db/bulk.ts';
import type { ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/query.ts';
import type { Decimal } from '../../../platform/money.ts';
import type { Instant } from '../../../platform/time.ts';
import type { Measures } from './measure.ts';

interface ProductRow extends Measures {
  readonly sku: string;
  readonly title: string;
}

interface EquivalenceRow {
  readonly marketplace: Marketplace;
  readonly accountId: string | null;
  readonly code: string;
  readonly sku: string;
  readonly units: number;
}

interface StoredEquivalence {
  readonly marketplace: string;
  readonly account_id: string;
  readonly code: string;
  readonly sku: string;
  readonly units: number;
}

const PRODUCTS = bulk('products', [
  'sku',
  'title',
  'weight_kg',
  'length_cm',
  'width_cm',
  'height_cm',
]);
const EQUIVALENCES = bulk('sku_equivalences', [
  'marketplace',
  'account_id',
  'code',
  'sku',
  'units',
]);

const UPSERT_PRODUCTS = PRODUCTS.statement<{ sku: string }>(
  'products.upsert',
  (given) => `insert into products as known (organization_id, updated_at, ${PRODUCTS.names})
   select $1, $2::timestamptz, * from ${given}
   on conflict (organization_id, sku) do update
     set title = excluded.title, weight_kg = excluded.weight_kg, length_cm = excluded.length_cm,
         width_cm = excluded.width_cm, height_cm = excluded.height_cm, updated_at = excluded.updated_at
     where (known.title, known.weight_kg, known.length_cm, known.width_cm, known.height_cm)
       is distinct from (excluded.title, excluded.weight_kg, excluded.length_cm, excluded.width_cm, excluded.height_cm)
   returning sku`,
);

const UPSERT_EQUIVALENCES = EQUIVALENCES.statement<{ code: string }>(
  'products.upsert-equivalences',
  (
    given,
  ) => `insert into sku_equivalences as known (organization_id, updated_at, ${EQUIVALENCES.names})
   select $1, $2::timestamptz, * from ${given}
   on conflict (organization_id, marketplace, account_id, code, sku) do update
     set units = excluded.units, updated_at = excluded.updated_at
     where known.units <> excluded.units
   returning code`,
);

const PRODUCTS_BY_SKU = statement<{
  sku: string;
  title: string;
  weight_kg: Decimal | null;
  length_cm: Decimal | null;
  width_cm: Decimal | null;
  height_cm: Decimal | null;
}>(
  'products.by-sku',
  `select sku, title, weight_kg, length_cm, width_cm, height_cm from products
    where organization_id = $1 and sku = any($2::text[])`,
);

const EQUIVALENCES_OF = statement<{ account_id: string; code: string; sku: string; units: number }>(
  'products.equivalences-of',
  `select account_id, code, sku, units from sku_equivalences
    where organization_id = $1 and marketplace = $2 and account_id = any($3::text[]) and code = any($4::text[])
    order by code, sku`,
);

const EQUIVALENCES_BY = {
  sku: statement<StoredEquivalence>(
    'products.equivalences-by-sku',
    `select marketplace, account_id, code, sku, units from sku_equivalences
      where organization_id = $1 and sku = any($2::text[])
      order by marketplace, account_id, code, sku limit $3`,
  ),
  code: statement<StoredEquivalence>(
    'products.equivalences-by-code',
    `select marketplace, account_id, code, sku, units from sku_equivalences
      where organization_id = $1 and code = any($2::text[])
      order by marketplace, account_id, code, sku limit $3`,
  ),
};

const REMOVE_EQUIVALENCE = statement<{ code: string }>(
  'products.remove-equivalence',
  `delete from sku_equivalences
    where organization_id = $1 and marketplace = $2 and account_id = $3 and code = $4 and sku = $5
   returning code`,
);

/** The value for every account. */
const EVERY_ACCOUNT = '';

/** @returns how many rows were written */
export async function upsertProducts(
  scope: WriteScope,
  products: readonly ProductRow[],
  at: Instant,
): Promise<number> {
  const given = products.map((product) => ({
    sku: product.sku,
    title: product.title,
    weight_kg: product.weightKg,
    length_cm: product.lengthCm,
    width_cm: product.widthCm,
    height_cm: product.heightCm,
  }));
  const rows = await scope.prepared(
    UPSERT_PRODUCTS,
    UPSERT_PRODUCTS.values([at.toString()], given),
  );
  return rows.length;
}

/** @returns how many rows were written */
export async function upsertEquivalences(
  scope: WriteScope,
  equivalences: readonly EquivalenceRow[],
  at: Instant,
): Promise<number> {
  const given = equivalences.map(({ accountId, ...equivalence }) => ({
    ...equivalence,
    account_id: accountId ?? EVERY_ACCOUNT,
  }));
  const values = UPSERT_EQUIVALENCES.values([at.toString()], given);
  const rows = await scope.prepared(UPSERT_EQUIVALENCES, values);
  return rows.length;
}

export async function productsBySku(
  scope: ReadScope,
  skus: readonly string[],
): Promise<Map<string, ProductRow>> {
  const rows = await scope.prepared(PRODUCTS_BY_SKU, [skus]);
  return new Map(
    rows.map((row) => [
      row.sku,
      {
        sku: row.sku,
        title: row.title,
        weightKg: row.weight_kg,
        lengthCm: row.length_cm,
        widthCm: row.width_cm,
        heightCm: row.height_cm,
      },
    ]),
  );
}

/** Those of the account and those of the whole marketplace. */
export async function equivalencesOf(
  scope: ReadScope,
  marketplace: Marketplace,
  accountId: string,
  codes: readonly string[],
): Promise<EquivalenceRow[]> {
  const rows = await scope.prepared(EQUIVALENCES_OF, [
    marketplace,
    [accountId, EVERY_ACCOUNT],
    codes,
  ]);
  return rows.map(({ account_id, ...row }) => ({
    ...row,
    marketplace,
    accountId: account_id === EVERY_ACCOUNT ? null : account_id,
  }));
}

/** @param by which side of the equivalence the names are: our SKU, or a marketplace's code */
export async function equivalencesBy(
  scope: ReadScope,
  by: 'sku' | 'code',
  names: readonly string[],
  limit: number,
): Promise<EquivalenceRow[]> {
  const rows = await scope.prepared(EQUIVALENCES_BY[by], [names, limit]);
  return rows.map(({ account_id, marketplace, ...row }) => ({
    ...row,
    marketplace: marketplace as Marketplace,
    accountId: account_id === EVERY_ACCOUNT ? null : account_id,
  }));
}

/** @returns whether there was one */
export async function removeEquivalence(
  scope: WriteScope,
  { marketplace, accountId, code, sku }: Omit<EquivalenceRow, 'units'>,
): Promise<boolean> {
  const values = [marketplace, accountId ?? EVERY_ACCOUNT, code, sku];
  return (await scope.prepared(REMOVE_EQUIVALENCE, values)).length > 0;
}
