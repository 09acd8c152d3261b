import { z } from 'zod';
import type { Decimal } from '../../platform/money.ts';
import { inTable } from '../../platform/word-table.ts';
import type { OrderStatus, SourceShipping } from '../contract.ts';
import { amount, id, instant, looseText, optional } from '../wire-fields.ts';

// Only the fields that we use, in both shapes of a shipment: with `x-format-new` and the older flat
// one.

export const Shipment = z.object({
  id,
  status: z.string(),
  substatus: looseText,
  last_updated: optional(instant),
  tracking_number: looseText,
  tracking_method: looseText,
  logistic: optional(z.object({ type: looseText })),
  logistic_type: looseText,
  lead_time: optional(z.object({ cost: optional(amount) })),
  shipping_option: optional(z.object({ cost: optional(amount) })),
  destination: optional(z.object({ receiver_name: looseText })),
  receiver_address: optional(z.object({ receiver_name: looseText })),
  status_history: optional(
    z.object({ date_shipped: optional(instant), date_delivered: optional(instant) }),
  ),
});
export type Shipment = z.infer<typeof Shipment>;

/**
 * `GET /orders/{id}/shipments` answers a list, whose order means nothing, or (older) one shipment.
 */
export const OrderShipments = z.array(z.object({ id, type: z.string() }));
export const ShipmentItems = z.array(z.object({ order_id: optional(id) }));

/** Parcels after the one to the buyer: back to the seller, and from there to the buyer again. */
const AFTERWARDS = ['return', 'return_to_buyer'] as const;
type Afterwards = (typeof AFTERWARDS)[number];

export function isAfterwards(type: string): type is Afterwards {
  return AFTERWARDS.some((known) => known === type);
}

/** A later parcel of an order as it was received, with its type in the order's list. */
export const LaterDocument = z.object({ type: z.enum(AFTERWARDS), shipment: z.unknown() });
export type LaterDocument = z.infer<typeof LaterDocument>;

export const LaterParcel = z.object({ type: z.enum(AFTERWARDS), shipment: Shipment });
export type LaterParcel = z.infer<typeof LaterParcel>;

/** The keys are `status/substatus`, else `status`. */
const BY_SHIPMENT: Readonly<Record<string, OrderStatus>> = {
  pending: 'paid',
  handling: 'paid',
  to_be_agreed: 'paid',
  cancelled: 'paid',
  not_verified: 'paid',
  not_specified: 'paid',
  active: 'paid',
  ready_to_ship: 'ready_to_ship',
  'ready_to_ship/ready_to_print': 'paid',
  'ready_to_ship/regenerating': 'paid',
  'ready_to_ship/invoice_pending': 'paid',
  'ready_to_ship/buffered': 'paid',
  'ready_to_ship/picked_up': 'shipped',
  'ready_to_ship/dropped_off': 'shipped',
  'ready_to_ship/in_hub': 'shipped',
  'ready_to_ship/authorized_by_carrier': 'shipped',
  'ready_to_ship/in_packing_list': 'ready_to_ship',
  stale_ready_to_ship: 'ready_to_ship',
  shipped: 'shipped',
  stale_shipped: 'shipped',
  delivered: 'delivered',
  closed: 'delivered',
  not_delivered: 'returned',
};

/** The status of a paid order by its shipments; null = none gives it. */
export function statusByShipments(
  forward: Shipment | null,
  later: readonly LaterParcel[],
): OrderStatus | null {
  const sentAgain = later.filter(isOnItsWayAgain).map(({ shipment }) => shipment);
  const returns = later.filter(
    ({ type, shipment }) => type === 'return' && shipment.status === 'delivered',
  );
  // Each return that arrived puts the goods with the seller, each parcel that left again takes them
  // away.
  if (returns.length > sentAgain.length) return 'returned';
  const last = sentAgain.find(({ status }) => status !== 'delivered') ?? sentAgain[0] ?? forward;
  return (
    last && (inTable(BY_SHIPMENT, `${last.status}/${last.substatus}`, last.status) ?? 'unknown')
  );
}

function isOnItsWayAgain({ type, shipment }: LaterParcel): boolean {
  return type === 'return_to_buyer' && ['shipped', 'delivered'].includes(shipment.status);
}

const ON_ITS_WAY = ['pending', 'handling', 'ready_to_ship', 'shipped'];

/** A return that has neither arrived nor been given up. */
export function isOnItsWayBack({ type, shipment }: LaterParcel): boolean {
  return type === 'return' && ON_ITS_WAY.includes(shipment.status);
}

/** The buyer's price of it. */
export function shippingCostOf(shipment: Shipment | null): Decimal | null {
  return shipment?.lead_time?.cost ?? shipment?.shipping_option?.cost ?? null;
}

export function receiverOf(shipment: Shipment | null): string | null {
  return shipment?.destination?.receiver_name ?? shipment?.receiver_address?.receiver_name ?? null;
}

export function logisticOf(shipment: Shipment | null): string | null {
  return shipment?.logistic?.type ?? shipment?.logistic_type ?? null;
}

/** The new shape has no times of dispatch or delivery. */
export function toShipping(shipment: Shipment): SourceShipping {
  return {
    carrier: shipment.tracking_method,
    trackingNumber: shipment.tracking_number,
    method: logisticOf(shipment),
    status: shipment.status,
    shippedAt: shipment.status_history?.date_shipped ?? null,
    deliveredAt: shipment.status_history?.date_delivered ?? null,
  };
}
