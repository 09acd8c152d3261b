import { type Aside, asideOf } from '../../connectors/bounds.ts';
import type { Read, StreamName } from '../../connectors/contract.ts';
import { setAside } from '../../features/connections/index.ts';
import type { Database } from '../../platform/db/database.ts';
import { assertConnected, type Origin, type StoreParts, streamStoreOf } from './stream-stores.ts';
import { withoutForgotten } from './without-forgotten.ts';

/**
 * What one transaction stores: all of the items or none. @returns how many were new or different
 */
type Store = (items: readonly unknown[]) => Promise<number>;

interface Stored {
  readonly changed: number;
  /** Those whose data were refused, each with the reason. */
  readonly refused: readonly Aside[];
}

interface StoredReads {
  readonly changed: number;
  /** Whether all of them are stored. */
  readonly isWhole: boolean;
}

/** Data exceptions, broken constraints, and limits of the database such as the size of a key. */
const REFUSED_DATA = /^(22|23|54)\w{3}$/;

/** Whether an error is about what was to be stored, so that something else could be. */
export function isRefusedData(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  return error instanceof Error && 'code' in error && REFUSED_DATA.test(String(error.code));
}

/** Stores items in ever smaller parts, until those that are refused are alone. */
export async function storeInParts(items: readonly unknown[], store: Store): Promise<Stored> {
  if (items.length === 0) return { changed: 0, refused: [] };
  try {
    return { changed: await store(items), refused: [] };
  } catch (error) {
    if (!isRefusedData(error)) throw error;
    if (items.length === 1) return { changed: 0, refused: [asideOf(items[0], reasonOf(error))] };
    const middle = Math.ceil(items.length / 2);
    const first = await storeInParts(items.slice(0, middle), store);
    const second = await storeInParts(items.slice(middle), store);
    return {
      changed: first.changed + second.changed,
      refused: [...first.refused, ...second.refused],
    };
  }
}

/** Stores what was asked for outside of a walk; what cannot be read or stored is set aside. */
export async function storeReads(
  parts: StoreParts & { readonly database: Database },
  stream: StreamName,
  origin: Origin,
  reads: readonly Read<unknown>[],
): Promise<StoredReads> {
  const { connection } = origin;
  const items = reads.filter((read) => read.ok).map((read) => read.item);
  const unreadable = reads.filter((read) => !read.ok);
  const store = (some: readonly unknown[], aside: readonly Aside[]) =>
    parts.database.within(connection.organizationId).write(async (scope) => {
      await assertConnected(scope, [connection]);
      const changed =
        some.length > 0 ? await streamStoreOf(stream).keep(parts, scope, some, origin) : 0;
      const rows = await withoutForgotten(scope, connection, stream, aside);
      await setAside(scope, connection.id, stream, rows);
      return changed;
    });
  try {
    return { changed: await store(items, unreadable), isWhole: unreadable.length === 0 };
  } catch (error) {
    if (!isRefusedData(error)) throw error;
  }
  const { changed, refused } = await storeInParts(items, (some) => store(some, []));
  await store([], [...unreadable, ...refused]);
  return { changed, isWhole: unreadable.length + refused.length === 0 };
}

/** Of an error for which `isRefusedData` holds, as the reason of what is set aside. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { readonly code?: string };
  return `(whole): could not be stored: ${code === undefined ? message : `${code} ${message}`}`;
}
