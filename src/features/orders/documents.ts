import type { ReadScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { unpack, unpackOrNull } from './bundle.ts';
import type { AccountOfOrders, OrderIdentity } from './order.ts';
import * as store from './store-documents.ts';

/** A marketplace's document of an order at a change. */
interface OrderDocument {
  /** The stamp of the change: the `last_updated` that it gave the order. */
  readonly recordedAt: Instant;
  /** JSON, with its numbers as received. */
  readonly text: string;
}

/** The marketplace's documents of an order, one for each change, oldest first. @throws SealError */
export async function documentsOf(
  scope: ReadScope,
  { id, ...account }: OrderIdentity,
): Promise<OrderDocument[]> {
  const bundles = await store.bundlesWith(scope, account, [id], { lock: false });
  const kept = await Promise.all(bundles.map((bundle) => unpack(scope, account, bundle)));
  return kept
    .flat()
    .filter((document) => document.id === id)
    .sort((one, other) => compareInstants(one.stamp, other.stamp))
    .map(({ stamp, text }) => ({ recordedAt: stamp, text }));
}

/**
 * The last document of each of these orders of an account, by id; orders without one that opens are
 * left out.
 */
export async function lastDocuments(
  scope: ReadScope,
  account: AccountOfOrders,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrderDocument>> {
  const bundles = await store.bundlesWithLast(scope, account, ids);
  const wanted = new Set(ids);
  const read = await Promise.all(bundles.map((bundle) => unpackOrNull(scope, account, bundle)));
  const kept = read.flatMap((documents) => documents ?? []).filter(({ id }) => wanted.has(id));
  const oldestFirst = kept.sort((one, other) => compareInstants(one.stamp, other.stamp));
  return new Map(oldestFirst.map(({ id, stamp, text }) => [id, { recordedAt: stamp, text }]));
}
