import type { MovementKind } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { add, type Decimal } from '../../platform/money.ts';
import { annotate, type ListenersOf, type OrderIdentity } from '../orders/index.ts';
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

/** What an order's movements come to, by kind and signed as in the ledger, and their sum. */
interface OrderSums {
  readonly sums: readonly { readonly kind: MovementKind; readonly amount: Decimal }[];
  /** The sale with its shipping; null = none yet. */
  readonly sold: Decimal | null;
  readonly net: Decimal;
}

/** @returns null where the ledger has none of the order, or has them in another currency */
export async function sumsOfOrder(
  scope: ReadScope,
  { currency, ...order }: OrderIdentity & { readonly currency: string },
): Promise<OrderSums | null> {
  const rows = await store.sumsOfOrder(scope, order);
  if (rows.length === 0 || rows.some((row) => row.currency !== currency)) return null;
  const sold = rows.filter(({ kind }) => kind === 'sale' || kind === 'shipping');
  return {
    sums: rows.map(({ kind, amount }) => ({ kind, amount })),
    sold: sold.length > 0 ? sumOf(sold) : null,
    net: sumOf(rows),
  };
}

function sumOf(rows: readonly { readonly amount: Decimal }[]): Decimal {
  return add(...rows.map(({ amount }) => amount));
}

export { organizationsWithPendingOrders } from './store-orders.ts';
