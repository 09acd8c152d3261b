import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build, timestamp } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export function passkeysOf(
  handle: Handle,
  personId: string,
): Promise<
  { id: string; name: string | null; created_at: Instant | null; suspended_at: Instant | null }[]
> {
  return handle.rows(
    build
      .selectFrom('passkeys')
      .select(['id', 'name', 'created_at', 'suspended_at'])
      .where('person_id', '=', personId)
      .orderBy('created_at')
      .orderBy('id'),
  );
}

export async function removePasskey(
  handle: WriteHandle,
  personId: string,
  id: string,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .deleteFrom('passkeys')
      .where('id', '=', id)
      .where('person_id', '=', personId)
      .returning('id'),
  );
  return rows.length === 1;
}

/** The app with codes, its backup codes and all passkeys. */
export async function removeFactors(handle: WriteHandle, personId: string): Promise<void> {
  await handle.rows(build.deleteFrom('second_factors').where('person_id', '=', personId));
  await handle.rows(build.deleteFrom('passkeys').where('person_id', '=', personId));
  await handle.rows(
    build.updateTable('people').set({ second_factor_enabled: false }).where('id', '=', personId),
  );
}

/** @returns how many working ones there were */
export async function suspendPasskeys(
  handle: WriteHandle,
  personId: string,
  at: Instant,
): Promise<number> {
  const rows = await handle.rows(
    build
      .updateTable('passkeys')
      .set({ suspended_at: at.toString() })
      .where('person_id', '=', personId)
      .where('suspended_at', 'is', null)
      .returning('id'),
  );
  return rows.length;
}

/** @returns false when the person has no such passkey, or it is not suspended */
export async function restorePasskey(
  handle: WriteHandle,
  personId: string,
  id: string,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .updateTable('passkeys')
      .set({ suspended_at: null })
      .where('id', '=', id)
      .where('person_id', '=', personId)
      .where('suspended_at', 'is not', null)
      .returning('id'),
  );
  return rows.length === 1;
}

export async function isPasskeyKnown(handle: Handle, credentialId: string): Promise<boolean> {
  const row = await handle.first(
    build.selectFrom('passkeys').select('id').where('credential_id', '=', credentialId),
  );
  return row !== undefined;
}

/** Undefined where the passkey is not suspended. */
export function suspendedPasskey(
  handle: Handle,
  credentialId: string,
): Promise<{ id: string } | undefined> {
  return handle.first(
    build
      .selectFrom('passkeys')
      .select('id')
      .where('credential_id', '=', credentialId)
      .where('suspended_at', 'is not', null),
  );
}

export interface UsableCode {
  readonly personId: string;
  readonly hash: string;
  /** A use before this instant counts no more. */
  readonly goodFor: Instant;
}

export async function isCodeUsed(
  handle: Handle,
  { personId, hash, goodFor }: UsableCode,
): Promise<boolean> {
  const use = await handle.first(
    build
      .selectFrom('used_codes')
      .select('used_at')
      .where('person_id', '=', personId)
      .where('code_hash', '=', hash)
      .where('used_at', '>=', timestamp(goodFor)),
  );
  return use !== undefined;
}

/** @returns false when the code was used within its validity */
export async function useCode(
  handle: WriteHandle,
  code: UsableCode & { at: Instant },
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .insertInto('used_codes')
      .values({ person_id: code.personId, code_hash: code.hash, used_at: code.at.toString() })
      .onConflict((conflict) =>
        conflict
          .columns(['person_id', 'code_hash'])
          .doUpdateSet({ used_at: code.at.toString() })
          .where('used_codes.used_at', '<', timestamp(code.goodFor)),
      )
      .returning('person_id'),
  );
  return rows.length === 1;
}

export function secretsOfSecondFactors(handle: Handle): Promise<{ id: string; secret: string }[]> {
  return handle.rows(build.selectFrom('second_factors').select(['id', 'secret']).orderBy('id'));
}

/** @returns false when it was replaced meanwhile */
export async function replaceSecret(
  handle: WriteHandle,
  id: string,
  former: string,
  fresh: string,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .updateTable('second_factors')
      .set({ secret: fresh })
      .where('id', '=', id)
      .where('secret', '=', former)
      .returning('id'),
  );
  return rows.length === 1;
}
