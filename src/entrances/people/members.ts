import {
  changeRole,
  invitationMail,
  invitationSentWith,
  invite,
  inviteAgain,
  isRole,
  type Member,
  membersOf,
  mustBeAbleTo,
  normalEmail,
  type OpenInvitation,
  openInvitations,
  ROLE_NAMES,
  type Role,
  removeMember,
  revokeInvitation,
} from '../../features/people/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId, newId } from '../../platform/ids.ts';
import { noteIn } from '../page.ts';
import { confirmUnused } from './confirm.ts';
import { MEMBERS_PATH, mayRemove, membersReply, removalReply } from './members-pages.ts';
import {
  addressIn,
  inOrganization,
  noteEventIn,
  type PageMembership,
  refuseAfterTrial,
  refuseSuspended,
  writeAs,
} from './membership.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from './page-request.ts';

const NOTES: Readonly<Record<string, string>> = {
  quitada: 'La persona ya no pertenece a la organización, y sus agentes quedaron desconectados.',
  retirada: 'La invitación quedó retirada. Su enlace ya no sirve.',
};

const ENDED =
  'Esa invitación ya terminó: se retiró, venció o se cambió por otra. No enviamos nada. Para invitar de nuevo, vuelve a enviar el formulario.';

export async function membersPage(request: PageRequest): Promise<Reply> {
  return inOrganization(request, MEMBERS_PATH, (membership) => show(request, membership, {}));
}

export async function giveRole(request: PageRequest): Promise<Reply> {
  return giveAccess(request, async (membership) => {
    const given = { personId: idIn(request, 'persona'), role: roleIn(request) };
    await write(request, membership, (scope, by) => changeRole(scope, by, given));
    noteEventIn(request, membership, 'role_changed', { subject: given.personId, role: given.role });
    return said(membership, 'rol', { persona: given.personId });
  });
}

/** Asks once more, and says what ends with it. */
export async function removalPage(request: PageRequest): Promise<Reply> {
  return inOrganization(request, MEMBERS_PATH, async (membership) => {
    const members = await request.database.within(membership.organization.id).read(membersOf);
    const member = members.find(({ personId }) => personId === request.query.get('persona'));
    if (!member)
      throw fail('not_found', { message: 'Esa persona no pertenece a la organización.' });
    if (!mayRemove(membership, member))
      return show(request, membership, {
        wrong: 'Tu rol en la organización no permite quitar a esa persona.',
      });
    return removalReply(membership, member);
  });
}

export async function removePerson(request: PageRequest): Promise<Reply> {
  return change(request, async (membership) => {
    const personId = idIn(request, 'persona');
    await write(request, membership, (scope, by) => removeMember(scope, by, personId));
    noteEventIn(request, membership, 'member_removed', { subject: personId });
    return personId === membership.person.id ? '/cuenta?aviso=fuera' : said(membership, 'quitada');
  });
}

/**
 * A form that comes again sends no second invitation, which would end the first.
 * @throws Failure already_member or not_found, when the first one ended meanwhile
 */
export async function sendInvitation(request: PageRequest): Promise<Reply> {
  return giveAccess(request, async (membership) => {
    const given = { email: normalEmail(typed(request, 'correo')), role: roleIn(request) };
    const formId = formIdIn(request);
    await countMail(request, membership, given.email);
    const made = await writeAs(request, membership, 'manage_members', async (scope, by) => {
      const former = await invitationSentWith(scope, formId);
      if (former?.email === given.email && former.role === given.role)
        return { id: await openOrEnded(scope, given), isNew: false };
      // After «back» the form may have another address.
      const { id, token } = await invite(scope, by, { ...given, id: former ? newId() : formId });
      await post(request, scope, membership, { ...given, token });
      return { id, isNew: true };
    });
    if (made.isNew)
      noteEventIn(request, membership, 'invitation_sent', { subject: made.id, role: given.role });
    return said(membership, 'invitada', { invitacion: made.id });
  });
}

/** A form that comes again finds its invitation open, and sends none. */
export async function sendInvitationAgain(request: PageRequest): Promise<Reply> {
  return giveAccess(request, async (membership) => {
    const [id, formId] = [idIn(request, 'invitacion'), formIdIn(request)];
    const open = await request.database.within(membership.organization.id).read(openInvitations);
    await countMail(
      request,
      membership,
      open.find((invitation) => invitation.id === id)?.email ?? '',
    );
    const again = await writeAs(request, membership, 'manage_members', async (scope, by) => {
      if ((await openInvitations(scope)).some((one) => one.id === formId)) return null;
      // An id that an ended invitation has is taken.
      const nextId = (await invitationSentWith(scope, formId)) ? newId() : formId;
      const made = await inviteAgain(scope, by, id, nextId);
      await post(request, scope, membership, made);
      return made;
    });
    if (again)
      noteEventIn(request, membership, 'invitation_sent', { subject: again.id, role: again.role });
    return said(membership, 'invitada', { invitacion: again?.id ?? formId });
  });
}

export async function takeBackInvitation(request: PageRequest): Promise<Reply> {
  return change(request, async (membership) => {
    const id = idIn(request, 'invitacion');
    await write(request, membership, (scope, by) => revokeInvitation(scope, by, id));
    noteEventIn(request, membership, 'invitation_taken_back', { subject: id });
    return said(membership, 'retirada');
  });
}

type Work = (membership: PageMembership) => Promise<string>;

/**
 * A member or an invitation is a way in as much as a key is: a person with a second factor gives
 * none before this session has used it.
 */
function giveAccess(request: PageRequest, work: Work): Promise<Reply> {
  const granting: Work = async (membership) => {
    refuseSuspended(membership);
    refuseAfterTrial(membership);
    return work(membership);
  };
  return inOrganization(request, MEMBERS_PATH, async (membership) => {
    const unused = confirmUnused(request, membership.person, addressIn(membership, MEMBERS_PATH));
    return unused ?? tryTo(granting, { request, membership });
  });
}

function change(request: PageRequest, work: Work): Promise<Reply> {
  return inOrganization(request, MEMBERS_PATH, (membership) =>
    tryTo(work, { request, membership }),
  );
}

/** Goes where the work says, or shows the page with what is wrong. */
function tryTo(
  work: Work,
  { request, membership }: { request: PageRequest; membership: PageMembership },
): Promise<Reply> {
  return orShowAgain(
    async () => ({ to: await work(membership) }),
    ({ message }) => show(request, membership, { wrong: message }),
  );
}

function write<T>(
  { database, address }: PageRequest,
  { organization, person }: PageMembership,
  work: (scope: WriteScope, by: PersonDoing) => Promise<T>,
): Promise<T> {
  return database
    .within(organization.id)
    .write((scope) => work(scope, { personId: person.id, address }));
}

async function show(
  request: PageRequest,
  membership: PageMembership,
  about: { wrong?: string },
): Promise<Reply> {
  const [members, invitations] = await request.database
    .within(membership.organization.id)
    .read(async (scope) => [await membersOf(scope), await openInvitations(scope)] as const);
  // The form that changes a role has no address.
  const role = request.form.has('correo') ? typed(request, 'rol') : '';
  const form = { email: typed(request, 'correo'), role };
  const isConfirmed = request.people.factorLack(membership.person) !== 'not_used';
  const said = whatWasDone(request.query, members, invitations);
  return membersReply(membership, { members, invitations, form, isConfirmed, said, ...about });
}

/** Null also where it holds no more: the invitation was accepted since, or the person left. */
function whatWasDone(
  query: URLSearchParams,
  members: readonly Member[],
  invitations: readonly OpenInvitation[],
): string | null {
  const member = members.find(({ personId }) => personId === query.get('persona'));
  const sent = invitations.find(({ id }) => id === query.get('invitacion'));
  const notes: Readonly<Record<string, string>> = {
    ...NOTES,
    ...(member && { rol: `${member.name} ahora tiene el rol ${ROLE_NAMES[member.role]}.` }),
    ...(sent && { invitada: `Invitamos a ${sent.email}. El enlace sirve durante 7 días.` }),
  };
  return noteIn(notes, query);
}

/**
 * Checked before the mail counts against the limit of its address: a person without the right to
 * invite cannot use up that limit.
 */
async function countMail(
  { people }: PageRequest,
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
  { postbox, publicUrl }: PageRequest,
  scope: WriteScope,
  { person }: PageMembership,
  invitation: { email: string; role: Role; token: string },
): Promise<void> {
  const mail = { ...invitation, invitedBy: person.email };
  await postbox.put(scope.handle, invitationMail(publicUrl(), mail));
}

function said(
  membership: PageMembership,
  aviso: string,
  of: Readonly<Record<string, string>> = {},
): string {
  return addressIn(membership, MEMBERS_PATH, { aviso, ...of });
}

function idIn(request: PageRequest, field: string): string {
  const id = typed(request, field);
  if (!isId(id)) throw invalid(field, 'El formulario llegó incompleto. Intenta de nuevo.');
  return id;
}

/** @returns the id of the open invitation, which may be one that was sent again */
async function openOrEnded(
  scope: WriteScope,
  given: { email: string; role: Role },
): Promise<string> {
  const open = (await openInvitations(scope)).find(({ email }) => email === given.email);
  if (open?.role === given.role) return open.id;
  if ((await membersOf(scope)).some(({ email }) => normalEmail(email) === given.email))
    throw fail('already_member');
  throw fail('not_found', { message: ENDED });
}

/** The invitation that a form makes has the form's id; one without it is each time another form. */
function formIdIn(request: PageRequest): string {
  return request.form.has('formulario') ? idIn(request, 'formulario') : newId();
}

function roleIn(request: PageRequest): Role {
  const role = typed(request, 'rol');
  if (!isRole(role)) throw invalid('rol', 'Elige un rol de la lista.');
  return role;
}
