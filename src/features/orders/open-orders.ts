import type { ReadScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import * as store from './store-walks.ts';

/**
 * An order without a final status, such as one whose delivery is never reported, is polled only
 * this long.
 */
const OPEN_DAYS = 180;

/**
 * Ids of a connection's orders that may still change, in their order; not those created half a year
 * ago.
 */
export function openOrders(
  scope: ReadScope,
  connectionId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const since = scope.clock.now().subtract({ hours: 24 * OPEN_DAYS });
  return store.openAfter(scope, connectionId, since, after ?? '', limit);
}

/** Which of these ids are stored orders of the account. */
export function storedAmong(
  scope: ReadScope,
  account: { readonly marketplace: string; readonly accountId: string },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  return store.storedAmong(scope, account, ids);
}

/**
 * Ids of a connection's orders that were delivered, of those created from `from` on and before
 * `to`, in their order.
 */
export function deliveredOrders(
  scope: ReadScope,
  connection: { readonly marketplace: string; readonly accountId: string },
  created: { readonly from: Instant; readonly to: Instant },
  after: string | null,
  limit: number,
): Promise<string[]> {
  return store.idsOfStatus(scope, 'delivered', connection, created, after ?? '', limit);
}

/**
 * Ids of an account's orders that may have invoices: packed or sent, and what became of them since;
 * of those created from `from` on and before `to`, in their order.
 */
export function sentOrders(
  scope: ReadScope,
  connection: { readonly marketplace: string; readonly accountId: string },
  created: { readonly from: Instant; readonly to: Instant },
  after: string | null,
  limit: number,
): Promise<string[]> {
  return store.idsOfStatus(scope, 'sent', connection, created, after ?? '', limit);
}
