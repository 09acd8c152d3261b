import type { WriteScope } from '../../platform/db/database.ts';
import { annotate, type OrderListener } from '../orders/index.ts';
import * as store from './store-orders.ts';

/**
 * Shows orders their money as the ledger has it now: those with new movements, and those that were
 * stored after their movements.
 * @returns how many orders were looked at, `limit` at most
 */
export async function annotateOrders(
  scope: WriteScope,
  listeners: readonly OrderListener[],
  limit: number,
): Promise<number> {
  const orders = await store.pendingOrders(scope, limit);
  if (orders.length === 0) return 0;
  const money = await store.moneyOf(scope, orders);
  await annotate(
    scope,
    money.map(({ order, ledger }) => ({ order, annotation: { ledger } })),
    listeners,
  );
  await store.markAnnotated(scope, orders);
  return orders.length;
}

export { organizationsWithPendingOrders } from './store-orders.ts';
