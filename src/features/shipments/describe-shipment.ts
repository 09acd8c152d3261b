import type { ReadScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import type { ShownShipment } from './fields.ts';
import type { ShipmentIdentity } from './shipment.ts';
import { type Details, storedDetails } from './store-details.ts';
import { eventsOf } from './store-history.ts';
import { shipmentByKey } from './store-page.ts';

interface ShipmentDescription {
  readonly shipment: ShownShipment;
  /** The fields of the carrier's own data model; null = it has none. */
  readonly details: Details | null;
}

/** One shipment with its history and all that its carrier says. @throws Failure not_found */
export async function describeShipment(
  scope: ReadScope,
  { carrier, accountId, id }: ShipmentIdentity,
): Promise<ShipmentDescription> {
  const shipment = await shipmentByKey(scope, { carrier, accountId, id });
  if (!shipment) throw fail('not_found', { message: 'No existe un envío con ese identificador.' });
  const { trackingNumber } = shipment;
  const details =
    trackingNumber === null
      ? null
      : await storedDetails(scope, { carrier, accountId }, [trackingNumber]);
  return {
    shipment: { ...shipment, events: await eventsOf(scope, [shipment]) },
    details: details?.get(trackingNumber ?? '') ?? null,
  };
}
