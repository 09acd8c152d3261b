import type { ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build } from '../../platform/db/query.ts';

interface AttemptValues {
  readonly state_hash: string;
  readonly service: string;
  readonly verifier: string;
  readonly store: string | null;
  readonly expires_at: string;
}

export async function insertAttempt(scope: WriteScope, row: AttemptValues): Promise<void> {
  await scope.rows(scope.insert('connect_attempts', [row]));
}

export async function replaceAttempt(scope: WriteScope, row: AttemptValues): Promise<void> {
  const { verifier, expires_at } = row;
  await scope.rows(
    scope
      .insert('connect_attempts', [row])
      .onConflict((conflict) =>
        conflict.columns(['organization_id', 'state_hash']).doUpdateSet({ verifier, expires_at }),
      ),
  );
}

export function attempt(
  scope: ReadScope,
  stateHash: string,
): Promise<{ verifier: string } | undefined> {
  return scope.first(
    scope.select('connect_attempts').select(['verifier']).where('state_hash', '=', stateHash),
  );
}

export async function removeAttempt(scope: WriteScope, stateHash: string): Promise<void> {
  await scope.rows(scope.remove('connect_attempts').where('state_hash', '=', stateHash));
}

export async function removeAttempts(
  scope: WriteScope,
  service: string,
  prefix: string,
): Promise<void> {
  const query = scope.remove('connect_attempts').where('state_hash', 'like', `${prefix}%`);
  await scope.rows(query.where('service', '=', service));
}

export function deleteAttempt(handle: WriteHandle, stateHash: string) {
  return handle.first(
    build
      .deleteFrom('connect_attempts')
      .where('state_hash', '=', stateHash)
      .returning(['organization_id', 'service', 'verifier', 'store', 'expires_at']),
  );
}
