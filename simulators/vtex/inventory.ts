/** SKUs of the catalogue, and what lies of them in two warehouses. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Product, type Shelf, shelvesOf } from '../order.ts';
import { skuIdOf } from './facts.ts';
import { refuse, type Shop } from './shop.ts';

const MOST_ROWS = 1_000;

interface Found {
  readonly product: Product;
  readonly shelf: Shelf;
}

export function inventoryRoutes(shop: Shop): Routes {
  const shelves = shop.world.products.flatMap((product) =>
    shelvesOf(product).map((shelf): Found => ({ product, shelf })),
  );

  function find(call: Call): Found {
    const found = shelves.find(({ shelf }) => String(skuIdOf(shelf.sku)) === call.params.id);
    if (!found) throw refuse(404, '404', 'SKU not found');
    return found;
  }

  function list(call: Call): Reply {
    shop.admit(call);
    const page = Number(call.query.get('page') ?? 1);
    const size = Math.min(Number(call.query.get('pagesize') ?? MOST_ROWS), MOST_ROWS);
    return {
      body: shelves.map(({ shelf }) => skuIdOf(shelf.sku)).slice((page - 1) * size, page * size),
    };
  }

  function stock(call: Call): Reply {
    shop.admit(call);
    const { shelf } = find(call);
    const left = shop.world.stock().get(shelf.sku) ?? 0;
    const near = Math.floor(left / 3);
    const hasUnlimitedQuantity = shop.switches.unlimited.has(shelf.sku);
    const rows = [
      {
        warehouseId: '1_1',
        warehouseName: 'Bodega Norte',
        totalQuantity: near + 2,
        reservedQuantity: 2,
      },
      {
        warehouseId: '1_2',
        warehouseName: 'Bodega Sur',
        totalQuantity: left - near,
        reservedQuantity: 0,
      },
    ];
    const usual = {
      hasUnlimitedQuantity,
      timeToRefill: null,
      dateOfSupplyUtc: null,
      leadTime: '00:00:00',
    };
    return { body: { skuId: call.params.id, balance: rows.map((row) => ({ ...row, ...usual })) } };
  }

  function sku(call: Call): Reply {
    shop.admit(call, 'catalogue');
    const { product, shelf } = find(call);
    return {
      body: {
        Id: Number(call.params.id),
        ProductId: skuIdOf(product.sku),
        NameComplete: product.title,
        ProductName: product.title,
        SkuName: product.title,
        IsActive: true,
        AlternateIds: { RefId: shelf.sku },
        AlternateIdValues: [shelf.sku],
      },
    };
  }

  return {
    'GET /api/catalog_system/pvt/sku/stockkeepingunitids': list,
    'GET /api/catalog_system/pvt/sku/stockkeepingunitbyid/:id': sku,
    'GET /api/logistics/pvt/inventory/skus/:id': stock,
  };
}
