import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { build, statement, timestamp } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

export interface InvitationRow {
  readonly organization_id: string;
  readonly id: string;
  readonly email: string;
  readonly role: string;
  /** Null: an operator. */
  readonly invited_by: string | null;
  readonly expires_at: Instant;
  readonly accepted_at: Instant | null;
  readonly revoked_at: Instant | null;
}

interface OpenRow extends InvitationRow {
  readonly inviter_name: string | null;
  readonly inviter_role: string | null;
}

const COLUMNS = [
  'organization_id',
  'id',
  'email',
  'role',
  'invited_by',
  'expires_at',
  'accepted_at',
  'revoked_at',
] as const;

const ADDRESSES = statement<{ id: string; email: string }>(
  'invitations.addresses',
  `select id, email from invitations
    where organization_id = $1 and id = any($2::uuid[])
      and (accepted_at is null
           or exists (select from people join members on members.person_id = people.id
                       where people.email = invitations.email and members.organization_id = $1))`,
);

const REVOKE_OPEN_TO = statement<object>(
  'invitations.revoke-open-to',
  `update invitations set revoked_at = $3
    where organization_id = $1 and accepted_at is null and revoked_at is null
      and email = (select email from people where id = $2)`,
);

export async function insert(
  scope: WriteScope,
  given: {
    id: string;
    email: string;
    role: string;
    tokenHash: string;
    invitedBy: string | null;
    createdAt: Instant;
    expiresAt: Instant;
  },
): Promise<void> {
  await scope.rows(
    scope.insert('invitations', [
      {
        id: given.id,
        email: given.email,
        role: given.role,
        token_hash: given.tokenHash,
        invited_by: given.invitedBy,
        created_at: given.createdAt.toString(),
        expires_at: given.expiresAt.toString(),
      },
    ]),
  );
}

/** With the inviter, and their current role in the organisation. */
export function open(scope: ReadScope, now: Instant): Promise<OpenRow[]> {
  return scope.rows(
    build
      .selectFrom('invitations')
      .leftJoin('people', 'people.id', 'invitations.invited_by')
      .leftJoin('members', (join) =>
        join
          .onRef('members.organization_id', '=', 'invitations.organization_id')
          .onRef('members.person_id', '=', 'invitations.invited_by'),
      )
      .select(COLUMNS.map((column) => `invitations.${column}` as const))
      .select(['people.name as inviter_name', 'members.role as inviter_role'])
      .where('invitations.organization_id', '=', scope.organizationId)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', timestamp(now))
      .orderBy('invitations.created_at', 'desc'),
  );
}

/** Accepted invitations only while their people are members. */
export function addressesOf(
  scope: ReadScope,
  ids: readonly (string | null)[],
): Promise<{ id: string; email: string }[]> {
  return scope.prepared(ADDRESSES, [ids]);
}

export function byId(scope: ReadScope, id: string): Promise<InvitationRow | undefined> {
  return scope.first(scope.select('invitations').select(COLUMNS).where('id', '=', id));
}

export function byToken(handle: Handle, hash: string): Promise<InvitationRow | undefined> {
  return handle.first(
    build.selectFrom('invitations').select(COLUMNS).where('token_hash', '=', hash),
  );
}

/** @returns false when it was accepted or revoked meanwhile */
export async function accept(scope: WriteScope, id: string, at: Instant): Promise<boolean> {
  const rows = await scope.rows(
    scope
      .update('invitations')
      .set({ accepted_at: at.toString() })
      .where('id', '=', id)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .returning('id'),
  );
  return rows.length === 1;
}

export async function revoke(scope: WriteScope, id: string, at: Instant): Promise<void> {
  await scope.rows(
    scope.update('invitations').set({ revoked_at: at.toString() }).where('id', '=', id),
  );
}

/** Those to an address, or those that a person sent. */
export async function revokeOpen(
  scope: WriteScope,
  of: 'email' | 'invited_by',
  value: string,
  at: Instant,
): Promise<void> {
  await scope.rows(
    scope
      .update('invitations')
      .set({ revoked_at: at.toString() })
      .where(of, '=', value)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null),
  );
}

/** Those to the address of a person. */
export async function revokeOpenTo(
  scope: WriteScope,
  personId: string,
  at: Instant,
): Promise<void> {
  await scope.prepared(REVOKE_OPEN_TO, [personId, at.toString()]);
}

/** Counted from its end. */
const KEEP_DAYS = 90;

export const INVITATIONS_RETENTION = retention(
  'invitations',
  KEEP_DAYS,
  removeBefore('invitations.remove', 'invitations', 'expires_at'),
);

/** In every organisation, in any state. */
export async function removeTo(handle: WriteHandle, email: string): Promise<void> {
  await handle.rows(build.deleteFrom('invitations').where('email', '=', email));
}
