import type { ShipmentCategory } from '../../carriers/contract.ts';
import type { OutgoingEvent } from '../webhooks-out/index.ts';
import { writeShipment } from './fields.ts';
import type { Shipment } from './shipment.ts';

/** A shipment that was not known before. Its history is read elsewhere. */
export function shipmentCreated(shipment: Shipment): OutgoingEvent {
  return { type: 'shipment.created', data: writeShipment({ ...shipment, events: [] }, 'event') };
}

/** @param former its status before */
export function shipmentMoved(shipment: Shipment, former: ShipmentCategory): OutgoingEvent {
  return {
    type: 'shipment.status_changed',
    changed: ['status'],
    previousStatus: former,
    data: writeShipment({ ...shipment, events: [], formerCategory: former }, 'event'),
  };
}
