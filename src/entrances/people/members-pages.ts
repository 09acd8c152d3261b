import {
  CONFIRM_PATH,
  type Member,
  may,
  type OpenInvitation,
  ROLE_NAMES,
  ROLE_SENTENCES,
  ROLES,
  type Role,
  rolesToGive,
} from '../../features/people/index.ts';
import { newId } from '../../platform/ids.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { alarm, choice, field, type Html, html, note } from '../page.ts';
import {
  addressIn,
  dayFor,
  hiddenIn,
  momentFor,
  type PageMembership,
  suspensionNote,
  trialNote,
} from './membership.ts';
import { type Reply, withReturn } from './page-request.ts';

export const MEMBERS_PATH = SITE_PAGES.members.path;

const ROLES_EXPLAINED = html`<details><summary>Qué puede hacer cada rol</summary>
  <dl>${ROLES.map((role) => html`<dt>${ROLE_NAMES[role]}</dt><dd>${ROLE_SENTENCES[role]}</dd>`)}</dl></details>`;

interface Shown {
  readonly members: readonly Member[];
  readonly invitations: readonly OpenInvitation[];
  /** What was typed for an invitation. */
  readonly form: { readonly email: string; readonly role: string };
  /** False: the person has a second factor, and this session has not used it. */
  readonly isConfirmed: boolean;
  readonly said?: string | null;
  readonly wrong?: string;
}

/**
 * All members see the list; forms, second factors and invitations are for roles that manage members.
 */
export function membersReply(membership: PageMembership, shown: Shown): Reply {
  const { members, invitations, form, isConfirmed, said = null, wrong = null } = shown;
  const manages = may(membership.role, 'manage_members');
  return {
    title: SITE_PAGES.members.name,
    body: html`${note(said)}${alarm(wrong)}${suspensionNote(membership)}${trialNote(membership)}
      <ul class="cards">${members.map((member) => entryOf(membership, member, manages))}</ul>
      ${ROLES_EXPLAINED}
      ${manages && !isConfirmed ? html`<p>Para invitar personas y cambiar roles <a href="${withReturn(CONFIRM_PATH, addressIn(membership, MEMBERS_PATH))}">confirma que eres tú</a> con tu código o tu llave de acceso.</p>` : html``}
      ${manages ? invitationsOf(membership, invitations) : html`<p>Solo quien administra la organización invita y cambia roles.</p>`}
      ${manages && isGranting(membership) ? inviteForm(membership, form) : html``}`,
  };
}

export function removalReply(membership: PageMembership, member: Member): Reply {
  const { organization } = membership;
  const isSelf = isThemselves(membership, member);
  const title = isSelf ? `¿Salir de ${organization.name}?` : `¿Quitar a ${member.name}?`;
  const what = isSelf
    ? html`<p>Dejarás de pertenecer a «${organization.name}», y tus agentes de ahí quedarán desconectados. Para volver hace falta otra invitación.</p>`
    : html`<p>${member.name} (${member.email}) dejará de pertenecer a «${organization.name}», y sus agentes de ahí quedarán desconectados.</p>`;
  return {
    title,
    body: html`${what}
      <p>Las claves de API no cambian: si también las conocía, ${may(membership.role, 'manage_keys') ? html`<a href="${addressIn(membership, SITE_PAGES.keys.path)}">regenéralas</a>` : html`pide que las regeneren`}.</p>
      <form method="post" action="/cuenta/miembros/quitar">${hiddenIn(membership, { persona: member.personId })}
      <button>${isSelf ? 'Salir de la organización' : `Quitar a ${member.name}`}</button></form>
      <p><a href="${addressIn(membership, MEMBERS_PATH)}">Cancelar</a></p>`,
  };
}

/** Whether roles and invitations are given there. */
function isGranting({ organization, isTrialOver }: PageMembership): boolean {
  return !organization.isSuspended && !isTrialOver;
}

/** The right to give a role is the right to take it; each member may leave. */
export function mayRemove(membership: PageMembership, member: Member): boolean {
  return isThemselves(membership, member) || rolesToGive(membership.role).includes(member.role);
}

function entryOf(membership: PageMembership, member: Member, manages: boolean): Html {
  const { personId, name, email, role, since } = member;
  const isSelf = isThemselves(membership, member);
  const leave = isSelf
    ? 'Salir de la organización'
    : html`Quitar<span class="unseen"> a ${name}</span>`;
  return html`<li><p><strong>${name}</strong>${isSelf ? ' (tú)' : ''}</p>
    <p>${email}</p>
    <p>${ROLE_NAMES[role]}, desde el ${dayFor(membership, since)}</p>
    ${manages ? html`<p>Verificación en dos pasos: ${secondFactorsOf(member)}</p>` : html``}
    ${isGranting(membership) && rolesToGive(membership.role).includes(role) ? roleForm(membership, member) : html``}
    ${mayRemove(membership, member) ? html`<p><a href="${addressIn(membership, '/cuenta/miembros/quitar', { persona: personId })}">${leave}</a></p>` : html``}</li>`;
}

function secondFactorsOf({ hasApp, hasPasskey }: Member): string {
  if (hasApp && hasPasskey) return 'aplicación y llave de acceso';
  if (hasApp) return 'aplicación';
  return hasPasskey ? 'llave de acceso' : 'no';
}

function roleForm(membership: PageMembership, { personId, name, role }: Member): Html {
  return html`<form method="post" action="/cuenta/miembros/rol">${hiddenIn(membership, { persona: personId })}
    ${choice({
      id: `rol-${personId}`,
      name: 'rol',
      label: html`Rol<span class="unseen"> de ${name}</span>`,
      options: roleOptions(membership.role),
      chosen: role,
    })}
    <button class="quiet">Cambiar rol<span class="unseen"> de ${name}</span></button></form>`;
}

function invitationsOf(membership: PageMembership, invitations: readonly OpenInvitation[]): Html {
  if (invitations.length === 0)
    return html`<h2>Invitaciones abiertas</h2><p>No hay invitaciones abiertas.</p>`;
  return html`<h2>Invitaciones abiertas</h2>
    <ul class="cards">${invitations.map((invitation) => invitationOf(membership, invitation))}</ul>`;
}

function invitationOf(membership: PageMembership, invitation: OpenInvitation): Html {
  const { id, email, role, expiresAt, invitedBy, stands } = invitation;
  const hidden = hiddenIn(membership, { invitacion: id });
  const unseen = html`<span class="unseen"> a ${email}</span>`;
  const again = html`<form class="beside" method="post" action="/cuenta/invitaciones/reenviar">${hiddenIn(membership, { invitacion: id, formulario: newId() })}<button class="quiet">Enviar de nuevo${unseen}</button></form>`;
  const forms = html`
    ${isGranting(membership) ? again : html``}
    <form class="beside" method="post" action="/cuenta/invitaciones/retirar">${hidden}<button class="quiet">Retirar<span class="unseen"> la invitación</span>${unseen}</button></form>`;
  return html`<li><p><strong>${email}</strong></p>
    <p>Rol: ${ROLE_NAMES[role]}. Invitación de ${invitedBy ?? 'Tianguis'}.</p>
    <p>Sirve hasta el ${momentFor(membership, expiresAt)}</p>
    ${stands ? html`` : html`<p>Ya no se puede aceptar: quien invitó perdió el permiso. Envíala de nuevo.</p>`}
    ${rolesToGive(membership.role).includes(role) ? forms : html``}</li>`;
}

function inviteForm(membership: PageMembership, { email, role }: Shown['form']): Html {
  return html`<h2>Invitar</h2>
    <form method="post" action="/cuenta/miembros/invitar">${hiddenIn(membership, { formulario: newId() })}
      ${field({ name: 'correo', label: 'Correo', type: 'email', autocomplete: 'off', value: email })}
      ${choice({ name: 'rol', label: 'Rol', options: roleOptions(membership.role), chosen: role === '' ? 'member' : role })}
      <button>Enviar invitación</button>
    </form>`;
}

function roleOptions(role: Role): [value: string, words: string][] {
  return rolesToGive(role).map((given) => [given, ROLE_NAMES[given]]);
}

function isThemselves({ person }: PageMembership, { personId }: Member): boolean {
  return personId === person.id;
}
