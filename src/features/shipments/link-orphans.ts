import type { Carrier } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { type SettleOptions, settleShipments } from './settle-shipments.ts';
import { linkAll } from './store-events.ts';

/**
 * Events that came before their shipment was known find it, and the shipments say what they tell.
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
