/** Shipments of all carriers in common terms, their events, and the orders that they carry. */

export { shipmentsCarrying } from './carrying.ts';
export { describeShipment } from './describe-shipment.ts';
export { organizationsToSealShipments, sealShipments, shipmentDocument } from './documents.ts';
export { SHIPMENT, type ShownShipment, writeShipment } from './fields.ts';
export { forgetRecipients } from './forget-recipients.ts';
export { linkOrphans } from './link-orphans.ts';
export { listOrphans } from './list-orphans.ts';
export {
  listShipments,
  listShipmentsOfOrder,
  SHIPMENT_FILTERS,
  type ShipmentQuery,
} from './list-shipments.ts';
export { type RecordedEvent, recordEvents } from './record-events.ts';
export { recordShipments } from './record-shipments.ts';
export { recordTraced } from './record-traced.ts';
export { nameGuide, ordersOfGuide, relatingOrders } from './relate-order.ts';
export { settleShipments, settleWaiting } from './settle-shipments.ts';
export { quietShipments, shipmentsOfChangedDays } from './store-due.ts';
export { RETENTIONS } from './store-events.ts';
export { carrierEventsBySlot } from './store-figures.ts';
export {
  newestUnsettled,
  oldestUnsettled,
  removeUnsettled,
  unsettledOrganizations,
} from './store-unsettled.ts';
export { openShipments, statesOf as shipmentStates } from './store-versions.ts';
