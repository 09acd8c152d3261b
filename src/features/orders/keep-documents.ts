import { together, type WriteScope } from '../../platform/db/database.ts';
import type { Instant } from '../../platform/time.ts';
import { type Kept, lettersOf, pack } from './bundle.ts';
import type { AccountOfOrders, OrderChange } from './order.ts';
import * as store from './store-documents.ts';
import { markReplaced } from './store-replaced.ts';

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
