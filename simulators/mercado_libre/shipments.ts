/** Shipments by their ids: the seller's own alone. */
import type { Call, Reply, Routes } from '../http.ts';
import { firstOfCart, laterExists, shipmentExists } from './facts.ts';
import {
  costsDocument,
  oldShipmentDocument,
  shipmentDocument,
  shipmentItems,
} from './shipment-documents.ts';
import { type Direction, type Found, findShipment, refuse, type Shop } from './shop.ts';

export function shipmentRoutes(shop: Shop): Routes {
  function ownShipment(call: Call): Found & { type: Direction } {
    const seller = shop.caller(call);
    const found = findShipment(shop, call.params.id ?? '');
    const exists = found && shipmentIsThere(shop, found);
    if (!exists) throw refuse(404, 'not_found_shipment_id', `Shipment ${call.params.id} not found`);
    if (found.seller !== seller)
      throw refuse(403, 'forbidden', 'The caller is not the sender of the shipment');
    return found;
  }

  function getShipment(call: Call): Reply {
    const { order, seller, type } = ownShipment(call);
    const write = call.headers['x-format-new'] === 'true' ? shipmentDocument : oldShipmentDocument;
    return { body: write(order, type, seller, shop) };
  }

  return {
    'GET /shipments/:id': getShipment,
    'GET /shipments/:id/items': (call) => {
      const { order, seller, type } = ownShipment(call);
      return { body: shipmentItems(order, type, seller, shop) };
    },
    'GET /shipments/:id/costs': (call) => {
      const { order, seller } = ownShipment(call);
      return { body: costsDocument(order, seller) };
    },
  };
}

function shipmentIsThere(
  shop: Shop,
  { order, seller, type }: Found & { type: Direction },
): boolean {
  if (type !== 'forward') return laterExists(order, type, shop);
  const cart = seller.world.cartOf(order);
  return firstOfCart(order, seller) === order && cart.some((one) => shipmentExists(one, shop));
}
