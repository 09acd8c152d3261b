import type { WriteScope } from '../../platform/db/database.ts';
import { annotate, type ListenersOf } from '../orders/index.ts';
import * as store from './store-orders.ts';

/**
 * Shows orders their money as the ledger has it now: those with new movements, and those that were
 * stored after their movements.
 * @returns how many orders were looked at, `limit` at most
 */
export async function annotateOrders(
  scope: WriteScope,
  listenersOf: ListenersOf,
  limit: number,
): Promise<number> {
  const pending = await store.pendingOrders(scope, limit);
  for (const [isBackfill, some] of Map.groupBy(pending, (one) => one.isBackfill)) {
    const orders = some.map(({ order }) => order);
    const money = await store.moneyOf(scope, orders);
    await annotate(
      scope,
      money.map(({ order, ledger }) => ({ order, annotation: { ledger } })),
      listenersOf(isBackfill),
    );
    await store.markAnnotated(scope, orders);
  }
  return pending.length;
}

export { organizationsWithPendingOrders } from './store-orders.ts';
