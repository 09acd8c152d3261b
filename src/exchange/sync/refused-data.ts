import { type Aside, asideOf } from '../../connectors/bounds.ts';
import { isRefusedRow } from '../../platform/db/unavailable.ts';

/** Stores all of the items in one transaction, or none. @returns how many were new or different */
type Store = (items: readonly unknown[]) => Promise<number>;

interface Stored {
  readonly changed: number;
  /** Items whose data the database refused, each with the reason. */
  readonly refused: readonly Aside[];
}

/** Whether the data to be stored caused the error, so that other data can be stored. */
export function isRefusedData(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError || isRefusedRow(error);
}

/** Stores items in ever smaller parts, until each refused item is alone. */
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

/** The reason noted at a refused row; for errors that satisfy `isRefusedData`. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { readonly code?: string };
  return `(whole): could not be stored: ${code === undefined ? message : `${code} ${message}`}`;
}
