import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';
import type { SecretRow } from './store-secrets.ts';

// Secrets and attempts of all organisations, for rotation of the master key.

/** An organisation has a handful for each service. */
export function allSecrets(handle: Handle): Promise<(SecretRow & { readonly service: string })[]> {
  return handle.rows(
    build
      .selectFrom('webhook_secrets')
      .select(['organization_id', 'service', 'id', 'secret', 'expires_at']),
  );
}

/** @returns whether the box was still the one that was read. */
export async function replaceSecret(
  handle: WriteHandle,
  id: string,
  former: string,
  secret: string,
): Promise<boolean> {
  const query = build
    .updateTable('webhook_secrets')
    .set({ secret })
    .where('id', '=', id)
    .where('secret', '=', former);
  return (await handle.rows(query.returning('id'))).length === 1;
}

export function allAttempts(handle: Handle) {
  return handle.rows(
    build.selectFrom('connect_attempts').select(['organization_id', 'state_hash', 'verifier']),
  );
}

/** @returns whether the verifier was still the one that was read. */
export async function replaceVerifier(
  handle: WriteHandle,
  stateHash: string,
  former: string,
  verifier: string,
): Promise<boolean> {
  const query = build
    .updateTable('connect_attempts')
    .set({ verifier })
    .where('state_hash', '=', stateHash)
    .where('verifier', '=', former);
  return (await handle.rows(query.returning('state_hash'))).length === 1;
}
