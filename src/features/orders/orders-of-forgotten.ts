import type { WriteScope } from '../../platform/db/database.ts';
import type { AccountOfOrders } from './order.ts';
import { holdClock } from './store-clock.ts';
import { forgottenAmong } from './store-forgotten.ts';

/**
 * Of which of these orders, stored or not, the buyers were forgotten. The clock is held until the
 * transaction ends: none is forgotten meanwhile.
 */
export async function ordersOfForgotten(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  await holdClock(scope);
  return forgottenAmong(scope, account, ids);
}
