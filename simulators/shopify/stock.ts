/** What is on the shelves. */
import { dice } from '../dice.ts';
import { type Shelf, shelvesOf } from '../order.ts';
import type { World } from '../world.ts';
import { type ListArgs, pageOf } from './graphql.ts';
import { iso } from './shown.ts';

export function itemId(sku: string): string {
  return String(9_100_000_000_000 + dice('inventory item', sku).whole(0, 899_999_999));
}

const PLACES = [
  { id: 'gid://shopify/Location/91000000001', name: 'Bodega' },
  { id: 'gid://shopify/Location/91000000002', name: 'Mostrador' },
] as const;
const RESERVED = 2;

/**
 * Two thirds of the stock are in the warehouse, the rest at the counter; two pieces of each are not
 * for sale.
 */
function itemDocument(shelf: Shelf, title: string, available: number, updatedAt: number) {
  const counter = Math.floor(available / 3);
  const levels = PLACES.map((location, index) => {
    const here = index === 0 ? available - counter : counter;
    const held = index === 0 ? RESERVED : 0;
    const quantity = (name: string, pieces: number) => ({
      name,
      quantity: pieces,
      updatedAt: iso(updatedAt),
    });
    const known = [
      quantity('available', here),
      quantity('on_hand', here + held),
      quantity('committed', held),
      quantity('reserved', 0),
    ];
    return {
      location,
      updatedAt: iso(updatedAt),
      quantities: ({ names }: { names: readonly string[] }) =>
        known.filter(({ name }) => names.includes(name)),
    };
  });
  return {
    id: `gid://shopify/InventoryItem/${itemId(shelf.sku)}`,
    sku: shelf.sku,
    tracked: true,
    updatedAt: iso(updatedAt),
    variants: () => ({ nodes: [{ displayName: title }] }),
    inventoryLevels: (args: ListArgs) => pageOf(levels, (_, index) => String(index), args),
  };
}

export function itemDocuments(world: World): ReturnType<typeof itemDocument>[] {
  const stock = world.stock();
  return world.products.flatMap((product) =>
    shelvesOf(product).map((shelf) => {
      const kind = product.variants.find(({ sku }) => sku === shelf.sku);
      const title = `${product.title} - ${kind?.value ?? 'Default Title'}`;
      return itemDocument(shelf, title, stock.get(shelf.sku) ?? 0, world.now());
    }),
  );
}
