import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { build, statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';
import type { Role } from './roles.ts';

interface MembershipRow {
  readonly organization_id: string;
  readonly name: string;
  readonly suspended_at: Instant | null;
  readonly timezone: string;
  readonly created_at: Instant;
  readonly role: string;
}

interface MemberRow {
  readonly person_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Instant;
  readonly has_app: boolean;
  readonly has_passkey: boolean;
}

export function membershipsOf(handle: Handle, personId: string): Promise<MembershipRow[]> {
  return handle.rows(
    build
      .selectFrom('members')
      .innerJoin('organizations', 'organizations.id', 'members.organization_id')
      .select([
        'members.organization_id',
        'organizations.name',
        'organizations.suspended_at',
        'organizations.timezone',
        'organizations.created_at',
        'members.role',
      ])
      .where('members.person_id', '=', personId)
      .orderBy('organizations.is_sample')
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
        'people.second_factor_enabled as has_app',
      ])
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('passkeys')
            .select('passkeys.id')
            .whereRef('passkeys.person_id', '=', 'people.id'),
        )
          .$castTo<boolean>()
          .as('has_passkey'),
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

/** Organisations whose only member is this person, as owner. */
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

const WITHOUT_ALERT_MAILS = statement<{ person_id: string }>(
  'members.without-alert-mails',
  'select person_id from members where organization_id = $1 and not wants_alert_mails',
);
const SET_ALERT_MAILS = statement<object>(
  'members.set-alert-mails',
  'update members set wants_alert_mails = $3 where organization_id = $1 and person_id = $2',
);

/** The members who want no mails about alerts, by id. */
export async function withoutAlertMails(scope: ReadScope): Promise<ReadonlySet<string>> {
  const rows = await scope.prepared(WITHOUT_ALERT_MAILS, []);
  return new Set(rows.map(({ person_id }) => person_id));
}

export async function setAlertMails(
  scope: WriteScope,
  personId: string,
  wanted: boolean,
): Promise<void> {
  await scope.prepared(SET_ALERT_MAILS, [personId, wanted]);
}
