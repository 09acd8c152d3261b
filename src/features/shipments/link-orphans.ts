import type { Carrier } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { type SettleOptions, settleShipments } from './settle-shipments.ts';
import { linkAll } from './store-events.ts';

/**
 * Links events that arrived before their shipment was stored, and updates the shipments by them.
 * @returns how many shipments got events
 */
export async function linkOrphans(
  scope: WriteScope,
  carrier: Carrier,
  options: SettleOptions,
): Promise<number> {
  const shipments = await linkAll(scope, carrier);
  await settleShipments(scope, shipments, options);
  return shipments.length;
}
