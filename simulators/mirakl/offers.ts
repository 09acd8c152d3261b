/** Offers: one number for each shelf. */
import type { Call, Reply, Routes } from '../http.ts';
import { type Product, shelvesOf } from '../order.ts';
import { offerId } from './documents.ts';
import { offsetPage, type Room, refuse, refuseUnknown, type Shop } from './shop.ts';

export function offerRoutes(room: Room): Routes {
  function list(call: Call): Reply {
    const shop = room.caller(call);
    refuseUnknown(call, ['sku', 'product_id', 'max', 'offset']);
    const sku = call.query.get('sku');
    const { page, total_count } = offsetPage(
      call,
      offersOf(shop).filter(({ shop_sku }) => sku === null || sku === shop_sku),
    );
    return { body: { offers: page, total_count } };
  }

  function quantity(call: Call): Reply {
    const found = offersOf(room.caller(call)).find(
      ({ offer_id }) => String(offer_id) === call.params.id,
    );
    if (!found) throw refuse(404, `Offer with id '${call.params.id}' not found`);
    return { body: { offer_id: found.offer_id, quantity: found.quantity } };
  }

  return { 'GET /api/offers': list, 'GET /api/offers/:id/quantity': quantity };
}

function offersOf({ world }: Shop) {
  const stock = world.stock();
  return world.products.flatMap((product) =>
    shelvesOf(product).map(({ sku }) => offerDocument(product, sku, stock.get(sku) ?? 0)),
  );
}

function offerDocument(product: Product, sku: string, quantity: number) {
  const price = Number(product.price);
  return {
    active: quantity > 0,
    all_prices: [
      { channel_code: null, price, unit_discount_price: null, unit_origin_price: price },
    ],
    category_code: 'GENERAL',
    category_label: 'General',
    currency_iso_code: 'MXN',
    description: null,
    discount: null,
    inactivity_reasons: quantity > 0 ? [] : ['ZERO_QUANTITY'],
    leadtime_to_ship: 2,
    offer_additional_fields: [],
    offer_id: offerId(sku),
    price,
    product_sku: `P${sku}`,
    product_title: product.title,
    quantity,
    shop_sku: sku,
    state_code: '11',
    total_price: price,
    warehouses: null,
  };
}
