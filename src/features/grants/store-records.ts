import type { Handle, WriteHandle } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

export interface RecordRow {
  readonly payload: string;
  readonly consumed_at: Instant | null;
  readonly expires_at: Instant | null;
}

const PUT = statement<object>(
  'oauth_records.put',
  `insert into oauth_records (model, id, payload, grant_id, uid, expires_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
     uid = excluded.uid, expires_at = excluded.expires_at`,
);

/** The row's lock serialises simultaneous consumers; only the first one finds it unconsumed. */
const CONSUME = statement<object>(
  'oauth_records.consume',
  `update oauth_records set consumed_at = $3 where model = $1 and id = $2 and consumed_at is null returning id`,
);

const COLUMNS = ['payload', 'consumed_at', 'expires_at'] as const;

export async function put(
  handle: WriteHandle,
  row: {
    model: string;
    id: string;
    payload: string;
    grantId: string | null;
    uid: string | null;
    expiresAt: Instant | null;
  },
): Promise<void> {
  const { model, id, payload, grantId, uid, expiresAt } = row;
  await handle.raw(PUT, [model, id, payload, grantId, uid, expiresAt?.toString() ?? null]);
}

export function find(handle: Handle, model: string, id: string): Promise<RecordRow | undefined> {
  return handle.first(
    build
      .selectFrom('oauth_records')
      .select(COLUMNS)
      .where('model', '=', model)
      .where('id', '=', id),
  );
}

export function findByUid(
  handle: Handle,
  model: string,
  uid: string,
): Promise<(RecordRow & { id: string }) | undefined> {
  return handle.first(
    build
      .selectFrom('oauth_records')
      .select(['id', ...COLUMNS])
      .where('model', '=', model)
      .where('uid', '=', uid),
  );
}

/** @returns false when it was consumed meanwhile, or is gone. */
export async function consume(
  handle: WriteHandle,
  model: string,
  id: string,
  at: Instant,
): Promise<boolean> {
  return (await handle.raw(CONSUME, [model, id, at.toString()])).length === 1;
}

export async function remove(handle: WriteHandle, model: string, id: string): Promise<void> {
  await handle.rows(
    build.deleteFrom('oauth_records').where('model', '=', model).where('id', '=', id),
  );
}

/** The grant itself, and everything that was made under it. */
export async function removeGrant(handle: WriteHandle, grantId: string): Promise<void> {
  await handle.rows(build.deleteFrom('oauth_records').where('grant_id', '=', grantId));
  await remove(handle, 'Grant', grantId);
}

export async function prolong(
  handle: WriteHandle,
  model: string,
  id: string,
  expiresAt: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('oauth_records')
      .set({ expires_at: expiresAt.toString() })
      .where('model', '=', model)
      .where('id', '=', id),
  );
}

/** A client's expiry moves with each use. */
export const RECORDS_RETENTION = retention(
  'oauth_records',
  0,
  removeBefore('oauth_records.remove', 'oauth_records', 'expires_at'),
);
