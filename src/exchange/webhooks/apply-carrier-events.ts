import { z } from 'zod';
import { findCarrier } from '../../carriers/registry.ts';
import { raiseAlert } from '../../features/alerts/index.ts';
import {
  newestUnsettled,
  oldestUnsettled,
  removeUnsettled,
  settleShipments,
  settleWaiting,
  unsettledOrganizations,
} from '../../features/shipments/index.ts';
import type { WriteHandle } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/job.ts';
import type { ExchangeParts } from '../parts.ts';
import { followUpOf } from '../sync/follow-up.ts';
import { isRefusedData } from '../sync/refused-data.ts';

/**
 * The worker enqueues this job every second. While more events come in, storing those comes first.
 */
const IN_A_FLOOD_MS = 50;
const AFTERWARDS_MS = 400;

const payload = z.object({ organizationId: z.string() });

/** Updates the shipments of an organisation whose events a carrier pushed. */
export const applyEventsJob = defineJob({
  name: 'settle',
  policy: 'short',
  retries: 14,
  concurrency: 2,
  payload,
  run: async (parts: ExchangeParts, job) => ({ settled: await applyCarrierEvents(parts, job) }),
});

/**
 * Enqueues one job for each organisation with marked shipments. A job in the transaction of each
 * event would make these wait for one another, each with its own wait for the disk.
 */
export async function queueCarrierEvents(
  { queue }: Pick<ExchangeParts, 'queue'>,
  handle: WriteHandle,
): Promise<void> {
  const jobs = (await unsettledOrganizations(handle)).map((organizationId) => ({
    data: { organizationId },
    key: organizationId,
  }));
  await queue.enqueueAll(handle, applyEventsJob, jobs);
}

/**
 * Sets shipments to the state that their events give; orders and customer events follow. What takes
 * longer than its share of a second is left for the next job.
 * @returns how many shipments were looked at
 */
export async function applyCarrierEvents(
  parts: ExchangeParts,
  { organizationId }: z.infer<typeof payload>,
): Promise<number> {
  const organization = parts.database.within(organizationId);
  const settleFor = async (milliseconds: number) => {
    const began = parts.clock.monotonic();
    let settled = 0;
    while (parts.clock.monotonic() - began < milliseconds) {
      const more = await settleSome(parts, organizationId);
      if (more === 0) break;
      settled += more;
    }
    return settled;
  };
  const newest = await organization.read(newestUnsettled);
  const settled = await settleFor(IN_A_FLOOD_MS);
  const isQuiet = (await organization.read(newestUnsettled)) === newest;
  return isQuiet ? settled + (await settleFor(AFTERWARDS_MS)) : settled;
}

/** @returns how many shipments were looked at */
async function settleSome(parts: ExchangeParts, organizationId: string): Promise<number> {
  const organization = parts.database.within(organizationId);
  try {
    return await organization.write((scope) => settleWaiting(scope, followUpOf(parts, false)));
  } catch (error) {
    if (!isRefusedData(error)) throw error;
  }
  return settleOldestApart(parts, organizationId);
}

/**
 * Each shipment in a transaction of its own: one whose data the database refuses must not hold up
 * the others.
 */
async function settleOldestApart(parts: ExchangeParts, organizationId: string): Promise<number> {
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
      parts.log.error({ carrier, shipment: id, err: error }, 'shipment not settled');
      const name = findCarrier(carrier)?.name ?? carrier;
      const message = `No pudimos actualizar el envío ${id} con lo último que avisó ${name}. Ya lo estamos revisando.`;
      await organization.write((scope) =>
        raiseAlert(scope, { kind: 'shipment_not_settled', subject: `${carrier} ${id}`, message }),
      );
    }
  }
  await organization.write((scope) => removeUnsettled(scope, oldest.seq));
  return oldest.shipments.length;
}
