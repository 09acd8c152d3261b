import { sql } from 'kysely';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import { type Retention, removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';
import type { Role } from './roles.ts';

export interface MembershipRow {
  readonly organization_id: string;
  readonly name: string;
  readonly suspended_at: Instant | null;
  readonly role: string;
}

export interface MemberRow {
  readonly person_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Instant;
  readonly has_second_factor: boolean;
}

export interface Unconfirmed {
  readonly id: string;
  readonly email: string;
  /** Its hash. */
  readonly password: string;
}

export interface SessionFacts {
  readonly last_seen_at: Instant | null;
  readonly factor_used_at: Instant | null;
  readonly password_given_at: Instant | null;
  readonly passkeys: number;
}

export interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly email_verified: boolean;
}

/** Not of those to whom somebody sent another link meanwhile, or who were let in elsewhere. */
const FORGET_UNCONFIRMED = statement<{ organization_id: string | null }>(
  'people.forget-unconfirmed',
  `with stale as (
     select id from people where not email_verified and created_at < $1::timestamptz
        and not exists (select from verifications where value = people.id::text and expires_at > $2::timestamptz)
        and (select count(*) from members where person_id = people.id) < 2
      order by created_at limit $3::int
        for update
   ), left_alone as (
     select person_id, organization_id from members where person_id in (select id from stale)
   ), gone as (
     delete from people where id in (select id from stale)
   )
   select organization_id from stale left join left_alone on person_id = stale.id`,
);

const REMOVE_LIMITS = statement<object>(
  'sign_in_limits.remove',
  `delete from sign_in_limits where ctid = any(array(
     select ctid from sign_in_limits where last_request < $1::bigint
      order by last_request limit $2::int for update skip locked)) returning 1`,
);

/**
 * What an operator gave it keeps an organisation. Nobody is left who could read what was done
 * there.
 */
const FORGET_EMPTY = statement<object>(
  'organizations.forget_empty',
  `with empty as (delete from organizations where id = any($1::uuid[])
     ${[
       'members',
       'delta_clocks',
       'api_keys',
       'connections',
       'invitations',
       'agent_grants',
       'products',
       'webhook_secrets',
     ]
       .map(
         (table) =>
           `and not exists (select from ${table} where organization_id = organizations.id)`,
       )
       .join('\n     ')} returning id)
   delete from acts where organization_id in (select id from empty)`,
);

export function membershipsOf(handle: Handle, personId: string): Promise<MembershipRow[]> {
  return handle.rows(
    build
      .selectFrom('members')
      .innerJoin('organizations', 'organizations.id', 'members.organization_id')
      .select([
        'members.organization_id',
        'organizations.name',
        'organizations.suspended_at',
        'members.role',
      ])
      .where('members.person_id', '=', personId)
      .orderBy('members.created_at')
      .orderBy('members.organization_id'),
  );
}

export function membersOf(scope: ReadScope): Promise<MemberRow[]> {
  return scope.rows(
    build
      .selectFrom('members')
      .innerJoin('people', 'people.id', 'members.person_id')
      .select([
        'members.person_id',
        'people.name',
        'people.email',
        'members.role',
        'members.created_at',
      ])
      .select(({ or, ref, exists, selectFrom }) =>
        or([
          ref('people.second_factor_enabled').$castTo<boolean>(),
          exists(
            selectFrom('passkeys')
              .select('passkeys.id')
              .whereRef('passkeys.person_id', '=', 'people.id')
              .where('passkeys.suspended_at', 'is', null),
          ),
        ])
          .$castTo<boolean>()
          .as('has_second_factor'),
      )
      .where('members.organization_id', '=', scope.organizationId)
      .orderBy('members.created_at')
      .orderBy('members.person_id'),
  );
}

export function memberById(
  scope: ReadScope,
  personId: string,
): Promise<{ role: string } | undefined> {
  return scope.first(scope.select('members').select('role').where('person_id', '=', personId));
}

export async function countOwners(scope: ReadScope): Promise<number> {
  return (await scope.rows(scope.select('members').select('person_id').where('role', '=', 'owner')))
    .length;
}

/** @returns false when the person is a member already */
export async function addMember(
  scope: WriteScope,
  personId: string,
  role: string,
  at: Instant,
): Promise<boolean> {
  const rows = await scope.rows(
    scope
      .insert('members', [{ person_id: personId, role, created_at: at.toString() }])
      .onConflict((conflict) => conflict.columns(['organization_id', 'person_id']).doNothing())
      .returning('person_id'),
  );
  return rows.length === 1;
}

export async function setRole(scope: WriteScope, personId: string, role: Role): Promise<void> {
  await scope.rows(scope.update('members').set({ role }).where('person_id', '=', personId));
}

export async function removeMember(scope: WriteScope, personId: string): Promise<void> {
  await scope.rows(scope.remove('members').where('person_id', '=', personId));
}

export function personByEmail(handle: Handle, email: string): Promise<PersonRow | undefined> {
  return handle.first(
    build
      .selectFrom('people')
      .select(['id', 'name', 'email', 'email_verified'])
      .where('email', '=', email),
  );
}

export function personById(handle: Handle, id: string): Promise<PersonRow | undefined> {
  return handle.first(
    build
      .selectFrom('people')
      .select(['id', 'name', 'email', 'email_verified'])
      .where('id', '=', id),
  );
}

/** @returns false when the address has a person already */
export async function insertPerson(
  handle: WriteHandle,
  person: { id: string; name: string; email: string; isVerified: boolean; at: Instant },
): Promise<boolean> {
  const at = person.at.toString();
  const rows = await handle.rows(
    build
      .insertInto('people')
      .values({
        id: person.id,
        name: person.name,
        email: person.email,
        email_verified: person.isVerified,
        image: null,
        second_factor_enabled: false,
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .returning('id'),
  );
  return rows.length === 1;
}

export async function markVerified(
  handle: WriteHandle,
  personId: string,
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('people')
      .set({ email_verified: true, updated_at: at.toString() })
      .where('id', '=', personId)
      .where('email_verified', '=', false),
  );
}

/**
 * The lock on the row lasts until the transaction ends. @returns false when the address is
 * confirmed
 */
export async function renameUnconfirmed(
  handle: WriteHandle,
  personId: string,
  name: string,
  at: Instant,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .updateTable('people')
      .set({ name, updated_at: at.toString() })
      .where('id', '=', personId)
      .where('email_verified', '=', false)
      .returning('id'),
  );
  return rows.length === 1;
}

/** Organisations that have this person as their owner and nobody else. */
export async function ownAlone(handle: Handle, personId: string): Promise<string[]> {
  const rows = await handle.rows(
    build
      .selectFrom('members')
      .select('organization_id')
      .where('person_id', '=', personId)
      .where('role', '=', 'owner')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('members as others')
              .select('others.person_id')
              .whereRef('others.organization_id', '=', 'members.organization_id')
              .where('others.person_id', '!=', personId),
          ),
        ),
      ),
  );
  return rows.map((row) => row.organization_id);
}

export async function removePassword(handle: WriteHandle, personId: string): Promise<void> {
  await handle.rows(build.deleteFrom('credentials').where('person_id', '=', personId));
}

export async function hasPassword(handle: Handle, personId: string): Promise<boolean> {
  const query = build
    .selectFrom('credentials')
    .select('id')
    .where('person_id', '=', personId)
    .where('password', 'is not', null);
  return (await handle.first(query)) !== undefined;
}

/** How better-auth keeps a password. */
export async function insertPassword(
  handle: WriteHandle,
  given: { id: string; personId: string; hash: string; at: Instant },
): Promise<void> {
  const at = given.at.toString();
  await handle.rows(
    build.insertInto('credentials').values({
      id: given.id,
      account_id: given.personId,
      provider_id: 'credential',
      person_id: given.personId,
      password: given.hash,
      created_at: at,
      updated_at: at,
    }),
  );
}

export async function insertVerification(
  handle: WriteHandle,
  given: { id: string; identifier: string; value: string; at: Instant; expiresAt: Instant },
): Promise<void> {
  const at = given.at.toString();
  await handle.rows(
    build.insertInto('verifications').values({
      id: given.id,
      identifier: given.identifier,
      value: given.value,
      expires_at: given.expiresAt.toString(),
      created_at: at,
      updated_at: at,
    }),
  );
}

export async function verificationValue(
  handle: Handle,
  identifier: string,
): Promise<string | null> {
  const row = await handle.first(
    build.selectFrom('verifications').select('value').where('identifier', '=', identifier),
  );
  return row?.value ?? null;
}

/**
 * Whose unconfirmed registration a link confirms, with its password's hash; undefined once the link
 * is over.
 */
export function unconfirmedBy(
  handle: Handle,
  identifier: string,
  now: Instant,
): Promise<Unconfirmed | undefined> {
  return handle.first(
    build
      .selectFrom('verifications')
      .innerJoin('people', (on) =>
        on.on(sql<string>`people.id::text`, '=', (row) => row.ref('verifications.value')),
      )
      .innerJoin('credentials', 'credentials.person_id', 'people.id')
      .select(['people.id', 'people.email', 'credentials.password'])
      .where('verifications.identifier', '=', identifier)
      .where('verifications.expires_at', '>', now.toString() as never)
      .where('people.email_verified', '=', false)
      .where('credentials.password', 'is not', null)
      .$castTo<Unconfirmed>(),
  );
}

/** Uses up a link. @returns false when there was none, or it was over */
export async function takeVerification(
  handle: WriteHandle,
  identifier: string,
  now: Instant,
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .deleteFrom('verifications')
      .where('identifier', '=', identifier)
      .where('expires_at', '>', now.toString() as never)
      .returning('id'),
  );
  return rows.length === 1;
}

/** Links to confirm an address or choose a password, and second steps that were begun. */
export async function endVerificationsOf(handle: WriteHandle, personId: string): Promise<void> {
  await handle.rows(build.deleteFrom('verifications').where('value', '=', personId));
}

/**
 * What the session's rows say of it, beyond what better-auth knows. Suspended passkeys are not
 * counted.
 */
export function sessionFacts(handle: Handle, id: string): Promise<SessionFacts | undefined> {
  return handle.first(
    build
      .selectFrom('sessions')
      .select((row) => [
        'last_seen_at',
        'factor_used_at',
        'password_given_at',
        row
          .selectFrom('passkeys')
          .select((inner) => inner.fn.countAll<number>().as('count'))
          .whereRef('passkeys.person_id', '=', 'sessions.person_id')
          .where('passkeys.suspended_at', 'is', null)
          .as('passkeys'),
      ])
      .where('sessions.id', '=', id)
      .$castTo<SessionFacts>(),
  );
}

export async function noteFactorUsed(
  handle: WriteHandle,
  sessionId: string,
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('sessions')
      .set({ factor_used_at: at.toString() })
      .where('id', '=', sessionId),
  );
}

export async function notePasswordGiven(
  handle: WriteHandle,
  sessionId: string,
  at: Instant,
): Promise<void> {
  await handle.rows(
    build
      .updateTable('sessions')
      .set({ password_given_at: at.toString() })
      .where('id', '=', sessionId),
  );
}

export async function touchSession(handle: WriteHandle, id: string, at: Instant): Promise<void> {
  await handle.rows(
    build.updateTable('sessions').set({ last_seen_at: at.toString() }).where('id', '=', id),
  );
}

export async function endSession(handle: WriteHandle, id: string): Promise<void> {
  await handle.rows(build.deleteFrom('sessions').where('id', '=', id));
}

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

/** @returns how many there were that worked */
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

export async function isPasskeySuspended(handle: Handle, credentialId: string): Promise<boolean> {
  const row = await handle.first(
    build.selectFrom('passkeys').select('suspended_at').where('credential_id', '=', credentialId),
  );
  return (row?.suspended_at ?? null) !== null;
}

/** @returns false when the code was used within the time that it is good for */
export async function useCode(
  handle: WriteHandle,
  code: { personId: string; hash: string; at: Instant; goodFor: Instant },
): Promise<boolean> {
  const rows = await handle.rows(
    build
      .insertInto('used_codes')
      .values({ person_id: code.personId, code_hash: code.hash, used_at: code.at.toString() })
      .onConflict((conflict) =>
        conflict
          .columns(['person_id', 'code_hash'])
          .doUpdateSet({ used_at: code.at.toString() })
          .where('used_codes.used_at', '<', code.goodFor.toString() as never),
      )
      .returning('person_id'),
  );
  return rows.length === 1;
}

/**
 * Counts one in a window that begins with its first. @returns how many there are now, and when they
 * began
 */
export async function countFailure(
  handle: WriteHandle,
  given: { key: string; at: Instant; notBefore: Instant },
): Promise<{ count: number; since: Instant }> {
  const [at, notBefore] = [given.at.toString(), given.notBefore.toString()];
  const isOver = sql<boolean>`sign_in_failures.since < ${notBefore}::timestamptz`;
  const row = await handle.first(
    build
      .insertInto('sign_in_failures')
      .values({ key: given.key, count: 1, since: at })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({
          count: sql`case when ${isOver} then 1 else sign_in_failures.count + 1 end`,
          since: sql`case when ${isOver} then excluded.since else sign_in_failures.since end`,
        }),
      )
      .returning(['count', 'since']),
  );
  return row as { count: number; since: Instant };
}

export async function forgetFailures(handle: WriteHandle, key: string): Promise<void> {
  await handle.rows(build.deleteFrom('sign_in_failures').where('key', '=', key));
}

/** Counts of a day. */
const KEEP_COUNTS_DAYS = 1;
/** Their link is good for a day; registering again has another one sent. */
const KEEP_UNCONFIRMED_DAYS = 7;

/**
 * People who never confirmed the address that they registered with, and organisations that were
 * made with them.
 */
const UNCONFIRMED: Retention = {
  table: 'people',
  keepDays: KEEP_UNCONFIRMED_DAYS,
  async remove(handle, before, limit) {
    const now = before.add({ hours: 24 * KEEP_UNCONFIRMED_DAYS });
    const left = await handle.raw(FORGET_UNCONFIRMED, [before.toString(), now.toString(), limit]);
    const made = left.flatMap(({ organization_id: organizationId }) => organizationId ?? []);
    if (made.length > 0) await handle.raw(FORGET_EMPTY, [made]);
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
