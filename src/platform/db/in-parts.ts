import { isRefusedRow } from './unavailable.ts';

/** An item whose data was refused. */
interface Refused<Item> {
  readonly item: Item;
  readonly error: unknown;
}

/**
 * Stores items in ever smaller parts, until each refused one is alone and the others are stored.
 * @param store stores all of its items in one transaction, or none
 * @param isRefused whether the data caused the error
 */
export async function storeInParts<Item>(
  items: readonly Item[],
  store: (items: readonly Item[]) => Promise<void>,
  isRefused: (error: unknown) => boolean = isRefusedRow,
): Promise<Refused<Item>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    await store(items);
    return [];
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (items.length === 1) return [{ item: first, error }];
    const middle = Math.ceil(items.length / 2);
    return [
      ...(await storeInParts(items.slice(0, middle), store, isRefused)),
      ...(await storeInParts(items.slice(middle), store, isRefused)),
    ];
  }
}
