import { together, type WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type OrderIdentity, orderKey } from './order.ts';
import { takeClock } from './store-clock.ts';
import { identityOf } from './store-keys.ts';
import { type StoredVersion, versions } from './store-versions.ts';

/** Orders locked against changes until the transaction ends. */
interface LockedOrders {
  /** The stamp of the first change; each further one has the next microsecond. */
  readonly first: Instant;
  /** The stored ones, by `orderKey`, with their details. */
  readonly stored: ReadonlyMap<string, StoredVersion>;
}

/**
 * Locks the organisation's clock, reserves a stamp for each of these orders and reads them under
 * the lock: a statement sees the rows committed before it began.
 */
export async function lockOrders(
  scope: WriteScope,
  orders: readonly OrderIdentity[],
): Promise<LockedOrders> {
  const [first, rows] = await together([
    takeClock(scope, orders.length),
    versions(scope, orders, { lock: true, detail: true }),
  ]);
  return { first, stored: byKey(rows) };
}

/** By `orderKey`. */
export function byKey<Row extends StoredVersion>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [orderKey(identityOf(row)), row]));
}
