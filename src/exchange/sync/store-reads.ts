import type { Aside } from '../../connectors/bounds.ts';
import type { Read, StreamName } from '../../connectors/contract.ts';
import { setAside } from '../../features/connections/index.ts';
import type { Database } from '../../platform/db/database.ts';
import type { StoreParts } from './follow-up.ts';
import type { Origin } from './origin.ts';
import { readable, unreadable } from './reads.ts';
import { isRefusedData, storeWhatGoes } from './refused-data.ts';
import { storeBatches } from './stream-stores.ts';
import { withoutForgotten } from './without-forgotten.ts';

interface StoredReads {
  readonly changed: number;
  /** Whether all of them are stored. */
  readonly isWhole: boolean;
}

/**
 * Stores what was fetched outside of a sync run's pages. A row that cannot be read or stored is set
 * aside.
 */
export async function storeReads(
  parts: StoreParts & { readonly database: Database },
  stream: StreamName,
  origin: Origin,
  reads: readonly Read<unknown>[],
): Promise<StoredReads> {
  const { connection } = origin;
  const items = readable(reads);
  const unread = unreadable(reads);
  const store = (some: readonly unknown[], aside: readonly Aside[]) =>
    parts.database.within(connection.organizationId).write(async (scope) => {
      const batch = { items: some, origin };
      const [changed = 0] = await storeBatches(parts, scope, stream, [batch]);
      const rows = await withoutForgotten(scope, connection, stream, aside);
      await setAside(scope, connection.id, stream, rows);
      return changed;
    });
  try {
    return { changed: await store(items, unread), isWhole: unread.length === 0 };
  } catch (error) {
    if (!isRefusedData(error)) throw error;
  }
  const { changed, refused } = await storeWhatGoes(items, (some) => store(some, []));
  await store([], [...unread, ...refused]);
  return { changed, isWhole: unread.length + refused.length === 0 };
}
