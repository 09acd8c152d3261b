import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { fail } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { lockOrganization } from '../organizations/index.ts';
import { noteRemoval } from '../removals/index.ts';
import { noteAct, type PersonOrOperator } from '../trail/index.ts';
import { type Action, actionToGive, mustBeAbleTo, type Role } from './roles.ts';
import * as invitationStore from './store-invitations.ts';
import * as memberStore from './store-members.ts';

export interface Membership {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly isSuspended: boolean;
  readonly timezone: string;
  /** When the organisation was made. */
  readonly madeAt: Instant;
  readonly role: Role;
}

export interface Member {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly since: Instant;
  /** An app with one-time codes. */
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
}

/** The organisations of a person, oldest membership first. */
export async function membershipsOf(handle: Handle, personId: string): Promise<Membership[]> {
  const rows = await memberStore.membershipsOf(handle, personId);
  return rows.map((row) => ({
    organizationId: row.organization_id,
    organizationName: row.name,
    isSuspended: row.suspended_at !== null,
    timezone: row.timezone,
    madeAt: row.created_at,
    role: row.role as Role,
  }));
}

/** The members of the organisation, oldest first. */
export async function membersOf(scope: ReadScope): Promise<Member[]> {
  const rows = await memberStore.membersOf(scope);
  return rows.map((row) => ({
    personId: row.person_id,
    name: row.name,
    email: row.email,
    role: row.role as Role,
    since: row.created_at,
    hasApp: row.has_app,
    hasPasskey: row.has_passkey,
  }));
}

/** @returns null when the person does not belong to the organisation (any more) */
export async function roleOf(scope: ReadScope, personId: string): Promise<Role | null> {
  return ((await memberStore.memberById(scope, personId))?.role ?? null) as Role | null;
}

/**
 * Makes a person a member.
 * @throws Failure already_member, insufficient_role
 */
export async function addMember(
  scope: WriteScope,
  by: PersonOrOperator,
  { personId, role }: { personId: string; role: Role },
): Promise<void> {
  await lockOrganization(scope);
  await mustBeAbleToGive(scope, by, role);
  await join(scope, by, personId, role);
}

/**
 * The person's rights change within a second in every process.
 * @throws Failure not_found, insufficient_role, last_owner
 */
export async function changeRole(
  scope: WriteScope,
  by: PersonOrOperator,
  { personId, role }: { personId: string; role: Role },
): Promise<void> {
  await lockOrganization(scope);
  const former = await memberOrFail(scope, personId);
  await mustBeAbleToGive(scope, by, former);
  await mustBeAbleToGive(scope, by, role);
  if (former === 'owner' && role !== 'owner') await anotherOwner(scope);
  await memberStore.setRole(scope, personId, role);
  await noteAct(scope, by, 'role_changed', { subject: personId, role });
  await scope.rows(notice('access', scope.organizationId));
}

/**
 * The person, and every agent that reads for them there, loses access within a second in every
 * process. Leaving needs no permission.
 * @throws Failure not_found, insufficient_role, last_owner
 */
export async function removeMember(
  scope: WriteScope,
  by: PersonOrOperator,
  personId: string,
): Promise<void> {
  await lockOrganization(scope);
  const role = await memberOrFail(scope, personId);
  if (by === 'operator' || by.personId !== personId) await mustBeAbleToGive(scope, by, role);
  if (role === 'owner') await anotherOwner(scope);
  await memberStore.removeMember(scope, personId);
  await invitationStore.revokeOpen(scope, 'invited_by', personId, scope.clock.now());
  await invitationStore.revokeOpenTo(scope, personId, scope.clock.now());
  await noteAct(scope, by, 'member_removed', { subject: personId });
  await noteRemoval(scope, 'member', { person_id: personId });
  await scope.rows(notice('access', scope.organizationId));
}

/**
 * For people admitted by something else than a member. Open invitations of their address end: they
 * are in. The caller holds the members' lock.
 */
export async function join(
  scope: WriteScope,
  by: PersonOrOperator,
  personId: string,
  role: Role,
): Promise<void> {
  if (!(await memberStore.addMember(scope, personId, role, scope.clock.now())))
    throw fail('already_member');
  await invitationStore.revokeOpenTo(scope, personId, scope.clock.now());
  await noteAct(scope, by, 'member_added', { subject: personId, role });
  await scope.rows(notice('access', scope.organizationId));
}

/**
 * Checks a person's right to an act in an organisation, in the transaction of the act: their role
 * cannot change until it ends. Locks the whole organisation, so that its acts come one by one.
 * @param action null = every member's
 * @throws Failure insufficient_role; not_found for a former member, where the act is every member's
 */
export async function authorize(
  scope: WriteScope,
  personId: string,
  action: Action | null,
): Promise<void> {
  await lockOrganization(scope);
  if (action === null) await memberOrFail(scope, personId);
  else mustBeAbleTo(await roleOf(scope, personId), action);
}

/** @throws Failure insufficient_role */
export async function mustBeAbleToGive(
  scope: ReadScope,
  by: PersonOrOperator,
  role: Role,
): Promise<void> {
  if (by === 'operator') return;
  mustBeAbleTo(await roleOf(scope, by.personId), actionToGive(role));
}

async function memberOrFail(scope: ReadScope, personId: string): Promise<Role> {
  const role = await roleOf(scope, personId);
  if (!role) throw fail('not_found', { message: 'Esa persona no pertenece a la organización.' });
  return role;
}

async function anotherOwner(scope: ReadScope): Promise<void> {
  if ((await memberStore.countOwners(scope)) < 2) throw fail('last_owner');
}
