import { randomBytes } from 'node:crypto';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { newId, sha256 } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { findOrganization, lockOrganization } from '../organizations/index.ts';
import { noteAct, type PersonOrOperator } from '../trail/index.ts';
import { isEmail, normalEmail } from './email.ts';
import { join, mustBeAbleToGive, roleOf } from './members.ts';
import { actionToGive, may, type Role } from './roles.ts';
import * as invitations from './store-invitations.ts';
import * as memberStore from './store-members.ts';
import * as personStore from './store-people.ts';

export interface Invitation {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Instant;
}

/** For members who manage members. */
export interface OpenInvitation extends Omit<Invitation, 'organizationName'> {
  /** The inviter's name; null = an operator. */
  readonly invitedBy: string | null;
  /** Whether the inviter may still invite: else it cannot be accepted. */
  readonly stands: boolean;
}

const LIFE_HOURS = 7 * 24;
const TOKEN_BYTES = 32;

/**
 * Invites an address; a former invitation of it ends. The caller sends the token by mail: it is
 * returned here and stored nowhere.
 * @throws Failure insufficient_role, already_member, invalid_request
 */
export async function invite(
  scope: WriteScope,
  by: PersonOrOperator,
  given: { id?: string; email: string; role: Role },
): Promise<{ id: string; token: string }> {
  const { id = newId() } = given;
  const email = normalEmail(given.email);
  if (!isEmail(email)) throw invalid('email', 'Escribe un correo válido.');
  await lockOrganization(scope);
  await mustBeAbleToGive(scope, by, given.role);
  const person = await personStore.personByEmail(scope.handle, email);
  if (person && (await memberStore.memberById(scope, person.id))) throw fail('already_member');
  const now = scope.clock.now();
  await invitations.revokeOpen(scope, 'email', email, now);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await invitations.insert(scope, {
    id,
    email,
    role: given.role,
    tokenHash: sha256(token),
    invitedBy: by === 'operator' ? null : by.personId,
    createdAt: now,
    expiresAt: now.add({ hours: LIFE_HOURS }),
  });
  await noteAct(scope, by, 'invitation_sent', { subject: id, role: given.role });
  return { id, token };
}

/** The invitation that a form sent already; null = none. The caller holds the members' lock. */
export async function invitationSentWith(
  scope: ReadScope,
  formId: string,
): Promise<Pick<Invitation, 'email' | 'role'> | null> {
  const row = await invitations.byId(scope, formId);
  return row ? { email: row.email, role: row.role as Role } : null;
}

/**
 * Ends an open invitation and makes a new one for the same address and role, with a token and seven
 * days of its own.
 * @param newInvitationId that of the new one
 * @throws Failure insufficient_role, already_member, not_found when it is not open
 */
export async function inviteAgain(
  scope: WriteScope,
  by: PersonOrOperator,
  id: string,
  newInvitationId: string,
): Promise<{ id: string; token: string; email: string; role: Role }> {
  await lockOrganization(scope);
  const row = await openOrFail(scope, id);
  const again = { email: row.email, role: row.role as Role };
  return { ...(await invite(scope, by, { ...again, id: newInvitationId })), ...again };
}

/** @throws Failure insufficient_role, not_found when it is not open */
export async function revokeInvitation(
  scope: WriteScope,
  by: PersonOrOperator,
  id: string,
): Promise<void> {
  await lockOrganization(scope);
  const row = await openOrFail(scope, id);
  await mustBeAbleToGive(scope, by, row.role as Role);
  await invitations.revoke(scope, id, scope.clock.now());
  await noteAct(scope, by, 'invitation_taken_back', { subject: id, role: row.role });
}

/** Invitations that were neither accepted nor revoked and have not expired, newest first. */
export async function openInvitations(scope: ReadScope): Promise<OpenInvitation[]> {
  return (await invitations.open(scope, scope.clock.now())).map((row) => ({
    id: row.id,
    organizationId: scope.organizationId,
    email: row.email,
    role: row.role as Role,
    expiresAt: row.expires_at,
    invitedBy: row.inviter_name,
    stands: stillGives(row, row.inviter_role as Role | null),
  }));
}

/**
 * The invitation of a token, as long as the inviter may still invite.
 * @throws Failure invitation_not_valid
 */
export async function findInvitation(
  handle: Handle,
  token: string,
  now: Instant,
): Promise<Invitation> {
  const row = await invitations.byToken(handle, sha256(token));
  const isOpen =
    row && !row.accepted_at && !row.revoked_at && Temporal.Instant.compare(row.expires_at, now) > 0;
  const stands = isOpen && (await mayStillGive(handle.within(row.organization_id), row));
  const organization = stands ? await findOrganization(handle, row.organization_id) : null;
  if (!row || !organization) throw fail('invitation_not_valid');
  return {
    id: row.id,
    organizationId: row.organization_id,
    organizationName: organization.name,
    email: row.email,
    role: row.role as Role,
    expiresAt: row.expires_at,
  };
}

/** Where the invited address is a member's by now; null = it is none, or the token is unknown. */
export async function joinedBy(
  handle: Handle,
  token: string,
): Promise<Pick<Invitation, 'organizationId' | 'email'> | null> {
  const row = await invitations.byToken(handle, sha256(token));
  const person = row && (await personStore.personByEmail(handle, row.email));
  if (!person || (await roleOf(handle.within(row.organization_id), person.id)) === null)
    return null;
  return { organizationId: row.organization_id, email: row.email };
}

/**
 * Makes the person a member, once. Only the invited address can accept.
 * @throws Failure invitation_not_valid, already_member, organization_suspended
 */
export async function acceptInvitation(
  handle: WriteHandle,
  token: string,
  person: { id: string; email: string; address: string | null },
  now: Instant,
): Promise<Invitation> {
  const invitation = await findInvitation(handle, token, now);
  if (normalEmail(person.email) !== invitation.email)
    throw fail('invitation_not_valid', {
      message: `La invitación es para ${invitation.email}. Entra con ese correo para aceptarla.`,
    });
  const scope = handle.within(invitation.organizationId);
  await lockOrganization(scope);
  if ((await findOrganization(handle, invitation.organizationId))?.isSuspended)
    throw fail('organization_suspended');
  // Checked again: the inviter may have been removed while this waited.
  await findInvitation(handle, token, now);
  // Two browsers may have opened it: one takes the row.
  if (!(await invitations.accept(scope, invitation.id, now))) throw fail('invitation_not_valid');
  const by = { personId: person.id, address: person.address };
  await join(scope, by, person.id, invitation.role);
  return invitation;
}

/**
 * The addresses of invitations, by id. Left out are deleted ones, and those accepted by people who
 * have left since.
 */
export async function invitedAddresses(
  scope: ReadScope,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await invitations.addressesOf(scope, ids);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

async function openOrFail(scope: ReadScope, id: string): Promise<invitations.InvitationRow> {
  const open = (await invitations.open(scope, scope.clock.now())).find((row) => row.id === id);
  if (!open) throw fail('not_found', { message: 'Esa invitación ya no está abierta.' });
  return open;
}

async function mayStillGive(scope: ReadScope, row: invitations.InvitationRow): Promise<boolean> {
  return stillGives(row, row.invited_by === null ? null : await roleOf(scope, row.invited_by));
}

/** A person who lost the right to invite must not return by an invitation of their own. */
function stillGives(row: invitations.InvitationRow, inviter: Role | null): boolean {
  return (
    row.invited_by === null || (inviter !== null && may(inviter, actionToGive(row.role as Role)))
  );
}
