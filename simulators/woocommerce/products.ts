/**
 * Products and their variations. Some are counted, some are not, and some variations share their
 * product's shelf.
 */
import { dice } from '../dice.ts';
import type { Call, Reply, Routes } from '../http.ts';
import type { Product, Variant } from '../order.ts';
import { productId } from './facts.ts';
import { datesOf, linksOf, paged, type Room, refuse } from './shop.ts';

type Counting = 'each' | 'together' | 'never';

const OPENED = Date.UTC(2026, 0, 5, 16, 20, 3);

/** How the stock of a product is kept. */
export function countingOf({ sku, variants }: Product): Counting {
  const ways: readonly Counting[] =
    variants.length > 0 ? ['each', 'together', 'never'] : ['each', 'each', 'never'];
  return dice('woo counting', sku).pick(ways);
}

export function productRoutes(room: Room): Routes {
  const { world } = room;

  function list(call: Call): Reply {
    room.caller(call);
    const found = world.products
      .map((product) => ({ product, id: productId(product.sku) }))
      .sort((a, b) => (call.query.get('order') === 'asc' ? a.id - b.id : b.id - a.id));
    return paged(call, room, found, ({ product }) => productDocument(product, room));
  }

  function find(call: Call): Product {
    room.caller(call);
    const found = world.products.find(({ sku }) => String(productId(sku)) === call.params.id);
    if (!found) throw refuse(404, 'woocommerce_rest_product_invalid_id', 'Invalid ID.');
    return found;
  }

  /** A variation requested by its own id is a product too. */
  function one(call: Call): Reply {
    room.caller(call);
    for (const product of world.products)
      for (const variant of product.variants)
        if (String(productId(variant.sku)) === call.params.id) {
          const named = { name: `${product.title} - ${variant.value}`, type: 'variation' };
          const parent_id = productId(product.sku);
          return { body: { ...variationDocument(product, variant, room), ...named, parent_id } };
        }
    return { body: productDocument(find(call), room) };
  }

  return {
    'GET /products': list,
    'GET /products/:id': one,
    'GET /products/:id/variations': (call) => {
      const product = find(call);
      const listed = product.variants.map((variant) => ({ variant, id: productId(variant.sku) }));
      if (call.query.get('orderby') === 'id')
        listed.sort((a, b) => (call.query.get('order') === 'asc' ? a.id - b.id : b.id - a.id));
      return paged(call, room, listed, ({ variant }) => variationDocument(product, variant, room));
    },
  };
}

function productDocument(product: Product, room: Room) {
  const { sku, title, price, variants } = product;
  const id = productId(sku);
  const counting = countingOf(product);
  const isCounted = variants.length > 0 ? counting === 'together' : counting === 'each';
  const stock = room.world.stock();
  const quantity = variants.length > 0 ? sumOf(product, room) : (stock.get(sku) ?? 0);
  return {
    id,
    name: title,
    ...datesOf('date_created', OPENED, room),
    ...datesOf('date_modified', OPENED, room),
    type: variants.length > 0 ? 'variable' : 'simple',
    status: 'publish',
    sku,
    price,
    regular_price: price,
    ...stockFields(isCounted, quantity),
    parent_id: 0,
    attributes: [],
    variations: variants.map((variant) => productId(variant.sku)),
    ...linksOf(room, '/products', id),
  };
}

function variationDocument(product: Product, variant: Variant, room: Room) {
  const id = productId(variant.sku);
  const counting = countingOf(product);
  const own = stockFields(counting === 'each', room.world.stock().get(variant.sku) ?? 0);
  const shared = { ...stockFields(true, sumOf(product, room)), manage_stock: 'parent' };
  return {
    id,
    ...datesOf('date_created', OPENED, room),
    ...datesOf('date_modified', OPENED, room),
    sku: variant.sku,
    price: product.price,
    status: 'publish',
    ...(counting === 'together' ? shared : own),
    attributes: [{ id: 6, name: variant.name, option: variant.value }],
    ...linksOf(room, `/products/${productId(product.sku)}/variations`, id),
  };
}

function stockFields(isCounted: boolean, quantity: number) {
  return {
    manage_stock: isCounted as boolean | string,
    stock_quantity: isCounted ? quantity : null,
    stock_status: isCounted && quantity === 0 ? 'outofstock' : 'instock',
    backorders: 'no',
    backorders_allowed: false,
    backordered: false,
  };
}

function sumOf({ variants }: Product, { world }: Room): number {
  const stock = world.stock();
  return variants.reduce((sum, { sku }) => sum + (stock.get(sku) ?? 0), 0);
}
