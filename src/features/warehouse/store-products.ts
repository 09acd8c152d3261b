import type { Marketplace } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Instant } from '../../platform/time.ts';
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

const UPSERT_PRODUCTS = statement<{ sku: string }>(
  'products.upsert',
  `insert into products as known (organization_id, updated_at, sku, title, weight_kg, length_cm, width_cm, height_cm)
   select $1, $2::timestamptz, * from unnest($3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[])
   on conflict (organization_id, sku) do update
     set title = excluded.title, weight_kg = excluded.weight_kg, length_cm = excluded.length_cm,
         width_cm = excluded.width_cm, height_cm = excluded.height_cm, updated_at = excluded.updated_at
     where (known.title, known.weight_kg, known.length_cm, known.width_cm, known.height_cm)
       is distinct from (excluded.title, excluded.weight_kg, excluded.length_cm, excluded.width_cm, excluded.height_cm)
   returning sku`,
);

const UPSERT_EQUIVALENCES = statement<{ code: string }>(
  'products.upsert-equivalences',
  `insert into sku_equivalences as known (organization_id, updated_at, marketplace, account_id, code, sku, units)
   select $1, $2::timestamptz, * from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::int[])
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

/** Stands for every account. */
const EVERY_ACCOUNT = '';

/** @returns how many rows were written */
export async function upsertProducts(
  scope: WriteScope,
  products: readonly ProductRow[],
  at: Instant,
): Promise<number> {
  const rows = await scope.prepared(UPSERT_PRODUCTS, [
    at.toString(),
    products.map(({ sku }) => sku),
    products.map(({ title }) => title),
    products.map(({ weightKg }) => weightKg),
    products.map(({ lengthCm }) => lengthCm),
    products.map(({ widthCm }) => widthCm),
    products.map(({ heightCm }) => heightCm),
  ]);
  return rows.length;
}

/** @returns how many rows were written */
export async function upsertEquivalences(
  scope: WriteScope,
  equivalences: readonly EquivalenceRow[],
  at: Instant,
): Promise<number> {
  const rows = await scope.prepared(UPSERT_EQUIVALENCES, [
    at.toString(),
    equivalences.map(({ marketplace }) => marketplace),
    equivalences.map(({ accountId }) => accountId ?? EVERY_ACCOUNT),
    equivalences.map(({ code }) => code),
    equivalences.map(({ sku }) => sku),
    equivalences.map(({ units }) => units),
  ]);
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
