import type { WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { type Retention, removeBefore, retention } from '../../platform/db/retention.ts';

/** A link that is still valid, or a second membership, keeps a person. */
const IS_STALE = `not exists (
      select from verifications where value = people.id::text and expires_at > $2::timestamptz)
    and (select count(*) from members where person_id = people.id) < 2`;

/** A locked row is of a person under registration: the next run looks at it again. */
const LOCK_UNCONFIRMED = statement<{ id: string }>(
  'people.lock-unconfirmed',
  `select id from people
    where not email_verified and created_at < $1::timestamptz and ${IS_STALE}
    order by created_at limit $3::int
      for update skip locked`,
);

/** Once they are locked: a link that was made before is seen only by a later statement. */
const FORGET_UNCONFIRMED = statement<{ organization_id: string | null }>(
  'people.forget-unconfirmed',
  `with gone as (
     delete from people where id = any($1::uuid[]) and ${IS_STALE} returning id
   )
   select organization_id from gone left join members on person_id = gone.id`,
);

const REMOVE_LIMITS = statement<object>(
  'sign_in_limits.remove',
  `delete from sign_in_limits where ctid = any(array(
     select ctid from sign_in_limits where last_request < $1::bigint
      order by last_request limit $2::int for update skip locked)) returning 1`,
);

const LOCK_ORGANIZATIONS = statement<object>(
  'organizations.lock-to-forget',
  'select id from organizations where id = any($1::uuid[]) order by id for update',
);

const WITHOUT = ['members', 'data_keys', 'api_keys', 'connections', 'invitations', 'agent_grants']
  .concat('webhook_secrets')
  .map((table) => `not exists (select from ${table} where organization_id = organizations.id)`);

/** With their acts, which no person is left to read. */
const FORGET_EMPTY = statement<object>(
  'organizations.forget_empty',
  `with empty as (
     delete from organizations where id = any($1::uuid[]) and ${WITHOUT.join(' and ')} returning id)
   delete from acts where organization_id in (select id from empty)`,
);

/** Counts of a day. */
const KEEP_COUNTS_DAYS = 1;

/** Their link is valid for a day; registering again sends another one. */
const KEEP_UNCONFIRMED_DAYS = 7;

/** Unconfirmed people after their retention, and the organisations made with them. */
const UNCONFIRMED: Retention = {
  table: 'people',
  keepDays: KEEP_UNCONFIRMED_DAYS,
  async remove(handle, before, limit) {
    const now = before.add({ hours: 24 * KEEP_UNCONFIRMED_DAYS });
    const span = [before.toString(), now.toString()];
    const locked = await handle.raw(LOCK_UNCONFIRMED, [...span, limit]);
    const ids = locked.map(({ id }) => id);
    const left = await handle.raw(FORGET_UNCONFIRMED, [ids, now.toString()]);
    const made = left.flatMap(({ organization_id: organizationId }) => organizationId ?? []);
    if (made.length > 0) await forgetEmpty(handle, made);
    return left.length;
  },
};

export const RETENTIONS: readonly Retention[] = [
  retention('sessions', 0, removeBefore('sessions.remove', 'sessions', 'expires_at')),
  retention(
    'verifications',
    0,
    removeBefore('verifications.remove', 'verifications', 'expires_at'),
  ),
  retention(
    'used_codes',
    KEEP_COUNTS_DAYS,
    removeBefore('used_codes.remove', 'used_codes', 'used_at'),
  ),
  retention(
    'sign_in_failures',
    KEEP_COUNTS_DAYS,
    removeBefore('sign_in_failures.remove', 'sign_in_failures', 'since'),
  ),
  {
    table: 'sign_in_limits',
    keepDays: KEEP_COUNTS_DAYS,
    remove: async (handle, before, limit) =>
      (await handle.raw(REMOVE_LIMITS, [before.epochMilliseconds, limit])).length,
  },
  UNCONFIRMED,
];

/**
 * Organisations that an operator gave nothing. The lock is first: a transaction that makes a data
 * key, with which the first order is stored, waits for it, and these statements see the rows made
 * before.
 */
async function forgetEmpty(handle: WriteHandle, ids: readonly string[]): Promise<void> {
  await handle.raw(LOCK_ORGANIZATIONS, [ids]);
  const empty: string[] = [];
  for (const id of ids) if (!(await hasStored(handle.within(id)))) empty.push(id);
  await handle.raw(FORGET_EMPTY, [empty]);
}

async function hasStored(scope: WriteScope): Promise<boolean> {
  const clock = await scope.first(scope.select('delta_clocks').select('stamp'));
  const product = await scope.first(scope.select('products').select('sku').limit(1));
  return clock !== undefined || product !== undefined;
}
