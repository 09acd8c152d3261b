import type { ShipmentCategory, SourceShipment } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { ensureClock, type OrderListener } from '../orders/index.ts';
import { emit, type OutgoingEvent } from '../webhooks-out/index.ts';
import { alertUnknownCode } from './alert-unknown.ts';
import { relateShipments } from './relate-order.ts';
import {
  type CarrierSource,
  fingerprintOf,
  isOlderReading,
  isOlderThanKept,
  settledCategory,
} from './shipment.ts';
import { shipmentCreated, shipmentMoved } from './shipment-event.ts';
import { addEvents } from './store-history.ts';
import * as store from './store-versions.ts';

export interface RecordOptions {
  /** False during a first import: customers get no events. */
  readonly announce: boolean;
  /** Handle an order's change that follows from its parcel. */
  readonly listeners: readonly OrderListener[];
}

interface Change {
  readonly source: SourceShipment;
  readonly category: ShipmentCategory;
  readonly fingerprint: string;
  readonly stored: store.StoredShipment | undefined;
}

/**
 * The only writer of shipments that were read from a carrier. First compares, without a lock, which
 * are new or different; an older version never replaces a newer one, and unchanged shipments cause
 * no write.
 * @returns how many were new or different
 */
export async function recordShipments(
  scope: WriteScope,
  source: CarrierSource,
  shipments: readonly SourceShipment[],
  { announce, listeners }: RecordOptions,
): Promise<number> {
  const newest = newestOfEach(shipments);
  const suspects = await changesOf(scope, source, newest, { lock: false });
  if (suspects.length === 0) return 0;
  // An order may change by it, and a transaction that may change an order locks the clock first.
  await ensureClock(scope);
  const changes = await changesOf(scope, source, suspects.map(sourceOf), { lock: true });
  if (changes.length === 0) return 0;
  const changed = changes.map(sourceOf);
  await store.upsert(scope, source, changes);
  await addEvents(scope, source, changed);
  await relateShipments(scope, source, changed, listeners);
  await alertUnknown(scope, source, changed);
  if (announce) await emit(scope, await eventsOf(scope, source, changes));
  return changes.length;
}

async function changesOf(
  scope: WriteScope,
  source: CarrierSource,
  shipments: readonly SourceShipment[],
  { lock }: { lock: boolean },
): Promise<Change[]> {
  if (shipments.length === 0) return [];
  const ids = shipments.map(({ id }) => id);
  const stored = new Map(
    (await store.versions(scope, source, ids, { lock })).map((row) => [row.id, row]),
  );
  const now = scope.clock.now();
  return shipments
    .map((shipment) => changeOf(shipment, stored.get(shipment.id)))
    .filter(({ source: given, fingerprint, stored: known }) => {
      return !known || (fingerprint !== known.fingerprint && !isOlderThanKept(given, known, now));
    });
}

function sourceOf({ source }: Change): SourceShipment {
  return source;
}

function changeOf(source: SourceShipment, stored: store.StoredShipment | undefined): Change {
  const category = settledCategory(source, stored?.category ?? null);
  return { source, category, fingerprint: fingerprintOf(source), stored };
}

/** A page may carry one shipment twice: the newer version counts. */
function newestOfEach(shipments: readonly SourceShipment[]): SourceShipment[] {
  const newest = new Map<string, SourceShipment>();
  for (const shipment of shipments) {
    const other = newest.get(shipment.id);
    if (!other || !isOlderReading(shipment, other)) newest.set(shipment.id, shipment);
  }
  return [...newest.values()];
}

async function alertUnknown(
  scope: WriteScope,
  { carrier }: CarrierSource,
  shipments: readonly SourceShipment[],
): Promise<void> {
  const states = shipments
    .filter(({ category }) => category === null)
    .map((one) => one.carrierStatus);
  const codes = shipments.flatMap(({ events }) =>
    events.filter(({ category }) => category === null).map(({ code }) => code),
  );
  for (const code of new Set([...states, ...codes])) await alertUnknownCode(scope, carrier, code);
}

async function eventsOf(
  scope: WriteScope,
  source: CarrierSource,
  changes: readonly Change[],
): Promise<OutgoingEvent[]> {
  const reported = changes.filter(({ stored, category }) => stored?.category !== category);
  const kept = await store.byIds(
    scope,
    source,
    reported.map((change) => change.source.id),
  );
  return reported.flatMap(({ source: { id }, stored }): OutgoingEvent[] => {
    const shipment = kept.find((one) => one.id === id);
    if (!shipment) return [];
    return [stored ? shipmentMoved(shipment, stored.category) : shipmentCreated(shipment)];
  });
}
