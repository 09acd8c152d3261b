import type {
  Carrier,
  ChannelRelation,
  ShipmentCategory,
  ShipmentLocation,
  ShipmentPackage,
} from '../../carriers/contract.ts';
import type { Marketplace } from '../../connectors/contract.ts';
import type { Rows } from '../../platform/db/schema.ts';
import type { OrderIdentity } from '../orders/index.ts';
import type { Shipment } from './shipment.ts';

/** The columns of a shipment's content: those that a version replaces. */
export const CONTENT_COLUMNS = [
  'id',
  'tracking_number',
  'guide_number',
  'category',
  'carrier_status',
  'is_final',
  'is_damaged',
  'is_return',
  'parent_id',
  'final_carrier',
  'service_type',
  'cost',
  'currency',
  'declared_value',
  'created_at',
  'picked_up_at',
  'delivered_at',
  'estimated_delivery',
  'origin',
  'destination',
  'packages',
  'order_reference',
  'relations',
] as const;

const COLUMNS = [
  'carrier',
  'account_id',
  'connection_id',
  ...CONTENT_COLUMNS,
  'order_marketplace',
  'order_account_id',
  'order_id',
] as const;

export type ShipmentRow = Pick<Rows['shipments'], (typeof COLUMNS)[number]>;

/** The columns that are read of a shipment, where the table is called `s`. */
export const SHOWN = COLUMNS.map((column) => `s.${column}`).join(', ');

export function shipmentOf(row: ShipmentRow): Shipment {
  return {
    carrier: row.carrier as Carrier,
    accountId: row.account_id,
    connectionId: row.connection_id,
    id: row.id,
    trackingNumber: row.tracking_number,
    guideNumber: row.guide_number,
    category: row.category as ShipmentCategory,
    carrierStatus: row.carrier_status,
    isFinal: row.is_final,
    isDamaged: row.is_damaged,
    isReturn: row.is_return,
    parentId: row.parent_id,
    finalCarrier: row.final_carrier,
    serviceType: row.service_type,
    cost: row.cost,
    currency: row.currency,
    declaredValue: row.declared_value,
    createdAt: row.created_at,
    pickedUpAt: row.picked_up_at,
    deliveredAt: row.delivered_at,
    estimatedDelivery: row.estimated_delivery,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as ShipmentLocation),
    destination:
      row.destination === null ? null : (JSON.parse(row.destination) as ShipmentLocation),
    packages: JSON.parse(row.packages) as ShipmentPackage[],
    orderReference: row.order_reference,
    relations: JSON.parse(row.relations) as ChannelRelation[],
    order: orderOf(row),
  };
}

function orderOf({
  order_marketplace,
  order_account_id,
  order_id,
}: ShipmentRow): OrderIdentity | null {
  if (order_marketplace === null || order_account_id === null || order_id === null) return null;
  return {
    marketplace: order_marketplace as Marketplace,
    accountId: order_account_id,
    id: order_id,
  };
}
