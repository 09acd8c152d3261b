import type { Marketplace } from '../../../connectors/contract.ts';
import type { WriteScope } from '../../../platform/db/database.ts';
import { fail, invalid } from '../../../platform/failure.ts';
import { lockOrganization } from '../../organizations/index.ts';
import { mustBeAbleTo } from '../../people/index.ts';
import { noteAction } from '../actions.ts';
import type { Actor } from '../actor.ts';
import { type Address, readAddress, readShape, requiredText } from '../address.ts';
import { aliveAttempt } from '../guides/store-guide-attempts.ts';
import { type Line, type LineAction, moved, stateOf } from './line.ts';
import { noSuchLine } from './list-lines.ts';
import { numberLine } from './number-line.ts';
import * as store from './store-lines.ts';
import { resolveUnwanted } from './unwanted.ts';

const MOST_PACKAGES = 50;

/** Locks a line until the transaction ends. @throws Failure not_found */
export async function lockLine(scope: WriteScope, id: string): Promise<Line> {
  const [line] = await store.lockLines(scope, [id]);
  if (!line) throw noSuchLine();
  return line;
}

/**
 * Sets the number of packages.
 * @throws Failure insufficient_role, invalid_request, transition_not_allowed
 */
export async function setPackages(
  scope: WriteScope,
  actor: Actor,
  lineId: string,
  packages: number,
): Promise<void> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  if (!Number.isInteger(packages) || packages < 1 || packages > MOST_PACKAGES)
    throw invalid('packages', `El número de paquetes va de 1 a ${MOST_PACKAGES}.`);
  const line = await lockUndocumented(scope, lineId);
  await store.update(scope, lineId, { packages });
  await noteAction(scope, actor, 'set_packages', lineId, { from: line.packages, to: packages });
}

/** Sets the destination. The address itself is not copied into the record of actions. */
export async function setDestination(
  scope: WriteScope,
  actor: Actor,
  lineId: string,
  typed: unknown,
): Promise<Address> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  const destination = readAddress(typed, 'destination');
  // Before the line: a transaction that writes it and makes the key would wait for this one.
  await scope.vault();
  await lockUndocumented(scope, lineId);
  await store.setDestination(scope, lineId, destination);
  await noteAction(scope, actor, 'set_destination', lineId);
  return destination;
}

/** Sets a tracking number that the warehouse got elsewhere; null removes it. */
export async function setTracking(
  scope: WriteScope,
  actor: Actor,
  lineId: string,
  typed: { readonly trackingNumber: string; readonly carrier: string } | null,
): Promise<void> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  await lockOrganization(scope);
  const line = await lockLine(scope, lineId);
  moved(line, typed ? 'edit' : 'remove_tracking');
  if (line.trackingSource === 'guide' || (await aliveAttempt(scope, lineId)))
    throw fail('transition_not_allowed', {
      message: 'La línea ya tiene una guía. Cancélala antes de escribir otro número de rastreo.',
    });
  const trackingNumber =
    typed && readShape(requiredText(100), typed.trackingNumber, 'tracking_number');
  const carrier = typed && readShape(requiredText(60), typed.carrier, 'carrier');
  if (trackingNumber !== null) await requireFreeTracking(scope, trackingNumber, lineId);
  const trackingSource = typed && 'manual';
  await numberLine(scope, line, { trackingNumber, carrier, trackingSource, guideNumber: null });
  // A parcel that is on its way is still to be stopped.
  if (typed === null && line.inTransitAt === null) await resolveUnwanted(scope, lineId);
  await noteAction(scope, actor, 'set_tracking', lineId, {
    tracking_number: trackingNumber,
    carrier,
  });
}

/**
 * Moves a line from preparation to shipments. It needs a guide or a number that a person typed.
 * @throws Failure not_found, transition_not_allowed, guide_required, guide_outcome_unknown
 */
export async function transferLine(scope: WriteScope, actor: Actor, lineId: string): Promise<Line> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  const line = await lockLine(scope, lineId);
  const state = moved(line, 'transfer');
  const attempt = await aliveAttempt(scope, lineId);
  if (attempt && attempt.state !== 'ok') throw fail('guide_outcome_unknown');
  if (line.trackingNumber === null) throw fail('guide_required');
  const now = scope.clock.now();
  await store.update(scope, lineId, { state, transferred_at: now.toString() });
  await noteAction(scope, actor, 'transfer', lineId, { tracking_number: line.trackingNumber });
  return { ...line, state, transferredAt: now };
}

/**
 * Reverts a transfer while the carrier has not moved the parcel; the line gets the state that
 * follows from its orders.
 * @throws Failure not_found, insufficient_role, transition_not_allowed, parcel_already_moved
 */
export async function undoTransfer(scope: WriteScope, actor: Actor, lineId: string): Promise<Line> {
  mustBeAbleTo(actor.role, 'undo_transfers');
  const line = await lockLine(scope, lineId);
  requireMove(line, 'undo_transfer');
  if (line.trackingNumber && (await store.hasMoved(scope, line.trackingNumber)))
    throw fail('parcel_already_moved');
  return takeBack(scope, actor, line);
}

/** Brings a transferred line back to the state that follows from its orders. */
export async function takeBack(scope: WriteScope, actor: Actor, line: Line): Promise<Line> {
  const state = stateOf({ ...line, state: moved(line, 'undo_transfer') });
  await store.update(scope, line.id, { state, transferred_at: null });
  await noteAction(scope, actor, 'undo_transfer', line.id, { to: state });
  return { ...line, state, transferredAt: null };
}

/** «En camino», after the carrier showed it: the line stays in preparation. */
export async function markInTransit(
  scope: WriteScope,
  actor: Actor,
  lineId: string,
  shipment: { readonly id: string; readonly carrierStatus: string },
): Promise<Line> {
  const line = await lockLine(scope, lineId);
  if (line.state === 'in_transit') return line;
  const state = moved(line, 'set_in_transit');
  const now = scope.clock.now();
  await store.update(scope, lineId, {
    state,
    in_transit_at: now.toString(),
    carrier_shipment_id: shipment.id,
  });
  const details = { shipment_id: shipment.id, carrier_status: shipment.carrierStatus };
  await noteAction(scope, actor, 'set_in_transit', lineId, details);
  return { ...line, state, inTransitAt: now, carrierShipmentId: shipment.id };
}

/** @throws Failure transition_not_allowed */
export function requireMove(line: Line, action: LineAction): void {
  moved(line, action);
}

/**
 * Call it with the organisation's lock: no other line gets the number meanwhile.
 * @throws Failure tracking_number_in_use
 */
export async function requireFreeTracking(
  scope: WriteScope,
  trackingNumber: string,
  lineId: string,
): Promise<void> {
  if (await store.isTrackingTaken(scope, trackingNumber, lineId))
    throw fail('tracking_number_in_use', { details: { tracking_number: trackingNumber } });
}

/** The law entitles buyers to it; the lines stay, without their destinations. */
export function forgetDestinations(
  scope: WriteScope,
  account: { readonly marketplace: Marketplace; readonly accountId: string },
  orderIds: readonly string[],
): Promise<void> {
  return store.forgetDestinations(scope, account, orderIds);
}

/** Locks a line; its fields that a guide was made for do not change. */
async function lockUndocumented(scope: WriteScope, lineId: string): Promise<Line> {
  const line = await lockLine(scope, lineId);
  moved(line, 'edit');
  if (await aliveAttempt(scope, lineId))
    throw fail('transition_not_allowed', {
      message:
        'La línea ya tiene una guía o un intento sin resolver. Resuélvelo o cancela la guía primero.',
    });
  return line;
}
