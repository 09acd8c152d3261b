import type { Carrier } from '../../carriers/contract.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type OrderIdentity, orderKey } from '../orders/index.ts';
import { bearersOf, ordersMeant, shipmentKeyOf, valuesOf } from './relate-order.ts';
import type { Shipment } from './shipment.ts';
import * as store from './store-relations.ts';

/** What travels in one parcel. */
interface Load {
  readonly packId: string | null;
  readonly orders: readonly OrderIdentity[];
  /** Those of them that still need the parcel. */
  readonly wanted: readonly OrderIdentity[];
}

/**
 * Living shipments of a carrier that take these orders to their buyer. One that names their pack
 * alone is linked to no order where the pack has several.
 */
export async function shipmentsCarrying(
  scope: ReadScope,
  carrier: Carrier,
  { packId, orders, wanted }: Load,
): Promise<Shipment[]> {
  const linked = await store.shipmentsOf(scope, wanted);
  const ofPack = packId === null ? [] : await store.shipmentsNaming(scope, [packId]);
  const bearers = await bearersOf(scope, ofPack.flatMap(valuesOf));
  const own = new Set(orders.map(orderKey));
  const whole = ofPack.filter((shipment) => {
    const meant = ordersMeant(shipment, bearers);
    return meant.length > 1 && meant.every((order) => own.has(orderKey(order)));
  });
  const distinct = new Map([...linked, ...whole].map((one) => [shipmentKeyOf(one), one]));
  return [...distinct.values()].filter(
    (shipment) =>
      shipment.carrier === carrier && !shipment.isReturn && shipment.category !== 'CANCELADO',
  );
}
