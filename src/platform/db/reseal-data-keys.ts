import { isCurrent, type Keyring, seal, unsealOrNull } from '../seal.ts';
import type { Database, Handle, WriteHandle } from './database.ts';
import { statement } from './query.ts';
import { dataKeyBindingOf, type KeyRow } from './vault.ts';

const AFTER = statement<KeyRow>(
  'vault.keys-after',
  `select organization_id, id, box from data_keys where (organization_id, id) > ($1::uuid, $2::uuid)
    order by organization_id, id limit $3::int`,
);
const REPLACE = statement<object>(
  'vault.replace-key',
  'update data_keys set box = $4 where organization_id = $1 and id = $2 and box = $3 returning 1',
);

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const AT_ONCE = 200;

/**
 * Seals again with the current master key the keys that the previous one sealed. May be repeated.
 */
export async function resealDataKeys(
  database: Database,
  keyring: Keyring,
): Promise<{ resealed: number; unopened: number }> {
  let [resealed, unopened] = [0, 0];
  for (let after = [BEFORE_ALL, BEFORE_ALL]; ; ) {
    const rows = await database.read((handle) => keysAfter(handle, after));
    const former = rows.filter(({ box }) => !isCurrent(keyring, box));
    const done = await database.write((handle) => resealEach(handle, keyring, former));
    resealed += done.resealed;
    unopened += done.unopened;
    const last = rows.at(-1);
    if (!last) return { resealed, unopened };
    after = [last.organization_id, last.id];
  }
}

function keysAfter(handle: Handle, after: readonly string[]): Promise<KeyRow[]> {
  return handle.raw(AFTER, [...after, AT_ONCE]);
}

async function resealEach(handle: WriteHandle, keyring: Keyring, rows: readonly KeyRow[]) {
  const counts = { resealed: 0, unopened: 0 };
  for (const { organization_id, id, box } of rows) {
    const binding = dataKeyBindingOf(organization_id, id);
    const text = unsealOrNull(keyring, binding, box);
    if (text === null) counts.unopened++;
    else if (
      (await handle.raw(REPLACE, [organization_id, id, box, seal(keyring, binding, text)])).length >
      0
    )
      counts.resealed++;
  }
  return counts;
}
