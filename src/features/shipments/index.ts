/** Shipments of all carriers in common words, what happened to them, and the orders that they carry. */
export {
  type ListedShipment,
  listShipments,
  type ShipmentPage,
  type ShipmentQuery,
} from './list-shipments.ts';
export { presentShipment } from './present.ts';
export { recordShipments } from './record-shipments.ts';
export { relatingOrders } from './relate-order.ts';
export type { CarrierSource, Shipment, ShipmentEvent, ShipmentIdentity } from './shipment.ts';
export { openShipments, statesOf as shipmentStates } from './store.ts';
