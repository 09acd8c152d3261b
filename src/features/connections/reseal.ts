import type { Database } from '../../platform/db/database.ts';
import { isCurrent, type Keyring, seal, unseal } from '../../platform/seal.ts';
import { placeOf } from './connections.ts';
import * as store from './store.ts';

const BATCH = 200;

/**
 * Seals again with the current key what the previous one sealed. May be repeated; safe while the house runs.
 * @returns how many boxes were sealed again
 */
export async function resealAll(database: Database, keyring: Keyring): Promise<number> {
  let resealed = 0;
  for (let after: string | null = null; ; ) {
    const rows = await database.read((handle) => store.sealedAfter(handle, after, BATCH));
    for (const row of rows)
      for (const field of store.SEALED_FIELDS) {
        const former = row[field];
        if (former === null || isCurrent(keyring, former)) continue;
        const place = placeOf(row.organization_id, row.id, field);
        const box = seal(keyring, place, unseal(keyring, place, former));
        // A renewal in between has sealed with the current key already.
        if (await database.write((handle) => store.replaceBox(handle, row.id, field, former, box)))
          resealed++;
      }
    const last = rows.at(-1);
    if (!last) return resealed;
    after = last.id;
  }
}
