import type { CarrierConnector, LiveShipment, OwnFleetApi } from '../../carriers/contract.ts';
import { carriersThat } from '../../carriers/registry.ts';
import type { SealedConnection } from '../../features/connections/index.ts';
import { mustBeAbleTo } from '../../features/people/index.ts';
import { shipmentsCarrying } from '../../features/shipments/index.ts';
import {
  type Actor,
  isOwnFleet,
  type Line,
  lineById,
  logisticsSettings,
  markInTransit,
  noteAction,
  requireMove,
  wanted,
} from '../../features/warehouse/index.ts';
import { fail } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { applyNotification } from '../webhooks/apply-notification.ts';
import { asUpstream } from '../wire/errors.ts';
import { chooseAccount } from './choose-account.ts';
import { holdingLine } from './line-lock.ts';
import { openCarrier, withCarrierErrors } from './open-carrier.ts';

interface InTransitJob {
  readonly organizationId: string;
  readonly lineId: string;
  readonly actor: Actor;
  /**
   * The account at the carrier, by its own id; absent = the one that has the shipment, or the only
   * one.
   */
  readonly accountId?: string | null;
}

interface InTransit {
  readonly line: Line;
  /**
   * False = the shipment was in transit before, here or at the carrier: nothing was changed there.
   */
  readonly wasSet: boolean;
  /** The carrier's own word for the state that was read last; null = it was not asked now. */
  readonly carrierStatus: string | null;
}

type FleetCarrier = Pick<CarrierConnector<unknown>, 'slug' | 'name'>;

interface Fleet {
  readonly carrier: FleetCarrier;
  readonly connection: SealedConnection;
  readonly api: OwnFleetApi;
  /** Stored shipments of the line's orders at this account. */
  readonly stored: readonly string[];
  /** Turns the carrier's failures into ours. */
  readonly ask: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * «En camino»: reports to the carrier that a parcel of our own fleet is on its way, and reads it back before
 * saying so here. The line stays in preparation, and the stored shipment is read anew. Pressed
 * again, it does nothing; after a lost answer the live state is read first.
 * @throws Failure insufficient_role, not_found, transition_not_allowed, own_fleet_required,
 * carrier_not_connected,
 *   carrier_account_ambiguous, relation_not_unique, shipment_past_in_transit, carrier_refused, upstream_error
 */
export async function setInTransit(
  parts: ExchangeParts,
  { organizationId, lineId, actor, accountId = null }: InTransitJob,
): Promise<InTransit> {
  mustBeAbleTo(actor.role, 'set_in_transit');
  const organization = parts.database.within(organizationId);
  return holdingLine(parts.database, lineId, async () => {
    const line = await organization.read((scope) => lineById(scope, lineId));
    if (line.state === 'in_transit') return { line, wasSet: false, carrierStatus: null };
    requireMove(line, 'set_in_transit');
    const settings = await organization.read(logisticsSettings);
    if (!isOwnFleet(settings, line))
      throw fail('own_fleet_required', { details: { line_id: lineId } });
    const fleet = await openFleet(parts, organizationId, line, accountId);
    const live = await onlyShipment(fleet, line);
    if (live.progress === 'past') throw pastInTransit(live);
    const wasSet = live.progress === 'before';
    if (wasSet)
      await organization.write((scope) =>
        noteAction(scope, actor, 'request_in_transit', lineId, { shipment_id: live.id }),
      );
    const shipment = wasSet ? await setAndReadBack(parts, fleet, live) : live;
    const marked = await organization.write((scope) =>
      markInTransit(scope, actor, lineId, shipment),
    );
    await storeShipment(parts, fleet, shipment);
    return { line: marked, wasSet, carrierStatus: shipment.carrierStatus };
  });
}

/** Only the state that is read afterwards counts, regardless of the answer. */
async function setAndReadBack(
  parts: ExchangeParts,
  fleet: Fleet,
  { id }: LiveShipment,
): Promise<LiveShipment> {
  let refusal: readonly string[] | null = null;
  try {
    const answer = await fleet.api.setInTransit(id);
    refusal = answer.ok ? null : answer.reasons;
  } catch (thrown) {
    const error = asUpstream(thrown, fleet.carrier.slug);
    if (!error) throw thrown;
    parts.log
      .of('guides')
      .warn({ shipment: id, kind: error.kind, reason: error.message }, 'in transit: no answer');
  }
  return readBack(fleet, id, refusal);
}

async function readBack(
  { carrier, api, ask }: Fleet,
  id: string,
  refusal: readonly string[] | null,
): Promise<LiveShipment> {
  const now = await ask(() => api.read(id));
  if (now && now.progress !== 'before') return now;
  if (refusal !== null) throw refused(carrier, refusal, now);
  const message = `${carrier.name} no aceptó el cambio a «En camino»; aquí tampoco se cambió. Intenta de nuevo en un momento.`;
  throw fail('upstream_error', {
    message,
    details: { source: carrier.slug, carrier_status: now?.carrierStatus ?? null },
  });
}

function refused(
  { slug, name }: FleetCarrier,
  reasons: readonly string[],
  now: LiveShipment | null,
) {
  const reported =
    reasons.length === 0 ? 'no dijo por qué' : reasons.map((reason) => `«${reason}»`).join(', ');
  return fail('carrier_refused', {
    message: `${name} no aceptó el cambio a «En camino»: ${reported}. Aquí no cambió nada.`,
    details: { source: slug, reasons, carrier_status: now?.carrierStatus ?? null },
  });
}

/**
 * Stores the shipment as the carrier shows it. If it cannot be read now, a webhook or the daily run
 * brings it.
 */
async function storeShipment(
  parts: ExchangeParts,
  { carrier, connection: { id: connectionId, organizationId } }: Fleet,
  { id }: LiveShipment,
): Promise<void> {
  try {
    await applyNotification(parts, {
      organizationId,
      connectionId,
      hint: { stream: 'shipments', id },
    });
  } catch (thrown) {
    const error = asUpstream(thrown, carrier.slug);
    if (!error) throw thrown;
    parts.log
      .of('guides')
      .warn({ shipment: id, kind: error.kind, reason: error.message }, 'in transit: not read anew');
  }
}

/**
 * The one shipment of the line's orders: the listing finds it, and a read gives its current state.
 * One that names the orders by their pack or a tag is in no listing of an order; it is known here.
 */
async function onlyShipment(
  { carrier: { name }, api, ask, stored }: Fleet,
  line: Line,
): Promise<LiveShipment> {
  const found = new Set<string>();
  for (const { id } of wanted(line.orders)) {
    const ids = await ask(() => api.find({ marketplace: line.marketplace, orderId: id }));
    for (const shipment of ids) found.add(shipment);
  }
  if (found.size === 0) for (const id of stored) if (await ask(() => api.read(id))) found.add(id);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0)
    throw fail('relation_not_unique', {
      message:
        only === undefined
          ? `${name} no tiene un envío de esta orden. Créalo allá o revisa la relación.`
          : `${name} tiene más de un envío de esta orden, y no se puede saber cuál es. Revísalos allá.`,
      details: { shipments: [...found] },
    });
  const live = await ask(() => api.read(only));
  if (!live) throw fail('relation_not_unique', { details: { shipments: [] } });
  if (!live.isOwnFleet)
    throw fail('own_fleet_required', {
      message: `El envío de esta orden en ${name} no es de flota propia.`,
      details: { shipment_id: live.id },
    });
  return live;
}

function pastInTransit({ id, carrierStatus }: LiveShipment) {
  return fail('shipment_past_in_transit', {
    details: { shipment_id: id, carrier_status: carrierStatus },
  });
}

async function openFleet(
  parts: ExchangeParts,
  organizationId: string,
  line: Line,
  accountId: string | null,
): Promise<Fleet> {
  const identify = (orders: Line['orders']) => orders.map(({ id }) => identityOf(line, id));
  const [carrier] = carriersThat(({ ownFleet }) => ownFleet !== undefined);
  if (!carrier) throw fail('carrier_not_connected');
  const { connection, stored } = await parts.database.within(organizationId).read(async (scope) => {
    const shipments = await shipmentsCarrying(scope, carrier.slug, {
      packId: line.packId,
      orders: identify(line.orders),
      wanted: identify(wanted(line.orders)),
    });
    const related = new Set(shipments.map(({ connectionId }) => connectionId));
    const chosen = await chooseAccount(scope, { carrier: carrier.slug, accountId, related });
    const own = shipments.filter(({ connectionId }) => connectionId === chosen.id);
    return { connection: chosen, stored: own.map(({ id }) => id) };
  });
  const { connector, call } = await openCarrier(parts, connection);
  const api = connector.ownFleet?.(call);
  if (!api) throw fail('carrier_not_connected', { details: { carrier: carrier.slug } });
  const ask: Fleet['ask'] = (work) => withCarrierErrors(connector, work);
  return { carrier, connection, api, stored, ask };
}

function identityOf({ marketplace, accountId }: Line, id: string) {
  return { marketplace, accountId, id };
}
