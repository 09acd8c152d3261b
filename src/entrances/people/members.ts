import {
  type Changer,
  changeRole,
  invitationMail,
  invite,
  inviteAgain,
  isRole,
  membersOf,
  mustBeAbleTo,
  normalEmail,
  openInvitations,
  type Role,
  removeMember,
  revokeInvitation,
} from '../../features/people/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import { noteIn } from '../page.ts';
import { MEMBERS_PATH, mayRemove, membersReply, removalReply } from './members-pages.ts';
import {
  addressIn,
  inOrganization,
  noteEventIn,
  type PageMembership,
  refuseSuspended,
} from './membership.ts';
import { orAgain, type Reply, typed, type Visit } from './visit.ts';

const NOTES: Readonly<Record<string, string>> = {
  papel: 'El papel quedó cambiado y ya vale.',
  quitada: 'La persona ya no pertenece a la organización, y sus agentes quedaron desconectados.',
  invitada: 'La invitación va en camino. El enlace sirve durante 7 días.',
  retirada: 'La invitación quedó retirada. Su enlace ya no sirve.',
};

export async function membersPage(visit: Visit): Promise<Reply> {
  return inOrganization(visit, MEMBERS_PATH, (membership) =>
    show(visit, membership, { said: noteIn(NOTES, visit.query) }),
  );
}

export async function giveRole(visit: Visit): Promise<Reply> {
  return change(visit, async (membership) => {
    const given = { personId: idIn(visit, 'persona'), role: roleIn(visit) };
    await write(visit, membership, (scope, by) => changeRole(scope, by, given));
    noteEventIn(visit, membership, 'role_changed', { subject: given.personId, role: given.role });
    return said(membership, 'papel');
  });
}

/** Asks once more, and says what ends with it. */
export async function removalPage(visit: Visit): Promise<Reply> {
  return inOrganization(visit, MEMBERS_PATH, async (membership) => {
    const members = await visit.database.within(membership.organization.id).read(membersOf);
    const member = members.find(({ personId }) => personId === visit.query.get('persona'));
    if (!member)
      throw fail('not_found', { message: 'Esa persona no pertenece a la organización.' });
    if (!mayRemove(membership, member))
      return show(visit, membership, {
        wrong: 'Tu papel en la organización no permite quitar a esa persona.',
      });
    return removalReply(membership, member);
  });
}

export async function removePerson(visit: Visit): Promise<Reply> {
  return change(visit, async (membership) => {
    const personId = idIn(visit, 'persona');
    await write(visit, membership, (scope, by) => removeMember(scope, by, personId));
    noteEventIn(visit, membership, 'member_removed', { subject: personId });
    return personId === membership.person.id ? '/cuenta?aviso=fuera' : said(membership, 'quitada');
  });
}

export async function sendInvitation(visit: Visit): Promise<Reply> {
  return change(visit, async (membership) => {
    refuseSuspended(membership);
    const given = { email: normalEmail(typed(visit, 'correo')), role: roleIn(visit) };
    await countMail(visit, membership, given.email);
    const { id } = await write(visit, membership, async (scope, by) => {
      const made = { ...given, ...(await invite(scope, by, given)) };
      await post(visit, scope, membership, made);
      return made;
    });
    noteEventIn(visit, membership, 'invitation_sent', { subject: id, role: given.role });
    return said(membership, 'invitada');
  });
}

export async function sendInvitationAgain(visit: Visit): Promise<Reply> {
  return change(visit, async (membership) => {
    refuseSuspended(membership);
    const id = idIn(visit, 'invitacion');
    const open = await visit.database.within(membership.organization.id).read(openInvitations);
    await countMail(
      visit,
      membership,
      open.find((invitation) => invitation.id === id)?.email ?? '',
    );
    const again = await write(visit, membership, async (scope, by) => {
      const made = await inviteAgain(scope, by, id);
      await post(visit, scope, membership, made);
      return made;
    });
    noteEventIn(visit, membership, 'invitation_sent', { subject: again.id, role: again.role });
    return said(membership, 'invitada');
  });
}

export async function takeBackInvitation(visit: Visit): Promise<Reply> {
  return change(visit, async (membership) => {
    const id = idIn(visit, 'invitacion');
    await write(visit, membership, (scope, by) => revokeInvitation(scope, by, id));
    noteEventIn(visit, membership, 'invitation_taken_back', { subject: id });
    return said(membership, 'retirada');
  });
}

/** Goes where the work says, or shows the page with what is wrong. */
function change(
  visit: Visit,
  work: (membership: PageMembership) => Promise<string>,
): Promise<Reply> {
  return inOrganization(visit, MEMBERS_PATH, (membership) =>
    orAgain(
      async () => ({ to: await work(membership) }),
      ({ message }) => show(visit, membership, { wrong: message }),
    ),
  );
}

function write<T>(
  { database, address }: Visit,
  { organization, person }: PageMembership,
  work: (scope: WriteScope, by: Changer) => Promise<T>,
): Promise<T> {
  return database
    .within(organization.id)
    .write((scope) => work(scope, { personId: person.id, address }));
}

async function show(
  visit: Visit,
  membership: PageMembership,
  about: { said?: string | null; wrong?: string },
): Promise<Reply> {
  const [members, invitations] = await visit.database
    .within(membership.organization.id)
    .read(async (scope) => [await membersOf(scope), await openInvitations(scope)] as const);
  const form = { email: typed(visit, 'correo'), role: typed(visit, 'papel') };
  return membersReply(membership, { members, invitations, form, ...about });
}

/**
 * Before the mail is counted at its address, which whoever may not invite could else close to
 * others.
 */
async function countMail(
  { people }: Visit,
  { person, role }: PageMembership,
  email: string,
): Promise<void> {
  mustBeAbleTo(role, 'manage_members');
  await people.attempts.count('invitation', person.id);
  if (!(await people.attempts.mayMail(email)))
    throw fail('too_many_requests', {
      message: 'Esa dirección recibió ya varios correos. Espera unos minutos.',
    });
}

async function post(
  { postbox, publicUrl }: Visit,
  scope: WriteScope,
  { person }: PageMembership,
  invitation: { email: string; role: Role; token: string },
): Promise<void> {
  const letter = { ...invitation, invitedBy: person.email };
  await postbox.put(scope.handle, invitationMail(publicUrl(), letter));
}

function said(membership: PageMembership, aviso: string): string {
  return addressIn(membership, MEMBERS_PATH, { aviso });
}

function idIn(visit: Visit, field: string): string {
  const id = typed(visit, field);
  if (!isId(id)) throw invalid(field, 'El formulario llegó incompleto. Intenta de nuevo.');
  return id;
}

function roleIn(visit: Visit): Role {
  const role = typed(visit, 'papel');
  if (!isRole(role)) throw invalid('papel', 'Elige un papel de la lista.');
  return role;
}
