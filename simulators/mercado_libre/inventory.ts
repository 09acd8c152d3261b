/** Items and their stock. */
import { dice } from '../dice.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { type Product, shelvesOf, stepAt } from '../order.ts';
import { inventoryId, itemId, userProductId, variationId } from './facts.ts';
import { refuse, type Seller, type Shop } from './shop.ts';

const PAGE = { usual: 50, most: 100 };
const DEEPEST_OFFSET = 1_000;
const MOST_IDS = 20;
const SCROLL_LIFE = 300_000;
const FIRST_LISTED = Date.parse('2026-01-05T13:32:15Z');

export function inventoryRoutes(shop: Shop): Routes {
  const { scrolledTo, scrollTo } = openScrolls(shop);

  function listItems(call: Call): Reply {
    const seller = shop.caller(call);
    if (call.params.user !== String(seller.id))
      throw refuse(403, 'forbidden', 'caller.id is not the seller');
    const limit = Math.min(Number(call.query.get('limit') ?? PAGE.usual), PAGE.most);
    const stock = seller.world.stock();
    const status = call.query.get('status');
    const userProducts = call.query.get('user_product_id')?.split(',');
    const ids = seller.world.products
      .filter((product) => status === null || status === statusOf(product, stock))
      .filter(
        (product) =>
          !userProducts ||
          shelvesOf(product).some(({ sku }) => userProducts.includes(userProductId(sku))),
      )
      .map((product) => itemId(product.sku));
    const scan = call.query.get('search_type') === 'scan';
    const offset = scan
      ? scrolledTo(call.query.get('scroll_id'))
      : Number(call.query.get('offset') ?? 0);
    // Further in only with search_type=scan.
    if (offset + limit > DEEPEST_OFFSET && !scan)
      throw refuse(400, 'validation_error', 'Invalid limit and offset values');
    return {
      body: {
        seller_id: String(seller.id),
        results: ids.slice(offset, offset + limit),
        ...(scan && { scroll_id: scrollTo(offset + limit, call.query.get('scroll_id')) }),
        paging: { limit, offset, total: ids.length + shop.switches.unlistedItems },
        query: null,
        orders: [{ id: 'stop_time_asc', name: 'Order by stop time ascending' }],
        available_orders: [],
      },
    };
  }

  return {
    'GET /users/:user/items/search': listItems,
    'GET /items': (call) => getItems(shop, call),
    'GET /inventories/:id/stock/fulfillment': (call) => getFulfillmentStock(shop, call),
    'GET /user-products/:id/stock': (call) => getUserProductStock(shop, call),
  };
}

function openScrolls(shop: Shop) {
  const scrolls = new Map<string, { offset: number; until: number }>();
  let scrollCount = 0;

  function scrolledTo(id: string | null): number {
    if (id === null) return 0;
    const scroll = scrolls.get(id);
    if (!scroll || scroll.until <= shop.now())
      throw refuse(400, 'invalid_scroll_id', 'The scroll_id has expired');
    return scroll.offset;
  }

  function scrollTo(offset: number, former: string | null): string {
    const keeps = shop.switches.scrollKeepsId && former !== null;
    if (!keeps) scrollCount += 1;
    const id = keeps ? former : Buffer.from(`scroll-${scrollCount}`).toString('base64url');
    scrolls.set(id, { offset, until: shop.now() + SCROLL_LIFE });
    return id;
  }

  return { scrolledTo, scrollTo };
}

function getItems(shop: Shop, call: Call): Reply {
  const seller = shop.caller(call);
  const ids = (call.query.get('ids') ?? '').split(',').filter(Boolean);
  if (ids.length === 0 || ids.length > MOST_IDS)
    throw refuse(400, 'validation_error', `ids: 1 to ${MOST_IDS}`);
  const stock = seller.world.stock();
  const wanted = call.query.get('attributes')?.split(',');
  return {
    body: ids.map((id) => {
      const product = shop.switches.goneItems.has(id) ? undefined : productOf(seller, itemId, id);
      if (product)
        return { code: 200, body: pruned(itemDocument(product, seller, stock, shop), wanted) };
      const body = {
        message: `Item with id ${id} not found`,
        error: 'not_found',
        status: 404,
        cause: [],
      };
      return { code: 404, body };
    }),
  };
}

function getFulfillmentStock(shop: Shop, call: Call): Reply {
  const seller = shop.caller(call);
  const id = call.params.id ?? '';
  const found = kept(seller).find(({ sku }) => inventoryId(sku) === id);
  if (!found) {
    const elsewhere = shop.sellers.some((other) =>
      kept(other).some(({ sku }) => inventoryId(sku) === id),
    );
    if (elsewhere)
      throw refuse(403, 'forbidden', `User ${seller.id} cannot access to seller_product ${id}`);
    throw refuse(404, 'seller_product_not_found', `Seller product ${id} not found`);
  }
  const available = seller.world.stock().get(found.sku) ?? 0;
  const detail = ['damage', 'transfer']
    .map((status) => ({ status, quantity: dice(id, status).whole(0, 2) }))
    .filter(({ quantity }) => quantity > 0);
  const missing = detail.reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    body: {
      inventory_id: id,
      total: available + missing,
      available_quantity: available,
      not_available_quantity: missing,
      not_available_detail: detail,
      external_references: [
        {
          type: 'item',
          id: itemId(found.product.sku),
          variation_id: found.sku === found.product.sku ? null : variationId(found.sku),
        },
      ],
    },
  };
}

function getUserProductStock(shop: Shop, call: Call): Reply {
  const seller = shop.caller(call);
  const id = call.params.id ?? '';
  const found = shelvesIn(seller).find(({ sku }) => userProductId(sku) === id);
  if (!found) throw refuse(404, 'seller_product_not_found', `User product ${id} not found`);
  const quantity = seller.world.stock().get(found.sku) ?? 0;
  const here = Math.floor(quantity / 3);
  const { keptByMarketplace } = found.product;
  const own = shop.switches.besideFull.get(found.sku);
  const locations = [
    { type: keptByMarketplace ? 'meli_facility' : 'selling_address', quantity },
    ...(own === undefined ? [] : [{ type: 'seller_warehouse', store_id: '7001', quantity: own }]),
  ];
  const places = [
    { type: 'seller_warehouse', store_id: '7001', quantity: here },
    { type: 'seller_warehouse', store_id: '7002', quantity: quantity - here },
  ];
  return {
    headers: { 'x-version': '1' },
    body: {
      id,
      user_id: seller.id,
      locations: shop.switches.multiOrigin && !keptByMarketplace ? places : locations,
    },
  };
}

function itemDocument(
  product: Product,
  seller: Seller,
  stock: ReadonlyMap<string, number>,
  { switches, now }: Shop,
) {
  const inventory = (sku: string) => (product.keptByMarketplace ? inventoryId(sku) : null);
  // With stock kept per place, the item's own number is not authoritative.
  const shown = (quantity: number) => (switches.multiOrigin ? Math.min(quantity, 1) : quantity);
  return {
    id: itemId(product.sku),
    site_id: 'MLM',
    title: product.title,
    seller_id: seller.id,
    price: Number(product.price),
    currency_id: 'MXN',
    available_quantity: shown(quantityOf(product, stock)),
    sold_quantity: dice('sold', product.sku).whole(0, 400),
    status: statusOf(product, stock),
    seller_custom_field: product.variants.length > 0 ? null : product.sku,
    inventory_id: product.variants.length > 0 ? null : inventory(product.sku),
    // A user product is one variation; an item that has several names none itself.
    user_product_id: product.variants.length > 0 ? null : userProductId(product.sku),
    variations: product.variants.map((variant) => ({
      id: variationId(variant.sku),
      price: Number(product.price),
      attribute_combinations: [
        {
          id: variant.name.toUpperCase(),
          name: variant.name,
          value_id: null,
          value_name: variant.value,
        },
      ],
      available_quantity: shown(stock.get(variant.sku) ?? 0),
      sold_quantity: dice('sold', variant.sku).whole(0, 90),
      seller_custom_field: variant.sku,
      inventory_id: inventory(variant.sku),
      user_product_id: userProductId(variant.sku),
    })),
    last_updated: new Date(lastSaleOf(product, seller, now())).toISOString(),
  };
}

/** When its stock last moved; long ago if never. */
function lastSaleOf(product: Product, { world }: Seller, now: number): number {
  const sold = world
    .orders()
    .findLast(({ lines }) => lines.some((line) => line.product === product));
  return sold ? stepAt(sold, now).at : FIRST_LISTED;
}

function productOf(seller: Seller, idOf: (sku: string) => string, id: string): Product | undefined {
  return seller.world.products.find(({ sku }) => idOf(sku) === id);
}

/** Everything in Mercado Libre's own warehouses, per variant. */
function kept(seller: Seller): { sku: string; product: Product }[] {
  return shelvesIn(seller).filter(({ product }) => product.keptByMarketplace);
}

function shelvesIn({ world }: Seller): { sku: string; product: Product }[] {
  return world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => ({ sku, product })),
  );
}

function quantityOf(product: Product, stock: ReadonlyMap<string, number>): number {
  return shelvesOf(product).reduce((sum, { sku }) => sum + (stock.get(sku) ?? 0), 0);
}

function statusOf(product: Product, stock: ReadonlyMap<string, number>): string {
  return quantityOf(product, stock) > 0 ? 'active' : 'paused';
}

function pruned(
  document: Record<string, unknown>,
  wanted: readonly string[] | undefined,
): Record<string, unknown> {
  if (!wanted) return document;
  return Object.fromEntries(Object.entries(document).filter(([name]) => wanted.includes(name)));
}
