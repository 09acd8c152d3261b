import type { Carrier } from '../../carriers/contract.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import type { OrderIdentity } from '../orders/index.ts';
import { forgetPersonal } from './store-details.ts';
import { forgetDocuments } from './store-recipients.ts';

/**
 * Deletes what carriers said of the recipients of these orders' shipments. Later readings of these
 * shipments are stored without it.
 */
export async function forgetRecipients(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<void> {
  if (orders.length === 0) return;
  const shipments = await forgetDocuments(scope, orders);
  for (const [carrier, rows] of Map.groupBy(shipments, (row) => row.carrier as Carrier))
    await forgetPersonal(scope, carrier, rows);
}
