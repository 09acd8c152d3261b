import { type Aside, asideOf } from '../../connectors/bounds.ts';
import { storeInParts } from '../../platform/db/in-parts.ts';
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

/** Stores what can be stored; each refused item is set aside. */
export async function storeWhatGoes(items: readonly unknown[], store: Store): Promise<Stored> {
  let changed = 0;
  const refused = await storeInParts(
    items,
    async (some) => {
      changed += await store(some);
    },
    isRefusedData,
  );
  return { changed, refused: refused.map(({ item, error }) => asideOf(item, reasonOf(error))) };
}

/** The reason noted at a refused row; for errors that satisfy `isRefusedData`. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { readonly code?: string };
  return `(whole): could not be stored: ${code === undefined ? message : `${code} ${message}`}`;
}
