import type { Database, WriteHandle } from '../../platform/db/database.ts';
import { isCurrent, type Keyring, seal, unsealOrNull } from '../../platform/seal.ts';
import { type Box, batches } from './boxes.ts';

interface Resealed {
  readonly resealed: number;
  /** Boxes that neither key opens: their owners must connect again. */
  readonly unopened: number;
}

/**
 * Reseals with the current key the boxes of the previous one. May be repeated; safe while an
 * instance runs that has both keys.
 */
export async function resealAll(database: Database, keyring: Keyring): Promise<Resealed> {
  let [resealed, unopened] = [0, 0];
  for await (const boxes of batches(database)) {
    const former = boxes.filter(({ box }) => !isCurrent(keyring, box));
    const done = await database.write((handle) => resealEach(handle, keyring, former));
    resealed += done.resealed;
    unopened += done.unopened;
  }
  return { resealed, unopened };
}

async function resealEach(
  handle: WriteHandle,
  keyring: Keyring,
  boxes: readonly Box[],
): Promise<Resealed> {
  const counts = { resealed: 0, unopened: 0 };
  for (const { binding, box, replace } of boxes) {
    const text = unsealOrNull(keyring, binding, box);
    if (text === null) counts.unopened++;
    else if (await replace(handle, seal(keyring, binding, text))) counts.resealed++;
  }
  return counts;
}
