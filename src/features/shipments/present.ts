import type { ShipmentPackage, ShipmentPlace } from '../../carriers/contract.ts';
import { rawNumber } from '../../platform/json.ts';
import { add, type Decimal, multiply, ZERO } from '../../platform/money.ts';
import { formatMillis, type Instant } from '../../platform/time.ts';
import type { ListedShipment } from './list-shipments.ts';
import type { Shipment, ShipmentEvent } from './shipment.ts';

/** The public shipment, for tools, screens and events. Streets, names and telephones of buyers are never in it. */
export function presentShipment(shipment: Shipment, events: readonly ShipmentEvent[]) {
  return {
    id: shipment.id,
    carrier: shipment.carrier,
    account_id: shipment.accountId,
    tracking_number: shipment.trackingNumber,
    guide_number: shipment.guideNumber,
    status: shipment.category,
    carrier_status: shipment.carrierStatus,
    is_damaged: shipment.isDamaged,
    is_return: shipment.isReturn,
    parent_id: shipment.parentId,
    final_carrier: shipment.finalCarrier,
    service_type: shipment.serviceType,
    cost: amount(shipment.cost),
    currency: shipment.currency,
    declared_value: amount(shipment.declaredValue),
    created_at: formatMillis(shipment.createdAt),
    picked_up_at: millis(shipment.pickedUpAt),
    delivered_at: millis(shipment.deliveredAt),
    estimated_delivery: millis(shipment.estimatedDelivery),
    origin: placeOf(shipment.origin),
    destination: placeOf(shipment.destination),
    contents: contentsOf(shipment.packages),
    weight_kg: amount(weightOf(shipment.packages)),
    dimensions_cm: shipment.packages.map((one) => ({
      length: amount(one.lengthCm),
      width: amount(one.widthCm),
      height: amount(one.heightCm),
    })),
    order_ref: {
      reference: shipment.orderReference,
      marketplace: shipment.order?.marketplace ?? null,
      account_id: shipment.order?.accountId ?? null,
      order_id: shipment.order?.id ?? null,
    },
    events: events.map((event) => ({
      code: event.code,
      status: event.category,
      description: event.description,
      location: event.location,
      occurred_at: formatMillis(event.occurredAt),
      source: event.source,
    })),
  };
}

export interface ListedView {
  readonly fields: 'compact' | 'full';
  /** What the carrier charges is the seller's own money; who does not see that gets the shipment without it. */
  readonly seesCost: boolean;
}

/** A shipment of a list, for agents: where it comes from and goes to is told by city, without the postal code. */
export function presentListed({ shipment, events }: ListedShipment, { fields, seesCost }: ListedView) {
  const { cost, ...rest } = presentShipment(shipment, events);
  const shown = { ...rest, ...(seesCost && { cost }) };
  const [origin, destination] = [cityOf(shipment.origin), cityOf(shipment.destination)];
  if (fields === 'full') return { ...shown, origin, destination };
  return {
    id: shown.id,
    carrier: shown.carrier,
    account_id: shown.account_id,
    tracking_number: shown.tracking_number,
    guide_number: shown.guide_number,
    status: shown.status,
    carrier_status: shown.carrier_status,
    is_return: shown.is_return,
    ...(seesCost && { cost }),
    currency: shown.currency,
    created_at: shown.created_at,
    delivered_at: shown.delivered_at,
    estimated_delivery: shown.estimated_delivery,
    destination,
    order_ref: shown.order_ref,
  };
}

function cityOf(place: ShipmentPlace | null) {
  return place && { city: place.city, state: place.state };
}

function placeOf(place: ShipmentPlace | null) {
  return place && { city: place.city, state: place.state, zipcode: place.zipcode };
}

function contentsOf(packages: readonly ShipmentPackage[]): string | null {
  const contents = new Set(packages.flatMap(({ content }) => content ?? []));
  return contents.size > 0 ? [...contents].join(', ') : null;
}

/** Null where one of the packages was not weighed: a part of the weight is not the weight. */
function weightOf(packages: readonly ShipmentPackage[]): Decimal | null {
  let sum = ZERO;
  for (const { weightKg, quantity } of packages) {
    if (weightKg === null) return null;
    sum = add(sum, multiply(weightKg, quantity));
  }
  return packages.length > 0 ? sum : null;
}

function amount(value: Decimal | null) {
  return value === null ? null : rawNumber(value);
}

function millis(instant: Instant | null): string | null {
  return instant && formatMillis(instant);
}
