import { z } from 'zod';
import type { SourceStock } from '../contract.ts';
import { Rows } from '../lists.ts';
import { id, looseText, optional, whole } from '../wire-fields.ts';

// Only the fields that we use.

const Sku = z.object({ id: looseText, value_name: looseText });
const Variation = z.object({
  id,
  available_quantity: optional(whole),
  inventory_id: optional(id),
  user_product_id: optional(id),
  seller_custom_field: looseText,
  attributes: optional(z.array(Sku)),
  attribute_combinations: optional(z.array(z.object({ name: looseText, value_name: looseText }))),
});
export const Item = z.object({
  id,
  title: looseText,
  available_quantity: optional(whole),
  inventory_id: optional(id),
  user_product_id: optional(id),
  seller_custom_field: looseText,
  attributes: optional(z.array(Sku)),
  variations: optional(z.array(Variation)),
});
export type Item = z.infer<typeof Item>;

export const ItemSearch = z.object({
  results: Rows,
  scroll_id: optional(z.string()),
  paging: optional(z.object({ total: optional(whole) })).catch(null),
});
export const Multiget = z.array(z.object({ code: whole, body: z.unknown() }));
export const FulfillmentStock = z.object({
  available_quantity: whole,
  not_available_quantity: optional(whole),
});
export type FulfillmentStock = z.infer<typeof FulfillmentStock>;

/** The places of a user product's units; sellers with several places get no total. */
export const PlacedStock = z.object({
  locations: z.array(z.object({ type: z.string(), quantity: whole })),
});
export type PlacedStock = z.infer<typeof PlacedStock>;

/** The stock of items beside the items themselves, by id. */
interface StockApart {
  /** In the marketplace's warehouses, by inventory id. */
  readonly kept: ReadonlyMap<string, FulfillmentStock>;
  /** In the seller's places, by user product id. */
  readonly placed: ReadonlyMap<string, PlacedStock>;
}

/** An item without variations is one shelf, else each variation is one. */
function shelvesOf(item: Item) {
  const variations = item.variations ?? [];
  return variations.length > 0 ? variations : [{ ...item, id: '', attribute_combinations: null }];
}

/** Inventory ids of the stock in the marketplace's warehouses. */
export function inventoryIdsOf(item: Item): string[] {
  return shelvesOf(item)
    .map(({ inventory_id }) => inventory_id)
    .filter((found) => found !== null);
}

/** User products to fetch where a seller keeps stock in several places. */
export function userProductIdsOf(item: Item): string[] {
  return shelvesOf(item)
    .map(({ user_product_id }) => user_product_id)
    .filter((found) => found !== null);
}

/** Those that are in no warehouse of the marketplace. */
export function ownUserProductIdsOf(item: Item): string[] {
  return shelvesOf(item)
    .filter(({ inventory_id }) => inventory_id === null)
    .map(({ user_product_id }) => user_product_id)
    .filter((found) => found !== null);
}

export function isInSeveralPlaces({ locations }: PlacedStock): boolean {
  return locations.some(({ type }) => type === 'seller_warehouse');
}

export function toStock(item: Item, stock: StockApart): SourceStock[] {
  return shelvesOf(item).flatMap((shelf) => levelsOf(item, shelf, stock));
}

function levelsOf(
  item: Item,
  shelf: ReturnType<typeof shelvesOf>[number],
  { kept, placed }: StockApart,
): SourceStock[] {
  const there = kept.get(shelf.inventory_id ?? '');
  const places = placed.get(shelf.user_product_id ?? '');
  const variation = variationOf(shelf.attribute_combinations ?? []);
  const title = item.title ?? item.id;
  const thing = {
    itemId: item.id,
    variationId: shelf.id,
    sku: skuOf(shelf) ?? skuOf(item),
    title: variation ? `${title} (${variation})` : title,
  };
  const available = places ? ownStockIn(places) : (shelf.available_quantity ?? 0);
  const own = { ...thing, warehouse: 'seller', available, unavailable: 0 } as const;
  if (!there) return [own];
  const inFull = {
    ...thing,
    warehouse: 'marketplace',
    available: there.available_quantity,
    unavailable: there.not_available_quantity ?? 0,
  } as const;
  // A product may be in the marketplace's warehouses and in the seller's at once.
  return places && isInSeveralPlaces(places) ? [inFull, own] : [inFull];
}

function ownStockIn({ locations }: PlacedStock): number {
  return locations
    .filter(({ type }) => type !== 'meli_facility')
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

function skuOf(thing: {
  seller_custom_field: string | null;
  attributes: readonly { id: string | null; value_name: string | null }[] | null;
}): string | null {
  return (
    thing.attributes?.find((attribute) => attribute.id === 'SELLER_SKU')?.value_name ??
    thing.seller_custom_field
  );
}

/** Names and values of the attributes that distinguish a variation. */
export function variationOf(
  attributes: readonly { name: string | null; value_name: string | null }[],
): string | null {
  const named = attributes
    .filter(({ value_name }) => value_name !== null)
    .map(({ name, value_name }) => (name ? `${name}: ${value_name}` : value_name));
  return named.length > 0 ? named.join(', ') : null;
}
