import type { Database, WriteHandle } from '../../platform/db/database.ts';
import type { SealBinding } from '../../platform/seal.ts';
import { bindingOf } from './connection-credentials.ts';
import { bindingOfVerifier } from './consent-attempts.ts';
import { bindingOfSecret } from './secrets.ts';
import * as store from './store.ts';
import { allAttempts, allSecrets, replaceSecret, replaceVerifier } from './store-boxes.ts';

export interface Box {
  readonly binding: SealBinding;
  readonly box: string;
  /** @returns false when it was replaced meanwhile, and so sealed with the current key. */
  replace(handle: WriteHandle, box: string): Promise<boolean>;
}

const BATCH = 200;

export async function* batches(database: Database): AsyncGenerator<Box[]> {
  for (let after: string | null = null; ; ) {
    const rows = await database.read((handle) => store.sealedAfter(handle, after, BATCH));
    yield rows.flatMap((row) => store.SEALED_FIELDS.flatMap((field) => boxOf(row, field)));
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  const attempts = await database.read(allAttempts);
  yield attempts.map(({ organization_id, state_hash, verifier: box }) => ({
    binding: bindingOfVerifier(organization_id, state_hash),
    box,
    replace: (handle, fresh) => replaceVerifier(handle, state_hash, box, fresh),
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
