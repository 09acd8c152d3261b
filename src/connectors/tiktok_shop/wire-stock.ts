import { z } from 'zod';
import type { SourceStock } from '../contract.ts';
import { id, optional, looseText as text, whole } from '../wire-fields.ts';
import { trimmed } from './wire.ts';

export const Product = z.object({ id, title: optional(z.string()), status: text });
export type Product = z.infer<typeof Product>;

const Stock = z.object({
  product_id: id,
  skus: optional(
    z.array(
      z.object({
        id,
        seller_sku: text,
        total_available_quantity: optional(whole),
        total_committed_quantity: optional(whole),
        warehouse_inventory: optional(
          z.array(
            z.object({ available_quantity: optional(whole), committed_quantity: optional(whole) }),
          ),
        ),
      }),
    ),
  ),
});

/** Whose warehouse it is is not said, so all of it is the seller's. */
export function toStock(row: unknown, titles: ReadonlyMap<string, string>): SourceStock[] {
  const { product_id, skus } = Stock.parse(trimmed(row));
  return (skus ?? []).map((sku) => {
    const places = sku.warehouse_inventory ?? [];
    return {
      itemId: product_id,
      variationId: sku.id,
      warehouse: 'seller',
      sku: sku.seller_sku,
      title: titles.get(product_id) ?? '',
      available:
        sku.total_available_quantity ?? sum(places.map((place) => place.available_quantity)),
      unavailable:
        sku.total_committed_quantity ?? sum(places.map((place) => place.committed_quantity)),
    };
  });
}

function sum(pieces: readonly (number | null)[]): number {
  return pieces.reduce<number>((total, count) => total + (count ?? 0), 0);
}
