import { type ReadScope, together, type WriteScope } from '../../platform/db/database.ts';
import { compareInstants, type Instant } from '../../platform/time.ts';
import { type Kept, lettersOf, pack, reduce, unpack, unpackOrNull } from './bundle.ts';
import type { AccountOfOrders, OrderChange, OrderIdentity } from './order.ts';
import * as store from './store-documents.ts';
import { markReplaced } from './store-replaced.ts';

/** A marketplace's document of an order at a change. */
interface OrderDocument {
  /** The stamp of the change: the `last_updated` that it gave the order. */
  readonly recordedAt: Instant;
  /** JSON, with its numbers as received. */
  readonly text: string;
}

/** A change, with the state of the order's documents. */
export interface DocumentedChange extends OrderChange {
  /** The stamp of the document before. */
  readonly documentedBefore: Instant | null;
  /** The stamp of the document that one more document displaces. */
  readonly surplus: Instant | null;
}

interface Received extends Kept {
  readonly account: AccountOfOrders;
  readonly replaces: Instant | null;
  readonly surplus: Instant | null;
}

/** A document that no order refers to is removed next time. */
const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);
/** Bundles up to this size are packed together with others. */
const MOST_LOOSE_LETTERS = 20_000;
const BUNDLES_AT_ONCE = 1_000;

/**
 * Stores the documents of these changes, a bundle per account. Small ones are packed together
 * later.
 */
export async function keepDocuments(
  scope: WriteScope,
  changes: readonly DocumentedChange[],
): Promise<void> {
  const received = changes.flatMap(
    ({ after, lastUpdated: stamp, documentedBefore: replaces, surplus }): Received[] =>
      after.raw === null
        ? []
        : [{ account: after, id: after.id, stamp, text: after.raw, replaces, surplus }],
  );
  const accounts = Map.groupBy(
    received,
    ({ account }) => `${account.marketplace} ${account.accountId}`,
  );
  await together([...accounts.values()].map((documents) => keepOfAccount(scope, documents)));
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

async function keepOfAccount(scope: WriteScope, received: readonly Received[]): Promise<void> {
  const [{ account, stamp }] = received as [Received];
  const replaced = received.flatMap(({ replaces }) => replaces ?? []);
  const isLoose = lettersOf(received) <= MOST_LOOSE_LETTERS;
  const unknown = received.flatMap(({ surplus }) => surplus ?? []);
  await together([
    markReplaced(scope, account, replaced, stamp),
    markReplaced(scope, account, unknown, LONG_AGO),
    pack(scope, account, stamp, received).then((content) =>
      store.add(scope, account, stamp, content, { isLoose }),
    ),
  ]);
}
