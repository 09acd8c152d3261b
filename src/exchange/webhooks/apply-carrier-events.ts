import { serviceName } from '../../carriers/registry.ts';
import { raiseAlert } from '../../features/alerts/index.ts';
import {
  newestUnsettled,
  oldestUnsettled,
  removeUnsettled,
  settleShipments,
  settleWaiting,
} from '../../features/shipments/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { followUpOf } from '../sync/follow-up.ts';
import { isRefusedData } from '../sync/refused-data.ts';

/** The job is enqueued every second. While more events arrive, storing those comes first. */
const IN_A_FLOOD_MS = 50;
const AFTERWARDS_MS = 400;

/**
 * Updates shipments to the state that their events give, then orders and customers' events. The
 * next job goes on where the time of this one was up.
 * @returns how many shipments were looked at
 */
export async function applyCarrierEvents(
  parts: ExchangeParts,
  organizationId: string,
): Promise<number> {
  const organization = parts.database.within(organizationId);
  const applyFor = async (milliseconds: number) => {
    const began = parts.clock.monotonic();
    let applied = 0;
    while (parts.clock.monotonic() - began < milliseconds) {
      const more = await applySome(parts, organizationId);
      if (more === 0) break;
      applied += more;
    }
    return applied;
  };
  const newest = await organization.read(newestUnsettled);
  const applied = await applyFor(IN_A_FLOOD_MS);
  const isQuiet = (await organization.read(newestUnsettled)) === newest;
  return isQuiet ? applied + (await applyFor(AFTERWARDS_MS)) : applied;
}

/** @returns how many shipments were looked at */
async function applySome(parts: ExchangeParts, organizationId: string): Promise<number> {
  const organization = parts.database.within(organizationId);
  try {
    return await organization.write((scope) => settleWaiting(scope, followUpOf(parts, false)));
  } catch (error) {
    if (!isRefusedData(error)) throw error;
  }
  return applyOldestApart(parts, organizationId);
}

/** Each shipment in its own transaction, so that a refused one does not hold up the others. */
async function applyOldestApart(parts: ExchangeParts, organizationId: string): Promise<number> {
  const organization = parts.database.within(organizationId);
  const oldest = await organization.read(oldestUnsettled);
  if (!oldest) return 0;
  for (const shipment of oldest.shipments) {
    try {
      await organization.write((scope) =>
        settleShipments(scope, [shipment], followUpOf(parts, false)),
      );
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      const { carrier, id } = shipment;
      parts.log.of('webhooks').error({ carrier, shipment: id, err: error }, 'shipment not settled');
      const name = serviceName(carrier);
      const message = `No pudimos actualizar el envío ${id} con lo último que avisó ${name}. Ya lo estamos revisando.`;
      await organization.write((scope) =>
        raiseAlert(scope, { kind: 'shipment_not_settled', subject: `${carrier} ${id}`, message }),
      );
    }
  }
  await organization.write((scope) => removeUnsettled(scope, oldest.seq));
  return oldest.shipments.length;
}
