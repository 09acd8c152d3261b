/** Products with their variants: every product has one at least. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Product, shelvesOf } from '../order.ts';
import { productId, variantId } from './facts.ts';
import { described, pageOf, type Room, withFields } from './shop.ts';

const CREATED = '2026-01-05T16:20:03+0000';

export function productRoutes(room: Room, base: string): Routes {
  const { world } = room.store;

  function list(call: Call): Reply {
    room.admit(call);
    const reply = pageOf(call, world.products);
    const stock = world.stock();
    const documents = (reply.body as Product[]).map((product) => productDocument(product, stock));
    return { ...reply, body: withFields(call, documents) };
  }

  function one(call: Call, answer: (product: Product) => Reply): Reply {
    room.admit(call);
    const product = world.products.find(({ sku }) => String(productId(sku)) === call.params.id);
    return product
      ? answer(product)
      : described(404, 'Not Found', 'Product with such id does not exist');
  }

  return {
    [`GET ${base}/products`]: list,
    [`GET ${base}/products/:id`]: (call) =>
      one(call, (product) => ({ body: productDocument(product, world.stock()) })),
    [`GET ${base}/products/:id/variants`]: (call) =>
      one(call, (product) => pageOf(call, variantDocuments(product, world.stock()))),
  };
}

function productDocument(product: Product, stock: ReadonlyMap<string, number>) {
  return {
    id: productId(product.sku),
    name: { en: product.title, es: product.title },
    description: { es: '' },
    handle: { es: product.sku.toLowerCase() },
    attributes: product.variants.length > 0 ? [{ es: product.variants[0]?.name }] : [],
    published: true,
    free_shipping: false,
    requires_shipping: true,
    variants: variantDocuments(product, stock),
    images: [],
    categories: [],
    tags: '',
    created_at: CREATED,
    updated_at: CREATED,
  };
}

/** What the marketplace would keep elsewhere is sold without counting here. */
function variantDocuments(product: Product, stock: ReadonlyMap<string, number>) {
  const isCounted = !product.keptByMarketplace;
  return shelvesOf(product).map(({ sku }) => ({
    id: variantId(sku),
    image_id: null,
    promotional_price: null,
    created_at: CREATED,
    updated_at: CREATED,
    depth: null,
    height: null,
    width: null,
    weight: '0.50',
    values: product.variants
      .filter((variant) => variant.sku === sku)
      .map(({ value }) => ({ es: value })),
    price: product.price,
    product_id: productId(product.sku),
    stock_management: isCounted,
    stock: isCounted ? (stock.get(sku) ?? 0) : null,
    sku,
    mpn: null,
    cost: null,
  }));
}
