import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { search, statement } from '../../platform/db/query.ts';
import { formatMicros, type Instant } from '../../platform/time.ts';
import type { AccountOfOrders } from './order.ts';
import { type BundleAccount, OF_ACCOUNT } from './store-documents.ts';

/** Accounts with enough loose bundles to be packed. */
const LOOSE_ACCOUNTS = search<BundleAccount>(
  'orders.accounts-with-loose-documents',
  () => `select organization_id, marketplace, account_id from order_documents where is_loose
    group by organization_id, marketplace, account_id having count(*) >= $1::int`,
  'limit $2::int',
);

/** Accounts with at least so many loose bundles. */
export function accountsWithLoose(
  handle: Handle,
  least: number,
  limit: number,
): Promise<BundleAccount[]> {
  return handle.search(LOOSE_ACCOUNTS, [least, limit]);
}

/** An account's bundles from the first loose one on. */
const FROM_LOOSE = statement<{ recorded_at: Instant; is_loose: boolean }>(
  'orders.from-loose-documents',
  `select recorded_at, is_loose from order_documents
    where ${OF_ACCOUNT} and recorded_at >= (
      select recorded_at from order_documents where ${OF_ACCOUNT} and is_loose order by recorded_at limit 1)
    order by recorded_at limit $4::int`,
);

/** An account's bundles from the first loose one on, in their order. */
export function fromFirstLoose(
  scope: ReadScope,
  { marketplace, accountId }: AccountOfOrders,
  limit: number,
): Promise<{ recorded_at: Instant; is_loose: boolean }[]> {
  return scope.prepared(FROM_LOOSE, [marketplace, accountId, limit]);
}

const SETTLE = statement<object>(
  'orders.settle-bundles',
  `update order_documents set is_loose = false where ${OF_ACCOUNT} and recorded_at = any($4::timestamptz[])`,
);

/** Marks them as loose no longer. */
export async function settle(
  scope: WriteScope,
  { marketplace, accountId }: AccountOfOrders,
  stamps: readonly Instant[],
): Promise<void> {
  await scope.prepared(SETTLE, [marketplace, accountId, stamps.map(formatMicros)]);
}
