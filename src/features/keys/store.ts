import { bulk } from '../../platform/db/bulk.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, timestamp } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface KeyRow {
  readonly organization_id: string;
  readonly id: string;
  readonly name: string;
  readonly last_four: string;
  readonly scopes: string[];
  readonly created_at: Instant;
  readonly expires_at: Instant | null;
  readonly revoked_at: Instant | null;
  readonly last_used_at: Instant | null;
  readonly replaced_by: string | null;
  readonly made_by: string | null;
  readonly made_by_person: string | null;
}

export interface EndingRow extends KeyRow {
  readonly expires_at: Instant;
  readonly end_told_at_days: number | null;
}

const COLUMNS = [
  'organization_id',
  'id',
  'name',
  'last_four',
  'scopes',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'replaced_by',
  'made_by',
  'made_by_person',
] as const;

const TOUCH = bulk('api_keys', ['id', 'last_used_at']).statement(
  'keys.touch',
  (given) => `update api_keys
      set last_used_at = greatest(coalesce(api_keys.last_used_at, '-infinity'), given.last_used_at)
     from ${given} where api_keys.id = given.id`,
);

export function byHash(handle: Handle, hash: string): Promise<KeyRow | undefined> {
  return handle.first(build.selectFrom('api_keys').select(COLUMNS).where('hash', '=', hash));
}

export function byId(handle: Handle, id: string): Promise<KeyRow | undefined> {
  return handle.first(build.selectFrom('api_keys').select(COLUMNS).where('id', '=', id));
}

export function all(scope: ReadScope): Promise<KeyRow[]> {
  return scope.rows(scope.select('api_keys').select(COLUMNS).orderBy('created_at'));
}

export function byForm(scope: ReadScope, formId: string): Promise<KeyRow | undefined> {
  return scope.first(scope.select('api_keys').select(COLUMNS).where('form_id', '=', formId));
}

/** Working keys of all organisations that have no successor and end in this span. */
export function endingBefore(handle: Handle, now: Instant, before: Instant): Promise<EndingRow[]> {
  return handle.rows(
    build
      .selectFrom('api_keys')
      .select([...COLUMNS, 'end_told_at_days'])
      .where('revoked_at', 'is', null)
      .where('replaced_by', 'is', null)
      .where('expires_at', '>', timestamp(now))
      .where('expires_at', '<=', timestamp(before))
      .orderBy('expires_at')
      .$castTo<EndingRow>(),
  );
}

/** Organisations with a working key that was used since then. */
export async function organizationsUsing(handle: Handle, since: Instant): Promise<string[]> {
  const rows = await handle.rows(
    build
      .selectFrom('api_keys')
      .select('organization_id')
      .distinct()
      .where('revoked_at', 'is', null)
      .where('last_used_at', '>=', timestamp(since))
      .orderBy('organization_id'),
  );
  return rows.map((row) => row.organization_id);
}

/** @returns false when that changed meanwhile, or it was noted already */
export async function noteEndMailed(
  scope: WriteScope,
  id: string,
  days: number,
  now: Instant,
): Promise<boolean> {
  const rows = await scope.rows(
    scope
      .update('api_keys')
      .set({ end_told_at_days: days })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('replaced_by', 'is', null)
      .where('expires_at', '>', timestamp(now))
      .where((row) =>
        row.or([row('end_told_at_days', 'is', null), row('end_told_at_days', '>', days)]),
      )
      .returning('id'),
  );
  return rows.length === 1;
}

export async function insert(
  scope: WriteScope,
  key: Omit<KeyRow, 'organization_id'> & { hash: string; form_id: string | null },
): Promise<void> {
  await scope.rows(
    scope.insert('api_keys', [
      {
        ...key,
        created_at: key.created_at.toString(),
        expires_at: key.expires_at?.toString() ?? null,
        revoked_at: null,
        last_used_at: null,
      },
    ]),
  );
}

/** @returns false when it was revoked before */
export async function revoke(scope: WriteScope, id: string, at: Instant): Promise<boolean> {
  const rows = await scope.rows(
    scope
      .update('api_keys')
      .set({ revoked_at: at.toString() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id'),
  );
  return rows.length === 1;
}

export async function replace(
  scope: WriteScope,
  id: string,
  by: string,
  expiresAt: Instant,
): Promise<void> {
  await scope.rows(
    scope
      .update('api_keys')
      .set({ replaced_by: by, expires_at: expiresAt.toString() })
      .where('id', '=', id),
  );
}

export async function touch(
  handle: WriteHandle,
  used: readonly { id: string; at: Instant }[],
): Promise<void> {
  const rows = used.map(({ id, at }) => ({ id, last_used_at: at }));
  await handle.raw(TOUCH, TOUCH.values([], rows));
}
