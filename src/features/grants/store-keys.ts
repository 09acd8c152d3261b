import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface KeyRow {
  readonly id: string;
  readonly box: string;
  readonly made_at: Instant;
}

/** One process at a time checks whether a new key is due. */
const LOCK = statement<object>(
  'oauth_keys.lock',
  'lock table oauth_keys in share row exclusive mode',
);

/** Newest first. */
export function allKeys(handle: Handle): Promise<KeyRow[]> {
  return handle.rows(
    build
      .selectFrom('oauth_keys')
      .select(['id', 'box', 'made_at'])
      .orderBy('made_at', 'desc')
      .orderBy('id'),
  );
}

export async function lockKeys(handle: WriteHandle): Promise<void> {
  await handle.raw(LOCK, []);
}

export async function insertKey(handle: WriteHandle, row: KeyRow): Promise<void> {
  await handle.rows(
    build
      .insertInto('oauth_keys')
      .values({ id: row.id, box: row.box, made_at: row.made_at.toString() }),
  );
}

export async function removeKeys(handle: WriteHandle, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await handle.rows(build.deleteFrom('oauth_keys').where('id', 'in', ids));
}

/** @returns false when it was replaced meanwhile. */
export async function replaceKeyBox(
  handle: WriteHandle,
  id: string,
  former: string,
  box: string,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .updateTable('oauth_keys')
      .set({ box })
      .where('id', '=', id)
      .where('box', '=', former)
      .returning('id'),
  );
  return rows.length === 1;
}
