import type { WriteScope } from '../../platform/db/database.ts';
import { reduce, unpackOrNull } from './bundle.ts';
import type { AccountOfOrders } from './order.ts';
import * as store from './store-documents.ts';

const BUNDLES_AT_ONCE = 1_000;

/**
 * Deletes the documents of these orders of an account. Later documents are stored, unless their
 * buyers were forgotten for good.
 */
export async function forgetDocuments(
  scope: WriteScope,
  account: AccountOfOrders,
  ids: readonly string[],
): Promise<void> {
  const forgotten = new Set(ids);
  // A bundle packed while this transaction waited for the lock is a new one.
  while ((await store.bundlesWith(scope, account, ids, { lock: false })).length > 0) {
    for (const bundle of await store.bundlesWith(scope, account, ids, { lock: true })) {
      // A bundle that does not open is deleted whole.
      const kept = (await unpackOrNull(scope, account, bundle)) ?? [];
      await reduce(
        scope,
        account,
        bundle,
        kept.filter(({ id }) => !forgotten.has(id)),
      );
    }
  }
}

/**
 * Deletes the documents of all orders of an account, a batch at a time.
 * @returns whether none is left
 */
export async function forgetAllDocuments(
  scope: WriteScope,
  account: AccountOfOrders,
): Promise<boolean> {
  return (await store.removeSome(scope, account, BUNDLES_AT_ONCE)) < BUNDLES_AT_ONCE;
}
