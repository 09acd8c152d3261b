import type { Database, WriteHandle } from '../../platform/db/database.ts';
import {
  isCurrent,
  type Keyring,
  type SealBinding,
  seal,
  unsealOrNull,
} from '../../platform/seal.ts';
import { bindingOf } from './connection-credentials.ts';
import { bindingOfVerifier } from './consent-attempts.ts';
import { bindingOfSecret } from './secrets.ts';
import * as store from './store.ts';
import * as attemptStore from './store-consent-attempts.ts';
import { allSecrets, replaceSecret } from './store-secrets.ts';

interface Resealed {
  readonly resealed: number;
  /** Boxes that neither key opens: their owners must connect again. */
  readonly unopened: number;
}

interface Box {
  readonly binding: SealBinding;
  readonly box: string;
  /** @returns false when it was replaced meanwhile, and so sealed with the current key. */
  replace(handle: WriteHandle, box: string): Promise<boolean>;
}

const BATCH = 200;

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

async function* batches(database: Database): AsyncGenerator<Box[]> {
  for (let after: string | null = null; ; ) {
    const rows = await database.read((handle) => store.sealedAfter(handle, after, BATCH));
    yield rows.flatMap((row) => store.SEALED_FIELDS.flatMap((field) => boxOf(row, field)));
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  const attempts = await database.read(attemptStore.attempts);
  yield attempts.map(({ organization_id, state_hash, verifier: box }) => ({
    binding: bindingOfVerifier(organization_id, state_hash),
    box,
    replace: (handle, fresh) => attemptStore.replaceVerifier(handle, state_hash, box, fresh),
  }));
  const secrets = await database.read(allSecrets);
  yield secrets.map(({ organization_id, id, secret: box }) => ({
    binding: bindingOfSecret(organization_id, id),
    box,
    replace: (handle, fresh) => replaceSecret(handle, id, box, fresh),
  }));
}

function boxOf(
  { organization_id, id, ...row }: store.ConnectionRow,
  field: store.SealedField,
): Box[] {
  const box = row[field];
  if (box === null) return [];
  const binding = bindingOf(organization_id, id, field);
  return [
    { binding, box, replace: (handle, fresh) => store.replaceBox(handle, id, field, box, fresh) },
  ];
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
