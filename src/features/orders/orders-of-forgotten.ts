import type { WriteScope } from '../../platform/db/database.ts';
import type { AccountOfOrders } from './order.ts';
import { holdClock } from './store-clock.ts';
import { forgottenAmong } from './store-forgotten.ts';

/**
 * Those of these orders, stored or not, whose buyers were forgotten. The clock is held until the
 * transaction ends, so that no buyer is forgotten meanwhile.
 */
export async function ordersOfForgotten(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  await holdClock(scope);
  return forgottenAmong(scope, account, ids);
}
