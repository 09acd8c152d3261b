import type { ShipmentCategory } from '../../carriers/contract.ts';
import type { Shipment } from './shipment.ts';

/**
 * States that keep an order from being delivered come first: an order is delivered once every
 * parcel has arrived.
 */
const FURTHEST_BEHIND: readonly ShipmentCategory[] = [
  'SINIESTRADO',
  'DEVOLUCION',
  'INCIDENCIA',
  'PREPARACION',
  'EN_TRANSITO',
  'ENTREGADO',
];

/**
 * The parcel that gives an order's delivery status. A return never does. Of several deliveries,
 * cancelled ones, and failed ones that were replaced, do not count; of the others the one furthest
 * behind counts, and of those delivered the last. Where all were cancelled, the newest counts.
 */
export function deliveryOf(parcels: readonly Shipment[]): Shipment | null {
  const deliveries = parcels.filter(({ isReturn }) => !isReturn).toSorted(byNewest);
  const valid = deliveries.filter(({ category }) => category !== 'CANCELADO');
  const standing = valid.filter((parcel) => !isSentAnew(parcel, valid));
  const worst = FURTHEST_BEHIND.find((category) =>
    standing.some((parcel) => parcel.category === category),
  );
  const equal = standing.filter(({ category }) => category === worst);
  if (worst === 'ENTREGADO') return equal.toSorted(byLastDelivered)[0] ?? null;
  return equal[0] ?? deliveries[0] ?? null;
}

/**
 * A lost parcel, or one on its way back, that was replaced by another: by its child, or by one made
 * after it had left.
 */
function isSentAnew(failed: Shipment, others: readonly Shipment[]): boolean {
  if (failed.category !== 'SINIESTRADO' && failed.category !== 'DEVOLUCION') return false;
  const leftAt = failed.pickedUpAt ?? failed.createdAt;
  return others.some((other) => {
    return isChildOf(other, failed) || Temporal.Instant.compare(other.createdAt, leftAt) > 0;
  });
}

function isChildOf({ carrier, accountId, parentId }: Shipment, parent: Shipment): boolean {
  return parentId === parent.id && carrier === parent.carrier && accountId === parent.accountId;
}

/** By id where two were made at one instant, so that the order is always the same. */
function byNewest(a: Shipment, b: Shipment): number {
  return Temporal.Instant.compare(b.createdAt, a.createdAt) || (a.id < b.id ? 1 : -1);
}

function byLastDelivered(a: Shipment, b: Shipment): number {
  return Temporal.Instant.compare(b.deliveredAt ?? b.createdAt, a.deliveredAt ?? a.createdAt);
}
