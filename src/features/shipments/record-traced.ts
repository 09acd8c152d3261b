import type { ReportedEvent, SourceShipment, Standing } from '../../carriers/contract.ts';
import { findCarrier } from '../../carriers/registry.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { ensureClock } from '../orders/index.ts';
import { type RecordOptions, recordShipments } from './record-shipments.ts';
import type { CarrierSource, Shipment } from './shipment.ts';
import { type Details, storedDetails, upsertDetails } from './store-details.ts';
import { linkOf, reportedEventsOf } from './store-events.ts';
import { byIds, lockShipments } from './store-versions.ts';

/**
 * Records readings of a carrier that also sends webhooks. A reading that is behind reverts no
 * event, since a shipment's status follows from all its events together. Fields that a reading
 * lacks stay.
 * @returns how many were new or different
 */
export async function recordTraced(
  scope: WriteScope,
  source: CarrierSource,
  shipments: readonly SourceShipment[],
  options: RecordOptions,
): Promise<number> {
  if (shipments.length === 0) return 0;
  const ids = shipments.map(({ id }) => id);
  await ensureClock(scope);
  await lockShipments(scope, source, ids);
  const stored = new Map((await byIds(scope, source, ids)).map((one) => [one.id, one]));
  const details = await storedDetails(scope, source, ids);
  const reported = await reportedEventsOf(scope, source.carrier, ids);
  const whole = shipments.map((shipment) => {
    const completed = withStoredFields(shipment, stored.get(shipment.id), details.get(shipment.id));
    return stand(completed, source, reported.get(shipment.id) ?? []);
  });
  const changed = await recordShipments(scope, source, whole, options);
  await linkOf(scope, source, ids);
  await keepDetails(scope, source, whole);
  return changed;
}

/** Some documents of a carrier have fewer fields than others. */
function withStoredFields(
  given: SourceShipment,
  stored?: Shipment,
  details?: Details,
): SourceShipment {
  return {
    ...given,
    guideNumber: given.guideNumber ?? stored?.guideNumber ?? null,
    serviceType: given.serviceType ?? stored?.serviceType ?? null,
    cost: given.cost ?? stored?.cost ?? null,
    declaredValue: given.declaredValue ?? stored?.declaredValue ?? null,
    estimatedDelivery: given.estimatedDelivery ?? stored?.estimatedDelivery ?? null,
    origin: given.origin ?? stored?.origin ?? null,
    destination: given.destination ?? stored?.destination ?? null,
    packages: given.packages.length > 0 ? given.packages : (stored?.packages ?? []),
    orderReference: given.orderReference ?? stored?.orderReference ?? null,
    details: given.details && {
      ...given.details,
      ...Object.fromEntries(
        Object.entries(details ?? {}).filter(([field]) => given.details?.[field] === null),
      ),
    },
  };
}

/** Merges the events of webhooks with those read now, each once. */
function stand(
  given: SourceShipment,
  { carrier }: CarrierSource,
  pushed: readonly ReportedEvent[],
): SourceShipment {
  const keyOf = ({ code, occurredAt }: Omit<ReportedEvent, 'seenAt'>) => `${code} ${occurredAt}`;
  const known = new Set(pushed.map(keyOf));
  const read = given.events
    .filter((event) => !known.has(keyOf(event)))
    .map(({ code, occurredAt }) => ({ code, occurredAt, seenAt: given.fetchedAt }));
  const standing: Standing | null =
    findCarrier(carrier)?.standingOf?.([...pushed, ...read]) ?? null;
  if (!standing) return given;
  const { formerCategory, ...reported } = standing;
  return {
    ...given,
    ...reported,
    details: given.details && {
      ...given.details,
      status_code: standing.carrierStatus,
      status_category: standing.category ?? formerCategory ?? given.category,
      status_at: standing.changedAt.toString(),
      delivered_at: standing.deliveredAt?.toString() ?? null,
    },
  };
}

async function keepDetails(
  scope: WriteScope,
  source: CarrierSource,
  shipments: readonly SourceShipment[],
): Promise<void> {
  const rows = shipments.flatMap(({ details, fetchedAt, raw }) =>
    details === null ? [] : [{ details, fetchedAt: fetchedAt.toString(), raw }],
  );
  await upsertDetails(scope, source, rows);
}
